// SPDX-License-Identifier: BSD-3-Clause
//
// A report of a capture as documents that other programs show: Markdown for a pull request, SARIF 2.1.0 for the annotations of
// a code host, JUnit's XML for a job's list of tests. Of the same capture the same bytes, but for the path it was opened
// by. What comes from a capture is text in each: escaped, or in a code span.
#pragma once

#include "core/answers/answer.h"
#include "core/report/budgets.h"

#include <string>
#include <string_view>
#include <vector>

namespace dynascope::report {

/// What documents are made of. `answers` in the order in which they stand.
struct Contents {
    std::string title; ///< of the capture
    std::vector<answers::Answer> answers;
    Figures figures;
    std::vector<BudgetCheck> checks;
};

/// The answers, what exceeds a budget, and the first breaks and recompiles with their lines and ways out: at most 60 lines.
[[nodiscard]] std::string markdown(const Contents& contents);

/// A result for each part of what exceeds a budget, at the program's line; a rule for each budget. `root` is the folder that
/// paths in it are told from, so that a code host finds them; other paths are file URIs.
[[nodiscard]] std::string sarif(const Contents& contents, std::string_view root);

/// A case for each budget, failed with its first causes where it does not hold.
[[nodiscard]] std::string junit(const Contents& contents);

} // namespace dynascope::report
