// SPDX-License-Identifier: BSD-3-Clause
//
// A comparison that was asked for and what came out of it.
#pragma once

#include "core/compare/explain.h"
#include "views/workspace/workspace.h"

#include <memory>

namespace dynascope::views {

/// A value; made on a worker, shown by the models of the page.
struct ComparisonResult {
    ComparisonRequest request;
    compare::Explanation explanation;
    compare::Comparison whole;     ///< of captures and compiles
    compare::RankComparison ranks; ///< of ranks

    [[nodiscard]] bool ofRanks() const { return request.what == ComparisonRequest::What::Ranks; }
    /// The comparison that a place looks at: of ranks that of `rank` with the first one, else the whole.
    [[nodiscard]] const compare::Comparison& of(int rank) const;
    /// The names of both sides: "train", "train 0/1", "ddp rank 1".
    [[nodiscard]] QString nameA() const;
    [[nodiscard]] QString nameB(int rank) const;
};
using ComparisonResultPtr = std::shared_ptr<const ComparisonResult>;

/// Blocks. Null where it was cancelled.
[[nodiscard]] ComparisonResultPtr runComparison(const ComparisonRequest& request, const TaskContext& task);

/// The pair to look at first: the first one that is not the same, else the first; -1 where there is none.
[[nodiscard]] int firstPair(const compare::Comparison& comparison);

} // namespace dynascope::views
