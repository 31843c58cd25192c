// SPDX-License-Identifier: BSD-3-Clause
//
// What `ranks` prints of when each rank compiled what.
#pragma once

#include "core/ranks/compile_times.h"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace dynascope::cli {

[[nodiscard]] nlohmann::json timesJson(const ranks::CompileTimes& times, const ranks::Report& report);
/// Ends with a line end; empty where no rank has a time and none lacks one.
[[nodiscard]] std::string timesText(const ranks::CompileTimes& times, const ranks::Report& report);

} // namespace dynascope::cli
