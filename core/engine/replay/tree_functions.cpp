// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/replay/tree_functions.h"

#include "core/engine/replay/recorder.h"
#include "core/engine/replay/tensor_memory.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/set.h>
#include <algorithm>

namespace dynascope::engine {

using c10::IValue;
using replay::Address;
using replay::NodeId;
using replay::OutputClass;
using replay::StorageId;
using replay::TreeNode;
using replay::TreeValue;

namespace {

bool hasMemory(const IValue& value) {
    return isDefinedTensor(value) && value.toTensor().has_storage();
}

/// Bytes of a storage's memory from `offset` on, as one tensor.
at::Tensor bytesAt(const c10::Storage& storage, std::int64_t offset, std::int64_t count) {
    return at::empty({0}, at::TensorOptions(at::kByte).device(storage.device()))
        .set_(storage, offset, {count});
}

/// Apart and rising.
std::vector<replay::PoolBlock> merged(std::vector<replay::PoolBlock> blocks) {
    std::ranges::sort(blocks, {}, &replay::PoolBlock::address);
    std::vector<replay::PoolBlock> out;
    for (const replay::PoolBlock& block : blocks) {
        if (!out.empty() && block.address <= out.back().address + out.back().bytes)
            out.back().bytes = std::max(out.back().bytes, block.address + block.bytes - out.back().address);
        else if (block.bytes > 0)
            out.push_back(block);
    }
    return out;
}

} // namespace

at::Tensor extentOf(const at::Tensor& tensor) {
    std::int64_t cells = tensor.numel() == 0 ? 0 : 1;
    for (std::int64_t dim = 0; cells > 0 && dim < tensor.dim(); ++dim)
        cells += (tensor.size(dim) - 1) * tensor.stride(dim);
    const auto size = static_cast<std::int64_t>(tensor.itemsize());
    return bytesAt(tensor.storage(), tensor.storage_offset() * size, cells * size);
}

void TreeFunctions::add(std::shared_ptr<const Program> program, Attributes attributes) {
    StorageCopies moved(m_pool.device(), false);
    for (auto& [name, tensor] : attributes)
        tensor = moved.copyOf(tensor);
    m_functions.push_back({m_pool.programFor(std::move(program)), std::move(attributes)});
}

StorageId TreeFunctions::idOf(const c10::Storage& storage) {
    c10::StorageImpl* const object = storage.unsafeGetStorageImpl();
    if (const auto found = m_ids.find(object); found != m_ids.end()) return found->second;
    if (m_storages.size() >= m_sweepAt) {
        std::erase_if(m_ids, [&](const auto& entry) { return m_storages.at(entry.second).expired(); });
        std::erase_if(m_storages, [](const auto& entry) { return entry.second.expired(); });
        std::erase_if(m_taken, [&](StorageId id) { return !m_storages.contains(id); });
        m_sweepAt = std::max<std::size_t>(1024, 2 * m_storages.size());
    }
    // A weak reference keeps the object's address from being used again.
    const StorageId id{m_nextId++};
    m_storages.emplace(id, storage.getWeakStorageImpl());
    m_ids.emplace(object, id);
    return id;
}

c10::Storage TreeFunctions::storageOf(StorageId id) const {
    const auto found = m_storages.find(id);
    return found == m_storages.end() ? c10::Storage() : c10::Storage(found->second.lock());
}

TreeValue TreeFunctions::valueOf(const IValue& value) {
    TreeValue out;
    if (!hasMemory(value)) {
        out.kind = value.isNone() || value.isTensor() ? TreeValue::Kind::None
                   : value.isScalar()                 ? TreeValue::Kind::Number
                                                      : TreeValue::Kind::Opaque;
        return out;
    }
    const at::Tensor& tensor = value.toTensor();
    out.storage = idOf(tensor.storage());
    out.onDevice = tensor.device() == m_pool.device();
    if (m_taken.contains(out.storage)) return out; // asking where it lies is an error already
    out.storageAddress = addressOf(tensor.storage());
    if (tensor.numel() > 0 && out.storageAddress != 0)
        out.address =
            out.storageAddress + static_cast<std::uint64_t>(tensor.storage_offset()) * tensor.itemsize();
    return out;
}

std::vector<TreeValue> TreeFunctions::begin(std::vector<IValue> inputs) {
    m_inputs = std::move(inputs);
    m_outputs.clear();
    m_copies.clear();
    m_blocks.clear();
    m_error.reset();
    std::vector<TreeValue> out;
    for (const IValue& input : m_inputs)
        out.push_back(valueOf(input));
    return out;
}

std::vector<IValue> TreeFunctions::end() {
    m_inputs.clear();
    m_copies.clear();
    return std::exchange(m_outputs, {});
}

/// What the program may refer to is given up before anybody asks what lives.
TreeFunctions::Outputs TreeFunctions::returned(std::vector<IValue> outputs) {
    m_outputs = std::move(outputs);
    m_inputs.clear();
    m_copies.clear();
    std::vector<TreeValue> out;
    for (const IValue& output : m_outputs)
        out.push_back(valueOf(output));
    return out;
}

TreeFunctions::Outputs TreeFunctions::failed(const RunError& error) {
    m_error = error;
    m_inputs.clear();
    m_copies.clear();
    return failure(error.message);
}

TreeFunctions::Outputs TreeFunctions::guarded(const std::function<Outputs()>& body) {
    const at::AutoGradMode noGrad(false);
    try {
        return body();
    } catch (const std::exception& error) {
        return failed({errorText(error), ir::npos, false});
    }
}

TreeFunctions::Outputs TreeFunctions::runEagerly(replay::FunctionId function, std::span<const TreeValue>) {
    return guarded([&]() -> Outputs {
        const Function& called = m_functions.at(function);
        auto results = m_pool.runEagerly(*called.program, m_inputs, called.attributes, m_task);
        return results ? returned(std::move(*results)) : failed(results.error());
    });
}

TreeFunctions::Outputs TreeFunctions::warmUp(replay::FunctionId function, std::span<const TreeValue>) {
    return guarded([&]() -> Outputs {
        const Function& called = m_functions.at(function);
        auto results = m_pool.warmUp(*called.program, m_inputs, called.attributes, m_task);
        m_blocks = merged(m_pool.takenByWarmUp());
        return results ? returned(std::move(*results)) : failed(results.error());
    });
}

Result<std::vector<Address>> TreeFunctions::copyInputs(std::span<const TreeValue>,
                                                       std::span<const std::size_t> copied) {
    const at::AutoGradMode noGrad(false);
    std::vector<Address> addresses;
    try {
        for (const std::size_t input : copied) {
            if (!hasMemory(m_inputs.at(input))) continue;
            if (m_inputs[input].toTensor().device() != m_pool.device())
                return failure("input " + std::to_string(input) + " is on another device");
            const at::Tensor from = extentOf(m_inputs[input].toTensor());
            if (from.numel() == 0) continue;
            const c10::Storage to = m_pool.allocate(static_cast<std::uint64_t>(from.numel()));
            bytesAt(to, 0, from.numel()).copy_(from);
            m_copies[input] = to;
            addresses.push_back(addressOf(to));
            m_inputs[input] = shellOf(m_inputs[input].toTensor());
        }
    } catch (const std::exception& error) {
        return failure(errorText(error));
    }
    return addresses;
}

/// The inputs as a recording reads them, which own nothing.
std::vector<IValue> TreeFunctions::fixedInputs(Recorded& node) const {
    std::vector<IValue> out;
    std::map<Address, c10::Storage> shared;
    for (std::size_t i = 0; i < m_inputs.size(); ++i) {
        node.inputs.emplace_back();
        if (!hasMemory(m_inputs[i])) {
            out.push_back(m_inputs[i]);
            continue;
        }
        const at::Tensor& tensor = m_inputs[i].toTensor();
        node.inputs.back() = shellOf(tensor);
        const auto copy = m_copies.find(i);
        const c10::Storage& memory = copy == m_copies.end() ? tensor.storage() : copy->second;
        c10::Storage& storage = shared[addressOf(memory)];
        if (!storage) storage = storageAt(addressOf(memory), memory.nbytes(), memory.device());
        at::Tensor fixed = tensorIn(tensor, storage);
        if (copy != m_copies.end()) {
            fixed.unsafeGetTensorImpl()->set_storage_offset(0);
            node.copies[i] = bytesAt(storage, 0, static_cast<std::int64_t>(memory.nbytes()));
        }
        out.emplace_back(std::move(fixed));
    }
    return out;
}

void TreeFunctions::checkInputs(const Recorded& node) const {
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        if (!hasMemory(node.inputs[i]) || !hasMemory(m_inputs.at(i))) continue;
        const at::Tensor &then = node.inputs[i].toTensor(), &now = m_inputs[i].toTensor();
        TORCH_CHECK(
            then.sizes() == now.sizes() && then.strides() == now.strides() && then.dtype() == now.dtype(),
            "input ", i, " was recorded as ", then.dtype(), then.sizes(), " with strides ", then.strides(),
            " and is now ", now.dtype(), now.sizes(), " with strides ", now.strides());
    }
}

TreeFunctions::Outputs TreeFunctions::record(NodeId id, replay::FunctionId function,
                                             std::span<const TreeValue>) {
    return guarded([&]() -> Outputs {
        Recorded node;
        const Function& called = m_functions.at(function);
        auto done = m_pool.record(called.program, fixedInputs(node), called.attributes, m_task);
        if (!done) return failed(done.error());
        node.graph = std::move(done->graph);
        // What lies in an input lies in that input's own storage.
        std::map<Address, c10::Storage> given;
        for (std::size_t i = 0; i < m_inputs.size(); ++i)
            if (hasMemory(m_inputs[i])) {
                const auto copy = m_copies.find(i);
                const c10::Storage& memory =
                    copy == m_copies.end() ? m_inputs[i].toTensor().storage() : copy->second;
                given.try_emplace(addressOf(memory), memory);
            }
        for (IValue& output : done->results) {
            node.outputs.push_back(output);
            node.bytes.push_back(0);
            if (!hasMemory(output)) continue;
            const at::Tensor tensor = output.toTensor();
            const Address address = addressOf(tensor.storage());
            const auto input = address == 0 ? given.end() : given.find(address);
            const c10::Storage storage = input == given.end() ? tensor.storage() : input->second;
            node.outputs.back() = shellOf(tensor);
            node.bytes.back() = storage.nbytes();
            output = tensorIn(tensor, storage);
        }
        given.clear();
        Outputs out = returned(std::move(done->results));
        for (const TreeValue& value : *out)
            node.storages.push_back(value.storage);
        std::vector<replay::PoolBlock> taken = node.graph->taken();
        for (const auto& [input, copy] : node.copies)
            taken.push_back({addressOf(copy.storage()), copy.storage().nbytes()});
        m_blocks = node.taken = merged(std::move(taken));
        node.checkpoint = m_pool.checkpoint();
        m_recordings[id] = std::move(node);
        return out;
    });
}

/// Where a replay's output lies: in an input, in an earlier output or in memory that the pool keeps for it.
c10::Storage TreeFunctions::outputStorage(const TreeNode& node, std::size_t index,
                                          const Recorded& recorded) const {
    const replay::TreeOutput& output = node.outputs[index];
    switch (output.outputClass) {
    case OutputClass::Persistent:
        for (const IValue& input : m_inputs)
            if (hasMemory(input) && addressOf(input.toTensor().storage()) == output.storageAddress)
                return input.toTensor().storage();
        break;
    case OutputClass::AliasesPath: {
        const auto before = m_recordings.find(output.alias.node);
        if (before == m_recordings.end()) break;
        c10::Storage storage = storageOf(before->second.storages.at(output.alias.index));
        TORCH_CHECK(storage, "an output lies in an earlier one that is gone");
        return storage;
    }
    case OutputClass::AliasesOutput:
        return m_outputs.at(output.alias.index).toTensor().storage();
    default:
        break;
    }
    return storageAt(output.storageAddress, recorded.bytes[index], m_pool.device());
}

TreeFunctions::Outputs TreeFunctions::replay(const TreeNode& node, std::span<const TreeValue>) {
    return guarded([&]() -> Outputs {
        Recorded& recorded = m_recordings.at(node.id);
        checkInputs(recorded);
        for (const auto& [input, copy] : recorded.copies)
            copy.copy_(extentOf(m_inputs.at(input).toTensor()));
        if (const auto done = recorded.graph->replay(m_task); !done) return failed(done.error());
        m_blocks = recorded.taken;
        m_outputs.clear();
        for (std::size_t i = 0; i < recorded.outputs.size(); ++i) {
            const IValue& shell = recorded.outputs[i];
            m_outputs.push_back(hasMemory(shell)
                                    ? IValue(tensorIn(shell.toTensor(), outputStorage(node, i, recorded)))
                                    : shell);
        }
        Outputs out = returned(std::move(m_outputs));
        for (std::size_t i = 0; i < out->size(); ++i)
            recorded.storages[i] = (*out)[i].storage;
        return out;
    });
}

bool TreeFunctions::wroteOver(StorageId id) const {
    const c10::Storage storage = m_blocks.empty() ? c10::Storage() : storageOf(id);
    if (!storage || m_taken.contains(id)) return false;
    const Address begin = addressOf(storage), end = begin + storage.nbytes();
    const auto after = std::ranges::lower_bound(m_blocks, end, {}, &replay::PoolBlock::address);
    return after != m_blocks.begin() && std::prev(after)->address + std::prev(after)->bytes > begin;
}

bool TreeFunctions::isAlive(StorageId storage) const {
    const auto found = m_storages.find(storage);
    return found != m_storages.end() && !found->second.expired();
}

void TreeFunctions::releaseInputs(std::span<const TreeValue>, std::span<const std::size_t> released) {
    for (const std::size_t input : released)
        if (input < m_inputs.size()) m_inputs[input] = IValue();
}

Result<void> TreeFunctions::restore(NodeId node, std::span<const StorageId> live,
                                    std::span<const Address> freed) {
    const auto recorded = m_recordings.find(node);
    if (recorded == m_recordings.end()) return failure("no checkpoint of node " + std::to_string(node));
    std::vector<c10::Storage> held;
    std::vector<c10::StorageImpl*> storages;
    for (const StorageId id : live)
        if (c10::Storage storage = storageOf(id)) {
            storages.push_back(storage.unsafeGetStorageImpl());
            held.push_back(std::move(storage));
        }
    std::sort(storages.begin(), storages.end());
    storages.erase(std::unique(storages.begin(), storages.end()), storages.end());
    try {
        return m_pool.restore(*recorded->second.checkpoint, storages, freed);
    } catch (const std::exception& error) {
        return failure(errorText(error));
    }
}

void TreeFunctions::invalidate(StorageId id, const std::string& message) {
    const c10::Storage storage = storageOf(id);
    if (!storage) return;
    c10::StorageImpl& object = *storage.unsafeGetStorageImpl();
    object.set_data_ptr_noswap(c10::DataPtr(nullptr, object.device()));
    object.release_data_and_set_meta_custom_data_ptr_error_msg_(message);
    m_taken.insert(id);
}

std::vector<Address> TreeFunctions::allocated() const {
    return m_pool.allocated();
}

} // namespace dynascope::engine
