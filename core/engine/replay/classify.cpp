// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/replay/classify.h"

#include <algorithm>
#include <array>
#include <unordered_set>

namespace dynascope::engine {

namespace {

using Kind = Instruction::Kind;
using replay::NodeMode;

bool isNumber(const c10::IValue& value) {
    return value.isInt() || value.isDouble() || value.isBool();
}

/// Operators that ask a tensor for its shape, which no replay changes.
bool asksForShape(const Instruction& instruction) {
    constexpr std::array names{"aten::sym_size", "aten::sym_stride", "aten::sym_numel",
                               "aten::sym_storage_offset"};
    return instruction.op &&
           std::find(names.begin(), names.end(), instruction.op->schema().name()) != names.end();
}

/// Whether binding the operand makes a tensor: of a number that a node gives.
bool makesTensor(const Operand& operand, const RunTrace& trace) {
    if (operand.kind == Operand::Kind::Value)
        return operand.type && operand.type->kind() == c10::TypeKind::TensorType &&
               trace.nodes[operand.node].value.isScalar();
    const c10::TypePtr element = operand.type && operand.type->kind() == c10::TypeKind::ListType
                                     ? operand.type->containedType(0)
                                     : c10::TypePtr();
    const bool ofTensors = element && (element->kind() == c10::TypeKind::TensorType ||
                                       element->kind() == c10::TypeKind::OptionalType);
    return std::any_of(operand.items.begin(), operand.items.end(), [&](const Operand& item) {
        return makesTensor(item, trace) ||
               (ofTensors && item.kind == Operand::Kind::Value && trace.nodes[item.node].value.isScalar());
    });
}

class Classifier {
public:
    Classifier(const Program& program, const RunTrace& trace, const RunTrace& other)
        : m_program(program)
        , m_trace(trace)
        , m_out(program.code.size())
        , m_allocations(allocationsByNode(trace, program.code.size()))
        , m_unforeseeable(program.code.size()) {
        const auto others = allocationsByNode(other, program.code.size());
        for (std::size_t i = 0; i < m_out.size(); ++i)
            if (!sameAllocations(m_allocations[i], others[i])) m_unforeseeable[i] = true;
        m_holders.insert(trace.holders.begin(), trace.holders.end());
        m_holders.insert(other.holders.begin(), other.holders.end());
        for (const NodeShape& shape : trace.nodes) {
            if (!shape.reshapedLater) continue;
            for (const TensorShell& tensor : shape.tensors)
                if (tensor.memory.kind == StorageRef::Kind::Recorded) m_reshaped.insert(tensor.memory.entry);
        }
    }

    std::vector<Decision> run() {
        for (ir::NodeIndex i = 0; i < m_out.size(); ++i) {
            m_out[i] = decide(i);
            const NodeMode mode = m_out[i].mode;
            if (mode != NodeMode::Called && mode != NodeMode::Eager) continue;
            const NodeShape& shape = m_trace.nodes[i];
            m_out[i].guarded =
                mode == NodeMode::Called && (isNumber(shape.value) || (shape.plain && !isReshaped(shape)));
            m_out[i].fresh = !m_out[i].guarded;
        }
        return std::move(m_out);
    }

private:
    using Entries = std::vector<const AllocationLog::Entry*>;

    static std::vector<Entries> allocationsByNode(const RunTrace& trace, std::size_t nodes) {
        std::vector<Entries> out(nodes);
        for (const AllocationLog::Entry& entry : trace.allocations)
            out[entry.node].push_back(&entry);
        return out;
    }
    static bool sameAllocations(const Entries& a, const Entries& b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto* x, const auto* y) {
            return x->bytes == y->bytes && x->releasesBefore == y->releasesBefore;
        });
    }

    Decision called(std::string why) const { return {NodeMode::Called, std::move(why), false, false}; }

    Decision decide(ir::NodeIndex i) const {
        const Instruction& instruction = m_program.code[i];
        const NodeShape& shape = m_trace.nodes[i];
        if (instruction.kind == Kind::Input || instruction.kind == Kind::Attribute ||
            instruction.kind == Kind::Constant)
            return {};
        if (m_unforeseeable[i]) return {NodeMode::Eager, "allocates differently each time", false, false};
        if (m_holders.contains(i)) return {NodeMode::Eager, "keeps memory for itself", false, false};
        if (isNumber(shape.value) && (asksForShape(instruction) || fromNumbers(i)))
            return {NodeMode::Prebuilt, {}, false, false};
        if (instruction.kind == Kind::Function) return called("is no operator of the dispatcher");
        for (const ir::NodeIndex input : m_program.graph->inputs(i))
            if (m_out[input].fresh)
                return called("reads '" + m_program.graph->node(input).name +
                              "', which is a new tensor on every run");
        if (!shape.plain)
            return called(isNumber(shape.value) ? "its result is a number" : "its result is no plain tensor");
        if (isReshaped(shape)) return called("a later node gives its result another shape in place");
        if (instruction.kind == Kind::GetItem) return {NodeMode::Prebuilt, {}, false, false};
        if (std::any_of(instruction.operands.begin(), instruction.operands.end(),
                        [&](const Operand& operand) { return makesTensor(operand, m_trace); }))
            return called("a number becomes a tensor");
        if (!shape.tensors.empty() && !instruction.op->schema().is_mutable() && makesNothing(i))
            return {NodeMode::Prebuilt, {}, false, false};
        return {NodeMode::Planned, {}, false, false};
    }

    /// All that it reads are numbers known beforehand.
    [[nodiscard]] bool fromNumbers(ir::NodeIndex i) const {
        const auto inputs = m_program.graph->inputs(i);
        return std::all_of(inputs.begin(), inputs.end(), [&](ir::NodeIndex input) {
            return isNumber(m_trace.nodes[input].value) &&
                   (m_out[input].mode == NodeMode::Input || m_out[input].mode == NodeMode::Prebuilt);
        });
    }

    [[nodiscard]] bool isReshaped(const NodeShape& shape) const {
        return shape.reshapedLater ||
               std::any_of(shape.tensors.begin(), shape.tensors.end(), [&](const TensorShell& tensor) {
                   return tensor.memory.kind == StorageRef::Kind::Recorded &&
                          m_reshaped.contains(tensor.memory.entry);
               });
    }

    /// Its tensors show memory that was there before. Where there is none, another time there may be some.
    [[nodiscard]] bool makesNothing(ir::NodeIndex i) const {
        return std::all_of(m_trace.nodes[i].tensors.begin(), m_trace.nodes[i].tensors.end(),
                           [&](const TensorShell& tensor) {
                               const StorageRef& memory = tensor.memory;
                               return memory.kind == StorageRef::Kind::Given ||
                                      (memory.kind == StorageRef::Kind::Recorded &&
                                       m_trace.allocations[memory.entry].node != i);
                           });
    }

    const Program& m_program;
    const RunTrace& m_trace;
    std::vector<Decision> m_out;
    std::vector<Entries> m_allocations;
    std::vector<bool> m_unforeseeable;
    std::unordered_set<std::uint32_t> m_holders;
    std::unordered_set<std::size_t> m_reshaped; ///< entries
};

} // namespace

std::vector<Decision> classify(const Program& program, const RunTrace& trace, const RunTrace& other) {
    return Classifier(program, trace, other).run();
}

void spreadFreshness(const Program& program, const RunTrace& trace, std::vector<Decision>& decisions) {
    std::vector<bool> allocates(decisions.size());
    for (const AllocationLog::Entry& entry : trace.allocations)
        allocates[entry.node] = true;
    for (ir::NodeIndex i = 0; i < decisions.size(); ++i) {
        Decision& decision = decisions[i];
        if (decision.mode != NodeMode::Prebuilt && decision.mode != NodeMode::Planned) continue;
        for (const ir::NodeIndex input : program.graph->inputs(i)) {
            if (!decisions[input].fresh) continue;
            // What is prebuilt has no place in the plan for what its operator would allocate.
            const bool unplanned = decision.mode == NodeMode::Prebuilt && allocates[i];
            decision = {unplanned ? NodeMode::Eager : NodeMode::Called,
                        "reads '" + program.graph->node(input).name + "', which is a new tensor on every run",
                        true, false};
            break;
        }
    }
}

} // namespace dynascope::engine
