// SPDX-License-Identifier: BSD-3-Clause
//
// What XML and HTML write for characters that are marks of theirs. Internal to core/report.
#pragma once

#include <string_view>

namespace dynascope::report {

/// "&lt;" for "<"; empty for a character that stands for itself within text and double quotes.
[[nodiscard]] constexpr std::string_view entityOf(char c) {
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    default:
        return {};
    }
}

} // namespace dynascope::report
