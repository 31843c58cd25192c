// SPDX-License-Identifier: BSD-3-Clause
//
// Sends paired with receives, and splits of all_to_all_single with each other.
#include "core/ir/place_text.h"
#include "core/ranks/parts.h"

#include <algorithm>
#include <tuple>

namespace dynascope::ranks::detail {

namespace {

constexpr std::size_t mostReasons = 16;

/// A send or receive of a rank.
struct End {
    std::size_t row = 0, rank = 0; ///< the rank as an index into Report::ranks
    const Move* move = nullptr;
    const Transfer* what = nullptr;
};

struct Meeting {
    std::vector<End> sends, receives; ///< in the order of the calls
};

/// Up to the dtype and the number of elements; true where a graph does not say.
bool sameTensor(const std::string& a, const std::string& b) {
    if (a.empty() || b.empty()) return true;
    const ir::ValueMeta of = ir::parseAnnotation(a), other = ir::parseAnnotation(b);
    if (!of.tensor || !other.tensor) return true;
    if (of.tensor->dtype != other.tensor->dtype) return false;
    const auto bytes = of.tensor->bytes(), others = other.tensor->bytes();
    return !bytes || !others || bytes == others;
}

std::string nodeWords(const Collective& call) {
    return call.kind + ", node " + call.node + placeWords(call);
}

/// A graph break within torch.distributed: what the rank sends or receives there, no graph has.
bool communicatesEagerly(const session::Compile& compile) {
    for (const session::GraphBreak* one : compile.finalBreaks())
        for (const ir::SourceLocation& frame : one->userStack)
            if (frame.file.find("torch/distributed/") != std::string::npos) return true;
    return false;
}

class TransferJudge {
public:
    TransferJudge(const Reader& reader, std::vector<Row>& rows, Report& out)
        : m_reader(reader)
        , m_rows(rows)
        , m_out(out) {}

    void judge() {
        for (std::size_t row = 0; row < m_rows.size(); ++row)
            collect(row);
        pair();
        for (Row& row : m_rows)
            judgeSplits(row);
        say();
    }

private:
    using Way = std::tuple<int, int, std::int64_t>; // from, to, tag

    void collect(std::size_t row) {
        for (const auto& [rank, moves] : m_rows[row].moves)
            for (const Move& move : moves) {
                if (move.what->unreadable) ++m_unreadable;
                for (const Transfer& transfer : move.what->list) {
                    const int own = m_reader.ranks()[rank];
                    const Way way = transfer.send ? Way(own, transfer.peer, transfer.tag)
                                                  : Way(transfer.peer, own, transfer.tag);
                    Meeting& meeting = m_meetings[way];
                    (transfer.send ? meeting.sends : meeting.receives)
                        .push_back({row, rank, &move, &transfer});
                }
            }
    }

    /// First within a compile id, in the order of its calls; what is left over with what is left over of others.
    void pair() {
        for (auto& [way, meeting] : m_meetings) {
            std::vector<End> sends, receives = std::move(meeting.receives);
            for (const End& send : meeting.sends) {
                const auto fits = std::ranges::find(receives, send.row, &End::row);
                if (fits == receives.end()) {
                    sends.push_back(send);
                    continue;
                }
                compare(send, *fits);
                receives.erase(fits);
            }
            const std::size_t both = std::min(sends.size(), receives.size());
            for (std::size_t i = 0; i < both; ++i)
                compare(sends[i], receives[i]);
            for (std::size_t i = both; i < sends.size(); ++i)
                alone(sends[i], std::get<1>(way));
            for (std::size_t i = both; i < receives.size(); ++i)
                alone(receives[i], std::get<0>(way));
        }
    }

    Reason reasonOf(const End& end) {
        Reason out = reasonAt(m_reader, m_rows[end.row], RanksVerdict::WillHang, std::span(&end.rank, 1));
        const Collective& call = *end.move->call;
        out.node = call.node;
        out.stage = end.move->stage;
        if (!call.at.file.empty()) {
            out.file = call.at.file;
            out.line = call.at.line;
        }
        return out;
    }

    void add(Reason reason) {
        if (m_reasons++ < mostReasons) m_out.reasons.push_back(std::move(reason));
    }

    void compare(const End& send, const End& receive) {
        if (sameTensor(send.what->shape, receive.what->shape)) return;
        Reason out = reasonOf(receive);
        out.ranks = numbersOf(m_reader, std::vector{send.rank, receive.rank});
        out.text = "rank " + std::to_string(m_reader.ranks()[send.rank]) + " sends " + send.what->shape +
                   " to rank " + std::to_string(m_reader.ranks()[receive.rank]) + " (" +
                   nodeWords(*send.move->call) + "), which receives it as " + receive.what->shape + " (" +
                   nodeWords(*receive.move->call) + ')';
        add(std::move(out));
    }

    /// A send or receive that the peer's graphs have no other end of.
    void alone(const End& end, int peer) {
        const auto other = std::ranges::lower_bound(m_reader.ranks(), peer);
        if (other == m_reader.ranks().end() || *other != peer) {
            ++m_withoutLog;
            return;
        }
        const auto index = static_cast<std::size_t>(other - m_reader.ranks().begin());
        const int own = m_reader.ranks()[end.rank];
        const std::string who = "rank " + std::to_string(own), whom = "rank " + std::to_string(peer);
        const std::string shape = end.what->shape.empty() ? "a tensor" : end.what->shape;
        std::string text = end.what->send ? who + " sends " + shape + " to " + whom
                                          : who + " receives " + shape + " from " + whom;
        text += " (" + nodeWords(*end.move->call) + "), which " +
                (end.what->send ? "never receives it" : "never sends it") + theirPlace(end, index, own);
        if (isEager(index)) {
            m_out.notes.push_back(
                text +
                "; but its graphs break within torch.distributed, and what it does there is not in them");
            return;
        }
        Reason out = reasonOf(end);
        out.text = text + ", unless in code that is not compiled";
        add(std::move(out));
    }

    /// Where the peer is in the same compile: its last transfer with this rank, else what it compiled there.
    std::string theirPlace(const End& end, std::size_t peer, int own) {
        const Row& row = m_rows[end.row];
        const Move* last = nullptr;
        if (const auto moves = row.moves.find(peer); moves != row.moves.end())
            for (const Move& move : moves->second)
                for (const Transfer& transfer : move.what->list)
                    if (transfer.peer == own) last = &move;
        if (last)
            return ": its last transfer with rank " + std::to_string(own) + " in " + row.shown.id + " is " +
                   nodeWords(*last->call);
        if (row.shown.compiles[peer] == none) return ": it has no compile " + row.shown.id;
        const ir::SourceLocation* at = compileOf(m_reader, row, peer).location();
        const std::string place = at ? ir::placeText(*at) : std::string();
        return ": its " + row.shown.id + (place.empty() ? "" : ", " + place + ',') + " has none with rank " +
               std::to_string(own);
    }

    bool isEager(std::size_t rank) const {
        return std::ranges::any_of(m_rows, [&](const Row& row) {
            return row.shown.compiles[rank] != none && communicatesEagerly(compileOf(m_reader, row, rank));
        });
    }

    /// The n-th all_to_all_single of a group on each of its ranks is one call.
    void judgeSplits(const Row& row) {
        std::map<std::string, std::vector<std::vector<std::pair<std::size_t, const Move*>>>>
            calls; // by group, n-th
        for (const auto& [rank, moves] : row.moves) {
            std::map<std::string, std::size_t> count;
            for (const Move& move : moves) {
                if (move.call->pointToPoint) continue;
                auto& list = calls[move.call->group];
                const std::size_t n = count[move.call->group]++;
                if (list.size() <= n) list.resize(n + 1);
                list[n].emplace_back(rank, &move);
            }
        }
        for (const auto& [group, list] : calls)
            for (const auto& members : list)
                if (!compareSplits(row, members)) break;
    }

    /// False where something does not fit. Members in order of their ranks are the group, where all of it is there.
    bool compareSplits(const Row& row, const std::vector<std::pair<std::size_t, const Move*>>& members) {
        for (std::size_t a = 0; a < members.size(); ++a) {
            const auto& sender = members[a].second->what->splits;
            if (!sender || sender->sent.size() != members.size()) continue;
            for (std::size_t b = 0; b < members.size(); ++b) {
                const auto& receiver = members[b].second->what->splits;
                if (!receiver || receiver->received.size() != members.size() ||
                    sender->sent[b] == receiver->received[a])
                    continue;
                const std::size_t row1 = static_cast<std::size_t>(&row - m_rows.data());
                Reason out = reasonOf({row1, members[b].first, members[b].second, nullptr});
                out.ranks = numbersOf(m_reader, std::vector{members[a].first, members[b].first});
                const std::string from = std::to_string(m_reader.ranks()[members[a].first]);
                out.text = "rank " + from + " sends " + std::to_string(sender->sent[b]) +
                           " of its rows to rank " + std::to_string(m_reader.ranks()[members[b].first]) +
                           " (" + nodeWords(*members[a].second->call) + "), which expects " +
                           std::to_string(receiver->received[a]) + " from it (" +
                           nodeWords(*members[b].second->call) + ')';
                if (a == b) out.ranks.resize(1);
                add(std::move(out));
                return false;
            }
        }
        return true;
    }

    void say() {
        if (m_reasons > mostReasons)
            m_out.notes.push_back(std::to_string(m_reasons - mostReasons) +
                                  " more sends, receives or splits do not fit");
        if (m_withoutLog > 0)
            m_out.notes.push_back((m_withoutLog == 1
                                       ? "1 send or receive is"
                                       : std::to_string(m_withoutLog) + " sends and receives are") +
                                  std::string(" not paired: the other rank has no log here"));
        if (m_unreadable > 0)
            m_out.notes.push_back((m_unreadable == 1
                                       ? "1 call that sends or receives is"
                                       : std::to_string(m_unreadable) + " calls that send or receive are") +
                                  std::string(" not paired: the graph does not say with which rank"));
    }

    const Reader& m_reader;
    std::vector<Row>& m_rows;
    Report& m_out;
    std::map<Way, Meeting> m_meetings;
    std::size_t m_reasons = 0, m_withoutLog = 0, m_unreadable = 0;
};

} // namespace

void judgeTransfers(const Reader& reader, std::vector<Row>& rows, Report& out) {
    TransferJudge(reader, rows, out).judge();
}

} // namespace dynascope::ranks::detail
