// SPDX-License-Identifier: BSD-3-Clause
//
// The half of ScenePainter that draws edges.
#include "views/canvas/scene_painter.h"
#include "views/theme/mixed.h"

#include <QFontMetricsF>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

namespace dynascope::views::canvas {

namespace {

constexpr double arrowLength = 7;
constexpr double dimmedOpacity = 0.4;
constexpr double dashPeriod = 72; ///< pixels: whole dashes of each pattern in use (8 and 9)
constexpr float gatheredOpacity = 0.45F;
constexpr double thickestEdge = 5;
constexpr int labelSteps = 12;        ///< tried from the middle of an edge, a quarter of a piece each
constexpr double itemReach = 24;      ///< scene points: sheets and slides reach beyond an item's place
constexpr double shortestBarEdge = 3; ///< pixels: shorter edges vanish among bars
constexpr double longBarEdge = 150;   ///< pixels
constexpr double longShare = 0.22;    ///< of its colour, over the background

/// From `a` to `b`, one above the other or beside: the part that lies within `seen`, begun a whole number of
/// dashes from `a`, so that they do not creep while the view moves.
void straight(QPainterPath& path, QPointF a, QPointF b, const QRectF& seen) {
    const bool down = std::abs(b.y() - a.y()) >= std::abs(b.x() - a.x());
    const double from = down ? a.y() : a.x(), to = down ? b.y() : b.x();
    const double length = std::abs(to - from), way = to < from ? -1 : 1;
    const double low = down ? seen.top() : seen.left(), high = down ? seen.bottom() : seen.right();
    double begin = way > 0 ? low - from : from - high, end = way > 0 ? high - from : from - low;
    begin = std::floor(std::clamp(begin, 0.0, length) / dashPeriod) * dashPeriod;
    end = std::clamp(end, 0.0, length);
    const auto at = [&](double t) { return length <= 0 ? a : a + (b - a) * (t / length); };
    if (begin > 0) path.moveTo(at(begin));
    path.lineTo(at(end));
    if (end < length) path.moveTo(b);
}

/// In view points, without what cannot be seen: dashing a line of a hundred thousand pixels takes longer than
/// everything else.
QPainterPath curve(const QPolygonF& points, const ViewState& view) {
    const QRectF seen = QRectF(QPointF(), view.viewport).adjusted(-60, -60, 60, 60);
    QPainterPath path(view.toView(points.front()));
    for (qsizetype i = 1; i + 2 < points.size(); i += 3) {
        const QPointF from = view.toView(points[i - 1]), to = view.toView(points[i + 2]);
        const QPointF c1 = view.toView(points[i]), c2 = view.toView(points[i + 1]);
        const auto [left, right] = std::minmax({from.x(), c1.x(), c2.x(), to.x()});
        const auto [top, bottom] = std::minmax({from.y(), c1.y(), c2.y(), to.y()});
        if (right < seen.left() || left > seen.right() || bottom < seen.top() || top > seen.bottom())
            path.moveTo(to);
        else if (right - left < 0.01 || bottom - top < 0.01)
            straight(path, from, to, seen);
        else
            path.cubicTo(c1, c2, to);
    }
    return path;
}

QPointF pointBefore(const QPolygonF& points) {
    // The last control point may lie on the end itself.
    for (qsizetype i = points.size() - 2; i >= 0; --i) {
        const QPointF d = points.back() - points[i];
        if (std::hypot(d.x(), d.y()) > 0.5) return points[i];
    }
    return points.back() - QPointF(0, 1);
}

/// What a chip takes below the right half of its card.
QRectF chipUnder(const QRectF& card, double zoom) {
    return {card.center().x(), card.bottom(), card.width() / 2, 10 * zoom};
}

/// Of the piece that begins at points[i].
QPointF onPiece(const QPolygonF& points, qsizetype i, double t) {
    const double u = 1 - t;
    return u * u * u * points[i] + 3 * u * u * t * points[i + 1] + 3 * u * t * t * points[i + 2] +
           t * t * t * points[i + 3];
}

/// Where on an edge its label may stand: its middle, then farther and farther from there.
std::vector<QPointF> labelPlaces(const QPolygonF& points) {
    const qsizetype pieces = (points.size() - 1) / 3;
    const double middle = static_cast<double>(pieces) / 2;
    std::vector<QPointF> out;
    for (int step = 0; step <= labelSteps; ++step)
        for (const double at : {middle + step * 0.25, middle - step * 0.25}) {
            if (at <= 0 || at >= static_cast<double>(pieces)) continue;
            const auto piece = static_cast<qsizetype>(at);
            out.push_back(onPiece(points, piece * 3, at - static_cast<double>(piece)));
            if (step == 0) break;
        }
    return out;
}

} // namespace

std::size_t ScenePainter::paintEdges() {
    const Scene& scene = *m_scene;
    m_labels.clear();
    const bool moving = m_view->startShift != nullptr && m_view->progress < 1;
    if (moving) m_painter->setOpacity(m_view->progress);
    const std::vector<std::uint32_t> visible =
        scene.edgeIndex.query(m_view->visible().adjusted(-8, -8, 8, 8));
    const int selected = m_view->selected;
    std::size_t painted = 0;
    for (const std::uint32_t e : visible) {
        const SceneEdge& edge = scene.edges[e];
        if (selected != noItem && (edge.from == selected || edge.to == selected)) continue;
        paintEdge(edge, false, selected != noItem);
        ++painted;
    }
    if (selected != noItem) {
        for (const int e : scene.edgesOf[static_cast<std::size_t>(selected)]) {
            const SceneEdge& edge = scene.edges[static_cast<std::size_t>(e)];
            if (edge.points.isEmpty())
                paintLooseEdge(edge);
            else
                paintEdge(edge, true, false);
            ++painted;
        }
    }
    if (moving) m_painter->setOpacity(1);
    return painted;
}

void ScenePainter::paintEdge(const SceneEdge& edge, bool lit, bool dimmed) {
    const Colours& c = m_theme.colours();
    const bool write = edge.role == layout::EdgeRole::Write;
    QColor colour = write ? c.op(ir::OpKind::Write) : lit ? c.accent : c.edge;
    if (dimmed) colour.setAlphaF(dimmedOpacity);
    if (m_detail == Detail::Bar) {
        const QPointF a = m_view->toView(edge.points.front());
        const QPointF b = m_view->toView(edge.points.back());
        const double length = std::abs(a.x() - b.x()) + std::abs(a.y() - b.y());
        if (!lit && length < shortestBarEdge) return;
        // Side by side by the hundred, long ones would be a bright wall. An opaque tone: blending each line takes
        // ten times as long to paint.
        if (!lit && length > longBarEdge) colour = mixed(colour, longShare, c.bg0);
        m_painter->setPen(QPen(colour, lit ? 1.5 : 0));
        if (edge.points.size() <= 4) {
            m_painter->drawLine(a, b);
        } else {
            QPolygonF line;
            for (qsizetype i = 0; i < edge.points.size(); i += 3)
                line << m_view->toView(edge.points[i]);
            m_painter->drawPolyline(line);
        }
        return;
    }
    double width = lit || write ? 2 : m_detail == Detail::Card ? 1.5 : 1.2;
    const bool gathered = edge.role == layout::EdgeRole::Gathered;
    if (gathered && !lit) {
        width = 0.8;
        colour.setAlphaF(std::min(colour.alphaF(), gatheredOpacity));
    }
    // Several edges that are drawn as one.
    if (edge.count > 1 && !gathered)
        width =
            std::min(thickestEdge, width + 0.5 * std::log2(edge.count)) * std::clamp(m_view->zoom, 0.5, 1.0);
    QPen pen(colour, width, Qt::SolidLine, Qt::FlatCap, Qt::RoundJoin);
    if (write) pen.setDashPattern({6 / width, 3 / width});
    if (edge.role == layout::EdgeRole::Skip) pen.setDashPattern({5 / width, 3 / width});
    m_painter->setPen(pen);
    m_painter->setBrush(Qt::NoBrush);
    m_painter->drawPath(curve(edge.points, *m_view));
    if (!gathered || lit)
        arrowHead(m_view->toView(edge.points.back()), m_view->toView(pointBefore(edge.points)), colour);
    if (m_detail != Detail::Card) return;
    if (edge.count > 1 && !gathered && edge.label.isEmpty() && !m_view->edgeLabels)
        m_labels.push_back({&edge, QStringLiteral("%1 edges").arg(edge.count), c.text2});
    if (!edge.label.isEmpty())
        m_labels.push_back({&edge, edge.label, c.op(ir::OpKind::Write)});
    else if (m_view->edgeLabels && !edge.value.isEmpty())
        m_labels.push_back({&edge, edge.value, c.text2});
}

/// An edge that layout did not route: drawn only while one of its ends is selected.
void ScenePainter::paintLooseEdge(const SceneEdge& edge) {
    const QRectF from = placeOf(edge.from);
    const QRectF to = placeOf(edge.to);
    const QPointF a(from.center().x(), from.bottom());
    const QPointF b(to.center().x(), to.top());
    const double bend = std::clamp(std::abs(b.y() - a.y()) / 2, 12.0, 60.0);
    QPainterPath path(a);
    path.cubicTo(a + QPointF(0, bend), b - QPointF(0, bend), b);
    const Colours& c = m_theme.colours();
    QPen pen(edge.role == layout::EdgeRole::Shared ? c.op(ir::OpKind::Factory) : c.accent, 1.5, Qt::SolidLine,
             Qt::FlatCap);
    if (edge.role == layout::EdgeRole::Shared) pen.setDashPattern({5 / 1.5, 3 / 1.5});
    m_painter->setPen(pen);
    m_painter->setBrush(Qt::NoBrush);
    m_painter->drawPath(path);
    if (m_detail != Detail::Bar) arrowHead(b, b - QPointF(0, bend), pen.color());
}

void ScenePainter::arrowHead(QPointF tip, QPointF from, const QColor& colour) {
    QPointF along = tip - from;
    const double length = std::hypot(along.x(), along.y());
    if (length <= 0) return;
    along /= length;
    const double size = arrowLength * std::clamp(m_view->zoom, 0.6, 1.6);
    const QPointF across(-along.y(), along.x());
    const QPointF base = tip - along * size;
    m_painter->setPen(Qt::NoPen);
    m_painter->setBrush(colour);
    m_painter->drawPolygon(QPolygonF{tip, base + across * size * 0.5, base - across * size * 0.5});
    m_painter->setBrush(Qt::NoBrush);
}

/// After all edges, which would strike them through, each where no card and no other label is; those of the selected
/// item, which come last, choose first. One that has no room on its edge is left out: half a number misleads.
void ScenePainter::paintEdgeLabels(std::vector<QRectF>& taken) {
    const Text& t = text(FontRole::CodeSmall, m_view->zoom, 9.5);
    const auto isFree = [&](const QRectF& box) {
        if (std::ranges::any_of(taken, [&box](const QRectF& other) { return other.intersects(box); }))
            return false;
        const QRectF around(box.topLeft() / m_view->zoom + m_view->offset, box.size() / m_view->zoom);
        const auto near =
            m_scene->itemIndex.query(around.adjusted(-itemReach, -itemReach, itemReach, itemReach));
        return std::ranges::none_of(near, [&](std::uint32_t i) {
            const QRectF card = placeOf(static_cast<int>(i));
            return card.intersects(box) ||
                   (!m_scene->items[i].chip.isEmpty() && chipUnder(card, m_view->zoom).intersects(box));
        });
    };
    for (auto label = m_labels.rbegin(); label != m_labels.rend(); ++label) {
        const QString shown = elided(label->text, t, 160 * m_view->zoom);
        QRectF box(0, 0, static_cast<double>(shown.size()) * t.advance + 8, t.ascent + t.descent + 2);
        const std::vector<QPointF> places = labelPlaces(label->edge->points);
        const auto place = std::ranges::find_if(places, [&](QPointF at) {
            box.moveCenter(m_view->toView(at));
            return isFree(box);
        });
        if (place == places.end()) continue;
        taken.push_back(box);
        m_painter->fillRect(box, m_theme.colours().bg0);
        m_painter->setFont(t.font);
        m_painter->setPen(label->colour);
        m_painter->drawText(QPointF(box.left() + 4, box.center().y() + (t.ascent - t.descent) / 2), shown);
    }
}

} // namespace dynascope::views::canvas
