// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/replay/tree_run.h"

#include "core/engine/replay/recorder.h"
#include "core/engine/replay/replay_run.h"
#include "core/engine/replay/unset_results.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/set.h>
#include <chrono>

namespace dynascope::engine {

using c10::IValue;
using replay::TreeArgument;
using replay::TreeEvent;

namespace {

/// Makes a tensor's numbers a little other, and those of what shares its memory.
void vary(const at::Tensor& tensor, std::size_t turn) {
    if (!tensor.is_floating_point() || turn == 0) return;
    const auto cells = static_cast<std::int64_t>(tensor.storage().nbytes() / tensor.itemsize());
    at::empty({0}, tensor.options())
        .set_(tensor.storage(), 0, {cells})
        .mul_(1 + static_cast<double>(turn % 256) / 1024);
}

} // namespace

PoolTreeRun::PoolTreeRun(GraphPool& pool, TreeRunRequest request)
    : m_pool(pool)
    , m_request(std::move(request))
    , m_functions(pool)
    , m_manager(m_functions, m_request.options)
    , m_freshCopies(pool.device(), true) {
    for (const TreeRunFunction& function : m_request.functions) {
        m_functions.add(function.program, function.attributes);
        m_manager.addFunction(function.about);
    }
}

bool PoolTreeRun::next(const TaskContext& task) {
    if (m_next == m_request.events.size()) return false;
    const TreeEvent& event = m_request.events[m_next++];
    replay::carryOut(
        event, m_manager, [&] { call(event, task); }, [&](std::size_t output) { drop(event.call, output); });
    return true;
}

void PoolTreeRun::drop(std::size_t call, std::size_t output) {
    if (call < m_calls.size() && output < m_calls[call].size()) m_calls[call][output] = IValue();
}

IValue PoolTreeRun::argument(const TreeEvent& event, std::size_t index) {
    const TreeArgument& wanted = event.inputs[index];
    const IValue& like = m_request.functions[event.function].inputs.at(index);
    if (!isDefinedTensor(like)) return like;
    if (wanted.kind == TreeArgument::Kind::Output && wanted.call < m_calls.size() &&
        wanted.output < m_calls[wanted.call].size() && isDefinedTensor(m_calls[wanted.call][wanted.output]))
        return m_calls[wanted.call][wanted.output];
    if (wanted.kind == TreeArgument::Kind::Parameter) {
        IValue& parameter = m_parameters[wanted.address];
        if (parameter.isNone()) parameter = StorageCopies(m_pool.device(), true).copyOf(like.toTensor());
        return parameter;
    }
    const at::Tensor fresh = m_freshCopies.copyOf(like.toTensor());
    vary(fresh, m_calls.size());
    return fresh;
}

std::optional<PoolTreeRun::Expected>
PoolTreeRun::eager(const TreeEvent& event, const std::vector<IValue>& inputs, const TaskContext& task) {
    const TreeRunFunction& function = m_request.functions[event.function];
    Expected out;
    try {
        StorageCopies copies(m_pool.device(), true);
        std::vector<IValue> copied;
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            copied.push_back(isDefinedTensor(inputs[i]) ? IValue(copies.copyOf(inputs[i].toTensor()))
                                                        : inputs[i]);
            if (event.inputs[i].kind == TreeArgument::Kind::Parameter && isDefinedTensor(inputs[i]))
                out.parameters[i] = copied.back().toTensor();
        }
        StorageCopies constants(m_pool.device(), true);
        Attributes attributes = function.attributes;
        for (auto& [name, tensor] : attributes)
            tensor = constants.copyOf(tensor);
        auto results = m_pool.runEagerly(*m_pool.programFor(function.program), copied, attributes, task);
        if (!results) return {};
        out.results = std::move(*results);
        out.unset = unsetResults(*function.program);
        return out;
    } catch (const std::exception&) {
        return {}; // an input that was taken away: the call is refused as well
    }
}

std::string PoolTreeRun::differenceFrom(const Expected& expected, const TreeEvent& event,
                                        const std::vector<IValue>& got) const {
    std::string out = bitDifference(expected.results, got, expected.unset);
    for (const auto& [input, tensor] : expected.parameters) {
        if (!out.empty()) break;
        const auto now = m_parameters.find(event.inputs[input].address);
        out = bitDifference({tensor}, {now->second});
        if (!out.empty()) out = "parameter " + std::to_string(input) + " after the call: " + out;
    }
    return out;
}

void PoolTreeRun::call(const TreeEvent& event, const TaskContext& task) {
    const at::AutoGradMode noGrad(false);
    m_freshCopies = StorageCopies(m_pool.device(), true);
    std::vector<IValue> inputs;
    for (std::size_t i = 0; i < event.inputs.size(); ++i)
        inputs.push_back(argument(event, i));
    std::optional<Expected> expected;
    const RandomState random(m_pool.device());
    if (m_request.verify) expected = eager(event, inputs, task);
    random.put();
    // Kernels of a GPU may add up in another order each time.
    if (expected && !m_pool.device().is_cpu()) {
        const std::optional<Expected> again = eager(event, inputs, task);
        random.put();
        if (again && !bitDifference(expected->results, again->results, expected->unset).empty()) {
            expected.reset();
            ++m_undecided;
        }
    }
    for (const TreeArgument& argument : event.inputs)
        if (argument.kind == TreeArgument::Kind::Output && argument.lastReference)
            drop(argument.call, argument.output);
    m_functions.setTask(task);
    const auto start = std::chrono::steady_clock::now();
    std::vector<replay::TreeValue> values = m_functions.begin(std::move(inputs));
    const replay::TreeStep& step = m_manager.call(event.function, std::move(values), event.stack);
    Measured& measured = m_measured[m_manager.steps().size() - 1];
    measured.us = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
    m_calls.push_back(m_functions.end());
    if (!expected || step.action == replay::TreeStep::Action::Failed) return;
    ++m_verified;
    measured.verified = true;
    measured.difference = differenceFrom(*expected, event, m_calls.back());
    if (!measured.difference.empty()) ++m_different;
}

replay::TreeLogPart PoolTreeRun::news() {
    replay::TreeLogPart out = m_log.next();
    out.end = m_next == m_request.events.size();
    for (std::size_t i = 0; i < out.steps.size(); ++i) {
        replay::StepMeasure& measure = out.measures.emplace_back();
        // One look at the pool: steps that are told together are told as of now.
        measure.poolBytes = m_pool.reservedBytes();
        measure.blocks = m_pool.blocks();
        if (const auto found = m_measured.find(out.firstStep + i); found != m_measured.end()) {
            measure.us = found->second.us;
            measure.verified = found->second.verified;
            measure.difference = found->second.difference;
        }
    }
    return out;
}

replay::TreeReport PoolTreeRun::report() const {
    replay::TreeReport out = replay::reportOf(m_manager);
    out.backend = m_pool.name();
    out.poolBytes = m_pool.reservedBytes();
    out.verified = m_verified;
    out.different = m_different;
    out.undecided = m_undecided;
    for (const auto& [step, measured] : m_measured) {
        out.steps[step].us = measured.us;
        out.steps[step].difference = measured.difference;
    }
    return out;
}

} // namespace dynascope::engine
