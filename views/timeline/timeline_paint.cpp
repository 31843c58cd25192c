// SPDX-License-Identifier: BSD-3-Clause
//
// Painting of the timeline; the rest of TimelineView is in timeline_view.cpp.
#include "views/timeline/timeline_view.h"

#include <QPainter>
#include <QScrollBar>
#include <algorithm>

namespace dynascope::views {

namespace {

constexpr double discRadius = 8;
constexpr double dotRadius = 4.5;

/// Phases as a reader knows them: what Inductor does to forward and backward is one band each.
QString phaseTitle(session::Phase phase) {
    using session::Phase;
    switch (phase) {
    case Phase::Dynamo:
        return TimelineView::tr("Dynamo");
    case Phase::PreGrad:
        return TimelineView::tr("Pre-grad");
    case Phase::Joint:
        return TimelineView::tr("AOT joint");
    case Phase::Inference:
        return TimelineView::tr("AOT inference");
    case Phase::Forward:
        return TimelineView::tr("AOT forward");
    case Phase::Backward:
        return TimelineView::tr("AOT backward");
    case Phase::Hooks:
        return TimelineView::tr("Saved-tensors hooks");
    case Phase::PostGradForward:
        return TimelineView::tr("Post-grad");
    case Phase::PostGradBackward:
        return TimelineView::tr("Post-grad backward");
    case Phase::Code:
        return TimelineView::tr("Code");
    }
    return {};
}

} // namespace

void TimelineView::paintEvent(QPaintEvent*) {
    QPainter painter(viewport());
    painter.setRenderHint(QPainter::Antialiasing);
    const Colours& c = m_theme.colours();
    painter.fillRect(viewport()->rect(), c.bg1);

    if (m_stations.empty()) {
        painter.setFont(m_theme.font(FontRole::Text));
        painter.setPen(c.text3);
        const bool open = m_workspace.session() != nullptr;
        painter.drawText(viewport()->rect().adjusted(12, 0, -12, 0), Qt::AlignVCenter | Qt::AlignLeft,
                         open
                             ? tr("This compile has no captured stage: Dynamo ended before a graph was made.")
                             : tr("No capture is open."));
        return;
    }

    painter.save();
    painter.setClipRect(labelWidth(), 0, viewport()->width() - labelWidth(), viewport()->height());
    paintPhases(painter);
    paintLine(painter);
    for (int i = 0; i < int(m_stations.size()); ++i) {
        const double x = stationX(i);
        if (x < labelWidth() - spacing() || x > viewport()->width() + spacing()) continue;
        paintChange(painter, i);
        paintStation(painter, i);
    }
    painter.restore();

    painter.setPen(c.text);
    painter.setFont(m_theme.font(FontRole::Section));
    const QRect label(12, lineY() - m_theme.scaled(16), labelWidth() - 12, m_theme.scaled(18));
    painter.drawText(label, Qt::AlignLeft | Qt::AlignVCenter, tr("Captured"));
    painter.setPen(c.text3);
    painter.setFont(m_theme.font(FontRole::Text));
    painter.drawText(label.translated(0, m_theme.scaled(16)), Qt::AlignLeft | Qt::AlignVCenter,
                     tr("PyTorch"));
    painter.setPen(c.line);
    painter.drawLine(0, viewport()->height() - 1, viewport()->width(), viewport()->height() - 1);
}

void TimelineView::paintPhases(QPainter& painter) const {
    const Colours& c = m_theme.colours();
    const double top = lineY() + m_theme.scaled(34);
    const double height = m_theme.scaled(18);
    if (top + height > viewport()->height()) return;
    painter.setFont(m_theme.font(FontRole::CodeSmall));
    const int count = int(m_stations.size());
    for (int begin = 0; begin < count;) {
        int end = begin;
        const session::Stage& first = *m_stations[std::size_t(begin)].stage;
        while (end < count && m_stations[std::size_t(end)].stage->phase == first.phase &&
               m_stations[std::size_t(end)].stage->attempt == first.attempt)
            ++end;
        const double left = stationX(begin) - spacing() / 2 + 3;
        const double right = stationX(end - 1) + spacing() / 2 - 3;
        const QRectF band(left, top, right - left, height);
        painter.setPen(Qt::NoPen);
        painter.setBrush(c.bg2);
        painter.drawRoundedRect(band, 3, 3);
        QString title = phaseTitle(first.phase);
        if (first.attempt > 0) title += tr(", attempt %1").arg(first.attempt);
        painter.setPen(c.text3);
        painter.drawText(band.adjusted(4, 0, -4, 0), Qt::AlignCenter,
                         painter.fontMetrics().elidedText(title, Qt::ElideRight, int(band.width()) - 8));
        begin = end;
    }
}

void TimelineView::paintLine(QPainter& painter) const {
    const Colours& c = m_theme.colours();
    const double y = lineY();
    painter.setPen(QPen(c.line2, 1.5));
    painter.drawLine(QPointF(stationX(0), y), QPointF(stationX(int(m_stations.size()) - 1), y));
    const Place& place = m_workspace.place();
    if (place.stageA < 0 || place.stageB < 0) return;
    const auto [from, to] = std::minmax(place.stageA, place.stageB);
    painter.setPen(QPen(c.accentBg, 7, Qt::SolidLine, Qt::RoundCap));
    painter.drawLine(QPointF(stationX(from), y), QPointF(stationX(to), y));
    painter.setPen(QPen(c.accent, 1.5));
    painter.drawLine(QPointF(stationX(from), y), QPointF(stationX(to), y));
}

void TimelineView::paintChange(QPainter& painter, int stage) const {
    // Drawn half way to the left neighbour when that is what the stage was made from, so that it reads as
    // "from, to".
    const Station& s = m_stations[std::size_t(stage)];
    if (stage == 0 || s.predecessor != stage - 1 || !s.change) return;
    const Colours& c = m_theme.colours();
    painter.setFont(m_theme.font(FontRole::CodeSmall));
    struct Part {
        QString text;
        QColor colour;
    };
    std::vector<Part> parts;
    const auto add = [&](const QString& sign, std::size_t n, diff::Change change) {
        if (n != 0) parts.push_back({sign + QString::number(n), c.diff(change).line});
    };
    add(QStringLiteral("+"), s.change->added, diff::Change::Added);
    add(QStringLiteral("\u2212"), s.change->removed, diff::Change::Removed);
    add(QStringLiteral("~"), s.change->changed, diff::Change::Changed);
    add(QStringLiteral("\u2195"), s.change->moved, diff::Change::Moved);
    if (parts.empty()) parts.push_back({QStringLiteral("="), c.text3});

    const QFontMetrics metrics = painter.fontMetrics();
    const int gap = 4;
    int width = -gap;
    for (const Part& part : parts) {
        width += metrics.horizontalAdvance(part.text) + gap;
    }
    double x = stationX(stage) - spacing() / 2 - width / 2.0;
    const double y = lineY() - m_theme.scaled(6);
    for (const Part& part : parts) {
        painter.setPen(part.colour);
        painter.drawText(QPointF(x, y), part.text);
        x += metrics.horizontalAdvance(part.text) + gap;
    }
}

void TimelineView::paintStation(QPainter& painter, int stage) const {
    const Colours& c = m_theme.colours();
    const Station& s = m_stations[std::size_t(stage)];
    const Place& place = m_workspace.place();
    const bool isA = stage == place.stageA, isB = stage == place.stageB;
    const QPointF centre(stationX(stage), lineY());
    const bool unchanged =
        s.change && !s.change->added && !s.change->removed && !s.change->changed && !s.change->moved;

    if (isA || isB) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(c.accent);
        painter.drawEllipse(centre, discRadius, discRadius);
        painter.setPen(c.bg1);
        QFont font = m_theme.font(FontRole::Section);
        font.setPixelSize(m_theme.scaled(10));
        painter.setFont(font);
        const QString letter = isA && isB ? QStringLiteral("=")
                               : isA      ? QStringLiteral("A")
                                          : QStringLiteral("B");
        painter.drawText(
            QRectF(centre.x() - discRadius, centre.y() - discRadius, 2 * discRadius, 2 * discRadius),
            Qt::AlignCenter, letter);
    } else {
        // A ring changed nothing; a filled dot did.
        painter.setPen(QPen(stage == m_hovered ? c.accent : c.text3, 1.5));
        painter.setBrush(unchanged ? c.bg1 : c.text2);
        if (s.stage->content == session::Stage::Content::Code)
            painter.drawRect(
                QRectF(centre.x() - dotRadius, centre.y() - dotRadius, 2 * dotRadius, 2 * dotRadius));
        else
            painter.drawEllipse(centre, dotRadius, dotRadius);
    }
    if (hasFocus() && stage == m_focused) {
        painter.setPen(QPen(c.accent, 1, Qt::DashLine));
        painter.setBrush(Qt::NoBrush);
        painter.drawEllipse(centre, discRadius + 4, discRadius + 4);
    }

    const int width = int(spacing()) - 6;
    painter.setFont(m_theme.font(isA || isB ? FontRole::Section : FontRole::Text));
    painter.setPen(isA || isB || stage == m_hovered ? c.text : c.text2);
    const QRectF nameBox(centre.x() - width / 2.0, m_theme.scaled(6), width, m_theme.scaled(16));
    painter.drawText(nameBox, Qt::AlignCenter,
                     painter.fontMetrics().elidedText(s.name, Qt::ElideMiddle, width));
    painter.setFont(m_theme.font(FontRole::Text));
    painter.setPen(c.text3);
    const QRectF detailBox(centre.x() - width / 2.0, lineY() + m_theme.scaled(12), width, m_theme.scaled(16));
    painter.drawText(detailBox, Qt::AlignCenter,
                     painter.fontMetrics().elidedText(s.detail, Qt::ElideRight, width));
}

} // namespace dynascope::views
