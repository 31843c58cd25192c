// SPDX-License-Identifier: BSD-3-Clause
//
// One group of graph breaks told in full: cost, frames after it, what to do, the cause. Pure functions.
#pragma once

#include "views/inspector/facts.h"

namespace dynascope::views {

/// `line` without the statement that calls `callee`, for statements apart by ";" outside of brackets and
/// strings; "pass" where nothing else is left. Empty where the line holds no such statement.
[[nodiscard]] QString withoutCall(const QString& line, const QString& callee);
[[nodiscard]] Facts breakFacts(const Workspace::Capture& capture, std::size_t group);
/// Ways out as cards, the best one first and marked. `tries`: with a link that records the program with a
/// setting.
[[nodiscard]] Section waysOutSection(const std::vector<session::WayOut>& ways, bool tries = false);
/// What PyTorch says of a break: explanation, hints, user stack.
[[nodiscard]] Section causeSection(const session::GraphBreak& graphBreak);
/// PyTorch's own text of the group's first break.
[[nodiscard]] QString rawReason(const Workspace::Capture& capture, std::size_t group);
/// The table as comma-separated values, for export.
[[nodiscard]] QString breaksAsCsv(const session::BreakSummary& breaks);

} // namespace dynascope::views
