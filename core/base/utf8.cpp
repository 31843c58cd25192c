// SPDX-License-Identifier: BSD-3-Clause
#include "core/base/utf8.h"

namespace dynascope {

void appendUtf8(std::string& out, std::uint32_t point) {
    if (point < 0x80) {
        out += static_cast<char>(point);
    } else if (point < 0x800) {
        out += static_cast<char>(0xc0 | (point >> 6U));
        out += static_cast<char>(0x80 | (point & 0x3fU));
    } else if (point < 0x10000) {
        out += static_cast<char>(0xe0 | (point >> 12U));
        out += static_cast<char>(0x80 | ((point >> 6U) & 0x3fU));
        out += static_cast<char>(0x80 | (point & 0x3fU));
    } else {
        out += static_cast<char>(0xf0 | (point >> 18U));
        out += static_cast<char>(0x80 | ((point >> 12U) & 0x3fU));
        out += static_cast<char>(0x80 | ((point >> 6U) & 0x3fU));
        out += static_cast<char>(0x80 | (point & 0x3fU));
    }
}

std::size_t characterStart(std::string_view text, std::size_t at) {
    while (at > 0 && at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0U) == 0x80U)
        --at;
    return at;
}

} // namespace dynascope
