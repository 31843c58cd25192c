// SPDX-License-Identifier: BSD-3-Clause
//
// The part of CompareView that turns stages into pictures: a worker folds and lays out in layers and its
// picture is shown at once; then dot, in a child, may find a better one.
#include "views/canvas/compare_private.h"
#include "views/workspace/trace.h"

#include <algorithm>
#include <array>

namespace dynascope::views {

using canvas::GraphCanvas;
using canvas::PaneSource;
using canvas::Picture;
using canvas::PictureRequest;

namespace {

const QString pictureTag = QStringLiteral("canvas");
constexpr std::size_t largestForDot = 400; ///< boxes; beyond it dot does not end within its budget
constexpr std::size_t rememberedGraphs = 24;

} // namespace

bool CompareView::Private::busy() const {
    return working || rebuildTimer.isActive() || roomTimer.isActive() || processA.isRunning() ||
           processB.isRunning() || workspace.stage(Side::A).loading || workspace.stage(Side::B).loading ||
           (workspace.stage(Side::A).graph && workspace.stage(Side::B).graph && !workspace.diff());
}

void CompareView::Private::stagesChanged() {
    lookedAt = lookedAt || looksAtSelection();
    const std::pair now{workspace.place().capture, workspace.place().compile};
    const bool steps = now == shownCompile && (picture.a || picture.b || picture.merged);
    scheduleRebuild(steps ? GraphCanvas::Transition::Step : GraphCanvas::Transition::None);
    showMode();
    updateHeaders();
}

void CompareView::Private::scheduleRebuild(GraphCanvas::Transition how, const QString& at) {
    transition = how;
    anchor = at;
    untouched = untouched && how == GraphCanvas::Transition::None;
    if (reported) busySince.start();
    reported = false;
    rebuildTimer.start();
    if (!progressTimer.isActive()) progressTimer.start();
}

std::optional<PaneSource> CompareView::Private::sourceOf(Side side) {
    const ir::GraphPtr& graph = workspace.stage(side).graph;
    if (!graph) return std::nullopt;
    return sourceOf(side, graph, drawnOf(side), stageOf(side));
}

session::NamingPtr CompareView::Private::naming(Side side) {
    if (const session::NamingPtr& given = side == Side::A ? namingA : namingB) return given;
    const session::Compile* compile = workspace.compile();
    if (ownNaming.first != compile || !ownNaming.second)
        ownNaming = {compile, compile ? session::namingOf(*compile) : nullptr};
    return ownNaming.second;
}

void CompareView::Private::forgetAhead() {
    ahead.clear();
    ownNaming = {};
}

PaneSource CompareView::Private::sourceOf(Side side, const ir::GraphPtr& graph, ir::NodeSet only, int stage) {
    PaneSource source;
    source.graph = graph;
    source.only = std::move(only);
    const auto at = std::find_if(known.begin(), known.end(), [&source](const PaneSource& s) {
        return s.graph == source.graph && s.only == source.only;
    });
    if (at != known.end()) return *at;
    if (const session::Compile* compile = workspace.compile()) {
        source.naming = naming(side);
        source.guards = compile->guards;
    }
    source.room = roomOf(side);
    if (kernelBlocks && isCaptured(stage)) {
        source.kernels = workspace.trace().provenance(workspace.place().compile);
        source.stage = static_cast<std::size_t>(stage);
    }
    return source;
}

/// What a canvas offers to the first picture of its graph. One that is not laid out yet, or hidden while the
/// other mode is shown, has no size to go by.
QSizeF CompareView::Private::roomOf(Side side) const {
    const GraphCanvas& canvas = mode == Mode::Merged ? *merged.canvas
                                : side == Side::A    ? *a.canvas
                                                     : *b.canvas;
    return canvas.isVisible() ? canvas.room() : QSizeF();
}

std::vector<QSizeF> CompareView::Private::roomShown() const {
    std::vector<QSizeF> rooms;
    for (const GraphCanvas* canvas : shown())
        if (canvas->isVisible()) rooms.push_back(canvas->room());
    return rooms;
}

bool CompareView::Private::isSpaced() const {
    // One that is being made looks at the mode itself.
    return working || rebuildTimer.isActive() || !picture.a || !picture.b ||
           picture.aligned == (effectiveMode() == Mode::SideBySide);
}

void CompareView::Private::fitRoom() {
    const std::vector<QSizeF> now = roomShown();
    if (!untouched || now.empty() || now == openedIn) {
        if (isSpaced())
            checkSettled();
        else
            scheduleRebuild(untouched ? GraphCanvas::Transition::None : GraphCanvas::Transition::Fold,
                            active().middleKey());
        return;
    }
    const auto isShown = [this](const PaneSource& source) {
        return std::ranges::any_of(std::array{&picture.a, &picture.b}, [&source](const auto* side) {
            return *side && (*side)->source.graph == source.graph;
        });
    };
    std::erase_if(known, isShown);
    knownMerged.reset();
    scheduleRebuild(GraphCanvas::Transition::None);
}

bool CompareView::Private::isBesideItself(const PictureRequest& request) const {
    const auto &a = request.a, &b = request.b;
    return a && b && !a->tree && !b->tree && a->graph == b->graph && a->only == b->only &&
           namingA == namingB && stageOf(Side::A) == stageOf(Side::B) &&
           (a->room.isEmpty() || b->room.isEmpty() || a->room == b->room);
}

void CompareView::Private::remember(const PaneSource& source) {
    const auto at = std::find_if(known.begin(), known.end(), [&source](const PaneSource& s) {
        return s.graph == source.graph && s.only == source.only;
    });
    if (at != known.end()) known.erase(at);
    known.push_front(source);
    if (known.size() > rememberedGraphs) known.pop_back();
}

void CompareView::Private::rebuild() {
    stopAll();
    PictureRequest request;
    request.a = sourceOf(Side::A);
    request.b = sourceOf(Side::B);
    request.beside = isBesideItself(request);
    if (request.beside) {
        // The side that is hidden has no room of its own.
        const QSizeF room = request.b->room.isEmpty() ? request.a->room : request.b->room;
        request.a->room = room;
        request.b = request.a;
    }
    for (const auto* source : {&request.a, &request.b})
        roomless = roomless || (*source && !(*source)->tree && !q.isVisible());
    request.diff = workspace.diff();
    request.merged = mode == Mode::Merged && request.diff != nullptr;
    request.aligned = effectiveMode() == Mode::SideBySide;
    askedIn = roomShown();
    if (request.merged && mergedOf == std::pair{request.a->graph.get(), request.b->graph.get()})
        request.mergedPane = knownMerged;
    showMessages();
    if (!request.a && !request.b) {
        show({}, GraphCanvas::Transition::None, {});
        checkSettled();
        return;
    }
    if (const Picture* known = ahead.find(request)) {
        const Picture made = *known; // keep() may move it
        show(made, transition, anchor);
        keepShown(request, made);
        startProcesses();
        checkSettled();
        return;
    }
    working = true;
    workspace.tasks().run<Picture>(
        pictureTag, &q, [request](const TaskContext& task) { return canvas::makePicture(request, task); },
        [this, request, how = transition, at = anchor](const Picture& made) {
            working = false;
            if (made.complete) {
                show(made, how, at);
                keepShown(request, made);
                startProcesses();
            }
            checkSettled();
        });
}

/// Whoever comes back asks for it with the blocks that are open in it now.
void CompareView::Private::keepShown(PictureRequest request, const Picture& made) {
    if (made.a) request.a = made.a->source;
    if (made.b) request.b = made.b->source;
    if (request.beside) return; // it is asked for so only once
    if (made.merged) request.mergedPane = made.merged->source;
    ahead.keep(std::move(request), made);
}

void CompareView::Private::show(Picture made, GraphCanvas::Transition how, const QString& at, bool relaid) {
    const bool fresh = how == GraphCanvas::Transition::None;
    // Another layout of a picture that nobody has looked around in may be wider: it opens anew.
    const bool opens = fresh || (relaid && untouched);
    const bool reveals = fresh || revealLater;
    // A selection that is looked at stays in sight, unless the user just folded a block.
    const bool holds =
        reveals || ((relaid || how == GraphCanvas::Transition::Step) && (lookedAt || looksAtSelection()));
    lookedAt = revealLater = false;
    picture = std::move(made);
    anchors = picture.anchors;
    for (const auto* side : {&picture.a, &picture.b})
        if (*side) remember((*side)->source);
    if (picture.merged) {
        knownMerged = picture.merged->source;
        mergedOf = {workspace.stage(Side::A).graph.get(), workspace.stage(Side::B).graph.get()};
    }
    shownCompile = {workspace.place().capture, workspace.place().compile};

    syncing = true;
    const auto give = [&](GraphCanvas& target, const std::optional<canvas::LaidOut>& side) {
        const bool first = opens || !target.scene();
        target.setScene(side ? side->scene : nullptr, how, at);
        if (side && first) target.showFirst();
    };
    const QPointF heldA = a.canvas->place();
    const QPointF heldB = b.canvas->place();
    const bool hadA = a.canvas->scene() != nullptr;
    const bool hadB = b.canvas->scene() != nullptr;
    if (picture.merged || mode != Mode::Merged) give(*merged.canvas, picture.merged);
    if (!picture.merged) {
        give(*a.canvas, picture.a);
        give(*b.canvas, picture.b);
        if (picture.a && picture.b && linked) {
            const double height = std::max(picture.a->scene->size.height(), picture.b->scene->size.height());
            a.canvas->setExtent(height);
            b.canvas->setExtent(height);
            if (opens || (!hadA && !hadB)) {
                // A canvas that is not shown has no width to go by.
                double zoom = 1;
                for (const GraphCanvas* c : shown())
                    zoom = std::min(zoom, c->zoom());
                for (GraphCanvas* c : {a.canvas, b.canvas})
                    c->setPlace(zoom, c->place());
            } else if (how == GraphCanvas::Transition::Step) {
                // The width of a scene may differ from the last one's: its middle stays where it was.
                a.canvas->setPlace(lastActive->zoom(), hadA ? heldA : a.canvas->place());
                b.canvas->setPlace(lastActive->zoom(), hadB ? heldB : b.canvas->place());
            }
            selectionChanged(false);
            const Side side = workspace.place().node.side;
            const Slot own =
                (side == Side::A ? marksA : marksB).empty() == (side == Side::A) ? Slot::B : Slot::A;
            const std::vector<QRectF>& marks = own == Slot::A ? marksA : marksB;
            if (holds && !marks.empty()) {
                GraphCanvas& leader = canvasOf(own);
                const QPointF to = leader.clamped(leader.offsetFor(marks.front(), leader.offset()));
                leader.setPlace(leader.zoom(), leader.place() + to - leader.offset());
                follow(own, 0, true);
            } else if (opens) {
                holdBeside();
            } else {
                follow(lastActive == a.canvas ? Slot::A : Slot::B, 0);
            }
        }
    }
    // What was in the middle before may have become a gap.
    for (GraphCanvas* c : shown())
        if (const QPointF to = c->offsetWithItems(c->offset(), false); to != c->offset())
            c->setPlace(c->zoom(), c->place() + to - c->offset());
    syncing = false;
    rememberPlaces();
    gutter->setBands(picture.bands);
    showMode();
    updateHeaders();
    selectionChanged(reveals);
    showChosen();
    showMarks();
    showHeat();
    if (fresh) openedIn = askedIn;
    untouched = opens;
    // The panes were laid out while the picture was made.
    if (untouched && openedIn != roomShown()) roomTimer.start();
    const double zoom = active().zoom();
    if (std::abs(zoom - lastZoom) > 1e-6) {
        lastZoom = zoom;
        emit q.zoomChanged(zoom);
    }
    seek();
}

/// Both panes open where they begin, whatever their middles belong to; from there they move together.
void CompareView::Private::holdBeside() {
    const auto heightOf = [](const GraphCanvas& canvas) {
        return canvas.viewport()->height() / canvas.zoom();
    };
    const double seenA = heightOf(*a.canvas), seenB = heightOf(*b.canvas);
    anchors = layout::heldAt(picture.anchors, a.canvas->offset().y() + seenA / 2,
                             b.canvas->offset().y() + seenB / 2, std::max(seenA, seenB));
}

void CompareView::Private::startProcesses() {
    answerA.clear();
    answerB.clear();
    if (program.isEmpty()) return;
    const auto start = [this](canvas::LayoutProcess& process, const std::optional<canvas::LaidOut>& side) {
        if (!side) return;
        const layout::LayoutInput& input = side->pane->input;
        if (input.boxes.size() < 3 || input.boxes.size() > largestForDot) return;
        const std::string json = layout::toJson(input);
        process.start(program, QByteArray(json.data(), static_cast<qsizetype>(json.size())));
    };
    start(processA, picture.merged ? picture.merged : picture.a);
    start(processB, picture.merged ? std::nullopt : picture.b);
}

void CompareView::Private::processesDone() {
    if (processA.isRunning() || processB.isRunning()) return;
    if (answerA.isEmpty() && answerB.isEmpty()) {
        checkSettled();
        return;
    }
    working = true;
    workspace.tasks().run<Picture>(
        pictureTag, &q,
        [first = answerA, second = answerB, now = picture](const TaskContext&) {
            const auto read = [](const QByteArray& text) -> std::optional<layout::LayoutResult> {
                if (text.isEmpty()) return std::nullopt;
                auto result = layout::resultFromJson(
                    std::string_view(text.constData(), static_cast<std::size_t>(text.size())));
                return result ? std::optional(std::move(*result)) : std::nullopt;
            };
            const auto one = read(first);
            if (now.merged) return canvas::withLayouts(now, std::nullopt, std::nullopt, one);
            return canvas::withLayouts(now, one, read(second), std::nullopt);
        },
        [this](Picture made) {
            working = false;
            const auto differs = [](const std::optional<canvas::LaidOut>& x,
                                    const std::optional<canvas::LaidOut>& y) {
                return x && y && x->scene != y->scene;
            };
            if (differs(made.a, picture.a) || differs(made.b, picture.b) ||
                differs(made.merged, picture.merged)) {
                // What is selected stays where it is; else the top of the graph does.
                const QRectF held = active().selectedRect();
                QString at;
                if (!held.isNull() && active().scene() && active().selected() != canvas::noItem)
                    at = active().scene()->items[static_cast<std::size_t>(active().selected())].key;
                show(std::move(made), GraphCanvas::Transition::Fold, at, true);
            }
            checkSettled();
        });
}

void CompareView::Private::stopAll() {
    rebuildTimer.stop();
    workspace.tasks().cancel(pictureTag);
    processA.cancel();
    processB.cancel();
    working = false;
}

void CompareView::preparePicture(const ir::GraphPtr& a, const ir::GraphPtr& b, const ir::NodeSet& onlyA,
                                 const ir::NodeSet& onlyB, const DiffPtr& diff) {
    // Of one part alone the diff says the other, and kernels are known of a stage.
    if (!a || !b || !diff || a == b || onlyA.empty() != onlyB.empty() || d->kernelBlocks || !isVisible())
        return;
    PictureRequest request;
    request.a = d->sourceOf(Side::A, a, onlyA, -1);
    request.b = d->sourceOf(Side::B, b, onlyB, -1);
    request.diff = diff;
    request.merged = d->mode == Mode::Merged;
    request.aligned = d->mode == Mode::SideBySide && !d->isNarrow();
    d->ahead.prepare(std::move(request));
}

bool CompareView::isPreparing() const {
    return !d->ahead.isIdle();
}

void CompareView::setNaming(session::NamingPtr a, session::NamingPtr b) {
    d->namingA = std::move(a);
    d->namingB = std::move(b);
}

} // namespace dynascope::views
