// SPDX-License-Identifier: BSD-3-Clause
//
// How the calling convention is drawn.
#include "views/autograd/convention_view.h"
#include "views/theme/elided_name.h"
#include "views/theme/shown_text.h"
#include "views/workspace/labels.h"

#include <QPainter>
#include <QPainterPath>
#include <QScrollBar>
#include <algorithm>
#include <utility>

namespace dynascope::views {

namespace {

constexpr std::size_t mostCells = 16;

} // namespace

void ConventionView::paintHeadings(QPainter& painter) const {
    const Colours& c = m_theme.colours();
    for (int i = 0; i < computed::conventionSteps; ++i) {
        const bool current = int(m_step) == i;
        const QRectF box = QRectF(headingRect(computed::AotConventionStep(i)).translated(offset()))
                               .adjusted(0.5, 0.5, -0.5, -0.5);
        painter.setPen(QPen(current ? c.accent : c.line2, 1));
        painter.setBrush(current ? c.accentBg : c.bg2);
        painter.drawRoundedRect(box, 4, 4);
        const double disc = box.height() - 9;
        const QRectF number(box.left() + 6, box.top() + 4.5, disc, disc);
        painter.setPen(Qt::NoPen);
        painter.setBrush(current ? c.accent : c.bg3);
        painter.drawEllipse(number);
        painter.setFont(m_theme.font(FontRole::Section));
        painter.setPen(current ? c.bg1 : c.text2);
        painter.drawText(number, Qt::AlignCenter, QString::number(i + 1));
        painter.setFont(m_theme.font(FontRole::Strong));
        painter.setPen(c.text);
        const QRectF words = box.adjusted(disc + 14, 0, -4, 0);
        painter.drawText(words, Qt::AlignLeft | Qt::AlignVCenter,
                         elided(painter.fontMetrics(), conventionStepName(computed::AotConventionStep(i)),
                                Qt::ElideRight, int(words.width())));
    }
}

void ConventionView::paintLine(QPainter& painter, const Line& line) const {
    const Colours& c = m_theme.colours();
    const Card &from = m_cards[line.from], &to = m_cards[line.to];
    const auto isChosen = [&](const Card& card) { return card.column == m_step && card.index == m_selected; };
    const bool chosen = isChosen(from) || isChosen(to);
    const QPointF start(from.rect.right() + 1,
                        from.rect.top() + std::min(from.rect.height(), m_theme.scaled(40)) / 2.0);
    const QPointF end(to.rect.left(), to.rect.top() + std::min(to.rect.height(), m_theme.scaled(40)) / 2.0);
    const double bend = std::max(12.0, (end.x() - start.x()) / 2);
    QPainterPath path(start);
    path.cubicTo(start + QPointF(bend, 0), end - QPointF(bend, 0), end);
    painter.setBrush(Qt::NoBrush);
    const QColor colour = chosen         ? c.accent
                          : line.write   ? c.op(ir::OpKind::Write)
                          : line.dropped ? c.removed
                                         : c.edge;
    painter.setPen(QPen(colour, chosen || line.write ? 2 : 1.3, line.dropped ? Qt::DashLine : Qt::SolidLine));
    painter.drawPath(path);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    painter.drawPolygon(QPolygonF{end, end + QPointF(-7, -3.5), end + QPointF(-7, 3.5)});
}

// A base is one tensor for all of its members: writing it changes each of them.
void ConventionView::paintWriteBack(QPainter& painter) const {
    const Colours& c = m_theme.colours();
    const int bottom = m_height - m_theme.scaled(writeBackHeight / 2);
    bool labelled = false;
    for (const Card& card : m_cards) {
        if (card.column != computed::AotConventionStep::Epilogue) continue;
        const computed::EpilogueCard& step = m_convention->epilogue[std::size_t(card.index)];
        const int base = find(computed::AotConventionStep::Bases, step.base);
        if (!step.writes || step.base < 0 || base < 0) continue;
        const QRect& to = m_cards[std::size_t(base)].rect;
        const double right = card.rect.right() + m_theme.scaled(7), left = to.right() + m_theme.scaled(8);
        QPainterPath path(QPointF(card.rect.right() + 1, card.rect.center().y()));
        path.lineTo(right, card.rect.center().y());
        path.lineTo(right, bottom);
        path.lineTo(left, bottom);
        path.lineTo(left, to.bottom() - m_theme.scaled(14));
        path.lineTo(to.right() + 1, to.bottom() - m_theme.scaled(14));
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(c.op(ir::OpKind::Write), 2, Qt::DashLine));
        painter.drawPath(path);
        if (std::exchange(labelled, true)) continue;
        QStringList names;
        for (const computed::OuterCard& outer : m_convention->outer)
            if (outer.base == step.base) names << argumentName(outer);
        painter.setFont(m_theme.font(FontRole::Section));
        const int most = int(right - left) - m_theme.scaled(40);
        const QString text =
            elided(painter.fontMetrics(), tr("write-back: %1 see it").arg(names.join(QStringLiteral(", "))),
                   Qt::ElideMiddle, most);
        const int width = painter.fontMetrics().horizontalAdvance(text) + m_theme.scaled(22);
        const QRectF pill((left + right - width) / 2, bottom - m_theme.scaled(10), width, m_theme.scaled(20));
        painter.setPen(QPen(c.op(ir::OpKind::Write), 1));
        painter.setBrush(c.bg1);
        painter.drawRoundedRect(pill, pill.height() / 2, pill.height() / 2);
        painter.drawText(pill, Qt::AlignCenter, text);
    }
}

void ConventionView::paintStorage(QPainter& painter, const QRect& area,
                                  const computed::BaseCard& base) const {
    const Colours& c = m_theme.colours();
    const std::uint64_t bytes = std::max<std::uint64_t>(1, base.bytes);
    const auto xOf = [&](std::uint64_t byte) {
        return area.left() + double(area.width()) * double(std::min(byte, bytes)) / double(bytes);
    };
    const std::size_t cells = base.cellBytes > 0 ? std::size_t(bytes / base.cellBytes) : 0;
    int y = area.top();
    const int cellHeight = m_theme.scaled(20);
    painter.setFont(m_theme.font(FontRole::CodeSmall));
    if (cells > 0 && cells <= mostCells) {
        for (std::size_t i = 0; i < cells; ++i) {
            const double left = xOf(i * base.cellBytes), right = xOf((i + 1) * base.cellBytes);
            const QRectF cell(left + 0.5, y + 0.5, right - left - 2, cellHeight);
            painter.setPen(c.line2);
            painter.setBrush(c.bg3);
            painter.drawRoundedRect(cell, 2, 2);
            painter.setPen(c.text);
            const QString text = i < base.values.size() ? toQString(base.values[i]) : QString::number(i);
            if (i >= base.values.size()) painter.setPen(c.text3);
            painter.drawText(cell, Qt::AlignCenter,
                             elided(painter.fontMetrics(), text, Qt::ElideRight, int(cell.width())));
        }
    } else {
        painter.setPen(c.line2);
        painter.setBrush(c.bg3);
        painter.drawRoundedRect(QRectF(area.left() + 0.5, y + 0.5, area.width() - 1, cellHeight), 2, 2);
        painter.setPen(c.text2);
        painter.drawText(QRect(area.left(), y, area.width(), cellHeight), Qt::AlignCenter,
                         cells > 0 ? tr("%1 cells").arg(numberText(cells)) : bytesText(base.bytes));
    }
    y += m_theme.scaled(30);
    for (const int member : base.members) {
        const computed::OuterCard& outer = m_convention->outer[std::size_t(member)];
        const QColor colour = c.op(outer.writesData ? ir::OpKind::Write : ir::OpKind::View);
        const int bar = m_theme.scaled(9);
        if (outer.cover)
            for (const auto& [begin, end] : outer.cover->ranges) {
                const QRectF piece(xOf(begin) + 0.5, y, std::max(2.0, xOf(end) - xOf(begin) - 1.5), bar);
                painter.setPen(QPen(colour, 1));
                QColor fill = colour;
                fill.setAlphaF(0.6F);
                painter.setBrush(fill);
                painter.drawRoundedRect(piece, 2, 2);
            }
        painter.setPen(colour);
        const QString words = argumentName(outer) + u' ' + toQString(outer.geometry) +
                              (outer.writesData ? tr(", written") : QString());
        painter.drawText(QRect(area.left(), y + bar, area.width(), m_theme.scaled(17)),
                         Qt::AlignLeft | Qt::AlignVCenter,
                         elided(painter.fontMetrics(), words, Qt::ElideRight, area.width()));
        y += m_theme.scaled(30);
    }
}

void ConventionView::paintCard(QPainter& painter, const Card& card) const {
    const Colours& c = m_theme.colours();
    const bool inStep = card.column == m_step, chosen = inStep && card.index == m_selected;
    const QRectF box = QRectF(card.rect).adjusted(0.5, 0.5, -0.5, -0.5);
    painter.setPen(QPen(chosen        ? c.accent
                        : card.dashed ? c.removed
                        : inStep      ? c.text3
                                      : c.line2,
                        chosen ? 2 : 1, card.dashed ? Qt::DashLine : Qt::SolidLine));
    painter.setBrush(card.dashed ? c.diff(diff::Change::Removed).fill : c.bg1);
    painter.drawRoundedRect(box, 5, 5);
    painter.save();
    QPainterPath clip;
    clip.addRoundedRect(box, 5, 5);
    painter.setClipPath(clip);
    painter.fillRect(QRectF(box.left(), box.top(), 4, box.height()), card.stripe);
    painter.restore();
    QRectF words = box.adjusted(11, 4, -7, -4);
    painter.setFont(m_theme.font(FontRole::Text));
    painter.setPen(card.write ? c.op(ir::OpKind::Write) : c.text2);
    const int most = int(words.width() * 0.6);
    const QString corner = elided(painter.fontMetrics(), card.corner, Qt::ElideRight, most);
    painter.drawText(words, Qt::AlignRight | Qt::AlignTop, corner);
    const double used = corner.isEmpty() ? 0 : painter.fontMetrics().horizontalAdvance(corner) + 8;
    painter.setFont(m_theme.font(FontRole::NodeName));
    painter.setPen(card.dashed ? c.removed : c.text);
    painter.drawText(words, Qt::AlignLeft | Qt::AlignTop,
                     elidedName(painter.fontMetrics(), card.title, int(words.width() - used)));
    if (card.base >= 0) {
        paintStorage(painter,
                     QRect(int(words.left()), int(words.top()) + m_theme.scaled(24), int(words.width()), 0),
                     m_convention->bases[std::size_t(card.base)]);
        return;
    }
    painter.setFont(m_theme.font(FontRole::CodeSmall));
    painter.setPen(card.dashed ? c.removed : c.text2);
    painter.drawText(words, Qt::AlignLeft | Qt::AlignBottom,
                     elided(painter.fontMetrics(), card.second, Qt::ElideRight, int(words.width())));
}

void ConventionView::paintEvent(QPaintEvent* /*event*/) {
    const Colours& c = m_theme.colours();
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), c.bg0);
    if (!m_convention) return;
    painter.setRenderHint(QPainter::Antialiasing);
    painter.translate(-offset());
    paintHeadings(painter);
    const QRect seen = viewport()->rect().translated(offset());
    for (const Line& line : m_lines)
        if (m_cards[line.from].rect.united(m_cards[line.to].rect).intersects(seen)) paintLine(painter, line);
    paintWriteBack(painter);
    for (const Card& card : m_cards)
        if (card.rect.intersects(seen)) paintCard(painter, card);
    painter.resetTransform();
    if (hasFocus()) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(c.accent);
        painter.drawRect(viewport()->rect().adjusted(0, 0, -1, -1));
    }
}

} // namespace dynascope::views
