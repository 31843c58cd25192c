// SPDX-License-Identifier: BSD-3-Clause
#include "core/compare/parts.h"
#include "core/session/ranked_compiles.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

namespace dynascope::compare {

namespace {

/// Tells two ranks apart that both differ from the first one: a hash of all their stages' texts.
std::size_t textsOf(const session::Compile& compile, const detail::OwnDevices& devices) {
    std::string all;
    for (const session::StagePtr& stage : compile.stages)
        all += stage->label() + '\n' + devices.unnumbered(stage->payload.text()) + '\n';
    return std::hash<std::string>()(all);
}

} // namespace

Result<RankComparison> compareRanks(const session::Session& session, const TaskContext& task) {
    if (const Result<void> all = session::needAll(session); !all) return tl::unexpected(all.error());
    RankComparison out;
    out.ranks = session.ranks;
    const std::size_t count = out.ranks.size();
    out.comparisons.resize(count);
    std::vector<std::size_t> rowOf(session.compiles.size(), none); // by compile
    for (session::RankedCompile& row : session::rankedCompiles(session, out.ranks)) {
        for (const std::size_t compile : row.compiles)
            if (compile != none) rowOf[compile] = out.rows.size();
        const bool onFirst = row.compiles.front() != none;
        out.rows.push_back({std::move(row.id), std::move(row.compiles), std::vector<int>(count, -1), -1, {}});
        if (onFirst) out.rows.back().group[0] = 0;
    }

    std::map<std::pair<std::string, std::size_t>, int> groups; // of those that are not as the first rank is
    for (std::size_t r = 1; r < count; ++r) {
        Result<Comparison> pair = compareSessions(
            session, session,
            {.rankA = out.ranks.front(), .rankB = out.ranks[r], .byCompileId = true, .ownDevices = true},
            task);
        if (!pair) return tl::unexpected(pair.error());
        const detail::OwnDevices devices =
            detail::ownDevices(session, out.ranks.front(), session, out.ranks[r]);
        for (const CompileComparison& entry : pair->compiles) {
            const std::size_t index = entry.b != none ? entry.b : entry.a;
            if (rowOf[index] == none) continue; // the same id twice on one rank
            const session::Compile& compile = session.compiles[index];
            RankRow& row = out.rows[rowOf[index]];
            if (entry.verdict == CompareVerdict::Same) {
                row.group[r] = 0;
                continue;
            }
            if (entry.b != none) {
                int& group = groups[{row.compileId, textsOf(compile, devices)}];
                if (group == 0) group = 1 + *std::max_element(row.group.begin(), row.group.end());
                row.group[r] = std::max(1, group);
                group = row.group[r];
            }
            if (row.differing >= 0) continue;
            row.differing = static_cast<int>(r);
            const std::string first = std::to_string(out.ranks.front()), other = std::to_string(out.ranks[r]);
            row.difference = entry.verdict == CompareVerdict::OnlyInA   ? "only on rank " + first
                             : entry.verdict == CompareVerdict::OnlyInB ? "only on rank " + other
                                                                        : entry.difference;
        }
        out.comparisons[r] = std::move(*pair);
    }
    for (std::size_t i = 0; i < out.rows.size() && out.firstDiffering == none; ++i)
        if (!out.rows[i].alike()) out.firstDiffering = i;
    return out;
}

} // namespace dynascope::compare
