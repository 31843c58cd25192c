// SPDX-License-Identifier: BSD-3-Clause
//
// One canvas's graph, folded and measured: what layout gets as input. Values only, made on a worker.
#pragma once

#include "core/ir/graph.h"
#include "core/layout/fold.h"
#include "core/layout/layout.h"

#include <memory>
#include <set>
#include <vector>

namespace dynascope::views::canvas {

using TreePtr = std::shared_ptr<const layout::GroupTree>;
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

/// Measures at 100 % zoom.
inline constexpr double cardWidth = 208, cardHeight = 56, outputHeight = 36, blockHeight = 44;
inline constexpr double sheetOffset = 8;
inline constexpr std::size_t gatherAbove = 12; ///< edges into one node
inline constexpr std::size_t shareAbove = 6;   ///< edges out of one node

inline constexpr double smallestFirst = 0.36; ///< zoom below which a graph just opened is not shrunk
inline constexpr double legibleZoom = 0.5;    ///< at which most names can be read
inline constexpr double readableZoom = 0.795; ///< at which a card says all that it has to say

struct Pane {
    ir::GraphPtr graph;
    TreePtr tree;
    KindsPtr kinds;
    layout::FoldedGraph folded;
    /// Boxes of the items, then perhaps one unseen box that holds the inputs up; edges that are drawn, then
    /// unseen ones that keep an order.
    layout::LayoutInput input;
    std::vector<EdgeRole> roles;           ///< of folded.edges; Skip is found after layout
    std::vector<std::uint32_t> layoutEdge; ///< of folded.edges: index into input.edges, or ir::npos
};

/// A tree without groups, for graphs small enough to be shown whole. `hints` as of layout::moduleHints().
[[nodiscard]] TreePtr flatTree(const ir::Graph& graph, const std::vector<std::string>& hints = {});

[[nodiscard]] KindsPtr kindsOf(const ir::Graph& graph);

/// `graph`, `tree` and `kinds` must belong together. Linear.
[[nodiscard]] Pane makePane(ir::GraphPtr graph, TreePtr tree, KindsPtr kinds,
                            const std::set<layout::GroupId>& open);

/// Heights of A and B that belong together, rising on both sides.
using Anchors = std::vector<std::pair<double, double>>;

/// Puts partner items of two panes on equal heights by opening gaps above them, so that both can scroll as
/// one, and mirrors `b` where that brings partners to the same side. `partners` are pairs of item indices (a,
/// b). A pair that would need too wide a gap is left as it is, and so is every pair without `gaps`. Returns
/// what belongs together, the ends of both layouts included.
Anchors alignLayouts(const Pane& paneA, layout::LayoutResult& a, const Pane& paneB, layout::LayoutResult& b,
                     const std::vector<std::pair<std::uint32_t, std::uint32_t>>& partners, bool gaps);

/// The height of B that goes with a height of A, or the other way round.
[[nodiscard]] double follow(const Anchors& anchors, double y, bool fromA);

/// The same where height `a` of A is held beside `b` of B: the panes move alike as far as `reach` above and
/// below, and come back to the anchors farther off. Rising on both sides, so that `follow` goes both ways.
[[nodiscard]] Anchors heldAt(const Anchors& anchors, double a, double b, double reach);

/// Indices of levels (equal centre heights) for each box, top first.
struct Levels {
    std::vector<std::uint32_t> ofBox;
    std::vector<double> centre;
};
[[nodiscard]] Levels findLevels(const Pane& pane, const layout::LayoutResult& result);

/// Takes the empty space off that the unseen box leaves above.
void cropTop(const Pane& pane, layout::LayoutResult& result);

/// Mirrors a layout that has the inputs in reverse, so that the first one stands at the left.
void putFirstInputLeft(const Pane& pane, layout::LayoutResult& result);

} // namespace dynascope::views::canvas
