// SPDX-License-Identifier: BSD-3-Clause
#include "core/ranks/compared.h"

#include <algorithm>
#include <map>

namespace dynascope::ranks {

namespace {

using compare::CompareVerdict;
using compare::RankComparison;
using compare::RankRow;

/// The first rank's is 0, others by order of appearance; without a compile of the first rank from 1.
std::vector<int> groupsOf(const std::vector<int>& letters) {
    std::map<int, int> groupOf;
    std::vector<int> out(letters.size(), -1);
    const int from = letters.front() < 0 ? 1 : 0;
    for (std::size_t i = 0; i < letters.size(); ++i)
        if (letters[i] >= 0)
            out[i] = groupOf.try_emplace(letters[i], from + static_cast<int>(groupOf.size())).first->second;
    return out;
}

bool sameLetters(const CompileRow& row) {
    return std::ranges::all_of(row.letters, [&](int letter) { return letter == row.letters.front(); });
}

void settle(const Report& report, const CompileRow& found, RankRow& row) {
    const bool letters = sameLetters(found);
    const bool alike = letters && (found.reason == none || row.alike());
    if (alike || !letters) row.group = groupsOf(found.letters);
    if (alike) {
        row.differing = -1;
        row.difference.clear();
        return;
    }
    const std::string reason = found.reason == none ? std::string() : report.reasons[found.reason].text;
    const auto other = std::ranges::find_if(row.group, [&](int group) { return group != row.group.front(); });
    if (other != row.group.end()) row.differing = static_cast<int>(other - row.group.begin());
    if (row.difference.empty() || found.verdict == RanksVerdict::WillHang) row.difference = reason;
}

/// Each pair as its row has it.
void settlePairs(RankComparison& out) {
    std::map<std::size_t, const RankRow*> rowOf; // by compile
    for (const RankRow& row : out.rows)
        for (const std::size_t compile : row.compiles)
            rowOf.emplace(compile, &row);
    rowOf.erase(compare::none);
    for (std::size_t r = 1; r < out.comparisons.size(); ++r) {
        compare::Comparison& pair = out.comparisons[r];
        const auto compileOf = [&](const compare::CompileComparison& entry) {
            return entry.a != compare::none ? entry.a : entry.b;
        };
        std::erase_if(pair.compiles, [&](const auto& entry) { return !rowOf.contains(compileOf(entry)); });
        pair.same = pair.differing = pair.onlyInA = pair.onlyInB = 0;
        for (compare::CompileComparison& entry : pair.compiles) {
            const RankRow& row = *rowOf.at(compileOf(entry));
            const bool both = entry.a != compare::none && entry.b != compare::none;
            if (both && row.alike()) {
                entry.verdict = CompareVerdict::Same;
                entry.difference.clear();
            } else if (both && row.group[r] != row.group[0] && entry.verdict == CompareVerdict::Same) {
                entry.verdict = CompareVerdict::Differs;
                entry.difference = row.difference;
            }
            ++(entry.verdict == CompareVerdict::Same      ? pair.same
               : entry.verdict == CompareVerdict::OnlyInA ? pair.onlyInA
               : entry.verdict == CompareVerdict::OnlyInB ? pair.onlyInB
                                                          : pair.differing);
        }
    }
}

} // namespace

Result<RankComparison> compareRanks(const session::Session& session, const TaskContext& task) {
    const Result<Report> report = examine(session, task);
    if (!report) return tl::unexpected(report.error());
    Result<RankComparison> out = compare::compareRanks(session, task);
    if (!out || report->ranks.size() < 2) return out;
    std::map<std::size_t, const CompileRow*> rowOf; // by compile
    for (const CompileRow& row : report->rows)
        for (const std::size_t compile : row.compiles)
            rowOf.emplace(compile, &row);
    rowOf.erase(none);
    const auto firstOf = [](const RankRow& row) {
        return *std::ranges::find_if(row.compiles,
                                     [](std::size_t compile) { return compile != compare::none; });
    };
    std::erase_if(out->rows, [&](const RankRow& row) { return !rowOf.contains(firstOf(row)); });
    out->firstDiffering = compare::none;
    for (std::size_t i = 0; i < out->rows.size(); ++i) {
        settle(*report, *rowOf.at(firstOf(out->rows[i])), out->rows[i]);
        if (out->firstDiffering == compare::none && !out->rows[i].alike()) out->firstDiffering = i;
    }
    settlePairs(*out);
    return out;
}

} // namespace dynascope::ranks
