// SPDX-License-Identifier: BSD-3-Clause
//
// A and B as one graph: all of B, and of A what B no longer has.
#pragma once

#include "core/diff/graph_diff.h"
#include "core/ir/graph.h"

#include <vector>

namespace dynascope::diff {

struct MergedGraph {
    ir::GraphPtr graph;
    std::vector<Change> changes;                 ///< per node of `graph`
    std::vector<ir::NodeIndex> nodeOfA, nodeOfB; ///< where each node came from; ir::npos where it did not
    std::vector<ir::NodeIndex> fromA, fromB;     ///< where the nodes of A and of B are
};

/// `diff` must be of these two graphs. Nodes of B are shared, not copied. Nodes kept from A read the partners
/// of what they read. A kept node whose name B uses for something else gets " (A)" behind it. Linear.
[[nodiscard]] MergedGraph mergeGraphs(const ir::Graph& a, const ir::Graph& b, const GraphDiff& diff);

} // namespace dynascope::diff
