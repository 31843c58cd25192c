// SPDX-License-Identifier: BSD-3-Clause
#include "views/canvas/picture.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace dynascope::views::canvas {

namespace {

constexpr std::size_t shownWhole = 40; ///< nodes up to which a graph opens without blocks
/// Items of a big graph's first picture: more where the first step would show hardly anything.
constexpr std::array<std::size_t, 3> firstBudgets{60, 120, 240};
constexpr std::size_t tooFew = 12;

void prepare(PaneSource& source) {
    if (source.tree) return;
    if (source.graph->size() <= shownWhole) {
        source.tree = flatTree(*source.graph);
        return;
    }
    ir::GraphPtr dynamo;
    if (source.dynamo) {
        if (auto graph = source.dynamo->graph()) dynamo = *graph;
    }
    const auto hints = layout::moduleHints(*source.graph, dynamo.get());
    source.tree = std::make_shared<const layout::GroupTree>(layout::groupNodes(*source.graph, hints));
    for (const std::size_t budget : firstBudgets) {
        source.open = layout::initialOpen(*source.graph, *source.tree, budget);
        if (layout::fold(*source.graph, *source.tree, source.open).items.size() >= tooFew) return;
    }
}

bool layOut(LaidOut& side, const TaskContext& task) {
    prepare(side.source);
    if (task.cancelled()) return false;
    side.pane = std::make_shared<const Pane>(makePane(side.source.graph, side.source.tree, side.source.open));
    auto result = layout::layoutLayered(side.pane->input, task);
    if (!result) return false;
    side.result = std::move(*result);
    cropTop(*side.pane, side.result);
    putFirstInputLeft(*side.pane, side.result);
    return true;
}

bool fits(const Pane& pane, const layout::LayoutResult& result) {
    return result.boxes.size() == pane.input.boxes.size() && result.edges.size() == pane.input.edges.size() &&
           result.clusters.size() == pane.input.clusters.size();
}

/// Scenes from panes, layouts and the diff.
void compose(Picture& picture) {
    if (picture.merged) {
        Marks marks;
        marks.changes = picture.mergedGraph->changes;
        marks.nodeOfA = picture.mergedGraph->nodeOfA;
        marks.diff = picture.diff;
        picture.merged->scene = makeScene(*picture.merged->pane, picture.merged->result, marks);
        return;
    }
    const bool both = picture.a && picture.b && picture.diff;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> partners;
    layout::LayoutResult a = picture.a ? picture.a->result : layout::LayoutResult();
    layout::LayoutResult b = picture.b ? picture.b->result : layout::LayoutResult();
    if (both) {
        partners = partnerItems(*picture.a->pane, *picture.b->pane, *picture.diff);
        picture.anchors.clear();
        if (picture.aligned)
            picture.anchors = alignLayouts(*picture.a->pane, a, *picture.b->pane, b, partners);
    }
    const auto diff = both ? picture.diff : nullptr;
    if (picture.a)
        picture.a->scene =
            makeScene(*picture.a->pane, a, marksOf(diff, true, picture.a->source.graph->size()));
    if (picture.b)
        picture.b->scene =
            makeScene(*picture.b->pane, b, marksOf(diff, false, picture.b->source.graph->size()));
    picture.bands =
        both ? gutterBands(*picture.a->scene, *picture.b->scene, partners) : std::vector<GutterBand>();
}

} // namespace

Picture makePicture(PictureRequest request, const TaskContext& task) {
    Picture picture;
    picture.diff = request.diff;
    picture.aligned = request.aligned;
    if (request.merged && request.a && request.b && request.diff) {
        auto graph = std::make_shared<const MergedGraph>(
            mergeGraphs(*request.a->graph, *request.b->graph, *request.diff));
        LaidOut merged;
        if (request.mergedPane) {
            // Same pair, so the same merged graph: its tree and open blocks still hold.
            merged.source = *request.mergedPane;
        } else {
            merged.source = {nullptr, nullptr, {}, request.b->dynamo};
        }
        merged.source.graph = graph->graph;
        picture.mergedGraph = std::move(graph);
        if (!layOut(merged, task)) return picture;
        picture.merged = std::move(merged);
    } else {
        const auto add = [&task](std::optional<LaidOut>& side, std::optional<PaneSource>& source) {
            if (!source || !source->graph) return true;
            LaidOut made;
            made.source = std::move(*source);
            if (!layOut(made, task)) return false;
            side = std::move(made);
            return true;
        };
        if (!add(picture.a, request.a) || !add(picture.b, request.b)) return picture;
    }
    compose(picture);
    picture.complete = !task.cancelled();
    return picture;
}

Picture withLayouts(Picture picture, const std::optional<layout::LayoutResult>& a,
                    const std::optional<layout::LayoutResult>& b,
                    const std::optional<layout::LayoutResult>& merged) {
    const auto take = [](std::optional<LaidOut>& side, std::optional<layout::LayoutResult> result) {
        if (!side || !result || !fits(*side->pane, *result)) return false;
        cropTop(*side->pane, *result);
        putFirstInputLeft(*side->pane, *result);
        if (layoutCost(side->pane->input, *result) >= layoutCost(side->pane->input, side->result))
            return false;
        side->result = std::move(*result);
        return true;
    };
    const bool changed = static_cast<int>(take(picture.a, a)) + static_cast<int>(take(picture.b, b)) +
                             static_cast<int>(take(picture.merged, merged)) >
                         0;
    if (changed) compose(picture);
    return picture;
}

double layoutCost(const layout::LayoutInput& input, const layout::LayoutResult& result) {
    double sideways = 0;
    for (const layout::EdgePath& path : result.edges) {
        for (std::size_t i = 3; i < path.points.size(); i += 3)
            sideways += std::abs(path.points[i].x - path.points[i - 3].x);
    }
    double boxArea = 0;
    for (const layout::Box& box : input.boxes)
        boxArea += box.width * box.height;
    const double perEdge =
        sideways / (cardWidth * static_cast<double>(std::max<std::size_t>(1, result.edges.size())));
    const double perBox = result.width * result.height / std::max(1.0, boxArea);
    return perEdge + 0.1 * perBox;
}

} // namespace dynascope::views::canvas
