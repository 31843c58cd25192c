// SPDX-License-Identifier: BSD-3-Clause
#include "core/passes/partition/work.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <unordered_set>

namespace dynascope::passes::partition {

using ir::NodeIndex;

std::int64_t Partition::savedBytes() const {
    return std::accumulate(decisions.begin(), decisions.end(), std::int64_t{0},
                           [](std::int64_t sum, const Decision& decision) {
                               if (decision.kind != Decision::Kind::Saved) return sum;
                               std::int64_t out = 0;
                               return __builtin_add_overflow(sum, decision.bytes, &out)
                                          ? std::numeric_limits<std::int64_t>::max()
                                          : out;
                           });
}

namespace {

/// torch.get_rng_state(): the state of the CPU's generator, in bytes.
constexpr std::int64_t randomStateBytes = 5056;

/// Calls tagged inplace_view, which change what a tensor is without a new node for it.
bool changesGeometry(const ir::NodePtr& node) {
    constexpr std::array<std::string_view, 11> names{"as_strided_", "detach_",    "resize_",   "resize_as_",
                                                     "set_",        "squeeze_",   "swapaxes_", "swapdims_",
                                                     "t_",          "transpose_", "unsqueeze_"};
    constexpr std::string_view aten = "torch.ops.aten.";
    std::string_view target = node->target;
    if (node->op != ir::Op::CallFunction || !target.starts_with(aten)) return false;
    target.remove_prefix(aten.size());
    return std::find(names.begin(), names.end(), target.substr(0, target.find('.'))) != names.end();
}

/// Saved tensors whose storage is no input's and no output's of either half. A random state is a tensor that
/// nothing else holds. PyTorch trusts no storage where a geometry changes.
std::vector<std::string> donated(const Work& work, const Split& split,
                                 const std::vector<std::string>& states) {
    for (const Module* module : {&split.forward, &split.backward})
        if (std::any_of(module->graph->nodes().begin(), module->graph->nodes().end(), changesGeometry))
            return {};
    std::unordered_set<std::size_t> held;
    const auto hold = [&](NodeIndex i) {
        if (work.facts[i].tensor) held.insert(work.facts[i].tensor->storage);
    };
    for (const NodeIndex i : work.forwardInputs())
        hold(i);
    for (const ir::Argument& output : work.outputs())
        if (output.isNode()) hold(work.graph->find(output.text));
    std::vector<std::string> out;
    for (const NodeIndex i : split.tensors) {
        const auto& tensor = work.facts[i].tensor;
        if (tensor && !held.contains(tensor->storage)) out.push_back(work.node(i).name);
    }
    out.insert(out.end(), states.begin(), states.end());
    return out;
}

} // namespace

Partition finish(const Work& work, Split split, bool reorder,
                 const std::function<std::string(NodeIndex)>& why) {
    const std::vector<std::string> states = replayRandomState(work, split);
    Partition out;
    const auto save = [&](NodeIndex i) {
        out.saved.push_back(work.node(i).name);
        out.decisions.push_back({Decision::Kind::Saved, work.node(i).name, work.facts[i].bytes(), why(i)});
    };
    for (const NodeIndex i : split.tensors)
        save(i);
    for (const std::string& state : states) {
        out.saved.push_back(state);
        out.decisions.push_back({Decision::Kind::Saved, state, randomStateBytes,
                                 "the random state, so that backward draws the same"});
    }
    for (const NodeIndex i : split.symbols) {
        out.saved.push_back(work.node(i).name);
        out.decisions.push_back({Decision::Kind::Saved, work.node(i).name, work.facts[i].bytes(),
                                 "a size that backward or its shapes need"});
    }
    out.donated = donated(work, split, states);
    for (NodeIndex i = 0; i < work.outputNode(); ++i) {
        const ir::Node& node = work.node(i);
        const NodeIndex again = split.backward.graph->find(node.name);
        if (node.op == ir::Op::Placeholder || again == ir::npos ||
            split.forward.graph->find(node.name) == ir::npos ||
            split.backward.graph->node(again).op == ir::Op::Placeholder)
            continue;
        out.decisions.push_back(
            {Decision::Kind::Recomputed, node.name, work.facts[i].bytes(),
             work.facts[i].recomputed() ? "its region is checkpointed" : "follows from what is saved"});
    }
    out.forward = withGetitemsRaised(split.forward.graph);
    out.backward = withGetitemsRaised(reorder ? inAutogradOrder(split.backward.graph) : split.backward.graph);
    return out;
}

} // namespace dynascope::passes::partition
