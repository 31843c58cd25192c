// SPDX-License-Identifier: BSD-3-Clause
#include "core/profile/rows_by_subject.h"

#include <algorithm>

namespace dynascope::profile {

void RowsBySubject::mergeSteps(std::vector<std::pair<int, double>>& steps) {
    std::ranges::stable_sort(steps, {}, &std::pair<int, double>::first);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (kept > 0 && steps[kept - 1].first == steps[i].first)
            steps[kept - 1].second += steps[i].second;
        else
            steps[kept++] = steps[i];
    }
    steps.resize(kept);
}

} // namespace dynascope::profile
