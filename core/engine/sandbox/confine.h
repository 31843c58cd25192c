// SPDX-License-Identifier: BSD-3-Clause
//
// Takes from this process what running a stranger's graph does not need, in two steps: before plugins are
// loaded, and after. What the kernel does not offer is left out, and confinement() says so. Nothing of it can
// be undone. Threads that run already are not confined by Landlock, so both come before any is started.
#pragma once

#include "core/base/result.h"
#include "core/engine/sandbox/gpu_devices.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dynascope::engine {

/// Limits private memory to `memoryMib` MiB, turns core dumps off, lets no program that is started gain
/// rights, and forbids writing, creating, truncating and removing files (Landlock). Before that it has the
/// device files of GPUs made that are missing (gpu_devices.h). A build with the address sanitizer has no
/// memory limit. Fails only if the memory limit cannot be set.
[[nodiscard]] Result<void> confine(std::uint64_t memoryMib, const GpuDriver& driver = machineDriver());

/// Once plugins are loaded: of files only shared libraries, what the kernel tells of the machine and of this
/// process, and the folders `readable` can be read (Landlock); there is no network, no program can be
/// started, no other process be signalled or looked into (Landlock, seccomp); the environment keeps only
/// what LibTorch and its libraries ask for.
void seal(const std::vector<std::string>& readable, bool filtersCalls = true);

/// What the kernel keeps this process from, asked of the kernel itself.
struct Confinement {
    int landlock = 0;              ///< ABI number that the kernel offers; 0: none
    bool writesFiles = true;       ///< it can open a file for writing
    bool readsFiles = true;        ///< it can read files that are no libraries
    bool opensSockets = true;      ///< it can make a socket
    bool startsPrograms = true;    ///< it can make a process
    std::size_t otherThreads = 0;  ///< ran when it was sealed, and are not confined by Landlock
    std::uint64_t memoryBytes = 0; ///< most private memory; 0: no limit
    int seccomp = 0;               ///< 2: calls are filtered, as the kernel says of this process; 0: none
    bool noNewPrivileges = false;  ///< a program that it started could gain no rights
};
[[nodiscard]] Confinement confinement();

} // namespace dynascope::engine
