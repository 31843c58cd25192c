// SPDX-License-Identifier: BSD-3-Clause
#include "views/ranks/collective_lanes.h"

#include "views/ranks/ranks_rows.h"
#include "views/theme/shown_text.h"
#include "views/workspace/labels.h"

#include <QPainter>
#include <QScrollBar>
#include <algorithm>

namespace dynascope::views {

QColor CollectiveLanes::mismatchColour() const {
    const Colours& c = m_theme.colours();
    return m_row->verdict == ranks::RanksVerdict::MayBeWrong ? c.changed : c.removed;
}

void CollectiveLanes::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(viewport());
    const Colours& c = m_theme.colours();
    painter.fillRect(viewport()->rect(), c.bg0);
    if (!hasLanes()) {
        painter.setFont(m_theme.font(FontRole::Text));
        painter.setPen(c.text2);
        painter.drawText(viewport()->rect().adjusted(12, 12, -12, -12), Qt::AlignCenter | Qt::TextWordWrap,
                         m_emptyText);
        return;
    }
    painter.setRenderHint(QPainter::Antialiasing);
    const int left = horizontalScrollBar()->value(), top = verticalScrollBar()->value();
    const int firstColumn = left / columnWidth();
    const int lastColumn =
        std::min(m_columns - 1, (left + viewport()->width() - titleWidth()) / columnWidth());
    const int firstLane = top / laneHeight();
    const int lastLane = std::min(int(lanes().size()) - 1, (top + viewport()->height()) / laneHeight());
    for (int lane = firstLane; lane <= lastLane; ++lane)
        for (int column = firstColumn; column <= lastColumn; ++column)
            if (const int call = callIn(lane, column); call >= 0) paintCall(painter, {lane, call});
    for (int lane = firstLane; lane <= lastLane; ++lane)
        paintTitle(painter, lane);
    paintHead(painter, firstColumn, lastColumn);
}

void CollectiveLanes::paintHead(QPainter& painter, int first, int last) const {
    const Colours& c = m_theme.colours();
    painter.fillRect(QRect(0, 0, viewport()->width(), headHeight()), c.bg1);
    painter.setFont(m_theme.font(FontRole::Section));
    painter.setClipRect(QRect(titleWidth(), 0, viewport()->width(), headHeight()));
    for (int column = first; column <= last; ++column) {
        const int x = titleWidth() + column * columnWidth() - horizontalScrollBar()->value();
        const QRect area(x + 6, 0, columnWidth() - 16, headHeight());
        const bool odd = column == m_mismatchColumn;
        painter.setPen(odd ? mismatchColour() : c.text2);
        const QString text = odd ? tr("≠ call %1, the first that does not fit").arg(column + 1)
                                 : tr("call %1").arg(column + 1);
        painter.drawText(area, Qt::AlignVCenter,
                         elided(painter.fontMetrics(), text, Qt::ElideRight, area.width()));
    }
    painter.setClipping(false);
    painter.setPen(c.line);
    painter.drawLine(0, headHeight(), viewport()->width(), headHeight());
}

void CollectiveLanes::paintTitle(QPainter& painter, int lane) const {
    const Colours& c = m_theme.colours();
    const ranks::Lane& of = lanes()[std::size_t(lane)];
    const QRect area(0, headHeight() + lane * laneHeight() - verticalScrollBar()->value(), titleWidth(),
                     laneHeight());
    painter.fillRect(area, c.bg0);
    const QRect box = area.adjusted(0, 10, -6, -8);
    painter.fillRect(box, c.bg2);
    painter.fillRect(QRect(box.left(), box.top(), 4, box.height()), lane == 0 ? c.text3 : mismatchColour());
    const QRect inner = box.adjusted(12, 8, -6, -6);
    painter.setFont(m_theme.font(FontRole::Strong));
    painter.setPen(c.text);
    painter.drawText(inner, Qt::AlignTop,
                     elided(painter.fontMetrics(), words(of.ranks), Qt::ElideRight, inner.width()));
    painter.setFont(m_theme.font(FontRole::Text));
    painter.setPen(c.text2);
    const QString count = countText(of.ranks.size(), tr("rank"), tr("ranks")) + QStringLiteral(", ") +
                          countText(of.calls.size(), tr("call"), tr("calls"));
    painter.drawText(inner.adjusted(0, m_theme.scaled(20), 0, 0), Qt::AlignTop,
                     elided(painter.fontMetrics(), count, Qt::ElideRight, inner.width()));
}

void CollectiveLanes::paintCall(QPainter& painter, At at) const {
    const Colours& c = m_theme.colours();
    const QRect card = callRect(at);
    const bool odd = isMismatch(at), missing = isMissing(at);
    const bool after = m_mismatchColumn >= 0 && columnOf(at) > m_mismatchColumn;
    const DiffColours tone = c.diff(
        m_row->verdict == ranks::RanksVerdict::MayBeWrong ? diff::Change::Changed : diff::Change::Removed);
    painter.setPen(odd ? QPen(mismatchColour(), 1.5, missing ? Qt::DashLine : Qt::SolidLine)
                       : QPen(c.line2, 1, after ? Qt::DashLine : Qt::SolidLine));
    painter.setBrush(odd ? tone.fill : after ? c.bg0 : c.bg2);
    painter.drawRoundedRect(QRectF(card).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5);
    if (!missing)
        painter.fillRect(QRect(card.left() + 3, card.top() + 4, 4, card.height() - 8),
                         c.op(ir::OpKind::HigherOrder));
    paintWords(painter, at, card);
    if (odd) { // the sign doubles the colour
        const QRectF disc(card.right() - 14, card.top() - 7, 16, 16);
        painter.setPen(Qt::NoPen);
        painter.setBrush(mismatchColour());
        painter.drawEllipse(disc);
        painter.setFont(m_theme.font(FontRole::Section));
        painter.setPen(c.bg0);
        painter.drawText(disc, Qt::AlignCenter, QStringLiteral("≠"));
    }
    if (at == m_selected) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(c.accent, 2));
        painter.drawRoundedRect(QRectF(card).adjusted(-2, -2, 2, 2), 6, 6);
    }
}

void CollectiveLanes::paintWords(QPainter& painter, At at, const QRect& card) const {
    const Colours& c = m_theme.colours();
    const QRect inner = card.adjusted(14, 5, -8, -5);
    const auto line = [&](const QString& text, FontRole role, const QColor& colour, Qt::Alignment where) {
        painter.setFont(m_theme.font(role));
        painter.setPen(colour);
        painter.drawText(inner, where, elided(painter.fontMetrics(), text, Qt::ElideRight, inner.width()));
    };
    if (isMissing(at)) return line(tr("no call here"), FontRole::Strong, mismatchColour(), Qt::AlignVCenter);
    const ranks::Collective& what = lane(at).calls[std::size_t(at.call)].what;
    line(toQString(what.call()), FontRole::NodeName, c.text, Qt::AlignTop);
    line(toQString(ranks::shapesText(what)), FontRole::CodeSmall, c.text2, Qt::AlignVCenter);
    const QString place = placeText(what.at);
    QStringList last;
    if (!place.isEmpty()) last << (what.near ? tr("near %1").arg(place) : place);
    if (!what.group.empty()) last << tr("group %1").arg(toQString(what.group));
    line(last.join(QStringLiteral("  ")), FontRole::CodeSmall, c.text2, Qt::AlignBottom);
}

} // namespace dynascope::views
