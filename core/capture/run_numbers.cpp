// SPDX-License-Identifier: BSD-3-Clause
#include "core/capture/run_numbers.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace dynascope::capture {

namespace {

using session::CompileId;
using Cause = session::Run::Cause;

using Mention = RunNumbers::Mention;
using Backward = Mention::Backward;

constexpr std::size_t none = SIZE_MAX;

/// A backward graph of a run that nobody has compiled yet.
struct Waiting {
    int run = 1;
    std::string inputs;
};

struct Counted { ///< an id of a process
    int run = 1;
    std::set<std::pair<int, std::string_view>> seen; ///< attempts and what they write once, in that run
    std::size_t last = none;                         ///< its latest mention
    std::size_t end = none;                          ///< the mention that ended it, in that run
    std::vector<int> runs;                           ///< those that have it, in their order
    std::vector<Waiting> waiting;                    ///< in the order in which they were made
    std::set<int> compiled;                          ///< runs of which a backward was compiled by itself
};

/// A backward that is compiled by itself.
struct Late {
    int run = 0;             ///< 0 until it is known
    std::string_view inputs; ///< of the first graph in it that has any
};

/// The late backward that each mention is of; none for most.
std::vector<std::size_t> lateOnes(const std::vector<Mention>& log, std::vector<Late>& out) {
    std::vector<std::size_t> of(log.size(), none);
    std::map<std::tuple<int, std::string_view, CompileId>, std::size_t> open;
    for (std::size_t i = 0; i < log.size(); ++i) {
        const Mention& mention = log[i];
        if (mention.id.empty()) continue;
        const std::tuple key(mention.rank, mention.process, mention.id);
        if (!mention.once.empty()) open.erase(key);
        const bool inside = open.contains(key);
        // Without its beginning the end stands for all of it.
        if ((mention.backward == Backward::Begins || mention.backward == Backward::Ends) && !inside) {
            open[key] = out.size();
            out.emplace_back();
        }
        const auto at = open.find(key);
        if (at == open.end()) continue;
        of[i] = at->second;
        if (out[at->second].inputs.empty()) out[at->second].inputs = mention.inputs;
        if (mention.backward == Backward::Ends) open.erase(at);
    }
    return of;
}

/// Which of the graphs that wait is compiled; none where that cannot be told.
std::size_t choose(const std::vector<Waiting>& waiting, std::string_view inputs) {
    if (waiting.empty()) return none;
    const auto sameRun = [&](const Waiting& one) { return one.run == waiting.front().run; };
    const auto fits = [&](const Waiting& one) { return !inputs.empty() && one.inputs == inputs; };
    if (std::all_of(waiting.begin(), waiting.end(), sameRun)) {
        const auto found = std::find_if(waiting.begin(), waiting.end(), fits);
        return found == waiting.end() ? 0 : static_cast<std::size_t>(found - waiting.begin());
    }
    const auto found = std::find_if(waiting.begin(), waiting.end(), fits);
    if (found == waiting.end()) return none;
    const bool elsewhere = std::any_of(
        found, waiting.end(), [&](const Waiting& one) { return one.run != found->run && fits(one); });
    return elsewhere ? none : static_cast<std::size_t>(found - waiting.begin());
}

/// `candidates` has more than one run where it is not sure: then it is the newest of them.
int runOfLate(Counted& id, std::string_view inputs, std::vector<int>& candidates) {
    std::size_t chosen = choose(id.waiting, inputs);
    if (chosen == none) {
        for (const Waiting& one : id.waiting)
            candidates.push_back(one.run);
        for (const int run : id.runs) // where no graph waits: a compile has one backward as a rule
            if (id.waiting.empty() && !id.compiled.contains(run)) candidates.push_back(run);
        if (candidates.empty()) candidates = id.runs;
        std::sort(candidates.begin(), candidates.end());
        candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
        const auto newest = std::find_if(id.waiting.begin(), id.waiting.end(),
                                         [&](const Waiting& one) { return one.run == candidates.back(); });
        if (newest != id.waiting.end()) chosen = static_cast<std::size_t>(newest - id.waiting.begin());
    }
    const int run = chosen == none ? candidates.back() : id.waiting[chosen].run;
    if (chosen != none) id.waiting.erase(id.waiting.begin() + static_cast<std::ptrdiff_t>(chosen));
    id.compiled.insert(run);
    return run;
}

/// What leads up to an end without a start: all from the first mention on that may stand before a start, behind the id's
/// end before.
void moveLeading(std::vector<Mention>& log, const std::vector<std::size_t>& before, std::size_t at,
                 std::size_t lastEnd, int run) {
    std::size_t first = none;
    for (std::size_t i = before[at]; i != none && i > lastEnd; i = before[i])
        if (log[i].leads) first = i;
    for (std::size_t i = before[at]; first != none && i != none && i >= first; i = before[i])
        log[i].id.run = run;
}

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

std::vector<RunNumbers::Unclear> RunNumbers::number(std::vector<Mention>& log, const std::string& file) {
    std::vector<Unclear> unclear;
    std::vector<Late> late;
    const std::vector<std::size_t> lateOf = lateOnes(log, late);

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
            counted.try_emplace({process, mention.id}, Counted{run->second, {}, none, none, {}, {}, {}});
        Counted& id = place->second;
        if (isFirst) id.runs.push_back(id.run);
        if (lateOf[i] != none) {
            Late& whole = late[lateOf[i]];
            if (whole.run == 0) {
                const CompileId name = mention.id;
                std::vector<int> candidates;
                whole.run = runOfLate(id, whole.inputs, candidates);
                if (candidates.size() > 1) {
                    Unclear& one = unclear.emplace_back(Unclear{name, std::move(candidates), mention.line});
                    one.id.run = whole.run;
                }
            }
            mention.id.run = whole.run;
            continue;
        }
        before[i] = std::exchange(id.last, i);
        const std::pair sign(mention.attempt, mention.once);
        if (!mention.once.empty() && !id.seen.insert(sign).second) {
            if (id.run == run->second) run->second = add(mention.rank, Cause::IdsAgain, file, mention.line);
            id.run = run->second;
            id.runs.push_back(id.run);
            id.seen = {sign};
            id.end = none;
            for (std::size_t lead = before[i]; lead != none && log[lead].leads; lead = before[lead])
                log[lead].id.run = id.run;
        }
        if (mention.ends && id.end != none && id.run != run->second) {
            id.run = run->second;
            id.runs.push_back(id.run);
            id.seen = {};
            moveLeading(log, before, i, id.end, id.run);
        }
        if (mention.ends) id.end = i;
        mention.id.run = id.run;
        if (mention.backward == Backward::Made) id.waiting.push_back({id.run, std::string(mention.inputs)});
    }
    return unclear;
}

std::vector<session::Run> RunNumbers::runs() const {
    std::vector<session::Run> out;
    for (const auto& [rank, all] : m_runs)
        out.insert(out.end(), all.begin(), all.end());
    return out;
}

} // namespace dynascope::capture
