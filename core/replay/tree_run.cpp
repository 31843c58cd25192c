// SPDX-License-Identifier: BSD-3-Clause
#include "core/replay/tree_run.h"

#include <algorithm>
#include <utility>

namespace dynascope::replay {

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

TreeRun::TreeRun(const TreeProgram& program, const TaskContext& task)
    : m_program(program) {
    TreeSimulation simulation(program);
    for (std::size_t done = 0; !task.cancelled() && simulation.next(); ++done)
        task.report("Running", done + 1, program.events.size());
    m_log = TreeLog(simulation.manager());
    for (std::size_t i = 0; i < size(); ++i)
        note(i);
}

TreeRun::TreeRun(TreeProgram program)
    : m_program(std::move(program)) {
    std::vector<TreeFunction> functions;
    for (const SimulatedFunction& function : m_program.functions)
        functions.push_back(function.function);
    m_log = TreeLog(std::move(functions));
}

Result<void> TreeRun::append(TreeLogPart part) {
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
    if (at.event == TreeStep::Event::Call) m_stepOfCall.push_back(i);
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

} // namespace dynascope::replay
