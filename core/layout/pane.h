// SPDX-License-Identifier: BSD-3-Clause
//
// A graph folded and measured: what layout gets as input. Values only, any thread.
#pragma once

#include "core/ir/graph.h"
#include "core/layout/fold.h"
#include "core/layout/layout.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace dynascope::layout {

using TreePtr = std::shared_ptr<const GroupTree>;
/// ir::opKind() by node: every pane of a graph asks for all of them.
using KindsPtr = std::shared_ptr<const std::vector<ir::OpKind>>;

/// How an edge is drawn.
enum class EdgeRole : std::uint8_t {
    Data,
    Write,    ///< into the node that mutates the source
    Shared,   ///< from a value that many read: a chip at the reader instead of a fan
    Gathered, ///< into a node with more than twelve edges: one thick edge for all
    Skip,     ///< passes many ranks by
};

/// Pixels at 100 % zoom.
inline constexpr double cardWidth = 208, cardHeight = 56, outputHeight = 36, blockHeight = 44;
inline constexpr double sheetOffset = 8;
inline constexpr std::size_t gatherAbove = 12; ///< edges into one node
inline constexpr std::size_t shareAbove = 6;   ///< edges out of one node

/// One graph as it is folded now, with the boxes and edges that stand for it.
struct Pane {
    ir::GraphPtr graph;
    TreePtr tree;
    KindsPtr kinds;
    FoldedGraph folded;
    /// Boxes of the items, then perhaps one unseen box that holds the inputs up; edges that are drawn, then
    /// unseen ones that keep an order.
    LayoutInput input;
    std::vector<EdgeRole> roles;           ///< of folded.edges; Skip is found after layout
    std::vector<std::uint32_t> layoutEdge; ///< of folded.edges: index into input.edges, or ir::npos
};

/// A tree without groups, for graphs small enough to be shown whole. `hints` as of moduleHints().
[[nodiscard]] TreePtr flatTree(const ir::Graph& graph, const std::vector<std::string>& hints = {});

[[nodiscard]] KindsPtr kindsOf(const ir::Graph& graph);

/// `graph`, `tree` and `kinds` must belong together. Linear.
[[nodiscard]] Pane makePane(ir::GraphPtr graph, TreePtr tree, KindsPtr kinds, const std::set<GroupId>& open);

} // namespace dynascope::layout
