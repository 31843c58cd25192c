// SPDX-License-Identifier: BSD-3-Clause
//
// All that is known of a session's ranks: the report on them, with the flight-recorder dumps that lie beside the capture
// or were attached, what their profiles measured, and what caches said by compile. Pure but for reading the dumps.
#pragma once

#include "core/base/result.h"
#include "core/base/task.h"
#include "core/profile/rank_times.h"
#include "core/ranks/caches.h"
#include "core/ranks/compile_times.h"
#include "core/ranks/flight.h"
#include "core/ranks/ranks.h"
#include "core/session/session.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace dynascope::capture {

struct RanksReading {
    session::SessionPtr session;
    ranks::Report report; ///< refers to `session`
    std::vector<ranks::CacheRow> caches;
    ranks::CompileTimes compileTimes;  ///< when each rank compiled what
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

} // namespace dynascope::capture
