// SPDX-License-Identifier: BSD-3-Clause
//
// What ranks that ran in lock step did, for the terminal and as JSON.
#pragma once

#include "core/rederive/ranks_workload.h"

#include <nlohmann/json.hpp>
#include <string>

namespace dynascope::cli {

/// A row for each rank, one for each collective, then sums or why the ranks could not go on.
[[nodiscard]] std::string ranksText(const engine::RanksWorkload& workload, const wire::RanksReply& done);
/// Why they could not go on together, a line for each rank that waits.
[[nodiscard]] std::string ranksFailureText(const engine::RanksWorkload& workload,
                                           const wire::RanksFailure& failure);
[[nodiscard]] nlohmann::json ranksJson(const engine::RanksWorkload& workload, const wire::RanksReply& done);
/// Whether all ranks came through and every result is that of an eager run.
[[nodiscard]] bool ranksAgree(const wire::RanksReply& done);

} // namespace dynascope::cli
