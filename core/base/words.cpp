// SPDX-License-Identifier: BSD-3-Clause
#include "core/base/words.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace dynascope {

namespace {

char lowerChar(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

} // namespace

std::string formatSeconds(double seconds) {
    if (seconds <= 0) return {};
    std::array<char, 32> buffer{};
    if (seconds < 0.01) {
        std::snprintf(buffer.data(), buffer.size(), "%.1f ms", seconds * 1e3);
    } else {
        std::snprintf(buffer.data(), buffer.size(), "%.2f s", seconds);
    }
    return buffer.data();
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

bool isDigits(std::string_view text) {
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

} // namespace dynascope
