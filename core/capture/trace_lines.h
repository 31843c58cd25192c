// SPDX-License-Identifier: BSD-3-Clause
//
// The line structure of a TORCH_TRACE log (torch/_logging/_internal.py, TorchLogsFormatter with is_trace): a
// glog prefix, one JSON object, then the payload, each of its lines after a tab.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace dynascope::capture {

/// "V1121 01:29:50.608000 10733 torch/_dynamo/utils.py:2350] ", with "[rank0]:" before it in a distributed
/// run.
struct LogPrefix {
    int rank = -1;            ///< -1 where the line does not say
    double seconds = 0;       ///< of the day
    std::string_view process; ///< its id: "10733"
    std::string_view origin;  ///< "torch/_dynamo/utils.py:2350"
    std::size_t length = 0;   ///< up to what follows the prefix
};

/// The prefix of one line, if it has one.
[[nodiscard]] std::optional<LogPrefix> parseLogPrefix(std::string_view line);

/// A header line with its payload, or a run of lines that belong to no record. Offsets count bytes from the
/// start.
struct TraceItem {
    enum class Kind : std::uint8_t { Record, Stray } kind = Kind::Record;
    std::size_t line = 0;  ///< first line, from 1
    std::size_t lines = 0; ///< Stray: how many
    LogPrefix prefix;
    std::uint64_t jsonOffset = 0, jsonLength = 0;
    std::uint64_t payloadOffset = 0, payloadLength = 0; ///< with the tabs, without the last line's end
    bool hasPayload = false;
    bool last = false; ///< nothing follows in the file
};

/// Cuts a log into items, in order. Linear; looks at each byte about once. The text must outlive it.
class TraceLines {
public:
    explicit TraceLines(std::string_view text)
        : m_text(text) {}
    [[nodiscard]] std::optional<TraceItem> next();
    [[nodiscard]] std::uint64_t position() const { return m_at; }
    /// Number of the line that comes next, from 1.
    [[nodiscard]] std::size_t line() const { return m_line; }

private:
    [[nodiscard]] std::string_view lineAt(std::uint64_t at) const;
    [[nodiscard]] std::uint64_t after(std::uint64_t at) const;

    std::string_view m_text;
    std::uint64_t m_at = 0;
    std::size_t m_line = 1;
};

} // namespace dynascope::capture
