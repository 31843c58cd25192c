// SPDX-License-Identifier: BSD-3-Clause
//
// Takes from this process what running a stranger's graph does not need.
#pragma once

#include "core/base/result.h"

#include <cstdint>

namespace dynascope::engine {

/// Limits private memory to `memoryMib` MiB, turns core dumps off, and, where the kernel has Landlock,
/// forbids writing, creating and removing files from now on. Applies to threads that start later as well, and
/// cannot be undone. A build with the address sanitizer has no memory limit. Fails only if the memory limit
/// cannot be set.
[[nodiscard]] Result<void> confine(std::uint64_t memoryMib);

/// What the kernel keeps this process from, asked of the kernel itself.
struct Confinement {
    int landlock = 0;              ///< ABI number that the kernel offers; 0: none
    bool writesFiles = true;       ///< it can open a file for writing
    std::uint64_t memoryBytes = 0; ///< most private memory; 0: no limit
};
[[nodiscard]] Confinement confinement();

} // namespace dynascope::engine
