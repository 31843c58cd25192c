// SPDX-License-Identifier: BSD-3-Clause
//
// The part of ScenePainter that draws opened blocks, and what blocks tell.
#include "views/canvas/node_text.h"
#include "views/canvas/scene_painter.h"
#include "views/theme/elided_name.h"

#include <QFontMetricsF>
#include <QPainterPath>
#include <algorithm>

namespace dynascope::views::canvas {

namespace {

constexpr double cornerRadius = 6;
constexpr double smallestLabel = 36, widestLabel = 180; ///< pixels, of names on a small picture
constexpr std::size_t mostLabelled = 4000;              ///< items in view above which only frames are named

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

QString numberOnCard(const SceneItem& item, BlockMeasure measure, double letters) {
    if (item.isNode()) return item.right;
    if (item.isInputs && item.bytes > 0) {
        const QString count = QString::number(item.nodes),
                      bytes =
                          (item.moreBytes ? QStringLiteral("\u2265 ") : QString()) + bytesText(item.bytes);
        QString both = count + QStringLiteral(" \u00b7 ") + bytes;
        if (double(both.size()) <= letters) return both;
        // Bytes say more of parameters than their number.
        return double(bytes.size()) <= letters ? bytes : count;
    }
    return measure == BlockMeasure::Bytes ? bytesText(item.bytes) : QString::number(item.nodes);
}

/// A block's share of the largest one, along its lower edge.
void ScenePainter::shareBar(const SceneItem& item, const QRectF& rect, double height) {
    if (item.isInputs) return;
    double share = 0;
    if (const double us = heatAt(item); us >= 0)
        share = us / m_view->heat->most;
    else if (m_view->measure == BlockMeasure::Bytes)
        share = m_scene->mostBytes == 0 ? 0 : double(item.bytes) / double(m_scene->mostBytes);
    else
        share = m_scene->mostNodes == 0 ? 0 : double(item.nodes) / double(m_scene->mostNodes);
    const Colours& c = m_theme.colours();
    QRectF track(rect.left() + 2 * height + 4, rect.bottom() - height - 2, rect.width() - 2 * height - 8,
                 height);
    m_painter->fillRect(track, c.line);
    track.setWidth(track.width() * std::clamp(share, 0.0, 1.0));
    m_painter->fillRect(track, c.op(item.op));
}

/// Names of blocks over a picture too small for names on cards, as on a map: outer blocks first, and each only
/// where it covers no other. Of the places around its block a name takes the one that hides the fewest cards.
std::vector<QRectF> ScenePainter::paintMapLabels(const std::vector<bool>& hidden,
                                                 const std::vector<std::uint32_t>& items) {
    const Colours& c = m_theme.colours();
    const Text& t = text(FontRole::Section, 1, smallestText);
    const QFontMetricsF metrics(t.font);
    const QRectF viewport(QPointF(), m_view->viewport);
    const double height = t.ascent + t.descent + 4;
    std::vector<QRectF> taken;
    m_painter->setRenderHint(QPainter::Antialiasing, true);
    m_painter->setFont(t.font);
    const auto isFree = [&](const QRectF& box) {
        return std::none_of(taken.begin(), taken.end(),
                            [&](const QRectF& other) { return other.intersects(box); });
    };
    const auto cardsUnder = [&](const QRectF& box, int own) {
        const QRectF area(m_view->offset + box.topLeft() / m_view->zoom, box.size() / m_view->zoom);
        std::size_t cards = 0;
        for (const std::uint32_t i : m_scene->itemIndex.query(area)) {
            const int frame = m_scene->items[i].frame;
            cards += int(i) == own || (frame >= 0 && isBar(frame, hidden)) ? 0 : 1;
        }
        return cards;
    };
    struct Name {
        QString shown;
        QRectF box;
    };
    const auto paintName = [&](const Name& name) {
        const QRectF& box = name.box;
        taken.push_back(box);
        m_painter->setPen(QPen(c.line2, 1));
        m_painter->setBrush(c.bg1);
        m_painter->drawRoundedRect(box, 3, 3);
        m_painter->setBrush(Qt::NoBrush);
        m_painter->setPen(c.text);
        m_painter->drawText(QPointF(box.left() + 5, box.center().y() + (t.ascent - t.descent) / 2),
                            name.shown);
    };
    const auto boxOf = [&](const QString& shown) {
        return QRectF(0, 0, metrics.horizontalAdvance(shown) + 10, height);
    };
    const auto addBesides = [](std::vector<Name>& places, const Name& name, const QRectF& block, double top) {
        for (const bool right : {true, false}) {
            Name& place = places.emplace_back(name);
            place.box.moveTop(top);
            right ? place.box.moveLeft(block.right() + 6) : place.box.moveRight(block.left() - 6);
        }
    };
    /// The first of the places with the fewest cards under it; null where all are taken or out of sight.
    const auto best = [&](const std::vector<Name>& places, int own, std::size_t most) {
        const Name* out = nullptr;
        for (const Name& place : places) {
            if (!viewport.contains(place.box) || !isFree(place.box)) continue;
            const std::size_t cards = cardsUnder(place.box, own);
            if (out ? cards >= most : cards > most) continue;
            out = &place;
            most = cards;
            if (cards == 0) break;
        }
        return out;
    };

    for (std::size_t i = 0; i < m_scene->frames.size(); ++i) {
        const SceneFrame& frame = m_scene->frames[i];
        const QRectF seen = m_view->toView(frame.rect).intersected(viewport);
        if (hidden[i] || frame.name.isEmpty() || seen.height() < height - 2) continue;
        std::vector<Name> places;
        // A frame too narrow for its name has it beside.
        if (seen.width() >= smallestLabel) {
            const QString shown = elidedName(metrics, frame.name, std::min(seen.width() - 4, widestLabel));
            places.push_back({shown, boxOf(shown)});
            places.back().box.moveTopLeft(seen.topLeft() + QPointF(2, 2));
        }
        const QString whole = elidedName(metrics, frame.name, widestLabel);
        const Name name{whole, boxOf(whole)};
        addBesides(places, name, seen, seen.top() + 2);
        places.push_back({whole, name.box.translated(seen.left() + 2, seen.top() - height - 1)});
        if (const Name* place = best(places, noItem, SIZE_MAX)) paintName(*place);
    }
    if (items.size() > mostLabelled) return taken;
    for (const std::uint32_t i : items) {
        const SceneItem& item = m_scene->items[i];
        if (item.isNode() || item.name.isEmpty() ||
            (item.frame >= 0 && hidden[static_cast<std::size_t>(item.frame)]))
            continue;
        const QRectF card = placeOf(static_cast<int>(i));
        // A block's name may stand out over its sides.
        const QRectF seen = card.adjusted(-30, -4, 30, 4).intersected(viewport);
        if (seen.height() < height - 2) continue;
        const QString shown = elidedName(metrics, item.name, std::min(seen.width() - 4, widestLabel));
        std::vector<Name> places{{shown, boxOf(shown)}};
        places.front().box.moveCenter(seen.center());
        const Name centred = places.front();
        addBesides(places, centred, card, centred.box.top());
        if (const Name* place = best(places, int(i), 0)) paintName(*place);
    }
    return taken;
}

} // namespace dynascope::views::canvas
