// SPDX-License-Identifier: BSD-3-Clause
#include "core/passes/recording_json.h"

namespace dynascope::passes {

using ir::NodeIndex;
using nlohmann::json;

namespace {

json nameOf(const ir::Graph& graph, NodeIndex node) {
    return node < graph.size() ? json(graph.node(node).name) : json();
}

} // namespace

json stepsJson(const StepRecording& recording, bool withDetails) {
    const ir::Graph& before = *recording.before.graph;
    const ir::Graph& after = *recording.after.graph;
    json steps = json::array();
    for (std::size_t i = 0; i < recording.steps.size(); ++i) {
        const Step& step = recording.steps[i];
        json entry{{"pass", recording.pass},
                   {"source", step.source < before.size() ? before.node(step.source).name : std::string()},
                   {"target", step.source < before.size() ? before.node(step.source).target : std::string()},
                   {"end", step.end},
                   {"emitted", json::array()}};
        if (!step.why.empty()) entry["why"] = step.why;
        for (const Step::Emitted& emitted : step.emitted)
            entry["emitted"].push_back({{"node", nameOf(after, emitted.node)}, {"why", emitted.why}});
        for (const Step::Changed& changed : step.changed)
            entry["changed"].push_back({{"before", nameOf(before, changed.before)},
                                        {"after", nameOf(after, changed.after)},
                                        {"why", changed.why}});
        for (const Step::Removed& removed : step.removed)
            entry["removed"].push_back({{"node", nameOf(before, removed.before)},
                                        {"replacement", nameOf(after, removed.replacement)},
                                        {"why", removed.why}});
        if (withDetails && recording.after.details) recording.after.details->describe(i, entry);
        steps.push_back(std::move(entry));
    }
    return steps;
}

json recordingJson(const StepRecording& recording) {
    json provenance = json::array();
    for (const auto& [from, to] : recording.provenance())
        provenance.push_back({nameOf(*recording.before.graph, from), nameOf(*recording.after.graph, to)});
    json out{{"pass", recording.pass},
             {"nodes_before", recording.before.graph->size()},
             {"nodes_after", recording.after.graph->size()},
             {"time_us", std::chrono::duration<double, std::micro>(recording.time).count()},
             {"warnings", recording.after.warnings},
             {"notes", recording.after.notes},
             {"provenance", std::move(provenance)}};
    if (recording.after.details) recording.after.details->describeAll(out);
    return out;
}

} // namespace dynascope::passes
