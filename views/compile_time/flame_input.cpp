// SPDX-License-Identifier: BSD-3-Clause
#include "views/compile_time/flame_chart.h"
#include "views/theme/picture.h"
#include "views/workspace/labels.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <algorithm>

namespace dynascope::views {

bool FlameChart::hover(QPoint point) {
    setHover(spanAt(point));
    return m_hover >= 0;
}

void FlameChart::setHover(int span) {
    if (span == m_hover) return;
    m_hover = span;
    viewport()->update();
}

void FlameChart::click(QPoint point) {
    const int hit = spanAt(point);
    select(hit);
    if (hit >= 0 && !hasOwnLanes()) emit activated(hit);
}

void FlameChart::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    const int hit = spanAt(event->position().toPoint());
    if (hit >= 0 && hasOwnLanes()) return emit activated(hit);
    zoomTo(hit);
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

int FlameChart::inLane(int lane, double us) const {
    if (lane < 0 || lane >= int(m_firstRow.size())) return -1;
    int best = -1;
    double nearest = 0;
    for (const int i : m_rows[m_firstRow[std::size_t(lane)]].spans) {
        const session::Span& s = span(i);
        const double away = std::max({s.startUs - us, us - s.endUs, 0.0});
        if (best < 0 || away < nearest) {
            best = i;
            nearest = away;
        }
    }
    return best;
}

void FlameChart::stepSelection(Qt::Key arrow) {
    if (m_tree->spans.empty()) return;
    if (m_selected < 0) return select(0, true);
    if (hasOwnLanes() && (arrow == Qt::Key_Up || arrow == Qt::Key_Down)) {
        const session::Span& s = span(m_selected);
        const int to = inLane(s.lane + (arrow == Qt::Key_Up ? -1 : 1), (s.startUs + s.endUs) / 2);
        if (to >= 0) select(to, true);
        return;
    }
    const int to = arrow == Qt::Key_Left    ? neighbour(-1)
                   : arrow == Qt::Key_Right ? neighbour(1)
                   : arrow == Qt::Key_Up    ? span(m_selected).parent
                                            : longestChild();
    if (to >= 0) select(to, true);
}

void FlameChart::activateSelection() {
    if (m_selected >= 0) emit activated(m_selected);
}

bool FlameChart::clearSelection() {
    if (m_selected < 0) return false;
    select(-1);
    return true;
}

void FlameChart::keyPressEvent(QKeyEvent* event) {
    if (event->key() != Qt::Key_N || !isPlain(*event)) return TimeAxisView::keyPressEvent(event);
    stepMatch(event->modifiers() & Qt::ShiftModifier ? -1 : 1);
}

QString FlameChart::toolTipAt(QPoint point) const {
    return description(spanAt(point));
}

void FlameChart::contextMenuEvent(QContextMenuEvent* event) {
    if (event->reason() == QContextMenuEvent::Mouse) select(spanAt(event->pos()));
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    if (const int at = m_selected; at >= 0) {
        menu->addAction(tr("Show its stage"), this, [this, at] { emit activated(at); });
        menu->addAction(tr("Zoom to it"), this, [this, at] { zoomTo(at); });
        const std::size_t event = span(at).event;
        const session::TimingEvent timing =
            event < m_session->timings.size() ? m_session->timings[event] : session::TimingEvent();
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
    addPictureActions(*menu, *this, [this] { return picture(); });
    menu->popup(event->globalPos());
}

} // namespace dynascope::views
