// SPDX-License-Identifier: BSD-3-Clause
#include "views/profile/lanes_view.h"

#include <QMouseEvent>
#include <algorithm>

namespace dynascope::views {

bool LanesView::hover(QPoint point) {
    setHover(eventAt(point));
    return m_hover != profile::none || breakAt(point) >= 0;
}

void LanesView::setHover(std::uint32_t event) {
    if (event == m_hover) return;
    m_hover = event;
    viewport()->update();
}

void LanesView::click(QPoint point) {
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

void LanesView::stepSelection(Qt::Key arrow) {
    if (m_rows.empty()) return;
    std::uint32_t to = profile::none;
    if (m_selected == profile::none) {
        const std::vector<std::uint32_t>& list = events(m_rows.front());
        const auto first = std::partition_point(
            list.begin(), list.end(), [&](std::uint32_t i) { return double(at(i).start) < m_left; });
        to = first == list.end() ? list.back() : *first;
    } else {
        to = arrow == Qt::Key_Left    ? neighbour(-1)
             : arrow == Qt::Key_Right ? neighbour(1)
             : arrow == Qt::Key_Up    ? at(m_selected).parent
                                      : firstInside();
    }
    if (to == profile::none || !rowOf(to)) return;
    select(to, true);
    emit selectionChanged(to);
}

void LanesView::activateSelection() {
    if (m_selected != profile::none) emit activated(m_selected);
}

bool LanesView::clearSelection() {
    if (m_selected == profile::none) return false;
    select(profile::none);
    emit selectionChanged(profile::none);
    return true;
}

QString LanesView::toolTipAt(QPoint point) const {
    if (const int chip = breakAt(point); chip >= 0)
        return tr("Graph break at %1").arg(m_lanes->breaks[std::size_t(chip)].place);
    const std::uint32_t over = eventAt(point);
    return over == profile::none ? QString() : description(over);
}

} // namespace dynascope::views
