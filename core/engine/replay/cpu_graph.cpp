// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/replay/cpu_graph.h"

#include "core/engine/collectives/kernels.h"
#include "core/engine/collectives/mirror_groups.h"

#include <ATen/Parallel.h>
#include <ATen/ops/clone.h>
#include <algorithm>

namespace dynascope::engine {

using c10::IValue;
using replay::NodeMode;

namespace {

constexpr const char* otherAllocations = "it allocated otherwise than when it was recorded";

/// Whether two values are the same number, or tensors of the same shape in the same place.
bool sameValue(const IValue& a, const IValue& b) {
    if (a.isNone() || b.isNone()) return a.isNone() == b.isNone();
    if (a.isTensor() && b.isTensor()) {
        const at::Tensor &x = a.toTensor(), &y = b.toTensor();
        if (!x.defined() || !y.defined()) return x.defined() == y.defined();
        return hasPlainMemory(y) && x.dtype() == y.dtype() && x.sizes() == y.sizes() &&
               x.strides() == y.strides() && x.storage_offset() == y.storage_offset() &&
               x.is_conj() == y.is_conj() && x.is_neg() == y.is_neg() &&
               x.storage().data() == y.storage().data();
    }
    if (a.isTuple() && b.isTuple()) {
        const auto &x = a.toTupleRef().elements(), &y = b.toTupleRef().elements();
        return std::equal(x.begin(), x.end(), y.begin(), y.end(), sameValue);
    }
    if (a.isList() && b.isList()) {
        const auto x = a.toListRef(), y = b.toListRef();
        return std::equal(x.begin(), x.end(), y.begin(), y.end(), sameValue);
    }
    if (a.isInt() && b.isInt()) return a.toInt() == b.toInt();
    if (a.isBool() && b.isBool()) return a.toBool() == b.toBool();
    return a.isDouble() && b.isDouble() && a.toDouble() == b.toDouble();
}

/// "1234" or "0.5".
std::string numberText(const IValue& value) {
    if (!value.isScalar()) return "no number";
    if (value.isBool()) return value.toBool() ? "True" : "False";
    return value.isInt() ? std::to_string(value.toInt()) : std::to_string(value.toScalar().toDouble());
}

/// Lets somebody hear of a replay, up to its end or its failure.
class Tapped {
public:
    /// `held` is what the last replay's results hold.
    Tapped(AddressServer& server, replay::LiveTap* tap, const std::vector<std::uint64_t>& held)
        : m_server(tap ? &server : nullptr) {
        if (!tap) return;
        tap->replayBegin();
        if (tap->replays() > 0)
            for (const std::uint64_t offset : held)
                tap->free(offset, true);
        server.setTap(tap);
    }
    Tapped(const Tapped&) = delete;
    Tapped& operator=(const Tapped&) = delete;
    ~Tapped() {
        if (m_server) m_server->setTap(nullptr);
    }

private:
    AddressServer* m_server;
};

} // namespace

bool CpuGraph::runPlanned(Step& step) {
    step.check(m_request.program->code[step.node].op->schema(), step.args.data());
    if (step.inPlace) {
        m_server->beginInPlace(step.sites);
        step.bound->run(m_stack);
        if (m_server->end()) return true;
        // This form of the kernel allocates after all: back to the one that was recorded.
        step.inPlace = false;
        step.bound = nullptr;
    }
    if (!step.bound) m_stack.assign(step.args.begin(), step.args.end());
    m_server->begin(step.sites);
    if (step.bound) {
        step.bound->run(m_stack);
    } else {
        m_request.program->code[step.node].op->callBoxed(m_stack);
        if (step.check.waits()) waitFor(m_stack);
    }
    bool asPlanned = m_server->end();
    if (!asPlanned) m_reason = otherAllocations;
    if (asPlanned && step.checksShape) {
        std::size_t next = 0;
        for (const IValue& result : m_stack)
            forEachTensor(result, [&](const at::Tensor& tensor) {
                const at::Tensor& shell = m_trace.nodes[step.node].tensors.at(next++).tensor;
                if (tensor.sizes() != shell.sizes()) asPlanned = false;
            });
        if (!asPlanned) m_reason = "its result has another shape than when it was recorded";
    }
    if (!asPlanned && !m_stack.empty()) {
        IValue result = m_stack.size() == 1
                            ? std::move(m_stack.front())
                            : c10::ivalue::Tuple::create(std::vector<IValue>(m_stack.begin(), m_stack.end()));
        m_values[step.node] = outOfArena(result);
    } else if (asPlanned && m_tryingOut) {
        checkAddresses(step);
    }
    m_stack.clear();
    return asPlanned;
}

bool CpuGraph::runCalled(const Step& step, const torch_level::Context& context) {
    m_server->begin(step.sites);
    IValue result = call(m_request.program->code[step.node], m_values, &context);
    const bool asPlanned = m_server->end() || step.mode == NodeMode::Eager;
    if (!asPlanned) {
        m_reason = otherAllocations;
        m_values[step.node] = outOfArena(result);
        return false;
    }
    if (m_decisions[step.node].guarded) {
        if (sameValue(m_values[step.node], result)) return true;
        m_reason = result.isScalar()
                       ? "its value was " + numberText(m_values[step.node]) + " and is " + numberText(result)
                       : "its result lies elsewhere than when it was recorded";
        m_values[step.node] = std::move(result);
        return false;
    }
    m_values[step.node] = std::move(result);
    return true;
}

void CpuGraph::checkAddresses(const Step& step) {
    std::size_t next = 0;
    bool same = true;
    for (const IValue& result : m_stack)
        forEachTensor(result, [&](const at::Tensor& tensor) {
            const TensorShell& shell = m_trace.nodes[step.node].tensors.at(next++);
            same &= tensor.storage().data() == shell.tensor.storage().data() || shell.same != ir::npos;
        });
    if (!same) m_elsewhere.push_back(step.node);
}

/// What a step that diverged left in the arena has no place there.
IValue CpuGraph::outOfArena(const IValue& value) const {
    return mapTensors(value, [&](const at::Tensor& tensor) {
        const bool served = tensor.has_storage() && m_server->servedByLast(tensor.storage().data());
        return served ? tensor.clone() : tensor;
    });
}

void CpuGraph::diverge(ir::NodeIndex node, const std::string& why) {
    const bool allocatedOtherwise = why == otherAllocations;
    if (!m_tryingOut) m_divergences.push_back({node, m_replays, why});
    const bool onlyItsValue = m_decisions[node].guarded && !allocatedOtherwise;
    m_decisions[node] = {onlyItsValue ? NodeMode::Called : NodeMode::Eager, "at a replay " + why, true,
                         false};
    spreadFreshness(*m_request.program, m_trace, m_decisions);
    makeSteps();
}

RunStatus CpuGraph::replay(const TaskContext& task, const ReplayWatch& watch) {
    const RunModes modes(m_inference, m_request.oneDnn);
    enterMirrorGroups(m_request.program->groups);
    if (at::get_num_threads() != m_threads) at::set_num_threads(m_threads);
    const std::uint64_t before = allocationsOutside();
    const torch_level::Context context{&task, &m_request.attributes};
    std::size_t at = 0;
    try {
        const AllocationScope scope(*m_server);
        const Tapped tapped(*m_server, watch.live, m_survivors);
        if (watch.clock) watch.clock->beginReplay();
        for (; at < m_steps.size(); ++at) {
            if (task.cancelled()) return tl::unexpected(RunError{"cancelled", m_steps[at].node, true});
            Step& step = m_steps[at];
            const ir::NodeIndex node = step.node;
            if (watch.live) watch.live->nodeBegin(node);
            const bool asPlanned =
                step.mode == NodeMode::Planned ? runPlanned(step) : runCalled(step, context);
            const std::span<const AddressSite> served = m_server->served();
            if (!asPlanned) {
                diverge(node, m_reason);
                at = static_cast<std::size_t>(
                    std::lower_bound(m_steps.begin(), m_steps.end(), node,
                                     [](const Step& s, ir::NodeIndex i) { return s.node < i; }) -
                    m_steps.begin());
            }
            for (const ir::NodeIndex dead : m_steps[at].drops)
                m_values[dead] = IValue();
            if (watch.clock) watch.clock->lap(node);
            if (!watch.live) continue;
            if (!asPlanned && !isPlanned(m_steps[at].mode)) {
                for (const AddressSite& site : served)
                    if (!site.temporary) watch.live->free(m_server->offsetOf(site.address), true);
            }
            for (const std::uint64_t offset : m_steps[at].frees)
                watch.live->free(offset, true);
            watch.live->nodeEnd();
        }
        if (watch.live) watch.live->replayEnd();
    } catch (const std::exception& error) {
        m_stack.clear();
        return tl::unexpected(
            RunError{errorText(error), at < m_steps.size() ? m_steps[at].node : ir::npos, false});
    }
    ++m_replays;
    m_otherCalls += allocationsOutside() - before;
    return {};
}

RunStatus CpuGraph::tryOut(const TaskContext& task) {
    m_tryingOut = true;
    RunStatus status;
    do {
        m_elsewhere.clear();
        rewind();
        status = replay(task, {});
        for (const ir::NodeIndex node : m_elsewhere)
            m_decisions[node] = {NodeMode::Called, "its result lies elsewhere than when it was recorded",
                                 true, false};
        if (m_elsewhere.empty()) continue;
        spreadFreshness(*m_request.program, m_trace, m_decisions);
        makeSteps();
    } while (status && !m_elsewhere.empty());
    m_tryingOut = false;
    return status;
}

std::vector<IValue> CpuGraph::outputs() const {
    std::vector<IValue> out;
    for (const Operand* leaf : resultLeaves(*m_request.program)) {
        const IValue value = evaluate(*leaf, m_values);
        if (value.isTuple() || value.isTensorList()) {
            forEachTensor(value, [&](const at::Tensor& tensor) { out.emplace_back(tensor); });
        } else {
            out.push_back(value);
        }
    }
    return out;
}

tl::expected<std::vector<IValue>, RunError> CpuGraph::runEagerly(const TaskContext& task) {
    const RunModes modes(m_inference, m_request.oneDnn);
    if (at::get_num_threads() != m_threads) at::set_num_threads(m_threads);
    TaskContext quiet;
    quiet.stop = task.stop;
    return run(*m_request.program, m_request.inputs, m_request.attributes, quiet);
}

std::uint64_t CpuGraph::allocatorCalls() const {
    return m_server->heapAllocations() + m_otherCalls;
}

} // namespace dynascope::engine
