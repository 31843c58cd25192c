// SPDX-License-Identifier: BSD-3-Clause
//
// Nodes of two graphs that stand for the same value if both graphs compute the same: found by what the nodes
// do, never by their names.
#pragma once

#include "core/ir/graph.h"

#include <utility>
#include <vector>

namespace dynascope::passes {

/// Pairs (node of `a`, node of `b`), ascending by the latter; no node occurs twice. Inputs and results pair
/// by position. From the inputs on, nodes that do the same with paired nodes are a pair, and so are, from the
/// results back, the arguments of pairs that do the same. Where a graph writes in place a node is paired only
/// if no other does the same with the same nodes: those would hold values of different times. Linear but for
/// nodes with many users, of which the first 64 count. Graphs in graphs are not looked into.
[[nodiscard]] std::vector<std::pair<ir::NodeIndex, ir::NodeIndex>> sameValues(const ir::Graph& a,
                                                                              const ir::Graph& b);

} // namespace dynascope::passes
