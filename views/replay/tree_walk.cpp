// SPDX-License-Identifier: BSD-3-Clause
#include "views/replay/tree_walk.h"

#include <algorithm>
#include <utility>

namespace dynascope::views {

using replay::NodeId;
using replay::TreeStep;

void TreeWalk::setRun(replay::TreeRunPtr run) {
    m_cursor.reset();
    m_run = std::move(run);
    m_selected = replay::noNode;
    if (m_run) {
        m_cursor.emplace(m_run->log().changes());
        m_cursor->moveTo(m_run->size());
        m_seen = m_run->size();
    }
    emit runChanged();
    emit moved();
}

void TreeWalk::grew() {
    if (!m_run) return;
    const std::size_t before = position();
    const bool atEnd = !m_cursor || before == m_seen;
    if (!m_cursor)
        m_cursor.emplace(m_run->log().changes());
    else
        m_cursor->extend(m_run->log().changes());
    if (atEnd) m_cursor->moveTo(m_run->size());
    m_seen = m_run->size();
    emit runChanged();
    emit moved();
}

const replay::TreeState& TreeWalk::state() const {
    return m_cursor ? m_cursor->state() : m_none;
}

const TreeStep* TreeWalk::step() const {
    return position() == 0 ? nullptr : &m_run->step(position() - 1);
}

std::vector<NodeId> TreeWalk::path() const {
    return m_run ? m_run->log().path(state().current) : std::vector<NodeId>();
}

void TreeWalk::moveTo(std::size_t position) {
    if (!m_cursor) return;
    position = std::min(position, m_run->size());
    if (position == m_cursor->position()) return;
    m_cursor->moveTo(position);
    // What is not made yet cannot be looked at.
    const replay::TreeNode* node = m_run->log().find(m_selected);
    if (node && node->step >= position) m_selected = replay::noNode;
    emit moved();
}

bool TreeWalk::toMark(int direction) {
    if (!m_run) return false;
    const std::vector<std::size_t>& marks = m_run->marks();
    if (direction > 0) {
        const auto next = std::lower_bound(marks.begin(), marks.end(), position());
        if (next == marks.end()) return false;
        moveTo(*next + 1);
        return true;
    }
    if (position() == 0) return false;
    const auto next = std::lower_bound(marks.begin(), marks.end(), position() - 1);
    if (next == marks.begin()) return false;
    moveTo(*std::prev(next) + 1);
    return true;
}

void TreeWalk::select(NodeId node) {
    const replay::TreeNode* known = m_run ? m_run->log().find(node) : nullptr;
    if (!known || known->step >= position()) node = replay::noNode;
    if (node == m_selected) return;
    m_selected = node;
    emit moved();
}

} // namespace dynascope::views
