// SPDX-License-Identifier: BSD-3-Clause
#include "core/profile/figures.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace dynascope::profile {

namespace {

std::string decimals(double value, int places) {
    std::array<char, 64> buffer{};
    const int length = std::snprintf(buffer.data(), buffer.size(), "%.*f", places, value);
    return {buffer.data(), static_cast<std::size_t>(std::clamp(length, 0, int(buffer.size()) - 1))};
}

} // namespace

std::string shareText(double share) {
    const std::string percent = decimals(100 * share, 1);
    if (share > 0 && percent == "0.0") return "under 0.1 %";
    if (share < 1 && percent == "100.0") return "over 99.9 %";
    return percent + " %";
}

std::string rateText(double perSecond, std::string_view unit) {
    constexpr std::array<std::string_view, 5> prefixes{"", "k", "M", "G", "T"};
    std::size_t prefix = 0;
    // What rounds to 1,000 has the next prefix.
    while (perSecond >= 999.5 && prefix + 1 < prefixes.size()) {
        perSecond /= 1000;
        ++prefix;
    }
    const int places = perSecond < 9.995 ? 2 : perSecond < 99.95 ? 1 : 0;
    return decimals(perSecond, places) + ' ' + std::string(prefixes[prefix]) + std::string(unit);
}

} // namespace dynascope::profile
