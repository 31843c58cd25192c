// SPDX-License-Identifier: BSD-3-Clause
//
// Why two runs differ, in words: what somebody wants to read first.
#pragma once

#include "core/compare/compare.h"

#include <string>
#include <vector>

namespace dynascope::compare {

struct Explanation {
    std::string summary; ///< one to three sentences: how much differs, and the first cause
    /// Of two captures: graph breaks, compiles, recompiles and compile time of each as a whole; empty else.
    std::string totals;
    std::vector<std::string> points; ///< what else tells the runs apart, the likelier causes first
};

[[nodiscard]] Explanation explain(const session::Session& a, const session::Session& b,
                                  const Comparison& comparison);
[[nodiscard]] Explanation explainRanks(const RankComparison& comparison);

/// "f cap.py:28"; what is known of it.
[[nodiscard]] std::string placeOf(const session::Compile& compile);

} // namespace dynascope::compare
