// SPDX-License-Identifier: BSD-3-Clause
#include "views/profile/lanes_view.h"
#include "views/theme/shown_text.h"

#include <QApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <array>
#include <cmath>

namespace dynascope::views {

namespace {

constexpr double zoomStep = 1.25;
constexpr double panShare = 0.15; // of the width, a key press

bool isPlain(const QKeyEvent& event) {
    return !(event.modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier));
}

/// Keys of the picture that the window would take otherwise.
bool isOwnKey(const QKeyEvent& event) {
    static constexpr std::array keys{Qt::Key_W,    Qt::Key_A,     Qt::Key_S,   Qt::Key_D,     Qt::Key_F,
                                     Qt::Key_Plus, Qt::Key_Minus, Qt::Key_0,   Qt::Key_Equal, Qt::Key_Left,
                                     Qt::Key_Up,   Qt::Key_Right, Qt::Key_Down};
    return isPlain(event) && std::find(keys.begin(), keys.end(), event.key()) != keys.end();
}

} // namespace

void LanesView::wheelEvent(QWheelEvent* event) {
    event->accept();
    if (!m_lanes) return;
    const QPoint angle = event->angleDelta();
    const bool sideways = std::abs(angle.x()) > std::abs(angle.y());
    if (sideways || event->modifiers() & Qt::ShiftModifier)
        panBy(-double(sideways ? angle.x() : angle.y()));
    else if (event->modifiers() & Qt::AltModifier || event->position().x() < titleWidth())
        verticalScrollBar()->setValue(verticalScrollBar()->value() - angle.y() / 4);
    else
        zoomBy(std::pow(zoomStep, angle.y() / 120.0), event->position().x());
}

void LanesView::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton) return;
    m_pressed = m_dragged = event->position().toPoint();
    m_pressing = true;
    m_dragging = false;
}

void LanesView::mouseMoveEvent(QMouseEvent* event) {
    const QPoint point = event->position().toPoint();
    if (m_pressing) {
        m_dragging = m_dragging || (point - m_pressed).manhattanLength() >= QApplication::startDragDistance();
        if (!m_dragging) return;
        viewport()->setCursor(Qt::ClosedHandCursor);
        panBy(m_dragged.x() - point.x());
        verticalScrollBar()->setValue(verticalScrollBar()->value() + m_dragged.y() - point.y());
        m_dragged = point;
        return;
    }
    const std::uint32_t over = eventAt(point);
    viewport()->setCursor(over != profile::none || breakAt(point) >= 0 ? Qt::PointingHandCursor
                                                                       : Qt::ArrowCursor);
    if (over == m_hover) return;
    m_hover = over;
    viewport()->update();
}

void LanesView::mouseReleaseEvent(QMouseEvent* event) {
    const bool wasDragging = std::exchange(m_dragging, false);
    if (!std::exchange(m_pressing, false)) return;
    viewport()->unsetCursor();
    if (wasDragging || event->button() != Qt::LeftButton) return;
    const QPoint point = event->position().toPoint();
    if (const int chip = breakAt(point); chip >= 0) {
        emit breakActivated(m_lanes->breaks[std::size_t(chip)].compile);
        return;
    }
    select(eventAt(point));
    emit selectionChanged(m_selected);
}

void LanesView::mouseDoubleClickEvent(QMouseEvent* event) {
    const std::uint32_t hit = eventAt(event->position().toPoint());
    if (event->button() == Qt::LeftButton && hit != profile::none) emit activated(hit);
}

std::uint32_t LanesView::neighbour(int direction) const {
    const Row* row = rowOf(m_selected);
    if (!row) return profile::none;
    const std::vector<std::uint32_t>& list = events(*row);
    const auto now = std::ranges::find(list, m_selected);
    if (direction < 0) return now == list.begin() ? profile::none : *std::prev(now);
    return std::next(now) == list.end() ? profile::none : *std::next(now);
}

std::uint32_t LanesView::firstInside() const {
    const std::uint32_t last = profile().tracks[at(m_selected).track].last;
    for (std::uint32_t i = m_selected + 1; i < last && at(i).start < at(m_selected).end(); ++i)
        if (at(i).parent == m_selected && takesTime(at(i).kind)) return i;
    return profile::none;
}

void LanesView::stepSelection(int key) {
    if (!m_lanes || m_rows.empty()) return;
    std::uint32_t to = profile::none;
    if (m_selected == profile::none) {
        const std::vector<std::uint32_t>& list = events(m_rows.front());
        const auto first = std::partition_point(
            list.begin(), list.end(), [&](std::uint32_t i) { return double(at(i).start) < m_left; });
        to = first == list.end() ? list.back() : *first;
    } else {
        to = key == Qt::Key_Left    ? neighbour(-1)
             : key == Qt::Key_Right ? neighbour(1)
             : key == Qt::Key_Up    ? at(m_selected).parent
                                    : firstInside();
    }
    if (to == profile::none || !rowOf(to)) return;
    select(to, true);
    emit selectionChanged(to);
}

void LanesView::keyPressEvent(QKeyEvent* event) {
    if (!m_lanes || !isPlain(*event)) return QAbstractScrollArea::keyPressEvent(event);
    const QPoint mouse = viewport()->mapFromGlobal(QCursor::pos());
    const double x = viewport()->rect().contains(mouse) && viewport()->underMouse()
                         ? mouse.x()
                         : (titleWidth() + viewport()->width()) / 2.0;
    switch (event->key()) {
    case Qt::Key_W:
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        return zoomBy(zoomStep, x);
    case Qt::Key_S:
    case Qt::Key_Minus:
        return zoomBy(1 / zoomStep, x);
    case Qt::Key_A:
        return panBy(-panShare * viewport()->width());
    case Qt::Key_D:
        return panBy(panShare * viewport()->width());
    case Qt::Key_F:
        return zoomTo(m_selected);
    case Qt::Key_0:
    case Qt::Key_Home:
        return zoomAll();
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Up:
    case Qt::Key_Down:
        return stepSelection(event->key());
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (m_selected != profile::none) emit activated(m_selected);
        return;
    case Qt::Key_Escape:
        if (m_selected == profile::none) return zoomAll();
        select(profile::none);
        emit selectionChanged(profile::none);
        return;
    default:
        QAbstractScrollArea::keyPressEvent(event);
    }
}

bool LanesView::event(QEvent* event) {
    if (event->type() == QEvent::ShortcutOverride && isOwnKey(*static_cast<QKeyEvent*>(event))) {
        event->accept();
        return true;
    }
    return QAbstractScrollArea::event(event);
}

bool LanesView::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::Leave && m_hover != profile::none) {
        m_hover = profile::none;
        viewport()->update();
    }
    if (event->type() != QEvent::ToolTip) return QAbstractScrollArea::viewportEvent(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    QString text;
    if (const int chip = breakAt(help->pos()); chip >= 0)
        text = tr("Graph break at %1").arg(m_lanes->breaks[std::size_t(chip)].place);
    else if (const std::uint32_t over = eventAt(help->pos()); over != profile::none)
        text = description(over);
    if (text.isEmpty())
        QToolTip::hideText();
    else
        QToolTip::showText(help->globalPos(), plainToolTip(text), viewport());
    return true;
}

} // namespace dynascope::views
