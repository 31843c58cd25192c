// SPDX-License-Identifier: BSD-3-Clause
//
// The half of GraphCanvas that listens: mouse, wheel, keys, menu, tooltips.
#include "core/ir/storage.h"
#include "core/ir/text.h"
#include "views/canvas/graph_canvas.h"
#include "views/canvas/node_text.h"
#include "views/theme/shown_text.h"

#include <QApplication>
#include <QClipboard>
#include <QMenu>
#include <QMetaMethod>
#include <QMouseEvent>
#include <QNativeGestureEvent>
#include <QScrollBar>
#include <QToolTip>
#include <cmath>

namespace dynascope::views::canvas {

namespace {

constexpr double zoomStep = 1.25;
constexpr double arrowScroll = 60;
constexpr qsizetype longestNote = 400; ///< in a tooltip

} // namespace

int GraphCanvas::titleAt(QPointF viewPoint) const {
    const std::vector<QRectF> rows = titleRows(*m_scene, m_view);
    for (std::size_t i = rows.size(); i-- > 0;)
        if (rows[i].contains(viewPoint)) return static_cast<int>(i);
    return -1;
}

bool GraphCanvas::viewportEvent(QEvent* event) {
    switch (event->type()) {
    case QEvent::ToolTip: {
        const auto* help = static_cast<QHelpEvent*>(event);
        showToolTip(help->globalPos(), help->pos());
        return true;
    }
    case QEvent::NativeGesture: {
        const auto* gesture = static_cast<QNativeGestureEvent*>(event);
        if (gesture->gestureType() == Qt::ZoomNativeGesture) {
            zoomBy(1 + gesture->value(), gesture->position());
            return true;
        }
        break;
    }
    case QEvent::Leave:
        hover({-1, -1});
        break;
    default:
        break;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

void GraphCanvas::hover(QPointF viewPoint) {
    if (!m_scene) return;
    const bool inside = QRectF(viewport()->rect()).contains(viewPoint);
    const int frame = inside ? titleAt(viewPoint) : -1;
    const int item = inside && frame < 0 ? m_scene->itemAt(toScene(viewPoint)) : noItem;
    if (item == m_view.hovered && frame == m_view.hoveredFrame) return;
    m_view.hovered = item;
    m_view.hoveredFrame = frame;
    viewport()->setCursor(frame >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
    viewport()->update();
}

void GraphCanvas::mousePressEvent(QMouseEvent* event) {
    if (!m_scene || (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton)) return;
    m_scroll.stop();
    m_pressed = event->position();
    m_pressedOffset = m_view.offset;
    m_dragging = false;
}

void GraphCanvas::mouseMoveEvent(QMouseEvent* event) {
    if (!m_scene) return;
    if (!m_pressed) {
        hover(event->position());
        return;
    }
    m_placed = true;
    const QPointF moved = event->position() - *m_pressed;
    if (!m_dragging && moved.manhattanLength() < QApplication::startDragDistance()) return;
    m_dragging = true;
    if (m_spaceHeld) m_spaceDragged = true;
    viewport()->setCursor(Qt::ClosedHandCursor);
    moveTo(m_pressedOffset - moved / m_view.zoom, m_view.zoom, true);
}

void GraphCanvas::mouseReleaseEvent(QMouseEvent* event) {
    const bool click = m_pressed && !m_dragging && event->button() == Qt::LeftButton;
    m_pressed.reset();
    m_dragging = false;
    viewport()->unsetCursor();
    if (!click || !m_scene || m_spaceHeld) return;
    const QPointF at = toScene(event->position());
    const int frame = titleAt(event->position()); // a title held in sight lies over the cards
    const int item = frame < 0 ? m_scene->itemAt(at) : noItem;
    if (frame >= 0) {
        const SceneFrame& opened = m_scene->frames[static_cast<std::size_t>(frame)];
        if (at.x() < std::max(opened.rect.left(), m_view.offset.x()) + 30) {
            emit foldRequested(opened.group, false);
            return;
        }
        emit itemClicked(noItem);
        m_view.selectedFrame = frame;
        m_minimap->setSelected(selectedRect());
        viewport()->update();
        return;
    }
    if (item != noItem && (event->modifiers() & Qt::ControlModifier)) {
        emit itemToggled(item);
        return;
    }
    if (item != noItem && (event->modifiers() & Qt::ShiftModifier)) {
        emit rangeAsked(item);
        return;
    }
    emit itemClicked(item);
    emit itemPicked(item);
}

void GraphCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
    if (!m_scene || event->button() != Qt::LeftButton) return;
    if (const int frame = titleAt(event->position()); frame >= 0) {
        emit foldRequested(m_scene->frames[static_cast<std::size_t>(frame)].group, false);
        return;
    }
    const int item = m_scene->itemAt(toScene(event->position()));
    if (item == noItem) return;
    const SceneItem& hit = m_scene->items[static_cast<std::size_t>(item)];
    if (!hit.isNode()) emit foldRequested(hit.group, true);
}

void GraphCanvas::wheelEvent(QWheelEvent* event) {
    if (!m_scene) return;
    event->accept();
    m_scroll.stop();
    const QPoint angle = event->angleDelta();
    if (event->modifiers() & (Qt::ControlModifier | Qt::MetaModifier)) {
        const double steps = (angle.y() != 0 ? angle.y() : angle.x()) / 120.0;
        zoomBy(std::pow(zoomStep, steps), event->position());
        return;
    }
    QPointF delta = event->pixelDelta().isNull() ? QPointF(angle) * 0.6 : QPointF(event->pixelDelta());
    if ((event->modifiers() & Qt::ShiftModifier) && delta.x() == 0) delta = {delta.y(), 0};
    m_placed = true;
    moveTo(m_view.offset - delta / m_view.zoom, m_view.zoom, true);
    hover(event->position());
}

void GraphCanvas::toggleFold() {
    if (!m_scene) return;
    if (m_view.selectedFrame >= 0) {
        emit foldRequested(m_scene->frames[static_cast<std::size_t>(m_view.selectedFrame)].group, false);
        return;
    }
    if (m_view.selected == noItem) return;
    const SceneItem& item = m_scene->items[static_cast<std::size_t>(m_view.selected)];
    if (!item.isNode())
        emit foldRequested(item.group, true);
    else if (item.frame >= 0)
        emit foldRequested(m_scene->frames[static_cast<std::size_t>(item.frame)].group, false);
}

void GraphCanvas::keyPressEvent(QKeyEvent* event) {
    if (event->matches(QKeySequence::Copy)) {
        copy(true);
        return;
    }
    if (m_scene && event->key() == Qt::Key_Space && (event->modifiers() & Qt::ControlModifier)) {
        if (m_view.selected != noItem) emit itemToggled(m_view.selected);
        return;
    }
    const bool plain = !(event->modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier));
    if (!m_scene || !plain) {
        QAbstractScrollArea::keyPressEvent(event);
        return;
    }
    const auto go = [this](Direction direction, QPointF scroll) {
        if (const int next = neighbour(direction); next != noItem) {
            emit itemClicked(next);
            reveal(m_scene->items[static_cast<std::size_t>(next)].rect);
        } else if (m_view.selected == noItem) {
            moveTo(m_view.offset + scroll / m_view.zoom, m_view.zoom, true);
        }
    };
    switch (event->key()) {
    case Qt::Key_Up:
        go(Direction::Up, {0, -arrowScroll});
        return;
    case Qt::Key_Down:
        go(Direction::Down, {0, arrowScroll});
        return;
    case Qt::Key_Left:
        go(Direction::Left, {-arrowScroll, 0});
        return;
    case Qt::Key_Right:
        go(Direction::Right, {arrowScroll, 0});
        return;
    case Qt::Key_PageUp:
        verticalScrollBar()->triggerAction(QAbstractSlider::SliderPageStepSub);
        return;
    case Qt::Key_PageDown:
        verticalScrollBar()->triggerAction(QAbstractSlider::SliderPageStepAdd);
        return;
    case Qt::Key_Home:
        verticalScrollBar()->triggerAction(QAbstractSlider::SliderToMinimum);
        return;
    case Qt::Key_End:
        verticalScrollBar()->triggerAction(QAbstractSlider::SliderToMaximum);
        return;
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        zoomTo(m_view.zoom * zoomStep);
        return;
    case Qt::Key_Minus:
        zoomTo(m_view.zoom / zoomStep);
        return;
    case Qt::Key_0:
        zoomTo(1);
        return;
    case Qt::Key_F:
    case Qt::Key_E:
    case Qt::Key_I:
    case Qt::Key_M:
    case Qt::Key_N:
    case Qt::Key_T:
    case Qt::Key_X:
    case Qt::Key_Escape:
        emit keyTyped(event->key());
        return;
    case Qt::Key_Space:
        // A tap folds, a drag with the key held pans; only the release knows which it was.
        if (!event->isAutoRepeat()) {
            m_spaceHeld = true;
            m_spaceDragged = false;
        }
        return;
    case Qt::Key_Return:
    case Qt::Key_Enter: {
        if (m_view.selected == noItem || !m_scene->items[static_cast<std::size_t>(m_view.selected)].isNode())
            toggleFold();
        else
            emit showInOtherPane(m_view.selected);
        return;
    }
    default:
        QAbstractScrollArea::keyPressEvent(event);
        return;
    }
}

void GraphCanvas::keyReleaseEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Space && !event->isAutoRepeat() && m_spaceHeld) {
        m_spaceHeld = false;
        if (!m_spaceDragged) toggleFold();
        return;
    }
    QAbstractScrollArea::keyReleaseEvent(event);
}

bool GraphCanvas::focusNextPrevChild(bool next) {
    // Tab walks through the cards in graph order and leaves the canvas at either end.
    if (!m_scene || m_view.selected == noItem) return QAbstractScrollArea::focusNextPrevChild(next);
    const int to = m_view.selected + (next ? 1 : -1);
    if (to < 0 || static_cast<std::size_t>(to) >= m_scene->items.size())
        return QAbstractScrollArea::focusNextPrevChild(next);
    emit itemClicked(to);
    reveal(m_scene->items[static_cast<std::size_t>(to)].rect);
    return true;
}

void GraphCanvas::copy(bool whole) {
    if (!m_scene || m_view.selected == noItem) return;
    const SceneItem& item = m_scene->items[static_cast<std::size_t>(m_view.selected)];
    QString text = item.name;
    if (whole && item.isNode()) text = QString::fromStdString(ir::printNode(m_scene->graph->node(item.node)));
    QApplication::clipboard()->setText(text);
}

void GraphCanvas::contextMenuEvent(QContextMenuEvent* event) {
    if (!m_scene) return;
    int item = m_view.selected;
    if (event->reason() == QContextMenuEvent::Mouse) {
        item = m_scene->itemAt(toScene(event->pos()));
        if (item != m_view.selected) emit itemClicked(item);
    }
    if (item == noItem) {
        emit emptyMenuRequested(event->globalPos());
        return;
    }
    const SceneItem& hit = m_scene->items[static_cast<std::size_t>(item)];
    QMenu menu(this);
    menu.addAction(m_theme.icon("copy"), tr("Copy name"), this, [this] { copy(false); });
    if (hit.isNode())
        menu.addAction(tr("Copy as text") + '\t' +
                           QKeySequence(QKeySequence::Copy).toString(QKeySequence::NativeText),
                       this, [this] { copy(true); });
    menu.addSeparator();
    if (isSignalConnected(QMetaMethod::fromSignal(&GraphCanvas::menuAboutToShow))) {
        emit menuAboutToShow(&menu, item);
    } else if (hit.isNode()) {
        menu.addAction(m_theme.icon("side-by-side"), tr("Show in other pane") + QStringLiteral("\tEnter"),
                       this, [this, item] { emit showInOtherPane(item); });
        menu.addAction(tr("Select an input") + QStringLiteral("\tUp"), this,
                       [this, item] { emit relativesRequested(item, true); })
            ->setEnabled(!m_scene->graph->inputs(hit.node).empty());
        menu.addAction(tr("Select a user") + QStringLiteral("\tDown"), this,
                       [this, item] { emit relativesRequested(item, false); })
            ->setEnabled(!m_scene->graph->users(hit.node).empty());
        menu.addSeparator();
        menu.addAction(m_theme.icon("source"), tr("Go to source line"), this,
                       [this, item] { emit sourceRequested(item); })
            ->setEnabled(m_scene->graph->node(hit.node).location() != nullptr);
        menu.addAction(m_theme.icon("link"), tr("Through all stages") + QStringLiteral("\tAlt+P"), this,
                       &GraphCanvas::provenanceRequested);
        const ir::WritesAround writes = ir::writesAround(*m_scene->graph, hit.node);
        menu.addAction(tr("Next write") + QStringLiteral("\tAlt+W"), this, [this] { emit writeRequested(1); })
            ->setEnabled(writes.next != ir::npos);
        menu.addAction(tr("Previous write") + QStringLiteral("\tAlt+Shift+W"), this,
                       [this] { emit writeRequested(-1); })
            ->setEnabled(writes.writes > 0 && writes.previous != ir::npos);
        if (hit.frame >= 0)
            menu.addAction(m_theme.icon("fold"), tr("Fold this block") + QStringLiteral("\tSpace"), this,
                           [this] { toggleFold(); });
    } else {
        menu.addAction(m_theme.icon("unfold"), tr("Open block") + QStringLiteral("\tSpace"), this,
                       [this] { toggleFold(); });
    }
    emit choiceMenuAboutToShow(&menu, item);
    menu.exec(event->globalPos());
}

void GraphCanvas::showToolTip(QPoint global, QPointF viewPoint) {
    if (!m_scene) return;
    const QPointF at = toScene(viewPoint);
    if (const int i = m_scene->itemAt(at); i != noItem) {
        const SceneItem& item = m_scene->items[static_cast<std::size_t>(i)];
        QString html;
        if (item.isNode()) {
            html = tooltipHtml(*m_scene->graph, item.node, item.change, m_scene->diff != nullptr,
                               m_scene->detailsOf(item));
        } else {
            html = QStringLiteral("<qt><b>%1</b><br>%2 nodes%3<br>%4%5</qt>")
                       .arg(shownText(item.name, longestNote).toHtmlEscaped())
                       .arg(item.nodes)
                       .arg(item.target.isEmpty()
                                ? QString()
                                : QStringLiteral(", ") + shownText(item.target, longestNote).toHtmlEscaped())
                       .arg(item.kind == layout::VisibleItem::Kind::Stack
                                ? tr("Alike means isomorphic: same ops and arguments, only names and weights "
                                     "differ.<br>")
                                : QString())
                       .arg(item.chip.isEmpty()
                                ? tr("Space or double click opens it")
                                : tr("Inside: %1. Space or double click opens it").arg(item.chip));
        }
        if (const auto note = m_view.noted.find(i); note != m_view.noted.end())
            html += QStringLiteral("<p>%1</p>")
                        .arg(note->second.isEmpty() ? tr("Bookmarked")
                                                    : tr("Note: %1")
                                                          .arg(shownText(note->second, longestNote))
                                                          .toHtmlEscaped()
                                                          .replace(u'\n', QStringLiteral("<br>")));
        QToolTip::showText(global, html, viewport(), viewRectOf(i).toAlignedRect());
        return;
    }
    QToolTip::hideText();
}

} // namespace dynascope::views::canvas
