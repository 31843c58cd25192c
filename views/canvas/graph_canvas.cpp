// SPDX-License-Identifier: BSD-3-Clause
#include "views/canvas/graph_canvas.h"

#include <QAccessible>
#include <QEvent>
#include <QPainter>
#include <QScrollBar>
#include <algorithm>
#include <cmath>

namespace dynascope::views::canvas {

namespace {

constexpr int stepMs = 120, foldMs = 140, scrollMs = 160;
constexpr double margin = 28;       ///< pixels around the graph
constexpr double sideMargin = 12;   ///< pixels left and right when a graph just fits
constexpr double largestTall = 0.8; ///< zoom at which a graph opens that is higher than its canvas

bool isElsewhere(QPointF a, QPointF b) {
    return (a - b).manhattanLength() > 0.01;
}

} // namespace

GraphCanvas::GraphCanvas(const Theme& theme, const QString& accessibleName, QWidget* parent)
    : QAbstractScrollArea(parent)
    , m_theme(theme)
    , m_painter(theme)
    , m_minimap(new Minimap(theme, this)) {
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(accessibleName);
    viewport()->setMouseTracking(true);
    viewport()->setAutoFillBackground(false);
    viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
    setMinimumSize(120, 80);
    for (QVariantAnimation* animation : {&m_slide, &m_scroll})
        animation->setEasingCurve(QEasingCurve::OutCubic);
    m_slide.setStartValue(0.0);
    m_slide.setEndValue(1.0);
    connect(&m_slide, &QVariantAnimation::valueChanged, this, [this](const QVariant& value) {
        m_view.progress = value.toDouble();
        viewport()->update();
    });
    connect(&m_slide, &QVariantAnimation::finished, this, [this] {
        m_view.progress = 1;
        m_view.startShift = nullptr;
        m_view.appearing = nullptr;
        viewport()->update();
    });
    m_scroll.setDuration(scrollMs);
    connect(&m_scroll, &QVariantAnimation::valueChanged, this, [this](const QVariant& value) {
        moveTo(value.toPointF(), m_view.zoom, m_scrollTells);
        if (!m_scrollTells) emit viewGlided();
    });
    connect(&theme, &Theme::changed, this, [this] {
        m_painter.themeChanged();
        m_minimap->invalidate();
        viewport()->update();
    });
    m_minimap->hide();
    connect(m_minimap, &Minimap::pointed, this, [this](QPointF at) {
        const QSizeF half = m_view.visible().size() / 2;
        m_scroll.stop();
        m_placed = true;
        moveTo(at - QPointF(half.width(), half.height()), m_view.zoom, true);
    });
}

bool GraphCanvas::isMoving() const {
    return m_slide.state() == QAbstractAnimation::Running || m_scroll.state() == QAbstractAnimation::Running;
}

std::optional<QRectF> GraphCanvas::rectOfKey(const Scene& scene, const QString& key) const {
    if (const auto at = scene.byKey.constFind(key); at != scene.byKey.constEnd())
        return scene.items[static_cast<std::size_t>(*at)].rect;
    for (const SceneFrame& frame : scene.frames)
        if (frame.key == key) return frame.rect;
    return std::nullopt;
}

void GraphCanvas::setScene(ScenePtr scene, Transition transition, const QString& anchor) {
    const ScenePtr old = std::exchange(m_scene, std::move(scene));
    const QPointF oldOffset = m_view.offset;
    const QString selectedKey = old && m_view.selected != noItem
                                    ? old->items[static_cast<std::size_t>(m_view.selected)].key
                                    : QString();
    m_slide.stop();
    m_scroll.stop();
    m_view.progress = 1;
    m_view.startShift = nullptr;
    m_view.appearing = nullptr;
    m_view.hovered = noItem;
    m_view.hoveredFrame = m_view.selectedFrame = -1;
    m_view.selected = m_scene && !selectedKey.isEmpty() ? m_scene->byKey.value(selectedKey, noItem) : noItem;
    m_view.related.clear();
    m_view.chosen.clear();
    m_view.noted.clear();
    m_view.heat.reset();
    m_view.band.reset();
    m_extentHeight = 0;
    m_pressed.reset();
    m_minimap->setScene(m_scene);
    m_minimap->setSelected(selectedRect());
    if (m_scene && old && transition == Transition::Fold && !anchor.isEmpty()) {
        const auto was = rectOfKey(*old, anchor);
        const auto is = rectOfKey(*m_scene, anchor);
        if (was && is) m_view.offset = oldOffset + is->topLeft() - was->topLeft();
    }
    m_kept = middleOfTop();
    if (m_scene && old && transition != Transition::None) {
        m_slide.setDuration(transition == Transition::Step ? stepMs : foldMs);
        startMotion(old, oldOffset);
    }
    viewport()->update();
}

void GraphCanvas::startMotion(const ScenePtr& old, QPointF oldOffset) {
    if (!m_motionOn || !isVisible()) return;
    if (old->itemIndex.query(m_view.visible()).size() > motionLimit ||
        m_scene->itemIndex.query(m_view.visible()).size() > motionLimit ||
        m_scene->items.size() > 4 * motionLimit) {
        return;
    }
    m_startShift.clear();
    m_appearing.assign(m_scene->items.size(), false);
    bool anything = false;
    const QPointF shifted = m_view.offset - oldOffset;
    for (std::size_t i = 0; i < m_scene->items.size(); ++i) {
        const SceneItem& item = m_scene->items[i];
        const auto at = old->byKey.constFind(item.key);
        if (at == old->byKey.constEnd()) {
            m_appearing[i] = anything = true;
            continue;
        }
        const QPointF from =
            old->items[static_cast<std::size_t>(*at)].rect.topLeft() + shifted - item.rect.topLeft();
        if (std::abs(from.x()) + std::abs(from.y()) < 0.5) continue;
        m_startShift.emplace(static_cast<int>(i), from);
        anything = true;
    }
    if (!anything) return;
    m_view.startShift = &m_startShift;
    m_view.appearing = &m_appearing;
    m_view.progress = 0;
    m_slide.start();
}

void GraphCanvas::setMessage(const QString& title, const QString& detail) {
    m_messageTitle = title;
    m_messageDetail = detail;
    viewport()->update();
}

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

void GraphCanvas::setSelected(int item) {
    if (item == m_view.selected && m_view.selectedFrame < 0) return;
    m_view.selected =
        m_scene && item >= 0 && static_cast<std::size_t>(item) < m_scene->items.size() ? item : noItem;
    m_view.selectedFrame = -1;
    m_minimap->setSelected(selectedRect());
    announce();
    viewport()->update();
}

void GraphCanvas::setRelated(std::vector<int> items) {
    std::sort(items.begin(), items.end());
    m_view.related = std::move(items);
    viewport()->update();
}

void GraphCanvas::setChosen(std::vector<int> items) {
    std::ranges::sort(items);
    m_view.chosen = std::move(items);
    viewport()->update();
}

void GraphCanvas::setHeat(std::shared_ptr<const Heat> heat) {
    m_view.heat = std::move(heat);
    viewport()->update();
}

void GraphCanvas::setNoted(std::map<int, QString> items) {
    if (items == m_view.noted) return;
    m_view.noted = std::move(items);
    viewport()->update();
}

void GraphCanvas::setBand(std::optional<std::pair<double, double>> band) {
    m_view.band = band;
    viewport()->update();
}

void GraphCanvas::setEdgeLabels(bool on) {
    m_view.edgeLabels = on;
    viewport()->update();
}

void GraphCanvas::setMeasure(BlockMeasure measure) {
    m_view.measure = measure;
    viewport()->update();
}

void GraphCanvas::setMinimap(bool on) {
    if (on == m_minimapOn) return;
    m_minimapOn = on;
    setViewportMargins(0, 0, on ? Minimap::stripWidth : 0, 0);
    m_minimap->setVisible(on);
    placeMinimap();
}

void GraphCanvas::placeMinimap() {
    const QRect seen = viewport()->geometry();
    m_minimap->setGeometry(seen.right() + 1, seen.top(), Minimap::stripWidth, seen.height());
    m_minimap->setInView(m_view.visible());
}

QRectF GraphCanvas::viewRectOf(int item) const {
    if (!m_scene || item < 0 || static_cast<std::size_t>(item) >= m_scene->items.size()) return {};
    return m_view.toView(m_scene->items[static_cast<std::size_t>(item)].rect);
}

QString GraphCanvas::middleKey() const {
    if (!m_scene) return {};
    const QPointF middle = m_view.visible().center();
    QString key;
    double nearest = 0;
    for (const std::uint32_t i : m_scene->itemIndex.query(m_view.visible())) {
        const QPointF d = m_scene->items[i].rect.center() - middle;
        const double distance = std::hypot(d.x(), d.y());
        if (!key.isEmpty() && distance >= nearest) continue;
        key = m_scene->items[i].key;
        nearest = distance;
    }
    return key;
}

QRectF GraphCanvas::selectedRect() const {
    if (!m_scene) return {};
    if (m_view.selectedFrame >= 0)
        return m_scene->frames[static_cast<std::size_t>(m_view.selectedFrame)].rect;
    return m_view.selected == noItem ? QRectF()
                                     : m_scene->items[static_cast<std::size_t>(m_view.selected)].rect;
}

/// Screen readers hear what is selected, and how many there are.
void GraphCanvas::announce() {
    QString text;
    if (m_scene && m_view.selected != noItem) {
        const SceneItem& item = m_scene->items[static_cast<std::size_t>(m_view.selected)];
        const std::string_view change = diff::changeName(item.change);
        text = QStringLiteral("%1, %2, %3 of %4")
                   .arg(item.name, item.target)
                   .arg(m_view.selected + 1)
                   .arg(m_scene->items.size());
        if (m_scene->diff)
            text += QStringLiteral(", ") +
                    QString::fromUtf8(change.data(), static_cast<qsizetype>(change.size()));
    }
    if (text == accessibleDescription()) return;
    setAccessibleDescription(text);
    QAccessibleEvent event(this, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&event);
}

int GraphCanvas::neighbour(Direction direction) const {
    if (!m_scene || m_scene->items.empty()) return noItem;
    if (m_view.selected == noItem) return m_scene->levels.empty() ? noItem : m_scene->levels.front().front();
    const auto current = static_cast<std::size_t>(m_view.selected);
    const QRectF& here = m_scene->items[current].rect;
    if (direction == Direction::Left || direction == Direction::Right) {
        const std::vector<int>& level = m_scene->levels[m_scene->levelOfItem[current]];
        const auto at = std::find(level.begin(), level.end(), m_view.selected);
        if (direction == Direction::Left) return at == level.begin() ? noItem : *std::prev(at);
        return at == level.end() || std::next(at) == level.end() ? noItem : *std::next(at);
    }
    // Along the edges: the nearest reader below, the nearest input above.
    int best = noItem;
    double nearest = 0;
    for (const int e : m_scene->edgesOf[current]) {
        const SceneEdge& edge = m_scene->edges[static_cast<std::size_t>(e)];
        const bool down = edge.from == m_view.selected;
        if (down != (direction == Direction::Down)) continue;
        const int other = down ? edge.to : edge.from;
        const QPointF d = m_scene->items[static_cast<std::size_t>(other)].rect.center() - here.center();
        const double distance = std::abs(d.y()) + std::abs(d.x()) / 4;
        if (best == noItem || distance < nearest) {
            best = other;
            nearest = distance;
        }
    }
    return best;
}

void GraphCanvas::paintEvent(QPaintEvent* event) {
    QPainter painter(viewport());
    painter.fillRect(event->rect(), m_theme.colours().bg0);
    m_painted = {};
    if (!m_scene) {
        paintMessage(painter);
        return;
    }
    m_view.viewport = viewport()->size();
    m_painted = m_painter.paint(painter, *m_scene, m_view);
    if (m_view.heat) paintHeatLegend(painter, *m_view.heat, m_theme, m_view.viewport);
}

void GraphCanvas::paintMessage(QPainter& painter) {
    if (m_messageTitle.isEmpty()) return;
    const Colours& c = m_theme.colours();
    const QRectF area = QRectF(viewport()->rect()).adjusted(24, 0, -24, 0);
    painter.setFont(m_theme.font(FontRole::Strong));
    painter.setPen(c.text2);
    const double line = QFontMetricsF(painter.font()).height();
    QRectF title = area;
    title.setBottom(area.center().y());
    painter.drawText(title.adjusted(0, 0, 0, -4), Qt::AlignHCenter | Qt::AlignBottom | Qt::TextWordWrap,
                     m_messageTitle);
    painter.setFont(m_theme.font(FontRole::Text));
    painter.setPen(c.text3);
    painter.drawText(QRectF(area.left(), area.center().y() + 2, area.width(), line * 5),
                     Qt::AlignHCenter | Qt::AlignTop | Qt::TextWordWrap, m_messageDetail);
}

void GraphCanvas::render(QPainter& painter, const QRectF& area) {
    if (!m_scene) return;
    ViewState view = m_view;
    view.zoom = 1;
    view.offset = area.topLeft();
    view.viewport = area.size();
    view.hovered = noItem;
    view.hoveredFrame = -1;
    view.progress = 1;
    view.startShift = nullptr;
    view.appearing = nullptr;
    m_painter.paint(painter, *m_scene, view);
}

void GraphCanvas::resizeEvent(QResizeEvent*) {
    if (m_minimapOn) placeMinimap();
    const bool first = m_scene && !m_placed;
    if (first) {
        showFirst();
        return;
    }
    // A size that lasts for a moment, as while panels come and go, must not push the picture aside for good.
    const QPointF kept = m_kept;
    moveTo({kept.x() - viewport()->width() / m_view.zoom / 2, kept.y()}, m_view.zoom, false);
    m_kept = kept;
}

void GraphCanvas::showEvent(QShowEvent* event) {
    QAbstractScrollArea::showEvent(event);
    if (m_scene && !m_placed) showFirst();
}

void GraphCanvas::changeEvent(QEvent* event) {
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) viewport()->update();
}

} // namespace dynascope::views::canvas
