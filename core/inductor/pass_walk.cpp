// SPDX-License-Identifier: BSD-3-Clause
#include "core/inductor/pass_walk.h"

#include <algorithm>
#include <set>
#include <string>

namespace dynascope::inductor {

namespace {

using Names = std::set<std::string>;

/// With what they read and what reads them; but for the output, which nearly everything reaches.
ir::NodeSet around(const ir::Graph& graph, const Names& names) {
    ir::NodeSet nodes;
    for (const std::string& name : names)
        if (const ir::NodeIndex node = graph.find(name); node != ir::npos) nodes.push_back(node);
    ir::NodeSet out = ir::withNeighbours(graph, ir::nodeSet(std::move(nodes)));
    std::erase_if(out, [&](ir::NodeIndex node) {
        return graph.node(node).op == ir::Op::Output && !names.contains(graph.node(node).name);
    });
    return out;
}

ir::NodeSet found(const ir::Graph& graph, const Names& names) {
    ir::NodeSet out;
    for (const std::string& name : names)
        if (const ir::NodeIndex node = graph.find(name); node != ir::npos) out.push_back(node);
    return ir::nodeSet(std::move(out));
}

Names namesOf(const std::vector<NodeRef>& nodes) {
    Names out;
    for (const NodeRef& node : nodes)
        out.insert(node.name);
    return out;
}

/// What is drawn on one side stands on the other too, if it is there. Nothing where one side has nothing of it.
ChangedPart part(const ir::Graph& a, const Names& before, const ir::Graph& b, const Names& after) {
    Names shown;
    for (const ir::NodeIndex node : around(a, before))
        shown.insert(a.node(node).name);
    for (const ir::NodeIndex node : around(b, after))
        shown.insert(b.node(node).name);
    ChangedPart out{found(a, shown), found(b, shown)};
    return out.a.empty() || out.b.empty() ? ChangedPart() : out;
}

} // namespace

int passAfter(const CompilePasses& passes, int from, StepCommand command) {
    const auto& rows = passes.rows;
    const int last = int(rows.size()) - 1;
    const auto at = [&rows](int row) -> const PassRow& { return rows[std::size_t(row)]; };
    const auto search = [&](int direction, const auto& fits) {
        int row = from + direction;
        while (row >= 0 && row <= last && !fits(row))
            row += direction;
        return row >= 0 && row <= last ? row : -1;
    };
    // What a pass changed by those within it is told with them.
    const auto changes = [&](int row) {
        return at(row).changed() &&
               (row == last || at(row + 1).depth <= at(row).depth || !at(row + 1).changed());
    };
    const auto isBeside = [&](int row) { return at(row).depth <= at(from).depth; };
    if (from < 0 || from > last) return -1;
    switch (command) {
    case StepCommand::First:
        return from > 0 ? 0 : -1;
    case StepCommand::Last:
        return from < last ? last : -1;
    case StepCommand::Over:
        return search(+1, isBeside);
    case StepCommand::BackOver:
        return search(-1, isBeside);
    case StepCommand::In:
        return from < last ? from + 1 : -1;
    case StepCommand::Out:
        return search(-1, [&](int row) { return at(row).depth < at(from).depth; });
    case StepCommand::Run:
        return search(+1, changes);
    case StepCommand::BackRun:
        return search(-1, changes);
    default:
        return -1;
    }
}

ChangedPart changedPart(const PassRecording& recording, const PassRow& row, const ir::Graph& a,
                        const ir::Graph& b) {
    Names before, after;
    for (const NodeRef& node : row.change->erased)
        before.insert(node.name);
    for (const NodeRef& node : row.change->created)
        after.insert(node.name);
    std::set<std::uint64_t> changed(row.change->updated.begin(), row.change->updated.end());
    for (const auto& renamed : row.change->renamed)
        changed.insert(renamed.id);
    for (const auto& [state, names] : {std::pair{row.before, &before}, std::pair{row.after, &after}})
        for (const NodeRef& node : recording.nodes(state))
            if (changed.contains(node.id)) names->insert(node.name);
    return part(a, before, b, after);
}

ChangedPart matchedPart(const Match& match, const ir::Graph& a, const ir::Graph& b) {
    return part(a, namesOf(match.nodes), b, namesOf(match.added));
}

ir::NodeSet fittedNodes(const Match& match, const ir::Graph& graph) {
    return found(graph, namesOf(match.nodes));
}

} // namespace dynascope::inductor
