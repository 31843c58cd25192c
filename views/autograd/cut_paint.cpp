// SPDX-License-Identifier: BSD-3-Clause
//
// How the cut is drawn.
#include "views/autograd/cut_view.h"
#include "views/autograd/split_rows.h"
#include "views/base/row_table.h"
#include "views/theme/elided_name.h"
#include "views/theme/op_bar.h"
#include "views/theme/shown_text.h"
#include "views/workspace/labels.h"

#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

namespace dynascope::views {

namespace {

/// Thicker for more bytes: a pixel for each factor of 64 beyond 4 KiB, four at most.
double widthOf(std::int64_t bytes) {
    return 1.2 + std::clamp(std::log2(std::max<double>(double(bytes), 1) / 4096.0) / 6.0, 0.0, 3.0);
}

} // namespace

void CutView::paintLine(QPainter& painter, const computed::CutValue& value, bool selected) const {
    if (value.forwardRow == SIZE_MAX || value.backwardRows.empty()) return;
    const Colours& c = m_theme.colours();
    const QRect from = rowRect(Side::Forward, int(value.forwardRow));
    const QPointF start(from.right(), from.center().y());
    const std::size_t drawn = selected ? value.backwardRows.size() : 1;
    for (std::size_t i = 0; i < drawn; ++i) {
        const QRect to = rowRect(Side::Backward, int(value.backwardRows[i]));
        const QPointF end(to.left(), to.center().y());
        const double top = std::min(start.y(), end.y()), bottom = std::max(start.y(), end.y());
        if (bottom < headerHeight() || top > viewport()->height()) continue;
        const double bend = gutter() * 0.45;
        QPainterPath path(start);
        path.cubicTo(start + QPointF(bend, 0), end - QPointF(bend, 0), end);
        QPen pen(selected      ? c.accent
                 : value.input ? c.edge
                               : toneColour(value.recomputed ? Tone::Recorded : Tone::Saved, c),
                 selected ? std::max(2.0, widthOf(value.bytes)) : widthOf(value.bytes));
        if (value.recomputed) pen.setStyle(Qt::DashLine);
        painter.setPen(pen);
        painter.drawPath(path);
    }
}

void CutView::paintLines(QPainter& painter) const {
    painter.setBrush(Qt::NoBrush);
    painter.save();
    if (m_value >= 0) painter.setOpacity(0.35);
    for (const computed::CutValue& value : m_split->values)
        if (!value.recomputed) paintLine(painter, value, false);
    painter.restore();
    if (m_value >= 0) paintLine(painter, m_split->values[std::size_t(m_value)], true);
}

void CutView::paintRow(QPainter& painter, Side side, int row) const {
    const Colours& c = m_theme.colours();
    const computed::CutSide& of = cutSide(side);
    const ir::Node& node = of.graph->node(of.rows[std::size_t(row)]);
    const QRect box = rowRect(side, row);
    const bool current = m_side == side && m_row == row;
    const int value = valueOf(side, row);
    const bool reads =
        m_value >= 0 && side == Side::Backward &&
        std::binary_search(m_split->values[std::size_t(m_value)].backwardRows.begin(),
                           m_split->values[std::size_t(m_value)].backwardRows.end(), std::size_t(row));
    if (current)
        painter.fillRect(box, c.row);
    else if (reads || (m_value >= 0 && side == Side::Forward && value == m_value))
        painter.fillRect(box, c.accentBg);
    const int bar = m_theme.scaled(3);
    paintOpBar(painter, QRect(box.left() + 10, box.top() + 4, bar, box.height() - 8), c, ir::opKind(node));
    QRect words = box.adjusted(10 + bar + 7, 0, -8, 0);
    painter.setFont(m_theme.font(FontRole::CodeSmall));
    const auto note = [&](const QString& text, const QColor& colour) {
        painter.setPen(colour);
        painter.drawText(words, Qt::AlignRight | Qt::AlignVCenter, text);
        words.setRight(words.right() - painter.fontMetrics().horizontalAdvance(text) - 10);
    };
    if (of.again[std::size_t(row)])
        note(tr("recomputed"), c.added);
    else if (side == Side::Forward && value >= 0 && !m_split->values[std::size_t(value)].recomputed)
        note(bytesText(qulonglong(m_split->values[std::size_t(value)].bytes)), c.text);
    painter.setFont(m_theme.font(FontRole::NodeName));
    painter.setPen(c.text);
    const QString name = elidedName(painter.fontMetrics(), shownName(of, of.rows[std::size_t(row)]),
                                    std::max(40, words.width() * 3 / 5));
    painter.drawText(words, Qt::AlignLeft | Qt::AlignVCenter, name);
    words.setLeft(words.left() + painter.fontMetrics().horizontalAdvance(name) + 10);
    if (words.width() < m_theme.scaled(30)) return;
    const QString target =
        node.op == ir::Op::Placeholder ? tr("input") : toQString(ir::shortTarget(node.target));
    painter.setFont(m_theme.font(FontRole::CodeSmall));
    painter.setPen(c.text2);
    painter.drawText(words, Qt::AlignLeft | Qt::AlignVCenter,
                     elidedName(painter.fontMetrics(), target, words.width()));
}

void CutView::paintHeader(QPainter& painter) const {
    const Colours& c = m_theme.colours();
    const int height = headerHeight(), width = viewport()->width();
    painter.fillRect(0, 0, width, height, c.bg2);
    painter.setPen(c.line);
    painter.drawLine(0, height - 1, width, height - 1);
    painter.setFont(m_theme.font(FontRole::Strong));
    painter.setPen(c.text);
    const auto title = [&](Side side, const QString& text) {
        const int left = side == Side::Forward ? 12 : width - laneWidth() + 10;
        painter.drawText(QRect(left, 0, laneWidth() - 12, height), Qt::AlignLeft | Qt::AlignVCenter,
                         elided(painter.fontMetrics(), text, Qt::ElideRight, laneWidth() - 12));
    };
    title(Side::Forward,
          tr("↓ Forward, %1").arg(countText(qulonglong(count(Side::Forward)), tr("node"), tr("nodes"))));
    title(Side::Backward,
          tr("↑ Backward, %1").arg(countText(qulonglong(count(Side::Backward)), tr("node"), tr("nodes"))));
    painter.setFont(m_theme.font(FontRole::Section));
    painter.setPen(c.text2);
    painter.drawText(QRect(laneWidth(), 0, gutter(), height), Qt::AlignCenter,
                     elided(painter.fontMetrics(),
                            tr("cut: %1").arg(bytesText(qulonglong(m_split->savedBytes))), Qt::ElideRight,
                            gutter()));
}

void CutView::paintEvent(QPaintEvent* /*event*/) {
    const Colours& c = m_theme.colours();
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), c.bg1);
    if (!m_split) return;
    painter.fillRect(QRect(laneWidth(), 0, gutter(), viewport()->height()), c.bg0);
    painter.setRenderHint(QPainter::Antialiasing);
    const double middle = viewport()->width() / 2.0;
    painter.setPen(QPen(c.text3, 1, Qt::DashLine));
    painter.drawLine(QPointF(middle, headerHeight()), QPointF(middle, viewport()->height()));
    paintLines(painter);
    for (const Side side : {Side::Forward, Side::Backward})
        for (int row = 0; row < count(side); ++row) {
            const QRect box = rowRect(side, row);
            if (box.bottom() >= headerHeight() && box.top() <= viewport()->height())
                paintRow(painter, side, row);
        }
    paintHeader(painter);
    if (hasFocus()) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(c.accent);
        painter.drawRect(viewport()->rect().adjusted(0, 0, -1, -1));
    }
}

} // namespace dynascope::views
