// SPDX-License-Identifier: BSD-3-Clause
#include "core/profile/break_costs.h"

#include "core/profile/grouped.h"

#include <map>

namespace dynascope::profile {

namespace {

struct StepTimes {
    double all = 0;
    std::vector<double> bySteps;

    void add(const Row& row, std::size_t steps) {
        all += row.self;
        bySteps.resize(steps);
        addSteps(row, 1, bySteps);
    }
    [[nodiscard]] double inAStep() const { return bySteps.empty() ? all : medianOf(bySteps); }
};

struct Times {
    StepTimes all, eager, frame, guards;

    [[nodiscard]] StepTimes& part(const Row& row) {
        if (row.part == Part::Guards) return guards;
        return row.part == Part::AfterBreak && row.name == 0 ? frame : eager;
    }
};

} // namespace

std::vector<BreakCost> breakCosts(const Joined& joined) {
    const std::size_t steps = joined.profile->steps.size();
    std::map<int, Times> times;
    for (const Row& row : joined.rows) {
        if (row.brokenCompile < 0) continue;
        Times& of = times[row.brokenCompile];
        of.all.add(row, steps);
        of.part(row).add(row, steps);
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
        cost.inAStep = of.all.inAStep();
        cost.eager = of.eager.inAStep();
        cost.frame = of.frame.inAStep();
        cost.guards = of.guards.inAStep();
        cost.turns = turns[index];
        out.push_back(cost);
    }
    return out;
}

} // namespace dynascope::profile
