// SPDX-License-Identifier: BSD-3-Clause
//
// A snapshot of PyTorch's caching allocator (torch.cuda.memory._dump_snapshot), and what can be said of it.
#pragma once

#include "core/ir/node.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dynascope::session {

/// Index into MemorySnapshot::stacks; 0 is the empty stack.
using StackIndex = std::uint32_t;

struct MemoryBlock {
    enum class State : std::uint8_t { Active, PendingFree, Inactive, Other };
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    std::uint64_t requested = 0; ///< before rounding; equals `bytes` where the snapshot does not say
    State state = State::Other;
    StackIndex stack = 0;
};

struct MemorySegment {
    int device = 0;
    std::uint64_t address = 0, bytes = 0;
    std::uint64_t stream = 0;
    std::string type; ///< "small" or "large"
    bool expandable = false;
    std::vector<MemoryBlock> blocks; ///< by address
};

struct MemoryEvent {
    enum class Action : std::uint8_t {
        Alloc,
        FreeRequested,
        FreeCompleted,
        SegmentAlloc,
        SegmentFree,
        SegmentMap,
        SegmentUnmap,
        Snapshot,
        OutOfMemory,
        Other
    };
    Action action = Action::Other;
    std::uint64_t address = 0, bytes = 0; ///< OutOfMemory: `address` is what the device had free
    std::int64_t timeUs = 0;
    StackIndex stack = 0;
};

struct MemorySnapshot {
    std::vector<MemorySegment> segments;
    std::vector<std::vector<MemoryEvent>> traces; ///< by device, oldest first; may have lost its beginning
    std::vector<ir::StackTrace> stacks = {{}};    ///< innermost last, Python and C++ frames
    std::vector<std::pair<std::string, std::string>> settings; ///< of the allocator, as spelled
};

/// A frame of the user's own code: neither PyTorch's, nor our recorder's, nor C++.
[[nodiscard]] bool isUserFrame(const ir::SourceLocation& frame);
/// The innermost one; null where there is none.
[[nodiscard]] const ir::SourceLocation* userFrame(const ir::StackTrace& stack);

/// Memory of one cause: of all blocks whose innermost user frame is the same line.
struct MemoryGroup {
    ir::SourceLocation at; ///< empty file: the stack is not recorded
    ir::StackTrace stack;  ///< of its largest block, user frames only
    std::uint64_t bytes = 0;
    std::size_t blocks = 0;
};

struct DeviceMemory {
    int device = 0;
    std::size_t segments = 0, blocks = 0;
    std::uint64_t reserved = 0;  ///< by segments
    std::uint64_t allocated = 0; ///< by tensors
    std::uint64_t requested = 0; ///< by tensors, before rounding
    std::uint64_t pending = 0;   ///< freed, waiting for a stream
    std::uint64_t largestFree = 0;
    std::size_t events = 0, outOfMemory = 0;

    /// The most that was allocated while the trace ran, walking it back from the end.
    std::uint64_t peak = 0;
    /// Index into the device's trace after which it is reached; SIZE_MAX: before
    std::size_t peakEvent = SIZE_MAX;
    std::int64_t peakTimeUs = 0;
    std::vector<MemoryGroup> live;   ///< at the snapshot, largest first
    std::vector<MemoryGroup> atPeak; ///< at the peak, largest first
};

/// One entry per device that has segments or events. Linear, but for sorting.
[[nodiscard]] std::vector<DeviceMemory> summarizeMemory(const MemorySnapshot& snapshot);

} // namespace dynascope::session
