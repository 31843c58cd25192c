// SPDX-License-Identifier: BSD-3-Clause
//
// When each rank compiled what, on one time axis: who begins and ends last, and how long some rank compiles while others
// do not. Of the times that the logs hold: chromium_event records, else start_time of compilation_metrics; both are the
// system clock of the rank's host, which ranks of one host share. Nothing is run. Pure; any thread.
#pragma once

#include "core/ranks/ranks.h"
#include "core/session/spans.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace dynascope::ranks {

/// The record type that a time was read from: "chromium_event", "compilation_metrics".
enum class TimeSource : std::uint8_t { Events, Metrics };
[[nodiscard]] std::string_view sourceName(TimeSource source);

/// Times are microseconds since CompileTimes::zeroUs.
struct CompilePiece {
    double beginUs = 0, endUs = 0;
    bool backward = false; ///< the backward graph, which is compiled when backward first runs
    bool open = false;     ///< the log ends before it; endUs is the last time that the rank's log has
    friend bool operator==(const CompilePiece&, const CompilePiece&) = default;
};

/// One compile of one rank.
struct CompileTime {
    std::size_t row = 0;              ///< into Report::rows
    std::size_t compile = 0;          ///< into Session::compiles
    std::vector<CompilePiece> pieces; ///< ascend and do not overlap; one at least
    TimeSource source = TimeSource::Events;
    [[nodiscard]] double beginUs() const { return pieces.front().beginUs; }
    [[nodiscard]] double endUs() const { return pieces.back().endUs; }
    [[nodiscard]] double us() const; ///< of its pieces
};

struct RankTime {
    int rank = 0;
    std::vector<CompileTime> compiles; ///< by begin; one at least
    double beginUs = 0, endUs = 0;     ///< first begin, last end
    double us = 0;                     ///< in which it compiled; no moment counts twice
    double aloneUs = 0;                ///< of it no other rank compiled
};

/// A compile id on all ranks that have a time of it.
struct IdTime {
    std::size_t row = 0; ///< into Report::rows
    std::size_t ranks = 0;
    int firstToBegin = 0, lastToBegin = 0, firstToEnd = 0, lastToEnd = 0; ///< ranks
    double firstBeginUs = 0, lastBeginUs = 0, firstEndUs = 0, lastEndUs = 0;
};

struct CompileTimes {
    double zeroUs = 0;           ///< of the first begin: microseconds since 1970 in UTC
    std::vector<RankTime> ranks; ///< those with a time, ascend
    std::vector<IdTime> ids;     ///< as Report::rows; those with a time
    double wholeUs = 0;          ///< from the first begin to the last end
    double someUs = 0;           ///< of it some rank compiled
    double allUs = 0;            ///< all of `ranks` at once
    double notAllUs = 0;         ///< some, and others not: not yet, not just then, or no more
    double afterOthersUs = 0;    ///< some, while others had ended the last of their compiles
    int firstToBegin = 0, lastToBegin = 0, firstToEnd = 0, lastToEnd = 0; ///< ranks
    std::string clock;              ///< in sentences: which clock it is, and whether ranks share it
    std::vector<std::string> lacks; ///< what logs have no time of, a sentence each

    [[nodiscard]] const RankTime& of(int rank) const; ///< that has a time
};

/// Of the compiles of `report`, which examine() made of that session. Linear in timing events but for sorting.
[[nodiscard]] CompileTimes compileTimes(const session::Session& session, const Report& report);

/// "2026-11-22 09:03:18.415 UTC".
[[nodiscard]] std::string utcText(double usSince1970);

/// "0.35 s", "0 s".
[[nodiscard]] std::string timeWords(double us);
/// "ready last, at 1.67 s", "ready 0.80 s before rank 2", "ready as the last ones are".
[[nodiscard]] std::string readyWords(const CompileTimes& times, const RankTime& rank);
/// How much of the time some rank compiled while others did not, who begins and ends last, and the same of each compile id:
/// those first whose ends are furthest apart, `most` of them; none, and no word of them, where that is 0.
[[nodiscard]] std::vector<std::string> timeSentences(const CompileTimes& times, const Report& report,
                                                     std::size_t most);

/// Ranks that are drawn once: they have the same compiles, and begin and end each within `apartUs` of each other.
struct TimeLane {
    std::vector<int> ranks;
    std::size_t shown = 0; ///< into CompileTimes::ranks: that of them whose last end is in the middle
};
struct TimeLanes {
    std::vector<TimeLane> lanes; ///< by their first ranks
    double apartUs = 0;          ///< 0 where each rank has a lane
};
/// A lane a rank up to `most`; of more ranks as few as it takes to have no more than `most`, as far as that goes by
/// times: ranks with other compiles never share one. n log n in the ranks, times the compiles.
[[nodiscard]] TimeLanes lanesOf(const CompileTimes& times, std::size_t most);

/// The lanes as spans, one for each piece, for a flame chart; SpanTree::lanes are those of `lanes`. Their names are
/// "0/0 f", "0/0 f backward"; Span::event is SIZE_MAX: none.
struct LaneSpans {
    session::SpanTree tree;
    std::vector<int> compiles; ///< of each span: into Session::compiles, of the rank that is shown
};
[[nodiscard]] LaneSpans spansOf(const CompileTimes& times, const TimeLanes& lanes, const Report& report);

} // namespace dynascope::ranks
