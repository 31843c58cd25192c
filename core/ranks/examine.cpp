// SPDX-License-Identifier: BSD-3-Clause
#include "core/base/log.h"
#include "core/base/words.h"
#include "core/ranks/parts.h"

#include <algorithm>
#include <cctype>

namespace dynascope::ranks {

std::string_view verdictName(RanksVerdict verdict) {
    static constexpr std::array<std::string_view, 4> names = {"alike", "slower", "may be wrong", "will hang"};
    return names[static_cast<std::size_t>(verdict)];
}

std::string rankWords(std::span<const int> ranks) {
    constexpr std::size_t most = 5;
    if (ranks.empty()) return "no rank";
    if (ranks.size() == 1) return "rank " + std::to_string(ranks.front());
    const auto inARow = static_cast<std::size_t>(ranks.back() - ranks.front()) + 1 == ranks.size();
    if (inARow && ranks.size() > 2)
        return "ranks " + std::to_string(ranks.front()) + " to " + std::to_string(ranks.back());
    const std::size_t named = ranks.size() > most ? 2 : ranks.size() - 1;
    std::string out = "ranks ";
    for (std::size_t i = 0; i < named; ++i)
        out += (i == 0 ? "" : ", ") + std::to_string(ranks[i]);
    return out + " and " +
           (ranks.size() > most ? std::to_string(ranks.size() - named) + " more"
                                : std::to_string(ranks.back()));
}

double Runtime::delta() const {
    double least = ns.empty() ? 0 : ns.front().second, most = least;
    for (const auto& [rank, time] : ns) {
        least = std::min(least, time);
        most = std::max(most, time);
    }
    return most - least;
}

namespace {

using detail::Row;

/// Of what may be wrong, what follows from something worse of the same compile and ranks is left out, and what was
/// found later of the very same ranks.
void dropConsequences(std::vector<Reason>& reasons) {
    std::map<std::string_view, std::set<int>> hanging;
    for (const Reason& reason : reasons)
        if (reason.verdict == RanksVerdict::WillHang && !reason.compile.empty())
            hanging[reason.compile].insert(reason.ranks.begin(), reason.ranks.end());
    std::set<std::pair<std::string_view, std::vector<int>>> said;
    std::vector<bool> drop(reasons.size());
    for (std::size_t i = 0; i < reasons.size(); ++i) {
        const Reason& reason = reasons[i];
        if (reason.verdict != RanksVerdict::MayBeWrong || reason.compile.empty()) continue;
        const auto worse = hanging.find(reason.compile);
        drop[i] = (worse != hanging.end() && std::ranges::includes(worse->second, reason.ranks)) ||
                  !said.emplace(reason.compile, reason.ranks).second;
    }
    std::vector<Reason> kept;
    for (std::size_t i = 0; i < reasons.size(); ++i)
        if (!drop[i]) kept.push_back(std::move(reasons[i]));
    reasons = std::move(kept);
}

void sortReasons(const std::vector<Row>& rows, std::vector<Reason>& reasons) {
    std::map<std::string, std::size_t> placeOf;
    for (std::size_t i = 0; i < rows.size(); ++i)
        placeOf.emplace(rows[i].shown.id, i);
    std::ranges::stable_sort(reasons, [&](const Reason& a, const Reason& b) {
        if (a.verdict != b.verdict) return a.verdict > b.verdict;
        const auto place = [&](const Reason& reason) {
            const auto at = placeOf.find(reason.compile);
            return at == placeOf.end() ? rows.size() : at->second;
        };
        return place(a) < place(b);
    });
}

void groupCompiles(const std::vector<Row>& rows, Report& out) {
    std::vector<std::string> keys(out.ranks.size(), "compiles:");
    for (const Row& row : rows)
        for (std::size_t rank = 0; rank < keys.size(); ++rank)
            if (row.shown.letters[rank] >= 0)
                keys[rank] += row.shown.id + '=' + std::to_string(row.shown.letters[rank]) + ' ';
    out.compiles = detail::groupsOf(out.ranks, keys);
}

void finish(std::vector<Row>& rows, Report& out) {
    dropConsequences(out.reasons);
    sortReasons(rows, out.reasons);
    groupCompiles(rows, out);
    std::map<std::string, std::size_t> rowOf;
    for (Row& row : rows) {
        rowOf.emplace(row.shown.id, out.rows.size());
        out.rows.push_back(std::move(row.shown));
    }
    for (std::size_t i = 0; i < out.reasons.size(); ++i) {
        const Reason& reason = out.reasons[i];
        ++out.count[static_cast<std::size_t>(reason.verdict)];
        out.verdict = std::max(out.verdict, reason.verdict);
        const auto row = rowOf.find(reason.compile);
        if (row == rowOf.end() || out.rows[row->second].reason != none) continue;
        out.rows[row->second].reason = i;
        out.rows[row->second].verdict = reason.verdict;
    }
}

} // namespace

Result<Report> examine(const session::Session& session, const TaskContext& task) {
    Report out;
    out.ranks = session.ranks;
    if (out.ranks.size() < 2) return out;
    const log::Stopwatch watch;
    if (const Result<void> all = session::needAll(session); !all) return tl::unexpected(all.error());
    detail::Reader reader(session, out.ranks);
    out.notes = reader.runsApart();
    std::vector<Row> rows = detail::rowsOf(reader);
    detail::readLanes(reader, rows, task, out);
    if (task.cancelled()) return cancellation();
    log::write(log::Topic::Ranks, "read ", rows.size(), " compiles of ", out.ranks.size(), " ranks in ",
               watch.ms(), " ms");
    detail::noteIds(reader, rows, out);
    detail::judgeLanes(reader, rows, out);
    detail::judgeOrder(reader, rows, out);
    detail::judgeTransfers(reader, rows, out);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (task.cancelled()) return cancellation();
        task.report("Comparing ranks", i, rows.size());
        Row& row = rows[i];
        detail::judgeGraphs(reader, row, out);
        detail::judgeCode(reader, row, out);
    }
    detail::judgeCompiling(reader, rows, detail::compilerCollectives(session), out);
    detail::judgeCaches(reader, rows, out);
    detail::judgeDevices(reader, out);
    detail::readRecords(reader, rows, out);
    finish(rows, out);
    log::write(log::Topic::Ranks, "examined after ", watch.ms(), " ms: ", verdictName(out.verdict), ", ",
               out.reasons.size(), " reasons");
    return out;
}

std::string summaryOf(const Report& report) {
    if (report.ranks.size() < 2) return "One rank is in this capture.";
    // Ranks that send and receive otherwise than each other have other graphs, and no reason.
    const auto apart = static_cast<std::size_t>(std::ranges::count_if(report.rows, [](const CompileRow& row) {
        return std::ranges::any_of(row.letters, [](int letter) { return letter > 0; });
    }));
    if (report.reasons.empty() && apart > 0)
        return "Nothing was found that does not fit; in " + std::to_string(apart) + " of " +
               dynascope::count(report.rows.size(), "compile id") + " the " +
               std::to_string(report.ranks.size()) + " ranks do not all send and receive the same.";
    if (report.reasons.empty())
        return "The " + std::to_string(report.ranks.size()) + " ranks are alike in " +
               dynascope::count(report.rows.size(), "compile id") + '.';
    const Reason& worst = report.reasons.front();
    std::string verdict(verdictName(worst.verdict));
    verdict.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(verdict.front())));
    return verdict + ": " + worst.text + '.';
}

} // namespace dynascope::ranks
