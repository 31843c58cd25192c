// SPDX-License-Identifier: BSD-3-Clause
//
// The method "ranks" (core/engine/wire/ranks.h): every rank records its graphs and replays them, in lock step.
#pragma once

#include "core/base/task.h"
#include "core/engine/server/server.h"
#include "core/engine/wire/ranks.h"

namespace dynascope::engine {

/// On the thread that owns all torch state; other threads run the ranks meanwhile, one at a time. Ranks that cannot go
/// on together are no failure: the reply says why.
[[nodiscard]] tl::expected<wire::RanksReply, Failure> ranksMethod(const wire::RanksRequest& said,
                                                                  const TaskContext& task);

} // namespace dynascope::engine
