// SPDX-License-Identifier: BSD-3-Clause
#include "views/canvas/graph_canvas.h"

#include <QAccessible>
#include <QEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

namespace dynascope::views::canvas {

namespace {

constexpr int stepMs = 120, foldMs = 140, scrollMs = 160;

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
