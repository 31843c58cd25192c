// SPDX-License-Identifier: BSD-3-Clause
//
// What a canvas draws, ready to be painted: places, texts, colours by meaning, and an index to find things by
// place. Built on a worker, immutable afterwards, shared by pointer. Units are pixels at 100 % zoom.
#pragma once

#include "core/diff/graph_diff.h"
#include "core/layout/pane.h"
#include "views/canvas/spatial_index.h"

#include <QHash>
#include <QPolygonF>
#include <QRectF>
#include <QString>
#include <array>
#include <memory>
#include <vector>

namespace dynascope::views::canvas {

inline constexpr int noItem = -1;

/// How many nodes of a block carry each change; indexed by diff::Change.
using Tally = std::array<std::uint32_t, 6>;

struct SceneItem {
    layout::VisibleItem::Kind kind = layout::VisibleItem::Kind::Node;
    ir::NodeIndex node = ir::npos;           ///< Kind::Node
    layout::GroupId group = layout::noGroup; ///< blocks and stacks
    std::size_t nodes = 1;                   ///< how many nodes it stands for
    std::uint64_t bytes = 0;                 ///< of a block's results, as far as their shapes are numbers
    bool isInputs = false;                   ///< a block of placeholders
    bool moreBytes = false;                  ///< a result has a size that is no number, or none that is known
    QRectF rect;
    QString name, right, target, args;
    QString module;           ///< of a node: the module that it alone is, "q_proj"
    QString chip;             ///< "became 3", "used 7 times"
    QString shared;           ///< names of shared inputs, drawn as a chip above
    std::size_t gathered = 0; ///< edges drawn as one thick edge
    ir::OpKind op = ir::OpKind::Compute;
    diff::Change change = diff::Change::Same;
    Tally tally{};
    QString key;    ///< same thing in another scene: node name or group path
    int frame = -1; ///< innermost frame, index into Scene::frames
    [[nodiscard]] bool isNode() const { return kind == layout::VisibleItem::Kind::Node; }
};

struct SceneEdge {
    int from = noItem, to = noItem;
    layout::EdgeRole role = layout::EdgeRole::Data;
    std::uint32_t count = 1;
    /// Cubic Bezier: start, then three points a piece; empty where none is drawn unless selected
    QPolygonF points;
    QString label; ///< always shown: what a write writes
    QString value; ///< shown on demand: dtype and shape
};

/// An opened block.
struct SceneFrame {
    layout::GroupId group = layout::noGroup;
    QRectF rect;
    QString name, detail, key;
    std::size_t nodes = 0;
    int parent = -1;
    int depth = 0;
};

struct Scene {
    ir::GraphPtr graph;
    layout::TreePtr tree;
    std::vector<SceneItem> items;
    std::vector<SceneEdge> edges;
    std::vector<SceneFrame> frames; ///< outer first
    std::vector<int> itemOfNode;
    std::vector<std::vector<int>> edgesOf; ///< per item: edges in and out
    std::vector<std::uint32_t> levelOfItem;
    std::vector<std::vector<int>> levels; ///< items of each level, left to right
    std::size_t mostNodes = 0;            ///< of one block, inputs left out
    std::uint64_t mostBytes = 0;          ///< likewise
    std::vector<int> differences;         ///< items that are not Same or Respelled, from top to bottom
    SpatialIndex itemIndex, edgeIndex;
    QHash<QString, int> byKey;
    QSizeF size;
    std::shared_ptr<const diff::GraphDiff> diff; ///< null without a diff
    std::vector<ir::NodeIndex> nodeOfA;          ///< node of A that the diff's details are listed under
    double milliseconds = 0;                     ///< that layout took
    std::string engine;

    [[nodiscard]] int itemAt(QPointF point) const; ///< or noItem
    [[nodiscard]] int itemOf(ir::NodeIndex node) const {
        return node < itemOfNode.size() ? itemOfNode[node] : noItem;
    }
    /// The first few lines of a node's change, or null.
    [[nodiscard]] const std::vector<diff::FieldChange>* detailsOf(const SceneItem& item) const;
};
using ScenePtr = std::shared_ptr<const Scene>;

inline constexpr double frameTitle = 28;

/// Changes of the nodes of one pane, and how many nodes of the other side each is tied to.
struct Marks {
    std::vector<diff::Change> changes;     ///< empty without a diff
    std::vector<std::uint32_t> linkCounts; ///< empty without a diff
    std::vector<ir::NodeIndex> nodeOfA;    ///< per node: the index in A that details are listed under
    std::shared_ptr<const diff::GraphDiff> diff;
    bool isA = true;
};
[[nodiscard]] Marks marksOf(const std::shared_ptr<const diff::GraphDiff>& diff, bool isA, std::size_t nodes);

[[nodiscard]] ScenePtr makeScene(const layout::Pane& pane, const layout::LayoutResult& result,
                                 const Marks& marks);

} // namespace dynascope::views::canvas
