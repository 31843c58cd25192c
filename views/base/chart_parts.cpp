// SPDX-License-Identifier: BSD-3-Clause
#include "views/base/chart_parts.h"

#include "views/theme/mixed.h"

#include <cmath>

namespace dynascope::views {

QColor fillOf(const QColor& colour, const Colours& c) {
    return mixed(colour, c.dark ? 0.22 : 0.26, c.bg1);
}

double niceStep(double least) {
    const double power = std::pow(10, std::floor(std::log10(least)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (power * factor >= least) return power * factor;
    return power * 10;
}

} // namespace dynascope::views
