// SPDX-License-Identifier: BSD-3-Clause
//
// What Dynamo's numbers tell of ranks: frames are numbered as they are met, so that other numbers are another order, or
// a graph break more.
#include "core/base/words.h"
#include "core/ranks/parts.h"

#include <algorithm>

namespace dynascope::ranks::detail {

namespace {

/// Process groups of the calls that a rank makes in the graphs of forward, which run as soon as they are compiled.
std::set<std::string> usedGroups(const Row& row, int rank) {
    std::set<std::string> out;
    for (const Lane& lane : row.shown.lanes)
        if (std::ranges::binary_search(lane.ranks, rank))
            for (const Call& call : lane.calls)
                if (!call.what.pointToPoint && call.stage && call.stage->phase != session::Phase::Backward &&
                    call.stage->phase != session::Phase::PostGradBackward)
                    out.insert(call.what.group);
    return out;
}

/// What two ranks call in the first compile of a frame, on a process group that both use.
struct Met {
    std::size_t row = none;
    std::size_t first = 0, second = 0; ///< of each of them: into Session::compiles
};

bool isNamed(const Row& row) {
    return !row.shown.function.empty();
}

std::string nameOf(const Row& row) {
    return row.shown.function + " (" + row.shown.id + ')';
}

} // namespace

void judgeOrder(const Reader& reader, const std::vector<Row>& rows, Report& out) {
    const std::size_t count = reader.ranks().size();
    std::vector<std::vector<std::set<std::string>>> groups; // by row and rank
    std::vector<std::size_t> calling;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].shown.lanes.empty() || !isNamed(rows[i]) ||
            compileOf(reader, rows[i], rows[i].present.front()).id.compile != 0)
            continue;
        calling.push_back(i);
        groups.emplace_back();
        for (const int rank : reader.ranks())
            groups.back().push_back(usedGroups(rows[i], rank));
    }
    std::map<std::pair<std::size_t, std::size_t>, std::vector<std::size_t>> turned; // two rows: ranks
    for (std::size_t rank = 1; rank < count; ++rank) {
        std::vector<Met> met;
        for (std::size_t k = 0; k < calling.size(); ++k) {
            const auto& compiles = rows[calling[k]].shown.compiles;
            if (compiles[0] == none || compiles[rank] == none) continue;
            const bool shared = std::ranges::any_of(
                groups[k][0], [&](const std::string& group) { return groups[k][rank].contains(group); });
            if (shared) met.push_back({calling[k], compiles[0], compiles[rank]});
        }
        std::vector<Met> other = met;
        std::ranges::sort(met, {}, &Met::first);
        std::ranges::sort(other, {}, &Met::second);
        const auto [a, b] = std::ranges::mismatch(met, other, {}, &Met::row, &Met::row);
        if (a != met.end()) turned[{a->row, b->row}].push_back(rank);
    }
    for (const auto& [which, ranks] : turned) {
        const Row &first = rows[which.first], &second = rows[which.second];
        Reason reason = reasonAt(reader, second, RanksVerdict::WillHang, ranks);
        // Calls that fit meet all the same, and each rank takes the other's for its own.
        const bool mixed =
            std::ranges::equal(first.shown.lanes.front().calls, second.shown.lanes.front().calls,
                               [](const Call& a, const Call& b) { return fit(a.what, b.what); });
        if (mixed) reason.verdict = RanksVerdict::MayBeWrong;
        reason.text =
            rankWords(reason.ranks) + ' ' + verb(ranks.size(), "compile") + ' ' + nameOf(second) +
            " before " + nameOf(first) + ", and " + rankWords(std::span(reader.ranks()).first(1)) + ' ' +
            nameOf(first) + " before " + nameOf(second) +
            (mixed ? ": each takes the collectives of one for those of the other, as they are of one kind"
                   : ": at their first run the collectives of one wait for those of the other");
        out.reasons.push_back(std::move(reason));
    }
}

void noteIds(const Reader& reader, const std::vector<Row>& rows, Report& out) {
    std::map<std::vector<int>, std::pair<const Row*, std::size_t>>
        shifted; // by ranks: the first row, how many
    for (const Row& row : rows)
        for (const auto& [id, ranks] : row.shown.otherIds)
            ++shifted.try_emplace(ranks, &row, 0).first->second.second;
    for (const auto& [ranks, of] : shifted) {
        const CompileRow& row = of.first->shown;
        const auto own =
            std::ranges::find(row.otherIds, ranks, [](const auto& other) { return other.second; });
        out.notes.push_back(
            rankWords(ranks) + (ranks.size() == 1 ? " has" : " have") +
            " other compile ids than most: " + own->first + " there is " + row.id +
            (row.function.empty() ? std::string() : " (" + row.function + ')') +
            (of.second == 1 ? std::string() : ", and so on in " + dynascope::count(of.second, "compile")) +
            "; compiles are joined by function, file and line");
    }
    std::set<std::size_t> said;
    for (const Row& row : rows) {
        if (row.parts.empty() || row.inner || !said.insert(row.function).second) continue;
        std::string note = row.shown.id + ": ";
        const auto groups = comparable(row);
        for (std::size_t i = 0; i < groups.size(); ++i) {
            const auto parts = std::ranges::count_if(rows, [&](const Row& other) {
                return other.function == row.function && other.shown.compiles[groups[i].front()] != none &&
                       compileOf(reader, other, groups[i].front()).id.compile == 0;
            });
            note += (i == 0 ? "" : ", ") + rankWords(numbersOf(reader, groups[i])) +
                    (groups[i].size() == 1 ? " has " : " have ") + row.shown.function + " in " +
                    dynascope::count(static_cast<std::size_t>(parts), "part");
        }
        out.notes.push_back(note +
                            "; collectives are compared over all parts, graphs only where the parts are "
                            "the same");
    }
}

} // namespace dynascope::ranks::detail
