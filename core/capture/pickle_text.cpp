// SPDX-License-Identifier: BSD-3-Clause
#include "core/capture/pickle_text.h"

#include "core/base/python_text.h"
#include "core/base/utf8.h"

#include <charconv>
#include <cstdint>
#include <system_error>

namespace dynascope::capture {

namespace {

std::optional<std::uint32_t> hex(std::string_view digits) {
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
    return value;
}

} // namespace

std::string decodeRawUnicode(std::string_view line) {
    std::string out;
    for (std::size_t at = 0; at < line.size(); ++at) {
        const std::size_t digits = line.substr(at, 2) == "\\u" ? 4 : line.substr(at, 2) == "\\U" ? 8 : 0;
        if (digits != 0 && at + 2 + digits <= line.size()) {
            if (const auto point = hex(line.substr(at + 2, digits))) {
                const bool isCharacter = *point <= 0x10ffff && (*point < 0xd800 || *point >= 0xe000);
                appendUtf8(out, isCharacter ? *point : 0xfffd);
                at += 1 + digits;
                continue;
            }
        }
        appendUtf8(out, static_cast<unsigned char>(line[at]));
    }
    return out;
}

std::optional<std::string> decodeLiteral(std::string_view line) {
    if (line.size() < 2 || !python::isQuote(line.front()) || line.back() != line.front()) return std::nullopt;
    line = line.substr(1, line.size() - 2);
    std::string out;
    for (std::size_t at = 0; at < line.size();) {
        if (line[at] == '\\')
            at = python::appendEscape(line, at, python::Literal::Bytes, out);
        else
            out += line[at++];
    }
    return out;
}

} // namespace dynascope::capture
