// SPDX-License-Identifier: BSD-3-Clause
#include "views/base/chart_parts.h"
#include "views/compile_time/flame_chart.h"
#include "views/theme/picture.h"
#include "views/theme/shown_text.h"
#include "views/workspace/labels.h"

#include <QPainter>
#include <QScrollBar>
#include <algorithm>
#include <cmath>

namespace dynascope::views {

namespace {

constexpr double thinnestBox = 1.5; ///< px; what is thinner is drawn once a pixel
constexpr double stripeFrom = 8;    ///< px
constexpr double textFrom = 26;     ///< px

} // namespace

QColor partColour(const Colours& c, session::CompilerPart part) {
    using session::CompilerPart;
    switch (part) {
    case CompilerPart::Dynamo:
        return c.op(ir::OpKind::Compute);
    case CompilerPart::Aot:
        return c.op(ir::OpKind::View);
    case CompilerPart::Passes:
        return c.op(ir::OpKind::HigherOrder);
    case CompilerPart::CodeGen:
        return c.op(ir::OpKind::Parameter);
    case CompilerPart::Kernels:
        return c.op(ir::OpKind::Factory);
    case CompilerPart::Cache:
        return c.op(ir::OpKind::Write);
    case CompilerPart::Other:
        break;
    }
    return c.op(ir::OpKind::InputOutput);
}

QColor FlameChart::colourOf(int index) const {
    const Colours& c = m_theme.colours();
    const bool odd = std::size_t(index) < m_words.odd.size() && m_words.odd[std::size_t(index)] != 0;
    return fades(span(index)) ? c.line2 : odd ? c.changed : partColour(c, span(index).part);
}

void FlameChart::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(viewport());
    paint(painter, verticalScrollBar()->value(), viewport()->height());
}

Drawing FlameChart::picture() {
    const int height = rulerHeight() + m_contentHeight;
    return {QStringLiteral("compile_time"), QSizeF(viewport()->width(), height),
            [this, height](QPainter& painter) { paint(painter, 0, height); }};
}

void FlameChart::paint(QPainter& painter, int scroll, int height) {
    const Colours& c = m_theme.colours();
    painter.fillRect(0, 0, viewport()->width(), height, c.bg0);
    m_drawn = 0;
    const int top = rulerHeight();
    painter.setFont(m_theme.font(FontRole::CodeSmall));
    painter.setClipRect(m_titleWidth, 0, timeWidth(), height);
    for (const Row& row : m_rows) {
        const int y = top + row.y - scroll;
        if (y + rowHeight() > top && y < height) paintRow(painter, row, y);
    }
    painter.setClipping(false);
    for (std::size_t lane = 0; lane < m_words.lanes.size() && lane < m_firstRow.size(); ++lane) {
        const int y = top + m_rows[m_firstRow[lane]].y - scroll;
        if (y + rowHeight() <= top || y >= height) continue;
        paintTitle(painter, lane, y);
        paintEnd(painter, lane, y);
    }
    painter.setFont(m_theme.font(FontRole::Section));
    for (const LaneTitle& title : m_titles) {
        const QRect area(0, top + title.y - scroll, viewport()->width(), rowHeight());
        if (area.bottom() < top) continue;
        painter.fillRect(area, c.bg1);
        painter.setPen(c.text2);
        painter.drawText(area.adjusted(8, 0, -8, 0), Qt::AlignVCenter | Qt::AlignLeft, title.text);
    }
    if (m_selected >= 0) {
        painter.setPen(QPen(c.accent, 2));
        painter.setBrush(Qt::NoBrush);
        // Clipped, since a pen across millions of pixels is slow.
        QRectF box = spanRect(m_selected).translated(0, verticalScrollBar()->value() - scroll);
        box.setLeft(std::max(box.left(), m_titleWidth - 8.0));
        box.setRight(std::min(box.right(), viewport()->width() + 8.0));
        painter.setClipRect(m_titleWidth, 0, timeWidth(), height);
        if (box.left() <= box.right()) painter.drawRect(box.adjusted(0, 0, -1, -1));
        painter.setClipping(false);
    }
    paintRuler(painter);
}

void FlameChart::paintRow(QPainter& painter, const Row& row, int y) {
    const double right = timeRight(), rightTime = rightUs();
    auto at = std::partition_point(row.spans.begin(), row.spans.end(),
                                   [&](int i) { return span(i).endUs < m_left; });
    while (at != row.spans.end() && span(*at).startUs <= rightTime) {
        const session::Span& s = span(*at);
        const double x0 = std::max(xOf(s.startUs), m_titleWidth - 4.0),
                     x1 = std::min(xOf(s.endUs), right + 4);
        ++m_drawn;
        if (x1 - x0 >= thinnestBox) {
            paintBox(painter, *at, QRectF(x0, y + 0.5, x1 - x0 - 0.7, rowHeight() - 1));
            ++at;
            continue;
        }
        const double pixel = std::floor(x0), until = usAt(pixel + 1);
        const auto next =
            std::partition_point(at, row.spans.end(), [&](int i) { return span(i).endUs < until; });
        painter.fillRect(QRectF(pixel, y + 0.5, 1, rowHeight() - 1), colourOf(*at));
        at = next == at ? at + 1 : next;
    }
}

void FlameChart::paintBox(QPainter& painter, int index, const QRectF& box) const {
    const Colours& c = m_theme.colours();
    const session::Span& s = span(index);
    const bool faded = fades(s);
    const QColor colour = colourOf(index);
    painter.fillRect(box, index == m_hover ? c.bg3 : faded ? c.bg2 : fillOf(colour, c));
    if (box.width() >= stripeFrom) painter.fillRect(QRectF(box.left(), box.top(), 3, box.height()), colour);
    if (int(s.name) == m_outlined || (!faded && !m_matching.empty())) {
        painter.setPen(QPen(c.accent, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5));
    }
    if (s.open && box.right() < viewport()->width()) {
        painter.setPen(QPen(c.changed, 2, Qt::DotLine));
        painter.drawLine(box.topRight(), box.bottomRight());
    }
    // The name stays in view while the box reaches out of it.
    const double left = std::max(box.left(), double(m_titleWidth));
    const QRectF area(left + 7, box.top(), std::min(box.right(), double(timeRight())) - left - 10,
                      box.height());
    if (area.width() < textFrom) return;
    const QString name = boxName(index), time = durationText(s.totalUs());
    const QFontMetrics metrics = painter.fontMetrics();
    const int nameWidth = metrics.horizontalAdvance(name), timeWidth = metrics.horizontalAdvance(time);
    painter.setPen(faded ? c.text3 : c.text);
    painter.drawText(area, Qt::AlignVCenter | Qt::AlignLeft,
                     nameWidth <= area.width() ? name
                                               : elided(metrics, name, Qt::ElideRight, int(area.width())));
    if (nameWidth + 12 + timeWidth > area.width()) return;
    painter.setPen(faded ? c.text3 : c.text2);
    painter.drawText(area.adjusted(nameWidth + 12, 0, 0, 0), Qt::AlignVCenter | Qt::AlignLeft, time);
}

void FlameChart::paintTitle(QPainter& painter, std::size_t lane, int y) const {
    const Colours& c = m_theme.colours();
    painter.setFont(m_theme.font(FontRole::Text));
    painter.setPen(c.text);
    const int gap = m_theme.scaled(10);
    const QRect area(gap, y, m_titleWidth - gap - m_theme.scaled(6), rowHeight());
    painter.drawText(area, Qt::AlignVCenter | Qt::AlignLeft,
                     elided(painter.fontMetrics(), m_words.lanes[lane].title, Qt::ElideRight, area.width()));
}

void FlameChart::paintEnd(QPainter& painter, std::size_t lane, int y) const {
    const Row& row = m_rows[m_firstRow[lane]];
    if (row.spans.empty() || timeRight() == viewport()->width()) return;
    const Colours& c = m_theme.colours();
    const double from = std::max(xOf(span(row.spans.back()).endUs) + 2, double(m_titleWidth));
    painter.setPen(QPen(c.line2, 1, Qt::DotLine));
    if (from < timeRight())
        painter.drawLine(QPointF(from, y + rowHeight() / 2.0), QPointF(timeRight(), y + rowHeight() / 2.0));
    painter.setFont(m_theme.font(FontRole::Text));
    painter.setPen(c.text2);
    painter.drawText(QRect(timeRight() + m_theme.scaled(10), y, m_endWidth, rowHeight()),
                     Qt::AlignVCenter | Qt::AlignLeft, m_words.lanes[lane].end);
}

void FlameChart::paintRuler(QPainter& painter) const {
    const Colours& c = m_theme.colours();
    const int height = rulerHeight(), width = viewport()->width();
    painter.fillRect(0, 0, width, height, c.bg2);
    painter.setFont(m_theme.font(FontRole::CodeSmall));
    if (!m_tree->spans.empty()) {
        const double step = niceStep(m_theme.scaled(92) / m_perUs);
        double tick = std::ceil((m_left - m_tree->startUs) / step) * step;
        for (double x = xOf(m_tree->startUs + tick); x < timeRight();
             tick += step, x = xOf(m_tree->startUs + tick)) {
            painter.setPen(c.line2);
            painter.drawLine(QPointF(x, height - 6), QPointF(x, height - 1));
            painter.setPen(c.text2);
            painter.drawText(QRectF(x + 4, 0, m_theme.scaled(88), height - 2),
                             Qt::AlignVCenter | Qt::AlignLeft,
                             tick == 0 ? QStringLiteral("0") : durationText(tick));
        }
    }
    painter.setPen(c.line);
    painter.drawLine(0, height - 1, width, height - 1);
    if (m_markedTo >= m_markedFrom) {
        const double from = std::clamp(xOf(m_markedFrom), double(m_titleWidth), double(width));
        const double to = std::clamp(xOf(m_markedTo), from, double(width));
        if (to > m_titleWidth && from < width)
            painter.fillRect(QRectF(from, height - 3, std::max(2.0, to - from), 2), c.accent);
    }
}

} // namespace dynascope::views
