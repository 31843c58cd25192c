// SPDX-License-Identifier: BSD-3-Clause
//
// The graph that a pattern looks for as a graph that can be drawn, and which nodes of a real one it fitted.
#pragma once

#include "core/inductor/pass_recording.h"
#include "core/inductor/pattern_graph.h"
#include "core/ir/graph.h"

#include <vector>

namespace dynascope::inductor {

/// Nodes have the names of the pattern's; what it binds by keyword, or leaves open, are placeholders before them. Null for
/// a pattern without nodes.
[[nodiscard]] ir::GraphPtr drawnPattern(const PatternGraph& pattern);

/// For each node of the pattern the node of `graph` that it fitted; empty where that cannot be told. A match has its
/// nodes in the pattern's order; that is taken only where the operators, and the nodes that each reads, are the pattern's.
[[nodiscard]] std::vector<ir::NodeIndex> fittedBy(const PatternGraph& pattern, const Match& match,
                                                  const ir::Graph& graph);

} // namespace dynascope::inductor
