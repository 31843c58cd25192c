// SPDX-License-Identifier: BSD-3-Clause
//
// Backward nodes have the stack of the forward node whose gradient they compute, and so are linked to it.
#include "core/diff/match.h"

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

} // namespace

std::vector<bool> gradientsOf(const ir::Graph& a, const ir::Graph& b) {
    std::vector<bool> out = tangentsOf(b);
    if (out.empty() || !tangentsOf(a).empty()) return {};
    for (NodeIndex i = 0; i < b.size(); ++i) {
        if (b.node(i).op == ir::Op::Output) continue; // of results of forward as well
        for (const NodeIndex input : b.inputs(i))
            out[i] = out[i] || out[input];
    }
    return out;
}

} // namespace dynascope::diff::detail
