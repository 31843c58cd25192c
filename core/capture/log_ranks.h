// SPDX-License-Identifier: BSD-3-Clause
//
// Which rank each process is that wrote into the logs of a run.
#pragma once

#include "core/capture/log_lines.h"
#include "core/capture/log_reader.h"

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dynascope::capture {

/// By the rank that its file's name says, else by the one that it gives itself; a file that several ranks
/// write into (torchrun's joint output) has those of its processes. What says no rank is of rank 0, or of the
/// rank that the rest of its file is of. Processes of one rank are runs of it. Refers to `logs` and `texts`.
class LogRanks {
public:
    /// `texts` are those of `logs`.
    LogRanks(const std::vector<RankLog>& logs, const std::vector<LogText>& texts);

    /// Of a message of the file with this index.
    [[nodiscard]] int of(std::size_t file, const LogPrefix& prefix) const;
    /// Of what no process of the file says.
    [[nodiscard]] int first(std::size_t file) const;
    /// What had to be assumed, each with the label of the file concerned.
    [[nodiscard]] std::vector<std::pair<std::string, std::string>> notes() const;

private:
    /// Of a file: two machines may have processes of one number.
    using Process = std::pair<std::size_t, std::string_view>;

    const std::vector<RankLog>& m_logs;
    std::map<Process, int> m_ranks; ///< those that compile
    std::vector<int> m_firstOf;     ///< the lowest rank of each file, -1 where there is none
    std::vector<std::pair<std::string, std::string>> m_notes;
};

} // namespace dynascope::capture
