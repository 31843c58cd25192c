// SPDX-License-Identifier: BSD-3-Clause
#include "core/inductor/line_history.h"

#include "core/session/provenance.h"

#include <algorithm>
#include <map>
#include <set>

namespace dynascope::inductor {

namespace {

using Nodes = std::vector<std::string>;

Result<Nodes> nodesOfLine(const session::Stage& stage, std::string_view file, std::uint32_t line) {
    const Result<ir::GraphPtr> graph = stage.graph();
    if (!graph) return tl::unexpected(graph.error());
    Nodes out;
    for (const ir::NodePtr& node : (*graph)->nodes())
        if (node->stack && std::ranges::any_of(*node->stack, [&](const ir::SourceLocation& at) {
                return at.line == line && session::namesFile(at.file, file);
            }))
            out.push_back(node->name);
    return out;
}

/// Those of `a` that `b` has not.
Nodes without(const Nodes& a, const Nodes& b) {
    const std::set<std::string_view> known(b.begin(), b.end());
    Nodes out;
    for (const std::string& name : a)
        if (!known.contains(name)) out.push_back(name);
    return out;
}

Nodes common(const Nodes& a, const std::set<std::string>& b) {
    Nodes out;
    for (const std::string& name : a)
        if (b.contains(name)) out.push_back(name);
    return out;
}

/// Names of the graph before, as they are after the change.
Nodes renamed(Nodes names, const State& state) {
    std::map<std::string_view, std::string_view> now;
    for (const Change::Renamed& node : state.change.renamed)
        now.emplace(node.before, node.after);
    for (std::string& name : names)
        if (const auto at = now.find(name); at != now.end()) name = at->second;
    return names;
}

/// Names after a change of the nodes that it updated.
std::set<std::string> updatedNames(const PassRecording& recording, const State& state) {
    std::set<std::string> out;
    if (state.change.updated.empty()) return out;
    const std::set<std::uint64_t> ids(state.change.updated.begin(), state.change.updated.end());
    for (const NodeRef& node : recording.nodes(state.id))
        if (ids.contains(node.id)) out.insert(node.name);
    return out;
}

} // namespace

Result<std::vector<LineStep>> historyOfLine(const CompilePasses& passes, std::string_view file,
                                            std::uint32_t line, const TaskContext& task) {
    std::vector<LineStep> out;
    if (!passes.recording) return out;
    std::map<std::uint32_t, int> rowOf; // the innermost row that left a state: the last of them began last
    for (std::size_t i = 0; i < passes.rows.size(); ++i)
        if (passes.rows[i].changed()) rowOf[passes.rows[i].after] = int(i);
    std::map<std::uint32_t, Nodes> last; // by module
    for (const PassStage& stage : passes.stages) {
        if (task.cancelled()) return cancellation();
        const State* state = passes.recording->state(stage.state);
        Result<Nodes> nodes = nodesOfLine(*stage.stage, file, line);
        if (!nodes) return tl::unexpected(nodes.error());
        const auto before = last.find(state->module);
        LineStep step{stage.phase, -1, stage.state, std::move(*nodes), {}, {}, {}};
        if (before != last.end()) {
            if (const auto row = rowOf.find(stage.state); row != rowOf.end()) step.row = row->second;
            const Nodes known = renamed(std::move(before->second), *state);
            step.made = without(step.nodes, known);
            step.gone = without(known, step.nodes);
            std::set<std::string> updated = updatedNames(*passes.recording, *state);
            for (const std::string& name : step.made)
                updated.erase(name);
            step.changed = common(step.nodes, updated);
        } else {
            step.made = step.nodes;
        }
        last[state->module] = step.nodes;
        if (!step.made.empty() || !step.gone.empty() || !step.changed.empty()) out.push_back(std::move(step));
    }
    return out;
}

} // namespace dynascope::inductor
