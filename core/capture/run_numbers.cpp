// SPDX-License-Identifier: BSD-3-Clause
#include "core/capture/run_numbers.h"

#include <set>
#include <tuple>
#include <utility>

namespace dynascope::capture {

namespace {

using session::CompileId;
using Cause = session::Run::Cause;

constexpr std::size_t none = SIZE_MAX;

struct Counted { ///< an id of a process
    int run = 1;
    std::set<std::pair<int, std::string_view>> seen; ///< attempts and what they write once, in that run
    std::size_t last = none;                         ///< its latest mention
};

} // namespace

int RunNumbers::add(int rank, Cause cause, const std::string& file, std::size_t line) {
    std::vector<session::Run>& all = m_runs[rank];
    const int number = static_cast<int>(all.size()) + 1;
    all.push_back({rank, number, number == 1 ? Cause::First : cause, file, line});
    return number;
}

int RunNumbers::begin(int rank, const std::string& file, std::size_t line) {
    return add(rank, Cause::File, file, line);
}

void RunNumbers::number(std::vector<Mention>& log, const std::string& file) {
    // Processes that only help (compile workers) name no compile; what they write goes to the first.
    using Process = std::pair<int, std::string_view>; // rank, number
    std::set<Process> compiling;
    std::map<int, std::string_view> leading;
    for (const Mention& mention : log)
        if (!mention.id.empty()) {
            compiling.emplace(mention.rank, mention.process);
            leading.try_emplace(mention.rank, mention.process);
        }

    std::map<Process, int> current;
    std::set<int> known; // ranks of this log
    std::map<std::tuple<Process, CompileId>, Counted> counted;
    std::vector<std::size_t> before(log.size(), none); // the mention of the same id before each
    for (std::size_t i = 0; i < log.size(); ++i) {
        Mention& mention = log[i];
        Process process(mention.rank, mention.process);
        if (!compiling.contains(process)) process.second = leading[mention.rank];
        const auto [run, isNew] = current.try_emplace(process, 0);
        if (isNew)
            run->second = add(mention.rank, known.insert(mention.rank).second ? Cause::File : Cause::Process,
                              file, mention.line);
        mention.id.run = 1;
        if (mention.id.empty()) {
            mention.id.run = run->second;
            continue;
        }
        const auto [place, isFirst] =
            counted.try_emplace({process, mention.id}, Counted{run->second, {}, none});
        Counted& id = place->second;
        before[i] = std::exchange(id.last, i);
        const std::pair sign(mention.attempt, mention.once);
        if (!mention.once.empty() && !id.seen.insert(sign).second) {
            if (id.run == run->second) run->second = add(mention.rank, Cause::IdsAgain, file, mention.line);
            id.run = run->second;
            id.seen = {sign};
            for (std::size_t lead = before[i]; lead != none && log[lead].leads; lead = before[lead])
                log[lead].id.run = id.run;
        }
        mention.id.run = id.run;
    }
}

std::vector<session::Run> RunNumbers::runs() const {
    std::vector<session::Run> out;
    for (const auto& [rank, all] : m_runs)
        out.insert(out.end(), all.begin(), all.end());
    return out;
}

} // namespace dynascope::capture
