// SPDX-License-Identifier: BSD-3-Clause
//
// CodeView: painting. Only the rows, and of long lines only the columns, that are on screen.
#include "views/base/code_view.h"
#include "views/base/syntax.h"
#include "views/theme/shown_text.h"
#include "views/theme/theme.h"

#include <QPaintEvent>
#include <QPainter>
#include <QScrollBar>
#include <algorithm>

namespace dynascope::views {

namespace {

QString signText(diff::Change change) {
    const char32_t sign = diff::changeSign(change);
    return QString::fromUcs4(&sign, 1);
}

void hatch(QPainter& painter, const QRect& area, const Colours& c) {
    painter.save();
    painter.setClipRect(area);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(c.line2, 1));
    constexpr int step = 7;
    // Lines start on multiples of the step from the top of the view, so that neighbouring rows join up.
    const int begin = area.left() - area.height() - ((area.left() + area.bottom()) % step);
    for (int x = begin; x < area.right() + step; x += step)
        painter.drawLine(x, area.bottom() + 1, x + area.height(), area.top() + 1);
    painter.restore();
}

} // namespace

std::pair<CodeView::Position, CodeView::Position> CodeView::selection() const {
    const bool ordered = std::pair(m_anchor.row, m_anchor.column) <= std::pair(m_caret.row, m_caret.column);
    return ordered ? std::pair(m_anchor, m_caret) : std::pair(m_caret, m_anchor);
}

void CodeView::paintEvent(QPaintEvent* event) {
    QPainter painter(viewport());
    const Colours& c = m_theme.colours();
    painter.fillRect(event->rect(), c.bg1);
    painter.setFont(m_theme.font(FontRole::Code));
    if (m_shown.empty()) {
        painter.setFont(m_theme.font(FontRole::Text));
        painter.setPen(c.text2);
        painter.drawText(viewport()->rect().adjusted(12, 12, -12, -12), Qt::AlignCenter | Qt::TextWordWrap,
                         m_options.emptyText);
        return;
    }
    const int top = verticalScrollBar()->value();
    for (int pane = 0; pane < paneCount(); ++pane) {
        const Geometry g = geometryOf(pane);
        painter.fillRect(QRect(g.left, 0, g.signLeft - g.left, viewport()->height()), c.dark ? c.bg2 : c.bg0);
    }
    for (int i = std::max(0, event->rect().top() / m_rowHeight);; ++i) {
        const int y = i * m_rowHeight;
        if (y > event->rect().bottom() || top + i >= int(m_shown.size())) break;
        const int shown = m_shown[std::size_t(top) + std::size_t(i)];
        if (shown < 0) {
            paintFold(painter, -1 - shown, y);
            continue;
        }
        for (int pane = 0; pane < paneCount(); ++pane)
            paintRow(painter, pane, shown, y);
    }
    if (m_b) painter.fillRect(QRect(geometryOf(0).width, 0, 1, viewport()->height()), c.line);
}

void CodeView::paintFold(QPainter& painter, int firstRow, int y) const {
    const Colours& c = m_theme.colours();
    const auto at = std::find_if(m_folds.begin(), m_folds.end(),
                                 [firstRow](const auto& f) { return f.first == firstRow; });
    if (at == m_folds.end()) return;
    const QRect band(0, y, viewport()->width(), m_rowHeight);
    painter.fillRect(band.adjusted(0, 2, 0, -2), c.bg3);
    painter.setFont(m_theme.font(FontRole::Section));
    painter.setPen(c.accent);
    for (int pane = 0; pane < paneCount(); ++pane) {
        const Geometry g = geometryOf(pane);
        painter.drawText(
            QRect(g.textLeft, y, g.width, m_rowHeight), Qt::AlignVCenter,
            tr("… %n same line(s)", nullptr, at->second - at->first)
                .replace(QLatin1String("(s)"), QLatin1String(at->second - at->first == 1 ? "" : "s")));
    }
    painter.setFont(m_theme.font(FontRole::Code));
}

void CodeView::paintRow(QPainter& painter, int pane, int row, int y) const {
    const Colours& c = m_theme.colours();
    const CodeRow& data = m_rows[std::size_t(row)];
    const Geometry g = geometryOf(pane);
    const QRect area(g.left, y, g.width, m_rowHeight);
    if (!data.note.isEmpty()) {
        painter.fillRect(area, c.diff(diff::Change::Removed).fill);
        painter.setFont(m_theme.font(FontRole::Section));
        painter.setPen(c.removed);
        const QRect text = area.adjusted(g.textLeft - g.left, 0, -8, 0);
        painter.drawText(text, Qt::AlignVCenter,
                         elided(painter.fontMetrics(), data.note, Qt::ElideRight, text.width()));
        painter.setFont(m_theme.font(FontRole::Code));
        return;
    }
    const CodeLine* line = lineAt(pane, row);
    if (!line) {
        hatch(painter, area.adjusted(g.signLeft - g.left, 0, 0, 0), c);
        return;
    }
    const int index = data.line[std::size_t(pane)];
    const bool selected = m_selectedLines[std::size_t(pane)].contains(index);
    const bool related = m_relatedLines[std::size_t(pane)].contains(index);
    const auto mark = m_marks[std::size_t(pane)].constFind(index);
    const QRect body = area.adjusted(g.signLeft - g.left, 0, 0, 0);
    if (const QColor fill = c.diff(data.change).fill; isDifference(row) && fill.isValid())
        painter.fillRect(body, fill);
    else if (mark != m_marks[std::size_t(pane)].cend() && mark->fillRow)
        painter.fillRect(body, c.diff(diff::Change::Removed).fill);
    if (selected) {
        painter.fillRect(body, isDifference(row)
                                   ? QColor(c.accent.red(), c.accent.green(), c.accent.blue(), 46)
                                   : c.accentBg);
        painter.fillRect(QRect(g.signLeft, y, 2, m_rowHeight), c.accent);
    } else if (related) {
        painter.fillRect(body, QColor(c.accent.red(), c.accent.green(), c.accent.blue(), c.dark ? 26 : 20));
        painter.setPen(QPen(c.accent, 2, Qt::DotLine));
        painter.drawLine(g.signLeft + 1, y, g.signLeft + 1, y + m_rowHeight);
    } else if (row == m_hoverRow && pane == m_hoverPane && !isDifference(row)) {
        painter.fillRect(body, c.bg2);
    }
    if (hasFocus() && row == m_caret.row && pane == m_caret.pane) {
        painter.setPen(c.line2);
        painter.drawRect(body.adjusted(2, 0, -1, -1));
    }
    paintRanges(painter, pane, row, y);
    paintGutter(painter, pane, row, y);
    paintText(painter, pane, row, y);
}

void CodeView::paintGutter(QPainter& painter, int pane, int row, int y) const {
    const Colours& c = m_theme.colours();
    const CodeRow& data = m_rows[std::size_t(row)];
    const CodeLine* line = lineAt(pane, row);
    const Geometry g = geometryOf(pane);
    if (line->number > 0) {
        painter.setPen(m_selectedLines[std::size_t(pane)].contains(data.line[std::size_t(pane)]) ? c.text
                                                                                                 : c.text3);
        painter.drawText(QRect(g.left, y, g.numberRight - g.left, m_rowHeight),
                         Qt::AlignRight | Qt::AlignVCenter, QString::number(line->number));
    }
    const bool oneSided = data.line[0] < 0 || data.line[1] < 0;
    if (m_options.signs && data.change != diff::Change::Same &&
        !(oneSided && data.change == diff::Change::Respelled)) {
        painter.setPen(c.diff(data.change).line);
        painter.drawText(QRect(g.signLeft + 2, y, g.textLeft - g.signLeft - 2, m_rowHeight), Qt::AlignCenter,
                         signText(data.change));
    }
    const auto& marks = m_marks[std::size_t(pane)];
    const auto mark = marks.constFind(data.line[std::size_t(pane)]);
    if (mark == marks.cend()) return;
    const QColor colour = mark->strong ? c.removed : c.text2;
    const int pad = m_theme.scaled(4);
    painter.setPen(colour);
    painter.setFont(m_theme.font(FontRole::CodeSmall));
    painter.drawText(QRect(g.left + pad, y, m_markTextWidth, m_rowHeight), Qt::AlignLeft | Qt::AlignVCenter,
                     mark->text);
    painter.setPen(c.text2);
    painter.drawText(QRect(g.left + m_markWidth, y, m_countWidth, m_rowHeight),
                     Qt::AlignRight | Qt::AlignVCenter, mark->count);
    painter.setFont(m_theme.font(FontRole::Code));
    if (mark->share >= 0) {
        const int room = m_markWidth - m_markTextWidth - pad;
        const int width = std::max(2, int(room * std::min(1.0, mark->share)));
        painter.fillRect(QRect(g.left + m_markWidth - width, y + m_rowHeight / 2 - 4, width, 8), colour);
    }
    if (!mark->icon.isEmpty()) {
        const int size = m_theme.scaled(14);
        m_theme.icon(mark->icon, colour)
            .paint(&painter, QRect(g.signLeft + 2, y + (m_rowHeight - size) / 2, size, size));
    }
}

void CodeView::paintRanges(QPainter& painter, int pane, int row, int y) const {
    const Colours& c = m_theme.colours();
    const CodeLine& line = *lineAt(pane, row);
    const Geometry g = geometryOf(pane);
    painter.save();
    painter.setClipRect(QRect(g.textLeft, y, g.left + g.width - g.textLeft, m_rowHeight));
    const double origin = g.textLeft + 4 - horizontalScrollBar()->value();
    const int size = int(line.text.size());
    const auto area = [&](int begin, int end) {
        const double x1 = origin + xOf(line, std::min(begin, size)),
                     x2 = origin + xOf(line, std::min(end, size));
        return QRectF(x1, y, x2 - x1, m_rowHeight);
    };
    const CodeRow& data = m_rows[std::size_t(row)];
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    for (const CodeRange& word : data.words[std::size_t(pane)]) {
        const QColor colour = c.diff(isDifference(row) ? data.change : diff::Change::Removed).word;
        painter.setBrush(colour.isValid() ? colour : c.bg3);
        painter.drawRoundedRect(area(word.begin, word.end).adjusted(-1, 1, 1, -1), 3, 3);
    }
    const auto match =
        std::lower_bound(m_matches.begin(), m_matches.end(), std::pair(row, pane),
                         [](const Match& m, const auto& at) { return std::pair(m.row, m.pane) < at; });
    for (auto at = match; at != m_matches.end() && at->row == row && at->pane == pane; ++at) {
        const bool current = at - m_matches.begin() == m_match;
        painter.setBrush(current ? c.row : c.bg3);
        painter.setPen(QPen(current ? c.accent : c.line2, 1));
        painter.drawRoundedRect(area(at->begin, at->end).adjusted(-0.5, 1.5, 0.5, -1.5), 3, 3);
    }
    painter.setPen(Qt::NoPen);
    const auto [from, to] = selection();
    if (from.pane == pane && from.row >= 0 && row >= from.row && row <= to.row) {
        const int begin = row == from.row ? from.column : 0;
        const int end = row == to.row ? to.column : size + 1;
        QRectF selected = area(begin, end);
        if (end > size) selected.setWidth(selected.width() + m_charWidth);
        painter.fillRect(selected, c.row);
    }
    painter.restore();
}

void CodeView::paintSign(QPainter& painter, const QRectF& cell) const {
    const Colours& c = m_theme.colours();
    const QRectF box = cell.adjusted(0.5, cell.height() * 0.2, -0.5, -cell.height() * 0.2);
    painter.setPen(QPen(c.changed, 1));
    painter.drawRect(box);
    painter.drawLine(box.bottomLeft(), box.topRight());
}

void CodeView::paintText(QPainter& painter, int pane, int row, int y) const {
    const Colours& c = m_theme.colours();
    const CodeLine& line = *lineAt(pane, row);
    const Geometry g = geometryOf(pane);
    painter.save();
    painter.setClipRect(QRect(g.textLeft, y, g.left + g.width - g.textLeft, m_rowHeight));
    const int scroll = horizontalScrollBar()->value();
    const double origin = g.textLeft + 4 - scroll;
    const int size = int(line.text.size());
    const int firstCell = std::max(0, int(scroll / m_charWidth) - 2);
    const int firstColumn = line.columnAt(std::uint32_t(firstCell));
    const int lastColumn =
        std::min(size, line.columnAt(std::uint32_t(firstCell + int(g.width / m_charWidth) + 4)) + 1);
    const bool strong =
        m_selectedLines[std::size_t(pane)].contains(m_rows[std::size_t(row)].line[std::size_t(pane)]);
    // Letters that are not Latin stand each in its own cell, and what hides or turns others is a sign: so
    // nothing of a line changes the place of anything else in it.
    const auto isLatin = [&](int column) {
        return line.text[column].unicode() < 0x300 && !line.isSign(column);
    };
    const auto draw = [&](int begin, int end, const QColor& colour) {
        for (int to = begin; begin < end; begin = to) {
            const QPointF at(origin + xOf(line, begin), y);
            if (line.isSign(begin)) {
                paintSign(painter, QRectF(at, QSizeF(m_charWidth, m_rowHeight)));
                to = begin + 1;
                continue;
            }
            to = begin + 1;
            const bool latin = isLatin(begin);
            while (to < end && (latin ? isLatin(to) : line.cellOf(to + 1) == line.cellOf(to)))
                ++to;
            painter.setPen(colour);
            painter.drawText(at + QPointF(0, m_ascent), line.text.mid(begin, to - begin));
        }
    };
    // On the words that changed, syntax colours cannot be read.
    const std::vector<CodeRange>& words = m_rows[std::size_t(row)].words[std::size_t(pane)];
    const auto drawStyled = [&](int begin, int end, const QColor& colour) {
        auto word = std::partition_point(words.begin(), words.end(),
                                         [&](const CodeRange& range) { return range.end <= begin; });
        for (; word != words.end() && word->begin < end && begin < end; ++word) {
            draw(begin, std::max(begin, word->begin), colour);
            draw(std::max(begin, word->begin), std::min(end, word->end), c.text);
            begin = std::min(end, word->end);
        }
        draw(begin, end, colour);
    };
    const auto run = [&](int begin, int end, CodeStyle style) {
        begin = std::max(begin, firstColumn);
        end = std::min({end, lastColumn, size});
        if (begin >= end) return;
        // On a selected row comments keep their contrast by using the label colour.
        const bool hint = style == CodeStyle::Comment && (strong || isDifference(row));
        drawStyled(begin, end, hint ? c.text2 : syntaxColour(style, c));
    };
    int at = 0;
    for (const CodeSpan& span : line.spans) {
        run(at, span.begin, CodeStyle::Plain);
        run(span.begin, span.end, span.style);
        at = span.end;
    }
    run(at, size, CodeStyle::Plain);
    const auto underline = [&](int begin, int end, bool solid) {
        painter.setPen(QPen(c.accent, 1, solid ? Qt::SolidLine : Qt::DotLine));
        const double bottom = y + m_ascent + 2;
        painter.drawLine(QPointF(origin + xOf(line, begin), bottom),
                         QPointF(origin + xOf(line, end), bottom));
    };
    for (const CodeLink& link : line.links) {
        if (link.end <= firstColumn || link.begin >= lastColumn) continue;
        drawStyled(std::max(link.begin, firstColumn), std::min(link.end, lastColumn), c.accent);
        const bool hovered =
            row == m_hoverRow && pane == m_hoverPane && m_hoverIsLink && m_hoverWord.begin == link.begin;
        if (hovered) underline(link.begin, link.end, true);
    }
    if (row == m_hoverRow && pane == m_hoverPane && !m_hoverIsLink && m_hoverWord.end > m_hoverWord.begin)
        underline(m_hoverWord.begin, m_hoverWord.end, true);
    painter.restore();
}

} // namespace dynascope::views
