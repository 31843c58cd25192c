// SPDX-License-Identifier: BSD-3-Clause
#include "core/capture/log_ranks.h"

#include <algorithm>
#include <set>

namespace dynascope::capture {

LogRanks::LogRanks(const std::vector<RankLog>& logs, const std::vector<LogText>& texts)
    : m_logs(logs)
    , m_firstOf(logs.size(), -1) {
    std::size_t silent = 0, processes = 0;
    for (std::size_t file = 0; file < texts.size(); ++file) {
        std::map<std::string_view, int> said; // by process
        std::set<std::string_view> compiling; // those that only help (compile workers) are of no rank
        for (const LogMessage& message : texts[file].messages) {
            if (message.stray) continue;
            const LogPrefix& prefix = message.first.prefix;
            int& rank = said.try_emplace(prefix.process, -1).first->second;
            rank = std::max(rank, prefix.rank);
            if (!message.first.compile.empty()) compiling.insert(prefix.process);
        }
        std::set<int> ranks;
        for (const std::string_view process : compiling)
            if (const int rank = said[process]; rank >= 0) ranks.insert(rank);
        const int named = logs[file].rank;
        const bool several = ranks.size() > 1;
        const int rest = named >= 0 ? named : ranks.empty() ? 0 : *ranks.begin();
        if (named >= 0 && ranks.size() == 1 && *ranks.begin() != named)
            m_notes.emplace_back("the file's name says rank " + std::to_string(named) +
                                     " and its messages say rank " + std::to_string(*ranks.begin()) +
                                     "; it is shown as rank " + std::to_string(named),
                                 logs[file].label);
        for (const std::string_view process : compiling) {
            const int own = said[process];
            m_ranks[{file, process}] = several && own >= 0 ? own : rest;
            ++processes;
            if (own < 0 && named < 0) ++silent;
        }
        if (!compiling.empty()) m_firstOf[file] = several ? *ranks.begin() : rest;
    }
    if (silent > 0 && processes > 1)
        m_notes.emplace_back((silent == processes ? std::to_string(silent) + " processes do not"
                                                  : std::to_string(silent) + " of " +
                                                        std::to_string(processes) + " processes do not") +
                                 " say their rank; each is shown as a run of its own",
                             logs.front().label);
}

int LogRanks::of(std::size_t file, const LogPrefix& prefix) const {
    const auto found = m_ranks.find({file, prefix.process});
    return found != m_ranks.end() ? found->second : first(file);
}

int LogRanks::first(std::size_t file) const {
    return std::max(0, m_firstOf[file] >= 0 ? m_firstOf[file] : m_logs[file].rank);
}

std::vector<std::pair<std::string, std::string>> LogRanks::notes() const {
    return m_notes;
}

} // namespace dynascope::capture
