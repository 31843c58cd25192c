// SPDX-License-Identifier: BSD-3-Clause
#include "views/compile_time/flame_chart.h"
#include "views/theme/picture.h"
#include "views/workspace/labels.h"

#include <QApplication>
#include <QClipboard>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMenu>
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

/// Keys of the chart that the window would take otherwise.
bool isOwnKey(const QKeyEvent& event) {
    static constexpr std::array keys{Qt::Key_W,    Qt::Key_A,  Qt::Key_S,     Qt::Key_D,   Qt::Key_F,
                                     Qt::Key_Plus, Qt::Key_N,  Qt::Key_Minus, Qt::Key_0,   Qt::Key_Equal,
                                     Qt::Key_Left, Qt::Key_Up, Qt::Key_Right, Qt::Key_Down};
    return isPlain(event) && std::find(keys.begin(), keys.end(), event.key()) != keys.end();
}

} // namespace

void FlameChart::wheelEvent(QWheelEvent* event) {
    event->accept();
    const QPoint angle = event->angleDelta();
    const bool sideways = std::abs(angle.x()) > std::abs(angle.y());
    if (sideways || event->modifiers() & Qt::ShiftModifier) {
        panBy(-double(sideways ? angle.x() : angle.y()));
    } else if (event->modifiers() & Qt::AltModifier) {
        // Alt makes a wheel go sideways on some desktops, which was handled above.
        verticalScrollBar()->setValue(verticalScrollBar()->value() - angle.y() / 4);
    } else {
        zoomBy(std::pow(zoomStep, angle.y() / 120.0), event->position().x());
    }
}

void FlameChart::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton) return;
    m_pressed = m_dragged = event->position().toPoint();
    m_pressing = true;
    m_dragging = false;
}

void FlameChart::mouseMoveEvent(QMouseEvent* event) {
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
    const int over = spanAt(point);
    if (over == m_hover) return;
    m_hover = over;
    viewport()->setCursor(over >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
    viewport()->update();
}

void FlameChart::mouseReleaseEvent(QMouseEvent* event) {
    const bool wasDragging = std::exchange(m_dragging, false);
    if (!std::exchange(m_pressing, false)) return;
    viewport()->unsetCursor();
    if (wasDragging || event->button() != Qt::LeftButton) return;
    const int hit = spanAt(event->position().toPoint());
    select(hit);
    if (hit >= 0) emit activated(hit);
}

void FlameChart::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) zoomTo(spanAt(event->position().toPoint()));
}

int FlameChart::neighbour(int direction) const {
    const std::vector<int>& row = rowOf(span(m_selected)).spans;
    const auto at = std::find(row.begin(), row.end(), m_selected);
    if (direction < 0) return at == row.begin() ? -1 : *std::prev(at);
    return std::next(at) == row.end() ? -1 : *std::next(at);
}

int FlameChart::longestChild() const {
    int best = -1;
    for (std::size_t i = std::size_t(m_selected) + 1; i < m_tree->spans.size(); ++i)
        if (span(int(i)).parent == m_selected && (best < 0 || span(int(i)).totalUs() > span(best).totalUs()))
            best = int(i);
    return best;
}

void FlameChart::stepSelection(int key) {
    if (m_tree->spans.empty()) return;
    if (m_selected < 0) return select(0, true);
    const int to = key == Qt::Key_Left    ? neighbour(-1)
                   : key == Qt::Key_Right ? neighbour(1)
                   : key == Qt::Key_Up    ? span(m_selected).parent
                                          : longestChild();
    if (to >= 0) select(to, true);
}

void FlameChart::keyPressEvent(QKeyEvent* event) {
    const QPoint mouse = viewport()->mapFromGlobal(QCursor::pos());
    const double x = viewport()->rect().contains(mouse) && viewport()->underMouse()
                         ? mouse.x()
                         : viewport()->width() / 2.0;
    if (!isPlain(*event)) return QAbstractScrollArea::keyPressEvent(event);
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
    case Qt::Key_N:
        return stepMatch(event->modifiers() & Qt::ShiftModifier ? -1 : 1);
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Up:
    case Qt::Key_Down:
        return stepSelection(event->key());
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (m_selected >= 0) emit activated(m_selected);
        return;
    case Qt::Key_Escape:
        m_selected >= 0 ? select(-1) : zoomAll();
        return;
    default:
        QAbstractScrollArea::keyPressEvent(event);
    }
}

bool FlameChart::event(QEvent* event) {
    if (event->type() == QEvent::ShortcutOverride && isOwnKey(*static_cast<QKeyEvent*>(event))) {
        event->accept();
        return true;
    }
    return QAbstractScrollArea::event(event);
}

void FlameChart::contextMenuEvent(QContextMenuEvent* event) {
    if (event->reason() == QContextMenuEvent::Mouse) select(spanAt(event->pos()));
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    if (const int at = m_selected; at >= 0) {
        menu->addAction(tr("Show its stage"), this, [this, at] { emit activated(at); });
        menu->addAction(tr("Zoom to it"), this, [this, at] { zoomTo(at); });
        const session::TimingEvent& timing = m_session->timings[span(at).event];
        const auto record = [&](const QString& text, std::size_t index) {
            if (index < m_session->records.size())
                menu->addAction(text, this, [this, index] { emit recordRequested(int(index)); });
        };
        record(tr("Show its record"), timing.record);
        if (timing.endRecord != timing.record) record(tr("Show the record of its end"), timing.endRecord);
        menu->addAction(tr("Copy"), this,
                        [text = description(at)] { QApplication::clipboard()->setText(text); });
        menu->addSeparator();
    }
    menu->addAction(tr("Show all"), this, &FlameChart::zoomAll);
    addPictureActions(*menu, *this, QStringLiteral("compile_time"));
    menu->popup(event->globalPos());
}

bool FlameChart::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::Leave && m_hover >= 0) {
        m_hover = -1;
        viewport()->update();
    }
    if (event->type() != QEvent::ToolTip) return QAbstractScrollArea::viewportEvent(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const int over = spanAt(help->pos());
    if (over < 0)
        QToolTip::hideText();
    else
        QToolTip::showText(help->globalPos(), plainToolTip(description(over)), viewport());
    return true;
}

} // namespace dynascope::views
