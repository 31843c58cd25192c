// SPDX-License-Identifier: BSD-3-Clause
#include "core/rederive/compile_rounds.h"

#include "core/inductor/compile_passes.h"
#include "core/passes/aot/metadata_text.h"
#include "core/session/compiled_by.h"

#include <algorithm>

namespace dynascope::engine {

using session::Stage;
using session::StagePtr;

StagePtr CompileRounds::sameRound(const Stage& like, std::string_view name) const {
    const auto found =
        std::find_if(m_compile.stages.begin(), m_compile.stages.end(), [&](const StagePtr& stage) {
            return stage->name == name && stage->attempt == like.attempt && stage->k == like.k;
        });
    return found == m_compile.stages.end() ? nullptr : *found;
}

StagePtr CompileRounds::jointFor(const Stage& forward) const {
    StagePtr out;
    for (const StagePtr& stage : m_compile.stages)
        if (stage->phase == session::Phase::Joint && stage->attempt == forward.attempt &&
            stage->content == session::Stage::Content::Graph && stage->k == forward.k)
            out = stage;
    // The trace does not print a joint graph after Inductor's passes; a recording of passes has it.
    if (out && out->name == "aot_joint_graph" && byInductor(m_compile) && !m_session.passRecordings.empty())
        if (StagePtr given =
                inductor::beginOf(inductor::passesOf(m_session, m_compile), "partition", forward.k))
            return given;
    return out;
}

StagePtr CompileRounds::beforeHooks(const StagePtr& stage, std::string_view name) const {
    const StagePtr before = sameRound(*stage, name);
    return before ? before : stage;
}

StagePtr CompileRounds::forwardOf(const Stage& joint) const {
    const StagePtr forward = sameRound(joint, "aot_forward_graph");
    return forward ? beforeHooks(forward, "aot_forward_graph_pre_saved_tensors_hooks") : nullptr;
}

std::string CompileRounds::metadataText(int attempt, int k) const {
    int seen = 0;
    for (const std::size_t index : m_compile.records) {
        const session::Record& record = m_session.records[index];
        if (record.type == "artifact:" + std::string(metadataRecord) && record.attempt == attempt &&
            seen++ == k)
            return record.payload.text();
    }
    return {};
}

std::vector<std::size_t> CompileRounds::staticInputs(const Stage& forward) const {
    std::vector<std::size_t> out;
    if (const auto metadata = passes::aot::readMetadataText(metadataText(forward.attempt, forward.k)))
        for (const passes::aot::InnerIndex i : metadata->staticInputs)
            out.push_back(i.value);
    return out;
}

} // namespace dynascope::engine
