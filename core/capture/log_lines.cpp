// SPDX-License-Identifier: BSD-3-Clause
#include "core/capture/log_lines.h"

#include "core/session/byte_source.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>
#include <utility>

namespace dynascope::capture {

namespace {

using namespace std::string_view_literals;

/// Takes "[default0]:" off, which torchrun puts before the lines of a worker.
void skipWorkerTag(std::string_view& line) {
    if (!line.starts_with('[') || line.starts_with("[rank")) return;
    const std::string_view head = line.substr(0, 40);
    const std::size_t close = head.find("]:");
    if (close == std::string_view::npos || head.find(']') != close) return;
    line.remove_prefix(close + 2);
}

bool isCompileTag(std::string_view tag) {
    return !tag.empty() &&
           (tag.front() == '!' || std::isdigit(static_cast<unsigned char>(tag.front())) != 0) &&
           tag.find_first_not_of("0123456789/!_") == std::string_view::npos;
}

/// Takes "[tag]" and a blank off the front, if `accept` likes the tag.
template <typename Accept>
std::string_view takeTag(std::string_view& rest, const Accept& accept) {
    if (!rest.starts_with('[')) return {};
    const std::size_t close = rest.substr(0, 256).find(']');
    if (close == std::string_view::npos) return {};
    const std::string_view tag = rest.substr(1, close - 1);
    if (!accept(tag)) return {};
    rest.remove_prefix(close + 1);
    if (rest.starts_with(' ')) rest.remove_prefix(1);
    return tag;
}

/// Where a prefix may begin in a line that starts with something else, such as a progress bar without an end
/// of line. npos if nowhere.
std::size_t prefixInside(std::string_view line) {
    for (std::size_t at = 1; at + 8 < line.size(); ++at) {
        if (line[at + 5] != ' ' || "VDIWEC"sv.find(line[at]) == std::string_view::npos) continue;
        const auto isDigit = [](unsigned char c) { return std::isdigit(c) != 0; };
        const std::string_view date = line.substr(at + 1, 4);
        if (std::all_of(date.begin(), date.end(), isDigit) && line[at + 8] == ':') return at;
    }
    return std::string_view::npos;
}

/// First lines that always begin a message, also right after another one of the same place and millisecond.
bool opensMessage(std::string_view text) {
    constexpr std::array openings = {"TRACED GRAPH"sv,   "Graph break"sv,        "Recompiling function "sv,
                                     "Output code: "sv,  "ORIGINAL BYTECODE "sv, "MODIFIED BYTECODE "sv,
                                     "create_symbol "sv, "torchdynamo start "sv};
    return std::any_of(openings.begin(), openings.end(),
                       [&](auto opening) { return text.starts_with(opening); });
}

/// Appends a line without terminal escape sequences (CSI ... final byte).
void appendPlain(std::string& to, std::string_view text) {
    for (std::size_t escape = text.find('\x1b'); escape != std::string_view::npos;
         escape = text.find('\x1b')) {
        to += text.substr(0, escape);
        text.remove_prefix(escape + 1);
        if (!text.starts_with('[')) continue;
        const std::size_t end = text.find_first_not_of("0123456789;?", 1);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    to += text;
}

/// Joins lines to messages.
class Joiner {
public:
    explicit Joiner(std::string_view log)
        : m_log(log) {}

    [[nodiscard]] Result<LogText> run(const TaskContext& task) {
        std::size_t number = 0;
        for (std::size_t at = 0; at < m_log.size();) {
            const std::size_t end = std::min(m_log.find('\n', at), m_log.size());
            if (Result<void> done = line(at, end - at, ++number); !done) return tl::unexpected(done.error());
            at = end + 1;
            if (number % 4096 != 0) continue;
            if (task.cancelled()) return cancellation();
            task.report("Reading", at, m_log.size());
        }
        if (Result<void> done = closeStray(); !done) return tl::unexpected(done.error());
        for (auto& [process, open] : m_open)
            if (Result<void> done = close(open); !done) return tl::unexpected(done.error());
        Result<session::ByteSourcePtr> text = std::move(m_text).finish();
        if (!text) return tl::unexpected(text.error());
        std::sort(m_messages.begin(), m_messages.end(), [](const LogMessage& a, const LogMessage& b) {
            return std::pair(a.line, a.fileOffset) < std::pair(b.line, b.fileOffset);
        });
        return LogText{std::move(m_messages), std::move(*text)};
    }

private:
    struct Open {
        LogMessage message;
        std::string_view prefix; ///< up to the text, the same for all lines of a message
        std::string text;
        bool isOpen = false;
    };

    [[nodiscard]] Result<void> line(std::size_t at, std::size_t length, std::size_t number) {
        std::string_view whole = m_log.substr(at, length);
        if (whole.ends_with('\r')) whole.remove_suffix(1);
        std::optional<LogLine> parsed = parseLogLine(whole);
        if (!parsed) {
            const std::size_t inside = prefixInside(whole);
            if (inside != std::string_view::npos) parsed = parseLogLine(whole.substr(inside));
            if (!parsed) return stray(at, whole, number);
            if (Result<void> done = stray(at, whole.substr(0, inside), number); !done) return done;
            at += inside;
            whole.remove_prefix(inside);
        }
        if (Result<void> done = closeStray(); !done) return done;
        const std::string_view prefix = whole.substr(0, whole.size() - parsed->text.size());
        Open& open = m_open[{parsed->prefix.rank, parsed->prefix.process}];
        if (open.isOpen && open.prefix == prefix && !opensMessage(parsed->text)) {
            open.text += '\n';
            appendPlain(open.text, parsed->text);
            return {};
        }
        if (Result<void> done = close(open); !done) return done;
        open.isOpen = true;
        open.prefix = prefix;
        open.message = {number, at, whole.size(), *parsed, false, 0, 0};
        appendPlain(open.text, parsed->text);
        return {};
    }

    [[nodiscard]] Result<void> stray(std::size_t at, std::string_view text, std::size_t number) {
        if (m_stray.isOpen) {
            m_stray.text += '\n';
        } else {
            if (text.find_first_not_of(" \t\r") == std::string_view::npos) return {};
            m_stray.isOpen = true;
            m_stray.message = {number, at, text.size(), {}, true, 0, 0};
        }
        appendPlain(m_stray.text, text);
        return {};
    }
    [[nodiscard]] Result<void> closeStray() { return close(m_stray); }

    [[nodiscard]] Result<void> close(Open& open) {
        if (!open.isOpen) return {};
        open.isOpen = false;
        open.message.offset = m_text.size();
        open.message.length = open.text.size();
        m_messages.push_back(open.message);
        Result<void> done = m_text.append(open.text);
        open.text.clear();
        return done;
    }

    std::string_view m_log;
    std::map<std::pair<int, std::string_view>, Open> m_open; ///< by rank and process
    Open m_stray;
    session::SpooledText m_text;
    std::vector<LogMessage> m_messages;
};

} // namespace

std::optional<LogLine> parseLogLine(std::string_view line) {
    skipWorkerTag(line);
    LogLine out;
    const std::optional<LogPrefix> prefix = parseLogPrefix(line);
    if (!prefix) return std::nullopt;
    out.prefix = *prefix;
    out.text = line.substr(prefix->length);
    out.compile = takeTag(out.text, isCompileTag);
    out.artifact = takeTag(out.text, [](std::string_view tag) { return tag.starts_with("__"); });
    if (!out.artifact.empty()) out.artifact.remove_prefix(2);
    return out;
}

bool looksLikeTorchLog(std::string_view head) {
    for (std::size_t at = 0; at < head.size();) {
        const std::size_t end = std::min(head.find('\n', at), head.size());
        const std::string_view line = head.substr(at, end - at);
        if (const std::optional<LogLine> parsed = parseLogLine(line))
            return !parsed->compile.empty() || !parsed->artifact.empty() || !parsed->text.starts_with("{\"");
        at = end + 1;
    }
    return false;
}

Result<LogText> readLogMessages(std::string_view log, const TaskContext& task) {
    return Joiner(log).run(task);
}

} // namespace dynascope::capture
