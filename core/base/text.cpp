// SPDX-License-Identifier: BSD-3-Clause
#include "core/base/text.h"

#include <algorithm>

namespace dynascope {

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t\r\n\f\v";
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string_view firstLine(std::string_view text) {
    return text.substr(0, text.find('\n'));
}

std::vector<std::string_view> splitLines(std::string_view text) {
    std::vector<std::string_view> out;
    while (!text.empty()) {
        out.push_back(firstLine(text));
        text.remove_prefix(std::min(out.back().size() + 1, text.size()));
    }
    return out;
}

} // namespace dynascope
