// SPDX-License-Identifier: BSD-3-Clause
//
// What the groups of graph breaks cost at run time, by the capture's profile.
#pragma once

#include "core/profile/join.h"
#include "core/session/breaks.h"
#include "views/breaks/reasons_model.h"
#include "views/workspace/workspace.h"

#include <optional>
#include <vector>

namespace dynascope::views {

/// Microseconds by group, in a step; nothing for what did not come in the profile. Linear in the
/// rows: for a worker.
[[nodiscard]] std::vector<std::optional<BreakRunTime>> breakRunTimes(const profile::Joined& joined,
                                                                     const session::BreakSummary& breaks);

/// Gives them to a model of the current capture's groups, once a worker has them (tag "breaks.profile").
void showBreakRunTimes(Workspace& workspace, ReasonsModel& model);

} // namespace dynascope::views
