// SPDX-License-Identifier: BSD-3-Clause
//
// Compile times of ranks as lanes: of a thousand ranks, those that are alike once.
#include "core/ranks/compile_times.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace dynascope::ranks {

namespace {

/// Ranks with the same compiles, as indices into CompileTimes::ranks, by their last end.
using Alike = std::vector<std::vector<std::size_t>>;

Alike alikeIn(const CompileTimes& times) {
    std::map<std::vector<std::pair<std::size_t, std::size_t>>, std::vector<std::size_t>> by;
    for (std::size_t i = 0; i < times.ranks.size(); ++i) {
        std::vector<std::pair<std::size_t, std::size_t>> key; // row and pieces, in order of time
        for (const CompileTime& one : times.ranks[i].compiles)
            key.emplace_back(one.row, one.pieces.size());
        by[key].push_back(i);
    }
    Alike out;
    for (auto& [key, ranks] : by) {
        std::ranges::stable_sort(ranks, {}, [&](std::size_t i) { return times.ranks[i].endUs; });
        out.push_back(std::move(ranks));
    }
    return out;
}

bool areNear(const RankTime& a, const RankTime& b, double apartUs) {
    for (std::size_t i = 0; i < a.compiles.size(); ++i)
        for (std::size_t p = 0; p < a.compiles[i].pieces.size(); ++p) {
            const CompilePiece &one = a.compiles[i].pieces[p], &other = b.compiles[i].pieces[p];
            if (std::abs(one.beginUs - other.beginUs) > apartUs ||
                std::abs(one.endUs - other.endUs) > apartUs)
                return false;
        }
    return true;
}

/// Each lane's ranks are within half of `apartUs` of the first that came into it, so within all of it of each other.
std::vector<std::vector<std::size_t>> gathered(const CompileTimes& times, const Alike& alike, double apartUs,
                                               std::size_t enough) {
    std::vector<std::vector<std::size_t>> out;
    for (const std::vector<std::size_t>& ranks : alike) {
        const std::size_t from = out.size();
        for (const std::size_t rank : ranks) {
            const auto lane =
                std::find_if(out.begin() + static_cast<std::ptrdiff_t>(from), out.end(), [&](const auto& of) {
                    return areNear(times.ranks[of.front()], times.ranks[rank], apartUs / 2);
                });
            if (lane != out.end())
                lane->push_back(rank);
            else if (out.push_back({rank}); out.size() > enough)
                return out; // too many as it is
        }
    }
    return out;
}

TimeLane laneOf(const CompileTimes& times, std::vector<std::size_t> ranks) {
    TimeLane out;
    out.shown = ranks[ranks.size() / 2];
    std::ranges::sort(ranks);
    for (const std::size_t rank : ranks)
        out.ranks.push_back(times.ranks[rank].rank);
    return out;
}

} // namespace

TimeLanes lanesOf(const CompileTimes& times, std::size_t most) {
    TimeLanes out;
    if (times.ranks.size() <= most) {
        for (std::size_t i = 0; i < times.ranks.size(); ++i)
            out.lanes.push_back({{times.ranks[i].rank}, i});
        return out;
    }
    constexpr double finest = 0.005; // of the whole: two or three pixels
    const Alike alike = alikeIn(times);
    out.apartUs = times.wholeUs * finest;
    const std::size_t enough = std::max(most, alike.size());
    std::vector<std::vector<std::size_t>> lanes = gathered(times, alike, out.apartUs, enough);
    while (lanes.size() > enough) {
        out.apartUs *= 2;
        lanes = gathered(times, alike, out.apartUs, enough);
    }
    for (std::vector<std::size_t>& lane : lanes)
        out.lanes.push_back(laneOf(times, std::move(lane)));
    std::ranges::sort(out.lanes, {}, [](const TimeLane& lane) { return lane.ranks.front(); });
    return out;
}

LaneSpans spansOf(const CompileTimes& times, const TimeLanes& lanes, const Report& report) {
    LaneSpans out;
    out.tree.endUs = times.wholeUs;
    std::map<std::pair<std::size_t, bool>, std::uint32_t> names;
    for (std::size_t lane = 0; lane < lanes.lanes.size(); ++lane) {
        const RankTime& rank = times.ranks[lanes.lanes[lane].shown];
        out.tree.lanes.push_back({rank.rank, 0, 0, 1, false});
        std::vector<std::pair<const CompilePiece*, const CompileTime*>> pieces;
        for (const CompileTime& one : rank.compiles)
            for (const CompilePiece& piece : one.pieces)
                pieces.emplace_back(&piece, &one);
        std::ranges::stable_sort(pieces, {}, [](const auto& of) { return of.first->beginUs; });
        double ended = 0; // compiles of one rank may overlap by what clocks round
        for (const auto& [piece, one] : pieces) {
            const auto [name, isNew] = names.try_emplace({one->row, piece->backward},
                                                         static_cast<std::uint32_t>(out.tree.names.size()));
            if (isNew) {
                const CompileRow& row = report.rows[one->row];
                out.tree.names.push_back(row.id + (row.function.empty() ? "" : ' ' + row.function) +
                                         (piece->backward ? " backward" : ""));
            }
            session::Span span;
            span.name = name->second;
            span.part = piece->backward ? session::CompilerPart::Aot : session::CompilerPart::Dynamo;
            span.lane = static_cast<int>(lane);
            span.startUs = std::max(piece->beginUs, ended);
            span.endUs = ended = std::max(piece->endUs, span.startUs);
            span.selfUs = span.totalUs();
            span.event = SIZE_MAX;
            span.open = piece->open;
            out.tree.spans.push_back(span);
            out.compiles.push_back(static_cast<int>(one->compile));
        }
    }
    return out;
}

} // namespace dynascope::ranks
