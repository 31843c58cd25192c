// SPDX-License-Identifier: BSD-3-Clause
//
// What `fusions` says of a schedule besides its fusions: buffers, orders that were weighed, and steps.
#pragma once

#include "core/inductor/schedule.h"

#include <nlohmann/json.hpp>
#include <string>

namespace dynascope::cli {

/// Indented lines for people; empty where there is nothing to say.
[[nodiscard]] std::string memoryReport(const inductor::Schedule& schedule);
[[nodiscard]] std::string stepsReport(const inductor::Schedule& schedule);
[[nodiscard]] nlohmann::json memoryJson(const inductor::Schedule& schedule);
[[nodiscard]] nlohmann::json stepsJson(const inductor::Schedule& schedule);

} // namespace dynascope::cli
