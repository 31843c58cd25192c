// SPDX-License-Identifier: BSD-3-Clause
//
// How a frame would have fewer cache entries, one sentence for each guard that failed.
#pragma once

#include "core/dynamo/recompiles.h"

#include <string>
#include <vector>

namespace dynascope::dynamo {

/// By the guard alone; empty where there is nothing to do.
[[nodiscard]] std::string adviceFor(const FailedGuard& guard);
/// By what was compiled for the call that failed them: sets `advice` where that tells more. Expects `actual`
/// to be complete.
void adviseBy(const session::Compile& made, std::vector<FailedGuard>& guards);

} // namespace dynascope::dynamo
