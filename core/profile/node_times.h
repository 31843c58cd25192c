// SPDX-License-Identifier: BSD-3-Clause
//
// What the nodes of graphs took in a profile, for pictures of those graphs to be tinted by.
#pragma once

#include "core/profile/facts.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace dynascope::profile {

/// Of one graph. Times are nanoseconds: the median of steps, or where there are none, of the whole profile.
struct StageTimes {
    int compile = -1, stage = -1;                  ///< into Session::compiles and Compile::stages
    std::unordered_map<std::string, double> nodes; ///< by name; those that no row is joined to are not there
    bool inParts =
        false; ///< a kernel computes several nodes: each has an equal part, since nothing says which
    double joined = 0,
           all = 0; ///< of what its calls took in kernels and operators, in all steps: of known nodes; whole

    [[nodiscard]] double share() const { return all > 0 ? joined / all : 0; }
};

/// Of graphs with a node that is known, in the order of compiles and stages. A row takes part with the nodes that
/// Facts has for it, so each by the evidence that is said there.
[[nodiscard]] std::vector<StageTimes> stageTimes(Facts& facts);

} // namespace dynascope::profile
