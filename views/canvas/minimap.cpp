// SPDX-License-Identifier: BSD-3-Clause
#include "views/canvas/minimap.h"

#include <algorithm>

namespace dynascope::views::canvas {

namespace {

constexpr double panelWidth = 188, titleHeight = 24, largestHeight = 190, toEdge = 12, padding = 10;

} // namespace

Minimap::Minimap(const Theme& theme)
    : m_theme(theme) {}

QRectF Minimap::panel(const Scene& scene, const QSizeF& viewport) const {
    const QRectF map = area(scene, viewport);
    const QRectF rect(0, 0, panelWidth, titleHeight + map.height() + padding);
    return rect.translated(viewport.width() - panelWidth - toEdge, toEdge);
}

QRectF Minimap::area(const Scene& scene, const QSizeF& viewport) const {
    const double width = panelWidth - 2 * padding;
    const double height = std::min(largestHeight, viewport.height() * 0.5);
    const double scale = std::min(
        {width / std::max(1.0, scene.size.width()), height / std::max(1.0, scene.size.height()), 0.25});
    const QSizeF size = scene.size * scale;
    const double left = viewport.width() - panelWidth - toEdge + padding + (width - size.width()) / 2;
    return {QPointF(left, toEdge + titleHeight), size};
}

QPointF Minimap::toScene(const Scene& scene, const QSizeF& viewport, QPointF viewPoint) const {
    const QRectF map = area(scene, viewport);
    if (map.width() <= 0 || map.height() <= 0) return {};
    return {(viewPoint.x() - map.left()) / map.width() * scene.size.width(),
            (viewPoint.y() - map.top()) / map.height() * scene.size.height()};
}

void Minimap::draw(const Scene& scene, QSizeF size, double ratio) {
    const Colours& c = m_theme.colours();
    m_picture = QPixmap((size * ratio).toSize().expandedTo(QSize(1, 1)));
    m_picture.setDevicePixelRatio(ratio);
    m_picture.fill(Qt::transparent);
    QPainter painter(&m_picture);
    const double sx = size.width() / std::max(1.0, scene.size.width());
    const double sy = size.height() / std::max(1.0, scene.size.height());
    painter.setPen(QPen(c.line2, 0));
    for (const SceneFrame& frame : scene.frames)
        painter.drawRect(QRectF(frame.rect.x() * sx, frame.rect.y() * sy, frame.rect.width() * sx,
                                frame.rect.height() * sy));
    for (const SceneItem& item : scene.items) {
        const bool quiet = item.change == diff::Change::Same || item.change == diff::Change::Respelled;
        QColor colour = quiet ? c.op(item.op) : c.diff(item.change).line;
        colour.setAlphaF(quiet ? 0.6F : 1.0F);
        painter.fillRect(QRectF(item.rect.x() * sx, item.rect.y() * sy, std::max(1.0, item.rect.width() * sx),
                                std::max(1.0, item.rect.height() * sy)),
                         colour);
    }
    m_drawn = &scene;
}

void Minimap::paint(QPainter& painter, const Scene& scene, const QSizeF& viewport, const QRectF& visible) {
    const Colours& c = m_theme.colours();
    const QRectF outer = panel(scene, viewport);
    const QRectF map = area(scene, viewport);
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(QPen(c.line2, 1));
    painter.setBrush(c.bg1);
    painter.drawRoundedRect(outer.adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
    painter.setBrush(Qt::NoBrush);
    const QRectF title = outer.adjusted(padding, 0, -padding, 0);
    const QRectF row(title.left(), title.top(), title.width(), titleHeight);
    painter.setFont(m_theme.font(FontRole::Section));
    painter.setPen(c.text);
    painter.drawText(row, Qt::AlignLeft | Qt::AlignVCenter, QStringLiteral("Whole graph"));
    QFont plain = m_theme.font(FontRole::Section);
    plain.setWeight(QFont::Normal);
    painter.setFont(plain);
    painter.setPen(c.text2);
    painter.drawText(row, Qt::AlignRight | Qt::AlignVCenter,
                     QStringLiteral("%1 drawn").arg(scene.items.size()));

    const double ratio = painter.device()->devicePixelRatioF();
    if (m_drawn != &scene || m_picture.isNull() || !qFuzzyCompare(m_picture.devicePixelRatio(), ratio))
        draw(scene, map.size(), ratio);
    painter.drawPixmap(map.topLeft(), m_picture);
    if (scene.size.isEmpty()) return;
    const double sx = map.width() / scene.size.width();
    const double sy = map.height() / scene.size.height();
    const QRectF lens(map.left() + visible.left() * sx, map.top() + visible.top() * sy, visible.width() * sx,
                      visible.height() * sy);
    painter.setPen(QPen(c.accent, 1.5));
    painter.drawRoundedRect(lens.intersected(map.adjusted(-4, -3, 4, 3)), 2, 2);
}

} // namespace dynascope::views::canvas
