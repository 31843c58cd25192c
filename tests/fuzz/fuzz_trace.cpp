// SPDX-License-Identifier: BSD-3-Clause
//
// Trace logs and anything else that open() may be given: nothing crashes, every index of the session is in
// range, and all that is computed from it can be. The readers of payloads get the input as a payload of their
// own besides, so that the fuzzer does not have to find their record headers first.
#include "app/cli/info.h"
#include "core/capture/guards.h"
#include "core/capture/open.h"
#include "core/compare/explain.h"
#include "core/session/break_reasons.h"
#include "core/session/breaks.h"
#include "core/session/metrics.h"
#include "core/session/spans.h"
#include "core/torch_text/graph_break.h"
#include "core/torch_text/traceback.h"
#include "tests/fuzz/expect.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

using namespace dynascope;
using fuzz::expect;

namespace {

void checkSession(const session::Session& session) {
    for (const session::Record& record : session.records) {
        static_cast<void>(record.payload.text());
        expect(!record.header.text().empty());
    }
    for (const session::Compile& compile : session.compiles) {
        for (const session::StagePtr& stage : compile.stages) {
            expect(stage->record == SIZE_MAX || stage->record < session.records.size());
            static_cast<void>(stage->graph());
        }
        for (const session::GraphBreak& item : compile.breaks)
            expect(item.record < session.records.size());
        for (const std::size_t record : compile.records)
            expect(record < session.records.size());
        expect(compile.breaks.empty() == compile.finalBreaks().empty());
        expect(session.find(compile.rank, compile.id.toString()) != nullptr);
    }
    for (const session::Frame& frame : session.frames)
        for (const std::size_t c : frame.compiles)
            expect(c < session.compiles.size());
    for (const session::TimingEvent& event : session.timings)
        expect(event.durationUs >= 0 && event.compile < static_cast<int>(session.compiles.size()));

    const session::BreakSummary summary = session::summarizeBreaks(session);
    for (const session::BreakGroup& group : summary.groups)
        expect(!group.waysOut.empty() && !group.occurrences.empty());
    for (const session::CutRow& row : session::cutRows(session, summary))
        for (const session::CutPiece& piece : row.pieces)
            expect(piece.compile < session.compiles.size());
    expect(!cli::infoJson(session).empty() && !cli::infoText(session).empty());
}

/// A span lies in its parent and behind the span before it; every index is in range.
void checkSpans(const session::Session& session, const session::SpanTree& tree) {
    std::vector<std::vector<double>> ended(tree.lanes.size());
    for (std::size_t i = 0; i < tree.spans.size(); ++i) {
        const session::Span& span = tree.spans[i];
        std::vector<double>& lane = ended.at(static_cast<std::size_t>(span.lane));
        const auto depth = static_cast<std::size_t>(span.depth);
        if (lane.size() <= depth) lane.resize(depth + 1, span.startUs);
        expect(span.startUs >= lane[depth] && span.endUs >= span.startUs && span.selfUs >= 0);
        lane[depth] = span.endUs;
        expect(span.parent < static_cast<int>(i) && span.event < session.timings.size());
        if (span.parent >= 0) expect(tree.spans[static_cast<std::size_t>(span.parent)].endUs >= span.endUs);
        const session::StageSpan stages = session::stagesOf(session, tree, static_cast<int>(i));
        expect(stages.first <= stages.last);
    }
    expect(session::spanTotals(tree).size() <= tree.names.size());
}

void checkCompileTime(const session::Session& session) {
    const session::SpanTree tree = session::makeSpans(session);
    checkSpans(session, tree);
    checkSpans(session, session::mergedSpans(tree));
    const session::MetricTable metrics = session::readMetrics(session);
    for (const session::MetricRow& row : metrics.rows)
        expect(row.values.size() == metrics.columns.size() && row.record < session.records.size());
    static_cast<void>(session::kernelTimes(session, metrics));
    const auto same = compare::compareSessions(session, session);
    expect(same && same->compiles.size() >= session.compiles.size() / 2 &&
           !compare::explain(session, session, *same).summary.empty());
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    static_cast<void>(capture::parseGuards(text));
    static_cast<void>(capture::parsePythonError(text));
    const session::GraphBreak graphBreak = capture::parseGraphBreak(text);
    expect(!session::shortReason(graphBreak).empty() && !session::waysOut(graphBreak).empty());
    if (const auto opened = capture::openText(text, "fuzz")) {
        checkSession(**opened);
        checkCompileTime(**opened);
    }
    return 0;
}
