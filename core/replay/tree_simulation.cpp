// SPDX-License-Identifier: BSD-3-Clause
#include "core/replay/tree_simulator.h"

#include "core/base/log.h"

#include <algorithm>

namespace dynascope::replay {

namespace {

/// The pool begins behind the program's own tensors.
Address poolAddress(const TreeProgram& program, Address wanted) {
    for (const TreeEvent& event : program.events)
        for (const TreeArgument& argument : event.inputs)
            if (argument.kind == TreeArgument::Kind::Parameter)
                wanted = std::max(wanted, argument.address + 1);
    return wanted;
}

} // namespace

void carryOut(const TreeEvent& event, TreeManager& manager, const std::function<void()>& call,
              const std::function<void(std::size_t output)>& drop) {
    switch (event.kind) {
    case TreeEvent::Kind::Call:
        call();
        break;
    case TreeEvent::Kind::Drop:
        for (const std::size_t output : event.outputs)
            drop(output);
        manager.observe();
        break;
    case TreeEvent::Kind::Invocation:
        manager.invocation();
        break;
    case TreeEvent::Kind::UserMark:
        manager.userMark();
        break;
    case TreeEvent::Kind::EagerBackward:
        manager.eagerBackward();
        break;
    }
}

TreeSimulation::TreeSimulation(TreeProgram program, Address firstAddress, bool reuse)
    : m_program(std::move(program))
    , m_simulator(poolAddress(m_program, firstAddress), reuse)
    , m_manager(m_simulator, m_program.options) {
    for (const SimulatedFunction& function : m_program.functions) {
        m_simulator.addFunction(function.outputs);
        m_manager.addFunction(function.function);
    }
}

bool TreeSimulation::next() {
    if (m_next == m_program.events.size()) return false;
    const TreeEvent& event = m_program.events[m_next++];
    carryOut(
        event, m_manager, [&] { call(event); }, [&](std::size_t output) { drop(event.call, output); });
    return true;
}

void TreeSimulation::run() {
    const log::Stopwatch watch;
    while (next()) {
    }
    log::write(log::Topic::Replay, "simulated ", m_program.events.size(), " events of ",
               m_program.functions.size(), " functions in ", watch.ms(), " ms");
}

void TreeSimulation::call(const TreeEvent& event) {
    std::vector<TreeValue> inputs;
    for (const TreeArgument& argument : event.inputs)
        inputs.push_back(valueOf(argument));
    m_simulator.beginCall(inputs);
    for (const TreeArgument& argument : event.inputs)
        if (argument.kind == TreeArgument::Kind::Output && argument.lastReference)
            drop(argument.call, argument.output);
    const TreeStep& step = m_manager.call(event.function, std::move(inputs), event.stack);
    m_simulator.endCall();
    m_calls.push_back({step.outputs, std::vector<bool>(step.outputs.size(), false)});
}

void TreeSimulation::drop(std::size_t call, std::size_t output) {
    if (call >= m_calls.size() || output >= m_calls[call].outputs.size() || m_calls[call].dropped[output])
        return;
    m_calls[call].dropped[output] = true;
    if (m_calls[call].outputs[output].isTensor()) m_simulator.drop(m_calls[call].outputs[output].storage);
}

TreeValue TreeSimulation::valueOf(const TreeArgument& argument) {
    switch (argument.kind) {
    case TreeArgument::Kind::Parameter: {
        const TreeValue value = m_simulator.ownTensor(argument.address);
        m_simulator.hold(value.storage); // for as long as the program runs
        return value;
    }
    case TreeArgument::Kind::Number: {
        TreeValue value;
        value.kind = TreeValue::Kind::Number;
        return value;
    }
    case TreeArgument::Kind::Output:
        if (argument.call < m_calls.size() && argument.output < m_calls[argument.call].outputs.size() &&
            !m_calls[argument.call].dropped[argument.output])
            return m_calls[argument.call].outputs[argument.output];
        break;
    case TreeArgument::Kind::Fresh:
        break;
    }
    return m_simulator.freshTensor();
}

} // namespace dynascope::replay
