// SPDX-License-Identifier: BSD-3-Clause
//
// What a recording assumes, and whether it still holds.
#include "core/replay/tree_manager.h"

#include <algorithm>
#include <unordered_map>

namespace dynascope::replay {

namespace {

std::string addressList(const std::vector<Address>& addresses) {
    std::string out;
    for (const Address address : addresses)
        out += (out.empty() ? "" : ", ") + std::to_string(address);
    return out;
}

/// Outputs that are in one of the two sorted lists only.
std::vector<OutputAt> different(const std::vector<OutputAt>& before, const std::vector<OutputAt>& now) {
    std::vector<OutputAt> out;
    std::set_symmetric_difference(before.begin(), before.end(), now.begin(), now.end(),
                                  std::back_inserter(out));
    return out;
}

} // namespace

std::vector<MovedInput> TreeManager::moved(const TreeNode& node,
                                           const std::vector<std::size_t>& indices) const {
    std::vector<MovedInput> out;
    const std::vector<TreeFunction::Input>& names = m_functions[node.function].inputs;
    for (const std::size_t i : indices) {
        const Address now = i < inputs().size() ? inputs()[i].address : 0;
        if (now == node.addresses[i]) continue;
        out.push_back({i, i < names.size() ? names[i].name : std::string(), node.addresses[i], now});
    }
    return out;
}

InvariantCheck TreeManager::check(const TreeNode& node) {
    InvariantCheck out{node.id, InvariantStatus::Success, {}, {}, {}};
    const TreeFunction& function = m_functions[node.function];
    const auto addressesChanged = [&](InvariantStatus status, const std::vector<std::size_t>& indices) {
        out.moved = moved(node, indices);
        if (out.moved.empty()) return false;
        out.status = status;
        out.message = movedInputsMessage(status, function, out.moved);
        return true;
    };
    const auto anyAlive = [&](InvariantStatus status, const std::vector<OutputAt>& outputs) {
        for (const OutputAt output : outputs)
            if (isAlive(output)) out.alive.push_back(output);
        if (out.alive.empty()) return false;
        out.status = status;
        out.message = invariantStatusText(status);
        return true;
    };
    if (addressesChanged(InvariantStatus::ManagedAddressChanged, node.managed) ||
        anyAlive(InvariantStatus::ExpectedDeadIsAlive, node.deadBefore) ||
        addressesChanged(InvariantStatus::StaticAddressChanged, node.fixed))
        return out;
    std::vector<std::size_t> released;
    for (const std::size_t i : node.managed)
        if (i < inputs().size() && !node.preserved[i]) released.push_back(i);
    m_backend.releaseInputs(inputs(), released);
    anyAlive(InvariantStatus::InputOutlivesRecording, node.deadAfter);
    return out;
}

/// Before the recording: which inputs must lie where, and what has died since the parent ran.
void TreeManager::describeInputs(TreeNode& node) const {
    const TreeFunction& function = m_functions[node.function];
    std::unordered_map<Address, OutputAt> recorded, live;
    for (const OutputAt output : trackedOutputs(node.parent)) {
        recorded.try_emplace(at(output).storageAddress, output);
        if (isAlive(output)) live.try_emplace(at(output).storageAddress, output);
    }
    const std::vector<TreeValue>& given = inputs();
    node.preserved.assign(given.size(), false);
    for (std::size_t i = 0; i < given.size(); ++i) {
        const bool tensor = given[i].isTensor();
        const bool managed = tensor && recorded.contains(given[i].storageAddress);
        const bool isStatic = std::find(function.staticInputs.begin(), function.staticInputs.end(), i) !=
                              function.staticInputs.end();
        node.addresses.push_back(given[i].address);
        if (managed) node.managed.push_back(i);
        if (tensor && (managed || isStatic)) node.fixed.push_back(i);
        if (tensor && !managed && !isStatic) node.copied.push_back(i);
        const auto alias = live.find(given[i].storageAddress);
        node.aliases.push_back(tensor && alias != live.end() ? std::optional(alias->second) : std::nullopt);
    }
    if (node.parent != noNode)
        node.deadBefore = different(at(node.parent).liveAfter, liveOutputs(node.parent));
}

void TreeManager::classifyOutputs(TreeNode& node, const std::vector<TreeValue>& outputs,
                                  const std::vector<TreeValue>& given) {
    // What was alive before the run: at that time liveAfter of the parent, less what died since.
    std::vector<OutputAt> before;
    if (node.parent != noNode) {
        before = different(at(node.parent).liveAfter, node.deadBefore);
        node.deadAfter = different(before, liveOutputs(node.parent));
    }
    std::unordered_map<Address, OutputAt> live;
    for (const OutputAt output : liveOutputs(node.parent))
        live.try_emplace(at(output).storageAddress, output);
    std::vector<Address> persistent;
    for (const std::size_t i : m_functions[node.function].staticInputs)
        if (i < given.size() && given[i].isTensor() &&
            !std::binary_search(node.managed.begin(), node.managed.end(), i))
            persistent.push_back(given[i].storageAddress);
    std::sort(persistent.begin(), persistent.end());

    std::unordered_map<Address, std::uint32_t> own;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const TreeValue& value = outputs[i];
        TreeOutput output{OutputClass::New, {}, value.storageAddress, value.storage, false};
        const auto index = static_cast<std::uint32_t>(i);
        if (!value.isTensor()) {
            output.outputClass = OutputClass::NoTensor;
            output.storage = StorageId::None;
        } else if (value.storageAddress == 0 ||
                   std::binary_search(persistent.begin(), persistent.end(), value.storageAddress)) {
            output.outputClass = OutputClass::Persistent;
            output.storage = StorageId::None;
        } else if (const auto prior = live.find(value.storageAddress); prior != live.end()) {
            output.outputClass = OutputClass::AliasesPath;
            output.alias = prior->second;
            at(prior->second.node).outputs[prior->second.index].cached = false;
            for (std::size_t input = 0; input < node.aliases.size(); ++input)
                if (node.aliases[input] == prior->second) node.preserved[input] = true;
        } else if (const auto first = own.find(value.storageAddress); first != own.end()) {
            output.outputClass = OutputClass::AliasesOutput;
            output.alias = {node.id, first->second};
            node.outputs[first->second].cached = false;
        } else {
            own.emplace(value.storageAddress, index);
            output.cached = true;
        }
        node.outputs.push_back(output);
    }
    node.liveAfter = liveOutputs(node.id);
}

void TreeManager::trackWarmup(TreeNode& node, const std::vector<TreeValue>& outputs,
                              const std::vector<StorageId>& foreign) const {
    std::unordered_map<Address, OutputAt> known;
    for (const OutputAt output : liveOutputs(node.parent))
        known.try_emplace(at(output).storageAddress, output);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const TreeValue& value = outputs[i];
        TreeOutput output{OutputClass::New, {}, value.storageAddress, value.storage, false};
        if (!value.isTensor()) {
            output.outputClass = OutputClass::NoTensor;
            output.storage = StorageId::None;
        } else if (!value.onDevice || value.storageAddress == 0 ||
                   std::find(foreign.begin(), foreign.end(), value.storage) != foreign.end()) {
            output.outputClass = OutputClass::Foreign;
            output.storage = StorageId::None;
        } else {
            const OutputAt here{node.id, static_cast<std::uint32_t>(i)};
            const auto [first, isNew] = known.try_emplace(value.storageAddress, here);
            if (!isNew) {
                output.alias = first->second;
                output.outputClass =
                    output.alias.node == node.id ? OutputClass::AliasesOutput : OutputClass::AliasesPath;
            }
        }
        node.outputs.push_back(output);
    }
}

/// Whether the pool holds what the path keeps alive, and nothing else.
Result<void> TreeManager::checkPool(std::vector<Address> expected) const {
    std::sort(expected.begin(), expected.end());
    expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
    const std::vector<Address> allocated = m_backend.allocated();
    std::vector<Address> missing, extra;
    std::set_difference(expected.begin(), expected.end(), allocated.begin(), allocated.end(),
                        std::back_inserter(missing));
    std::set_difference(allocated.begin(), allocated.end(), expected.begin(), expected.end(),
                        std::back_inserter(extra));
    if (!missing.empty())
        return failure("These storage data ptrs are not allocated in pool but should be: {" +
                       addressList(missing) + '}');
    if (!extra.empty())
        return failure("Detected " + std::to_string(extra.size()) +
                       " tensor(s) in the cudagraph pool not tracked as outputs. All live "
                       "allocations must be tracked for correctness. Data pointers: " +
                       addressList(extra));
    return {};
}

} // namespace dynascope::replay
