// SPDX-License-Identifier: BSD-3-Clause
//
// Rules of Landlock (landlock(7)), as far as the kernel knows them.
#pragma once

#include <string>
#include <vector>

namespace dynascope::engine {

/// The ABI number that the kernel offers; 0: none.
[[nodiscard]] int landlockAbi();

/// From now on this thread and those it starts can write, truncate, create, move and remove no files, but
/// the device files of GPUs; no_new_privs is set. False where the kernel refuses.
bool forbidWriting();

/// From now on this thread and those it starts can read only below these paths (those that are not there are
/// left out), execute nothing, use no TCP, and reach no other process by signals or abstract sockets. False
/// where the kernel refuses.
bool forbidReadingBut(const std::vector<std::string>& readable);

/// Whether this machine has device files of an NVIDIA GPU.
[[nodiscard]] bool hasGpuDevices();

} // namespace dynascope::engine
