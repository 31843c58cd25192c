// SPDX-License-Identifier: BSD-3-Clause
//
// What the nodes of graphs took in a profile, for pictures of those graphs to be tinted by.
#pragma once

#include "core/base/task.h"
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

    /// Stages that were measured, where this one was not: the nodes have the times of those that came of them there, a
    /// node that came of several an equal part. Into Compile::stages, rising; empty where the graph itself was measured.
    std::vector<int> passedOnFrom;

    [[nodiscard]] double share() const { return all > 0 ? joined / all : 0; }
};

/// Of graphs with a node that is known, in the order of compiles and stages. A row takes part with the nodes that
/// Facts has for it, so each by the evidence that is said there.
[[nodiscard]] std::vector<StageTimes> stageTimes(Facts& facts);

/// Times of graphs that did not run as they are: what was measured of the graphs that came of them, passed on by
/// session::Provenance. `joined` is less by what came of no node that is known, so that nothing is passed on twice and
/// no sum is above what was measured. Takes as long as aligning the stages of each compile; a task that was cancelled
/// gets what is there so far.
[[nodiscard]] std::vector<StageTimes> passedOn(const session::SessionPtr& session,
                                               const std::vector<StageTimes>& measured,
                                               const TaskContext& task);

} // namespace dynascope::profile
