// SPDX-License-Identifier: BSD-3-Clause
//
// What a recording of passes says of one compile of a capture: its passes as rows, and the graphs between them as
// stages like those of the trace.
#pragma once

#include "core/inductor/pass_recording.h"

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::inductor {

/// A pass, a change that was found between passes, or a graph that a partition made.
struct PassRow {
    const PassPhase* phase = nullptr;    ///< never null
    const RecordedPass* pass = nullptr;  ///< null for what no pass did
    std::uint32_t before = 0, after = 0; ///< states; equal where nothing changed
    std::size_t nodesBefore = 0, nodesAfter = 0;
    const Change* change = nullptr; ///< never null
    int depth = 0;                  ///< of passes around it
    /// Of a graph that a partition made: "forward" or "backward". `before` is the joint graph and `change` is empty, since
    /// the nodes of the parts are copies.
    std::string_view part = {};

    [[nodiscard]] bool changed() const { return before != after; }
    /// "remove_noop_ops", "between passes", "split: forward".
    [[nodiscard]] std::string name() const {
        return pass ? pass->name : part.empty() ? "between passes" : "split: " + std::string(part);
    }
};

/// A graph as a pass left it, or as a phase began with it.
struct PassStage {
    std::uint32_t state = 0;
    const PassPhase* phase = nullptr;
    session::StagePtr stage; ///< "post_grad/remove_noop_ops", "joint/start", "inductor/between_passes"
};

/// Of one compile. Pointers are into the recording.
struct CompilePasses {
    PassRecordingPtr recording;    ///< null where no recording holds the compile
    std::vector<PassRow> rows;     ///< in the order in which they began
    std::vector<PassStage> stages; ///< in the order in which they came to be
    /// Of rows whose pass gave back a copy of its graph (fx_graph_cse): what differs by the names of nodes, since all of
    /// a copy's nodes have numbers of their own.
    std::shared_ptr<const std::deque<Change>> copied;

    /// Of the stage with this state; -1 where there is none.
    [[nodiscard]] int stageOf(std::uint32_t state) const;
};

/// Of the stages of a trace, where graphs of a recorded phase stand.
[[nodiscard]] session::Phase tracePhaseOf(const PassPhase& phase);
/// Of the graph that a row left.
[[nodiscard]] session::Phase tracePhaseOf(const PassRow& row);

/// The passes of a compile of the session, without stages. A process begins its compile ids again after
/// torch._dynamo.reset(): compiles of one id are told apart by their order or, where a cache served some of them, by the
/// graphs that trace and recording both have. None where neither tells.
[[nodiscard]] CompilePasses passesOf(const session::Session& session, const session::Compile& compile);

/// Fills `stages`, which takes reading the text of every state.
[[nodiscard]] Result<void> addStages(CompilePasses& passes, const TaskContext& task = {});

/// The compile with the stages of addStages() in the place of its own, for views of stages.
[[nodiscard]] session::Compile compileOf(const CompilePasses& passes, const session::Compile& compile);

/// The graph that the phases of this name began with, the k-th of them; null where there is none, or it cannot be read.
[[nodiscard]] session::StagePtr beginOf(const CompilePasses& passes, std::string_view phase, int k);

/// "+13 -48 ~4 renamed 2 moved": nodes made, removed and changed; empty where only the text differs.
[[nodiscard]] std::string changeText(const Change& change);

/// What the scheduler did with the graphs of the compile, in order.
[[nodiscard]] std::vector<const Schedule*> schedulesOf(const CompilePasses& passes);

/// The compiles of a recording that is opened without a trace. They have no stages: what a trace says besides its graphs
/// (which inputs stay where they are, guards) is not known, and what is answered from stages needs it.
[[nodiscard]] std::vector<session::Compile> compilesIn(const PassRecording& recording);

/// How a node came to be what it is in a state: each row that made, renamed, changed or removed it, up to that state.
/// `id` is the recorder's number of the node.
struct NodeStep {
    enum class What { Made, Renamed, Changed, Removed } what = What::Made;
    std::size_t row = 0;       ///< index into CompilePasses::rows
    std::vector<NodeRef> from; ///< of Made: nodes that it took the uses of; of Removed: what took its uses
};
[[nodiscard]] std::vector<NodeStep> historyOf(const CompilePasses& passes, std::uint64_t id);

} // namespace dynascope::inductor
