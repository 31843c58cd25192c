// SPDX-License-Identifier: BSD-3-Clause
//
// What the nodes of a stage took: measured by a replay or a profile, and shown on its picture, its modules and its
// source lines.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>

namespace dynascope::computed {

/// What each node of a graph took in a run, by name, in microseconds.
struct NodeTimes {
    std::unordered_map<std::string, double> us;
    double most = 0, sum = 0;
    /// Of a profile: how much of what the graph took is joined to its nodes, 0 to 1. Nothing of a run of ours.
    std::optional<double> joined{};
    bool inParts = false; ///< some have an equal part of a kernel that computes several
    /// Names of the stages that were measured in place of this one, and whose times were passed on to its nodes; empty
    /// where the graph itself was.
    std::string passedOnFrom{};
};

} // namespace dynascope::computed
