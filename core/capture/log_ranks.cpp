// SPDX-License-Identifier: BSD-3-Clause
#include "core/capture/log_ranks.h"

#include <algorithm>

namespace dynascope::capture {

LogRanks::LogRanks(const std::vector<RankLog>& logs, const std::vector<LogText>& texts)
    : m_logs(logs)
    , m_firstOf(logs.size(), -1) {
    std::vector<Process> order;
    std::map<Process, int> named;
    std::set<Process> compiling;
    for (std::size_t file = 0; file < texts.size(); ++file)
        for (const LogMessage& message : texts[file].messages) {
            if (message.stray) continue;
            const LogPrefix& prefix = message.first.prefix;
            const Process process(file, prefix.process);
            if (named.try_emplace(process, prefix.rank).second) order.push_back(process);
            if (prefix.rank >= 0) named[process] = prefix.rank;
            if (!message.first.compile.empty()) compiling.insert(process);
        }
    // Processes that only help (compile workers) are of no rank of their own.
    std::erase_if(order, [&](const Process& process) { return compiling.count(process) == 0; });
    for (const Process& process : order)
        if (named[process] >= 0) take(process, named[process]);
    // A file's name speaks for the first process that says nothing itself, unless another one was that rank.
    std::set<std::size_t> spoken;
    for (const Process& process : order)
        if (named[process] < 0 && logs[process.first].rank >= 0 && spoken.insert(process.first).second)
            take(process, logs[process.first].rank);
    m_named = !m_taken.empty();
    int next = m_taken.empty() ? 0 : *m_taken.rbegin() + 1;
    for (const Process& process : order)
        if (m_ranks.try_emplace(process, next).second) ++next;
    for (const auto& [process, rank] : m_ranks) {
        int& first = m_firstOf[process.first];
        if (first < 0 || rank < first) first = rank;
    }
}

void LogRanks::take(const Process& process, int rank) {
    if (m_taken.insert(rank).second)
        m_ranks[process] = rank;
    else
        m_clashes.push_back({process, rank});
}

int LogRanks::of(std::size_t file, const LogPrefix& prefix) const {
    const auto found = m_ranks.find({file, prefix.process});
    if (found != m_ranks.end()) return found->second;
    return prefix.rank >= 0 ? prefix.rank : first(file);
}

int LogRanks::first(std::size_t file) const {
    return std::max(0, m_firstOf[file] >= 0 ? m_firstOf[file] : m_logs[file].rank);
}

std::vector<std::pair<std::string, std::string>> LogRanks::notes() const {
    std::vector<std::pair<std::string, std::string>> out;
    for (const auto& [process, rank] : m_clashes)
        out.emplace_back("process " + std::string(process.second) + " is of rank " + std::to_string(rank) +
                             " as another one is, and is shown as rank " +
                             std::to_string(m_ranks.at(process)),
                         m_logs[process.first].label);
    if (!m_named && m_ranks.size() > 1)
        out.emplace_back(std::to_string(m_ranks.size()) +
                             " processes do not say their rank; they are numbered as they appear",
                         m_logs.front().label);
    return out;
}

} // namespace dynascope::capture
