// SPDX-License-Identifier: BSD-3-Clause
#include "core/ir/node_sets.h"

#include <algorithm>

namespace dynascope::ir {

namespace {

using Members = std::vector<bool>; ///< by node

Members membersOf(const Graph& graph, const NodeSet& nodes) {
    Members in(graph.size(), false);
    for (const NodeIndex node : nodes)
        if (node < graph.size()) in[node] = true;
    return in;
}

NodeSet setOf(const Members& in) {
    NodeSet out;
    for (NodeIndex node = 0; node < in.size(); ++node)
        if (in[node]) out.push_back(node);
    return out;
}

// Inputs stand before their users, so that one pass in either direction reaches all.

Members descendants(const Graph& graph, const NodeSet& nodes) {
    Members in = membersOf(graph, nodes);
    for (NodeIndex node = 0; node < graph.size(); ++node)
        in[node] =
            in[node] || std::ranges::any_of(graph.inputs(node), [&](NodeIndex read) { return in[read]; });
    return in;
}

Members ancestors(const Graph& graph, const NodeSet& nodes) {
    Members in = membersOf(graph, nodes);
    for (NodeIndex node = NodeIndex(graph.size()); node-- > 0;)
        in[node] =
            in[node] || std::ranges::any_of(graph.users(node), [&](NodeIndex user) { return in[user]; });
    return in;
}

} // namespace

NodeSet nodeSet(NodeSet nodes) {
    std::ranges::sort(nodes);
    const auto repeats = std::ranges::unique(nodes);
    nodes.erase(repeats.begin(), repeats.end());
    return nodes;
}

bool contains(const NodeSet& set, NodeIndex node) {
    return std::ranges::binary_search(set, node);
}

NodeSet nodesBetween(const Graph& graph, const NodeSet& ends) {
    Members in = descendants(graph, ends);
    const Members before = ancestors(graph, ends);
    for (NodeIndex node = 0; node < graph.size(); ++node)
        in[node] = in[node] && before[node];
    return setOf(in);
}

NodeSet withNeighbours(const Graph& graph, const NodeSet& nodes) {
    Members in(graph.size(), false);
    for (const NodeIndex node : nodes) {
        if (node >= graph.size()) continue;
        in[node] = true;
        for (const NodeIndex read : graph.inputs(node))
            in[read] = true;
        for (const NodeIndex user : graph.users(node))
            in[user] = true;
    }
    return setOf(in);
}

NodeSet withAncestors(const Graph& graph, const NodeSet& nodes) {
    return setOf(ancestors(graph, nodes));
}

NodeSet withDescendants(const Graph& graph, const NodeSet& nodes) {
    return setOf(descendants(graph, nodes));
}

NodeSet withTargetOf(const Graph& graph, NodeIndex node) {
    NodeSet out;
    if (node >= graph.size()) return out;
    const Node& wanted = graph.node(node);
    for (NodeIndex other = 0; other < graph.size(); ++other) {
        const Node& its = graph.node(other);
        if (its.op == wanted.op && (its.op == Op::Placeholder || its.target == wanted.target))
            out.push_back(other);
    }
    return out;
}

} // namespace dynascope::ir
