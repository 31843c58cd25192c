// SPDX-License-Identifier: BSD-3-Clause
#include "core/passes/partition/work.h"

#include <algorithm>
#include <array>
#include <unordered_set>

namespace dynascope::passes::partition {

using ir::NodeIndex;
using ir::Op;

namespace {

/// Calls whose point is not their value, and whose schemas do not say so.
constexpr std::array<std::string_view, 9> effects{"operator.setitem",
                                                  "torch.ops.aten._assert_async.default",
                                                  "torch.ops.aten._assert_async.msg",
                                                  "torch.ops.aten._assert_scalar.default",
                                                  "torch.ops.aten._print.default",
                                                  "torch.ops.aten.sym_constrain_range.default",
                                                  "torch.ops.aten.sym_constrain_range_for_size.default",
                                                  "torch.ops.profiler._record_function_enter_new.default",
                                                  "torch.ops.profiler._record_function_exit._RecordFunction"};

bool hasEffect(const ir::Node& node, const NodeFacts& facts) {
    return facts.writes || std::find(effects.begin(), effects.end(), node.target) != effects.end();
}

Role roleOf(const ir::Node& node) {
    if (node.op != Op::Placeholder) return Role::Computed;
    const auto named = [&](std::string_view part) { return node.target.find(part) != std::string::npos; };
    if (named("tangents")) return Role::Tangent;
    if (named("fwd_seed") || named("fwd_base_offset")) return Role::ForwardSeed;
    if (named("bwd_seed") || named("bwd_base_offset")) return Role::BackwardSeed;
    return Role::Primal;
}

std::vector<Role> rolesOf(const ir::Graph& graph) {
    std::vector<Role> out;
    out.reserve(graph.size());
    for (const ir::NodePtr& node : graph.nodes())
        out.push_back(roleOf(*node));
    return out;
}

} // namespace

std::vector<NodeIndex> Work::withRole(Role role) const {
    std::vector<NodeIndex> out;
    for (NodeIndex i = 0; i < roles.size(); ++i)
        if (roles[i] == role) out.push_back(i);
    return out;
}

std::vector<NodeIndex> Work::forwardInputs() const {
    std::vector<NodeIndex> out = withRole(Role::Primal);
    const std::vector<NodeIndex> seeds = withRole(Role::ForwardSeed);
    out.insert(out.end(), seeds.begin(), seeds.end());
    return out;
}

bool Work::mustBeForward(NodeIndex i) const {
    const Region region = facts[i].region;
    return region == Region::MustBeInForward ||
           (facts[i].writes && region != Region::Backward && region != Region::MustBeInBackward);
}

bool Work::mustBeBackward(NodeIndex i) const {
    const Region region = facts[i].region;
    return region == Region::MustBeInBackward || (facts[i].writes && region == Region::Backward);
}

bool Work::impureCall(NodeIndex i) const {
    return node(i).op == Op::CallFunction && hasEffect(node(i), facts[i]);
}

bool Work::anyRecomputed() const {
    return std::any_of(facts.begin(), facts.end(), [](const NodeFacts& f) { return f.recomputed(); });
}

Result<Work> makeWork(const Joint& joint) {
    const ir::Graph& graph = *joint.graph;
    if (graph.size() == 0) return failure("the graph is empty");
    if (joint.facts.size() != graph.size()) return failure("facts of every node are needed");
    if (!graph.missing().empty())
        return failure("node '" + graph.missing().front().second + "' is read but not defined");
    for (NodeIndex i = 0; i < graph.size(); ++i) {
        const ir::Node& node = graph.node(i);
        if (graph.find(node.name) != i) return failure("two nodes are named '" + node.name + '\'');
        if ((node.op == Op::Output) != (i + 1 == graph.size()))
            return failure("a joint graph has one output, its last node");
        const auto inputs = graph.inputs(i);
        if (std::any_of(inputs.begin(), inputs.end(), [&](NodeIndex input) { return input >= i; }))
            return failure("node '" + node.name + "' reads a node that comes later");
    }
    const ir::Node& output = *graph.nodes().back();
    if (output.args.size() != 1 || output.args.front().items.size() < joint.forwardOutputs)
        return failure("the graph does not return " + std::to_string(joint.forwardOutputs) +
                       " forward outputs");
    return Work{joint.graph, joint.facts, rolesOf(graph), joint.forwardOutputs, joint.staticPrimals};
}

namespace {

/// Whether it stays though nobody reads it.
bool staysUnread(const Work& work, NodeIndex i) {
    const Op op = work.node(i).op;
    return op == Op::Placeholder || op == Op::Output ||
           (op != Op::GetAttr && hasEffect(work.node(i), work.facts[i]));
}

/// The node that stands for a result of a module: a copy_ that only the other side makes is the input that
/// it writes. Fails where the module has neither.
Result<NodeIndex> resultIn(const Work& work, const std::vector<bool>& valid, NodeIndex i) {
    if (valid[i]) return i;
    const auto reads = work.graph->inputs(i);
    const bool written =
        work.node(i).target == copyTarget && work.mustBeBackward(i) && !reads.empty() && valid[reads.front()];
    if (!written) return failure("Node " + work.node(i).name + " was invalid, but is output");
    return reads.front();
}

} // namespace

Work withoutDeadCode(Work work) {
    const ir::Graph& graph = *work.graph;
    std::vector<bool> live(graph.size(), false);
    bool all = true;
    for (auto i = static_cast<NodeIndex>(graph.size()); i-- > 0;) {
        live[i] = live[i] || staysUnread(work, i);
        all &= live[i];
        for (const NodeIndex input : graph.inputs(i))
            live[input] = live[input] || live[i];
    }
    if (all) return work;
    ir::GraphBuilder builder;
    for (const std::string& name : graph.subgraphOrder())
        builder.addSubgraph(name, graph.subgraphs().find(name)->second);
    std::size_t next = 0;
    for (NodeIndex i = 0; i < graph.size(); ++i) {
        if (!live[i]) continue;
        builder.add(graph.nodes()[i]);
        work.facts[next] = std::move(work.facts[i]);
        work.roles[next++] = work.roles[i];
    }
    work.facts.resize(next);
    work.roles.resize(next);
    work.graph = builder.build();
    return work;
}

Result<Extent> extentOf(const Work& work, std::span<const NodeIndex> inputs,
                        std::span<const ir::Argument> outputs, Side side) {
    const ir::Graph& graph = *work.graph;
    Extent out;
    out.given.resize(graph.size(), false);
    for (const NodeIndex i : inputs)
        out.given[i] = true;
    out.valid = out.kept = out.given;
    out.read.resize(graph.size(), false);
    for (NodeIndex i = 0; i < work.outputNode(); ++i) {
        const bool foreign = (work.mustBeBackward(i) && side != Side::Backward) ||
                             (work.mustBeForward(i) && side != Side::Forward);
        if (out.given[i] || foreign || graph.node(i).op == Op::Placeholder) continue;
        const auto reads = graph.inputs(i);
        out.valid[i] =
            std::all_of(reads.begin(), reads.end(), [&](NodeIndex input) { return out.valid[input]; });
    }
    for (const ir::Argument& value : outputs) {
        if (!value.isNode() || graph.find(value.text) == ir::npos) continue;
        const auto result = resultIn(work, out.valid, graph.find(value.text));
        if (!result) return tl::unexpected(result.error());
        out.read[*result] = true;
    }
    for (NodeIndex i = work.outputNode(); i-- > 0;) {
        if (out.given[i] || !out.valid[i] || !(out.read[i] || staysUnread(work, i))) continue;
        out.kept[i] = true;
        for (const NodeIndex input : graph.inputs(i))
            out.read[input] = true;
    }
    return out;
}

Result<Module> extract(const Work& work, std::span<const NodeIndex> inputs,
                       std::span<const ir::Argument> outputs, Side side) {
    const ir::Graph& graph = *work.graph;
    const auto extent = extentOf(work, inputs, outputs, side);
    if (!extent) return tl::unexpected(extent.error());
    Module out;
    ir::GraphBuilder builder;
    std::vector<bool> added(graph.size(), false);
    for (const NodeIndex i : inputs) {
        if (added[i]) continue;
        added[i] = true;
        out.nodes.push_back(i);
        const ir::NodePtr& source = graph.nodes()[i];
        if (source->op == Op::Placeholder) {
            builder.add(source);
            continue;
        }
        ir::Node placeholder;
        placeholder.name = placeholder.target = source->name;
        placeholder.op = Op::Placeholder;
        placeholder.meta = source->meta;
        placeholder.stack = source->stack;
        builder.add(std::move(placeholder));
    }
    for (NodeIndex i = 0; i < work.outputNode(); ++i) {
        const ir::NodePtr& node = graph.nodes()[i];
        if (added[i] || !extent->valid[i]) continue;
        out.nodes.push_back(i);
        if (extent->kept[i]) builder.add(node);
        if (node->op != Op::GetAttr) continue;
        if (const auto module = graph.subgraphs().find(node->target); module != graph.subgraphs().end())
            builder.addSubgraph(module->first, module->second);
    }
    ir::Node output;
    output.name = "output";
    output.op = Op::Output;
    output.target = "output";
    output.args.push_back(ir::Argument::tuple({}));
    for (const ir::Argument& value : outputs) {
        const NodeIndex i = value.isNode() ? graph.find(value.text) : ir::npos;
        const auto result = i == ir::npos ? Result<NodeIndex>(i) : resultIn(work, extent->valid, i);
        if (!result) return tl::unexpected(result.error());
        output.args.front().items.push_back(*result == i ? value
                                                         : ir::Argument::node(graph.node(*result).name));
    }
    builder.add(std::move(output));
    out.graph = builder.build();
    return out;
}

std::vector<bool> overwrittenInputs(const Work& work) {
    std::unordered_set<std::size_t> storages;
    for (NodeIndex i = 0; i < work.outputNode(); ++i) {
        const auto inputs = work.graph->inputs(i);
        if (work.node(i).target != copyTarget || !work.mustBeForward(i) || inputs.empty()) continue;
        if (const auto& tensor = work.facts[inputs.front()].tensor) storages.insert(tensor->storage);
    }
    std::vector<bool> out(work.facts.size(), false);
    for (NodeIndex i = 0; i < work.outputNode(); ++i)
        out[i] = work.facts[i].tensor && storages.contains(work.facts[i].tensor->storage) &&
                 work.node(i).target != copyTarget;
    return out;
}

} // namespace dynascope::passes::partition
