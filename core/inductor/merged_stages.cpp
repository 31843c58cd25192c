// SPDX-License-Identifier: BSD-3-Clause
#include "core/inductor/merged_stages.h"

#include <algorithm>
#include <array>
#include <map>

namespace dynascope::inductor {

namespace {

using Stages = std::vector<session::StagePtr>;
using TracePhase = session::Phase;

constexpr std::array<TracePhase, 7> order{
    TracePhase::PreGrad,  TracePhase::Joint,           TracePhase::Inference,       TracePhase::Forward,
    TracePhase::Backward, TracePhase::PostGradForward, TracePhase::PostGradBackward};

std::size_t rankOf(TracePhase phase) {
    if (phase == TracePhase::Dynamo || phase == TracePhase::Export) return 0;
    return std::size_t(std::ranges::find(order, phase) - order.begin()) + 1;
}

/// Where stages of a phase are put: before its last traced one, else before the first of a later phase.
std::size_t placeOf(const Stages& stages, TracePhase phase) {
    for (std::size_t i = stages.size(); i-- > 0;)
        if (stages[i]->phase == phase) return i;
    const std::size_t rank = rankOf(phase);
    for (std::size_t i = 0; i < stages.size(); ++i)
        if (rankOf(stages[i]->phase) > rank) return i;
    return stages.size();
}

} // namespace

Result<session::SessionPtr> withPassStages(const session::Session& session, std::size_t index,
                                           const TaskContext& task) {
    CompilePasses passes = passesOf(session, session.compiles[index]);
    if (!passes.recording || passes.rows.empty())
        return failure("no recording of passes has compile " + session.compiles[index].id.toString(),
                       session.path);
    if (const auto read = addStages(passes, task); !read) return tl::unexpected(read.error());
    std::map<TracePhase, Stages> byPhase;
    for (const PassStage& stage : passes.stages)
        byPhase[stage.stage->phase].push_back(stage.stage);
    auto out = std::make_shared<session::Session>(session);
    Stages& stages = out->compiles[index].stages;
    for (const auto& [phase, own] : byPhase)
        stages.insert(stages.begin() + std::ptrdiff_t(placeOf(stages, phase)), own.begin(), own.end());
    return out;
}

} // namespace dynascope::inductor
