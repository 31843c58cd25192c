// SPDX-License-Identifier: BSD-3-Clause
//
// Pieces of text. Views point into the text that they were taken of.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dynascope {

/// Without blanks and line ends on both sides.
[[nodiscard]] std::string_view trimmed(std::string_view text);
/// Up to the first line end.
[[nodiscard]] std::string_view firstLine(std::string_view text);
/// Lines without their "\n". One at the end of the text begins no further line, and no text is no line.
[[nodiscard]] std::vector<std::string_view> splitLines(std::string_view text);

/// A letter, digit or underscore of ASCII, as names of symbols, kernels and settings have them. Python's own names may
/// have more (ir::isNameChar).
[[nodiscard]] constexpr bool isNameByte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

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
