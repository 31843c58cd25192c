// SPDX-License-Identifier: BSD-3-Clause
#include "views/base/chart_parts.h"

#include <cmath>

namespace dynascope::views {

QColor fillOf(const QColor& colour, const Colours& c) {
    const double share = c.dark ? 0.34 : 0.26;
    const auto mix = [share](int a, int b) { return int(std::lround(a * share + b * (1 - share))); };
    return {mix(colour.red(), c.bg1.red()), mix(colour.green(), c.bg1.green()),
            mix(colour.blue(), c.bg1.blue())};
}

double niceStep(double least) {
    const double power = std::pow(10, std::floor(std::log10(least)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (power * factor >= least) return power * factor;
    return power * 10;
}

} // namespace dynascope::views
