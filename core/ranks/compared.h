// SPDX-License-Identifier: BSD-3-Clause
//
// Ranks compared pair by pair, with the verdict of examine(): what `compare` says of ranks and what `ranks` says of them is
// one thing. Pure; any thread.
#pragma once

#include "core/compare/compare.h"
#include "core/ranks/ranks.h"

namespace dynascope::ranks {

/// compare::compareRanks() as evidence for what examine() finds: a compile whose graphs are alike and of which there is no
/// reason is the same, whatever guards and texts say; one that will hang says why; a run apart is left out. The only Error is
/// cancellation().
[[nodiscard]] Result<compare::RankComparison> compareRanks(const session::Session& session,
                                                           const TaskContext& task = {});

} // namespace dynascope::ranks
