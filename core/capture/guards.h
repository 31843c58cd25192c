// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/session/session.h"

#include <string_view>
#include <vector>

namespace dynascope::capture {

/// Reads the guard tree of dynamo_cpp_guards_str (torch/_dynamo/guards.py, GuardManagerWrapper.__str__), in
/// print order. Lines outside the tree are skipped; a line that continues a check is appended to it.
[[nodiscard]] std::vector<session::Guard> parseGuards(std::string_view text);

} // namespace dynascope::capture
