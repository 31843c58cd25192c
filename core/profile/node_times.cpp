// SPDX-License-Identifier: BSD-3-Clause
#include "core/profile/node_times.h"

#include "core/profile/grouped.h"
#include "core/profile/launch_rows.h"
#include "core/session/provenance.h"

#include <map>
#include <memory>
#include <set>

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

/// Adds to `to` what `from`, the times of `below`, says of the nodes that they came from; `origins` are by node of `below`.
void passOn(const StageTimes& from, const ir::Graph& below, const ir::Graph& above,
            const std::vector<std::vector<ir::NodeIndex>>& origins, StageTimes& to) {
    double whole = 0, passed = 0;
    for (const auto& [name, time] : from.nodes) {
        whole += time;
        const ir::NodeIndex node = below.find(name);
        if (node == ir::npos || origins[node].empty()) continue;
        passed += time;
        const double part = time / static_cast<double>(origins[node].size());
        for (const ir::NodeIndex origin : origins[node])
            to.nodes[above.node(origin).name] += part;
        to.inParts = to.inParts || origins[node].size() > 1;
    }
    to.all += from.all;
    if (whole > 0) to.joined += from.joined * passed / whole;
    to.inParts = to.inParts || from.inParts;
    to.passedOnFrom.push_back(from.stage);
}

} // namespace

std::vector<StageTimes> passedOn(const session::SessionPtr& session, const std::vector<StageTimes>& measured,
                                 const TaskContext& task) {
    std::set<Place> own;
    for (const StageTimes& of : measured)
        own.emplace(of.compile, of.stage);
    std::map<Place, StageTimes> stages;
    std::unique_ptr<session::Provenance> provenance;
    int compile = -1;
    for (const StageTimes& of : measured) {
        if (of.compile != compile)
            provenance = std::make_unique<session::Provenance>(session, static_cast<std::size_t>(of.compile));
        compile = of.compile;
        const auto& all = session->compiles[static_cast<std::size_t>(compile)].stages;
        const auto below = static_cast<std::size_t>(of.stage);
        for (const std::size_t above : provenance->stagesAbove(below)) {
            if (task.cancelled()) break;
            const Place place(compile, static_cast<int>(above));
            if (own.contains(place)) continue;
            const auto origins = provenance->originsIn(below, above);
            if (origins.empty()) continue;
            StageTimes& to = stages[place];
            to.compile = compile;
            to.stage = place.second;
            passOn(of, **all[below]->graph(), **all[above]->graph(), origins, to);
        }
    }
    std::vector<StageTimes> out;
    for (auto& [place, of] : stages)
        if (!of.nodes.empty()) out.push_back(std::move(of));
    return out;
}

std::vector<StageTimes> stageTimes(Facts& facts) {
    const Joined& joined = *facts.joined();
    const std::map<Place, int> graphs = graphsOfCodes(facts);
    const LaunchRows launches(joined);
    std::map<Place, StageTimes> stages;
    for (std::size_t i = 0; i < joined.rows.size(); ++i) {
        const Row& row = joined.rows[i];
        if (!isInGraph(row.part) || row.compile < 0 || row.stage < 0 || launches.contains(row)) continue;
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
