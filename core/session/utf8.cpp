// SPDX-License-Identifier: BSD-3-Clause
#include "core/session/utf8.h"

#include <cstddef>
#include <simdjson.h>

namespace dynascope::session {

namespace {

struct Step {
    std::size_t length; ///< bytes of the sequence, or of its well-formed beginning
    bool valid;
};

Step stepAt(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) -> unsigned { return static_cast<unsigned char>(text[at + i]); };
    const auto tail = [&](std::size_t i, unsigned low, unsigned high) {
        return at + i < text.size() && byte(i) >= low && byte(i) <= high;
    };
    const unsigned lead = byte(0);
    if (lead < 0x80) return {1, true};
    if (lead >= 0xC2 && lead <= 0xDF) return tail(1, 0x80, 0xBF) ? Step{2, true} : Step{1, false};
    if (lead >= 0xE0 && lead <= 0xEF) {
        const unsigned low = lead == 0xE0 ? 0xA0 : 0x80;
        const unsigned high = lead == 0xED ? 0x9F : 0xBF;
        if (!tail(1, low, high)) return {1, false};
        return tail(2, 0x80, 0xBF) ? Step{3, true} : Step{2, false};
    }
    if (lead >= 0xF0 && lead <= 0xF4) {
        const unsigned low = lead == 0xF0 ? 0x90 : 0x80;
        const unsigned high = lead == 0xF4 ? 0x8F : 0xBF;
        if (!tail(1, low, high)) return {1, false};
        if (!tail(2, 0x80, 0xBF)) return {2, false};
        return tail(3, 0x80, 0xBF) ? Step{4, true} : Step{3, false};
    }
    return {1, false};
}

} // namespace

bool isUtf8(std::string_view text) {
    return simdjson::validate_utf8(text.data(), text.size());
}

std::string toValidUtf8(std::string_view text) {
    if (isUtf8(text)) return std::string(text);
    std::string out;
    out.reserve(text.size() + 16);
    for (std::size_t at = 0; at < text.size();) {
        const Step step = stepAt(text, at);
        if (step.valid)
            out.append(text, at, step.length);
        else
            out += "\xEF\xBF\xBD";
        at += step.length;
    }
    return out;
}

} // namespace dynascope::session
