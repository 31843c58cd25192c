// SPDX-License-Identifier: BSD-3-Clause
#include "core/inductor/stage_passes.h"

#include <algorithm>
#include <map>

namespace dynascope::inductor {

std::vector<StagePasses> passesByStage(const CompilePasses& passes, const session::Compile& compile) {
    std::map<session::Phase, std::size_t> lastOf;
    for (std::size_t i = 0; i < compile.stages.size(); ++i) {
        const session::Stage& stage = *compile.stages[i];
        if (stage.attempt != compile.stages.front()->attempt) return {};
        if (stage.content == session::Stage::Content::Graph) lastOf[stage.phase] = i;
    }
    std::map<std::size_t, StagePasses> byStage;
    for (std::size_t row = 0; row < passes.rows.size(); ++row) {
        const PassRow& pass = passes.rows[row];
        if (!pass.changed() || pass.depth > 0 || tracePhaseOf(pass) == session::Phase::Text) continue;
        const auto at = lastOf.find(tracePhaseOf(pass));
        if (at == lastOf.end()) continue;
        StagePasses& out = byStage[at->second];
        out.stage = at->second;
        out.rows.push_back(row);
    }
    std::vector<StagePasses> out;
    for (auto& [stage, found] : byStage)
        out.push_back(std::move(found));
    return out;
}

} // namespace dynascope::inductor
