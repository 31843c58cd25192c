// SPDX-License-Identifier: BSD-3-Clause
//
// The line structure of what TORCH_LOGS prints (torch/_logging/_internal.py, TorchLogsFormatter): every line
// of a message has the glog prefix, then "[0/0_1]" and "[__graph_code]" where they apply. Several processes
// may write into one stream, and the program's own output lies between.
#pragma once

#include "core/base/result.h"
#include "core/base/task.h"
#include "core/capture/trace_lines.h"
#include "core/session/session.h"

#include <string>
#include <string_view>
#include <vector>

namespace dynascope::capture {

/// One line of a message. Views into the line that was parsed.
struct LogLine {
    LogPrefix prefix;
    std::string_view compile;  ///< "0/0", "0/0_1", "!1/0/0"; empty where the line does not say
    std::string_view artifact; ///< "graph_code"; empty for ordinary messages
    std::string_view text;
};
[[nodiscard]] std::optional<LogLine> parseLogLine(std::string_view line);

/// A message of one process, or a run of lines that are no messages.
struct LogMessage {
    std::size_t line = 0;         ///< its first, from 1
    std::uint64_t fileOffset = 0; ///< of that line in the log
    std::uint64_t fileLength = 0; ///< of that line
    LogLine first;                ///< views into the log; not of a stray
    bool stray = false;
    std::uint64_t offset = 0, length = 0; ///< of the text without prefixes, in LogText::text
};

/// A log taken apart. Messages are in the order of their first lines, and share one text.
struct LogText {
    std::vector<LogMessage> messages;
    session::ByteSourcePtr text;
};

/// Whether the first line with a log prefix is a message rather than a TORCH_TRACE record.
[[nodiscard]] bool looksLikeTorchLog(std::string_view head);

/// Joins the lines of each message, process by process, without prefixes and terminal colours. Linear. The
/// joined text lies in memory, above 16 MiB in a temporary file. An Error where that cannot be written or the
/// task is cancelled. The log must outlive the result.
[[nodiscard]] Result<LogText> readLogMessages(std::string_view log, const TaskContext& task = {});

} // namespace dynascope::capture
