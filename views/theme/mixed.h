// SPDX-License-Identifier: BSD-3-Clause
//
// Tones between two colours.
#pragma once

#include <QColor>

namespace dynascope::views {

/// `share` of the colour, 0 to 1, over the ground, as opaque as the colour is: to draw it takes no blending.
[[nodiscard]] QColor mixed(const QColor& colour, double share, const QColor& ground);

} // namespace dynascope::views
