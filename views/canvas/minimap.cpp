// SPDX-License-Identifier: BSD-3-Clause
#include "views/canvas/minimap.h"

#include "views/theme/elided_name.h"

#include <QMouseEvent>
#include <QPainter>
#include <algorithm>

namespace dynascope::views::canvas {

namespace {

constexpr double padding = 8, largestScale = 0.25;
constexpr double smallestLens = 6, smallestNamed = 13; ///< pixels
constexpr std::size_t mostNamed = 400;                 ///< frames looked at for names

} // namespace

Minimap::Minimap(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme) {
    setObjectName(QStringLiteral("minimap"));
    setAccessibleName(tr("Whole graph"));
    setToolTip(tr("The whole graph. Click or drag to go there."));
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
    for (const SceneItem& item : m_scene->items) {
        const bool quiet = item.change == diff::Change::Same || item.change == diff::Change::Respelled;
        QColor colour = quiet ? c.op(item.op) : c.diff(item.change).line;
        colour.setAlphaF(quiet ? 0.6F : 1.0F);
        QRectF rect = toStrip(item.rect);
        rect.setSize(rect.size().expandedTo(QSizeF(1, 1)));
        painter.fillRect(rect, colour);
    }
    // Names of the opened blocks, outer first, where one covers no other.
    painter.setFont(m_theme.font(FontRole::Section));
    painter.setPen(c.text2);
    const QFontMetricsF metrics(painter.font());
    double below = -1;
    for (std::size_t i = 0; i < std::min(mostNamed, m_scene->frames.size()); ++i) {
        const QRectF rect = toStrip(m_scene->frames[i].rect);
        if (rect.height() < smallestNamed || rect.width() < 30 || rect.top() < below) continue;
        const QString name = elidedName(metrics, m_scene->frames[i].name, rect.width() - 4);
        painter.drawText(QPointF(rect.left() + 2, rect.top() + metrics.ascent()), name);
        below = rect.top() + smallestNamed;
    }
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
