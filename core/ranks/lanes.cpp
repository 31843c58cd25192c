// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives held against each other, process group by process group: ranks that share none may do what they like.
#include "core/ranks/parts.h"

#include <algorithm>
#include <charconv>

namespace dynascope::ranks::detail {

namespace {

/// Elements of "f32[4, 8]", nothing where a size is no number.
std::optional<std::int64_t> elements(std::string_view shape) {
    const std::size_t open = shape.find('['), close = shape.rfind(']');
    if (open == std::string_view::npos || close == std::string_view::npos || close < open)
        return std::nullopt;
    std::string_view sizes = shape.substr(open + 1, close - open - 1);
    double out = 1;
    while (!sizes.empty()) {
        const std::size_t comma = std::min(sizes.find(", "), sizes.size());
        std::int64_t size = 0;
        const auto [end, error] = std::from_chars(sizes.data(), sizes.data() + comma, size);
        if (error != std::errc() || end != sizes.data() + comma) return std::nullopt;
        out *= static_cast<double>(size);
        sizes.remove_prefix(std::min(comma + 2, sizes.size()));
    }
    return out < 9e18 ? std::optional(static_cast<std::int64_t>(out)) : std::nullopt;
}

std::string_view dtypeOf(std::string_view shape) {
    return shape.substr(0, shape.find('['));
}

bool tensorsFit(const Collective& a, const Collective& b) {
    if (a.inputs.size() != b.inputs.size()) return false;
    for (std::size_t i = 0; i < a.inputs.size(); ++i) {
        if (dtypeOf(a.inputs[i]) != dtypeOf(b.inputs[i])) return false;
        const auto ofA = elements(a.inputs[i]), ofB = elements(b.inputs[i]);
        if (!a.uneven && ofA && ofB && ofA != ofB) return false;
    }
    return true;
}

} // namespace

bool fit(const Collective& a, const Collective& b) {
    return a.kind == b.kind && a.group == b.group && a.groupSize == b.groupSize && a.rest == b.rest &&
           tensorsFit(a, b);
}

namespace {

std::string described(const Call& call) {
    const std::string shapes = shapesText(call.what);
    return call.what.call() + (shapes.empty() ? "" : " of " + shapes) + " (node " + call.what.node +
           (call.what.within.empty() ? "" : ", " + call.what.within) + placeWords(call.what) + ")";
}

std::string fullWords(const Call& call) {
    const std::string& group = call.what.group;
    return described(call) + (group.empty() ? "" : " on process group '" + group + "'");
}

/// What is known of who belongs to which process group.
class Membership {
public:
    Membership(const Reader& reader, const std::vector<Row>& rows)
        : m_all(reader.ranks().size())
        , m_used(m_all) {
        std::map<int, std::size_t> indexOf;
        for (std::size_t i = 0; i < m_all; ++i)
            indexOf.emplace(reader.ranks()[i], i);
        for (const Row& row : rows)
            for (const Lane& lane : row.shown.lanes)
                for (const Call& call : lane.calls) {
                    const auto size = call.what.groupSize.value_or(0);
                    // The default group, which init_process_group makes first.
                    if (call.what.group == "0" || (size > 0 && static_cast<std::size_t>(size) >= m_all))
                        m_ofAll.insert(call.what.group);
                }
        for (const Row& row : rows)
            for (const Lane& lane : row.shown.lanes) {
                std::set<std::string> groups;
                for (const Call& call : lane.calls)
                    groups.insert(call.what.group);
                for (const int rank : lane.ranks)
                    m_used[indexOf.at(rank)].insert(groups.begin(), groups.end());
            }
        m_indexOf = std::move(indexOf);
    }

    /// Of the rank with this number.
    [[nodiscard]] bool has(int rank, const std::string& group) const {
        return m_ofAll.contains(group) || m_used[m_indexOf.at(rank)].contains(group);
    }

private:
    std::size_t m_all;
    std::set<std::string> m_ofAll;
    std::vector<std::set<std::string>> m_used; ///< by index of rank
    std::map<int, std::size_t> m_indexOf;
};

/// Indices of the calls that the other lane has to make as well.
std::vector<std::size_t> sharedCalls(const Lane& lane, int otherRank, const Membership& members) {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < lane.calls.size(); ++i)
        if (!lane.calls[i].what.pointToPoint && members.has(otherRank, lane.calls[i].what.group))
            out.push_back(i);
    return out;
}

std::size_t indexOf(const Reader& reader, int rank) {
    return static_cast<std::size_t>(std::ranges::lower_bound(reader.ranks(), rank) - reader.ranks().begin());
}

class LaneJudge {
public:
    LaneJudge(const Reader& reader, const Membership& members, const std::vector<Row>& rows, Row& row,
              Report& out)
        : m_reader(reader)
        , m_members(members)
        , m_rows(rows)
        , m_row(row)
        , m_out(out) {}

    void judge() {
        std::vector<Lane>& lanes = m_row.shown.lanes;
        std::map<std::string, std::size_t> referenceOf; // lanes are in order of how many ranks they have
        for (std::size_t i = 0; i < lanes.size(); ++i)
            for (const Call& call : lanes[i].calls)
                referenceOf.try_emplace(call.what.group, i);
        for (std::size_t i = 0; i < lanes.size(); ++i) {
            std::set<std::size_t> others;
            for (const auto& [group, reference] : referenceOf)
                if (reference != i && m_members.has(lanes[i].ranks.front(), group)) others.insert(reference);
            for (const std::size_t other : others)
                if (compare(lanes[i], lanes[other])) break;
        }
        for (const Lane& lane : lanes)
            forgotten(lane);
    }

private:
    Reason reason(const Lane& lane, const Call* call, RanksVerdict verdict) {
        std::vector<std::size_t> ranks;
        for (const int rank : lane.ranks)
            ranks.push_back(indexOf(m_reader, rank));
        Reason out = reasonAt(m_reader, m_row, verdict, ranks);
        if (!call) return out;
        out.at = m_rows[call->row].shown.compiles[ranks.front()];
        out.node = call->what.node;
        out.stage = call->stage;
        if (!call->what.at.file.empty()) {
            out.file = call->what.at.file;
            out.line = call->what.at.line;
        }
        return out;
    }

    /// True where the two will wait for each other.
    bool compare(Lane& lane, Lane& reference) {
        const auto mine = sharedCalls(lane, reference.ranks.front(), m_members);
        const auto theirs = sharedCalls(reference, lane.ranks.front(), m_members);
        const std::size_t both = std::min(mine.size(), theirs.size());
        const std::string who = rankWords(lane.ranks), others = rankWords(reference.ranks);
        std::size_t reduction = none;
        std::size_t i = 0;
        for (; i < both && fit(lane.calls[mine[i]].what, reference.calls[theirs[i]].what); ++i)
            if (reduction == none &&
                lane.calls[mine[i]].what.reduction != reference.calls[theirs[i]].what.reduction)
                reduction = i;
        const std::string in =
            " in " + (m_row.shown.function.empty() ? m_row.shown.id : m_row.shown.function);
        if (i < std::max(mine.size(), theirs.size())) {
            const Call* a = i < mine.size() ? &lane.calls[mine[i]] : nullptr;
            const Call* b = i < theirs.size() ? &reference.calls[theirs[i]] : nullptr;
            Reason out = reason(lane,
                                a              ? a
                                : mine.empty() ? nullptr
                                               : &lane.calls[mine.back()],
                                RanksVerdict::WillHang);
            if (a && b)
                out.text = who + ' ' + verb(lane.ranks.size(), "call") + ' ' + fullWords(*a) + in +
                           " where " + others + ' ' + verb(reference.ranks.size(), "call") + ' ' +
                           (a->what.group == b->what.group ? described(*b) : fullWords(*b));
            else if (a)
                out.text = who + ' ' + verb(lane.ranks.size(), "call") + ' ' + fullWords(*a) + in +
                           ", which " + others + " never " + verb(reference.ranks.size(), "call");
            else
                out.text = who + " never " + verb(lane.ranks.size(), "call") + ' ' + fullWords(*b) + in +
                           ", which " + others + ' ' + verb(reference.ranks.size(), "call");
            lane.mismatch = std::min(lane.mismatch, a ? mine[i] : lane.calls.size());
            reference.mismatch = std::min(reference.mismatch, b ? theirs[i] : reference.calls.size());
            m_out.reasons.push_back(std::move(out));
            return true;
        }
        if (reduction == none) return false;
        const Call &a = lane.calls[mine[reduction]], &b = reference.calls[theirs[reduction]];
        Reason out = reason(lane, &a, RanksVerdict::MayBeWrong);
        out.text = who + ' ' + verb(lane.ranks.size(), "call") + ' ' + fullWords(a) + in + " where " +
                   others + ' ' + verb(reference.ranks.size(), "call") + ' ' + described(b);
        lane.mismatch = std::min(lane.mismatch, mine[reduction]);
        reference.mismatch = std::min(reference.mismatch, theirs[reduction]);
        m_out.reasons.push_back(std::move(out));
        return false;
    }

    void forgotten(const Lane& lane) {
        for (const Call& call : lane.calls) {
            if (!call.what.forgotten) continue;
            Reason out = reason(lane, &call, RanksVerdict::MayBeWrong);
            out.text = "nobody waits for " + fullWords(call) + " of " + rankWords(lane.ranks) +
                       ", and nothing reads what it gives";
            m_out.reasons.push_back(std::move(out));
            return;
        }
    }

    const Reader& m_reader;
    const Membership& m_members;
    const std::vector<Row>& m_rows;
    Row& m_row;
    Report& m_out;
};

/// Whether a rank compiled the function another time with collectives that fit those of `lane`.
bool callsTheSameElsewhere(const Reader& reader, const std::vector<Row>& rows, const Row& row,
                           const Lane& lane, std::size_t rank) {
    return std::ranges::any_of(rows, [&](const Row& other) {
        if (&other == &row || other.frame != row.frame || other.shown.compiles[rank] == none) return false;
        return std::ranges::any_of(other.shown.lanes, [&](const Lane& candidate) {
            return std::ranges::binary_search(candidate.ranks, reader.ranks()[rank]) &&
                   std::ranges::equal(candidate.calls, lane.calls,
                                      [](const Call& a, const Call& b) { return fit(a.what, b.what); });
        });
    });
}

/// Ranks that did not compile what others wait in.
void judgeAbsent(const Reader& reader, const std::vector<Row>& rows, const Row& row,
                 const Membership& members, Report& out) {
    if (row.present.size() == reader.ranks().size() || row.shown.lanes.empty()) return;
    const Lane& lane = row.shown.lanes.front();
    const auto call =
        std::ranges::find_if(lane.calls, [](const Call& one) { return !one.what.pointToPoint; });
    if (call == lane.calls.end()) return;
    std::vector<std::size_t> absent;
    for (std::size_t rank = 0; rank < reader.ranks().size(); ++rank)
        if (row.shown.compiles[rank] == none && members.has(reader.ranks()[rank], call->what.group) &&
            !callsTheSameElsewhere(reader, rows, row, lane, rank))
            absent.push_back(rank);
    if (absent.empty()) return;
    Reason reason = reasonAt(reader, row, RanksVerdict::WillHang, absent);
    reason.node = call->what.node;
    reason.stage = call->stage;
    reason.at = rows[call->row].shown.compiles[indexOf(reader, lane.ranks.front())];
    if (!call->what.at.file.empty()) {
        reason.file = call->what.at.file;
        reason.line = call->what.at.line;
    }
    reason.text =
        rankWords(reason.ranks) + (absent.size() == 1 ? " has" : " have") + " no compile " +
        (row.shown.function.empty() ? row.shown.id : "of " + row.shown.function + " (" + row.shown.id + ')') +
        " whose collectives fit: " + rankWords(lane.ranks) + ' ' + verb(lane.ranks.size(), "wait") +
        " there in " + fullWords(*call) + ", unless the others make that call in code that is not compiled";
    out.reasons.push_back(std::move(reason));
}

} // namespace

void judgeLanes(const Reader& reader, std::vector<Row>& rows, Report& out) {
    const Membership members(reader, rows);
    for (Row& row : rows) {
        LaneJudge(reader, members, rows, row, out).judge();
        judgeAbsent(reader, rows, row, members, out);
    }
}

} // namespace dynascope::ranks::detail
