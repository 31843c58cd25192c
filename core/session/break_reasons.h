// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/session/breaks.h"

#include <string>
#include <vector>

namespace dynascope::session {

/// A break in a few words, from its kind (the gb_type names of torch/_dynamo/graph_break_registry.json) and
/// what its text names: "Builtin print cannot be traced". A kind that is not in the table keeps its own
/// title.
[[nodiscard]] std::string shortReason(const GraphBreak& graphBreak);

/// Whether somebody asked for it in live mode: the program itself has no such break.
[[nodiscard]] bool isAskedFor(const GraphBreak& graphBreak);

/// Ways out of it, best first: those known for its kind, then PyTorch's hints. Empty only where isAskedFor().
[[nodiscard]] std::vector<WayOut> waysOut(const GraphBreak& graphBreak);

} // namespace dynascope::session
