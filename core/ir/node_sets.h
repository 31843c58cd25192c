// SPDX-License-Identifier: BSD-3-Clause
//
// Sets of nodes that belong together in a graph, by its data edges: what lies between nodes, around them,
// before and after them. Sets are rising lists without repeats; members that the graph does not have are
// left out. All are linear in the graph.
#pragma once

#include "core/ir/graph.h"

#include <vector>

namespace dynascope::ir {

using NodeSet = std::vector<NodeIndex>;

/// Rising, each once.
[[nodiscard]] NodeSet nodeSet(NodeSet nodes);
[[nodiscard]] bool contains(const NodeSet& set, NodeIndex node);

/// The nodes themselves and every node on a path of data from one of them to another.
[[nodiscard]] NodeSet nodesBetween(const Graph& graph, const NodeSet& ends);
/// The nodes themselves, what they read, and what reads them.
[[nodiscard]] NodeSet withNeighbours(const Graph& graph, const NodeSet& nodes);
/// The nodes themselves and all that they are computed from.
[[nodiscard]] NodeSet withAncestors(const Graph& graph, const NodeSet& nodes);
/// The nodes themselves and all that is computed from them.
[[nodiscard]] NodeSet withDescendants(const Graph& graph, const NodeSet& nodes);
/// Every node of the same op whose target is that of `node`, itself included: all calls of aten.mm.default.
/// Inputs have targets of their own, so that all placeholders count as alike.
[[nodiscard]] NodeSet withTargetOf(const Graph& graph, NodeIndex node);

} // namespace dynascope::ir
