// SPDX-License-Identifier: BSD-3-Clause
//
// TimelineView: mouse, wheel, keys and tooltips.
#include "views/engine/rederivations.h"
#include "views/theme/shown_text.h"
#include "views/timeline/stage_help.h"
#include "views/timeline/timeline_view.h"
#include "views/workspace/labels.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QScrollBar>
#include <QToolTip>
#include <utility>

namespace dynascope::views {

void TimelineView::mousePressEvent(QMouseEvent* event) {
    const QPoint at = event->position().toPoint();
    for (int i = 0; i < stageCount() && event->button() == Qt::LeftButton; ++i) {
        if (!stage(i)) continue;
        if (badgeRect(i).contains(at)) return emit verdictClicked(i);
        if (metadataRect(i).contains(at)) return emit metadataClicked(i);
    }
    if (event->button() == Qt::LeftButton && clickPasses(at)) return;
    const int index = stageAt(at);
    if (event->button() != Qt::LeftButton || index < 0) return;
    const bool onA = index == shown(Side::A), onB = index == shown(Side::B);
    const Side side = event->modifiers() & Qt::ShiftModifier ? Side::A : onA && !onB ? Side::A : Side::B;
    m_drag = Drag{side, index};
    viewport()->update();
}

void TimelineView::mouseMoveEvent(QMouseEvent* event) {
    const int index = stageAt(event->position().toPoint());
    if (m_drag && index >= 0 && index != m_drag->stage) {
        m_drag->stage = index;
        ensureVisible(index);
        viewport()->update();
    }
    if (index != m_hover) {
        m_hover = index;
        viewport()->setCursor(index >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
        viewport()->update();
    }
}

void TimelineView::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || !m_drag) return;
    const Drag drag = *std::exchange(m_drag, std::nullopt);
    choose(drag.side, drag.stage);
    viewport()->update();
}

void TimelineView::wheelEvent(QWheelEvent* event) {
    const QPoint delta = event->angleDelta();
    horizontalScrollBar()->setValue(horizontalScrollBar()->value() -
                                    (delta.x() != 0 ? delta.x() : delta.y()));
    event->accept();
}

void TimelineView::keyPressEvent(QKeyEvent* event) {
    const Side side = event->modifiers() & Qt::ShiftModifier ? Side::A : Side::B;
    int target = shown(side);
    // Past the gaps of removed stages.
    const auto next = [&](int by) {
        do
            target += by;
        while (target > 0 && target < stageCount() && !stage(target));
    };
    switch (event->key()) {
    case Qt::Key_Left:
        next(-1);
        break;
    case Qt::Key_Right:
        next(1);
        break;
    case Qt::Key_Delete:
    case Qt::Key_Backspace:
        if (target >= capturedCount() && stage(target))
            emit removeRequested(target);
        else
            event->ignore();
        return;
    case Qt::Key_Down: // B's stage unfolds
        unfold(shown(Side::B));
        return;
    case Qt::Key_Up:
        unfold(-1);
        return;
    case Qt::Key_Home:
        target = 0;
        break;
    case Qt::Key_End:
        target = stageCount() - 1;
        break;
    default:
        QAbstractScrollArea::keyPressEvent(event);
        return;
    }
    if (event->modifiers() & ~Qt::ShiftModifier & ~Qt::KeypadModifier) {
        event->ignore();
        return;
    }
    if (stage(target)) choose(side, target);
}

void TimelineView::focusInEvent(QFocusEvent* event) {
    QAbstractScrollArea::focusInEvent(event);
    viewport()->update();
}

void TimelineView::focusOutEvent(QFocusEvent* event) {
    QAbstractScrollArea::focusOutEvent(event);
    viewport()->update();
}

bool TimelineView::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        if (const QString passes = passesTip(help->pos()); !passes.isEmpty()) {
            QToolTip::showText(help->globalPos(), plainToolTip(passes), this);
        } else if (const int index = stageAt(help->pos()); index >= 0) {
            const Fact* known = fact(index);
            QString change;
            if (const int from = m_workspace.madeFrom(index); known && !known->change.isEmpty() && from >= 0)
                change = tr("%1 against %2").arg(known->change, toQString(stage(from)->label()));
            QString notes = marksText(m_workspace.stageMarks(*stage(index)));
            if (const QString said = m_rederived ? m_rederived->text(stage(index)) : QString();
                !said.isEmpty())
                notes = notes.isEmpty() ? said : said + u'\n' + notes;
            QToolTip::showText(
                help->globalPos(),
                stageToolTip(*stage(index), known ? known->size : tr("size not read yet"), change, notes),
                this);
        } else {
            QToolTip::hideText();
        }
        return true;
    }
    if (event->type() == QEvent::Leave && m_hover >= 0) {
        m_hover = -1;
        viewport()->update();
    }
    return QAbstractScrollArea::viewportEvent(event);
}

} // namespace dynascope::views
