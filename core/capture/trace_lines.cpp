// SPDX-License-Identifier: BSD-3-Clause
#include "core/capture/trace_lines.h"

#include "core/base/words.h"

#include <algorithm>
#include <charconv>

namespace dynascope::capture {

namespace {

/// Takes `count` digits off the front.
std::optional<int> takeDigits(std::string_view& text, std::size_t count) {
    if (text.size() < count ||
        !std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(count), isDigit))
        return std::nullopt;
    int value = 0;
    std::from_chars(text.data(), text.data() + count, value);
    text.remove_prefix(count);
    return value;
}

bool take(std::string_view& text, char c) {
    if (text.empty() || text.front() != c) return false;
    text.remove_prefix(1);
    return true;
}

std::size_t digitRun(std::string_view text) {
    return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), isDigit) - text.begin());
}

std::optional<int> takeRank(std::string_view& text) {
    constexpr std::string_view open = "[rank";
    if (!text.starts_with(open)) return -1;
    text.remove_prefix(open.size());
    const std::size_t digits = digitRun(text);
    if (digits == 0 || digits > 6) return std::nullopt;
    const std::optional<int> rank = takeDigits(text, digits);
    if (!text.starts_with("]:")) return std::nullopt;
    text.remove_prefix(2);
    if (text.starts_with(' ')) text.remove_prefix(1);
    return rank;
}

std::optional<double> takeTime(std::string_view& text) {
    const auto hours = takeDigits(text, 2);
    if (!hours || !take(text, ':')) return std::nullopt;
    const auto minutes = takeDigits(text, 2);
    if (!minutes || !take(text, ':')) return std::nullopt;
    const auto seconds = takeDigits(text, 2);
    if (!seconds || !take(text, '.')) return std::nullopt;
    const auto micros = takeDigits(text, 6);
    if (!micros) return std::nullopt;
    return *hours * 3600 + *minutes * 60 + *seconds + *micros * 1e-6;
}

} // namespace

std::optional<LogPrefix> parseLogPrefix(std::string_view line) {
    std::string_view rest = line;
    LogPrefix out;
    const std::optional<int> rank = takeRank(rest);
    if (!rank) return std::nullopt;
    out.rank = *rank;
    constexpr std::string_view levels = "VDIWEC";
    if (rest.empty() || levels.find(rest.front()) == std::string_view::npos) return std::nullopt;
    rest.remove_prefix(1);
    if (!takeDigits(rest, 4) || !take(rest, ' ')) return std::nullopt;
    const std::optional<double> seconds = takeTime(rest);
    if (!seconds || !take(rest, ' ')) return std::nullopt;
    out.seconds = *seconds;
    const std::size_t process = digitRun(rest);
    if (process == 0) return std::nullopt;
    out.process = rest.substr(0, process);
    rest.remove_prefix(process);
    if (!take(rest, ' ')) return std::nullopt;
    std::size_t close = rest.substr(0, 4096).find("] ");
    if (close == std::string_view::npos) {
        // An editor may have taken the blank off the end of an empty line.
        if (!rest.ends_with(']') || rest.size() > 4096) return std::nullopt;
        close = rest.size() - 1;
    }
    out.origin = rest.substr(0, close);
    const std::size_t colon = out.origin.rfind(':');
    if (colon == std::string_view::npos || digitRun(out.origin.substr(colon + 1)) + colon + 1 != close)
        return std::nullopt;
    rest.remove_prefix(std::min(close + 2, rest.size()));
    out.length = line.size() - rest.size();
    return out;
}

std::string_view TraceLines::lineAt(std::uint64_t at) const {
    std::string_view line = m_text.substr(at, m_text.find('\n', at) - at);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    return line;
}

std::uint64_t TraceLines::after(std::uint64_t at) const {
    const std::size_t end = m_text.find('\n', at);
    return end == std::string_view::npos ? m_text.size() : end + 1;
}

std::optional<TraceItem> TraceLines::next() {
    if (m_at >= m_text.size()) return std::nullopt;
    TraceItem item;
    item.line = m_line;

    const auto recordAt = [this](std::uint64_t at) -> std::optional<LogPrefix> {
        const std::string_view line = lineAt(at);
        if (line.empty() || line.front() == '\t') return std::nullopt;
        std::optional<LogPrefix> prefix = parseLogPrefix(line);
        if (!prefix || prefix->length >= line.size() || line[prefix->length] != '{') return std::nullopt;
        return prefix;
    };

    const std::optional<LogPrefix> prefix = recordAt(m_at);
    if (!prefix) {
        item.kind = TraceItem::Kind::Stray;
        do {
            m_at = after(m_at);
            ++m_line;
            ++item.lines;
        } while (m_at < m_text.size() && !recordAt(m_at));
        item.last = m_at >= m_text.size();
        return item;
    }

    item.prefix = *prefix;
    item.jsonOffset = m_at + prefix->length;
    item.jsonLength = lineAt(m_at).size() - prefix->length;
    m_at = after(m_at);
    ++m_line;
    item.payloadOffset = m_at;
    std::uint64_t end = m_at;
    while (m_at < m_text.size() && m_text[m_at] == '\t') {
        const std::size_t newline = m_text.find('\n', m_at);
        end = newline == std::string_view::npos ? m_text.size() : newline;
        m_at = newline == std::string_view::npos ? m_text.size() : newline + 1;
        ++m_line;
        item.hasPayload = true;
    }
    if (item.hasPayload && end > item.payloadOffset && m_text[end - 1] == '\r') --end;
    item.payloadLength = end - item.payloadOffset;
    item.last = m_at >= m_text.size();
    return item;
}

} // namespace dynascope::capture
