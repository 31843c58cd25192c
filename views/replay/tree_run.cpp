// SPDX-License-Identifier: BSD-3-Clause
#include "views/replay/tree_run.h"

#include <algorithm>

namespace dynascope::views {

using replay::InvariantCheck;
using replay::InvariantStatus;
using replay::NodeId;
using replay::TreeStep;

namespace {

std::size_t countBefore(const std::vector<std::size_t>& steps, std::size_t position) {
    return std::size_t(std::lower_bound(steps.begin(), steps.end(), position) - steps.begin());
}

bool isMark(const TreeStep& step) {
    return step.action == TreeStep::Action::Eager || step.action == TreeStep::Action::Failed ||
           rerecordCause(step) || !step.overwrittenInputs.empty();
}

} // namespace

const InvariantCheck* rerecordCause(const TreeStep& step) {
    if (step.action != TreeStep::Action::Record) return nullptr;
    const auto failed = std::find_if(step.checks.begin(), step.checks.end(), [](const InvariantCheck& check) {
        return check.status != InvariantStatus::Success;
    });
    return failed == step.checks.end() ? nullptr : &*failed;
}

TreeRun::TreeRun(const replay::TreeProgram& program, const TaskContext& task)
    : m_simulation(program) {
    while (!task.cancelled() && m_simulation.next())
        task.report("Running", size(), program.events.size());
    for (std::size_t i = 0; i < size(); ++i) {
        const TreeStep& at = step(i);
        const bool call = at.event == TreeStep::Event::Call;
        m_calls.push_back(call ? m_stepOfCall.size() : SIZE_MAX);
        if (call) m_stepOfCall.push_back(i);
        if (isMark(at)) m_marks.push_back(i);
        if (at.action == TreeStep::Action::Replay) m_replays[at.node].push_back(i);
        if (at.action == TreeStep::Action::Record) m_recordings.push_back(i);
        if (const InvariantCheck* cause = rerecordCause(at)) {
            m_rerecords.push_back(i);
            if (cause->status == InvariantStatus::StaticAddressChanged) m_newAddresses.push_back(i);
        }
    }
}

std::size_t TreeRun::replays(NodeId node, std::size_t position) const {
    const auto found = m_replays.find(node);
    return found == m_replays.end() ? 0 : countBefore(found->second, position);
}

std::size_t TreeRun::rerecords(std::size_t position) const {
    return countBefore(m_rerecords, position);
}

std::size_t TreeRun::newAddresses(std::size_t position) const {
    return countBefore(m_newAddresses, position);
}

std::size_t TreeRun::recordings(std::size_t position) const {
    return countBefore(m_recordings, position);
}

void TreeWalk::setRun(TreeRunPtr run) {
    m_cursor.reset();
    m_run = std::move(run);
    m_selected = replay::noNode;
    if (m_run) {
        m_cursor.emplace(m_run->manager().changes());
        m_cursor->moveTo(m_run->size());
    }
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
    return m_run ? m_run->manager().path(state().current) : std::vector<NodeId>();
}

void TreeWalk::moveTo(std::size_t position) {
    if (!m_cursor) return;
    position = std::min(position, m_run->size());
    if (position == m_cursor->position()) return;
    m_cursor->moveTo(position);
    // What is not made yet cannot be looked at.
    const replay::TreeNode* node = m_run->manager().find(m_selected);
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
    const replay::TreeNode* known = m_run ? m_run->manager().find(node) : nullptr;
    if (!known || known->step >= position()) node = replay::noNode;
    if (node == m_selected) return;
    m_selected = node;
    emit moved();
}

} // namespace dynascope::views
