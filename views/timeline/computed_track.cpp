// SPDX-License-Identifier: BSD-3-Clause
//
// The second track of the timeline: stages that the engine computed, each with what verification said.
#include "views/engine/rederivations.h"
#include "views/timeline/timeline_view.h"
#include "views/workspace/labels.h"

#include <QContextMenuEvent>
#include <QPainter>
#include <QPainterPath>

namespace dynascope::views {

namespace {

diff::Change toneOf(engine::Rederived verdict) {
    using engine::Rederived;
    return verdict == Rederived::Different  ? diff::Change::Removed
           : verdict == Rederived::Declined ? diff::Change::Changed
                                            : diff::Change::Added;
}

QFont badgeFont(const Theme& theme) {
    QFont font = theme.font(FontRole::Strong);
    font.setPixelSize(theme.scaled(10));
    return font;
}

} // namespace

void TimelineView::drawComputedTrack(QPainter& painter) const {
    const Colours& c = m_theme.colours();
    for (int i = capturedCount(); i < stageCount(); ++i) {
        const int from = m_workspace.madeFrom(i);
        if (from < 0) continue;
        const QPointF start = centre(from), end = centre(i);
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(c.line2, 2));
        if (from >= capturedCount()) {
            painter.drawLine(start, end);
            continue;
        }
        QPainterPath path(start);
        path.cubicTo(QPointF(start.x(), end.y()), QPointF(start.x(), end.y()), end);
        painter.drawPath(path);
    }
}

void TimelineView::setRederived(const Rederivations* rederived) {
    m_rederived = rederived;
    connect(rederived, &Rederivations::changed, viewport(), qOverload<>(&QWidget::update));
}

diff::Change TimelineView::verdictTone(int index) const {
    if (!stage(index)) return diff::Change::Same;
    if (index < capturedCount()) {
        const engine::RederivedStage* row = m_rederived ? m_rederived->find(stage(index)) : nullptr;
        return row ? toneOf(row->verdict) : diff::Change::Same;
    }
    switch (m_workspace.verdict(stage(index)).kind) {
    case computed::StageVerdict::Kind::NotRun:
        return diff::Change::Same;
    case computed::StageVerdict::Kind::Equal:
        return diff::Change::Added;
    case computed::StageVerdict::Kind::Different:
        return diff::Change::Removed;
    default:
        return diff::Change::Changed;
    }
}

QString TimelineView::verdictText(int index) const {
    if (!stage(index)) return {};
    if (index < capturedCount()) {
        const engine::RederivedStage* row = m_rederived ? m_rederived->find(stage(index)) : nullptr;
        return row ? toQString(computed::rederivedWord(*row)) : QString();
    }
    const computed::StageVerdict verdict = m_workspace.verdict(stage(index));
    return verdict.kind == computed::StageVerdict::Kind::Equal && verdict.isomorphic
               ? tr("isomorphic")
               : toQString(computed::verdictName(verdict.kind));
}

QRect TimelineView::badgeRect(int index) const {
    if (verdictTone(index) == diff::Change::Same) return {};
    const int width =
        QFontMetrics(badgeFont(m_theme)).horizontalAdvance(verdictText(index)) + m_theme.scaled(12);
    const QPoint at = centre(index);
    if (index >= capturedCount()) {
        // Beside the ring of the stage that has the keyboard, and beside both discs where A is B.
        const bool both = shown(Side::A) == index && shown(Side::B) == index;
        const int left = m_theme.scaled(15) + (both ? discRadius + 1 : 0);
        return {at.x() + left, at.y() - m_theme.scaled(8), width, m_theme.scaled(16)};
    }
    // Below the size; in a low timeline there is no line for it, and the sign alone stands at the circle.
    if (m_compact)
        return {at.x() + m_theme.scaled(5), at.y() - m_theme.scaled(17), m_theme.scaled(14),
                m_theme.scaled(14)};
    return {at.x() - width / 2, at.y() + m_theme.scaled(29), width, m_theme.scaled(14)};
}

QString TimelineView::metadataText() const {
    // In a low or crowded timeline there is room for a short word.
    return m_compact || m_step < m_theme.scaled(150) ? tr("meta") : tr("metadata");
}

QRect TimelineView::metadataRect(int index) const {
    if (!stage(index) || !m_rederived || !m_rederived->metadataOf(stage(index))) return {};
    const QRect beside = badgeRect(index);
    // Between the circles of a low timeline, and between the words of a crowded one, there is just room for it.
    const bool tight = m_compact || m_step < m_theme.scaled(110);
    return {beside.right() + m_theme.scaled(tight ? 1 : 4), beside.top(),
            QFontMetrics(badgeFont(m_theme)).horizontalAdvance(metadataText()) +
                m_theme.scaled(tight ? 6 : 8),
            beside.height()};
}

void TimelineView::drawMetadata(QPainter& painter, int index) const {
    const QRectF badge = metadataRect(index);
    if (badge.isEmpty()) return;
    const diff::Change tone = toneOf(m_rederived->metadataOf(stage(index))->verdict);
    const DiffColours colours = m_theme.colours().diff(tone);
    const Qt::PenStyle border = tone == diff::Change::Removed ? Qt::DashLine : Qt::SolidLine;
    painter.setPen(QPen(colours.line, 1, border));
    painter.setBrush(colours.fill);
    painter.drawRoundedRect(badge.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
    painter.setFont(badgeFont(m_theme));
    painter.setPen(colours.line);
    painter.drawText(badge, Qt::AlignCenter, metadataText());
}

void TimelineView::drawVerdict(QPainter& painter, int index) const {
    const Colours& c = m_theme.colours();
    const diff::Change tone = verdictTone(index);
    if (tone == diff::Change::Same) return;
    const bool good = tone == diff::Change::Added, bad = tone == diff::Change::Removed;
    const bool captured = index < capturedCount();
    const QRectF badge = badgeRect(index);
    painter.setPen(Qt::NoPen);
    painter.setBrush(c.diff(tone).fill);
    painter.drawRoundedRect(badge, 3, 3);
    painter.setFont(badgeFont(m_theme));
    painter.setPen(c.diff(tone).line);
    if (!captured || !m_compact) painter.drawText(badge, Qt::AlignCenter, verdictText(index));
    // On the circle, but where the letter of a side stands; a captured circle says something of its own.
    if (captured ? !m_compact : index == shown(Side::A) || index == shown(Side::B)) return;
    const QPointF at = captured ? badge.center() : QPointF(centre(index));
    painter.setPen(QPen(c.bg1, 2));
    painter.setBrush(c.diff(tone).line);
    painter.drawEllipse(at, 7, 7);
    painter.setPen(QPen(c.bg1, 1.6, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    if (good) {
        painter.drawPolyline(
            QPolygonF{at + QPointF(-3, 0), at + QPointF(-0.8, 2.4), at + QPointF(3.2, -2.2)});
    } else if (bad) {
        painter.drawLine(at + QPointF(-2.4, -2.4), at + QPointF(2.4, 2.4));
        painter.drawLine(at + QPointF(-2.4, 2.4), at + QPointF(2.4, -2.4));
    } else {
        painter.drawLine(at + QPointF(0, -3.2), at + QPointF(0, 0.6));
        painter.drawPoint(at + QPointF(0, 3.2));
    }
}

void TimelineView::contextMenuEvent(QContextMenuEvent* event) {
    const int index = event->reason() == QContextMenuEvent::Mouse ? stageAt(event->pos()) : shown(Side::B);
    if (stageCount() == 0) return;
    emit menuRequested(stage(index) ? index : -1, event->reason() == QContextMenuEvent::Mouse || !stage(index)
                                                      ? event->globalPos()
                                                      : viewport()->mapToGlobal(centre(index)));
}

} // namespace dynascope::views
