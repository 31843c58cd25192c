// SPDX-License-Identifier: BSD-3-Clause
//
// Ways for edges that pass many boxes by (skip connections): down beside the boxes, with square turns.
#pragma once

#include "core/layout/layout.h"

#include <cstdint>
#include <vector>

namespace dynascope::layout {

/// Square routes with rounded corners for some edges of a finished layout, whichever engine made it. An edge
/// leaves and enters where the layout has it, crosses no box, keeps out of clusters that hold neither end
/// where it can, and shares no line with another edge unless both come from one box. `edges` are indices
/// into `input.edges`; `result` may have been moved since the layout, as long as its sizes are those of
/// `input`. The answer has one path for each of `edges`; no points where there is no short way, or where the
/// work would exceed a fixed budget. Pure.
[[nodiscard]] std::vector<EdgePath> routeOrthogonally(const LayoutInput& input, const LayoutResult& result,
                                                      const std::vector<std::uint32_t>& edges);

} // namespace dynascope::layout
