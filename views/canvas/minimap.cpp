// SPDX-License-Identifier: BSD-3-Clause
#include "views/canvas/minimap.h"

#include "views/theme/elided_name.h"
#include "views/theme/shown_text.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

namespace dynascope::views::canvas {

namespace {

constexpr double padding = 8, largestScale = 0.25;
constexpr double smallestLens = 6, smallestNamed = 13; ///< pixels
constexpr double betweenNames = 48;                    ///< pixels, where frames are lower than their names
constexpr double leastDifference = 2;                  ///< pixels that a difference is high at least
constexpr std::size_t mostNamed = 4000;                ///< frames looked at for names

bool isQuiet(const SceneItem& item) {
    return item.change == diff::Change::Same || item.change == diff::Change::Respelled;
}

} // namespace

Minimap::Minimap(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme) {
    setObjectName(QStringLiteral("minimap"));
    setAccessibleName(tr("Whole graph"));
    setAccessibleDescription(tr("The whole graph. Click or drag to go there."));
    setCursor(Qt::PointingHandCursor);
}

void Minimap::setScene(ScenePtr scene) {
    m_scene = std::move(scene);
    invalidate();
}

void Minimap::setInView(const QRectF& area) {
    if (area == m_inView) return;
    m_inView = area;
    update();
}

void Minimap::setSelected(const QRectF& at) {
    if (at == m_selected) return;
    m_selected = at;
    update();
}

void Minimap::invalidate() {
    m_picture = {};
    update();
}

QRectF Minimap::area() const {
    const QSizeF room = QSizeF(size()) - QSizeF(2 * padding, 2 * padding);
    if (!m_scene || m_scene->size.isEmpty() || room.isEmpty()) return {};
    const double sx = std::min(room.width() / m_scene->size.width(), largestScale);
    const double sy = std::min(room.height() / m_scene->size.height(), largestScale);
    const QSizeF made(m_scene->size.width() * sx, m_scene->size.height() * sy);
    return {QPointF((width() - made.width()) / 2, padding), made};
}

QRectF Minimap::toStrip(const QRectF& rect) const {
    const QRectF map = area();
    if (map.isEmpty()) return {};
    const double sx = map.width() / m_scene->size.width();
    const double sy = map.height() / m_scene->size.height();
    return {rect.x() * sx, rect.y() * sy, rect.width() * sx, rect.height() * sy};
}

QPointF Minimap::toScene(QPointF at) const {
    const QRectF map = area();
    if (map.isEmpty()) return {};
    return {(at.x() - map.left()) / map.width() * m_scene->size.width(),
            (at.y() - map.top()) / map.height() * m_scene->size.height()};
}

QString Minimap::whatIsAt(QPointF at) const {
    if (!m_scene || !area().adjusted(-padding, 0, padding, 0).contains(at)) return {};
    // A pixel of the strip is many of the scene: the nearest card of those that it covers.
    const double half = m_scene->size.height() / area().height() / 2;
    const double y = toScene(at).y();
    const QRectF line(0, y - half, m_scene->size.width(), 2 * half);
    const SceneItem* nearest = nullptr;
    for (const std::uint32_t i : m_scene->itemIndex.query(line)) {
        const SceneItem& item = m_scene->items[i];
        const auto far = [y](const SceneItem& of) { return std::abs(of.rect.center().y() - y); };
        if (!nearest || far(item) < far(*nearest)) nearest = &item;
    }
    QStringList names;
    if (nearest) names << nearest->name;
    int frame = nearest ? nearest->frame : -1;
    if (!nearest)
        for (std::size_t i = 0; i < m_scene->frames.size(); ++i) // inner ones come later
            if (m_scene->frames[i].rect.intersects(line)) frame = int(i);
    for (; frame >= 0; frame = m_scene->frames[std::size_t(frame)].parent)
        names << m_scene->frames[std::size_t(frame)].name;
    if (names.isEmpty()) return {};
    const int percent = int(100 * std::clamp(y / m_scene->size.height(), 0.0, 1.0));
    return tr("%1\n%2 % down the graph").arg(names.join(tr(", in "))).arg(percent);
}

void Minimap::draw(double ratio) {
    const Colours& c = m_theme.colours();
    m_picture = QPixmap((area().size() * ratio).toSize().expandedTo(QSize(1, 1)));
    m_picture.setDevicePixelRatio(ratio);
    m_picture.fill(Qt::transparent);
    QPainter painter(&m_picture);
    for (const SceneFrame& frame : m_scene->frames) {
        const QRectF rect = toStrip(frame.rect);
        painter.fillRect(rect, frame.depth % 2 == 0 ? c.bg2 : c.bg1);
        painter.setPen(QPen(c.line2, 0));
        painter.drawRect(rect);
    }
    drawItems(painter);
    drawNames(painter);
}

void Minimap::drawItems(QPainter& painter) const {
    const Colours& c = m_theme.colours();
    for (const SceneItem& item : m_scene->items) {
        if (!isQuiet(item)) continue;
        QColor colour = c.op(item.op);
        colour.setAlphaF(0.6F);
        const QRectF rect = toStrip(item.rect);
        painter.fillRect(QRectF(rect.topLeft(), rect.size().expandedTo(QSizeF(1, 1))), colour);
    }
    // Where ten nodes share a pixel, the one that differs is seen.
    for (const int i : m_scene->differences) {
        const SceneItem& item = m_scene->items[std::size_t(i)];
        const QRectF rect = toStrip(item.rect);
        painter.fillRect(QRectF(rect.topLeft(), rect.size().expandedTo(QSizeF(1, leastDifference))),
                         c.diff(item.change).line);
    }
}

void Minimap::drawNames(QPainter& painter) const {
    // Of the opened blocks, outer first, where one covers no other; of low ones every so often.
    const Colours& c = m_theme.colours();
    painter.setFont(m_theme.font(FontRole::Section));
    const QFontMetricsF metrics(painter.font());
    const double bottom = area().height() - smallestNamed;
    QColor ground = c.bg1;
    ground.setAlphaF(0.85F);
    double below = -1;
    for (std::size_t i = 0; i < std::min(mostNamed, m_scene->frames.size()); ++i) {
        const QRectF rect = toStrip(m_scene->frames[i].rect);
        if (rect.width() < 30 || rect.top() < below || rect.top() > bottom) continue;
        const QString name = elidedName(metrics, m_scene->frames[i].name, rect.width() - 4);
        const bool low = rect.height() < smallestNamed;
        if (low) painter.fillRect(QRectF(rect.left(), rect.top(), rect.width(), smallestNamed), ground);
        painter.setPen(low ? c.text : c.text2);
        painter.drawText(QPointF(rect.left() + 2, rect.top() + metrics.ascent()), name);
        below = rect.top() + (low ? betweenNames : smallestNamed);
    }
}

bool Minimap::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const QString what = whatIsAt(help->pos());
    const QString how = tr("The whole graph. Click or drag to go there.");
    QToolTip::showText(help->globalPos(),
                       plainToolTip(what.isEmpty() ? how : what + QStringLiteral("\n") + how), this);
    return true;
}

void Minimap::paintEvent(QPaintEvent*) {
    const Colours& c = m_theme.colours();
    QPainter painter(this);
    painter.fillRect(rect(), c.bg1);
    painter.fillRect(QRectF(0, 0, 1, height()), c.line);
    if (!m_scene) return;
    const double ratio = devicePixelRatioF();
    const QRectF map = area();
    if (map.isEmpty()) return;
    if (m_picture.isNull() || !qFuzzyCompare(m_picture.devicePixelRatio(), ratio) ||
        m_picture.deviceIndependentSize().toSize() != map.size().toSize())
        draw(ratio);
    painter.drawPixmap(map.topLeft(), m_picture);
    if (!m_selected.isNull()) {
        const QRectF at = toStrip(m_selected).translated(map.topLeft());
        painter.fillRect(QRectF(2, at.top(), width() - 4, std::max(3.0, at.height())), c.accent);
    }
    QRectF lens = toStrip(m_inView).translated(map.topLeft());
    if (lens.height() < smallestLens) {
        const double middle = lens.center().y();
        lens.setTop(middle - smallestLens / 2);
        lens.setHeight(smallestLens);
    }
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(QPen(c.accent, 1.5));
    painter.drawRoundedRect(lens.intersected(QRectF(rect()).adjusted(2, 2, -2, -2)), 2, 2);
}

void Minimap::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton && m_scene) emit pointed(toScene(event->position()));
}

void Minimap::mouseMoveEvent(QMouseEvent* event) {
    if ((event->buttons() & Qt::LeftButton) != 0 && m_scene) emit pointed(toScene(event->position()));
}

void Minimap::wheelEvent(QWheelEvent* event) {
    event->ignore(); // the canvas scrolls
}

} // namespace dynascope::views::canvas
