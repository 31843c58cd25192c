// SPDX-License-Identifier: BSD-3-Clause
//
// What the page Profile says of devices that had nothing to do.
#pragma once

#include "core/profile/idle.h"
#include "views/base/page_parts.h"
#include "views/theme/theme.h"

#include <vector>

namespace dynascope::views {

/// "guards 3.1 µs, nothing recorded 10.0 µs": what a thread did; empty where that is nothing.
[[nodiscard]] QString threadWords(const profile::ThreadTime& cpu);

/// A figure a device, over all steps; its tool tip has the causes, what the CPU did meanwhile, and the graphs that are
/// launch-bound.
[[nodiscard]] std::vector<FigureRow::Figure>
idleFigures(const profile::Joined& joined, const profile::IdleReport& report, const Colours& colours);

} // namespace dynascope::views
