// SPDX-License-Identifier: BSD-3-Clause
//
// The part of GraphCanvas that knows which part of its graph is in view, and moves there.
#include "views/canvas/graph_canvas.h"
#include "views/canvas/zoom.h"

#include <QScrollBar>
#include <algorithm>
#include <cmath>

namespace dynascope::views::canvas {

namespace {

constexpr double margin = 28;       ///< pixels around the graph
constexpr double sideMargin = 12;   ///< pixels left and right when a graph just fits
constexpr double largestTall = 0.8; ///< zoom at which a graph opens that is higher than its canvas

bool isElsewhere(QPointF a, QPointF b) {
    return (a - b).manhattanLength() > 0.01;
}

} // namespace

QSizeF GraphCanvas::extent() const {
    if (!m_scene) return {};
    return {m_scene->size.width(), std::max(m_scene->size.height(), m_extentHeight)};
}

void GraphCanvas::setExtent(double height) {
    m_extentHeight = height;
    moveTo(m_view.offset, m_view.zoom, false);
}

QPointF GraphCanvas::middleOfTop() const {
    return {m_view.offset.x() + viewport()->width() / m_view.zoom / 2, m_view.offset.y()};
}

QPointF GraphCanvas::place() const {
    return {m_view.offset.x() + viewport()->width() / m_view.zoom / 2 - extent().width() / 2,
            m_view.offset.y()};
}

void GraphCanvas::setPlace(double zoom, QPointF place) {
    const double z = std::clamp(zoom, mapZoom, largestZoom);
    m_scroll.stop();
    m_placed = true;
    moveTo({place.x() - viewport()->width() / z / 2 + extent().width() / 2, place.y()}, z, false);
}

void GraphCanvas::moveTo(QPointF offset, double zoom, bool tell) {
    const double zoomBefore = m_view.zoom;
    const QPointF before = m_view.offset;
    m_view.zoom = std::clamp(zoom, mapZoom, largestZoom);
    m_view.viewport = viewport()->size();
    m_view.offset = clamped(offset);
    // What stands still was not moved on purpose, as where this pane follows the other downwards.
    const QPointF middle = middleOfTop();
    const bool zoomed = m_view.zoom != zoomBefore;
    if (zoomed || m_view.offset.x() != before.x()) m_kept.setX(middle.x());
    if (zoomed || m_view.offset.y() != before.y()) m_kept.setY(middle.y());
    syncScrollBars();
    m_minimap->setInView(m_view.visible());
    viewport()->update();
    if (tell) emit viewMoved();
}

QPointF GraphCanvas::clamped(QPointF offset) const {
    if (!m_scene) return offset;
    const QSizeF size = extent();
    const QSizeF seen = QSizeF(viewport()->size()) / m_view.zoom;
    const auto clampAxis = [](double at, double length, double view, double pad, bool centre) {
        if (centre ? length <= view : length + 2 * pad <= view) return centre ? (length - view) / 2 : -pad;
        // A third of the viewport past either end, so that a card at the edge can be looked at in the middle.
        const double slack = std::max(pad, view / 3);
        return std::clamp(at, -slack, length + slack - view);
    };
    return {clampAxis(offset.x(), size.width(), seen.width(), sideMargin / m_view.zoom, true),
            clampAxis(offset.y(), size.height(), seen.height(), margin / m_view.zoom, false)};
}

void GraphCanvas::syncScrollBars() {
    m_syncing = true;
    const QSizeF size = extent() * m_view.zoom;
    const QSizeF seen = viewport()->size();
    const auto set = [](QScrollBar* bar, double at, double length, double view, double pad) {
        const double slack = length + 2 * pad <= view ? 0 : std::max(margin, view / 3);
        const int low = std::min(static_cast<int>(std::floor(at)), static_cast<int>(-slack));
        const int high = std::max(static_cast<int>(std::ceil(at)), static_cast<int>(length + slack - view));
        if (slack == 0)
            bar->setRange(0, 0);
        else
            bar->setRange(low, high);
        bar->setPageStep(static_cast<int>(view));
        bar->setSingleStep(40);
        bar->setValue(static_cast<int>(std::lround(at)));
    };
    set(horizontalScrollBar(), m_view.offset.x() * m_view.zoom, size.width(), seen.width(), 0);
    set(verticalScrollBar(), m_view.offset.y() * m_view.zoom, size.height(), seen.height(), margin);
    m_syncing = false;
}

void GraphCanvas::scrollContentsBy(int, int) {
    if (m_syncing) return;
    const QPointF at(horizontalScrollBar()->value() / m_view.zoom,
                     verticalScrollBar()->value() / m_view.zoom);
    m_scroll.stop();
    m_placed = true;
    moveTo(at, m_view.zoom, true);
}

void GraphCanvas::zoomBy(double factor, QPointF viewPoint) {
    if (!m_scene) return;
    m_scroll.stop();
    // Out as far as the whole graph is in sight.
    const double whole = std::min(room().width() / std::max(1.0, m_scene->size.width()),
                                  room().height() / std::max(1.0, m_scene->size.height()));
    const double zoom =
        std::clamp(m_view.zoom * factor, std::min(smallestZoom, std::max(whole, mapZoom)), largestZoom);
    const QPointF fixed = toScene(viewPoint);
    m_placed = true;
    moveTo(fixed - viewPoint / zoom, zoom, true);
}

void GraphCanvas::zoomTo(double zoom) {
    zoomBy(zoom / m_view.zoom, QRectF(viewport()->rect()).center());
}

void GraphCanvas::fit(const QRectF& area, double largest) {
    if (!m_scene || area.isNull()) return;
    m_scroll.stop();
    const QSizeF seen = QSizeF(viewport()->size()) - QSizeF(2 * margin, 2 * margin);
    const double zoom = std::clamp(
        std::min(seen.width() / std::max(1.0, area.width()), seen.height() / std::max(1.0, area.height())),
        mapZoom, largest);
    const QSizeF half = QSizeF(viewport()->size()) / zoom / 2;
    m_placed = true;
    moveTo(area.center() - QPointF(half.width(), half.height()), zoom, true);
}

QSizeF GraphCanvas::room() const {
    return QSizeF(viewport()->size()) - QSizeF(2 * sideMargin, 2 * margin);
}

void GraphCanvas::showFirst() {
    if (!m_scene) return;
    const double fits = room().width() / std::max(1.0, m_scene->size.width());
    const double whole = std::min(fits, room().height() / std::max(1.0, m_scene->size.height()));
    // All of it where that can be read, else its full width and as much of its height as names allow.
    const double zoom =
        whole >= legibleZoom ? std::min(whole, 1.0) : std::clamp(fits, smallestFirst, largestTall);
    double middle = m_scene->size.width() / 2, top = 0;
    if (fits < smallestFirst) {
        // A wide graph opens where most of its first screen is.
        const double wide = viewport()->width() / zoom, high = viewport()->height() / zoom;
        std::vector<QRectF> first;
        for (const SceneItem& item : m_scene->items)
            if (item.rect.top() < high) first.push_back(item.rect);
        std::sort(first.begin(), first.end(),
                  [](const QRectF& a, const QRectF& b) { return a.center().x() < b.center().x(); });
        std::size_t best = 0, begin = 0, bestBegin = 0;
        for (std::size_t end = 0; end < first.size(); ++end) {
            while (first[end].right() - first[begin].left() > wide && begin < end)
                ++begin;
            if (end + 1 - begin <= best) continue;
            best = end + 1 - begin;
            bestBegin = begin;
        }
        if (best > 0) {
            middle = (first[bestBegin].left() + first[bestBegin + best - 1].right()) / 2;
            top = high;
            for (std::size_t i = bestBegin; i < bestBegin + best; ++i)
                top = std::min(top, first[i].top());
        }
    }
    moveTo({middle - viewport()->width() / zoom / 2, top - margin / zoom}, zoom, false);
    // Hidden, it has no size to go by: it is placed again when it is shown.
    m_placed = isVisible();
    emit viewPlaced();
}

QRectF GraphCanvas::destination() const {
    const bool gliding = m_scroll.state() == QAbstractAnimation::Running;
    return {gliding ? clamped(m_scroll.endValue().toPointF()) : m_view.offset,
            QSizeF(viewport()->size()) / m_view.zoom};
}

QPointF GraphCanvas::offsetFor(const QRectF& area, QPointF from) const {
    const double pad = margin / m_view.zoom;
    const QRectF wanted = area.adjusted(-pad, -pad, pad, pad);
    const QRectF seen(from, QSizeF(viewport()->size()) / m_view.zoom);
    const auto axis = [](double at, double length, double low, double high) {
        if (high - low >= length) return (low + high) / 2 - length / 2;
        if (low < at) return low;
        if (high > at + length) return high - length;
        return at;
    };
    return {axis(seen.left(), seen.width(), wanted.left(), wanted.right()),
            axis(seen.top(), seen.height(), wanted.top(), wanted.bottom())};
}

QPointF GraphCanvas::offsetWithItems(QPointF from, bool sideways) const {
    const QRectF seen(from, QSizeF(viewport()->size()) / m_view.zoom);
    if (!m_scene || seen.isEmpty() || m_scene->itemIndex.touchesAny(seen)) return from;
    const auto begins = [&seen](const SceneFrame& frame) {
        return seen.intersects(QRectF(frame.rect.topLeft(), QSizeF(frame.rect.width(), 1)));
    };
    if (std::ranges::any_of(m_scene->frames, begins)) return from;
    QRectF nearest;
    double least = 1e300;
    for (const SceneItem& item : m_scene->items) {
        const double across =
            std::max({item.rect.left() - seen.right(), seen.left() - item.rect.right(), 0.0});
        const double along =
            std::max({item.rect.top() - seen.bottom(), seen.top() - item.rect.bottom(), 0.0});
        if ((sideways && along > 0) || across + along >= least) continue;
        least = across + along;
        nearest = item.rect;
    }
    if (nearest.isNull()) return from;
    return clamped(
        {nearest.center().x() - seen.width() / 2, sideways ? from.y() : offsetFor(nearest, from).y()});
}

void GraphCanvas::reveal(const QRectF& area) {
    if (!m_scene || area.isNull()) return;
    const QPointF now = destination().topLeft();
    if (const QPointF target = clamped(offsetFor(area, now)); isElsewhere(target, now))
        scrollTo(target, true);
}

void GraphCanvas::makeLegible(const QRectF& area) {
    if (!m_scene || area.isNull() || m_view.zoom >= legibleZoom) return;
    m_scroll.stop();
    m_placed = true;
    const QSizeF half = QSizeF(viewport()->size()) / readableZoom / 2;
    moveTo(area.center() - QPointF(half.width(), half.height()), readableZoom, true);
}

void GraphCanvas::glideTo(QPointF offset) {
    if (m_scene && isElsewhere(clamped(offset), destination().topLeft())) scrollTo(offset, false);
}

void GraphCanvas::scrollTo(QPointF offset, bool tell) {
    m_scroll.stop();
    m_placed = m_placed || isVisible();
    m_scrollTells = tell;
    if (!m_motionOn || !isVisible()) {
        moveTo(offset, m_view.zoom, tell);
        if (!tell) emit viewGlided();
        return;
    }
    m_scroll.setStartValue(m_view.offset);
    m_scroll.setEndValue(offset);
    m_scroll.start();
}

} // namespace dynascope::views::canvas
