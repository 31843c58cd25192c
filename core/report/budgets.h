// SPDX-License-Identifier: BSD-3-Clause
//
// Limits on a capture's figures, and what exceeds them: for a job of continuous integration that fails where a change breaks
// a graph. Pure functions; any thread.
#pragma once

#include "core/base/result.h"
#include "core/report/figures.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dynascope::report {

/// A limit that is not set holds.
struct Budgets {
    std::optional<double> graphBreaks, recompiles, compileSeconds, peakBytes;
    bool requireCudagraph = false;
    /// Percent that the nodes of compiled graphs may be more than the baseline's.
    std::optional<double> nodesGrowth;
    std::string baseline; ///< path of the capture to compare with; empty for none

    [[nodiscard]] bool empty() const {
        return !graphBreaks && !recompiles && !compileSeconds && !peakBytes && !requireCudagraph &&
               !nodesGrowth;
    }
};

/// Sets a limit by its name on the command line and in dynascope.toml, without dashes in front: "max-graph-breaks",
/// "max-recompiles", "max-compile-seconds", "max-peak-bytes", "max-nodes-growth", "require-cudagraph" ("true" or "false"),
/// "baseline". An Error for another name, or for what is no number at or above 0.
[[nodiscard]] Result<void> setBudget(Budgets& budgets, std::string_view name, std::string_view value);

/// The table [budgets] of a dynascope.toml: names and values as above. Paths in it are relative to the file. An Error names
/// file, line and column.
[[nodiscard]] Result<Budgets> readBudgets(const std::string& text, const std::string& file);

/// One limit, and what became of it.
struct BudgetCheck {
    Kind kind = Kind::GraphBreaks;
    std::string name; ///< "max-graph-breaks"
    bool holds = true;
    /// "3 graph breaks, where 0 are allowed"; of a limit that cannot be judged, why. That one does not hold.
    std::string text;
    std::vector<Part> parts; ///< what exceeds it, the first cause first; empty where it holds
};

/// In the order of Budgets' members. `baseline` may be null.
[[nodiscard]] std::vector<BudgetCheck> check(const Budgets& budgets, const Figures& figures,
                                             const Figures* baseline);

} // namespace dynascope::report
