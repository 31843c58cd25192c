// SPDX-License-Identifier: BSD-3-Clause
//
// The memory of a recording against time, in the form of a snapshot's timeline: places in the arena, what is
// alive when, what each storage is for, and what tells two recordings apart. Time is counted in events of the
// recording: moment k is after its event k, and the last moment is when the run is done; what the caller does
// with the results after that is left out.
#pragma once

#include "core/ir/graph.h"
#include "core/replay/recording.h"
#include "core/session/memory_timeline.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace dynascope::replay {

/// What a storage holds.
enum class MemoryUse : unsigned char {
    SavedForBackward, ///< made by forward, read by backward
    ForwardTemporary,
    ForwardOutput,
    BackwardTemporary,
    Gradient, ///< a result of backward
    Caller,   ///< an input: its memory is the caller's, not the arena's
};
inline constexpr std::size_t memoryUses = 6;

/// Which part of a compile a graph is. A graph with tangents among its placeholders is both: what depends on
/// these is backward.
struct GraphRole {
    bool backward = false;
    std::vector<std::string> saved; ///< nodes whose values another graph reads as backward
};

/// Who holds a life of the timeline, and for whom.
struct HeldFor {
    std::uint32_t node = 0; ///< index into ReplayRecording::nodes: the one that allocates it, or the input
    /// The last node that reads it; ReplayRecording::nodes.size() for what outlives the run
    std::uint32_t last = 0;
    MemoryUse use = MemoryUse::ForwardTemporary;
    bool workspace = false; ///< gone before its operator returned
    bool planned = true;    ///< false: of the heap, at each replay anew
};

struct RecordingMemory {
    /// Its lives are the recording's allocations, in their order, then the inputs. `place` is the place in
    /// the arena; above it lies what the heap gives, above that what the caller holds. Sums are without the
    /// caller's memory; `reserved` is the arena.
    session::MemoryTimeline timeline;
    std::vector<HeldFor> held;                ///< by life
    std::vector<std::uint64_t> keptAll;       ///< by moment: if nothing were given back
    std::vector<std::uint32_t> nodeAt;        ///< by moment: which node runs; never falls
    std::uint64_t callerBytes = 0;            ///< of inputs whose size is known
    std::uint32_t firstBackward = UINT32_MAX; ///< of a graph that is both: the first node of backward
};

/// `graph` is what was recorded. Linear, but for placing what the heap gives. A recording that does not fit
/// the graph is shown as far as names agree.
[[nodiscard]] RecordingMemory recordingMemory(const ReplayRecording& recording, const ir::Graph& graph,
                                              const GraphRole& role);

/// Where each moment lies on an axis on which node i begins at `starts[i]`: the events of a node are spread
/// over it evenly. One more than there are moments. `starts` has one entry more than there are nodes.
[[nodiscard]] std::vector<double> momentPositions(std::span<const std::uint32_t> nodeAt,
                                                  std::span<const double> starts);

/// What of an arena is free at a moment.
struct ArenaHoles {
    std::uint64_t bytes = 0, largest = 0;
    std::size_t count = 0;
};
[[nodiscard]] ArenaHoles arenaHoles(const RecordingMemory& memory, std::uint64_t arenaBytes,
                                    std::size_t moment);

/// One storage in two recordings: the same node's, and the n-th of that.
struct MemoryChange {
    enum class Kind : unsigned char { Same, Moved, Lifetime, Resized, Removed, Added };
    Kind kind = Kind::Same;
    std::size_t before = SIZE_MAX, now = SIZE_MAX; ///< lives; SIZE_MAX where there is none
};
/// Of two recordings of the same graph or of two that share names. In the order of `now`, then what is gone.
/// A storage that differs in several ways is named by the last of Moved, Lifetime, Resized that applies.
[[nodiscard]] std::vector<MemoryChange> compareMemory(const ReplayRecording& beforeRecording,
                                                      const RecordingMemory& before,
                                                      const ReplayRecording& nowRecording,
                                                      const RecordingMemory& now);

} // namespace dynascope::replay
