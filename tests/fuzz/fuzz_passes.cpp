// SPDX-License-Identifier: BSD-3-Clause
//
// Recordings of passes: a file, or from the mark on the tail beside it. Whatever opens can be gone through.
#include "core/inductor/compile_passes.h"
#include "core/inductor/fallbacks.h"
#include "core/inductor/pattern_graph.h"
#include "core/inductor/schedule_rows.h"
#include "core/inductor/stage_passes.h"
#include "core/inductor/why_not_fused.h"
#include "core/session/byte_source.h"
#include "tests/fuzz/expect.h"

#include <algorithm>
#include <cstdint>

using namespace dynascope;
using namespace dynascope::inductor;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const std::size_t mark = std::min(input.find("\x89"
                                                 "DYNTAIL"),
                                      input.size());
    const auto recording = PassRecording::read(
        session::makeByteSource(std::string(input.substr(0, mark))),
        mark == input.size() ? nullptr : session::makeByteSource(std::string(input.substr(mark))), {});
    if (!recording) {
        fuzz::expect(!recording.error().message.empty());
        return 0;
    }
    const PassRecording& r = **recording;
    for (const State& state : r.states()) {
        fuzz::expect(state.base < state.id);
        static_cast<void>(r.text(state.id));
        static_cast<void>(r.nodes(state.id));
    }
    for (std::size_t i = 0; i <= r.stages().size(); ++i)
        static_cast<void>(r.stageText(i));
    session::Session session;
    session.passRecordings.push_back(*recording);
    session.compiles = compilesIn(r);
    for (const session::Compile& compile : session.compiles) {
        CompilePasses passes = passesOf(session, compile);
        if (!addStages(passes)) return 0;
        for (const PassRow& row : passes.rows) {
            fuzz::expect(row.phase != nullptr && row.change != nullptr);
            fuzz::expect(!row.changed() || passes.stageOf(row.after) >= 0 || r.state(row.after) == nullptr ||
                         r.phase(r.state(row.after)->phase) == nullptr);
            for (const NodeRef& node : row.change->created)
                for (const NodeStep& step : historyOf(passes, node.id))
                    fuzz::expect(step.row < passes.rows.size());
        }
        if (const auto costs = fallbacksOf(passes))
            for (const FallbackCost& cost : *costs)
                fuzz::expect(cost.phase != nullptr && cost.fallback != nullptr);
        for (const StagePasses& stage : passesByStage(passes, compile))
            fuzz::expect(stage.stage < compile.stages.size());
        for (std::uint32_t pattern = 1; r.pattern(pattern) != nullptr; ++pattern)
            for (const PatternNode& node : patternGraph(r.pattern(pattern)->expression).nodes)
                fuzz::expect(!node.name.empty());
        for (const Schedule* schedule : schedulesOf(passes)) {
            for (const Refusal& refusal : refusalsOf(*schedule))
                static_cast<void>(r.reason(refusal.reason));
            for (const auto& [id, node] : schedule->nodes)
                static_cast<void>(schedule->operationsOf(id));
            static_cast<void>(questionsAbout(*schedule, "op0", "op1"));
            const ScheduleRows rows = rowsOf(*schedule);
            for (const RowRange& range : rows.fusions)
                fuzz::expect(range.first <= range.last &&
                             (range.last < rows.operations.size() || range == RowRange{}));
            for (const RowEdge& edge : rows.edges)
                fuzz::expect(edge.from < rows.operations.size() && edge.to < rows.operations.size());
            for (const std::size_t box : rows.boxesAfter(rows.fusions.size()))
                fuzz::expect(box >= 1 && box <= rows.fusions.size());
            const WhyNotFused why = whyNotFused(*schedule, "op0", "op1");
            static_cast<void>(wouldHaveToDiffer(r, *schedule, why, "op0", "op1"));
        }
    }
    return 0;
}
