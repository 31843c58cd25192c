// SPDX-License-Identifier: BSD-3-Clause
#include "core/replay/skip_check.h"

#include "core/replay/mutation_check.h"
#include "core/replay/written_arguments.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

namespace dynascope::replay {

namespace {

using Kind = SkipReason::Kind;

// As str(target) spells them. The last two lack an overload, so that no operator of a graph matches them: the
// symbols that such ops make are what PyTorch notices.
constexpr std::array forbidden = std::to_array<std::string_view>({
    "aten._fused_moving_avg_obs_fq_helper.default",
    "aten._fused_moving_avg_obs_fq_helper_functional.default",
    "fbgemm.dense_to_jagged.default",
    "fbgemm.jagged_to_padded_dense.default",
    "run_and_save_rng_state",
    "run_with_rng_state",
    "aten._local_scalar_dense",
    "aten._assert_scalar",
});

bool isForbidden(const ir::Node& node, bool rocm) {
    constexpr std::string_view higherOrder = "torch.ops.higher_order.";
    std::string_view target = node.target;
    if (target.starts_with(higherOrder)) target.remove_prefix(higherOrder.size());
    const std::string name = ir::shortTarget(target);
    return std::find(forbidden.begin(), forbidden.end(), name) != forbidden.end() ||
           (rocm && name == "aten.topk.default");
}

bool hasBooleanIndex(const ReplayGraphFacts& facts, const ir::Node& node) {
    const std::string target = ir::shortTarget(node.target);
    if (target != "aten.index_put.default" && target != "aten.index_put_.default" &&
        target != "aten._unsafe_index_put.default")
        return false;
    const ir::Argument* indices = node.args.size() > 1 ? &node.args[1] : nullptr;
    for (const auto& [key, value] : node.kwargs)
        if (!indices && key == "indices") indices = &value;
    bool found = false;
    if (indices)
        indices->forEachNode([&](const std::string& name) {
            const ir::NodeIndex index = facts.graph->find(name);
            if (index == ir::npos) return;
            const std::string& dtype = facts.nodes[index].dtype;
            found = found || dtype == "b8" || dtype == "u8";
        });
    return found;
}

std::string firstUseTrace(const ir::Graph& graph, ir::NodeIndex i) {
    for (const ir::NodeIndex user : graph.users(i))
        if (std::string trace = stackText(graph.node(user)); !trace.empty()) return trace;
    return {};
}

void checkMutations(const ReplayGraphFacts& facts, const InputMutations& mutations,
                    const SkipOptions& options, SkipCheck& out) {
    if (options.allowInputMutation) return;
    out.error = mutations.error;
    std::vector<std::size_t> inputs;
    for (const std::size_t input : mutations.inputs)
        if (input >= options.fixedInputs) inputs.push_back(input);
    if (inputs.empty()) return;
    std::vector<std::string> uses;
    for (PlaceholderInfo& info : placeholdersOf(*facts.graph))
        uses.push_back(std::move(info.mutatingUse));
    SkipReason reason{Kind::MutatedInputs, {}, mutationMessage(uses, inputs)};
    std::size_t ordinal = 0;
    for (ir::NodeIndex i = 0; i < facts.graph->size(); ++i)
        if (facts.graph->node(i).op == ir::Op::Placeholder &&
            std::binary_search(inputs.begin(), inputs.end(), ordinal++))
            reason.nodes.push_back(i);
    out.reasons.push_back(std::move(reason));
}

void checkDevices(const ReplayGraphFacts& facts, SkipCheck& out) {
    std::vector<DeviceUse> devices = devicesOf(facts);
    std::erase_if(devices, [](const DeviceUse& use) { return use.device == "meta"; });
    const auto cpu = std::find_if(devices.begin(), devices.end(),
                                  [](const DeviceUse& use) { return use.device == "cpu"; });
    if (cpu != devices.end()) {
        SkipReason reason{Kind::CpuTensor, {}, {}};
        for (ir::NodeIndex i = 0; i < facts.nodes.size(); ++i)
            if (facts.nodes[i].device == "cpu") reason.nodes.push_back(i);
        reason.message = skipMessage("cpu device (" + facts.graph->node(cpu->node).name + ')',
                                     firstUseTrace(*facts.graph, cpu->node));
        out.reasons.push_back(std::move(reason));
        devices.erase(cpu);
        // With the CPU tensors gone the rest may be fine.
        if (devices.empty()) return;
    }
    if (devices.size() == 1 && deviceType(devices.front().device) == "cuda") return;
    SkipReason reason{devices.empty() ? Kind::NoDevice : Kind::MultipleDevices, {}, "multiple devices: "};
    for (const DeviceUse& use : devices) {
        if (!reason.nodes.empty()) reason.message += ", ";
        reason.message += deviceRepr(use.device);
        reason.nodes.push_back(use.node);
    }
    reason.message = skipMessage(reason.message);
    out.reasons.push_back(std::move(reason));
}

void checkOps(const ReplayGraphFacts& facts, const SkipOptions& options, SkipCheck& out) {
    const std::size_t before = out.reasons.size();
    for (ir::NodeIndex i = 0; i < facts.nodes.size(); ++i) {
        const std::optional<Kind> kind = cannotBeRecorded(facts, i, options.rocm);
        if (!kind) continue;
        const auto same =
            std::find_if(out.reasons.begin() + static_cast<std::ptrdiff_t>(before), out.reasons.end(),
                         [&](const SkipReason& reason) { return reason.kind == *kind; });
        if (same != out.reasons.end())
            same->nodes.push_back(i);
        else
            out.reasons.push_back(
                {*kind, {i}, skipMessage("incompatible op (" + facts.graph->node(i).name + ')')});
    }
}

} // namespace

std::optional<SkipReason::Kind> cannotBeRecorded(const ReplayGraphFacts& facts, ir::NodeIndex i, bool rocm) {
    const ir::Node& node = facts.graph->node(i);
    if (node.op == ir::Op::CallFunction) {
        if (isForbidden(node, rocm)) return Kind::ForbiddenOp;
        if (hasBooleanIndex(facts, node)) return Kind::BooleanIndex;
    }
    if (facts.nodes[i].sparse) return Kind::SparseOutput;
    if (facts.nodes[i].unbacked) return Kind::UnbackedSymbol;
    return {};
}

std::vector<DeviceUse> devicesOf(const ReplayGraphFacts& facts) {
    std::vector<DeviceUse> out;
    std::set<std::string_view> seen;
    for (ir::NodeIndex i = 0; i < facts.nodes.size(); ++i) {
        const ReplayNodeFacts& node = facts.nodes[i];
        if (node.tensor && !node.device.empty() && seen.insert(node.device).second)
            out.push_back({node.device, i});
    }
    return out;
}

SkipCheck checkForSkip(const ReplayGraphFacts& facts, const InputMutations& mutations,
                       const SkipOptions& options) {
    SkipCheck out;
    checkMutations(facts, mutations, options, out);
    checkDevices(facts, out);
    checkOps(facts, options, out);
    if (!out.error && !out.reasons.empty()) out.message = out.reasons.front().message;
    return out;
}

DeviceIndex deviceIndex(const ReplayGraphFacts& facts) {
    const std::vector<DeviceUse> devices = devicesOf(facts);
    if (devices.empty()) return {{}, RaisedError{"StopIteration", {}}};
    const std::string_view device = devices.front().device;
    const std::string_view type = deviceType(device);
    if (type != "cuda")
        return {{}, RaisedError{"AssertionError", "Expected CUDA device, got " + std::string(type)}};
    DeviceIndex out;
    int index = 0;
    const std::string_view digits = device.substr(std::min(device.size(), type.size() + 1));
    if (std::from_chars(digits.data(), digits.data() + digits.size(), index).ec == std::errc())
        out.index = index;
    return out;
}

} // namespace dynascope::replay
