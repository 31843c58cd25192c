// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/replay/cpu_graph.h"

#include "core/engine/exec/torch_level/functorch.h"
#include "core/engine/exec/torch_level/modes.h"
#include "core/replay/plan.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/clone.h>
#include <algorithm>
#include <c10/core/InferenceMode.h>
#include <c10/core/impl/alloc_cpu.h>

namespace dynascope::engine {

using c10::IValue;
using replay::NodeMode;

namespace {

constexpr const char* otherAllocations = "it allocated otherwise than when it was recorded";

double microsecondsSince(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
}

bool isPlanned(NodeMode mode) {
    return mode == NodeMode::Planned || mode == NodeMode::Called;
}

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

std::vector<replay::Block> blocksOf(const RunTrace& trace, const std::vector<Decision>& decisions) {
    std::vector<replay::Block> out;
    for (const AllocationLog::Entry& entry : trace.allocations) {
        const std::uint32_t died = entry.died == AllocationLog::never ? trace.events : entry.died;
        out.push_back({isPlanned(decisions[entry.node].mode) ? entry.bytes : 0, entry.born,
                       std::max(entry.born, died - 1)});
    }
    return out;
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

/// PyTorch has one setting for all threads; the engine runs one request at a time.
class NoOneDnn {
public:
    NoOneDnn()
        : m_before(at::globalContext().userEnabledMkldnn()) {
        at::globalContext().setUserEnabledMkldnn(false);
    }
    NoOneDnn(const NoOneDnn&) = delete;
    NoOneDnn& operator=(const NoOneDnn&) = delete;
    ~NoOneDnn() { at::globalContext().setUserEnabledMkldnn(m_before); }

private:
    bool m_before;
};

} // namespace

struct RunModes::Guards {
    std::optional<NoOneDnn> noOneDnn;
    torch_level::ModeGuard modes;
    torch_level::LayerGuard layers;
    std::optional<c10::InferenceMode> inference;
    at::AutoGradMode noGrad{false};
};

bool hasOperatorsOnly(const Program& program) {
    return std::none_of(program.code.begin(), program.code.end(), [](const Instruction& instruction) {
        return instruction.kind == Instruction::Kind::Function;
    });
}

RunModes::RunModes(bool inference, bool oneDnn)
    : m_guards(std::make_unique<Guards>()) {
    if (!oneDnn) m_guards->noOneDnn.emplace();
    if (inference) m_guards->inference.emplace(true);
}

RunModes::~RunModes() = default;

CpuGraph::CpuGraph(RecordRequest request, InputContent content, RunTrace first, const RunTrace& second,
                   int threads)
    : m_request(std::move(request))
    , m_content(std::move(content))
    , m_trace(std::move(first))
    , m_decisions(classify(*m_request.program, m_trace, second))
    , m_threads(threads)
    , m_inference(hasOperatorsOnly(*m_request.program))
    , m_arena(nullptr, [](char* data) { c10::free_cpu(data); }) {
    plan();
    makeValues();
    makeSteps();
}

CpuGraph::~CpuGraph() = default;

void CpuGraph::plan() {
    const auto start = std::chrono::steady_clock::now();
    const ir::Graph& graph = *m_request.program->graph;
    const std::vector<replay::Block> blocks = blocksOf(m_trace, m_decisions);
    const replay::Plan plan = replay::planGreedyBySize(blocks);
    m_recording.planUs = microsecondsSince(start);
    m_recording.backend = "cpu";
    m_recording.threads = static_cast<unsigned>(m_threads);
    m_recording.arenaBytes = plan.arenaBytes;
    m_recording.peakBytes = plan.peakBytes;
    m_recording.events = m_trace.events;
    m_recording.writtenInputs = m_content.writtenInputs();
    if (plan.arenaBytes > 0) m_arena.reset(static_cast<char*>(c10::alloc_cpu(plan.arenaBytes)));
    m_server.emplace(std::span(m_arena.get(), plan.arenaBytes));

    m_recording.nodes.resize(m_decisions.size());
    m_sitesOf.resize(m_decisions.size());
    for (std::size_t i = 0; i < m_decisions.size(); ++i) {
        const ir::Node& node = graph.node(static_cast<ir::NodeIndex>(i));
        m_recording.nodes[i] = {node.name, node.target, m_decisions[i].mode, m_decisions[i].why};
    }
    // Entries come in the order of their nodes.
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const AllocationLog::Entry& entry = m_trace.allocations[i];
        auto& [begin, count] = m_sitesOf[entry.node];
        if (count++ == 0) begin = i;
        m_sites.push_back({entry.bytes, entry.releasesBefore, m_arena.get() + plan.offsets[i], false});
        const bool planned = isPlanned(m_decisions[entry.node].mode);
        m_recording.allocations.push_back({entry.node, entry.bytes, plan.offsets[i], entry.born,
                                           std::min(entry.died, m_trace.events), planned, false});
        m_recording.keepAllBytes +=
            planned ? (entry.bytes + replay::defaultAlignment - 1) & ~(replay::defaultAlignment - 1) : 0;
    }
    for (const NodeShape& shape : m_trace.nodes)
        for (const TensorShell& tensor : shape.tensors)
            if (tensor.memory.kind == StorageRef::Kind::Recorded)
                m_recording.allocations[tensor.memory.entry].result = true;
    planDeaths();
}

void CpuGraph::planDeaths() {
    m_deathsAt.resize(m_decisions.size());
    for (std::size_t i = 0; i < m_sites.size(); ++i) {
        const AllocationLog::Entry& entry = m_trace.allocations[i];
        m_sites[i].temporary = entry.lastNode == entry.node && !m_recording.allocations[i].result;
        if (!m_sites[i].temporary && entry.lastNode != AllocationLog::never)
            m_deathsAt[entry.lastNode].push_back(i);
    }
}

at::Tensor CpuGraph::slot(const TensorShell& shell) {
    if (shell.same != ir::npos && !m_decisions[shell.same].fresh && m_values[shell.same].isTensor())
        return m_values[shell.same].toTensor();
    if (shell.memory.kind == StorageRef::Kind::Given) {
        shell.tensor.unsafeGetTensorImpl()->set_storage_keep_dtype(shell.memory.storage);
    } else if (shell.memory.kind == StorageRef::Kind::Recorded) {
        c10::Storage& storage = m_storages[shell.memory.entry];
        if (!storage) {
            char* const address = m_sites[shell.memory.entry].address;
            storage = c10::Storage(c10::Storage::use_byte_size_t(), shell.memory.bytes,
                                   c10::DataPtr(
                                       address, address, [](void*) {}, c10::Device(c10::kCPU)),
                                   nullptr, false);
        }
        shell.tensor.unsafeGetTensorImpl()->set_storage_keep_dtype(storage);
    }
    return shell.tensor;
}

void CpuGraph::makeValues() {
    const Program& program = *m_request.program;
    m_values.resize(program.graph->size());
    m_storages.resize(m_trace.allocations.size());
    for (ir::NodeIndex i = 0; i < program.code.size(); ++i) {
        const Instruction& instruction = program.code[i];
        switch (instruction.kind) {
        case Instruction::Kind::Input:
            m_values[i] = m_request.inputs[instruction.position];
            break;
        case Instruction::Kind::Attribute:
            m_values[i] = m_request.attributes.at(instruction.attribute);
            break;
        case Instruction::Kind::Constant:
            m_values[i] = instruction.operands[0].constant;
            break;
        default:
            if (m_decisions[i].fresh) break;
            std::size_t next = 0;
            m_values[i] = mapTensors(m_trace.nodes[i].value, [&](const at::Tensor&) {
                return slot(m_trace.nodes[i].tensors[next++]);
            });
        }
    }
}

void CpuGraph::makeSteps() {
    const Program& program = *m_request.program;
    m_steps.clear();
    for (ir::NodeIndex i = 0; i < program.code.size(); ++i) {
        const Instruction& instruction = program.code[i];
        const NodeMode mode = m_decisions[i].mode;
        const auto isHeld = [&](std::size_t entry) {
            return isPlanned(m_decisions[m_trace.allocations[entry].node].mode);
        };
        if (mode != NodeMode::Input && mode != NodeMode::Prebuilt) {
            Step step;
            step.node = i;
            step.mode = mode;
            const auto [begin, count] = m_sitesOf[i];
            if (mode != NodeMode::Eager) step.sites = std::span(m_sites).subspan(begin, count);
            if (mode == NodeMode::Planned) {
                step.checksShape = instruction.op->hasTag(at::Tag::dynamic_output_shape);
                for (const Operand& operand : instruction.operands)
                    step.args.push_back(evaluate(operand, m_values));
                step.check = instruction.check;
                if (m_inference) bind(step, *instruction.op);
            }
            m_steps.push_back(std::move(step));
        }
        for (const ir::NodeIndex dead : instruction.dies)
            if (m_decisions[dead].fresh) m_steps.back().drops.push_back(dead);
        for (const std::size_t entry : m_deathsAt[i])
            if (isHeld(entry) && !m_steps.empty())
                m_steps.back().frees.push_back(m_recording.allocations[entry].offset);
        m_recording.nodes[i].mode = mode;
        m_recording.nodes[i].why = m_decisions[i].why;
    }
    m_survivors.clear();
    for (std::size_t i = 0; i < m_trace.allocations.size(); ++i)
        if (const AllocationLog::Entry& entry = m_trace.allocations[i];
            entry.lastNode == AllocationLog::never && isPlanned(m_decisions[entry.node].mode))
            m_survivors.push_back(m_recording.allocations[i].offset);
}

void CpuGraph::bind(Step& step, const c10::OperatorHandle& op) const {
    const IValue& value = m_values[step.node];
    const auto temporaries = static_cast<std::size_t>(std::count_if(
        step.sites.begin(), step.sites.end(), [](const AddressSite& site) { return site.temporary; }));
    if (step.sites.size() == temporaries + 1 && isDefinedTensor(value))
        step.bound = bindInto(op, step.args, value.toTensor(), temporaries);
    step.inPlace = step.bound != nullptr;
    if (!step.bound) step.bound = bindCall(op, step.args);
}

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
    if (!asPlanned) {
        IValue result = m_stack.size() == 1
                            ? std::move(m_stack.front())
                            : c10::ivalue::Tuple::create(std::vector<IValue>(m_stack.begin(), m_stack.end()));
        m_values[step.node] = outOfArena(result);
    } else if (m_tryingOut) {
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
