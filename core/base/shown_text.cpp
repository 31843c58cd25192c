// SPDX-License-Identifier: BSD-3-Clause
#include "core/base/shown_text.h"

#include <array>
#include <cstdio>

namespace dynascope {

namespace {

struct Character {
    std::uint32_t point = 0;
    std::size_t length = 0; ///< 0: the byte begins no UTF-8
};

Character characterAt(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) -> std::uint32_t {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
    };
    const std::uint32_t first = byte(at);
    if (first < 0x80) return {first, 1};
    const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
    if (length == 0 || first > 0xf4) return {};
    std::uint32_t point = first & (0x7fU >> length);
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(at + i) & 0xc0U) != 0x80U) return {};
        point = (point << 6U) | (byte(at + i) & 0x3fU);
    }
    constexpr std::array<std::uint32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
    const bool surrogate = point >= 0xd800 && point < 0xe000;
    if (point < least[length] || point > 0x10ffff || surrogate) return {};
    return {point, length};
}

bool isControl(std::uint32_t point) {
    return (point < 0x20 && point != '\n' && point != '\t') || (point >= 0x7f && point < 0xa0);
}

} // namespace

bool hidesText(std::uint32_t point) {
    return isControl(point) || point == 0x061c || point == 0x200e || point == 0x200f ||
           (point >= 0x202a && point <= 0x202e) || (point >= 0x2066 && point <= 0x2069);
}

std::string withoutControlCodes(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size();) {
        const Character character = characterAt(text, i);
        if (character.length == 0 || isControl(character.point)) {
            out += '?';
        } else if (hidesText(character.point)) {
            std::array<char, 16> name{};
            std::snprintf(name.data(), name.size(), "<U+%04X>", character.point);
            out += name.data();
        } else {
            out += text.substr(i, character.length);
        }
        i += character.length == 0 ? 1 : character.length;
    }
    return out;
}

} // namespace dynascope
