// SPDX-License-Identifier: BSD-3-Clause
//
// The timing events of a session as spans that nest: what a flame chart draws, and the sums over it.
#pragma once

#include "core/session/session.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::session {

/// The part of the compiler that a span's time is spent in.
enum class CompilerPart : std::uint8_t { Other, Dynamo, Aot, Passes, CodeGen, Kernels, Cache };
inline constexpr std::size_t compilerParts = 7;
/// "Dynamo", "AOTAutograd", "passes and lowering", "code generation", "kernels", "caches", "other".
[[nodiscard]] std::string_view compilerPartName(CompilerPart part);

/// A timing event in its place among the others, or, in mergedSpans(), several of one name.
struct Span {
    std::uint32_t name = 0; ///< index into SpanTree::names
    CompilerPart part = CompilerPart::Other;
    int parent = -1; ///< index into SpanTree::spans; -1 for an outermost one
    int lane = 0;    ///< index into SpanTree::lanes
    int depth = 0;   ///< 0 for an outermost one
    double startUs = 0, endUs = 0;
    double selfUs = 0;     ///< what no span inside accounts for
    std::size_t event = 0; ///< index into Session::timings; the longest of several
    std::size_t count = 1; ///< events
    bool open = false;     ///< the log ends before the end of one of them

    [[nodiscard]] double totalUs() const { return endUs - startUs; }
};

/// Spans that nest. Events of one thread that overlap without nesting stand in several lanes.
struct SpanLane {
    int rank = 0;
    std::int64_t pid = 0, tid = 0;
    int levels = 0;
    bool overlaps = false; ///< what found no room in the lanes of its thread before this one
};

/// Within a lane and a depth, spans are in order of time and do not overlap; a span lies within its parent
/// and stands behind it in the list.
struct SpanTree {
    std::vector<std::string> names;
    std::vector<Span> spans;
    std::vector<SpanLane> lanes;
    double startUs = 0, endUs = 0; ///< of all spans
    std::size_t leftOut = 0;       ///< events that nest more than 200 deep, or overlap in more than 64 lanes

    [[nodiscard]] const std::string& nameOf(const Span& span) const { return names[span.name]; }
};

/// The events of some compiles (indices into Session::compiles), or all events where `compiles` is empty.
/// Times that are no numbers are left out. n log n in the events.
[[nodiscard]] SpanTree makeSpans(const Session& session, const std::vector<int>& compiles = {});

/// Spans with the same names all the way up as one, the longest first ("left heavy"), all lanes in one. The
/// time axis is a sum, which starts at 0.
[[nodiscard]] SpanTree mergedSpans(const SpanTree& tree);

/// All spans of one name.
struct SpanTotal {
    std::uint32_t name = 0; ///< index into SpanTree::names
    CompilerPart part = CompilerPart::Other;
    double totalUs = 0; ///< without those inside another of the same name
    double selfUs = 0;
    std::size_t count = 0;
    int longest = -1; ///< index into SpanTree::spans
};
/// By time of its own, the longest first.
[[nodiscard]] std::vector<SpanTotal> spanTotals(const SpanTree& tree);

/// Indices into Compile::stages; -1 for none. Both ends belong to it.
struct StageSpan {
    int first = -1, last = -1;
};
/// By CompilerPart, microseconds of the clock that went into it. Of spans of one process that run at once, as those
/// of worker threads do, the one that began last counts, so that no moment counts twice; those of several processes
/// add up. n log n in the spans.
[[nodiscard]] std::array<double, compilerParts> partTimes(const SpanTree& tree);

/// The stages that were recorded while a span ran. Where there are none, the next one that was recorded
/// while the nearest span around it ran: what the span's work went into.
[[nodiscard]] StageSpan stagesOf(const Session& session, const SpanTree& tree, int span);

} // namespace dynascope::session
