// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/replay/recorder.h"

#include "core/engine/replay/tensor_memory.h"

#include <ATen/core/List.h>
#include <algorithm>

namespace dynascope::engine {

namespace {

using c10::IValue;

bool sameShape(const at::Tensor& a, const at::Tensor& b) {
    return a.sizes() == b.sizes() && a.strides() == b.strides() && a.storage_offset() == b.storage_offset() &&
           a.dtype() == b.dtype();
}

const void* dataOf(const at::Tensor& tensor) {
    return tensor.storage().unsafeGetStorageImpl()->data();
}

/// Whether the value is made of tensors alone.
bool tensorsOnly(const IValue& value) {
    if (value.isNone() || value.isTensor() || value.isTensorList()) return true;
    if (value.isTuple())
        return std::all_of(value.toTupleRef().elements().begin(), value.toTupleRef().elements().end(),
                           tensorsOnly);
    return false;
}

class Recorder final : public RunObserver {
public:
    Recorder(const Program& program, const std::vector<IValue>& inputs, const Attributes& attributes,
             AllocationLog& log)
        : m_program(program)
        , m_log(log) {
        m_out.nodes.resize(program.code.size());
        for (const IValue& input : inputs)
            forEachTensor(input, [&](const at::Tensor& tensor) { give(tensor); });
        for (const auto& [name, tensor] : attributes)
            give(tensor);
        for (const Instruction& instruction : program.code)
            for (const Operand& operand : instruction.operands)
                giveConstants(operand);
    }

    void before(ir::NodeIndex node) override { m_log.beginNode(node); }

    void after(ir::NodeIndex node, const IValue& value) override {
        for (const ir::NodeIndex input : m_program.graph->inputs(node))
            if (input < node) noticeReshaping(input);
        NodeShape& shape = m_out.nodes[node];
        shape.plain = tensorsOnly(value);
        shape.value = mapTensors(value, [&](const at::Tensor& tensor) {
            shape.tensors.push_back(describe(node, tensor));
            shape.plain &= shape.tensors.back().tensor.defined() &&
                           shape.tensors.back().memory.kind != StorageRef::Kind::Unknown;
            return shape.tensors.back().tensor;
        });
    }

    RunTrace take() {
        m_out.allocations = m_log.entries();
        m_out.events = m_log.events();
        for (const AllocationLog::Entry& entry : m_out.allocations)
            if (entry.died == AllocationLog::never) m_out.holders.push_back(entry.node);
        return std::move(m_out);
    }

private:
    void give(const at::Tensor& tensor) {
        if (tensor.defined() && tensor.has_storage()) m_given.insert(tensor.storage().unsafeGetStorageImpl());
    }
    void giveConstants(const Operand& operand) {
        forEachTensor(operand.constant, [&](const at::Tensor& tensor) { give(tensor); });
        for (const Operand& item : operand.items)
            giveConstants(item);
    }

    TensorShell describe(ir::NodeIndex node, const at::Tensor& tensor) {
        TensorShell out{{}, {}, ir::npos, TensorShell::Object(tensor.getIntrusivePtr())};
        if (!hasPlainMemory(tensor)) return out;
        for (const ir::NodeIndex input : m_program.graph->inputs(node)) {
            if (input >= node || out.same != ir::npos) continue;
            const std::vector<TensorShell>& tensors = m_out.nodes[input].tensors;
            if (tensors.size() == 1 && m_out.nodes[input].value.isTensor() && isObject(tensors[0], tensor))
                out.same = input;
        }
        out.tensor = shellOf(tensor);
        out.memory.bytes = tensor.storage().nbytes();
        if (const AllocationLog::Entry* entry = m_log.find(dataOf(tensor))) {
            out.memory.kind = StorageRef::Kind::Recorded;
            out.memory.entry = static_cast<std::size_t>(entry - m_log.entries().data());
        } else if (m_given.contains(tensor.storage().unsafeGetStorageImpl())) {
            out.memory.kind = StorageRef::Kind::Given;
            out.memory.storage = tensor.storage();
        } else if (out.memory.bytes == 0) {
            out.memory.kind = StorageRef::Kind::None;
        }
        return out;
    }

    static bool isObject(const TensorShell& shell, const at::Tensor& tensor) {
        const auto object = shell.object.lock();
        return object && object.get() == tensor.unsafeGetTensorImpl();
    }

    /// resize_, set_, t_ and the like leave the value of an earlier node with another shape.
    void noticeReshaping(ir::NodeIndex node) {
        NodeShape& shape = m_out.nodes[node];
        for (const TensorShell& shell : shape.tensors) {
            const auto object = shell.object.lock();
            if (!object || !shell.tensor.defined()) continue;
            const at::Tensor now(object);
            const AllocationLog::Entry* entry = m_log.find(dataOf(now));
            const bool moved =
                shell.memory.kind == StorageRef::Kind::Recorded
                    ? !entry || entry != &m_log.entries()[shell.memory.entry]
                : shell.memory.kind == StorageRef::Kind::Given
                    ? shell.memory.storage.unsafeGetStorageImpl() != now.storage().unsafeGetStorageImpl() ||
                          shell.memory.bytes != now.storage().nbytes()
                    : now.storage().nbytes() != shell.memory.bytes;
            if (!moved && sameShape(now, shell.tensor)) continue;
            shape.reshapedLater = true;
            if (shell.same != ir::npos) noticeReshaping(shell.same);
        }
    }

    const Program& m_program;
    AllocationLog& m_log;
    std::unordered_set<const c10::StorageImpl*> m_given;
    RunTrace m_out;
};

} // namespace

bool hasPlainMemory(const at::Tensor& tensor) {
    return tensor.defined() && tensor.layout() == c10::kStrided && tensor.device().is_cpu() &&
           tensor.has_storage() && !tensor.is_quantized() && !tensor.unsafeGetTensorImpl()->is_nested();
}

void forEachTensor(const IValue& value, const std::function<void(const at::Tensor&)>& visit) {
    if (value.isTensor()) {
        if (value.toTensor().defined()) visit(value.toTensor());
    } else if (value.isTuple()) {
        for (const IValue& item : value.toTupleRef().elements())
            forEachTensor(item, visit);
    } else if (value.isList()) {
        for (const IValue& item : value.toListRef())
            forEachTensor(item, visit);
    }
}

IValue mapTensors(const IValue& value, const std::function<at::Tensor(const at::Tensor&)>& change) {
    if (value.isTensor()) return value.toTensor().defined() ? IValue(change(value.toTensor())) : value;
    if (value.isTuple()) {
        std::vector<IValue> items;
        for (const IValue& item : value.toTupleRef().elements())
            items.push_back(mapTensors(item, change));
        return c10::ivalue::Tuple::create(std::move(items));
    }
    if (value.isTensorList()) {
        c10::List<at::Tensor> items;
        for (const IValue& item : value.toListRef())
            items.push_back(item.toTensor().defined() ? change(item.toTensor()) : at::Tensor());
        return items;
    }
    return value;
}

tl::expected<RunTrace, RunError> traceRun(const Program& program, const std::vector<IValue>& inputs,
                                          const Attributes& attributes, const TaskContext& task) {
    AllocationLog log;
    Recorder recorder(program, inputs, attributes, log);
    const AllocationScope scope(log);
    // The result dies here, after everything else; what is still held then is kept by somebody unknown.
    if (const auto results = run(program, inputs, attributes, task, &recorder)) {
        log.beginNode(AllocationLog::never);
    } else {
        return tl::unexpected(results.error());
    }
    return recorder.take();
}

} // namespace dynascope::engine
