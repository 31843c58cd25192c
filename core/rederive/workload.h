// SPDX-License-Identifier: BSD-3-Clause
//
// What to replay of a capture, and the way to have the engine do it: one graph, or all that was compiled,
// frames in recorded order and then their backwards from the last to the first, as autograd runs them.
#pragma once

#include "core/engine/client/client.h"
#include "core/ir/symbol_value.h"
#include "core/replay/live_events.h"
#include "core/replay/recording.h"
#include "core/session/session.h"

#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

namespace dynascope::engine {

/// One graph of a workload.
struct WorkloadGraph {
    /// Memory that it shares with a graph before it.
    struct Wire {
        std::size_t input = 0; ///< position among its inputs
        std::size_t graph = 0; ///< index of the earlier graph
        std::size_t item = 0;  ///< position among that one's outputs, or inputs
        bool ofInputs = false;
    };
    std::string name;    ///< "0/0 forward"
    ir::Address address; ///< of the stage
    ir::GraphPtr graph;
    nlohmann::json inputs;     ///< in the form of a case, seeded
    nlohmann::json attributes; ///< null where the capture has none
    std::vector<Wire> wires;
    /// Parameters, buffers and what else PyTorch counts as static (static_input_indices): their content
    /// lasts.
    std::vector<std::size_t> kept;
    bool isBackward = false;
};

struct Workload {
    std::vector<WorkloadGraph> graphs;
    std::vector<std::string> left;       ///< graphs that cannot be part of it: name and why, a line each
    std::vector<ir::Address> leftStages; ///< of each of those
};

/// The graph as the engine reads it.
[[nodiscard]] std::string textOf(const WorkloadGraph& graph);

/// All compiled graphs of a capture, with inputs as it describes them. What a forward saves is what its
/// backward reads, in the same memory; a frame that goes on after a graph break takes what the one before it
/// returned; and a parameter or buffer is the same tensor in every graph of a function. Inputs of one rank are those of
/// the others, or other values with `valuesByRank`.
[[nodiscard]] Workload workloadOf(const session::Session& session, const ir::SymbolValues& symbols = {},
                                  bool valuesByRank = false);

/// What a workload that cannot be run is answered with.
[[nodiscard]] inline CallError cannotRun(std::string why) {
    return {CallError::Kind::Refused, std::move(why), static_cast<int>(ErrorCode::Failed), {}};
}

struct WorkloadRun;

struct WorkloadOptions {
    std::uint64_t iterations = 100;
    std::uint64_t nodeIterations = 100;
    std::uint64_t verifyEvery = 0;
    int threads = 0; ///< 0: the engine chooses
    std::string backend = "cpu";
    bool oneDnn = true;          ///< on a CPU: whether ops may use its kernels
    std::string times = "nodes"; ///< what nodeIterations measure: "nodes", "launch" or "both"
    /// How often every graph is recorded anew on copies of its inputs before it is replayed.
    std::uint64_t rerecords = 0;
    /// Hears that the graphs are recorded, before they are replayed; `soFar.run` is empty. On the caller's
    /// thread.
    std::function<void(const WorkloadRun& soFar)> onRecorded = {};
    /// Takes what happens in the replays while they run, 30 times a second and sooner where there is much,
    /// none left out. ReplayEvent::graph is an index into WorkloadRun::graphs. On the client's reader thread; a
    /// slow one slows the replays down.
    std::function<void(std::span<const replay::ReplayEvent>)> onEvents = {};
};

/// What came of it. `recordings` go with `run.graphs`.
struct WorkloadRun {
    std::vector<std::size_t> graphs; ///< indices into Workload::graphs of those that were replayed
    std::vector<replay::ReplayRecording> recordings;
    /// By graph: every time that it was recorded anew, how long that took and what came of it.
    struct Rerecorded {
        double us = 0;
        replay::Rerecording how;
    };
    std::vector<std::vector<Rerecorded>> rerecordings;
    replay::ReplayRun run;         ///< GraphRun::plan is WorkloadGraph::name
    std::vector<std::string> left; ///< those that could not be recorded, and why
};

/// Records every graph, replays them together and drops the recordings. A graph that cannot be recorded is
/// left out, as is what reads its results. Fails where the engine does, and where nothing is left.
[[nodiscard]] tl::expected<WorkloadRun, CallError> runWorkload(Client& client, const Workload& workload,
                                                               const WorkloadOptions& options,
                                                               const TaskContext& task = {});

} // namespace dynascope::engine
