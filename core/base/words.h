// SPDX-License-Identifier: BSD-3-Clause
//
// How numbers and paths are written in sentences, and how words are looked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace dynascope {

/// "1.13 s", "0.05 s", "1.2 ms"; empty for 0.
[[nodiscard]] std::string formatSeconds(double seconds);
/// "80 B", "32 KiB", "1.5 MiB".
[[nodiscard]] std::string formatBytes(std::uint64_t bytes);
/// "1 graph", "2 graphs".
[[nodiscard]] std::string count(std::size_t n, std::string_view noun);
/// File name without its folders.
[[nodiscard]] std::string_view baseName(std::string_view path);
/// With ASCII letters in lower case.
[[nodiscard]] std::string lowered(std::string_view text);
/// Whether a text holds another one, which must be in lower case, whatever the case of its own ASCII letters.
[[nodiscard]] bool containsLowered(std::string_view text, std::string_view needle);
/// A word of a POSIX shell that means the text: as it is where it is plain, else in single quotes.
[[nodiscard]] std::string shellWord(std::string_view text);
/// Whether it is an ASCII digit, whatever the locale.
[[nodiscard]] constexpr bool isDigit(char c) {
    return c >= '0' && c <= '9';
}
/// Whether it is a number in ASCII digits, and nothing else.
[[nodiscard]] bool isDigits(std::string_view text);

} // namespace dynascope
