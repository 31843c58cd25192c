// SPDX-License-Identifier: BSD-3-Clause
//
// What the page Recompiles says, as rows and facts: pure functions of a session and what core/dynamo makes of
// its recompiles.
#pragma once

#include "core/dynamo/recompiles.h"
#include "core/profile/compile_runs.h"
#include "views/base/page_parts.h"
#include "views/base/row_table.h"
#include "views/inspector/facts.h"

#include <string>
#include <vector>

namespace dynascope::views {

/// A recompile with the cache that it is of.
struct ListedRecompile {
    std::size_t cache = 0, recompile = 0; ///< into the caches, and FrameCache::recompiles
};
/// In order of compilation.
[[nodiscard]] std::vector<ListedRecompile> listRecompiles(const std::vector<dynamo::FrameCache>& caches);

[[nodiscard]] std::vector<TableColumn> recompileColumns();
/// `run` is what the entry did in the capture's profile; null where that is not known.
[[nodiscard]] TableRow recompileRow(const session::Session& session, const dynamo::Recompile& recompile,
                                    double mostSeconds, const profile::CompileRun* run = nullptr);
/// Of recompileColumns(): how often it ran, and what it took; hidden without a profile.
inline constexpr int ranColumn = 3, runTimeColumn = 4;

/// The entries that were asked before a recompile, in the order in which they were.
[[nodiscard]] std::vector<TableColumn> askedColumns();
[[nodiscard]] std::vector<TableRow> askedRows(const session::Session& session,
                                              const dynamo::Recompile& recompile);

/// Checks of two entries that differ.
[[nodiscard]] std::vector<TableColumn> guardChangeColumns();
[[nodiscard]] std::vector<TableRow> guardChangeRows(const dynamo::GuardChanges& changes);

/// The whole story of one: cost, why, what became symbolic, what to do, where to go. Links are those of
/// followLink(), and "guards:COMPILE" and "pair:COMPILE:COMPILE". `runs` are of each compile in the capture's profile.
[[nodiscard]] Facts recompileFacts(const session::Session& session, const dynamo::FrameCache& cache,
                                   const dynamo::Recompile& recompile,
                                   const std::vector<profile::CompileRun>& runs = {});

/// The entry whose guard failed first, else the first of the cache.
[[nodiscard]] const session::Compile& askedFirst(const session::Session& session,
                                                 const dynamo::FrameCache& cache,
                                                 const dynamo::Recompile& recompile);
/// Where the guard that failed first was added, else the frame.
[[nodiscard]] ir::SourceLocation recompilePlace(const session::Session& session,
                                                const dynamo::Recompile& recompile);

/// What stands above the table.
[[nodiscard]] std::vector<FigureRow::Figure> recompileFigures(const session::Session& session,
                                                              const std::vector<dynamo::FrameCache>& caches,
                                                              const Colours& colours);

[[nodiscard]] QString recompilesAsCsv(const session::Session& session,
                                      const std::vector<dynamo::FrameCache>& caches,
                                      const std::vector<profile::CompileRun>& runs = {});

} // namespace dynascope::views
