// SPDX-License-Identifier: BSD-3-Clause
//
// Backward nodes have the stack of the forward node whose gradient they compute, and so are linked to it.
#include "core/diff/match.h"

#include <algorithm>

namespace dynascope::diff::detail {

using ir::NodeIndex;

namespace {

/// Which inputs are tangents, by node; empty where none is.
std::vector<bool> tangentsOf(const ir::Graph& graph) {
    std::vector<bool> out;
    for (NodeIndex i = 0; i < graph.size(); ++i) {
        const ir::Node& node = graph.node(i);
        if (node.op != ir::Op::Placeholder || !node.name.starts_with("tangents_")) continue;
        out.resize(graph.size());
        out[i] = true;
    }
    return out;
}

/// Whether a graph is a joint one: results of forward, then gradients. Only there do nodes stand in the order in which
/// they were traced, all of forward before the first that reads a tangent.
bool isJoint(const ir::Graph& graph, const std::vector<bool>& gradient) {
    if (graph.size() == 0 || graph.node(NodeIndex(graph.size() - 1)).op != ir::Op::Output) return false;
    const auto results = graph.inputs(NodeIndex(graph.size() - 1));
    const auto first = std::ranges::find_if(results, [&](NodeIndex i) { return gradient[i]; });
    return first != results.begin() && first != results.end() &&
           std::all_of(first, results.end(), [&](NodeIndex i) { return gradient[i]; });
}

/// In a joint graph, behind the first gradient: what reads saved values alone, and is read by gradients alone.
void addThoseOfSavedValues(const ir::Graph& graph, std::vector<bool>& gradient) {
    if (!isJoint(graph, gradient)) return;
    NodeIndex first = 0;
    while (!gradient[first] || graph.node(first).op == ir::Op::Placeholder)
        if (++first == graph.size()) return;
    for (NodeIndex i = NodeIndex(graph.size() - 1); i > first; --i) {
        const auto users = graph.users(i);
        if (gradient[i] || users.empty() || graph.node(i).op == ir::Op::Placeholder) continue;
        gradient[i] = std::ranges::all_of(
            users, [&](NodeIndex user) { return gradient[user] && graph.node(user).op != ir::Op::Output; });
    }
}

} // namespace

std::vector<bool> gradientsOf(const ir::Graph& a, const ir::Graph& b) {
    std::vector<bool> out = tangentsOf(b);
    if (out.empty() || !tangentsOf(a).empty()) return {};
    for (NodeIndex i = 0; i < b.size(); ++i) {
        if (b.node(i).op == ir::Op::Output) continue; // of results of forward as well
        for (const NodeIndex input : b.inputs(i))
            out[i] = out[i] || out[input];
    }
    addThoseOfSavedValues(b, out);
    return out;
}

} // namespace dynascope::diff::detail
