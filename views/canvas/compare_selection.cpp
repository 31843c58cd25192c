// SPDX-License-Identifier: BSD-3-Clause
//
// The part of CompareView that ties selection, keys and differences to the workspace.
#include "views/canvas/compare_private.h"
#include "views/workspace/trace.h"

#include <QLayout>
#include <algorithm>
#include <array>

namespace dynascope::views {

using canvas::GraphCanvas;
using canvas::noItem;

namespace {

constexpr double bandPadding = 8;

std::vector<int> itemsOf(const canvas::Scene& scene, const std::vector<ir::NodeIndex>& nodes) {
    std::vector<int> items;
    for (const ir::NodeIndex node : nodes)
        if (const int item = scene.itemOf(node); item != noItem) items.push_back(item);
    std::sort(items.begin(), items.end());
    items.erase(std::unique(items.begin(), items.end()), items.end());
    return items;
}

} // namespace

bool CompareView::Private::isUpToDate() const {
    const ir::GraphPtr& graphA = workspace.stage(Side::A).graph;
    const ir::GraphPtr& graphB = workspace.stage(Side::B).graph;
    if (picture.merged) return mergedOf == std::pair{graphA.get(), graphB.get()};
    const auto shows = [](const GraphCanvas& c, const ir::GraphPtr& graph) {
        return c.scene() ? c.scene()->graph == graph : graph == nullptr;
    };
    return shows(*a.canvas, graphA) && shows(*b.canvas, graphB);
}

bool CompareView::Private::looksAtSelection() const {
    const auto looks = [](const GraphCanvas& c) {
        const QRectF rect = c.selectedRect();
        return c.selected() != noItem && c.destination().intersects(rect);
    };
    return looks(*a.canvas) || looks(*b.canvas);
}

void CompareView::Private::selectionChanged(bool reveal) {
    const NodeSelection node = workspace.place().node;
    const std::pair now{workspace.stage(node.side).graph.get(), node.node};
    if (!isUpToDate()) {
        revealLater = revealLater || (reveal && !node.isEmpty() && now != shownNode);
        return;
    }
    shownNode = now;
    if (picture.merged)
        selectInMerged(node, reveal);
    else
        selectInPanes(node, reveal);
}

void CompareView::Private::traceChanged() {
    const Subject& subject = workspace.place().subject;
    if (subject.isEmpty() && tracedSubject.isEmpty()) return; // nodeSelected said it all
    // A node that is on screen needs no trace; the answer to anything else is what there is to look at.
    const bool reveal = !subject.isEmpty() && !workspace.trace().isLoading() &&
                        workspace.place().node.isEmpty() && subject != tracedSubject;
    if (!workspace.trace().isLoading()) tracedSubject = subject;
    selectionChanged(reveal);
}

void CompareView::Private::showMarks() {
    if (!isUpToDate()) return; // the next picture brings them
    const auto mark = [this](GraphCanvas& target, Side side, std::map<int, QString>& items) {
        const canvas::ScenePtr& scene = target.scene();
        const ir::GraphPtr& graph = workspace.stage(side).graph;
        if (!scene || !graph) return;
        for (const auto& [name, sign] : workspace.nodeMarks(side)) {
            ir::NodeIndex node = graph->find(name);
            if (&target == merged.canvas && picture.mergedGraph && node != ir::npos) {
                const auto& from = side == Side::A ? picture.mergedGraph->fromA : picture.mergedGraph->fromB;
                node = node < from.size() ? from[node] : ir::npos;
            }
            if (const int item = node == ir::npos ? noItem : scene->itemOf(node); item != noItem) {
                QString& text = items[item];
                if (!text.isEmpty() && !sign.note.isEmpty()) text += u'\n';
                text += sign.note;
            }
        }
    };
    std::map<int, QString> inA, inB, inMerged;
    if (picture.merged) {
        mark(*merged.canvas, Side::A, inMerged);
        mark(*merged.canvas, Side::B, inMerged);
    } else {
        mark(*a.canvas, Side::A, inA);
        mark(*b.canvas, Side::B, inB);
    }
    a.canvas->setNoted(std::move(inA));
    b.canvas->setNoted(std::move(inB));
    merged.canvas->setNoted(std::move(inMerged));
}

void CompareView::Private::showHeat() {
    if (!isUpToDate()) return; // the next picture brings it
    const auto show = [this](GraphCanvas& target, Side side) {
        std::shared_ptr<const canvas::Heat> made;
        if (const session::StagePtr& stage = workspace.stage(side).stage; heat && target.scene() && stage)
            made = std::make_shared<const canvas::Heat>(
                canvas::heatOf(*target.scene(), workspace.nodeTimes(stage.get()).get()));
        target.setHeat(std::move(made));
    };
    show(*a.canvas, Side::A);
    show(*b.canvas, Side::B);
    // One canvas for both: that of B, since its names go before those of A.
    show(*merged.canvas, Side::B);
}

ir::NodeIndex CompareView::Private::inMerged(Side side, ir::NodeIndex node) const {
    if (!picture.mergedGraph) return ir::npos;
    const auto& from = side == Side::A ? picture.mergedGraph->fromA : picture.mergedGraph->fromB;
    return node < from.size() ? from[node] : ir::npos;
}

void CompareView::Private::seek() {
    if (!seeking || !isUpToDate()) return; // the next picture has it
    const NodeSelection node = workspace.place().node;
    if (node.isEmpty()) {
        seeking = false;
        return;
    }
    if (const ir::NodeSet only = drawnOf(node.side); !only.empty() && !ir::contains(only, node.node)) {
        drawAll(); // the picture of all has it
        return;
    }
    bool opened = false;
    QString block;
    // True if the block that stands for a node has to be opened. Inputs stay one block: a row of cards would
    // hide more than it shows.
    const auto open = [&](const canvas::ScenePtr& scene, canvas::PaneSource& source, ir::NodeIndex wanted) {
        const int item = scene && source.tree ? scene->itemOf(wanted) : noItem;
        if (item == noItem) return false;
        const canvas::SceneItem& hit = scene->items[static_cast<std::size_t>(item)];
        if (hit.isNode() || hit.isInputs) return false;
        const auto& groups = source.tree->groups;
        for (layout::GroupId g = source.tree->groupOfNode[wanted]; g != 0 && g != layout::noGroup;
             g = groups[g].parent)
            if (groups[g].kind != layout::Group::Kind::Inputs) source.open.insert(g);
        block = hit.key;
        return true;
    };
    if (picture.merged) {
        if (knownMerged) opened = open(merged.canvas->scene(), *knownMerged, inMerged(node.side, node.node));
    } else {
        for (const Side side : {Side::A, Side::B}) {
            std::optional<canvas::PaneSource> source = sourceOf(side);
            const std::vector<ir::NodeIndex> others = workspace.relatedOn(side);
            const ir::NodeIndex wanted = side == node.side ? node.node
                                         : others.empty()  ? ir::npos
                                                           : others.front();
            const GraphCanvas& canvas = side == Side::A ? *a.canvas : *b.canvas;
            if (!source || wanted == ir::npos || !open(canvas.scene(), *source, wanted)) continue;
            remember(*source);
            opened = true;
        }
    }
    if (opened) {
        scheduleRebuild(GraphCanvas::Transition::Fold, block);
        return;
    }
    seeking = false;
    GraphCanvas& target = picture.merged ? *merged.canvas : node.side == Side::A ? *a.canvas : *b.canvas;
    target.makeLegible(target.selectedRect());
    selectionChanged(true);
}

void CompareView::Private::selectInMerged(const NodeSelection& node, bool reveal) {
    GraphCanvas& target = *merged.canvas;
    const canvas::ScenePtr& scene = target.scene();
    if (!scene || !picture.mergedGraph) return;
    const int item = node.isEmpty() ? noItem : scene->itemOf(inMerged(node.side, node.node));
    std::vector<ir::NodeIndex> others;
    for (const Side side : {Side::A, Side::B})
        for (const ir::NodeIndex n : workspace.relatedOn(side))
            others.push_back(inMerged(side, n));
    std::vector<int> related = itemsOf(*scene, others);
    std::erase(related, item);
    const int first = item != noItem ? item : related.empty() ? noItem : related.front();
    target.setSelected(item);
    target.setRelated(std::move(related));
    if (reveal && first != noItem) target.reveal(scene->items[static_cast<std::size_t>(first)].rect);
}

void CompareView::Private::selectInPanes(const NodeSelection& node, bool reveal) {
    for (GraphCanvas* c : {a.canvas, b.canvas}) {
        c->setRelated({});
        c->setBand({});
    }
    gutter->setSelection({});
    std::array<std::pair<double, double>, 2> bands;
    std::array<std::size_t, 2> counts{};
    for (const Side side : {Side::A, Side::B}) {
        GraphCanvas& canvas = side == Side::A ? *a.canvas : *b.canvas;
        std::vector<QRectF>& marks = side == Side::A ? marksA : marksB;
        marks.clear();
        const canvas::ScenePtr& scene = canvas.scene();
        const bool own = !node.isEmpty() && node.side == side;
        const int item = own && scene ? scene->itemOf(node.node) : noItem;
        canvas.setSelected(item);
        if (!scene) continue;
        const std::vector<ir::NodeIndex> nodes = workspace.relatedOn(side);
        std::vector<int> related = itemsOf(*scene, nodes);
        std::erase(related, item);
        // The selected one first: it is what a pane goes to.
        if (item != noItem) marks.push_back(scene->items[static_cast<std::size_t>(item)].rect);
        for (const int image : related)
            marks.push_back(scene->items[static_cast<std::size_t>(image)].rect);
        canvas.setRelated(std::move(related));
        counts[side == Side::A ? 0 : 1] = nodes.size() + (item != noItem ? 1 : 0);
        QRectF hull;
        for (const QRectF& mark : marks)
            hull |= mark;
        bands[side == Side::A ? 0 : 1] = {hull.top() - bandPadding, hull.bottom() + bandPadding};
    }
    if (marksA.empty() && marksB.empty()) return;
    if (!marksA.empty() && !marksB.empty()) {
        a.canvas->setBand(bands[0]);
        b.canvas->setBand(bands[1]);
        gutter->setSelection(canvas::SelectionBand{bands[0].first, bands[0].second, bands[1].first,
                                                   bands[1].second,
                                                   QStringLiteral("%1 → %2").arg(counts[0]).arg(counts[1])});
    }
    if (!reveal) return;
    const bool showsB = !marksB.empty() && (marksA.empty() || b.canvas->isVisible());
    revealInPanes(!node.isEmpty() ? node.side : showsB ? Side::B : Side::A);
}

/// Both panes go to their places at once, so that neither pulls the other from its own.
void CompareView::Private::revealInPanes(Side side) {
    const Slot slot = side == Side::A ? Slot::A : Slot::B;
    GraphCanvas& own = canvasOf(slot);
    GraphCanvas& other = side == Side::A ? *b.canvas : *a.canvas;
    if (effectiveMode() == Mode::Single && single != side && !own.isVisible()) {
        single = side;
        showMode();
        q.layout()->activate(); // the canvas must know its size before it scrolls
    }
    const std::vector<QRectF>& here = side == Side::A ? marksA : marksB;
    if (here.empty()) return;
    const QPointF from = own.destination().topLeft();
    const QPointF to = own.clamped(own.offsetFor(here.front(), from));
    if (other.scene() && effectiveMode() == Mode::SideBySide) {
        if (linked) {
            other.glideTo(partnerOffset(slot, to, to.x() - from.x(), true));
        } else if (const auto& there = side == Side::A ? marksB : marksA; !there.empty()) {
            QRectF all;
            for (const QRectF& rect : there)
                all |= rect;
            other.glideTo(other.offsetFor(all, other.destination().topLeft()));
        }
    }
    own.glideTo(to);
}

NodeSelection CompareView::Private::nodeAt(Slot slot, int item) const {
    const canvas::ScenePtr& scene = canvasOf(slot).scene();
    if (!scene || item == noItem || !scene->items[static_cast<std::size_t>(item)].isNode()) return {};
    const ir::NodeIndex node = scene->items[static_cast<std::size_t>(item)].node;
    if (slot != Slot::Merged) return {slot == Slot::A ? Side::A : Side::B, node};
    if (!picture.mergedGraph) return {};
    if (const ir::NodeIndex inB = picture.mergedGraph->nodeOfB[node]; inB != ir::npos) return {Side::B, inB};
    return {Side::A, picture.mergedGraph->nodeOfA[node]};
}

void CompareView::Private::itemClicked(Slot slot, int item) {
    GraphCanvas& target = canvasOf(slot);
    lastActive = &target;
    const NodeSelection node = nodeAt(slot, item);
    // What is chosen stays where one of it is clicked, as its menu does.
    if (const canvas::ChosenNodes::Of part = chosen().chosen; !part.nodes.empty()) {
        const auto& [side, nodes] = nodesOf(slot, item);
        if (nodes.empty() || side != sideOf(part) || !std::ranges::includes(part.nodes, nodes))
            choose(side, {});
    }
    if (!node.isEmpty()) {
        workspace.selectNode(node);
        return;
    }
    // A block is selected here only: other panels know nodes.
    workspace.clearSelection();
    for (GraphCanvas* c : {a.canvas, b.canvas, merged.canvas})
        c->setSelected(c == &target ? item : noItem);
}

void CompareView::Private::showInOtherPane(Slot slot, int item) {
    const NodeSelection node = nodeAt(slot, item);
    if (node.isEmpty()) return;
    workspace.selectNode(node);
    const std::vector<ir::NodeIndex> related = workspace.related();
    if (related.empty()) return;
    const Side other = node.side == Side::A ? Side::B : Side::A;
    workspace.selectNode({other, related.front()});
    if (!picture.merged) (other == Side::A ? a.canvas : b.canvas)->setFocus();
}

void CompareView::Private::goToSource(Slot slot, int item) {
    const NodeSelection node = nodeAt(slot, item);
    if (node.isEmpty()) return;
    workspace.selectNode(node);
    const ir::SourceLocation* at = workspace.stage(node.side).graph->node(node.node).location();
    if (at == nullptr) return;
    emit workspace.panelRequested(PanelId::Source);
    emit workspace.sourceRequested(QString::fromStdString(at->file), static_cast<int>(at->line));
}

void CompareView::Private::keyTyped(int key) {
    switch (key) {
    case Qt::Key_F:
        q.fitSelection();
        return;
    case Qt::Key_E:
        q.setEdgeLabels(!q.hasEdgeLabels());
        return;
    case Qt::Key_M:
        q.setMinimap(!q.hasMinimap());
        return;
    case Qt::Key_T:
        q.setHeat(!q.hasHeat());
        return;
    case Qt::Key_X:
        workspace.swapSides();
        return;
    case Qt::Key_I:
    case Qt::Key_N:
        drawChosen(key == Qt::Key_N);
        return;
    default:
        // Escape takes back one thing at a time.
        if (!chosen().chosen.nodes.empty())
            choose(Side::B, {});
        else if (workspace.place().node.isEmpty())
            drawAll();
        workspace.clearSelection();
        for (GraphCanvas* c : {a.canvas, b.canvas, merged.canvas})
            c->setSelected(noItem);
        return;
    }
}

void CompareView::Private::nextDifference(int direction) {
    struct Stop {
        double y, x;
        Slot slot;
        int item;
    };
    std::vector<Stop> stops;
    // Both panes at the heights of B, so that one walks down both at once.
    const auto height = [this](Slot slot, const canvas::SceneItem& item) {
        const double top = item.rect.top();
        return slot == Slot::A ? layout::follow(picture.anchors, top, true) : top;
    };
    const auto add = [&stops, &height](Slot slot, const GraphCanvas& canvas, bool onlyRemoved) {
        if (!canvas.scene()) return;
        for (const int item : canvas.scene()->differences) {
            const canvas::SceneItem& there = canvas.scene()->items[static_cast<std::size_t>(item)];
            // A changed node stands on both sides and is stopped at once, in B.
            if (onlyRemoved && there.change != diff::Change::Removed) continue;
            stops.push_back({height(slot, there), there.rect.left(), slot, item});
        }
    };
    if (picture.merged) {
        add(Slot::Merged, *merged.canvas, false);
    } else {
        add(Slot::A, *a.canvas, true);
        add(Slot::B, *b.canvas, false);
    }
    if (stops.empty()) return;
    std::sort(stops.begin(), stops.end(), [](const Stop& x, const Stop& y) {
        return std::tie(x.y, x.slot, x.x) < std::tie(y.y, y.slot, y.x);
    });
    const auto current = std::find_if(
        stops.begin(), stops.end(), [this](const Stop& s) { return canvasOf(s.slot).selected() == s.item; });
    const auto count = static_cast<std::ptrdiff_t>(stops.size());
    std::ptrdiff_t at = direction > 0 ? 0 : count - 1;
    if (current != stops.end()) {
        at = ((current - stops.begin()) + (direction > 0 ? 1 : -1) + count) % count;
    } else if (const GraphCanvas& here = active(); here.selected() >= 0) {
        // From a node that is no difference on to the first one below or above it.
        const double y = height(slotOf(here), here.scene()->items[static_cast<std::size_t>(here.selected())]);
        const auto below =
            std::partition_point(stops.begin(), stops.end(), [y](const Stop& s) { return s.y < y; });
        at = ((below - stops.begin()) + (direction > 0 ? 0 : -1) + count) % count;
    }
    const Stop& stop = stops[static_cast<std::size_t>(at)];
    itemClicked(stop.slot, stop.item);
    GraphCanvas& target = canvasOf(stop.slot);
    target.reveal(target.scene()->items[static_cast<std::size_t>(stop.item)].rect);
}

void CompareView::nextDifference(int direction) {
    d->nextDifference(direction);
}

void CompareView::toggleFold() {
    GraphCanvas& canvas = d->active();
    if (!canvas.scene()) return;
    const auto slot = d->slotOf(canvas);
    if (const int frame = canvas.selectedFrame(); frame >= 0) {
        d->fold(slot, canvas.scene()->frames[static_cast<std::size_t>(frame)].group, false);
        return;
    }
    if (canvas.selected() == noItem) return;
    const canvas::SceneItem& item = canvas.scene()->items[static_cast<std::size_t>(canvas.selected())];
    if (!item.isNode())
        d->fold(slot, item.group, true);
    else if (item.frame >= 0)
        d->fold(slot, canvas.scene()->frames[static_cast<std::size_t>(item.frame)].group, false);
}

} // namespace dynascope::views
