// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace dynascope::views::canvas {

inline constexpr double smallestFirst = 0.36; ///< zoom below which a graph just opened is not shrunk
inline constexpr double legibleZoom = 0.5;    ///< at which most names can be read
inline constexpr double readableZoom = 0.795; ///< at which a card says all that it has to say

} // namespace dynascope::views::canvas
