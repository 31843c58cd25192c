// SPDX-License-Identifier: BSD-3-Clause
//
// Measures that the parts of the scorecard share, for font size 12.
#pragma once

namespace dynascope::views::scorecard {

constexpr int padding = 16;
constexpr int nameWidth = 180;
constexpr int rightWidth = 244;
constexpr int widestCell = 54, narrowestCell = 30;
constexpr int smallDigits = 10, cellMargin = 4; ///< of a value that is wide, and beside it (not scaled)
constexpr int cellHeight = 27, writtenHeight = 37;
constexpr int axisHeight = 15, viewRow = 52, headerRow = 30;

} // namespace dynascope::views::scorecard
