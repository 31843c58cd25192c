// SPDX-License-Identifier: BSD-3-Clause
#include "core/ir/storage.h"

namespace dynascope::ir {

namespace {

/// The value that a view shows or a write mutates: the first argument, else the one that methods call self.
NodeIndex baseOf(const Graph& graph, const Node& node) {
    if (!node.args.empty()) return node.args.front().isNode() ? graph.find(node.args.front().text) : npos;
    for (const auto& [key, value] : node.kwargs)
        if ((key == "self" || key == "input") && value.isNode()) return graph.find(value.text);
    return npos;
}

} // namespace

std::vector<NodeIndex> storageRoots(const Graph& graph) {
    std::vector<NodeIndex> roots(graph.size());
    for (NodeIndex i = 0; i < graph.size(); ++i) {
        roots[i] = i;
        const OpKind kind = opKind(graph.node(i));
        if (kind != OpKind::View && kind != OpKind::Write) continue;
        // A malformed graph may read what is made later.
        if (const NodeIndex base = baseOf(graph, graph.node(i)); base < i) roots[i] = roots[base];
    }
    return roots;
}

WritesAround writesAround(const Graph& graph, NodeIndex node) {
    WritesAround out;
    if (node >= graph.size()) return out;
    const std::vector<NodeIndex> roots = storageRoots(graph);
    out.root = roots[node];
    if (out.root != node) out.previous = out.root;
    for (NodeIndex i = 0; i < graph.size(); ++i) {
        if (roots[i] != out.root || opKind(graph.node(i)) != OpKind::Write) continue;
        ++out.writes;
        if (i < node) out.previous = i;
        if (i > node && out.next == npos) out.next = i;
    }
    return out;
}

} // namespace dynascope::ir
