// SPDX-License-Identifier: BSD-3-Clause
#include "views/theme/mixed.h"

#include <cmath>

namespace dynascope::views {

QColor mixed(const QColor& colour, double share, const QColor& ground) {
    const auto between = [share](int a, int b) { return int(std::lround(a * share + b * (1 - share))); };
    return {between(colour.red(), ground.red()), between(colour.green(), ground.green()),
            between(colour.blue(), ground.blue()), colour.alpha()};
}

} // namespace dynascope::views
