// SPDX-License-Identifier: BSD-3-Clause
//
// From graphs to scenes: the chain of pure steps that CompareView runs on a worker.
#pragma once

#include "core/base/task.h"
#include "core/diff/merged_graph.h"
#include "core/ir/node_sets.h"
#include "core/layout/align.h"
#include "core/session/program_names.h"
#include "core/session/provenance.h"
#include "core/session/session.h"
#include "views/canvas/partner_items.h"

#include <optional>

namespace dynascope::views::canvas {

/// A graph and which of its blocks are open; `tree` is null until the first picture was made.
struct PaneSource {
    ir::GraphPtr graph;
    layout::TreePtr tree;
    std::set<layout::GroupId> open;
    session::NamingPtr naming{}; ///< of the compile; may be null
    QSizeF room{};               ///< pixels that the first picture has; decides how many blocks open then
    ir::NodeSet only{};          ///< the nodes that are drawn; all where it is empty
    layout::KindsPtr kinds{};    ///< of `graph`; null until the first picture was made
    /// Where it is not null, the kernels that were made of `stage` are blocks, as far as it knows them.
    std::shared_ptr<const session::Provenance> kernels{};
    std::size_t stage = 0;       ///< into Compile::stages
    session::GuardList guards{}; ///< of the compile: they tell classes of modules
};

struct PictureRequest {
    std::optional<PaneSource> a, b;       ///< side by side, or one of them
    bool beside = false;                  ///< `b` is `a`, as where a compile has one stage
    bool merged = false;                  ///< both as one; then `a` and `b` are set, and so is `diff`
    std::optional<PaneSource> mergedPane; ///< from the last picture of the same pair
    std::shared_ptr<const diff::GraphDiff> diff;
    bool aligned = true; ///< partners at one height; a canvas alone would only show the gaps
};

/// A pane with the layout it has; alignment works on a copy, so that one side can be laid out anew.
struct LaidOut {
    PaneSource source;
    std::shared_ptr<const layout::Pane> pane;
    layout::LayoutResult result;
    ScenePtr scene;
};

struct Picture {
    std::optional<LaidOut> a, b, merged;
    std::shared_ptr<const diff::MergedGraph> mergedGraph;
    std::vector<GutterBand> bands;
    layout::Anchors anchors; ///< for linked scrolling; empty with one pane
    std::shared_ptr<const diff::GraphDiff> diff;
    bool aligned = true;
    bool complete = false; ///< false when it was cancelled
};

/// Folds and lays out in layers. Blocks for as long as that takes; ends early when cancelled.
[[nodiscard]] Picture makePicture(PictureRequest request, const TaskContext& task);

/// The same with other layouts, such as dot's; those that are null, do not fit or are too wide for the room to be
/// read stay as they are.
[[nodiscard]] Picture withLayouts(Picture picture, const std::optional<layout::LayoutResult>& a,
                                  const std::optional<layout::LayoutResult>& b,
                                  const std::optional<layout::LayoutResult>& merged);

/// Lower is better: how far edges run sideways, in boxes, per edge, and how much area a box takes.
[[nodiscard]] double layoutCost(const layout::LayoutInput& input, const layout::LayoutResult& result);

} // namespace dynascope::views::canvas
