// SPDX-License-Identifier: BSD-3-Clause
//
// Graphs that wait for launches, joined to the coverage report: which of them a CUDA graph would help, and if none would,
// why.
#pragma once

#include "core/profile/facts.h"
#include "core/profile/idle.h"
#include "core/replay/coverage.h"

#include <map>
#include <optional>
#include <string>
#include <utility>

namespace dynascope::profile {

/// Of one thread at a time. `facts` must outlive it. Judges the whole capture when it is first asked, which reads the
/// graphs of all its compiles.
class LaunchCoverage {
public:
    explicit LaunchCoverage(Facts& facts);

    /// Under mode="reduce-overhead"; null where the report has none of that graph. As long as this object lives.
    [[nodiscard]] const replay::GraphCoverage* of(const LaunchedGraph& graph);

private:
    Facts& m_facts;
    std::map<std::pair<int, int>, int> m_graphOfCode; ///< the stage that output code was made of
    std::optional<replay::CoverageReport> m_report;
};

/// "CUDA graph"; "skipped, writes an input": the verdict, and of those that are none the first reason. Empty for null.
[[nodiscard]] std::string coverageWords(const replay::GraphCoverage* coverage);

/// "0/0 inductor_output_code".
[[nodiscard]] std::string launchedName(const Joined& joined, const LaunchedGraph& graph);

} // namespace dynascope::profile
