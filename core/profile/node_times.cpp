// SPDX-License-Identifier: BSD-3-Clause
#include "core/profile/node_times.h"

#include "core/profile/grouped.h"

#include <map>

namespace dynascope::profile {

namespace {

using Place = std::pair<int, int>; ///< compile, stage

/// A step without the row counts as one in which it took no time.
double inAStep(const Row& row, std::size_t steps) {
    if (steps == 0) return row.self;
    std::vector<double> times(steps, 0);
    addSteps(row, 1, times);
    return medianOf(std::move(times));
}

bool isInGraph(Part part) {
    return part == Part::Kernel || part == Part::Node || part == Part::InGraph;
}

/// The graph whose nodes the kernels of an output code are of.
std::map<Place, int> graphsOfCodes(Facts& facts) {
    std::map<Place, int> out;
    const std::vector<Row>& rows = facts.joined()->rows;
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (rows[i].part == Part::Kernel && rows[i].stage >= 0 && facts.of(i).nodeStage >= 0)
            out.emplace(Place(rows[i].compile, rows[i].stage), facts.of(i).nodeStage);
    return out;
}

/// The nodes that a row computes, all of them; none where that is not known.
std::vector<std::string> nodesOf(const Row& row, std::size_t index, int stage, Facts& facts) {
    if (row.part == Part::InGraph) return {};
    const RowFacts& known = facts.of(index);
    if (row.part == Part::Kernel)
        return known.nodeStage == stage && known.computesAll ? known.nodeNames : std::vector<std::string>();
    const session::Session& session = *facts.joined()->session;
    const auto graph = session.compiles[static_cast<std::size_t>(row.compile)]
                           .stages[static_cast<std::size_t>(stage)]
                           ->graph();
    if (!graph || row.node >= (*graph)->size()) return {};
    return {(*graph)->node(row.node).name};
}

} // namespace

std::vector<StageTimes> stageTimes(Facts& facts) {
    const Joined& joined = *facts.joined();
    const std::map<Place, int> graphs = graphsOfCodes(facts);
    std::map<Place, StageTimes> stages;
    for (std::size_t i = 0; i < joined.rows.size(); ++i) {
        const Row& row = joined.rows[i];
        if (!isInGraph(row.part) || row.compile < 0 || row.stage < 0) continue;
        const auto graph = graphs.find({row.compile, row.stage});
        const int stage = graph == graphs.end() ? row.stage : graph->second;
        StageTimes& of = stages[{row.compile, stage}];
        of.compile = row.compile;
        of.stage = stage;
        of.all += row.self;
        const std::vector<std::string> names = nodesOf(row, i, stage, facts);
        if (names.empty()) continue;
        of.joined += row.self;
        of.inParts = of.inParts || names.size() > 1;
        const double part = inAStep(row, joined.profile->steps.size()) / static_cast<double>(names.size());
        for (const std::string& name : names)
            of.nodes[name] += part;
    }
    std::vector<StageTimes> out;
    for (auto& [place, of] : stages)
        if (!of.nodes.empty()) out.push_back(std::move(of));
    return out;
}

} // namespace dynascope::profile
