// SPDX-License-Identifier: BSD-3-Clause
#include "core/replay/tree_simulator.h"

#include <algorithm>
#include <utility>

namespace dynascope::replay {

namespace {

// Ranges far from each other and from any pool that starts below.
constexpr Address copyBase = Address(1) << 40, freshBase = Address(2) << 40, hostBase = Address(3) << 40;

} // namespace

TreeValue TreeSimulator::make(Address address, bool ownsPoolMemory) {
    const StorageId id{m_nextStorage++};
    m_storages[id] = {address, 0, ownsPoolMemory};
    TreeValue value;
    value.address = value.storageAddress = address;
    value.storage = id;
    return value;
}

TreeValue TreeSimulator::ownTensor(Address address) {
    const auto found = m_own.find(address);
    if (found != m_own.end() && m_storages.contains(found->second)) {
        TreeValue value;
        value.address = value.storageAddress = address;
        value.storage = found->second;
        return value;
    }
    TreeValue value = make(address, false);
    m_own[address] = value.storage;
    return value;
}

TreeValue TreeSimulator::freshTensor() {
    return make(freshBase + m_nextFresh++, false);
}

void TreeSimulator::hold(StorageId storage) {
    if (const auto found = m_storages.find(storage); found != m_storages.end()) ++found->second.references;
}

void TreeSimulator::drop(StorageId storage) {
    const auto found = m_storages.find(storage);
    if (found == m_storages.end() || --found->second.references > 0) return;
    if (found->second.ownsPoolMemory) m_allocated.erase(found->second.address);
    m_storages.erase(found);
}

void TreeSimulator::beginCall(std::span<const TreeValue> inputs) {
    for (const TreeValue& input : inputs) {
        if (!input.isTensor()) continue;
        hold(input.storage);
        m_held.push_back(input.storage);
    }
}

void TreeSimulator::endCall() {
    // Copies live as long as the recording runs, unless an output lies in one.
    for (const auto& [input, copy] : std::exchange(m_copies, {}))
        drop(copy.storage);
    for (const StorageId storage : std::exchange(m_held, {}))
        drop(storage);
}

void TreeSimulator::releaseInputs(std::span<const TreeValue> inputs, std::span<const std::size_t> released) {
    for (const std::size_t input : released) {
        const auto held = std::find(m_held.begin(), m_held.end(), inputs[input].storage);
        if (held == m_held.end()) continue;
        m_held.erase(held);
        drop(inputs[input].storage);
    }
}

Address TreeSimulator::allocate() {
    Address address = m_first + m_nextPool++;
    if (m_reuse) {
        address = m_first;
        for (auto used = m_allocated.lower_bound(m_first); used != m_allocated.end() && *used == address;
             ++used)
            ++address;
    }
    m_allocated.insert(address);
    return address;
}

/// The caller holds what it gets.
TreeBackend::Outputs TreeSimulator::outputsOf(FunctionId function, std::span<const TreeValue> inputs,
                                              bool fromPool) {
    std::vector<TreeValue> out;
    for (const SimulatedOutput& output : m_functions[function]) {
        TreeValue value;
        switch (output.kind) {
        case SimulatedOutput::Kind::New:
            value = fromPool ? make(allocate(), true) : freshTensor();
            break;
        case SimulatedOutput::Kind::Input:
            if (output.of >= inputs.size()) return failure("an output aliases no input");
            value = inputs[output.of];
            if (const auto copy = m_copies.find(output.of); copy != m_copies.end()) value = copy->second;
            break;
        case SimulatedOutput::Kind::Output:
            if (output.of >= out.size()) return failure("an output aliases no earlier output");
            value = out[output.of];
            break;
        case SimulatedOutput::Kind::Cpu:
            value = make(hostBase + m_nextFresh++, false);
            value.onDevice = false;
            break;
        case SimulatedOutput::Kind::Number:
            value.kind = TreeValue::Kind::Number;
            break;
        case SimulatedOutput::Kind::None:
            value.kind = TreeValue::Kind::None;
            break;
        }
        if (value.isTensor()) hold(value.storage);
        out.push_back(value);
    }
    return out;
}

TreeBackend::Outputs TreeSimulator::runEagerly(FunctionId function, std::span<const TreeValue> inputs) {
    Outputs out = outputsOf(function, inputs, false);
    endCall();
    return out;
}

TreeBackend::Outputs TreeSimulator::warmUp(FunctionId function, std::span<const TreeValue> inputs) {
    Outputs out = outputsOf(function, inputs, true);
    endCall();
    return out;
}

Result<std::vector<Address>> TreeSimulator::copyInputs(std::span<const TreeValue> inputs,
                                                       std::span<const std::size_t> copied) {
    std::vector<Address> addresses;
    for (const std::size_t input : copied) {
        const Address address = m_reuse ? allocate() : copyBase + m_nextCopy++;
        m_allocated.insert(address);
        const TreeValue copy = make(address, true);
        hold(copy.storage);
        m_copies[input] = copy;
        addresses.push_back(address);
        releaseInputs(inputs, {&input, 1});
    }
    return addresses;
}

TreeBackend::Outputs TreeSimulator::record(NodeId node, FunctionId function,
                                           std::span<const TreeValue> inputs) {
    Outputs out = outputsOf(function, inputs, true);
    endCall();
    if (!out) return out;
    for (std::uint32_t i = 0; i < out->size(); ++i)
        m_outputs[{node, i}] = (*out)[i];
    m_checkpoints[node] = m_allocated;
    return out;
}

TreeBackend::Outputs TreeSimulator::replay(const TreeNode& node, std::span<const TreeValue>) {
    std::vector<TreeValue> out;
    for (std::uint32_t i = 0; i < node.outputs.size(); ++i) {
        const TreeOutput& recorded = node.outputs[i];
        TreeValue& value = m_outputs[{node.id, i}];
        if (recorded.outputClass == OutputClass::New)
            value = make(recorded.storageAddress, false); // the pool's memory, which stays with the recording
        else if (recorded.outputClass == OutputClass::AliasesPath)
            value = m_outputs[recorded.alias];
        else if (recorded.outputClass == OutputClass::AliasesOutput)
            value = out[recorded.alias.index];
        if (value.isTensor()) hold(value.storage);
        out.push_back(value);
    }
    endCall();
    return out;
}

bool TreeSimulator::isAlive(StorageId storage) const {
    const auto found = m_storages.find(storage);
    return found != m_storages.end() && found->second.references > 0;
}

Result<void> TreeSimulator::restore(NodeId node, std::span<const StorageId> live,
                                    std::span<const Address> freed) {
    const auto checkpoint = m_checkpoints.find(node);
    if (checkpoint == m_checkpoints.end()) return failure("no checkpoint of node " + std::to_string(node));
    m_allocated = checkpoint->second;
    for (const StorageId storage : live)
        if (const auto found = m_storages.find(storage); found != m_storages.end())
            found->second.ownsPoolMemory = true;
    for (const Address address : freed)
        m_allocated.erase(address);
    return {};
}

void TreeSimulator::invalidate(StorageId storage, const std::string&) {
    const auto found = m_storages.find(storage);
    if (found == m_storages.end()) return;
    if (found->second.ownsPoolMemory) m_allocated.erase(found->second.address);
    found->second.ownsPoolMemory = false;
}

std::vector<Address> TreeSimulator::allocated() const {
    return {m_allocated.begin(), m_allocated.end()};
}

} // namespace dynascope::replay
