// SPDX-License-Identifier: BSD-3-Clause
#include "core/profile/launch_coverage.h"

#include <algorithm>

namespace dynascope::profile {

LaunchCoverage::LaunchCoverage(Facts& facts)
    : m_facts(facts) {
    const auto& rows = facts.joined()->rows;
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (rows[i].part == Part::Kernel && facts.of(i).nodeStage >= 0)
            m_graphOfCode.emplace(std::pair(rows[i].compile, rows[i].stage), facts.of(i).nodeStage);
}

const replay::GraphCoverage* LaunchCoverage::of(const LaunchedGraph& graph) {
    const Joined& joined = *m_facts.joined();
    if (!m_report) m_report = cudagraphCoverage(*joined.session, replay::GraphBackend::ReduceOverhead);
    const auto& stages = joined.session->compiles[static_cast<std::size_t>(graph.compile)].stages;
    const auto known = m_graphOfCode.find({graph.compile, graph.stage});
    const int stage = known == m_graphOfCode.end() ? graph.stage : known->second;
    const auto at = std::ranges::find_if(m_report->graphs, [&](const replay::GraphCoverage& one) {
        return one.compile == static_cast<std::size_t>(graph.compile) &&
               one.stage == stages[static_cast<std::size_t>(stage)];
    });
    return at == m_report->graphs.end() ? nullptr : &*at;
}

std::string coverageWords(const replay::GraphCoverage* coverage) {
    if (!coverage) return {};
    std::string out(coverageVerdictName(coverage->verdict));
    if (coverage->verdict != replay::CoverageVerdict::CudaGraph && !coverage->problems.empty())
        out += ", " + coverage->problems.front().what;
    return out;
}

std::string launchedName(const Joined& joined, const LaunchedGraph& graph) {
    const session::Compile& compile = joined.session->compiles[static_cast<std::size_t>(graph.compile)];
    return compileName(*joined.session, compile) + ' ' +
           compile.stages[static_cast<std::size_t>(graph.stage)]->label();
}

} // namespace dynascope::profile
