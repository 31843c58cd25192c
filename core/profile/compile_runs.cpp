// SPDX-License-Identifier: BSD-3-Clause
#include "core/profile/compile_runs.h"

#include "core/profile/grouped.h"

namespace dynascope::profile {

std::vector<CompileRun> compileRuns(const Joined& joined) {
    if (joined.regions.all == 0) return {};
    const std::size_t steps = joined.profile->steps.size();
    std::vector<CompileRun> out(joined.session->compiles.size());
    std::vector<std::vector<double>> times(out.size());
    for (const Row& row : joined.rows) {
        if (row.compile < 0) continue;
        CompileRun& of = out[static_cast<std::size_t>(row.compile)];
        if (row.part == Part::Frame) of.runs += row.count;
        of.all += row.self;
        std::vector<double>& inSteps = times[static_cast<std::size_t>(row.compile)];
        inSteps.resize(steps);
        addSteps(row, 1, inSteps);
    }
    if (steps > 0)
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i].inAStep = medianOf(std::move(times[i]));
    return out;
}

} // namespace dynascope::profile
