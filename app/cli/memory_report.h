// SPDX-License-Identifier: BSD-3-Clause
//
// What a memory snapshot holds, for people and for programs.
#pragma once

#include "core/session/session.h"

#include <nlohmann/json.hpp>
#include <string>

namespace dynascope::cli {

/// Totals of each device, the `top` lines of code that hold most, and those at the peak.
[[nodiscard]] std::string memoryText(const session::MemorySnapshot& snapshot, std::size_t top);
/// The same of every snapshot of a session, each with its file where it lay in a folder; empty where there is none.
[[nodiscard]] std::string memoriesText(const session::Session& session, std::size_t top);
[[nodiscard]] nlohmann::json memoryJson(const session::MemorySnapshot& snapshot, std::size_t top);

} // namespace dynascope::cli
