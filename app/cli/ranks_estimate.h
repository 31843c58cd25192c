// SPDX-License-Identifier: BSD-3-Clause
//
// What `ranks --estimate` prints of another number of ranks.
#pragma once

#include "core/ranks/scaling.h"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace dynascope::cli {

[[nodiscard]] nlohmann::json estimateJson(const ranks::ScaleEstimate& estimate, const ranks::Report& report);
[[nodiscard]] std::string estimateText(const ranks::ScaleEstimate& estimate, const ranks::Report& report);

} // namespace dynascope::cli
