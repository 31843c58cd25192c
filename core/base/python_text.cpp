// SPDX-License-Identifier: BSD-3-Clause
#include "core/base/python_text.h"

#include "core/base/text.h"
#include "core/base/utf8.h"

namespace dynascope::python {

namespace {

/// Reads up to `digits` hexadecimal digits at `at`, which moves behind them.
std::uint32_t hexDigits(std::string_view text, std::size_t& at, std::size_t digits) {
    std::uint32_t code = 0;
    for (std::size_t n = 0; n < digits && at < text.size(); ++n, ++at) {
        const std::size_t digit = std::string_view("0123456789abcdefABCDEF").find(text[at]);
        if (digit == std::string_view::npos) break;
        code = code * 16 + static_cast<std::uint32_t>(digit < 16 ? digit : digit - 6);
    }
    return code;
}

} // namespace

std::size_t closingQuote(std::string_view text, std::size_t at) {
    const char quote = text[at];
    for (std::size_t i = at + 1; i < text.size(); ++i) {
        if (text[i] == '\\')
            ++i;
        else if (text[i] == quote)
            return i;
    }
    return std::string_view::npos;
}

std::size_t afterString(std::string_view text, std::size_t at) {
    const std::size_t close = closingQuote(text, at);
    return close == std::string_view::npos ? text.size() : close + 1;
}

std::vector<std::string_view> splitOutside(std::string_view text, char separator, Quotes quotes) {
    std::vector<std::string_view> out;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = findOutside(text, begin, quotes, [&](char c) { return c == separator; });
        if (const std::string_view piece = trimmed(text.substr(begin, end - begin)); !piece.empty())
            out.push_back(piece);
        begin = end + 1;
    }
    return out;
}

std::size_t commentStart(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '#') return i;
        if (isQuote(text[i])) i = afterString(text, i) - 1;
    }
    return text.size();
}

std::size_t appendEscape(std::string_view text, std::size_t at, Literal literal, std::string& out) {
    if (at + 1 >= text.size()) {
        out += '\\';
        return at + 1;
    }
    const char c = text[at + 1];
    std::size_t end = at + 2;
    switch (c) {
    case 'n':
        out += '\n';
        return end;
    case 't':
        out += '\t';
        return end;
    case 'r':
        out += '\r';
        return end;
    case '\\':
    case '\'':
    case '"':
        out += c;
        return end;
    case 'x':
        if (const std::uint32_t code = hexDigits(text, end, 2); end == at + 4) {
            if (literal == Literal::Bytes)
                out += static_cast<char>(code);
            else
                appendUtf8(out, code);
            return end;
        }
        break;
    case 'u':
        if (const std::uint32_t code = hexDigits(text, end, 4); literal == Literal::Str && end == at + 6) {
            appendUtf8(out, code);
            return end;
        }
        break;
    default:
        break;
    }
    out.append(text, at, 2);
    return at + 2;
}

} // namespace dynascope::python
