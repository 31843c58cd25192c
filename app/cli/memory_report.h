// SPDX-License-Identifier: BSD-3-Clause
//
// What a memory snapshot holds, for people and for programs.
#pragma once

#include "core/session/memory_snapshot.h"

#include <nlohmann/json.hpp>
#include <string>

namespace dynascope::cli {

/// Totals of each device, the `top` lines of code that hold most, and those at the peak.
[[nodiscard]] std::string memoryText(const session::MemorySnapshot& snapshot, std::size_t top);
[[nodiscard]] nlohmann::json memoryJson(const session::MemorySnapshot& snapshot, std::size_t top);

} // namespace dynascope::cli
