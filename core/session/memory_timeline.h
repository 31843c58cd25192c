// SPDX-License-Identifier: BSD-3-Clause
//
// What a trace of the caching allocator says about time: which addresses were held from when to when. Time is
// counted in events of the trace: moment k is after its first k events, so moment 0 is before all of them.
#pragma once

#include "core/session/memory_snapshot.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dynascope::session {

/// One allocation.
struct MemoryLife {
    std::uint64_t address = 0, bytes = 0;
    std::uint64_t place = 0;           ///< where it lies in MemoryTimeline::height
    std::size_t begin = 0, end = 0;    ///< held at the moments begin..end-1
    StackIndex stack = 0;              ///< of the allocation
    bool older = false, lasts = false; ///< made before the trace began; alive at its end
};

/// A stretch of addresses that the allocator held at some moment, and where it lies in the picture.
struct MemoryRange {
    std::uint64_t address = 0, bytes = 0, place = 0;
};

/// Of one device.
struct MemoryTimeline {
    int device = 0;
    std::vector<MemoryLife> lives;   ///< by begin, then address
    std::vector<MemoryRange> ranges; ///< by address, apart from each other
    std::uint64_t height = 0;        ///< bytes of all ranges, put one on the other without the gaps
    std::vector<std::uint64_t> allocated, reserved; ///< bytes at each moment; at least one

    [[nodiscard]] std::size_t moments() const { return allocated.size(); }
    /// The first moment at which the most was allocated.
    [[nodiscard]] std::size_t peak() const;
};

/// Linear, but for sorting. An event that does not fit the others (a free of what nobody allocated, an
/// address that is allocated twice) ends or begins a life there; sums that would fall below 0 stay at 0.
[[nodiscard]] MemoryTimeline memoryTimeline(const MemorySnapshot& snapshot, int device);

/// What was alive at a moment, by the line that allocated it, largest first.
[[nodiscard]] std::vector<MemoryGroup> memoryAlive(const MemorySnapshot& snapshot,
                                                   const MemoryTimeline& timeline, std::size_t moment);

/// All lines that allocated, largest sum of blocks first, and the line of each life.
struct MemoryLines {
    std::vector<MemoryGroup> lines;
    std::vector<std::size_t> ofLife; ///< index into `lines`
};
[[nodiscard]] MemoryLines memoryLines(const MemorySnapshot& snapshot, const MemoryTimeline& timeline);

} // namespace dynascope::session
