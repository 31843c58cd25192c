// SPDX-License-Identifier: BSD-3-Clause
//
// The part of CompareView that builds the panes, says which of them show, and moves them together.
#include "views/canvas/compare_private.h"
#include "views/workspace/trace.h"

#include <QCoreApplication>
#include <QHBoxLayout>
#include <QMenu>
#include <QPainter>
#include <algorithm>
#include <cmath>

namespace dynascope::views {

using canvas::GraphCanvas;
using canvas::Gutter;

namespace {

constexpr int narrow = 800;        ///< pixels below which one canvas is shown, with a switch
constexpr int roomSettlesMs = 120; ///< panels that come and go resize the canvas several times

/// A strip as high as the panes' headers, for above the gutter.
class HeaderFiller final : public QWidget {
public:
    HeaderFiller(const Theme& theme, int height, QWidget* parent)
        : QWidget(parent)
        , m_theme(theme) {
        setFixedHeight(height);
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.fillRect(rect(), m_theme.colours().bg2);
        painter.fillRect(0, height() - 1, width(), 1, m_theme.colours().line);
    }

private:
    const Theme& m_theme;
};

} // namespace

CompareView::Private::Private(CompareView& view, Workspace& ws, Theme& look)
    : q(view)
    , workspace(ws)
    , theme(look)
    , program(QCoreApplication::applicationDirPath() + QStringLiteral("/dynascope-cli")) {}

void CompareView::Private::build() {
    a = makePane(PaneHeader::Kind::A, tr("Graph of stage A"), Slot::A);
    b = makePane(PaneHeader::Kind::B, tr("Graph of stage B"), Slot::B);
    merged = makePane(PaneHeader::Kind::Merged, tr("Merged graph of A and B"), Slot::Merged);

    chain = a.header->addButton("chain", tr("Panes move together (Ctrl+L)"), true);
    chain->setChecked(true);
    QObject::connect(chain, &QToolButton::toggled, &q, &CompareView::setLinked);
    const auto add = [this](PaneHeader* header, const char* icon, const QString& help, auto action) {
        QToolButton* button = header->addButton(icon, help, false);
        QObject::connect(button, &QToolButton::clicked, &q, action);
        return button;
    };
    // A has the buttons of both only while it is the one that is shown.
    for (PaneHeader* header : {a.header, b.header}) {
        QToolButton* merge =
            add(header, "merge", tr("One merged canvas"), [this] { q.setMode(Mode::Merged); });
        QToolButton* fit =
            add(header, "fit", tr("Fit the selection, or all (F)"), [this] { q.fitSelection(); });
        if (header == a.header) buttonsOfSingle = {merge, fit};
    }
    add(merged.header, "side-by-side", tr("Two canvases side by side"),
        [this] { q.setMode(Mode::SideBySide); });
    add(merged.header, "fit", tr("Fit the selection, or all (F)"), [this] { q.fitSelection(); });

    gutter = new Gutter(theme, *a.canvas, *b.canvas);
    gutterBox = new QWidget(&q);
    auto* column = new QVBoxLayout(gutterBox);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(new HeaderFiller(theme, a.header->height(), gutterBox));
    column->addWidget(gutter, 1);
    gutterBox->setFixedWidth(Gutter::stripWidth);

    auto* row = new QHBoxLayout(&q);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    row->addWidget(a.box, 1);
    row->addWidget(gutterBox);
    row->addWidget(b.box, 1);
    row->addWidget(merged.box, 1);
    lastActive = b.canvas;

    QObject::connect(&theme, &Theme::changed, gutter, qOverload<>(&QWidget::update));
    QObject::connect(&workspace, &Workspace::stagesChanged, &q, [this] { stagesChanged(); });
    QObject::connect(&workspace, &Workspace::diffChanged, &q, [this] { stagesChanged(); });
    QObject::connect(&workspace, &Workspace::captureClosed, &q, [this] { forgetAhead(); });
    QObject::connect(&workspace, &Workspace::captureReplaced, &q, [this] { forgetAhead(); });
    QObject::connect(&workspace, &Workspace::placeChanged, &q, [this] { chosenChanged(); });
    QObject::connect(&workspace, &Workspace::nodeSelected, &q, [this] { selectionChanged(true); });
    QObject::connect(&workspace, &Workspace::nodeSought, &q, [this] {
        seeking = true;
        seek();
    });
    QObject::connect(&workspace.trace(), &Trace::changed, &q, [this] { traceChanged(); });
    QObject::connect(&workspace, &Workspace::marksChanged, &q, [this] { showMarks(); });
    QObject::connect(&workspace, &Workspace::timesChanged, &q, [this] { showHeat(); });
    rebuildTimer.setSingleShot(true);
    rebuildTimer.setInterval(0);
    QObject::connect(&rebuildTimer, &QTimer::timeout, &q, [this] { rebuild(); });
    roomTimer.setSingleShot(true);
    roomTimer.setInterval(roomSettlesMs);
    QObject::connect(&roomTimer, &QTimer::timeout, &q, [this] { fitRoom(); });
    progressTimer.setInterval(100);
    QObject::connect(&progressTimer, &QTimer::timeout, &q, [this] { tick(); });
    QObject::connect(&processA, &canvas::LayoutProcess::finished, &q, [this](const QByteArray& answer) {
        answerA = answer;
        processesDone();
    });
    QObject::connect(&processB, &canvas::LayoutProcess::finished, &q, [this](const QByteArray& answer) {
        answerB = answer;
        processesDone();
    });
    showMode();
}

CompareView::Private::PaneWidgets CompareView::Private::makePane(PaneHeader::Kind kind, const QString& name,
                                                                 Slot slot) {
    PaneWidgets pane;
    pane.box = new QWidget(&q);
    pane.header = new PaneHeader(theme, kind, pane.box);
    pane.canvas = new GraphCanvas(theme, name, pane.box);
    pane.canvas->setMotion(qEnvironmentVariableIsEmpty("DYNASCOPE_REDUCE_MOTION"));
    auto* column = new QVBoxLayout(pane.box);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(pane.header);
    column->addWidget(pane.canvas, 1);
    connectPane(pane, slot);
    return pane;
}

void CompareView::Private::connectPane(const PaneWidgets& pane, Slot slot) {
    QObject::connect(pane.header, &PaneHeader::cancelled, &q, &CompareView::cancelLayout);
    QObject::connect(pane.header, &PaneHeader::wholeAsked, &q, [this] { drawAll(); });
    QObject::connect(pane.header, &PaneHeader::sideChosen, &q, [this](Side side) {
        if (effectiveMode() != Mode::Single) return;
        single = side;
        showMode();
        selectionChanged(false);
        emit q.modeChanged();
    });
    const GraphCanvas* c = pane.canvas;
    QObject::connect(c, &GraphCanvas::viewMoved, &q, [this, slot] { canvasMoved(slot); });
    QObject::connect(c, &GraphCanvas::viewPlaced, &q, [this, slot] { canvasPlaced(slot); });
    QObject::connect(c, &GraphCanvas::viewGlided, &q, [this] {
        rememberPlaces();
        gutter->update();
    });
    QObject::connect(c, &GraphCanvas::itemClicked, &q, [this, slot](int item) { itemClicked(slot, item); });
    QObject::connect(c, &GraphCanvas::foldRequested, &q,
                     [this, slot](layout::GroupId group, bool open) { fold(slot, group, open); });
    QObject::connect(c, &GraphCanvas::itemToggled, &q, [this, slot](int item) { toggle(slot, item); });
    QObject::connect(c, &GraphCanvas::rangeAsked, &q, [this, slot](int item) { chooseBetween(slot, item); });
    QObject::connect(c, &GraphCanvas::choiceMenuAboutToShow, &q,
                     [this, slot](QMenu* menu, int item) { fillMenu(*menu, slot, item); });
    QObject::connect(c, &GraphCanvas::emptyMenuRequested, &q, &CompareView::menuRequested);
    QObject::connect(c, &GraphCanvas::showInOtherPane, &q,
                     [this, slot](int item) { showInOtherPane(slot, item); });
    QObject::connect(c, &GraphCanvas::sourceRequested, &q,
                     [this, slot](int item) { goToSource(slot, item); });
    QObject::connect(c, &GraphCanvas::relativesRequested, &q, [this, slot](int, bool inputs) {
        const int next =
            canvasOf(slot).neighbour(inputs ? GraphCanvas::Direction::Up : GraphCanvas::Direction::Down);
        if (next != canvas::noItem) itemClicked(slot, next);
    });
    QObject::connect(c, &GraphCanvas::provenanceRequested, &q,
                     [this] { emit workspace.panelRequested(PanelId::Provenance); });
    QObject::connect(c, &GraphCanvas::writeRequested, &q,
                     [this](int direction) { workspace.stepWrite(direction); });
    QObject::connect(c, &GraphCanvas::keyTyped, &q, [this](int key) { keyTyped(key); });
}

bool CompareView::Private::isAlone() const {
    const session::StagePtr& stage = workspace.stage(Side::A).stage;
    return stage && stage == workspace.stage(Side::B).stage;
}

bool CompareView::Private::isNarrow() const {
    return q.width() < narrow;
}

CompareView::Mode CompareView::Private::effectiveMode() const {
    // The same graph twice would tell nothing more.
    if (mode == Mode::SideBySide && (isNarrow() || isAlone())) return Mode::Single;
    if (mode == Mode::Merged && !picture.merged && !workspace.diff()) return Mode::SideBySide;
    return mode;
}

void CompareView::Private::showMode() {
    const Mode now = effectiveMode();
    a.box->setVisible(now == Mode::SideBySide || (now == Mode::Single && single == Side::A));
    b.box->setVisible(now == Mode::SideBySide || (now == Mode::Single && single == Side::B));
    gutterBox->setVisible(now == Mode::SideBySide);
    merged.box->setVisible(now == Mode::Merged);
    const bool one = now == Mode::Single;
    const bool choice = one && !isAlone();
    a.header->setSwitch(choice, Side::A);
    b.header->setSwitch(choice, Side::B);
    chain->setVisible(!one);
    for (QToolButton* button : buttonsOfSingle)
        button->setVisible(one);
    if (const auto canvases = shown();
        std::find(canvases.begin(), canvases.end(), lastActive) == canvases.end())
        lastActive = canvases.back();
    if (isSpaced() || roomTimer.isActive()) return;
    reported = false;
    roomTimer.start();
}

std::vector<GraphCanvas*> CompareView::Private::shown() const {
    switch (effectiveMode()) {
    case Mode::Merged:
        return {merged.canvas};
    case Mode::Single:
        return {single == Side::A ? a.canvas : b.canvas};
    case Mode::SideBySide:
        break;
    }
    return {a.canvas, b.canvas};
}

GraphCanvas& CompareView::Private::active() const {
    for (GraphCanvas* c : shown())
        if (c->hasFocus()) return *c;
    return *lastActive;
}

GraphCanvas& CompareView::Private::canvasOf(Slot slot) const {
    return slot == Slot::A ? *a.canvas : slot == Slot::B ? *b.canvas : *merged.canvas;
}

void CompareView::Private::rememberPlaces() {
    placeA = a.canvas->place();
    placeB = b.canvas->place();
}

CompareView::Private::Slot CompareView::Private::slotOf(const GraphCanvas& canvas) const {
    return &canvas == a.canvas ? Slot::A : &canvas == b.canvas ? Slot::B : Slot::Merged;
}

QPointF CompareView::Private::partnerOffset(Slot leader, QPointF leaderOffset, double sideways,
                                            bool keepMarks) {
    const bool fromA = leader == Slot::A;
    const GraphCanvas& from = canvasOf(leader);
    const GraphCanvas& to = fromA ? *b.canvas : *a.canvas;
    const QSizeF seenFrom = QSizeF(from.viewport()->size()) / from.zoom();
    const QSizeF seenTo = QSizeF(to.viewport()->size()) / to.zoom();
    // What is in the middle here goes to the middle there.
    const double middle = leaderOffset.y() + seenFrom.height() / 2;
    const QPointF usual =
        to.offsetWithItems(to.clamped({to.destination().left() + sideways,
                                       layout::follow(anchors, middle, fromA) - seenTo.height() / 2}),
                           true);
    const std::vector<QRectF>& here = fromA ? marksA : marksB;
    const std::vector<QRectF>& there = fromA ? marksB : marksA;
    if (!keepMarks || there.empty()) return usual;
    const QRectF seen(leaderOffset, seenFrom);
    const auto inSight =
        std::find_if(here.begin(), here.end(), [&seen](const QRectF& r) { return seen.intersects(r); });
    if (inSight == here.end()) return usual;

    // All that belongs to it, or the nearest where that is too much for the pane.
    QRectF wanted;
    for (const QRectF& rect : there)
        wanted |= rect;
    if (wanted.width() > seenTo.width() || wanted.height() > seenTo.height()) {
        const QPointF usualMiddle = usual + QPointF(seenTo.width(), seenTo.height()) / 2;
        const auto distance = [&usualMiddle](const QRectF& r) {
            return (r.center() - usualMiddle).manhattanLength();
        };
        wanted = *std::min_element(there.begin(), there.end(), [&](const QRectF& x, const QRectF& y) {
            return distance(x) < distance(y);
        });
    }
    if (QRectF(usual, seenTo).contains(wanted)) return usual;
    // Beside the node, if that shows it whole.
    const double beside = wanted.center().y() - (inSight->center().y() - leaderOffset.y());
    const QPointF offset = to.clamped(to.offsetFor(wanted, {usual.x(), beside}));
    const double middleThere = offset.y() + seenTo.height() / 2;
    anchors = layout::heldAt(picture.anchors, fromA ? middle : middleThere, fromA ? middleThere : middle,
                             std::max(seenFrom.height(), seenTo.height()));
    return offset;
}

void CompareView::Private::follow(Slot leader, double sideways, bool keepMarks) {
    const GraphCanvas& from = canvasOf(leader);
    GraphCanvas& to = leader == Slot::A ? *b.canvas : *a.canvas;
    if (!from.scene() || !to.scene()) return;
    const bool zoomed = to.zoom() != from.zoom();
    if (zoomed) to.setPlace(from.zoom(), to.place());
    to.stopGliding();
    const QPointF offset = partnerOffset(leader, from.offset(), sideways, keepMarks || zoomed);
    to.setPlace(from.zoom(), to.place() + offset - to.offset());
}

void CompareView::Private::canvasMoved(Slot slot) {
    if (syncing) return;
    untouched = false;
    GraphCanvas& moved = canvasOf(slot);
    lastActive = &moved;
    if (slot != Slot::Merged && linked && effectiveMode() != Mode::Merged) {
        syncing = true;
        follow(slot, moved.place().x() - (slot == Slot::A ? placeA : placeB).x());
        syncing = false;
    }
    rememberPlaces();
    gutter->update();
    if (std::abs(moved.zoom() - lastZoom) > 1e-6) {
        lastZoom = moved.zoom();
        emit q.zoomChanged(lastZoom);
    }
}

void CompareView::Private::canvasPlaced(Slot slot) {
    if (syncing) return;
    const Slot other = slot == Slot::A ? Slot::B : Slot::A;
    // A pane that is shown for the first time joins the one that was looked at.
    if (slot != Slot::Merged && linked && canvasOf(other).isPlaced()) {
        syncing = true;
        follow(other, 0);
        syncing = false;
    }
    rememberPlaces();
    gutter->update();
}

} // namespace dynascope::views
