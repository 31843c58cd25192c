// SPDX-License-Identifier: BSD-3-Clause
#include "core/base/words.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace dynascope {

namespace {

char lowerChar(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Whatever the locale of the process is.
std::string fixed(double value, int digits) {
    std::array<char, 64> buffer{};
    const auto end =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed, digits);
    return end.ec == std::errc() ? std::string(buffer.data(), end.ptr) : std::string("?");
}

} // namespace

std::string formatSeconds(double seconds) {
    if (seconds <= 0) return {};
    return seconds < 0.01 ? fixed(seconds * 1e3, 1) + " ms" : fixed(seconds, 2) + " s";
}

std::string formatBytes(std::uint64_t bytes) {
    static constexpr std::array<std::string_view, 5> units = {"B", "KiB", "MiB", "GiB", "TiB"};
    double value = double(bytes);
    std::size_t unit = 0;
    while (value >= 1024 && unit + 1 < units.size()) {
        value /= 1024;
        ++unit;
    }
    const bool whole = unit == 0 || value >= 100 || value == std::floor(value);
    return fixed(value, whole ? 0 : 1) + ' ' + std::string(units[unit]);
}

std::string count(std::size_t n, std::string_view noun) {
    std::string out = std::to_string(n) + ' ' + std::string(noun);
    if (n != 1) out += 's';
    return out;
}

std::string_view baseName(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string lowered(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), lowerChar);
    return out;
}

bool containsLowered(std::string_view text, std::string_view needle) {
    return std::search(text.begin(), text.end(), needle.begin(), needle.end(),
                       [](char t, char n) { return lowerChar(t) == n; }) != text.end();
}

std::string shellWord(std::string_view text) {
    const bool plain = !text.empty() && text.front() != '-' && text.front() != '~' &&
                       std::all_of(text.begin(), text.end(), [](char c) {
                           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                                  (c >= '0' && c <= '9') ||
                                  std::string_view("/._-+:@,%").find(c) != std::string_view::npos;
                       });
    if (plain) return std::string(text);
    std::string out = "'";
    for (const char c : text)
        out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

bool isDigits(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), isDigit);
}

} // namespace dynascope
