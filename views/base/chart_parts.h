// SPDX-License-Identifier: BSD-3-Clause
//
// What charts over time have in common.
#pragma once

#include "views/theme/theme.h"

#include <QColor>

namespace dynascope::views {

/// Text stays readable on it in both themes.
[[nodiscard]] QColor fillOf(const QColor& colour, const Colours& c);

/// 1, 2 or 5 times a power of ten, at least `least`, which is positive.
[[nodiscard]] double niceStep(double least);

} // namespace dynascope::views
