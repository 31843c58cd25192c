// SPDX-License-Identifier: BSD-3-Clause
#include "core/profile/json_cursor.h"

#include <charconv>
#include <cmath>
#include <cstring>

namespace dynascope::profile {

namespace {

bool isBlank(char c) {
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

bool endsScalar(char c) {
    return isBlank(c) || c == ',' || c == '}' || c == ']' || c == ':' || c == '"' || c == '{' || c == '[';
}

void appendUtf8(std::string& out, std::uint32_t point) {
    if (point < 0x80) {
        out += static_cast<char>(point);
    } else if (point < 0x800) {
        out += static_cast<char>(0xC0 | (point >> 6));
        out += static_cast<char>(0x80 | (point & 0x3F));
    } else if (point < 0x10000) {
        out += static_cast<char>(0xE0 | (point >> 12));
        out += static_cast<char>(0x80 | ((point >> 6) & 0x3F));
        out += static_cast<char>(0x80 | (point & 0x3F));
    } else {
        out += static_cast<char>(0xF0 | (point >> 18));
        out += static_cast<char>(0x80 | ((point >> 12) & 0x3F));
        out += static_cast<char>(0x80 | ((point >> 6) & 0x3F));
        out += static_cast<char>(0x80 | (point & 0x3F));
    }
}

/// Of "00e9..."; nothing where there are no four digits.
std::optional<std::uint32_t> fourDigits(std::string_view text) {
    std::uint32_t out = 0;
    if (text.size() < 4) return {};
    const auto [end, error] = std::from_chars(text.data(), text.data() + 4, out, 16);
    if (error != std::errc() || end != text.data() + 4) return {};
    return out;
}

/// The character of "\uXXXX" at `at`, with the second half of a pair; what is no character is U+FFFD.
std::uint32_t escapedPoint(std::string_view raw, std::size_t& at) {
    const auto first = fourDigits(raw.substr(at + 2));
    if (!first) {
        at += 2;
        return 'u';
    }
    at += 6;
    if (*first < 0xD800 || *first > 0xDFFF) return *first;
    const auto second = raw.substr(at).starts_with("\\u") ? fourDigits(raw.substr(at + 2)) : std::nullopt;
    if (*first > 0xDBFF || !second || *second < 0xDC00 || *second > 0xDFFF) return 0xFFFD;
    at += 6;
    return 0x10000 + ((*first - 0xD800) << 10) + (*second - 0xDC00);
}

} // namespace

char JsonCursor::peek() {
    while (m_at < m_text.size() && isBlank(m_text[m_at]))
        ++m_at;
    return m_at < m_text.size() ? m_text[m_at] : '\0';
}

bool JsonCursor::take(char c) {
    if (peek() != c || isAtEnd()) return false;
    ++m_at;
    return true;
}

bool JsonCursor::skipString() {
    const std::size_t begin = m_at;
    while (m_at < m_text.size()) {
        const void* found = std::memchr(m_text.data() + m_at, '"', m_text.size() - m_at);
        if (found == nullptr) break;
        const auto quote = static_cast<std::size_t>(static_cast<const char*>(found) - m_text.data());
        std::size_t slashes = 0;
        while (quote - slashes > begin && m_text[quote - slashes - 1] == '\\')
            ++slashes;
        m_at = quote + 1;
        if (slashes % 2 == 0) return true;
    }
    m_at = m_text.size();
    return false;
}

std::optional<std::string_view> JsonCursor::rawString() {
    if (!take('"')) return {};
    const std::size_t begin = m_at;
    if (!skipString()) return {};
    return m_text.substr(begin, m_at - begin - 1);
}

std::optional<std::string_view> JsonCursor::string(std::string& buffer) {
    const auto raw = rawString();
    if (!raw || raw->find('\\') == std::string_view::npos) return raw;
    buffer = unescaped(*raw);
    return buffer;
}

std::optional<std::string_view> JsonCursor::scalar() {
    if (peek() == '"') return rawString();
    const std::size_t begin = m_at;
    while (m_at < m_text.size() && !endsScalar(m_text[m_at]))
        ++m_at;
    if (m_at == begin) return {};
    return m_text.substr(begin, m_at - begin);
}

std::optional<std::string_view> JsonCursor::value() {
    const char first = peek();
    const std::size_t begin = m_at;
    if (first != '{' && first != '[') {
        if (first != '"') return scalar();
        if (!rawString()) return {};
        return m_text.substr(begin, m_at - begin);
    }
    std::uint64_t squares = 0; // a bit a bracket, the innermost lowest
    int depth = 0;
    for (; m_at < m_text.size(); ++m_at) {
        const char c = m_text[m_at];
        if (c == '"') {
            ++m_at;
            if (!skipString()) return {};
            --m_at;
        } else if (c == '{' || c == '[') {
            if (depth == 64) return {};
            squares = (squares << 1U) | (c == '[' ? 1U : 0U);
            ++depth;
        } else if (c == '}' || c == ']') {
            if (((squares & 1U) != 0) != (c == ']')) return {};
            squares >>= 1U;
            if (--depth == 0) {
                ++m_at;
                return m_text.substr(begin, m_at - begin);
            }
        }
    }
    return {};
}

std::optional<std::string_view> JsonCursor::key(bool first, char close) {
    m_ended = take(close);
    if (m_ended || (!first && !take(','))) return {};
    const auto name = rawString();
    if (!name || !take(':')) return {};
    return name;
}

std::string unescaped(std::string_view raw) {
    std::string out;
    out.reserve(raw.size());
    for (std::size_t at = 0; at < raw.size();) {
        if (raw[at] != '\\' || at + 1 == raw.size()) {
            out += raw[at++];
            continue;
        }
        const char c = raw[at + 1];
        if (c == 'u') {
            appendUtf8(out, escapedPoint(raw, at));
            continue;
        }
        constexpr std::string_view letters = "nrtbf", meant = "\n\r\t\b\f";
        const std::size_t letter = letters.find(c);
        out += letter == std::string_view::npos ? c : meant[letter];
        at += 2;
    }
    return out;
}

std::optional<std::int64_t> thousandths(std::string_view number) {
    constexpr std::int64_t most = INT64_MAX / 8; // so that an end, and a difference of two, fit
    const bool negative = number.starts_with('-');
    std::size_t at = negative ? 1 : 0;
    std::int64_t whole = 0;
    const std::size_t begin = at;
    for (; at < number.size() && number[at] >= '0' && number[at] <= '9' && at - begin < 15; ++at)
        whole = whole * 10 + (number[at] - '0');
    std::int64_t out = whole * 1000;
    bool plain = at > begin;
    if (plain && at < number.size() && number[at] == '.') {
        std::int64_t unit = 100;
        bool up = false;
        const std::size_t point = ++at;
        for (; at < number.size() && number[at] >= '0' && number[at] <= '9'; ++at, unit /= 10) {
            out += unit * (number[at] - '0');
            if (at - point == 3) up = number[at] >= '5';
        }
        out += up ? 1 : 0;
    }
    plain = plain && at == number.size();
    if (plain) return negative ? -out : out;
    double value = 0; // an exponent, or more digits than it has meaning
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error != std::errc() || end != number.data() + number.size()) return {};
    value *= 1000;
    if (!std::isfinite(value) || std::abs(value) > static_cast<double>(most)) return {};
    return static_cast<std::int64_t>(std::llround(value));
}

std::optional<std::int64_t> integer(std::string_view number) {
    std::int64_t out = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), out);
    if (error != std::errc() || end != number.data() + number.size()) return {};
    return out;
}

} // namespace dynascope::profile
