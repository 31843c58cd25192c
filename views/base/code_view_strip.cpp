// SPDX-License-Identifier: BSD-3-Clause
#include "views/base/code_view_strip.h"

#include "views/theme/theme.h"

#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <algorithm>

namespace dynascope::views {

CodeView::Strip::Strip(CodeView& view)
    : QWidget(&view)
    , m_view(view) {
    setCursor(Qt::ArrowCursor);
    setToolTip(CodeView::tr("Where the differences are. F7 and Shift+F7 step through them."));
}

void CodeView::Strip::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    const Colours& c = m_view.m_theme.colours();
    painter.fillRect(rect(), c.bg1);
    const int total = int(m_view.m_shown.size());
    if (total == 0) return;
    const double scale = double(height()) / std::max(total, height() / m_view.m_rowHeight);
    const int markHeight = std::max(2, int(scale));
    for (int i = 0; i < total; ++i) {
        const int row = m_view.m_shown[std::size_t(i)];
        if (row < 0 || !m_view.isDifference(row)) continue;
        painter.fillRect(2, int(i * scale), width() - 4, markHeight,
                         c.diff(m_view.m_rows[std::size_t(row)].change).line);
    }
    for (const Match& match : m_view.m_matches)
        painter.fillRect(0, int(m_view.shownIndex(match.row) * scale), width(), 2, c.text2);
    for (std::size_t pane = 0; pane < 2; ++pane)
        for (const int line : m_view.m_selectedLines[pane])
            if (line >= 0 && line < int(m_view.m_rowOfLine[pane].size()))
                if (const int row = m_view.m_rowOfLine[pane][std::size_t(line)]; row >= 0)
                    painter.fillRect(0, int(m_view.shownIndex(row) * scale), width(), 3, c.accent);
}

void CodeView::Strip::mousePressEvent(QMouseEvent* event) {
    scrollTo(event->position().toPoint().y());
}

void CodeView::Strip::mouseMoveEvent(QMouseEvent* event) {
    if (event->buttons() & Qt::LeftButton) scrollTo(event->position().toPoint().y());
}

void CodeView::Strip::scrollTo(int y) {
    const int total = int(m_view.m_shown.size());
    QScrollBar* bar = m_view.verticalScrollBar();
    bar->setValue(y * std::max(total, 1) / std::max(1, height()) - bar->pageStep() / 2);
}

} // namespace dynascope::views
