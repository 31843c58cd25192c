// SPDX-License-Identifier: BSD-3-Clause
//
// One group of graph breaks told in full: cost, frames after it, what to do, the cause. Pure functions.
#pragma once

#include "views/inspector/facts.h"

namespace dynascope::views {

[[nodiscard]] Facts breakFacts(const Workspace::Capture& capture, std::size_t group);
/// PyTorch's own text of the group's first break.
[[nodiscard]] QString rawReason(const Workspace::Capture& capture, std::size_t group);
/// The table as comma-separated values, for export.
[[nodiscard]] QString breaksAsCsv(const session::BreakSummary& breaks);

} // namespace dynascope::views
