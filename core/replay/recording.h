// SPDX-License-Identifier: BSD-3-Clause
//
// What a backend found out while it recorded a graph, and what came of replaying it: plain values for the
// command line, the window and session files. The engine makes them; nothing here needs LibTorch.
#pragma once

#include "core/base/result.h"
#include "core/replay/cuda_graph.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::replay {

/// What a replay does at a node.
enum class NodeMode : unsigned char {
    Input,    ///< an input or a constant of the graph: nothing
    Prebuilt, ///< nothing: its value (a view, an item of a tuple, a size) was made when the graph was
              ///< recorded
    Planned,  ///< calls the operator with arguments made beforehand; its memory is planned
    Called,   ///< binds the arguments anew at each replay; its memory is planned
    Eager,    ///< as Called, but with memory of the moment: what it allocates cannot be foreseen
};
[[nodiscard]] std::string_view nodeModeName(NodeMode mode); ///< "input", "prebuilt", "planned", ...

struct RecordedNode {
    std::string name, target;
    NodeMode mode = NodeMode::Input;
    std::string why; ///< of Called and Eager: a few words
    friend bool operator==(const RecordedNode&, const RecordedNode&) = default;
};

/// One storage that was allocated while the graph was recorded. Times are numbers of events: every
/// allocation and every release is one, so that all order is kept.
struct RecordedAllocation {
    std::uint32_t node = 0; ///< index into ReplayRecording::nodes
    std::uint64_t bytes = 0;
    std::uint64_t offset = 0;         ///< in the arena
    std::uint32_t born = 0, died = 0; ///< alive from event `born` up to, not including, event `died`
    bool planned = true;              ///< false: its node runs Eager, so it has no place in the arena
    bool result = false;              ///< outlives the node that made it; else a temporary of the operator
    friend bool operator==(const RecordedAllocation&, const RecordedAllocation&) = default;
};

/// How a graph was recorded anew.
struct Rerecording {
    bool updated = false; ///< the executable graph of the recording before got the new parameters
    std::string why;      ///< it did not: the driver's reason
    friend bool operator==(const Rerecording&, const Rerecording&) = default;
};

struct ReplayRecording {
    std::string backend; ///< "cpu", "cuda"
    unsigned threads = 1;
    std::vector<RecordedNode> nodes;             ///< in the graph's order, without the output
    std::vector<RecordedAllocation> allocations; ///< in order of `born`
    std::uint32_t events = 0;                    ///< what `died` is at most
    std::uint64_t arenaBytes = 0;
    std::uint64_t peakBytes = 0;    ///< most that is alive at a time, of what is planned
    std::uint64_t keepAllBytes = 0; ///< if nothing were given back
    double recordUs = 0, planUs = 0;
    std::vector<std::uint32_t> writtenInputs; ///< positions of inputs whose content the graph changes
    std::optional<CudaGraph> cudaGraph;       ///< of backend "cuda"
    std::optional<Rerecording> rerecording;   ///< of backend "cuda", where there was one before
    friend bool operator==(const ReplayRecording&, const ReplayRecording&) = default;

    [[nodiscard]] std::size_t count(NodeMode mode) const;
};

[[nodiscard]] nlohmann::json toJson(const ReplayRecording& recording);
/// Fails on anything but what toJson makes.
[[nodiscard]] Result<ReplayRecording> recordingFromJson(const nlohmann::json& document);

/// Times of many runs, in microseconds.
struct Spread {
    double min = 0, median = 0, p99 = 0;
    friend bool operator==(const Spread&, const Spread&) = default;
};
/// Of samples in microseconds, which it puts in another order. All zero for none.
[[nodiscard]] Spread spreadOf(std::vector<double>& samples);

/// Time of a whole run, and how far its median can be trusted.
struct TotalTime {
    Spread us;
    /// Standard deviation of the medians of batches of iterations that were spread over the run.
    double noiseUs = 0;
    friend bool operator==(const TotalTime&, const TotalTime&) = default;
};

struct NodeTime {
    std::uint32_t node = 0; ///< index into ReplayRecording::nodes
    Spread us;
    friend bool operator==(const NodeTime&, const NodeTime&) = default;
};

/// A node that did not do at a replay what it did when it was recorded. From then on it runs Eager.
struct Divergence {
    std::uint32_t node = 0;
    std::uint64_t iteration = 0; ///< from 0
    std::string why;
    friend bool operator==(const Divergence&, const Divergence&) = default;
};

/// How one graph of a run did.
struct GraphRun {
    std::string plan; ///< the name that the recording was given
    TotalTime replay, eager;
    std::vector<NodeTime> nodes; ///< those that a replay runs, in the graph's order
    std::uint64_t nodeSamples = 0;
    /// Launches as the device itself timed them, where that was asked for and it can.
    std::optional<Spread> launchUs;
    std::vector<Divergence> divergences;
    friend bool operator==(const GraphRun&, const GraphRun&) = default;
};

/// What came of replaying one graph or several after each other, many times.
struct ReplayRun {
    std::uint64_t iterations = 0;
    TotalTime replay; ///< of all graphs together
    TotalTime eager;  ///< the same graphs run node by node; zero where that was not asked for
    /// Calls of PyTorch's allocator in all replays, by whatever thread: what a node takes that did otherwise
    /// than recorded, and what a kernel's worker threads take, which no plan can serve (attention does, on
    /// several).
    std::uint64_t allocatorCalls = 0;
    std::uint64_t verified = 0;  ///< replays that were held against an eager run, bit by bit
    std::uint64_t different = 0; ///< of those
    std::string difference;      ///< the first one, a sentence
    /// Replays that differ from an eager run as that differs from a second one: kernels that add up in no
    /// fixed order. They count as neither of the two.
    std::uint64_t undecided = 0;
    std::string undecidedWhy; ///< the first one, a sentence
    std::vector<GraphRun> graphs;
    friend bool operator==(const ReplayRun&, const ReplayRun&) = default;
};

[[nodiscard]] nlohmann::json toJson(const ReplayRun& run);
[[nodiscard]] Result<ReplayRun> replayRunFromJson(const nlohmann::json& document);

} // namespace dynascope::replay
