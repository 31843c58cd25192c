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

} // namespace

const InvariantCheck* rerecordCause(const TreeStep& step) {
    if (step.action != TreeStep::Action::Record) return nullptr;
    const auto failed = std::find_if(step.checks.begin(), step.checks.end(), [](const InvariantCheck& check) {
        return check.status != InvariantStatus::Success;
    });
    return failed == step.checks.end() ? nullptr : &*failed;
}

bool isTreeMark(const TreeStep& step) {
    return step.action == TreeStep::Action::Eager || step.action == TreeStep::Action::Failed ||
           rerecordCause(step) || !step.overwrittenInputs.empty();
}

TreeRun::TreeRun(const replay::TreeProgram& program, const TaskContext& task)
    : m_program(program) {
    replay::TreeSimulation simulation(program);
    for (std::size_t done = 0; !task.cancelled() && simulation.next(); ++done)
        task.report("Running", done + 1, program.events.size());
    m_log = replay::TreeLog(simulation.manager());
    for (std::size_t i = 0; i < size(); ++i)
        note(i);
}

TreeRun::TreeRun(replay::TreeProgram program)
    : m_program(std::move(program)) {
    std::vector<replay::TreeFunction> functions;
    for (const replay::SimulatedFunction& function : m_program.functions)
        functions.push_back(function.function);
    m_log = replay::TreeLog(std::move(functions));
}

Result<void> TreeRun::append(replay::TreeLogPart part) {
    const std::size_t before = size();
    if (before + part.steps.size() > m_program.events.size())
        return failure("the run has more steps than its program");
    if (auto appended = m_log.append(std::move(part)); !appended) return appended;
    for (std::size_t i = before; i < size(); ++i)
        note(i);
    return {};
}

void TreeRun::note(std::size_t i) {
    const TreeStep& at = step(i);
    const bool call = at.event == TreeStep::Event::Call;
    m_calls.push_back(call ? m_stepOfCall.size() : SIZE_MAX);
    if (call) m_stepOfCall.push_back(i);
    if (isTreeMark(at)) m_marks.push_back(i);
    if (at.action == TreeStep::Action::Replay) m_replays[at.node].push_back(i);
    if (at.action == TreeStep::Action::Record) m_recordings.push_back(i);
    if (rerecordCause(at)) m_rerecords.push_back(i);
    if (rerecordCause(at) && at.countedRerecord) m_counted.push_back(i);
}

std::size_t TreeRun::replays(NodeId node, std::size_t position) const {
    const auto found = m_replays.find(node);
    return found == m_replays.end() ? 0 : countBefore(found->second, position);
}

std::size_t TreeRun::rerecords(std::size_t position) const {
    return countBefore(m_rerecords, position);
}

std::size_t TreeRun::counted(std::size_t position) const {
    return countBefore(m_counted, position);
}

std::size_t TreeRun::recordings(std::size_t position) const {
    return countBefore(m_recordings, position);
}

void TreeWalk::setRun(TreeRunPtr run) {
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
