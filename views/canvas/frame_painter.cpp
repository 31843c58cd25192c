// SPDX-License-Identifier: BSD-3-Clause
//
// The part of ScenePainter that draws opened blocks.
#include "views/canvas/scene_painter.h"

#include <QFontMetricsF>
#include <QPainterPath>
#include <algorithm>

namespace dynascope::views::canvas {

namespace {

constexpr double cornerRadius = 6;

QPainterPath outlineOf(const QRectF& rect, double zoom) {
    const double radius = cornerRadius * std::min(1.0, zoom);
    QPainterPath outline;
    outline.addRoundedRect(rect, radius, radius);
    return outline;
}

QColor accentLine(const Colours& colours, Detail detail) {
    QColor colour = colours.accent;
    colour.setAlphaF(detail == Detail::Bar ? 0.5F : 0.8F);
    return colour;
}

} // namespace

void ScenePainter::paintFrame(const SceneFrame& frame, int index) {
    const Colours& c = m_theme.colours();
    const QRectF rect = m_view->toView(frame.rect);
    if (rect.height() < smallestBlock) {
        m_painter->fillRect(rect, c.op(ir::OpKind::Compute));
        return;
    }
    const QPainterPath outline = outlineOf(rect, m_view->zoom);
    m_painter->fillPath(outline, frame.depth % 2 == 0 ? (c.dark ? c.bg1 : c.bg1.darker(101)) : c.bg0);
    m_painter->strokePath(outline, QPen(accentLine(c, m_detail), index == m_view->selectedFrame ? 2 : 1));
}

std::vector<QRectF> titleRows(const Scene& scene, const ViewState& view) {
    std::vector<QRectF> rows(scene.frames.size());
    if (detailFor(view.zoom) == Detail::Bar) return rows;
    const QRectF visible(QPointF(), view.viewport);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const SceneFrame& frame = scene.frames[i];
        const QRectF rect = view.toView(frame.rect);
        const double height = frameTitle * view.zoom;
        if (rect.height() < smallestBlock || !rect.intersects(visible)) continue;
        const double held =
            frame.parent < 0 ? 0 : std::max(0.0, rows[static_cast<std::size_t>(frame.parent)].bottom());
        const double top = std::min(std::max(rect.top(), held), rect.bottom() - height);
        rows[i] = QRectF(rect.left(), top, rect.width(), height);
    }
    return rows;
}

void ScenePainter::paintTitle(const SceneFrame& frame, int index, const QRectF& row) {
    const Colours& c = m_theme.colours();
    const double z = m_view->zoom;
    const QPainterPath outline = outlineOf(m_view->toView(frame.rect), z);
    QPainterPath strip;
    strip.addRect(row);
    const bool selected = index == m_view->selectedFrame;
    m_painter->fillPath(strip.intersected(outline),
                        index == m_view->hoveredFrame || selected ? c.row : c.accentBg);
    m_painter->strokePath(strip.intersected(outline), QPen(accentLine(c, m_detail), 1));
    m_painter->strokePath(outline, QPen(accentLine(c, m_detail), selected ? 2 : 1));

    // Text stays inside the viewport, too.
    const QRectF rect = row.intersected(QRectF(QPointF(), m_view->viewport));
    const double middle = row.center().y();
    const double pad = 12 * z;
    const QPointF at(rect.left() + pad + 3 * z, middle);
    m_painter->setPen(Qt::NoPen);
    m_painter->setBrush(c.text2);
    m_painter->drawPolygon(QPolygonF{at + QPointF(-3.5 * z, -2.2 * z), at + QPointF(3.5 * z, -2.2 * z),
                                     at + QPointF(0, 2.8 * z)});
    m_painter->setBrush(Qt::NoBrush);
    double left = rect.left() + pad + 14 * z;
    const double right = rect.right() - pad;
    left += line(frame.name, FontRole::NodeName, left, right, middle, c.text) + 14 * z;
    QString count = QStringLiteral("%1 %2").arg(frame.nodes).arg(frame.nodes == 1 ? "node" : "nodes");
    if (frame.depth > 0) count += QStringLiteral(", depth %1").arg(frame.depth + 1);
    // A count that is cut would be a wrong count.
    const Text& t = text(FontRole::Text, z, smallestText);
    if (QFontMetricsF(t.font).horizontalAdvance(count) > right - left) return;
    const double used = line(count, FontRole::Text, left, right, middle, c.text2, true);
    line(frame.detail, FontRole::Text, left, right - used - 14 * z, middle, c.text2);
}

} // namespace dynascope::views::canvas
