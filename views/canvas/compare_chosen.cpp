// SPDX-License-Identifier: BSD-3-Clause
//
// The part of CompareView that is about several nodes: choosing them, and drawing them alone.
#include "views/canvas/compare_private.h"
#include "views/workspace/labels.h"

#include <QMenu>
#include <algorithm>
#include <iterator>

namespace dynascope::views {

using canvas::ChosenNodes;
using canvas::GraphCanvas;
using canvas::noItem;

ChosenNodes CompareView::Private::chosen() const {
    return workspace.place().own.of<ChosenNodes>();
}

Side CompareView::Private::sideOf(const ChosenNodes::Of& part) const {
    return part.stage == workspace.place().stageB ? Side::B : Side::A;
}

ir::NodeSet CompareView::Private::drawnOf(Side side) const {
    const ChosenNodes::Of part = chosen().drawn;
    if (part.nodes.empty()) return {};
    const Side own = sideOf(part);
    const ir::GraphPtr& graph = workspace.stage(own).graph;
    if (!graph || part.nodes.back() >= graph->size()) return {};
    if (side == own || isAlone()) return part.nodes;
    if (const ChosenNodes::Of beside = chosen().beside; !beside.nodes.empty()) {
        const ir::GraphPtr& other = workspace.stage(side).graph;
        return other && beside.nodes.back() < other->size() ? beside.nodes : ir::NodeSet();
    }
    // Of the other stage, what they became or came from.
    const auto diff = workspace.diff();
    ir::NodeSet out;
    for (std::size_t i = 0; diff && i < part.nodes.size(); ++i)
        std::ranges::copy(own == Side::A ? diff->linksFromA(part.nodes[i]) : diff->linksFromB(part.nodes[i]),
                          std::back_inserter(out));
    return ir::nodeSet(std::move(out));
}

std::pair<Side, ir::NodeSet> CompareView::Private::nodesOf(Slot slot, int item) const {
    const canvas::ScenePtr& scene = canvasOf(slot).scene();
    if (!scene || item == noItem) return {Side::B, {}};
    ir::NodeSet inScene;
    for (ir::NodeIndex node = 0; node < scene->itemOfNode.size(); ++node)
        if (scene->itemOfNode[node] == item) inScene.push_back(node);
    if (slot != Slot::Merged) return {slot == Slot::A ? Side::A : Side::B, std::move(inScene)};
    if (!picture.mergedGraph || inScene.empty()) return {Side::B, {}};
    // Of B, unless all of it is gone there.
    const auto of = [&](const std::vector<ir::NodeIndex>& places) {
        ir::NodeSet out;
        for (const ir::NodeIndex node : inScene)
            if (places[node] != ir::npos) out.push_back(places[node]);
        return ir::nodeSet(std::move(out));
    };
    ir::NodeSet inB = of(picture.mergedGraph->nodeOfB);
    if (!inB.empty()) return {Side::B, std::move(inB)};
    return {Side::A, of(picture.mergedGraph->nodeOfA)};
}

/// `change` is what becomes of it.
void CompareView::Private::change(const std::function<void(ChosenNodes&)>& change, bool remember) {
    Place place = workspace.place();
    ChosenNodes now = chosen();
    now.capture = place.capture;
    now.compile = place.compile;
    change(now);
    place.own.set(std::move(now));
    workspace.go(place, remember);
}

int CompareView::Private::stageOf(Side side) const {
    return side == Side::A ? workspace.place().stageA : workspace.place().stageB;
}

void CompareView::Private::choose(Side side, ir::NodeSet nodes) {
    change([&](ChosenNodes& now) { now.chosen = {stageOf(side), std::move(nodes)}; }, false);
}

void CompareView::Private::toggle(Slot slot, int item) {
    lastActive = &canvasOf(slot);
    const auto& [side, nodes] = nodesOf(slot, item);
    if (nodes.empty()) return;
    auto [ownSide, set] = chosenOrSelected();
    if (ownSide != side) set.clear();
    // The first node that is toggled joins the one that was selected.
    const bool among = !chosen().chosen.nodes.empty() && std::ranges::includes(set, nodes);
    ir::NodeSet next;
    if (among)
        std::ranges::set_difference(set, nodes, std::back_inserter(next));
    else
        std::ranges::set_union(set, nodes, std::back_inserter(next));
    choose(side, std::move(next));
    if (const NodeSelection node = nodeAt(slot, item); !among && !node.isEmpty()) workspace.selectNode(node);
}

void CompareView::Private::chooseBetween(Slot slot, int item) {
    lastActive = &canvasOf(slot);
    const auto& [side, nodes] = nodesOf(slot, item);
    const ir::GraphPtr& graph = workspace.stage(side).graph;
    if (nodes.empty() || !graph) return;
    auto [ownSide, ends] = chosenOrSelected();
    if (ownSide != side) ends.clear();
    ends.insert(ends.end(), nodes.begin(), nodes.end());
    choose(side, ir::nodesBetween(*graph, ir::nodeSet(std::move(ends))));
}

std::pair<Side, ir::NodeSet> CompareView::Private::chosenOrSelected() const {
    if (const ChosenNodes::Of part = chosen().chosen; !part.nodes.empty()) return {sideOf(part), part.nodes};
    if (const NodeSelection node = workspace.place().node; !node.isEmpty()) return {node.side, {node.node}};
    const GraphCanvas& canvas = active();
    return nodesOf(slotOf(canvas), canvas.selected());
}

void CompareView::Private::drawChosen(bool neighbours) {
    const auto [side, nodes] = chosenOrSelected();
    const ir::GraphPtr& graph = workspace.stage(side).graph;
    if (!graph || nodes.empty()) return;
    change(
        [&, side = side, nodes = nodes](ChosenNodes& now) {
            now.drawn = {stageOf(side), neighbours ? ir::withNeighbours(*graph, nodes) : nodes};
            now.beside = {};
        },
        true);
}

void CompareView::Private::drawAll() {
    if (!chosen().drawn.nodes.empty()) change([](ChosenNodes& now) { now.drawn = now.beside = {}; }, true);
}

void CompareView::Private::chosenChanged() {
    if (const ChosenNodes now = chosen(); now.drawn != drawn || now.beside != beside) {
        drawn = now.drawn;
        beside = now.beside;
        // Blocks of the whole and of the part are others.
        scheduleRebuild(GraphCanvas::Transition::None);
    }
    showChosen();
}

void CompareView::Private::showChosen() {
    if (!isUpToDate()) return; // the next picture brings it
    const ChosenNodes::Of part = chosen().chosen;
    const Side own = sideOf(part);
    const auto items = [&](const GraphCanvas& canvas, const auto& place) {
        std::vector<int> out;
        for (const ir::NodeIndex node : part.nodes)
            if (const int item = canvas.scene() ? canvas.scene()->itemOf(place(node)) : noItem;
                item != noItem)
                out.push_back(item);
        return out;
    };
    const auto itself = [](ir::NodeIndex node) { return node; };
    a.canvas->setChosen(own == Side::A || isAlone() ? items(*a.canvas, itself) : std::vector<int>());
    b.canvas->setChosen(own == Side::B || isAlone() ? items(*b.canvas, itself) : std::vector<int>());
    merged.canvas->setChosen(items(*merged.canvas, [&](ir::NodeIndex node) { return inMerged(own, node); }));
}

void CompareView::Private::fillMenu(QMenu& menu, Slot slot, int item) {
    const auto [side, nodes] = chosenOrSelected();
    const ir::GraphPtr graph = workspace.stage(side).graph;
    if (!graph || nodes.empty()) return;
    menu.addSeparator();
    QMenu* choose = menu.addMenu(tr("Choose nodes"));
    const auto add = [&, side = side](const QString& text, const ir::NodeSet& found, const QString& help) {
        QAction* action = choose->addAction(tr("%1 (%2)").arg(text, numberText(found.size())), &q,
                                            [this, side, found] { this->choose(side, found); });
        action->setToolTip(help);
    };
    choose->setToolTipsVisible(true);
    if (nodes.size() > 1)
        add(tr("All between them"), ir::nodesBetween(*graph, nodes),
            tr("Every node on a path of data from one chosen node to another. Shift and a click does the "
               "same "
               "up to that node."));
    if (const NodeSelection node = nodeAt(slot, item); !node.isEmpty() && node.side == side) {
        add(tr("The same target"), ir::withTargetOf(*graph, node.node),
            tr("Every node of this graph with the op and the target of this one; inputs count as alike."));
        // Of the innermost module, not of a line or a turn of a loop inside it.
        if (const canvas::ScenePtr& scene = canvasOf(slot).scene(); scene && slot != Slot::Merged) {
            const auto& groups = scene->tree->groups;
            layout::GroupId id = scene->tree->groupOfNode[node.node];
            while (id != layout::noGroup && id != 0 && groups[id].kind != layout::Group::Kind::Module)
                id = groups[id].parent;
            if (id != layout::noGroup && id != 0) {
                ir::NodeSet inside;
                for (ir::NodeIndex n = 0; n < scene->tree->groupOfNode.size(); ++n) {
                    layout::GroupId at = scene->tree->groupOfNode[n];
                    while (at != layout::noGroup && at != 0 && at != id)
                        at = groups[at].parent;
                    if (at == id) inside.push_back(n);
                }
                add(tr("The same module, %1").arg(toQString(groups[id].path)), inside,
                    tr("Every node of the module, of those that this canvas has."));
            }
        }
    }
    add(tr("All that they are computed from"), ir::withAncestors(*graph, nodes),
        tr("Up to the inputs of the graph."));
    add(tr("All that is computed from them"), ir::withDescendants(*graph, nodes),
        tr("Down to the outputs of the graph."));
    add(tr("Their neighbours"), ir::withNeighbours(*graph, nodes),
        tr("What they read, and what reads them."));
    menu.addAction(theme.icon("single"), tr("Draw only these") + QStringLiteral("\tI"), &q,
                   [this] { drawChosen(false); });
    menu.addAction(tr("Draw only these and their neighbours") + QStringLiteral("\tN"), &q,
                   [this] { drawChosen(true); });
    if (!chosen().drawn.nodes.empty()) menu.addAction(tr("Draw all nodes again"), &q, [this] { drawAll(); });
}

void CompareView::drawChosen(bool neighbours) {
    d->drawChosen(neighbours);
}

void CompareView::drawAll() {
    d->drawAll();
}

void CompareView::drawOnly(const ir::NodeSet& a, const ir::NodeSet& b) {
    d->change(
        [&](ChosenNodes& now) {
            now.drawn = {d->stageOf(Side::B), b};
            now.beside = {d->stageOf(Side::A), a};
            if (b.empty()) std::swap(now.drawn, now.beside);
        },
        false);
}

} // namespace dynascope::views
