// SPDX-License-Identifier: BSD-3-Clause
//
// What the profiles of a capture's ranks measured, side by side: what each compile took without its collectives, how long
// each rank was in each collective, and how much of a GPU's communication nothing else ran beside.
#pragma once

#include "core/profile/facts.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dynascope::profile {

/// Nanoseconds by rank, ranks rising: in a step, the median over a rank's steps; of a profile without steps, in all.
struct ByRank {
    std::vector<std::pair<int, double>> ns;
    /// The largest median deviation between the steps of one rank; nothing where a rank has fewer than three.
    std::optional<double> noise = 0;

    void add(int rank, double time, std::optional<double> deviation);
    [[nodiscard]] const std::pair<int, double>& least() const; ///< not of an empty list
    [[nodiscard]] const std::pair<int, double>& most() const;
    [[nodiscard]] double apart() const { return most().second - least().second; }
    /// By more than twice the noise, so that it means something which rank is which.
    [[nodiscard]] bool isApart() const { return ns.size() > 1 && noise && apart() > 2 * *noise; }
};

/// Kernels and nodes of one compile, but for collectives. On GPUs theirs, else the CPU's.
struct MeasuredCompile {
    std::string compile; ///< "0/0"
    ByRank time;
};

/// A collective of a graph, with the wait for it. All ranks leave it at about the same time, so that the one that is in
/// it the shortest came last, and the others waited for it.
struct MeasuredCollective {
    std::string compile, node; ///< "all_reduce", as its graph names it
    std::string file;          ///< of the program; empty where it is not known
    std::uint32_t line = 0;
    ByRank time;
    /// By rank, where the node is: into Session::compiles and Compile::stages.
    std::map<int, std::pair<std::size_t, std::size_t>> places;
};

/// NCCL's kernels of one rank, over the whole profile.
struct MeasuredCommunication {
    int rank = 0;
    std::string device;
    double all = 0, exposed = 0; ///< nanoseconds; exposed: while no other kernel ran on that device
};

struct RankTimes {
    std::vector<int> ranks; ///< that have a profile, rising; of several profiles of one the first counts
    ByRank step;            ///< of those that have steps
    std::vector<MeasuredCompile> compiles;       ///< in the order of the first rank's
    std::vector<MeasuredCollective> collectives; ///< those that ranks spend the most different times in first
    std::vector<MeasuredCommunication> communication;
};

/// Profiles that do not say their rank are left out. Joins each profile, one after the other; an Error where the task was
/// cancelled.
[[nodiscard]] Result<RankTimes> rankTimes(const session::SessionPtr& session, const TaskContext& task = {});

} // namespace dynascope::profile
