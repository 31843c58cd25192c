// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/session/session.h"

#include <string_view>

namespace dynascope::capture {

/// Reads the payload of dynamo_graph_break_reason (torch/_dynamo/symbolic_convert.py, log_graph_break). Text
/// that does not follow the form becomes a break whose title is its first line.
[[nodiscard]] session::GraphBreak parseGraphBreak(std::string_view text);

/// Takes the frames of torch/_dynamo/comptime.py off the end of a stack: a break that comptime.graph_break()
/// makes belongs to the line that calls it.
void dropComptime(ir::StackTrace& stack);

} // namespace dynascope::capture
