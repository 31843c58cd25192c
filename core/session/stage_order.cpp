// SPDX-License-Identifier: BSD-3-Clause
#include "core/session/stage_order.h"

#include "core/session/session.h"

#include <algorithm>

namespace dynascope::session {

namespace {

/// Phases that may feed a phase, nearest first; an unset entry ends the list.
std::vector<Phase> feeders(Phase phase) {
    switch (phase) {
    case Phase::Dynamo:
    case Phase::Text:
        return {};
    case Phase::Export:
        return {Phase::Dynamo, Phase::Text};
    case Phase::PreGrad:
        return {Phase::Dynamo, Phase::Export, Phase::Text};
    case Phase::Joint:
    case Phase::Inference:
        return {Phase::PreGrad, Phase::Dynamo, Phase::Export, Phase::Text};
    case Phase::Hooks:
        return {Phase::Joint};
    case Phase::Forward:
    case Phase::Backward:
        return {Phase::Joint, Phase::PreGrad, Phase::Dynamo, Phase::Text};
    case Phase::PostGradForward:
        return {Phase::Forward, Phase::Inference, Phase::Joint};
    case Phase::PostGradBackward:
        return {Phase::Backward, Phase::Joint};
    case Phase::Code:
        return {Phase::PostGradBackward, Phase::PostGradForward, Phase::Backward, Phase::Forward};
    case Phase::Computed:
        return {};
    }
    return {};
}

/// The last stage before `end` of that phase and, where there is one, of that attempt.
int lastOf(const Compile& compile, Phase phase, int attempt, int end) {
    int other = -1;
    for (int i = end - 1; i >= 0; --i) {
        const Stage& s = *compile.stages[std::size_t(i)];
        if (s.phase != phase) continue;
        if (s.attempt == attempt) return i;
        other = std::max(other, i);
    }
    return other;
}

} // namespace

int predecessor(const Compile& compile, int stage) {
    if (stage <= 0 || stage >= int(compile.stages.size())) return -1;
    const Stage& s = *compile.stages[std::size_t(stage)];
    const Stage& before = *compile.stages[std::size_t(stage) - 1];
    if (before.phase == s.phase && before.attempt == s.attempt && s.phase != Phase::Code) return stage - 1;
    for (Phase phase : feeders(s.phase)) {
        const int found = lastOf(compile, phase, s.attempt, stage);
        if (found < 0) continue;
        // Each output code belongs to one post-grad phase: forward's comes first where there are both.
        if (s.phase == Phase::Code && phase == Phase::PostGradBackward && s.k == 0) {
            const int forward = lastOf(compile, Phase::PostGradForward, s.attempt, stage);
            const bool severalCodes =
                std::any_of(compile.stages.begin() + stage + 1, compile.stages.end(),
                            [&](const StagePtr& t) { return t->phase == Phase::Code && t->name == s.name; });
            if (forward >= 0 && severalCodes) return forward;
        }
        return found;
    }
    return stage - 1;
}

std::pair<int, int> defaultStages(const Compile& compile) {
    const int count = int(compile.stages.size());
    int a = -1, b = -1;
    for (int i = 0; i < count && b < 0; ++i) {
        const Stage& s = *compile.stages[std::size_t(i)];
        if (s.content != Stage::Content::Graph) continue;
        if (a < 0)
            a = i;
        else if (s.phase >= Phase::Joint)
            b = i;
    }
    for (int i = a + 1; a >= 0 && b < 0 && i < count; ++i)
        if (compile.stages[std::size_t(i)]->content == Stage::Content::Graph) b = i;
    if (a < 0 && count > 0) a = 0;
    if (b < 0) b = a;
    return {a, b};
}

int bestCompile(const Session& session) {
    int best = session.compiles.empty() ? -1 : 0;
    std::ptrdiff_t most = -1;
    for (std::size_t i = 0; i < session.compiles.size(); ++i) {
        const auto& stages = session.compiles[i].stages;
        const auto graphs = std::count_if(stages.begin(), stages.end(), [](const StagePtr& s) {
            return s->content == Stage::Content::Graph;
        });
        if (graphs > most) {
            most = graphs;
            best = int(i);
        }
    }
    return best;
}

} // namespace dynascope::session
