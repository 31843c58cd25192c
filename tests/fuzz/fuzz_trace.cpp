// SPDX-License-Identifier: BSD-3-Clause
//
// Trace logs and anything else that open() may be given: nothing crashes, every index of the session is in
// range, and all that is computed from it can be. The readers of payloads get the input as a payload of their
// own besides, so that the fuzzer does not have to find their record headers first.
#include "app/cli/info.h"
#include "core/capture/graph_break.h"
#include "core/capture/guards.h"
#include "core/capture/open.h"
#include "core/capture/traceback.h"
#include "core/session/break_reasons.h"
#include "core/session/breaks.h"
#include "tests/fuzz/expect.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

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

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    static_cast<void>(capture::parseGuards(text));
    static_cast<void>(capture::parsePythonError(text));
    const session::GraphBreak graphBreak = capture::parseGraphBreak(text);
    expect(!session::shortReason(graphBreak).empty() && !session::waysOut(graphBreak).empty());
    if (const auto opened = capture::openText(text, "fuzz")) checkSession(**opened);
    return 0;
}
