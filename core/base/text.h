// SPDX-License-Identifier: BSD-3-Clause
//
// Pieces of text. Views point into the text that they were taken of.
#pragma once

#include <string>
#include <string_view>

namespace dynascope {

/// Without blanks and line ends on both sides.
[[nodiscard]] std::string_view trimmed(std::string_view text);
/// Up to the first line end.
[[nodiscard]] std::string_view firstLine(std::string_view text);

/// "a, b, c" of a range of texts.
template <typename Texts>
[[nodiscard]] std::string joined(const Texts& texts, std::string_view between) {
    std::string out;
    bool first = true;
    for (const auto& text : texts) {
        if (!first) out += between;
        first = false;
        out += text;
    }
    return out;
}

} // namespace dynascope
