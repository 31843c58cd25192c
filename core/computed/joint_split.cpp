// SPDX-License-Identifier: BSD-3-Clause
#include "core/computed/joint_split.h"

#include "core/passes/match_in_order.h"
#include "core/passes/partition/captured_joint.h"
#include "core/rederive/partition_settings.h"
#include "core/rederive/saved_hooks.h"
#include "core/rederive/split_like.h"
#include "core/replay/coverage.h"
#include "core/replay/plan.h"
#include "core/session/compiled_by.h"
#include "core/session/symbol_hints.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace dynascope::computed {

namespace {

using passes::partition::Decision;
using session::Compile;
using session::Stage;
using session::StagePtr;

/// The last stage that fits: of the last attempt and round.
template <typename Fits>
StagePtr lastStage(const Compile& compile, const Fits& fits) {
    StagePtr out;
    for (const StagePtr& stage : compile.stages)
        if (stage->content == Stage::Content::Graph && fits(*stage)) out = stage;
    return out;
}

/// Saved-tensors hooks are inlined after the split: their record has the graph as it was before.
StagePtr capturedSide(const Compile& compile, const Stage& joint, const std::string& name) {
    const auto of = [&](const std::string& wanted) {
        return lastStage(compile, [&](const Stage& stage) {
            return stage.name == wanted && stage.attempt == joint.attempt && stage.k == joint.k;
        });
    };
    const StagePtr before = of(name + "_pre_saved_tensors_hooks");
    return before ? before : of(name);
}

StagePtr jointOf(const Compile& compile) {
    return lastStage(compile, [](const Stage& stage) { return stage.phase == session::Phase::Joint; });
}

std::vector<std::size_t> staticPrimals(const session::Session& session, const Compile& compile, int attempt) {
    for (auto record = compile.records.rbegin(); record != compile.records.rend(); ++record)
        if (*record < session.records.size() &&
            session.records.type(*record) == "artifact:aot_forward_graph_fw_metadata" &&
            session.records[*record].attempt == attempt)
            return replay::staticInputsOf(session.records[*record].payload.text());
    return {};
}

std::uint64_t peakOf(const ir::Graph& graph, const ir::SymbolValues& symbols) {
    const replay::GraphBlocks blocks = replay::blocksOf(graph, replay::defaultAlignment, symbols);
    return replay::planGreedyBySize(blocks.blocks).peakBytes;
}

void add(std::int64_t bytes, std::int64_t& to) {
    if (__builtin_add_overflow(to, bytes, &to)) to = std::numeric_limits<std::int64_t>::max();
}

void compareWithCaptured(CutSide& side) {
    const Result<ir::GraphPtr> captured =
        side.captured ? side.captured->graph() : Result<ir::GraphPtr>(nullptr);
    if (!captured || !*captured) return;
    passes::OrderedMatch match = passes::matchInOrder(**captured, *side.graph);
    side.isomorphic = match.same;
    side.difference = std::move(match.difference);
}

class JointSplitter {
public:
    JointSplitter(const session::Session& session, std::size_t compile, const TaskContext& task)
        : m_session(session)
        , m_compile(session.compiles[compile])
        , m_task(task) {
        m_out.compile = compile;
    }

    JointSplit run() {
        m_out.joint = jointOf(m_compile);
        if (!m_out.joint) return declined("the capture has no joint graph of this compile");
        const Result<ir::GraphPtr> graph = m_out.joint->graph();
        if (!graph) return declined("the joint graph cannot be read: " + graph.error().message);
        auto joint =
            passes::partition::capturedJoint(*graph, session::symbolHints(m_compile),
                                             staticPrimals(m_session, m_compile, m_out.joint->attempt));
        if (!joint) return declined(joint.error().message);
        if (m_task.cancelled()) return declined("cancelled");
        m_out.byInductor = session::byInductor(m_compile);
        m_out.forward.captured = capturedSide(m_compile, *m_out.joint, "aot_forward_graph");
        m_out.backward.captured = capturedSide(m_compile, *m_out.joint, "aot_backward_graph");
        auto split = engine::splitLike(*joint, m_out.forward.captured,
                                       m_out.byInductor ? nullptr : m_out.backward.captured,
                                       engine::partitionSettings(m_session, m_compile, m_out.joint->attempt));
        if (!split) return declined(split.error().message);
        if (m_task.cancelled()) return declined("cancelled");
        passes::partition::Partition* const parts = &split->parts;
        m_out.forward.graph = parts->forward;
        m_out.backward.graph = parts->backward;
        m_out.warnings = std::move(parts->warnings);
        if (!split->how.empty()) m_out.warnings.push_back(split->how);
        const auto hooks = engine::savedHooks(m_session, m_compile, m_out.joint->attempt, m_out.joint->k,
                                              staticPrimals(m_session, m_compile, m_out.joint->attempt),
                                              session::symbolHints(m_compile));
        m_out.hooked = hooks && *hooks;
        if (m_out.hooked) m_out.hooks = (*hooks)->note;
        if (m_out.hooked) engine::addHooks(**hooks, parts->decisions);
        if (hooks && !*hooks)
            m_out.warnings.push_back("saved-tensors hooks are not counted in: " + hooks->error().message);
        addValues(*parts);
        if (m_out.hooked) addPacked(**hooks);
        for (CutSide* side : {&m_out.forward, &m_out.backward}) {
            compareWithCaptured(*side);
            const ir::GraphPtr& runs = !m_out.hooked            ? side->graph
                                       : side == &m_out.forward ? (*hooks)->hooked.forward
                                                                : (*hooks)->hooked.backward;
            side->peakBytes = peakOf(*runs, session::symbolHints(m_compile));
            if (m_task.cancelled()) return declined("cancelled");
        }
        m_out.jointPeakBytes = peakOf(**graph, session::symbolHints(m_compile));
        return std::move(m_out);
    }

private:
    JointSplit declined(std::string why) {
        m_out.declined = std::move(why);
        return std::move(m_out);
    }

    void addValues(const passes::partition::Partition& parts) {
        const std::unordered_set<std::string_view> donated(parts.donated.begin(), parts.donated.end());
        const ir::Graph& forward = *parts.forward;
        for (const Decision& decision : parts.decisions) {
            CutValue& value = m_out.values.emplace_back();
            value.node = decision.node;
            value.bytes = decision.bytes;
            value.why = decision.why;
            value.recomputed = decision.kind == Decision::Kind::Recomputed;
            value.donated = donated.contains(decision.node);
            const ir::NodeIndex made = forward.find(decision.node);
            value.input = made != ir::npos && forward.node(made).op == ir::Op::Placeholder;
            if (value.recomputed)
                add(value.bytes, m_out.recomputedBytes);
            else if (value.input)
                add(value.bytes, m_out.inputBytes);
        }
        m_out.savedBytes = parts.savedBytes();
        addRows();
    }

    void addPacked(const engine::SavedHooks& hooks) {
        for (const passes::hooks::HookedValue& hooked : hooks.values) {
            const auto value = std::find_if(m_out.values.begin(), m_out.values.end(),
                                            [&](const CutValue& cut) { return cut.node == hooked.saved; });
            if (!hooked.packed || value == m_out.values.end() || value->recomputed) continue;
            value->packed = hooked.text;
            if (std::exchange(value->input, false)) m_out.inputBytes -= value->bytes;
        }
    }

    void addRows() {
        std::unordered_map<std::string_view, CutValue*> known;
        for (CutValue& value : m_out.values)
            known.emplace(value.node, &value);
        CutSide &forward = m_out.forward, &backward = m_out.backward;
        std::unordered_set<std::string_view> computed;
        for (ir::NodeIndex i = 0; i < forward.graph->size(); ++i) {
            const ir::Node& node = forward.graph->node(i);
            const auto value = known.find(node.name);
            if (node.op == ir::Op::Output || (node.op == ir::Op::Placeholder && value == known.end()))
                continue;
            if (node.op != ir::Op::Placeholder) computed.insert(node.name);
            if (value != known.end()) value->second->forwardRow = forward.rows.size();
            forward.rows.push_back(i);
            forward.again.push_back(false);
        }
        for (ir::NodeIndex i = 0; i < backward.graph->size(); ++i) {
            const ir::Node& node = backward.graph->node(i);
            const bool isInput = node.op == ir::Op::Placeholder;
            // What is saved arrives as an input; the lines across the cut stand for it.
            if (node.op == ir::Op::Output || (isInput && known.contains(node.name))) continue;
            for (const ir::NodeIndex input : backward.graph->inputs(i))
                if (const auto value = known.find(backward.graph->node(input).name); value != known.end())
                    if (auto& rows = value->second->backwardRows;
                        rows.empty() || rows.back() != backward.rows.size())
                        rows.push_back(backward.rows.size());
            backward.rows.push_back(i);
            backward.again.push_back(!isInput && computed.contains(node.name));
        }
    }

    const session::Session& m_session;
    const Compile& m_compile;
    const TaskContext& m_task;
    JointSplit m_out;
};

} // namespace

std::vector<std::size_t> trainingCompiles(const session::Session& session) {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < session.compiles.size(); ++i)
        if (jointOf(session.compiles[i])) out.push_back(i);
    return out;
}

JointSplit splitJoint(const session::Session& session, std::size_t compile, const TaskContext& task) {
    return JointSplitter(session, compile, task).run();
}

} // namespace dynascope::computed
