// SPDX-License-Identifier: BSD-3-Clause
//
// CodeView: mouse, keyboard, find and copy.
#include "views/base/code_view.h"
#include "views/base/code_view_strip.h"
#include "views/base/find_bar.h"
#include "views/theme/shown_text.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenu>
#include <QScrollBar>
#include <QToolTip>
#include <algorithm>

namespace dynascope::views {

namespace {
constexpr std::size_t matchLimit = 20000; // past it a search says nothing that a reader could use
constexpr int longestToolTip = 2000;

bool inWord(QChar c) {
    return c.isLetterOrNumber() || c == u'_';
}
} // namespace

CodeView::Position CodeView::positionAt(QPoint point, bool clamp) const {
    const int total = int(m_shown.size());
    if (total == 0) return {};
    int index = point.y() / m_rowHeight + verticalScrollBar()->value();
    if (point.y() < 0) index = verticalScrollBar()->value() - 1;
    if (index >= total || index < 0) {
        if (!clamp) return {};
        index = std::clamp(index, 0, total - 1);
    }
    const int shown = m_shown[std::size_t(index)];
    Position at;
    at.pane = m_b && point.x() > geometryOf(0).width ? 1 : 0;
    at.row = shown < 0 ? -1 - shown : shown;
    if (const CodeLine* line = lineAt(at.pane, at.row))
        at.column =
            columnAt(*line, point.x() - geometryOf(at.pane).textLeft - 4 + horizontalScrollBar()->value());
    return at;
}

CodeRange CodeView::wordAt(const QString& text, int column) {
    const int size = int(text.size());
    int begin = std::min(column, size), end = begin;
    while (begin > 0 && inWord(text[begin - 1]))
        --begin;
    while (end < size && inWord(text[end]))
        ++end;
    return {begin, end};
}

const CodeLink* CodeView::linkAt(const Position& at) const {
    const CodeLine* line = lineAt(at.pane, at.row);
    if (!line) return nullptr;
    for (const CodeLink& link : line->links)
        if (at.column >= link.begin && at.column <= link.end) return &link;
    return nullptr;
}

void CodeView::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    const QPoint point = event->position().toPoint();
    const Position at = positionAt(point, false);
    if (at.row < 0) return;
    const int index =
        std::min(point.y() / m_rowHeight + verticalScrollBar()->value(), int(m_shown.size()) - 1);
    if (m_shown[std::size_t(index)] < 0) {
        unfold(at.row);
        return;
    }
    m_pressed = point;
    m_dragging = true;
    if (event->modifiers() & Qt::ShiftModifier && m_caret.row >= 0 && m_caret.pane == at.pane)
        m_caret = at;
    else
        m_anchor = m_caret = at;
    viewport()->update();
}

void CodeView::mouseMoveEvent(QMouseEvent* event) {
    const QPoint point = event->position().toPoint();
    if (m_dragging && event->buttons() & Qt::LeftButton) {
        Position at = positionAt(point, true);
        if (at.pane != m_anchor.pane) {
            const int pane = m_anchor.pane;
            const CodeLine* line = lineAt(pane, at.row);
            at = {pane, at.row, pane == 0 && line ? int(line->text.size()) : 0};
        }
        m_caret = at;
        if (point.y() < 0) verticalScrollBar()->triggerAction(QAbstractSlider::SliderSingleStepSub);
        if (point.y() > viewport()->height())
            verticalScrollBar()->triggerAction(QAbstractSlider::SliderSingleStepAdd);
        viewport()->update();
        return;
    }
    updateCursor(point, event->modifiers());
}

void CodeView::updateCursor(QPoint point, Qt::KeyboardModifiers modifiers) {
    const Position at = positionAt(point, false);
    const CodeLine* line = lineAt(at.pane, at.row);
    const CodeLink* link = linkAt(at);
    CodeRange word;
    if (link)
        word = {link->begin, link->end};
    else if (line && modifiers & Qt::ControlModifier)
        word = wordAt(line->text, at.column);
    const int row = line ? at.row : -1;
    const bool changed = row != m_hoverRow || at.pane != m_hoverPane || word.begin != m_hoverWord.begin ||
                         word.end != m_hoverWord.end;
    m_hoverRow = row;
    m_hoverPane = at.pane;
    m_hoverWord = word;
    m_hoverIsLink = link != nullptr;
    const bool inText = point.x() >= geometryOf(at.pane).textLeft;
    viewport()->setCursor(word.end > word.begin ? Qt::PointingHandCursor
                          : line && inText      ? Qt::IBeamCursor
                                                : Qt::ArrowCursor);
    if (changed) viewport()->update();
}

void CodeView::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || !std::exchange(m_dragging, false)) return;
    const QPoint point = event->position().toPoint();
    if ((point - m_pressed).manhattanLength() >= QApplication::startDragDistance()) return;
    const Position at = positionAt(point, false);
    const CodeLine* line = lineAt(at.pane, at.row);
    if (!line) return;
    const int index = m_rows[std::size_t(at.row)].line[std::size_t(at.pane)];
    if (const CodeLink* link = linkAt(at)) {
        emit linkActivated(link->target);
        return;
    }
    if (event->modifiers() & Qt::ControlModifier) {
        const CodeRange word = wordAt(line->text, at.column);
        if (word.end > word.begin)
            emit wordActivated(at.pane, index, line->text.mid(word.begin, word.end - word.begin));
        return;
    }
    if (m_anchor.row == m_caret.row && m_anchor.column == m_caret.column)
        emit lineClicked(at.pane, index, at.column, event->modifiers());
}

void CodeView::mouseDoubleClickEvent(QMouseEvent* event) {
    const Position at = positionAt(event->position().toPoint(), false);
    const CodeLine* line = lineAt(at.pane, at.row);
    if (!line) return;
    const CodeRange word = wordAt(line->text, at.column);
    m_anchor = {at.pane, at.row, word.begin};
    m_caret = {at.pane, at.row, word.end};
    viewport()->update();
}

void CodeView::leaveEvent(QEvent* event) {
    QAbstractScrollArea::leaveEvent(event);
    if (m_hoverRow < 0) return;
    m_hoverRow = -1;
    m_hoverWord = {};
    viewport()->update();
}

void CodeView::moveCaret(int rows, bool select) {
    if (m_shown.empty()) return;
    const int from =
        m_caret.row < 0 ? verticalScrollBar()->value() - (rows > 0 ? 1 : 0) : shownIndex(m_caret.row);
    const int index = std::clamp(from + rows, 0, int(m_shown.size()) - 1);
    const int shown = m_shown[std::size_t(index)];
    m_caret.row = shown < 0 ? -1 - shown : shown;
    m_caret.column = 0;
    if (m_b && !lineAt(m_caret.pane, m_caret.row) && lineAt(1 - m_caret.pane, m_caret.row) && !select)
        m_caret.pane = 1 - m_caret.pane;
    if (!select) m_anchor = m_caret;
    ensureRow(m_caret.row, false);
    viewport()->update();
}

void CodeView::keyPressEvent(QKeyEvent* event) {
    const bool shift = event->modifiers() & Qt::ShiftModifier;
    if (event->matches(QKeySequence::Copy)) return copy();
    if (event->matches(QKeySequence::SelectAll)) return selectAll();
    if (event->modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier)) {
        event->ignore();
        return;
    }
    switch (event->key()) {
    case Qt::Key_F3:
        return findNext(shift ? -1 : 1);
    case Qt::Key_Up:
        return moveCaret(-1, shift);
    case Qt::Key_Down:
        return moveCaret(1, shift);
    case Qt::Key_PageUp:
        return moveCaret(-verticalScrollBar()->pageStep(), shift);
    case Qt::Key_PageDown:
        return moveCaret(verticalScrollBar()->pageStep(), shift);
    case Qt::Key_Home:
        return moveCaret(-int(m_shown.size()), shift);
    case Qt::Key_End:
        return moveCaret(int(m_shown.size()), shift);
    case Qt::Key_Left:
        if (m_b && m_caret.pane == 1) --m_caret.pane;
        horizontalScrollBar()->triggerAction(QAbstractSlider::SliderSingleStepSub);
        m_anchor = m_caret;
        return viewport()->update();
    case Qt::Key_Right:
        if (m_b && m_caret.pane == 0) ++m_caret.pane;
        horizontalScrollBar()->triggerAction(QAbstractSlider::SliderSingleStepAdd);
        m_anchor = m_caret;
        return viewport()->update();
    case Qt::Key_Space:
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (m_caret.row < 0) break;
        if (!m_shown.empty() && m_shown[std::size_t(shownIndex(m_caret.row))] < 0) return unfold(m_caret.row);
        if (lineAt(m_caret.pane, m_caret.row) && event->key() != Qt::Key_Space) {
            emit lineClicked(m_caret.pane, m_rows[std::size_t(m_caret.row)].line[std::size_t(m_caret.pane)],
                             0, event->modifiers());
            return;
        }
        break;
    default:
        break;
    }
    event->ignore();
}

bool CodeView::event(QEvent* event) {
    if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut) viewport()->update();
    return QAbstractScrollArea::event(event);
}

bool CodeView::viewportEvent(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QAbstractScrollArea::viewportEvent(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const Position at = positionAt(help->pos(), false);
    QString text;
    if (const CodeLine* line = lineAt(at.pane, at.row)) {
        const int index = m_rows[std::size_t(at.row)].line[std::size_t(at.pane)];
        const auto& marks = m_marks[std::size_t(at.pane)];
        if (help->pos().x() < geometryOf(at.pane).textLeft)
            text = marks.value(index).toolTip;
        else if (at.column < line->text.size() && line->isSign(at.column))
            text = tr("%1, shown as a box. Here it turns or hides nothing; copying keeps it.")
                       .arg(QString(QStringLiteral("U+%1"))
                                .arg(line->text[at.column].unicode(), 4, 16, QLatin1Char('0'))
                                .toUpper());
        else if (toolTipFor) {
            const CodeRange word = wordAt(line->text, at.column);
            text = toolTipFor(at.pane, index, line->text.mid(word.begin, word.end - word.begin));
        }
    } else if (at.row >= 0) {
        text = m_rows[std::size_t(at.row)].note;
    }
    if (text.isEmpty())
        QToolTip::hideText();
    else
        QToolTip::showText(help->globalPos(), plainToolTip(text.left(longestToolTip)), this);
    return true;
}

QString CodeView::selectedText() const {
    const auto [from, to] = selection();
    if (from.row < 0 || (from.row == to.row && from.column == to.column)) return {};
    QString out;
    for (int row = from.row; row <= to.row; ++row) {
        const CodeLine* line = lineAt(from.pane, row);
        if (!line) continue;
        const int begin = row == from.row ? from.column : 0;
        const int end = row == to.row ? to.column : int(line->text.size());
        out += QStringView(line->text).mid(begin, end - begin);
        if (row != to.row) out += u'\n';
    }
    return out;
}

void CodeView::selectAll() {
    if (m_rows.empty()) return;
    const int pane = m_caret.pane;
    int last = int(m_rows.size()) - 1;
    while (last > 0 && !lineAt(pane, last))
        --last;
    const CodeLine* line = lineAt(pane, last);
    m_anchor = {pane, 0, 0};
    m_caret = {pane, last, line ? int(line->text.size()) : 0};
    viewport()->update();
}

void CodeView::copy() const {
    QString text = selectedText();
    if (text.isEmpty())
        if (const CodeLine* line = lineAt(m_caret.pane, m_caret.row)) text = line->text;
    if (!text.isEmpty()) QApplication::clipboard()->setText(text);
}

void CodeView::contextMenuEvent(QContextMenuEvent* event) {
    QMenu menu(this);
    menu.addAction(tr("Copy"), QKeySequence(QKeySequence::Copy), this, &CodeView::copy);
    menu.addAction(tr("Select all"), QKeySequence(QKeySequence::SelectAll), this, &CodeView::selectAll);
    const Position at = positionAt(event->pos(), true);
    const int pane = at.pane;
    if (const CodeDocumentPtr& d = document(pane))
        menu.addAction(paneCount() > 1 ? tr("Copy the whole pane") : tr("Copy the whole text"), this,
                       [d] { QApplication::clipboard()->setText(d->text()); });
    menu.addSeparator();
    menu.addAction(tr("Find…"), QKeySequence(QKeySequence::Find), this, &CodeView::openFind);
    if (m_options.fold)
        menu.addAction(m_folds.empty() ? tr("Fold same lines") : tr("Unfold all"), this,
                       [this] { setFolded(m_folds.empty()); });
    if (extendMenu && lineAt(pane, at.row))
        extendMenu(menu, pane, m_rows[std::size_t(at.row)].line[std::size_t(pane)]);
    menu.exec(event->globalPos());
}

int CodeView::currentLine() const {
    return lineAt(m_caret.pane, m_caret.row)
               ? m_rows[std::size_t(m_caret.row)].line[std::size_t(m_caret.pane)]
               : -1;
}

void CodeView::openFind() {
    const QString selected = selectedText();
    m_findBar->open(selected.contains(u'\n') ? QString() : selected);
}

int CodeView::find(const QString& text) {
    m_findText = text;
    m_matches.clear();
    m_match = -1;
    for (int row = 0; row < int(m_rows.size()) && !text.isEmpty() && m_matches.size() < matchLimit; ++row)
        for (int pane = 0; pane < paneCount(); ++pane)
            if (const CodeLine* line = lineAt(pane, row)) {
                int at = int(line->text.indexOf(text, 0, Qt::CaseInsensitive));
                for (; at >= 0; at = int(line->text.indexOf(text, at + text.size(), Qt::CaseInsensitive)))
                    m_matches.push_back({pane, row, at, at + int(text.size())});
            }
    if (!m_matches.empty()) {
        const int from = std::max(0, m_caret.row);
        const auto at = std::find_if(m_matches.begin(), m_matches.end(),
                                     [from](const Match& m) { return m.row >= from; });
        showMatch(at == m_matches.end() ? 0 : int(at - m_matches.begin()));
    } else {
        m_findBar->setCount(0, 0);
    }
    QResizeEvent same(size(), size());
    resizeEvent(&same);
    viewport()->update();
    m_strip->update();
    return int(m_matches.size());
}

void CodeView::findNext(int direction) {
    if (m_matches.empty()) {
        if (!m_findBar->isVisible()) openFind();
        return;
    }
    const int size = int(m_matches.size());
    showMatch((m_match + direction + size) % size);
}

void CodeView::showMatch(int index) {
    m_match = index;
    const Match& match = m_matches[std::size_t(index)];
    unfold(match.row);
    ensureRow(match.row, false);
    if (const CodeLine* line = lineAt(match.pane, match.row)) {
        const int x = int(xOf(*line, match.begin));
        QScrollBar* bar = horizontalScrollBar();
        if (x < bar->value() || x > bar->value() + bar->pageStep() - int(m_charWidth * 8))
            bar->setValue(x - bar->pageStep() / 3);
    }
    m_findBar->setCount(index + 1, int(m_matches.size()));
    viewport()->update();
}

} // namespace dynascope::views
