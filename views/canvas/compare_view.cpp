// SPDX-License-Identifier: BSD-3-Clause
#include "views/canvas/compare_view.h"

#include "views/canvas/compare_private.h"

#include <QPainter>
#include <QResizeEvent>
#include <algorithm>
#include <cmath>

namespace dynascope::views {

using canvas::GraphCanvas;
using canvas::Gutter;

namespace {

constexpr double zoomStep = 1.25;
constexpr double exportMargin = 24;

} // namespace

CompareView::CompareView(Workspace& workspace, Theme& theme, QWidget* parent)
    : QWidget(parent)
    , d(std::make_unique<Private>(*this, workspace, theme)) {
    setAccessibleName(tr("Graphs before and after"));
    d->build();
    d->stagesChanged();
}

CompareView::~CompareView() {
    d->workspace.tasks().cancel(QStringLiteral("canvas"));
}

void CompareView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    d->showMode();
    d->updateHeaders();
    if (!d->untouched) return;
    d->reported = false;
    d->roomTimer.start();
}

void CompareView::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (!d->roomless) return;
    // The first picture was made for a size that was not known yet.
    d->roomless = false;
    d->known.clear();
    d->knownMerged.reset();
    d->scheduleRebuild(GraphCanvas::Transition::None);
}

void CompareView::setMode(Mode mode) {
    if (mode == d->mode) return;
    d->mode = mode;
    if (mode == Mode::Merged || d->picture.merged) d->scheduleRebuild(GraphCanvas::Transition::None);
    d->showMode();
    d->updateHeaders();
    emit modeChanged();
}

CompareView::Mode CompareView::mode() const {
    return d->mode;
}

void CompareView::setLinked(bool linked) {
    if (linked == d->linked) return;
    d->linked = linked;
    d->chain->setChecked(linked);
    d->chain->setIcon(d->theme.icon(linked ? "chain" : "chain-off"));
    d->rememberPlaces();
    if (linked) d->canvasMoved(d->lastActive == d->a.canvas ? Private::Slot::A : Private::Slot::B);
    emit modeChanged();
}

bool CompareView::isLinked() const {
    return d->linked;
}

void CompareView::setEdgeLabels(bool on) {
    for (GraphCanvas* c : {d->a.canvas, d->b.canvas, d->merged.canvas})
        c->setEdgeLabels(on);
}

void CompareView::setHeat(bool on) {
    d->heat = on;
    if (on) d->workspace.wantTimes();
    d->showHeat();
}

bool CompareView::hasHeat() const {
    return d->heat;
}

bool CompareView::hasEdgeLabels() const {
    return d->b.canvas->edgeLabels();
}

void CompareView::setBlockBytes(bool on) {
    for (GraphCanvas* c : {d->a.canvas, d->b.canvas, d->merged.canvas})
        c->setMeasure(on ? canvas::BlockMeasure::Bytes : canvas::BlockMeasure::Nodes);
}

void CompareView::setKernelBlocks(bool on) {
    if (on == d->kernelBlocks) return;
    d->kernelBlocks = on;
    d->known.clear();
    d->scheduleRebuild(GraphCanvas::Transition::None);
}

void CompareView::setMinimap(bool on) {
    for (GraphCanvas* c : {d->a.canvas, d->b.canvas, d->merged.canvas})
        c->setMinimap(on);
}

bool CompareView::hasMinimap() const {
    return d->b.canvas->hasMinimap();
}

double CompareView::zoom() const {
    return d->active().zoom();
}

CompareView::View CompareView::view() const {
    return {d->b.canvas->zoom(), d->a.canvas->place(), d->b.canvas->place()};
}

void CompareView::setView(const View& view) {
    d->untouched = false;
    d->a.canvas->setPlace(view.zoom, view.a);
    d->b.canvas->setPlace(view.zoom, view.b);
    d->rememberPlaces();
    d->gutter->update();
    if (std::abs(view.zoom - d->lastZoom) < 1e-6) return;
    d->lastZoom = d->b.canvas->zoom();
    emit zoomChanged(d->lastZoom);
}

bool CompareView::hasMotion() const {
    return d->b.canvas->hasMotion();
}

void CompareView::setMotion(bool on) {
    for (GraphCanvas* c : {d->a.canvas, d->b.canvas, d->merged.canvas})
        c->setMotion(on);
}

void CompareView::setLayoutProgram(const QString& path) {
    d->program = path;
}

bool CompareView::isSettled() const {
    return !d->busy();
}

void CompareView::zoomIn() {
    d->active().zoomTo(d->active().zoom() * zoomStep);
}

void CompareView::zoomOut() {
    d->active().zoomTo(d->active().zoom() / zoomStep);
}

void CompareView::zoomReset() {
    d->active().zoomTo(1);
}

void CompareView::fitAll() {
    // The wider of the two decides, since both take its zoom.
    GraphCanvas* widest = nullptr;
    for (GraphCanvas* c : d->shown()) {
        if (!c->scene()) continue;
        if (widest == nullptr || !d->linked ||
            c->scene()->size.width() * c->scene()->size.height() >
                widest->scene()->size.width() * widest->scene()->size.height())
            widest = c;
    }
    if (widest == nullptr) return;
    for (GraphCanvas* c : d->shown())
        if (c->scene() && c != widest) c->fit(QRectF(QPointF(), c->scene()->size), 1);
    widest->fit(QRectF(QPointF(), widest->scene()->size), 1);
}

void CompareView::fitSelection() {
    GraphCanvas& canvas = d->active();
    const QRectF area = canvas.selectedRect();
    if (area.isNull()) {
        fitAll();
    } else {
        canvas.fit(area, 1);
    }
}

void CompareView::cancelLayout() {
    d->stopAll();
    d->updateHeaders();
    d->checkSettled();
}

Drawing CompareView::picture() const {
    struct Part {
        GraphCanvas* canvas;
        double left;
    };
    std::vector<Part> parts;
    double width = exportMargin;
    double height = 0;
    for (GraphCanvas* c : d->shown()) {
        if (!c->scene()) continue;
        if (!parts.empty()) width += Gutter::stripWidth + 2 * exportMargin;
        parts.push_back({c, width});
        width += c->scene()->size.width();
        height = std::max(height, c->scene()->size.height());
    }
    if (parts.empty()) return {};
    const QSizeF size(width + exportMargin, height + 2 * exportMargin);
    return {tr("graph"), size, [this, parts, size](QPainter& painter) {
                painter.fillRect(QRectF(QPointF(), size), d->theme.colours().bg0);
                for (const Part& part : parts) {
                    painter.save();
                    painter.translate(part.left, exportMargin);
                    part.canvas->render(painter, QRectF(QPointF(), part.canvas->scene()->size));
                    painter.restore();
                }
                if (parts.size() != 2) return;
                const double left = parts[1].left - exportMargin - Gutter::stripWidth;
                d->gutter->draw(
                    painter, QRectF(left, exportMargin, Gutter::stripWidth, size.height() - 2 * exportMargin),
                    1, 0, 1, 0);
            }};
}

} // namespace dynascope::views
