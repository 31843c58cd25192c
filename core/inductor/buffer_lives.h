// SPDX-License-Identifier: BSD-3-Clause
//
// Buffers over the finished schedule, as the wrapper that Inductor wrote allocates, reuses and frees them.
#pragma once

#include "core/inductor/schedule.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dynascope::inductor {

/// Steps are calls of the wrapper, from 0.
struct BufferLife {
    std::string buffer;
    std::size_t memory = 0;             ///< the allocation that it lies in, by order, from 0
    std::optional<std::uint64_t> bytes; ///< where the size is a number
    std::size_t first = 0,
                last = 0;  ///< steps, both included; of a buffer inside a kernel both are that kernel
    std::string takesFrom; ///< the buffer whose memory it took; empty where it was allocated
    bool byKernel = false; ///< the kernel that it is called from allocates it, not the wrapper
    bool isOutput = false; ///< the wrapper gives it back: it lives on
};

struct ScheduleMemory {
    std::vector<std::string> steps; ///< kernels, as they are called
    std::vector<BufferLife> lives;  ///< in the order in which they begin
    std::vector<std::uint64_t>
        live; ///< bytes at each step, of buffers whose size is known; inputs are not in it
    std::size_t allocations = 0, reuses = 0;
    std::size_t peakStep = 0; ///< the first step with the most; meaningless where there is none
    std::size_t unsized = 0;  ///< buffers of symbolic size, which `live` leaves out

    [[nodiscard]] std::uint64_t peak() const { return live.empty() ? 0 : live[peakStep]; }
};

/// Of a schedule without lines of the wrapper: nothing.
[[nodiscard]] ScheduleMemory memoryOf(const Schedule& schedule);

} // namespace dynascope::inductor
