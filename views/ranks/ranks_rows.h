// SPDX-License-Identifier: BSD-3-Clause
//
// What the tables of the page Ranks list: pure functions of what was read.
#pragma once

#include "core/capture/ranks_reading.h"
#include "views/base/page_parts.h"
#include "views/base/row_table.h"

#include <vector>

namespace dynascope::views {

[[nodiscard]] QString toQString(ranks::RanksVerdict verdict); ///< "will hang"
[[nodiscard]] Tone toneOf(ranks::RanksVerdict verdict);
[[nodiscard]] QString words(const std::vector<int>& ranks); ///< "ranks 0 to 2"
/// Of a number of CompileRow::letters: "a"; "-" for no compile, "27" past z.
[[nodiscard]] QString letterText(int letter);

[[nodiscard]] std::vector<FigureRow::Figure> rankFigures(const capture::RanksReading& reading,
                                                         const Colours& colours);
/// What the verdict rests on, in a sentence.
[[nodiscard]] QString evidenceText(const capture::RanksReading& reading);

[[nodiscard]] std::vector<TableColumn> rankReasonColumns();
[[nodiscard]] std::vector<TableRow> rankReasonRows(const capture::RanksReading& reading);
inline constexpr int reasonPlaceColumn = 3;

/// Groups of like ranks that have a column in the matrix; the rest is counted.
inline constexpr std::size_t mostGroups = 12;
[[nodiscard]] std::vector<TableColumn> matrixColumns(const capture::RanksReading& reading);
/// One a row of the report.
[[nodiscard]] std::vector<TableRow> matrixRows(const capture::RanksReading& reading);

[[nodiscard]] std::vector<TableColumn> waitingColumns();
[[nodiscard]] std::vector<TableRow> waitingRows(const capture::RanksReading& reading);
inline constexpr int waitingCodeColumn = 3, waitingPlaceColumn = 4;

/// Compiles that some ranks alone have, with the guard that failed.
[[nodiscard]] std::vector<TableColumn> aloneColumns();
struct AloneRow {
    std::size_t compile = 0; ///< into Session::compiles: of the first rank that has it
    TableRow cells;
};
[[nodiscard]] std::vector<AloneRow> aloneRows(const capture::RanksReading& reading);

[[nodiscard]] std::vector<TableColumn> cacheColumns();
[[nodiscard]] std::vector<TableRow> cacheRows(const capture::RanksReading& reading);

/// What profiles of the ranks measured: compiles without collectives, then collectives.
[[nodiscard]] std::vector<TableColumn> measuredColumns();
[[nodiscard]] std::vector<TableRow> measuredRows(const capture::RanksReading& reading);

/// Inductor's estimates: ranks with the same one together.
[[nodiscard]] std::vector<TableColumn> estimateColumns();
[[nodiscard]] std::vector<TableRow> estimateRows(const capture::RanksReading& reading);

[[nodiscard]] std::vector<TableColumn> noteColumns();
[[nodiscard]] std::vector<TableRow> noteRows(const capture::RanksReading& reading);

} // namespace dynascope::views
