// SPDX-License-Identifier: BSD-3-Clause
//
// Python text looked at from outside: what stands outside of brackets and strings, and what escapes mean.
// Nothing fails: a string or a bracket without an end reaches to the end of the text. Linear.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::python {

[[nodiscard]] constexpr bool isOpen(char c) {
    return c == '(' || c == '[' || c == '{';
}
[[nodiscard]] constexpr bool isClose(char c) {
    return c == ')' || c == ']' || c == '}';
}
[[nodiscard]] constexpr bool isQuote(char c) {
    return c == '\'' || c == '"';
}

/// Whether a quote begins a string. In prose and in the types of a signature it is a mark like another.
enum class Quotes : std::uint8_t { Strings, Marks };

/// The quote that ends the string whose opening quote is at `at`; npos where it has none.
[[nodiscard]] std::size_t closingQuote(std::string_view text, std::size_t at);

/// Behind the string whose opening quote is at `at`.
[[nodiscard]] std::size_t afterString(std::string_view text, std::size_t at);

/// Where a walk ended, and what had no end there.
struct Walk {
    std::size_t end = 0;
    std::size_t openBrackets = 0;
    std::size_t openString = std::string_view::npos; ///< its quote
};

/// Walks from `from` to the first character that is outside of brackets (opened behind `from`) and strings and that
/// `stops`, called with it and its place, answers for; to the end of the text where there is none. A bracket that
/// closes none of them is a character like another.
template <typename Stops>
[[nodiscard]] Walk walkOutside(std::string_view text, std::size_t from, Quotes quotes, Stops stops) {
    std::size_t depth = 0;
    for (std::size_t i = from; i < text.size(); ++i) {
        const char c = text[i];
        if (depth == 0 && stops(c, i)) return {.end = i};
        if (quotes == Quotes::Strings && isQuote(c)) {
            const std::size_t close = closingQuote(text, i);
            if (close == std::string_view::npos) return {text.size(), depth, i};
            i = close;
        } else if (isOpen(c)) {
            ++depth;
        } else if (isClose(c) && depth > 0) {
            --depth;
        }
    }
    return {.end = text.size(), .openBrackets = depth};
}

/// Where walkOutside() ends, by the characters alone.
template <typename Stops>
[[nodiscard]] std::size_t findOutside(std::string_view text, std::size_t from, Quotes quotes, Stops stops) {
    return walkOutside(text, from, quotes, [&stops](char c, std::size_t) { return stops(c); }).end;
}

/// Pieces between separators that are outside of brackets and strings, without blanks at their ends; empty
/// ones are left out.
[[nodiscard]] std::vector<std::string_view> splitOutside(std::string_view text, char separator,
                                                         Quotes quotes = Quotes::Strings);

/// Where a comment begins: the first "#" that is in no string, within brackets too; else the text's size.
[[nodiscard]] std::size_t commentStart(std::string_view text);

/// What an escape above \x7f is: a character of a str, or a byte of a bytes, whose \u is no escape.
enum class Literal : std::uint8_t { Str, Bytes };

/// Appends what the escape at `at`, a backslash, stands for, and returns the place behind it. One that Python
/// does not know stays as it is.
[[nodiscard]] std::size_t appendEscape(std::string_view text, std::size_t at, Literal literal,
                                       std::string& out);

} // namespace dynascope::python
