// SPDX-License-Identifier: BSD-3-Clause
//
// Recorded passes in words: rows of tables and facts.
#pragma once

#include "core/inductor/compile_passes.h"
#include "core/inductor/fallbacks.h"
#include "core/inductor/line_history.h"
#include "views/base/page_parts.h"
#include "views/base/row_table.h"
#include "views/inspector/facts.h"

#include <QString>
#include <vector>

namespace dynascope::engine {
struct PassVerdict;
}

namespace dynascope::views {

/// "joint", "post_grad · forward": what ran over which graph.
[[nodiscard]] QString phaseText(const inductor::PassPhase& phase);

[[nodiscard]] std::vector<TableColumn> passColumns();
[[nodiscard]] std::vector<TableColumn> matchColumns();

/// A row of the table of passes: a pass, passes in a row that changed nothing, or the beginning of a phase.
struct ListedPass {
    const inductor::PassPhase* phase = nullptr;
    int row = -1;          ///< into CompilePasses::rows: of the pass, or the first of them; -1 for a phase
    std::size_t count = 1; ///< of passes that it stands for
};
/// Passes that changed nothing stand in one row where `folds`; those whose name has `filter` alone where that is not
/// empty.
[[nodiscard]] std::vector<ListedPass> listedPasses(const inductor::CompilePasses& passes, bool folds,
                                                   const QString& filter);
/// Of the table of passes: what the engine said of each.
inline constexpr int verdictColumn = 5;
/// `verdict` may be null.
[[nodiscard]] TableRow passRow(const inductor::CompilePasses& passes, const ListedPass& listed,
                               const engine::PassVerdict* verdict);
[[nodiscard]] std::vector<TableRow> matchRows(const inductor::CompilePasses& passes,
                                              const inductor::RecordedPass& pass);

/// The schedule of the graph that a row is about: of forward for what comes before forward and backward part; null where
/// none was recorded.
[[nodiscard]] const inductor::Schedule* scheduleOf(const inductor::CompilePasses& passes,
                                                   const inductor::PassRow& row);
[[nodiscard]] std::vector<TableColumn> kernelColumns();
[[nodiscard]] std::vector<TableRow> kernelRows(const inductor::Schedule& schedule);
/// "op0 op1 with op2" of two nodes of a schedule, each with what was fused into it.
[[nodiscard]] QString pairText(const inductor::Schedule& schedule, std::uint32_t a, std::uint32_t b);
/// With blanks between them.
[[nodiscard]] QString namesText(const std::vector<std::string>& names);
[[nodiscard]] std::vector<TableColumn> fusionColumns();
/// Fusions in their order, then pairs that were refused, those that share most first.
[[nodiscard]] std::vector<TableRow> fusionRows(const inductor::CompilePasses& passes,
                                               const inductor::Schedule& schedule);

[[nodiscard]] std::vector<TableColumn> fallbackColumns();
[[nodiscard]] std::vector<TableRow> fallbackRows(const std::vector<inductor::FallbackCost>& costs);

[[nodiscard]] std::vector<TableColumn> tuningColumns();
/// Choices that were timed for the graph of a schedule, each call's together.
[[nodiscard]] std::vector<TableRow> tuningRows(const inductor::PassRecording& recording,
                                               const inductor::Schedule& schedule);

[[nodiscard]] std::vector<TableColumn> lineColumns();
[[nodiscard]] std::vector<TableRow> lineRows(const inductor::CompilePasses& passes,
                                             const std::vector<inductor::LineStep>& steps);

[[nodiscard]] std::vector<FigureRow::Figure> passFigures(const inductor::CompilePasses& passes,
                                                         const Colours& colours);

/// What is known of a pass; links "row:N" lead to other rows.
[[nodiscard]] Facts passFacts(const inductor::CompilePasses& passes, int row);
/// How a node came about; `name` is its name in that state, `id` the recorder's number.
[[nodiscard]] Section nodeSection(const inductor::CompilePasses& passes, std::uint64_t id,
                                  const QString& name);

/// Where a pattern is defined, the graph that it looks for, and what its arguments stood for in this match.
[[nodiscard]] Section patternSection(const inductor::PassRecording& recording, const inductor::Match& match);

/// All of them as CSV, a row each.
[[nodiscard]] QString passTable(const inductor::CompilePasses& passes);

/// "+2 −19 ~1"; "text only" where values are printed differently and nothing else changed; empty for no change.
[[nodiscard]] QString changeWords(const inductor::PassRow& row);

} // namespace dynascope::views
