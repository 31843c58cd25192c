// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/base/text.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <string_view>

namespace dynascope::ir {

/// "s77", "u0", "zf3": letters that PyTorch gives to symbols, and a number.
[[nodiscard]] inline bool isSymbolName(std::string_view word) {
    const std::size_t digits = word.find_first_of("0123456789");
    return digits != std::string_view::npos && digits > 0 &&
           std::islower(static_cast<unsigned char>(word[0])) != 0 &&
           std::all_of(word.begin() + static_cast<std::ptrdiff_t>(digits), word.end(),
                       [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
}

/// Adds the symbols of a size such as "2*s0 + u1".
inline void addSymbolNames(std::string_view expression, std::set<std::string>& to) {
    if (expression.find_first_not_of("0123456789") == std::string_view::npos) return;
    for (std::size_t at = 0; at < expression.size();) {
        std::size_t end = at;
        while (end < expression.size() && isNameByte(expression[end]))
            ++end;
        if (isSymbolName(expression.substr(at, end - at))) to.emplace(expression.substr(at, end - at));
        at = std::max(end, at + 1);
    }
}

} // namespace dynascope::ir
