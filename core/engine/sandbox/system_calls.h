// SPDX-License-Identifier: BSD-3-Clause
//
// Which calls of the kernel a graph that runs may make (seccomp(2), by libseccomp).
#pragma once

namespace dynascope::engine {

/// How much is known about what the process needs.
enum class CallList {
    Needed,  ///< what LibTorch, OpenMP and the C library call on a CPU; everything else is an error
    Harmful, ///< a GPU's driver calls what it likes: only what reaches other processes, programs, sockets and
             ///< the system itself is an error
};

/// For this thread, all others of the process, and those that they start. A call that is not let through
/// fails with EPERM. False where the kernel or the build has no seccomp.
bool restrictSystemCalls(CallList list);

} // namespace dynascope::engine
