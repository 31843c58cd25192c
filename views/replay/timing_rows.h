// SPDX-License-Identifier: BSD-3-Clause
//
// What came of a replay in words: the nodes' times, the whole against eager and against earlier runs. Pure
// functions.
#pragma once

#include "views/base/page_parts.h"
#include "views/base/row_table.h"
#include "views/inspector/facts.h"
#include "views/replay/replay_runs.h"

namespace dynascope::views {

enum class TimingColumn { Graph, Node, Target, Mode, Median, Min, P99, Line };
[[nodiscard]] std::vector<TableColumn> timingColumns();
/// A node of a run that was measured.
struct TimedNode {
    std::size_t graph = 0; ///< into ReplayedRun::graphs
    std::size_t time = 0;  ///< into GraphRun::nodes
};
/// All of them, in the order of the graphs.
[[nodiscard]] std::vector<TimedNode> timedNodes(const ReplayedRun& run);
[[nodiscard]] std::vector<TableRow> timingRows(const ReplayedRun& run, const std::vector<TimedNode>& nodes);

/// What was checked of a run: allocator calls, divergences, results against eager.
[[nodiscard]] std::vector<FigureRow::Figure> replayChecks(const ReplayedRun& run, const Colours& colours);
[[nodiscard]] std::vector<FigureRow::Figure> timingFigures(const ReplayedRun& run, const Colours& colours);
/// "slower", "faster", "as before" with the noise that the verdict allows for.
[[nodiscard]] QString changeText(const replay::RunChange& change);
/// Of the whole run: graphs, what changed, what diverged, what was left out. Links: "graph:N".
[[nodiscard]] Facts timingFacts(const ReplayedRun& run);

enum class HistoryColumn { When, Verdict, Median, Noise, Eager, Engine };
[[nodiscard]] std::vector<TableColumn> historyColumns();
/// Newest first.
[[nodiscard]] std::vector<TableRow> historyRows(const std::vector<KnownRun>& oldestFirst);

} // namespace dynascope::views
