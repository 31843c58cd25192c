// SPDX-License-Identifier: BSD-3-Clause
#include "core/ranks/compile_times.h"

#include "core/base/json.h"
#include "core/ranks/clocks.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <simdjson.h>

namespace dynascope::ranks {

namespace json = capture::json;

namespace {

using Pieces = std::vector<CompilePiece>;

/// Damaged logs have any number: both within three thousand years of 1970, and in order. False for what is no number.
bool areTimes(double beginUs, double endUs) {
    constexpr double farthestUs = 1e17;
    return std::abs(beginUs) < farthestUs && std::abs(endUs) < farthestUs && beginUs <= endUs;
}

/// Without overlaps; sorted.
Pieces united(Pieces pieces) {
    std::ranges::sort(pieces, {}, [](const CompilePiece& p) { return std::pair(p.beginUs, -p.endUs); });
    Pieces out;
    for (const CompilePiece& piece : pieces) {
        if (out.empty() || piece.beginUs > out.back().endUs) {
            out.push_back(piece);
            continue;
        }
        out.back().open = out.back().open || piece.open;
        out.back().endUs = std::max(out.back().endUs, piece.endUs);
    }
    return out;
}

double sumOf(const Pieces& pieces) {
    double out = 0;
    for (const CompilePiece& piece : pieces)
        out += piece.endUs - piece.beginUs;
    return out;
}

bool isBackward(std::string_view event) {
    return event.find("backward") != std::string_view::npos ||
           event.find("bw_compiler") != std::string_view::npos;
}

/// By compile of the session, from its timing events, as microseconds since 1970.
std::vector<Pieces> piecesOfEvents(const session::Session& session, double firstUs) {
    std::vector<Pieces> out(session.compiles.size());
    std::map<int, double> lastOf; // by rank
    for (const session::TimingEvent& event : session.timings) {
        const double now = event.startUs + (event.open ? 0 : event.durationUs);
        double& last = lastOf[event.rank];
        if (areTimes(event.startUs + firstUs, now + firstUs)) last = std::max(last, now);
    }
    for (const session::TimingEvent& event : session.timings) {
        const auto compile = static_cast<std::size_t>(event.compile);
        if (event.compile < 0 || compile >= out.size()) continue;
        const double end =
            event.open ? std::max(event.startUs, lastOf[event.rank]) : event.startUs + event.durationUs;
        if (!areTimes(event.startUs + firstUs, end + firstUs)) continue;
        if (!event.open && end <= event.startUs) continue; // an instant
        out[compile].push_back(
            {event.startUs + firstUs, end + firstUs, isBackward(event.name.str()), event.open});
    }
    for (Pieces& pieces : out)
        pieces = united(std::move(pieces));
    return out;
}

/// One metrics record; nothing where it does not say when it began, or how long it took.
std::optional<CompilePiece> pieceOf(std::string_view header, const char* type, double seconds) {
    simdjson::dom::parser parser;
    simdjson::dom::element root, body;
    if (parser.parse(header.data(), header.size(), true).get(root) != simdjson::SUCCESS ||
        root[type].get(body) != simdjson::SUCCESS)
        return std::nullopt;
    const double began = json::number(body, "start_time") * 1e6;
    if (seconds <= 0) seconds = json::number(body, "duration_us") * 1e-6;
    if (seconds <= 0) seconds = json::number(body, "inductor_compile_time_s");
    if (!(began > 0) || !(seconds > 0) || !areTimes(began, began + seconds * 1e6)) return std::nullopt;
    return CompilePiece{began, began + seconds * 1e6, false, false};
}

Pieces piecesOfMetrics(const session::Session& session, const session::Compile& compile) {
    Pieces out;
    if (!compile.metrics.empty())
        if (const auto piece = pieceOf(compile.metrics.text(), "compilation_metrics", compile.compileSeconds))
            out.push_back(*piece);
    for (const std::size_t i : compile.records)
        for (const char* type : {"bwd_compilation_metrics", "aot_autograd_backward_compilation_metrics"})
            if (session.records.type(i) == type)
                if (auto piece = pieceOf(session.records[i].header.text(), type, 0)) {
                    piece->backward = true;
                    out.push_back(*piece);
                }
    return united(std::move(out));
}

void addIds(const Report& report, CompileTimes& out) {
    std::vector<IdTime> ids(report.rows.size());
    for (const RankTime& rank : out.ranks)
        for (const CompileTime& one : rank.compiles) {
            IdTime& id = ids[one.row];
            const bool isFirst = id.ranks++ == 0;
            const double begin = one.beginUs(), end = one.endUs();
            const auto take = [&](bool isMore, double& us, int& who, double now) {
                if (!isFirst && !isMore) return;
                us = now;
                who = rank.rank;
            };
            take(begin < id.firstBeginUs, id.firstBeginUs, id.firstToBegin, begin);
            take(begin > id.lastBeginUs, id.lastBeginUs, id.lastToBegin, begin);
            take(end < id.firstEndUs, id.firstEndUs, id.firstToEnd, end);
            take(end > id.lastEndUs, id.lastEndUs, id.lastToEnd, end);
        }
    for (std::size_t row = 0; row < ids.size(); ++row) {
        if (ids[row].ranks == 0) continue;
        ids[row].row = row;
        out.ids.push_back(ids[row]);
    }
}

/// Walks along the axis: how many ranks compile, and how many will not again.
void addShares(CompileTimes& out) {
    struct Change {
        double at;
        int compiling, ended;
        std::size_t rank;
    };
    std::vector<Change> changes;
    for (std::size_t i = 0; i < out.ranks.size(); ++i) {
        RankTime& rank = out.ranks[i];
        Pieces all;
        for (const CompileTime& one : rank.compiles)
            all.insert(all.end(), one.pieces.begin(), one.pieces.end());
        all = united(std::move(all));
        rank.us = sumOf(all);
        for (const CompilePiece& piece : all) {
            changes.push_back({piece.beginUs, 1, 0, i});
            changes.push_back({piece.endUs, -1, 0, i});
        }
        changes.push_back({rank.endUs, 0, 1, i});
        out.wholeUs = std::max(out.wholeUs, rank.endUs);
    }
    std::ranges::sort(changes, {}, &Change::at);
    const auto everyone = static_cast<int>(out.ranks.size());
    int compiling = 0, ended = 0;
    std::size_t who = 0; // the sum of those that compile: the one, where it is one
    double before = 0;
    for (const Change& change : changes) {
        const double us = change.at - before;
        before = change.at;
        if (compiling > 0) {
            out.someUs += us;
            (compiling == everyone ? out.allUs : out.notAllUs) += us;
            if (ended > 0) out.afterOthersUs += us;
            if (compiling == 1) out.ranks[who].aloneUs += us;
        }
        who += change.compiling > 0 ? change.rank : change.compiling < 0 ? 0 - change.rank : 0;
        compiling += change.compiling;
        ended += change.ended;
    }
}

void addEnds(CompileTimes& out) {
    const auto first = std::ranges::min_element(out.ranks, {}, &RankTime::beginUs);
    const auto last = std::ranges::max_element(out.ranks, {}, &RankTime::beginUs);
    const auto soonest = std::ranges::min_element(out.ranks, {}, &RankTime::endUs);
    const auto latest = std::ranges::max_element(out.ranks, {}, &RankTime::endUs);
    out.firstToBegin = first->rank;
    out.lastToBegin = last->rank;
    out.firstToEnd = soonest->rank;
    out.lastToEnd = latest->rank;
}

/// Counts times from the first begin.
void moveToZero(CompileTimes& out) {
    out.zeroUs = std::ranges::min_element(
                     out.ranks, {}, [](const RankTime& rank) { return rank.compiles.front().beginUs(); })
                     ->compiles.front()
                     .beginUs();
    for (RankTime& rank : out.ranks) {
        for (CompileTime& one : rank.compiles)
            for (CompilePiece& piece : one.pieces) {
                piece.beginUs -= out.zeroUs;
                piece.endUs -= out.zeroUs;
            }
        rank.beginUs = rank.compiles.front().beginUs();
        for (const CompileTime& one : rank.compiles)
            rank.endUs = std::max(rank.endUs, one.endUs());
    }
}

std::string lackWords(const std::string& id, const std::vector<int>& ranks) {
    return "when " + rankWords(ranks) + " compiled " + id +
           " is not known: " + (ranks.size() == 1 ? "its log has" : "their logs have") +
           " neither chromium_event records of it nor compilation_metrics with start_time and duration";
}

} // namespace

std::string_view sourceName(TimeSource source) {
    return source == TimeSource::Events ? "chromium_event" : "compilation_metrics";
}

double CompileTime::us() const {
    return sumOf(pieces);
}

const RankTime& CompileTimes::of(int rank) const {
    return *std::ranges::lower_bound(ranks, rank, {}, &RankTime::rank);
}

CompileTimes compileTimes(const session::Session& session, const Report& report) {
    CompileTimes out;
    const std::optional<double> firstUs = detail::epochOfTimings(session);
    std::vector<Pieces> events;
    if (firstUs) events = piecesOfEvents(session, *firstUs);
    events.resize(session.compiles.size());
    std::map<int, RankTime> ranks;
    for (std::size_t row = 0; row < report.rows.size(); ++row) {
        std::vector<int> lacking;
        for (std::size_t i = 0; i < report.ranks.size(); ++i) {
            const std::size_t compile = report.rows[row].compiles[i];
            if (compile == none) continue;
            CompileTime one{row, compile, std::move(events[compile]), TimeSource::Events};
            if (one.pieces.empty()) {
                one.pieces = piecesOfMetrics(session, session.compiles[compile]);
                one.source = TimeSource::Metrics;
            }
            if (one.pieces.empty())
                lacking.push_back(report.ranks[i]);
            else
                ranks[report.ranks[i]].compiles.push_back(std::move(one));
        }
        if (!lacking.empty()) out.lacks.push_back(lackWords(report.rows[row].id, lacking));
    }
    for (auto& [number, rank] : ranks) {
        rank.rank = number;
        std::ranges::stable_sort(rank.compiles, {}, &CompileTime::beginUs);
        out.ranks.push_back(std::move(rank));
    }
    if (out.ranks.empty()) return out;
    moveToZero(out);
    addIds(report, out);
    addShares(out);
    addEnds(out);
    out.clock = detail::clockWords(session, out);
    return out;
}

} // namespace dynascope::ranks
