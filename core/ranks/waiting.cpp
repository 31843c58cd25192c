// SPDX-License-Identifier: BSD-3-Clause
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/ranks/flight.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

namespace dynascope::ranks {

namespace {

/// One process group as all dumps have it.
struct Group {
    std::set<int> members; ///< as far as known
    std::map<int, std::map<std::uint64_t, const FlightEntry*>>
        calls; ///< by rank and number; no point-to-point

    /// The number of a rank's last call; 0 where it made none.
    [[nodiscard]] std::uint64_t lastOf(int rank) const {
        const auto of = calls.find(rank);
        return of == calls.end() || of->second.empty() ? 0 : of->second.rbegin()->first;
    }
};

std::map<std::string, Group> groupsOf(const std::vector<FlightDump>& dumps, const std::vector<int>& ranks) {
    std::map<std::string, Group> out;
    for (const FlightDump& dump : dumps)
        for (const FlightEntry& entry : dump.entries) {
            if (entry.pointToPoint) continue;
            Group& group = out[entry.group];
            group.calls[dump.rank].insert_or_assign(entry.sequence, &entry);
            group.members.insert(dump.rank);
            if (const auto members = dump.members.find(entry.group); members != dump.members.end())
                group.members.insert(members->second.begin(), members->second.end());
        }
    // The default group has everybody, also those of whom there is no dump.
    if (const auto all = out.find("0"); all != out.end()) {
        all->second.members.insert(ranks.begin(), ranks.end());
        for (const FlightDump& dump : dumps)
            all->second.members.insert(dump.rank);
    }
    return out;
}

/// A rank's first call that did not end; null where all did.
const FlightEntry* openCall(const FlightDump& dump) {
    const auto open = std::ranges::find(dump.entries, false, &FlightEntry::finished);
    return open == dump.entries.end() ? nullptr : &*open;
}

/// What a rank is in: its first call that did not end, else its last one.
const FlightEntry* callOf(const FlightDump& dump) {
    if (const FlightEntry* open = openCall(dump)) return open;
    return dump.entries.empty() ? nullptr : &dump.entries.back();
}

/// "all_reduce of 2/1, output line 113, train.py:40".
std::string callWords(const FlightEntry& entry, const FlightPlace& place) {
    std::string out = entry.kind();
    if (!place.compile.empty()) out += " of " + place.compile;
    if (place.outputLine != 0) out += ", output line " + std::to_string(place.outputLine);
    if (!place.file.empty())
        out += ", " + std::string(baseName(place.file)) +
               (place.line == 0 ? "" : ':' + std::to_string(place.line));
    return out;
}

/// The ends of a send or receive, by NCCL's names: "nccl:send 0->1", "nccl:recv 1<-0".
struct Ends {
    bool send = false;
    int own = 0, peer = 0; ///< ranks of the group
};

std::optional<Ends> endsOf(const FlightEntry& entry) {
    const std::string kind = entry.kind();
    if (!entry.pointToPoint || (kind != "send" && kind != "recv")) return std::nullopt;
    const bool send = kind == "send";
    const std::size_t arrow = entry.name.find(send ? "->" : "<-"), from = entry.name.rfind(' ', arrow);
    if (arrow == std::string::npos || from == std::string::npos) return std::nullopt;
    Ends out{send, -1, -1};
    const char* text = entry.name.data();
    const auto own = std::from_chars(text + from + 1, text + arrow, out.own);
    const auto peer = std::from_chars(text + arrow + 2, text + entry.name.size(), out.peer);
    if (own.ec != std::errc() || peer.ec != std::errc() || out.own < 0 || out.peer < 0) return std::nullopt;
    return out;
}

class FlightJudge {
public:
    FlightJudge(const session::Session& session, const std::vector<FlightDump>& dumps, Report& report)
        : m_places(session, report)
        , m_dumps(dumps)
        , m_report(report)
        , m_groups(groupsOf(dumps, report.ranks)) {
        for (const FlightDump& dump : dumps)
            m_dumpOf.emplace(dump.rank, &dump);
        for (const CompileRow& row : report.rows)
            for (const std::size_t compile : row.compiles)
                if (compile != none) m_rowOf.emplace(compile, row.id);
    }

    void run() {
        for (const auto& [name, group] : m_groups)
            mismatches(name, group);
        for (const FlightDump& dump : m_dumps)
            waits(dump);
        for (const auto& [name, group] : m_groups)
            unmatched(name, group);
        std::vector<int> silent;
        for (const int rank : m_report.ranks)
            if (!m_dumpOf.contains(rank)) silent.push_back(rank);
        if (!silent.empty())
            m_report.notes.push_back("of " + rankWords(silent) +
                                     " there is no flight-recorder dump: where it is cannot be said");
        m_report.waiting = std::make_shared<const std::vector<Waiting>>(std::move(m_waiting));
    }

private:
    void add(Reason reason) {
        reason.verdict = RanksVerdict::WillHang;
        // A place has the rank's own id.
        if (const auto row = m_rowOf.find(reason.at); row != m_rowOf.end()) reason.compile = row->second;
        ++m_report.count[static_cast<std::size_t>(RanksVerdict::WillHang)];
        m_report.verdict = RanksVerdict::WillHang;
        m_report.reasons.insert(m_report.reasons.begin() + static_cast<std::ptrdiff_t>(m_added++),
                                std::move(reason));
    }

    static Reason reasonAt(int rank, const FlightPlace& place) {
        Reason out;
        out.ranks = {rank};
        out.compile = place.compile;
        out.node = place.node;
        out.file = place.file;
        out.line = place.line;
        out.at = place.at;
        out.stage = place.stage;
        return out;
    }

    /// Calls of one number that are not one call: the first of each group.
    void mismatches(const std::string& name, const Group& group) {
        std::map<std::uint64_t, std::map<std::string, std::vector<int>>> kinds;
        for (const auto& [rank, calls] : group.calls)
            for (const auto& [sequence, entry] : calls) {
                std::string key = entry->kind();
                // Every rank may give another length to these.
                if (!key.starts_with("all_to_all") && !key.starts_with("alltoall") && key != "scatter" &&
                    key != "gather" && key != "broadcast")
                    key += " of " + joined(entry->inputs, ", ");
                kinds[sequence][key].push_back(rank);
            }
        for (const auto& [sequence, by] : kinds) {
            if (by.size() < 2) continue;
            const auto most =
                std::ranges::max_element(by, {}, [](const auto& entry) { return entry.second.size(); });
            for (const auto& [key, ranks] : by) {
                if (key == most->first) continue;
                const FlightEntry& entry = *group.calls.at(ranks.front()).at(sequence);
                Reason reason = reasonAt(ranks.front(), m_places.find(ranks.front(), entry));
                reason.ranks = ranks;
                reason.text = "by the flight recorder, call " + std::to_string(sequence) +
                              " of process group '" + name + "' is " + key + " on " + rankWords(ranks) +
                              " and " + most->first + " on " + rankWords(most->second);
                add(std::move(reason));
            }
            return;
        }
    }

    /// A call that ended on some ranks, and that others never made by their dumps.
    void unmatched(const std::string& name, const Group& group) {
        std::map<std::uint64_t, std::vector<int>> byLast;
        for (const int member : group.members)
            if (m_dumpOf.contains(member)) byLast[group.lastOf(member)].push_back(member);
        if (byLast.size() < 2) return;
        const auto& [fewest, behind] = *byLast.begin();
        const int ahead = byLast.rbegin()->second.front();
        const auto call = group.calls.at(ahead).find(fewest + 1);
        if (call == group.calls.at(ahead).end() || !call->second->finished) return; // or is waited in
        m_report.notes.push_back(callWords(*call->second, m_places.find(ahead, *call->second)) + ", call " +
                                 std::to_string(call->first) + " of process group '" + name + "' on rank " +
                                 std::to_string(ahead) + ", is not in the dump of " + rankWords(behind) +
                                 ": it failed there, or that dump is older");
    }

    void waits(const FlightDump& dump) {
        const FlightEntry* open = openCall(dump);
        if (open == nullptr) return;
        const FlightPlace place = m_places.find(dump.rank, *open);
        Waiting out{dump.rank,  open->kind(), open->sequence, open->group,      place.compile,
                    place.node, place.file,   place.line,     place.outputLine, {},
                    {},         place.at,     place.stage};
        out.text = "rank " + std::to_string(dump.rank) + " is in " + callWords(*open, place);
        if (open->pointToPoint)
            namePeer(dump, *open, out);
        else
            nameMissing(m_groups.at(open->group), *open, out);
        if (!out.missing.empty()) {
            // All that wait in one call are one reason, with the words of the first.
            const auto [at, isNew] = m_reasonOf.try_emplace(
                {open->group + (open->pointToPoint ? ' ' + open->name : std::string()), open->sequence},
                m_added);
            if (isNew) {
                Reason reason = reasonAt(dump.rank, place);
                reason.text = out.text;
                add(std::move(reason));
            } else {
                m_report.reasons[at->second].ranks.push_back(dump.rank);
            }
        }
        m_waiting.push_back(std::move(out));
    }

    /// Whether a dump that lacks a call was written before the call, or so soon after it that this says nothing.
    static bool isTooEarly(const FlightDump& dump, const FlightEntry& entry) {
        constexpr std::uint64_t patienceNs = 5'000'000'000;
        return dump.dumpedNs != 0 && entry.createdNs != 0 && dump.dumpedNs < entry.createdNs + patienceNs;
    }

    void nameMissing(const Group& group, const FlightEntry& entry, Waiting& out) {
        std::vector<int> unknown, early;
        for (const int member : group.members) {
            if (member == out.rank) continue;
            if (!m_dumpOf.contains(member)) {
                unknown.push_back(member);
                continue;
            }
            if (group.lastOf(member) < entry.sequence)
                (isTooEarly(*m_dumpOf.at(member), entry) ? early : out.missing).push_back(member);
        }
        if (out.missing.empty() && unknown.empty() && early.empty())
            out.text += "; every rank of its group reached it";
        tellMissing(early, unknown, out);
    }

    /// The n-th send to a rank is its n-th receive of it.
    void namePeer(const FlightDump& dump, const FlightEntry& entry, Waiting& out) {
        const std::optional<Ends> ends = endsOf(entry);
        if (!ends) return;
        int peer = ends->peer;
        if (entry.group != "0") { // the default group counts its ranks as the run does
            const auto members = dump.members.find(entry.group);
            if (members == dump.members.end() || static_cast<std::size_t>(peer) >= members->second.size())
                return;
            peer = members->second[static_cast<std::size_t>(peer)];
        }
        const auto other = m_dumpOf.find(peer);
        if (other == m_dumpOf.end()) return tellMissing({}, {peer}, out);
        const auto before = std::count_if(dump.entries.data(), &entry, [&](const FlightEntry& one) {
            return one.pointToPoint && one.group == entry.group && one.name == entry.name;
        });
        const auto theirs = std::ranges::count_if(other->second->entries, [&](const FlightEntry& one) {
            const std::optional<Ends> of = one.group == entry.group ? endsOf(one) : std::nullopt;
            return of && of->send != ends->send && of->own == ends->peer && of->peer == ends->own;
        });
        if (theirs > before) {
            out.text += "; rank " + std::to_string(peer) + " reached it";
            return;
        }
        std::vector<int> early;
        (isTooEarly(*other->second, entry) ? early : out.missing).push_back(peer);
        tellMissing(early, {}, out);
    }

    void tellMissing(const std::vector<int>& early, const std::vector<int>& unknown, Waiting& out) {
        if (!out.missing.empty()) {
            out.text.replace(out.text.find(" is in "), 7, " waits in ");
            out.text += "; " + rankWords(out.missing) + " never reached it";
            const FlightDump& dump = *m_dumpOf.at(out.missing.front());
            const std::string who = out.missing.size() == 1 ? "it" : "rank " + std::to_string(dump.rank);
            if (const FlightEntry* call = callOf(dump))
                out.text += ": " + who + (call->finished ? " went on after " : " is in ") +
                            callWords(*call, m_places.find(dump.rank, *call));
            else
                out.text += ": its dump has no call";
        }
        if (!early.empty())
            out.text += "; the dump of " + rankWords(early) +
                        " does not have it, and was written before it or less than 5 s after it";
        if (!unknown.empty()) out.text += "; of " + rankWords(unknown) + " there is no dump";
    }

    FlightPlaces m_places;
    const std::vector<FlightDump>& m_dumps;
    Report& m_report;
    std::map<std::string, Group> m_groups;
    std::map<int, const FlightDump*> m_dumpOf;
    std::map<std::size_t, std::string> m_rowOf; ///< CompileRow::id, by an index into Session::compiles
    std::vector<Waiting> m_waiting;
    std::size_t m_added = 0;
    std::map<std::pair<std::string, std::uint64_t>, std::size_t> m_reasonOf; ///< by group and number
};

} // namespace

void addFlight(const session::Session& session, const std::vector<FlightDump>& dumps, Report& report) {
    FlightJudge(session, dumps, report).run();
    std::map<std::string, std::size_t> rowOf;
    for (std::size_t i = 0; i < report.rows.size(); ++i) {
        rowOf.emplace(report.rows[i].id, i);
        report.rows[i].reason = none;
    }
    for (std::size_t i = 0; i < report.reasons.size(); ++i) {
        const auto row = rowOf.find(report.reasons[i].compile);
        if (row == rowOf.end() || report.rows[row->second].reason != none) continue;
        report.rows[row->second].reason = i;
        report.rows[row->second].verdict = report.reasons[i].verdict;
    }
}

} // namespace dynascope::ranks
