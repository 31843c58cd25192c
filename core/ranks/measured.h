// SPDX-License-Identifier: BSD-3-Clause
//
// What profiles of the ranks add to the report on them.
#pragma once

#include "core/profile/rank_times.h"
#include "core/ranks/ranks.h"

namespace dynascope::ranks {

/// Adds a reason (RanksVerdict::Slower) for each collective that one rank comes last to while others wait in it: by more than
/// the noise between their steps, and by more than a twentieth of a step. Of profiles without steps none.
void addMeasured(const session::Session& session, const profile::RankTimes& times, Report& report);

/// examine(), and the same with what the session's profiles measured.
[[nodiscard]] Result<Report> examineMeasured(const session::Session& session, const TaskContext& task = {});

} // namespace dynascope::ranks
