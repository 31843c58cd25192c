// SPDX-License-Identifier: BSD-3-Clause
//
// Reads TORCH_TRACE logs, and of logs that grow only what is new.
#pragma once

#include "core/base/task.h"
#include "core/capture/log_reader.h"
#include "core/capture/open.h"
#include "core/session/session.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace dynascope::capture {

class TraceReader;

/// How far logs were read, up to their last record, which may still be in the making. Takes about as much
/// memory as the session does. Any thread; of two reads at once one reads from the beginning.
class LogMemory {
public:
    LogMemory();
    ~LogMemory();
    LogMemory(const LogMemory&) = delete;
    LogMemory& operator=(const LogMemory&) = delete;

    /// The session of these logs in this order, as it is when they are read from the beginning. They are read
    /// on where they are those of the last call, but for more bytes at the end of the last one, at the same
    /// addresses (session::openGrowing). An Error where it is cancelled.
    [[nodiscard]] Result<session::Session> read(const std::vector<RankLog>& logs, const OpenOptions& options,
                                                const TaskContext& task);
    /// How many bytes of the logs the latest read did not look at again.
    [[nodiscard]] std::uint64_t known() const;

private:
    struct Kept;
    [[nodiscard]] std::optional<session::Session> readOn(const std::vector<RankLog>& logs,
                                                         const TaskContext& task);
    void keep(const std::vector<RankLog>& logs, std::unique_ptr<TraceReader> reader, std::uint64_t known);

    mutable std::mutex m_mutex;
    std::unique_ptr<Kept> m_kept; ///< null while a read has it
    std::uint64_t m_known = 0;
};

/// Logs of TORCH_TRACE, rank by rank, as one session. By `options.memory` where there is one. An Error where
/// it is cancelled.
[[nodiscard]] Result<session::Session> readTraces(const std::vector<RankLog>& logs,
                                                  const OpenOptions& options, const TaskContext& task);

} // namespace dynascope::capture
