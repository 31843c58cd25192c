// SPDX-License-Identifier: BSD-3-Clause
#include "views/canvas/picture.h"

#include "core/layout/module_classes.h"
#include "core/session/module_classes.h"
#include "core/session/program_names.h"
#include "views/canvas/zoom.h"

#include <algorithm>
#include <cmath>

namespace dynascope::views::canvas {

namespace {

constexpr std::size_t shownWhole = 40;    ///< nodes up to which a graph opens without blocks
constexpr std::size_t mostItems = 120;    ///< of a big graph's first picture
constexpr std::size_t manyNodes = 50'000; ///< fewer blocks are tried in a graph that is larger
constexpr std::size_t smallestPart = 20;  ///< of a graph: a block with fewer nodes stays closed at first
constexpr double mostScreens = 2.2;       ///< heights of the room
constexpr QSizeF usualRoom{560, 420};     ///< where no canvas has a size yet

/// The kernels that the stage became, with how it is known where PyTorch did not write it down.
std::vector<layout::KernelBlock> kernelBlocks(const PaneSource& source) {
    std::vector<layout::KernelBlock> out;
    if (!source.kernels) return out;
    for (session::KernelNodes& kernel : source.kernels->kernelsMadeOf(source.stage)) {
        std::string name = std::move(kernel.name), detail;
        if (kernel.calls > 1)
            name += ", call " + std::to_string(kernel.call + 1) + " of " + std::to_string(kernel.calls);
        if (!session::isRecorded(kernel.evidence))
            detail = "found by " + std::string(linkEvidenceName(kernel.evidence));
        out.push_back({std::move(name), std::move(detail), std::move(kernel.nodes)});
    }
    return out;
}

/// Modules in blocks, with their classes as far as guards or the graph's notes tell them.
layout::TreePtr modulesOf(const PaneSource& source, const std::vector<std::string>& hints,
                          const std::vector<layout::KernelBlock>& kernels) {
    layout::GroupTree tree = layout::groupNodes(*source.graph, hints, kernels);
    layout::nameClasses(tree, session::moduleClasses(source.guards));
    layout::nameClasses(tree, layout::recordedClasses(*source.graph));
    return std::make_shared<const layout::GroupTree>(std::move(tree));
}

/// Names what the program passes, as far as the capture tells, and nothing that is a parameter or buffer.
layout::TreePtr withInputNames(layout::TreePtr tree, const PaneSource& source) {
    std::vector<std::string> names = session::inputNamesByNode(source.naming, *source.graph);
    for (ir::NodeIndex n = 0; n < names.size(); ++n)
        if (!tree->stateName(n).empty()) names[n].clear();
    if (std::all_of(names.begin(), names.end(), [](const std::string& name) { return name.empty(); }))
        return tree;
    auto named = std::make_shared<layout::GroupTree>(*tree);
    named->inputNames = std::move(names);
    return named;
}

/// Makes the tree; true where blocks are to be opened for the first picture.
bool prepare(PaneSource& source) {
    if (!source.kinds) source.kinds = layout::kindsOf(*source.graph);
    if (source.tree) return false;
    const auto hints = session::parameterNames(source.naming, *source.graph);
    const bool part = !source.only.empty();
    const std::vector<layout::KernelBlock> kernels = kernelBlocks(source);
    const std::size_t shown = part ? source.only.size() : source.graph->size();
    const bool flat = kernels.empty() && shown <= shownWhole;
    source.tree = flat ? layout::flatTree(*source.graph, hints) : modulesOf(source, hints, kernels);
    source.tree = withInputNames(std::move(source.tree), source);
    if (part) source.tree = std::make_shared<const layout::GroupTree>(keepNodes(*source.tree, source.only));
    return !flat;
}

/// Where the nodes are in a merged graph that are drawn of its two.
ir::NodeSet partOfMerged(const diff::MergedGraph& graph, const PaneSource& a, const PaneSource& b) {
    ir::NodeSet out;
    const auto add = [&out](const ir::NodeSet& nodes, const std::vector<ir::NodeIndex>& places) {
        for (const ir::NodeIndex node : nodes)
            if (node < places.size() && places[node] != ir::npos) out.push_back(places[node]);
    };
    add(a.only, graph.fromA);
    add(b.only, graph.fromB);
    return ir::nodeSet(std::move(out));
}

bool layOutPane(LaidOut& side, const TaskContext& task) {
    auto result = layout::layoutLayered(side.pane->input, task);
    if (!result) return false;
    side.result = std::move(*result);
    layout::cropTop(*side.pane, side.result);
    layout::putFirstInputLeft(*side.pane, side.result);
    return true;
}

bool layOutOnce(LaidOut& side, const TaskContext& task) {
    side.pane = std::make_shared<const layout::Pane>(
        layout::makePane(side.source.graph, side.source.tree, side.source.kinds, side.source.open));
    return layOutPane(side, task);
}

/// Opens blocks, the largest first, while they can be read in the room's width and a screen or two of its
/// height.
bool layOutFirst(LaidOut& side, const TaskContext& task) {
    const QSizeF room = side.source.room.isEmpty() ? usualRoom : side.source.room;
    if (!layOutOnce(side, task)) return false;
    const std::size_t nodes = side.source.only.empty() ? side.source.graph->size() : side.source.only.size();
    const auto fits = [&](const std::set<layout::GroupId>& open) {
        if (task.cancelled()) return false;
        const auto fresh = std::find_if(open.begin(), open.end(),
                                        [&](layout::GroupId id) { return !side.source.open.contains(id); });
        const std::size_t inside = fresh == open.end() ? 0 : side.source.tree->groups[*fresh].totalNodes;
        // What is small in the whole tells little of it.
        if (inside * smallestPart < nodes) return false;
        LaidOut tried = side;
        tried.source.open = open;
        tried.pane = std::make_shared<const layout::Pane>(
            layout::makePane(tried.source.graph, tried.source.tree, tried.source.kinds, open));
        if (tried.pane->folded.items.size() > mostItems || !layOutPane(tried, task)) return false;
        // For what most of the graph is in, smaller names will do.
        const bool most = inside * 2 > nodes;
        const double zoom = most ? smallestFirst : legibleZoom;
        if (tried.result.width * zoom > room.width() ||
            tried.result.height * zoom > mostScreens * room.height())
            return false;
        side = std::move(tried);
        return true;
    };
    side.source.open = layout::openWhere(*side.source.tree, nodes > manyNodes ? 4 : 12, fits);
    return !task.cancelled();
}

bool layOut(LaidOut& side, const TaskContext& task) {
    const bool first = prepare(side.source);
    if (task.cancelled()) return false;
    return first ? layOutFirst(side, task) : layOutOnce(side, task);
}

bool fits(const layout::Pane& pane, const layout::LayoutResult& result) {
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
        picture.anchors =
            layout::alignLayouts(*picture.a->pane, a, *picture.b->pane, b, partners, picture.aligned);
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
        auto graph = std::make_shared<const diff::MergedGraph>(
            diff::mergeGraphs(*request.a->graph, *request.b->graph, *request.diff));
        LaidOut merged;
        ir::NodeSet only = partOfMerged(*graph, *request.a, *request.b);
        if (request.mergedPane && request.mergedPane->only == only) {
            // Same pair, so the same merged graph: its tree and open blocks still hold.
            merged.source = *request.mergedPane;
        } else {
            merged.source = {nullptr, nullptr, {}, request.b->naming, request.b->room, std::move(only)};
            merged.source.guards = request.b->guards;
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
        if (!add(picture.a, request.a)) return picture;
        if (request.beside)
            picture.b = picture.a;
        else if (!add(picture.b, request.b))
            return picture;
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
        layout::cropTop(*side->pane, *result);
        layout::putFirstInputLeft(*side->pane, *result);
        if (layoutCost(side->pane->input, *result) >= layoutCost(side->pane->input, side->result))
            return false;
        // Blocks were opened as far as names can be read in this room: a wider picture would undo that.
        const double room = side->source.room.width();
        if (room > 0 && result->width > side->result.width && result->width * legibleZoom > room)
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
        sideways / (layout::cardWidth * static_cast<double>(std::max<std::size_t>(1, result.edges.size())));
    const double perBox = result.width * result.height / std::max(1.0, boxArea);
    return perEdge + 0.1 * perBox;
}

} // namespace dynascope::views::canvas
