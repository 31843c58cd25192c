// SPDX-License-Identifier: BSD-3-Clause
#include "core/profile/break_costs.h"

#include "core/profile/grouped.h"

#include <map>

namespace dynascope::profile {

std::vector<BreakCost> breakCosts(const Joined& joined) {
    const std::size_t steps = joined.profile->steps.size();
    struct Times {
        double all = 0;
        std::vector<double> bySteps;
    };
    std::map<int, Times> times;
    for (const Row& row : joined.rows) {
        if (row.brokenCompile < 0) continue;
        Times& of = times[row.brokenCompile];
        of.all += row.self;
        of.bySteps.resize(steps);
        addSteps(row, 1, of.bySteps);
    }
    std::map<int, std::size_t> turns;
    for (const auto& [region, time] : joined.graphEnds)
        if (const std::uint32_t row = joined.rowOf[region]; row != none) ++turns[joined.rows[row].compile];
    std::vector<BreakCost> out;
    for (auto& [index, of] : times) {
        const session::Compile& compile = joined.session->compiles[static_cast<std::size_t>(index)];
        const auto breaks = compile.finalBreaks();
        if (breaks.empty()) continue;
        BreakCost cost;
        cost.compile = index;
        cost.graphBreak = static_cast<std::size_t>(breaks.back() - compile.breaks.data());
        cost.inAStep = steps == 0 ? of.all : medianOf(std::move(of.bySteps));
        cost.turns = turns[index];
        out.push_back(cost);
    }
    return out;
}

} // namespace dynascope::profile
