// SPDX-License-Identifier: BSD-3-Clause
//
// What the page Ranks shows, worked out on a worker: the report on a session's ranks, with the flight-recorder dumps
// that lie beside the capture or were attached, and what caches said by compile. Pure but for reading the dumps.
#pragma once

#include "core/base/result.h"
#include "core/base/task.h"
#include "core/profile/rank_times.h"
#include "core/ranks/flight.h"
#include "core/session/session.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace dynascope::views {

/// One cache in one compile: which ranks it served, by "hit", "miss", ...
struct CacheRow {
    std::string compile, cache;
    std::map<std::string, std::vector<int>> ranks; ///< by the last word on it
    std::vector<int> others;                       ///< that have the compile and no word of this cache
};

struct RanksReading {
    session::SessionPtr session;
    ranks::Report report; ///< refers to `session`
    std::vector<CacheRow> caches;
    profile::RankTimes times;          ///< of no rank where none has a profile
    std::string flight;                ///< where the dumps come from: a folder; empty where there are none
    std::size_t dumps = 0;             ///< ranks of which there is one
    std::vector<std::string> problems; ///< of dumps, a sentence each

    /// Of the first rank of a group, which ranks::Report::ranks has: its index there, into what a row has by rank.
    [[nodiscard]] std::size_t indexOf(const std::vector<int>& group) const;
};
using RanksReadingPtr = std::shared_ptr<const RanksReading>;

/// `flight` is a folder or file of dumps; where it is empty those beside the capture count. Null where `task` was
/// cancelled.
[[nodiscard]] RanksReadingPtr readRanks(const session::SessionPtr& session, const std::string& flight,
                                        const TaskContext& task);

} // namespace dynascope::views
