// SPDX-License-Identifier: BSD-3-Clause
#include "views/base/time_axis_view.h"

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
#include <utility>

namespace dynascope::views {

namespace {

constexpr double zoomStep = 1.25;
constexpr double panShare = 0.15; // of the width, a key press

/// Keys that the window would take otherwise.
bool isTimeKey(int key) {
    static constexpr std::array keys{Qt::Key_W,    Qt::Key_A,     Qt::Key_S,   Qt::Key_D,     Qt::Key_F,
                                     Qt::Key_Plus, Qt::Key_Minus, Qt::Key_0,   Qt::Key_Equal, Qt::Key_Left,
                                     Qt::Key_Up,   Qt::Key_Right, Qt::Key_Down};
    return std::ranges::find(keys, key) != keys.end();
}

} // namespace

bool TimeAxisView::isPlain(const QKeyEvent& event) {
    return !(event.modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier));
}

void TimeAxisView::wheelEvent(QWheelEvent* event) {
    event->accept();
    if (!hasTimes()) return;
    const QPoint angle = event->angleDelta();
    const bool sideways = std::abs(angle.x()) > std::abs(angle.y()); // Alt makes it so on some desktops
    if (sideways || event->modifiers() & Qt::ShiftModifier)
        panBy(-double(sideways ? angle.x() : angle.y()));
    else if (event->modifiers() & Qt::AltModifier || event->position().x() < axisLeft())
        verticalScrollBar()->setValue(verticalScrollBar()->value() - angle.y() / 4);
    else
        zoomBy(std::pow(zoomStep, angle.y() / 120.0), event->position().x());
}

void TimeAxisView::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton) return;
    m_pressed = m_dragged = event->position().toPoint();
    m_pressing = true;
    m_dragging = false;
}

void TimeAxisView::mouseMoveEvent(QMouseEvent* event) {
    const QPoint point = event->position().toPoint();
    if (!m_pressing) return viewport()->setCursor(hover(point) ? Qt::PointingHandCursor : Qt::ArrowCursor);
    m_dragging = m_dragging || (point - m_pressed).manhattanLength() >= QApplication::startDragDistance();
    if (!m_dragging) return;
    viewport()->setCursor(Qt::ClosedHandCursor);
    panBy(m_dragged.x() - point.x());
    verticalScrollBar()->setValue(verticalScrollBar()->value() + m_dragged.y() - point.y());
    m_dragged = point;
}

void TimeAxisView::mouseReleaseEvent(QMouseEvent* event) {
    const bool wasDragging = std::exchange(m_dragging, false);
    if (!std::exchange(m_pressing, false)) return;
    viewport()->unsetCursor();
    if (!wasDragging && event->button() == Qt::LeftButton) click(event->position().toPoint());
}

double TimeAxisView::zoomCentre() const {
    const QPoint mouse = viewport()->mapFromGlobal(QCursor::pos());
    const bool over = viewport()->rect().contains(mouse) && viewport()->underMouse();
    return over ? mouse.x() : (axisLeft() + viewport()->width()) / 2.0;
}

void TimeAxisView::keyPressEvent(QKeyEvent* event) {
    if (!hasTimes() || !isPlain(*event)) return QAbstractScrollArea::keyPressEvent(event);
    switch (event->key()) {
    case Qt::Key_W:
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        return zoomBy(zoomStep, zoomCentre());
    case Qt::Key_S:
    case Qt::Key_Minus:
        return zoomBy(1 / zoomStep, zoomCentre());
    case Qt::Key_A:
        return panBy(-panShare * viewport()->width());
    case Qt::Key_D:
        return panBy(panShare * viewport()->width());
    case Qt::Key_F:
        return zoomToSelection();
    case Qt::Key_0:
    case Qt::Key_Home:
        return zoomAll();
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Up:
    case Qt::Key_Down:
        return stepSelection(Qt::Key(event->key()));
    case Qt::Key_Return:
    case Qt::Key_Enter:
        return activateSelection();
    case Qt::Key_Escape:
        if (!clearSelection()) zoomAll();
        return;
    default:
        QAbstractScrollArea::keyPressEvent(event);
    }
}

bool TimeAxisView::event(QEvent* event) {
    if (event->type() == QEvent::ShortcutOverride) {
        const auto& key = *static_cast<QKeyEvent*>(event);
        if (isPlain(key) && (isTimeKey(key.key()) || isOwnKey(key.key()))) {
            event->accept();
            return true;
        }
    }
    return QAbstractScrollArea::event(event);
}

bool TimeAxisView::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::Leave) hoverNothing();
    if (event->type() != QEvent::ToolTip) return QAbstractScrollArea::viewportEvent(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const QString text = toolTipAt(help->pos());
    if (text.isEmpty())
        QToolTip::hideText();
    else
        QToolTip::showText(help->globalPos(), plainToolTip(text), viewport());
    return true;
}

} // namespace dynascope::views
