// SPDX-License-Identifier: BSD-3-Clause
//
// The part of CpuGraph that gives every storage of a recording its address, and makes the steps of a replay.
#include "core/engine/replay/cpu_graph.h"
#include "core/replay/plan.h"

#include <algorithm>
#include <c10/core/impl/alloc_cpu.h>
#include <chrono>

namespace dynascope::engine {

using c10::IValue;
using replay::NodeMode;

namespace {

double microsecondsSince(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
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

} // namespace

bool isPlanned(NodeMode mode) {
    return mode == NodeMode::Planned || mode == NodeMode::Called;
}

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

} // namespace dynascope::engine
