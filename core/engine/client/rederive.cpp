// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/client/rederive.h"

#include "core/passes/match_in_order.h"
#include "core/passes/partition/captured_joint.h"
#include "core/session/symbol_hints.h"

#include <algorithm>
#include <charconv>

namespace dynascope::engine {

namespace {

using session::Compile;
using session::StagePtr;

/// "static_input_indices=[0, 1]" of the metadata's text: parameters and buffers.
std::vector<std::size_t> staticInputs(const session::Session& session, const Compile& compile, int attempt) {
    constexpr std::string_view key = "static_input_indices=[";
    std::vector<std::size_t> out;
    for (const std::size_t index : compile.records) {
        const session::Record& record = session.records[index];
        if (record.type != "artifact:aot_forward_graph_fw_metadata" || record.attempt != attempt) continue;
        const std::string text = record.payload.text();
        const std::size_t start = text.find(key);
        if (start == std::string::npos) continue;
        const std::size_t end = text.find(']', start);
        for (const char *at = text.data() + start + key.size(),
                        *last = text.data() + std::min(end, text.size());
             at < last; ++at) {
            std::size_t value = 0;
            const auto [next, status] = std::from_chars(at, last, value);
            if (status != std::errc()) continue;
            out.push_back(value);
            at = next;
        }
    }
    return out;
}

class CompileDeriver {
public:
    CompileDeriver(const session::Session& session, const Compile& compile, std::vector<RederivedStage>& out)
        : m_session(session)
        , m_compile(compile)
        , m_out(out) {}

    void run() {
        for (const StagePtr& forward : m_compile.stages) {
            if (forward->name != "aot_forward_graph") continue;
            const StagePtr joint = jointFor(*forward);
            const StagePtr backward = sameRound(*forward, "aot_backward_graph");
            divide(joint, beforeHooks(forward, "aot_forward_graph_pre_saved_tensors_hooks"),
                   backward ? beforeHooks(backward, "aot_backward_graph_pre_saved_tensors_hooks") : nullptr);
        }
    }

private:
    [[nodiscard]] bool byInductor() const {
        return std::any_of(m_compile.stages.begin(), m_compile.stages.end(), [](const StagePtr& stage) {
            return stage->phase >= session::Phase::PostGradForward && stage->phase <= session::Phase::Code;
        });
    }

    [[nodiscard]] StagePtr sameRound(const session::Stage& like, std::string_view name) const {
        const auto found =
            std::find_if(m_compile.stages.begin(), m_compile.stages.end(), [&](const StagePtr& stage) {
                return stage->name == name && stage->attempt == like.attempt && stage->k == like.k;
            });
        return found == m_compile.stages.end() ? nullptr : *found;
    }

    /// What the partitioner was given: the last joint graph, after Inductor's joint passes where these ran.
    [[nodiscard]] StagePtr jointFor(const session::Stage& forward) const {
        StagePtr out;
        for (const StagePtr& stage : m_compile.stages)
            if (stage->phase == session::Phase::Joint && stage->attempt == forward.attempt &&
                stage->content == session::Stage::Content::Graph && stage->k == forward.k)
                out = stage;
        return out;
    }

    /// Saved-tensors hooks are inlined after the split; their record holds the graphs as they were before.
    [[nodiscard]] StagePtr beforeHooks(const StagePtr& stage, std::string_view name) const {
        const StagePtr before = sameRound(*stage, name);
        return before ? before : stage;
    }

    RederivedStage& begin(const session::Stage& stage, const StagePtr& joint) {
        RederivedStage& out = m_out.emplace_back();
        out.compile = m_compile.id.toString();
        out.rank = m_compile.rank;
        out.stage = stage.label();
        if (joint) out.from = joint->label();
        return out;
    }

    void decline(const StagePtr& joint, const StagePtr& forward, const StagePtr& backward,
                 const std::string& why) {
        for (const StagePtr& stage : {forward, backward}) {
            if (!stage) continue;
            RederivedStage& out = begin(*stage, joint);
            out.verdict = Rederived::Declined;
            out.reason = why;
        }
    }

    void divide(const StagePtr& joint, const StagePtr& forward, const StagePtr& backward) {
        if (!joint) return decline(joint, forward, backward, "the capture holds no joint graph");
        const auto graph = joint->graph();
        if (!graph) return decline(joint, forward, backward, graph.error().message);
        const auto described = passes::partition::capturedJoint(
            *graph, session::symbolHints(m_compile), staticInputs(m_session, m_compile, forward->attempt));
        if (!described) return decline(joint, forward, backward, described.error().message);
        const auto parts = passes::partition::minCutPartition(*described);
        if (!parts) return decline(joint, forward, backward, parts.error().message);
        compare(joint, *forward, *parts->forward);
        m_out.back().decisions = parts->decisions;
        if (backward) compare(joint, *backward, *parts->backward);
    }

    void compare(const StagePtr& joint, const session::Stage& stage, const ir::Graph& derived) {
        RederivedStage& out = begin(stage, joint);
        const auto captured = stage.graph();
        if (!captured) {
            out.verdict = Rederived::Declined;
            out.reason = captured.error().message;
            return;
        }
        passes::OrderedMatch match = passes::matchInOrder(**captured, derived);
        out.verdict = match.same ? Rederived::Isomorphic : Rederived::Different;
        out.reason = std::move(match.difference);
        if (!match.same && joint->name == "aot_joint_graph" && byInductor()) {
            out.verdict = Rederived::Declined;
            out.reason =
                "Inductor changed the joint graph before it was split, and the capture does not hold "
                "what came of it; first difference: " +
                out.reason;
        }
        out.nodes = (*captured)->size();
        out.matched = match.matched;
        out.captured = std::move(match.expected);
        out.got = std::move(match.got);
    }

    const session::Session& m_session;
    const Compile& m_compile;
    std::vector<RederivedStage>& m_out;
};

} // namespace

std::string_view rederivedName(Rederived verdict) {
    switch (verdict) {
    case Rederived::Isomorphic:
        return "isomorphic";
    case Rederived::Different:
        return "different";
    case Rederived::Declined:
        return "declined";
    }
    return {};
}

std::vector<RederivedStage> rederive(const session::Session& session) {
    std::vector<RederivedStage> out;
    for (const Compile& compile : session.compiles)
        CompileDeriver(session, compile, out).run();
    return out;
}

} // namespace dynascope::engine
