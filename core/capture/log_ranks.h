// SPDX-License-Identifier: BSD-3-Clause
//
// Which rank each process is that wrote into the logs of a run.
#pragma once

#include "core/capture/log_lines.h"
#include "core/capture/log_reader.h"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dynascope::capture {

/// By the rank that a process gives itself, else by its file's name, else in order of appearance. Refers to
/// `logs` and `texts`.
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
    void take(const Process& process, int rank);

    const std::vector<RankLog>& m_logs;
    std::map<Process, int> m_ranks; ///< those that compile
    std::set<int> m_taken;
    std::vector<std::pair<Process, int>> m_clashes;
    std::vector<int> m_firstOf; ///< the lowest rank of each file, -1 where there is none
    bool m_named = false;
};

} // namespace dynascope::capture
