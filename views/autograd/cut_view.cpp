// SPDX-License-Identifier: BSD-3-Clause
#include "views/autograd/cut_view.h"

#include "views/autograd/split_rows.h"

#include "views/theme/op_bar.h"
#include "views/theme/picture.h"
#include "views/workspace/labels.h"

#include <QApplication>
#include <QClipboard>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QScrollBar>
#include <QToolTip>
#include <algorithm>

namespace dynascope::views {

CutView::CutView(Theme& theme, QWidget* parent)
    : QAbstractScrollArea(parent)
    , m_theme(theme) {
    offerPicture(*this, QStringLiteral("partitioner_cut"));
    setObjectName(QStringLiteral("cutView"));
    setAccessibleName(tr("Forward and backward"));
    setFocusPolicy(Qt::StrongFocus);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    connect(&m_theme, &Theme::changed, this, [this] {
        fit();
        viewport()->update();
    });
}

QSize CutView::sizeHint() const {
    return {m_theme.scaled(640), m_theme.scaled(400)};
}

const computed::CutSide& CutView::cutSide(Side side) const {
    return side == Side::Forward ? m_split->forward : m_split->backward;
}

int CutView::count(Side side) const {
    return m_split ? int(cutSide(side).rows.size()) : 0;
}

int CutView::gutter() const {
    return std::max(m_theme.scaled(90), viewport()->width() / 5);
}

void CutView::setSplit(std::shared_ptr<const computed::JointSplit> split) {
    m_split = std::move(split);
    m_row = m_value = -1;
    m_side = Side::Forward;
    m_madeAt.assign(std::size_t(count(Side::Forward)), -1);
    m_readAt.assign(std::size_t(count(Side::Backward)), -1);
    for (std::size_t v = 0; m_split && v < m_split->values.size(); ++v) {
        const computed::CutValue& value = m_split->values[v];
        if (value.forwardRow < m_madeAt.size()) m_madeAt[value.forwardRow] = int(v);
        if (value.recomputed) continue;
        for (const std::size_t row : value.backwardRows)
            if (m_readAt[row] < 0) m_readAt[row] = int(v);
    }
    fit();
    verticalScrollBar()->setValue(verticalScrollBar()->maximum()); // where forward ends and backward begins
    viewport()->update();
}

void CutView::fit() {
    const int rows = std::max(count(Side::Forward), count(Side::Backward));
    const int height = headerHeight() + rows * rowHeight() + m_theme.scaled(8);
    verticalScrollBar()->setRange(0, std::max(0, height - viewport()->height()));
    verticalScrollBar()->setPageStep(viewport()->height());
    verticalScrollBar()->setSingleStep(rowHeight());
}

void CutView::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    fit();
}

// Both sides meet at the bottom: there forward ends and backward begins.
QRect CutView::rowRect(Side side, int row) const {
    if (row < 0 || row >= count(side)) return {};
    const int rows = std::max(count(Side::Forward), count(Side::Backward));
    const int slot = side == Side::Forward ? rows - count(side) + row : rows - 1 - row;
    const int x = side == Side::Forward ? 0 : viewport()->width() - laneWidth();
    return {x, headerHeight() + slot * rowHeight() - verticalScrollBar()->value(), laneWidth(), rowHeight()};
}

bool CutView::rowAt(QPoint at, Side& side, int& row) const {
    if (!m_split || at.y() < headerHeight()) return false;
    if (at.x() < laneWidth())
        side = Side::Forward;
    else if (at.x() >= viewport()->width() - laneWidth())
        side = Side::Backward;
    else
        return false;
    const int rows = std::max(count(Side::Forward), count(Side::Backward));
    const int slot = (at.y() - headerHeight() + verticalScrollBar()->value()) / rowHeight();
    row = side == Side::Forward ? slot - (rows - count(side)) : rows - 1 - slot;
    return row >= 0 && row < count(side);
}

int CutView::valueOf(Side side, int row) const {
    const std::vector<int>& values = side == Side::Forward ? m_madeAt : m_readAt;
    return row < 0 || row >= int(values.size()) ? -1 : values[std::size_t(row)];
}

void CutView::selectValue(int value) {
    m_value = m_split && value >= 0 && value < int(m_split->values.size()) ? value : -1;
    if (m_value >= 0 && m_split->values[std::size_t(value)].forwardRow != SIZE_MAX) {
        m_side = Side::Forward;
        m_row = int(m_split->values[std::size_t(value)].forwardRow);
        reveal();
    }
    viewport()->update();
}

void CutView::select(Side side, int row) {
    if (count(side) == 0) return;
    m_side = side;
    m_row = std::clamp(row, 0, count(side) - 1);
    const int value = valueOf(m_side, m_row);
    reveal();
    viewport()->update();
    const computed::CutSide& of = cutSide(side);
    setAccessibleDescription(toQString(of.graph->node(of.rows[std::size_t(m_row)]).name));
    if (std::exchange(m_value, value) != value) emit valueSelected(value);
}

void CutView::reveal() {
    const QRect rect = rowRect(m_side, m_row);
    if (rect.isNull()) return;
    QScrollBar* bar = verticalScrollBar();
    if (rect.top() < headerHeight()) bar->setValue(bar->value() + rect.top() - headerHeight() - rowHeight());
    if (rect.bottom() > viewport()->height())
        bar->setValue(bar->value() + rect.bottom() - viewport()->height() + rowHeight());
}

void CutView::mousePressEvent(QMouseEvent* event) {
    Side side = Side::Forward;
    int row = 0;
    if (event->button() == Qt::LeftButton && rowAt(event->pos(), side, row)) select(side, row);
}

void CutView::mouseDoubleClickEvent(QMouseEvent* event) {
    Side side = Side::Forward;
    int row = 0;
    if (rowAt(event->pos(), side, row)) emit rowActivated(side, row);
}

// Through the values by the rows where they are made, first to last and around.
void CutView::nextValue() {
    const int rows = count(Side::Forward), from = m_side == Side::Forward ? m_row : -1;
    for (int step = 1; step <= rows; ++step) {
        const int row = (from + step + rows) % rows;
        if (m_madeAt[std::size_t(row)] >= 0) return select(Side::Forward, row);
    }
}

void CutView::keyPressEvent(QKeyEvent* event) {
    if (event->matches(QKeySequence::Copy)) return copy();
    if (!m_split) return QAbstractScrollArea::keyPressEvent(event);
    // Backward runs upwards: down is earlier there.
    const int down = m_side == Side::Forward ? 1 : -1;
    const int page = std::max(1, viewport()->height() / rowHeight() - 2);
    const Side other = m_side == Side::Forward ? Side::Backward : Side::Forward;
    switch (event->key()) {
    case Qt::Key_Down:
        return select(m_side, m_row + down);
    case Qt::Key_Up:
        return select(m_side, m_row < 0 ? 0 : m_row - down);
    case Qt::Key_PageDown:
        return select(m_side, m_row + down * page);
    case Qt::Key_PageUp:
        return select(m_side, m_row - down * page);
    case Qt::Key_Home:
        return select(m_side, 0);
    case Qt::Key_End:
        return select(m_side, count(m_side) - 1);
    case Qt::Key_Left:
    case Qt::Key_Right: {
        if ((event->key() == Qt::Key_Left) == (m_side == Side::Forward)) return;
        // Along the line where there is one.
        const computed::CutValue* value = m_value < 0 ? nullptr : &m_split->values[std::size_t(m_value)];
        if (value && other == Side::Backward && !value->backwardRows.empty())
            return select(other, int(value->backwardRows.front()));
        if (value && other == Side::Forward && value->forwardRow != SIZE_MAX)
            return select(other, int(value->forwardRow));
        return select(other, other == Side::Backward ? 0 : count(other) - 1);
    }
    case Qt::Key_Space:
        return nextValue();
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (m_row >= 0) emit rowActivated(m_side, m_row);
        return;
    default:
        QAbstractScrollArea::keyPressEvent(event);
    }
}

QString CutView::plainText() const {
    QStringList lines;
    if (!m_split) return {};
    for (const Side side : {Side::Forward, Side::Backward}) {
        lines << (side == Side::Forward ? tr("Forward") : tr("Backward"));
        const computed::CutSide& of = cutSide(side);
        for (std::size_t row = 0; row < of.rows.size(); ++row) {
            const ir::Node& node = of.graph->node(of.rows[row]);
            QString line = QStringLiteral("  ") + shownName(of, of.rows[row]);
            if (line.trimmed() != toQString(node.name)) line += tr(" (%1)").arg(toQString(node.name));
            const int value = valueOf(side, int(row));
            if (side == Side::Forward && value >= 0 && !m_split->values[std::size_t(value)].recomputed)
                line += tr(", saved");
            if (of.again[row]) line += tr(", recomputed");
            lines << line;
        }
    }
    return lines.join(u'\n');
}

void CutView::copy() const {
    QApplication::clipboard()->setText(plainText());
}

void CutView::contextMenuEvent(QContextMenuEvent* event) {
    QMenu menu(this);
    menu.addAction(tr("Copy both sides as text"), this, &CutView::copy);
    menu.exec(event->globalPos());
}

QString CutView::toolTipAt(QPoint at) const {
    Side side = Side::Forward;
    int row = 0;
    if (!rowAt(at, side, row)) return {};
    const computed::CutSide& of = cutSide(side);
    const ir::Node& node = of.graph->node(of.rows[std::size_t(row)]);
    const QString name = shownName(of, of.rows[std::size_t(row)]);
    QStringList lines{name};
    if (name != toQString(node.name)) lines << tr("input %1 of the graph").arg(toQString(node.name));
    lines << toQString(ir::shortTarget(node.target));
    if (node.meta) lines << toQString(node.meta->shortForm());
    if (const int v = valueOf(side, row); v >= 0) {
        const computed::CutValue& value = m_split->values[std::size_t(v)];
        if (side == Side::Forward)
            lines << (value.recomputed ? tr("not saved, %1: %2") : tr("saved, %1: %2"))
                         .arg(bytesText(qulonglong(value.bytes)), toQString(value.why));
        else
            lines << tr("reads %1, which forward saved")
                         .arg(value.forwardRow < m_split->forward.rows.size()
                                  ? shownName(m_split->forward, m_split->forward.rows[value.forwardRow])
                                  : toQString(value.node));
    }
    if (of.again[std::size_t(row)]) lines << tr("computed in forward, and recomputed here");
    if (const ir::SourceLocation* place = node.location())
        lines << placeText(*place) + QStringLiteral("  ") + toQString(place->code);
    return lines.join(u'\n');
}

bool CutView::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const QString text = toolTipAt(help->pos());
        if (text.isEmpty())
            QToolTip::hideText();
        else
            QToolTip::showText(help->globalPos(), plainToolTip(text), this);
        return true;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

} // namespace dynascope::views
