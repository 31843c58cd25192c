// SPDX-License-Identifier: BSD-3-Clause
#include "core/passes/partition/work.h"

#include "core/passes/dce.h"
#include "core/passes/recording.h"

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

tl::unexpected<Error> malformed(std::string message) {
    return tl::unexpected(Error{std::move(message), {}, 0, 0});
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
    if (graph.size() == 0) return malformed("the graph is empty");
    if (joint.facts.size() != graph.size()) return malformed("facts of every node are needed");
    if (!graph.missing().empty())
        return malformed("node '" + graph.missing().front().second + "' is read but not defined");
    for (NodeIndex i = 0; i < graph.size(); ++i) {
        const ir::Node& node = graph.node(i);
        if (graph.find(node.name) != i) return malformed("two nodes are named '" + node.name + '\'');
        if ((node.op == Op::Output) != (i + 1 == graph.size()))
            return malformed("a joint graph has one output, its last node");
        const auto inputs = graph.inputs(i);
        if (std::any_of(inputs.begin(), inputs.end(), [&](NodeIndex input) { return input >= i; }))
            return malformed("node '" + node.name + "' reads a node that comes later");
    }
    const ir::Node& output = *graph.nodes().back();
    if (output.args.size() != 1 || output.args.front().items.size() < joint.forwardOutputs)
        return malformed("the graph does not return " + std::to_string(joint.forwardOutputs) +
                         " forward outputs");
    return Work{joint.graph, joint.facts, rolesOf(graph), joint.forwardOutputs, joint.staticPrimals};
}

Work withGraph(const Work& work, ir::GraphPtr graph) {
    Work out{std::move(graph), {}, {}, work.forwardOutputs, work.staticPrimals};
    out.facts.reserve(out.graph->size());
    for (const ir::NodePtr& node : out.graph->nodes())
        out.facts.push_back(work.facts[work.graph->find(node->name)]);
    out.roles = rolesOf(*out.graph);
    return out;
}

ir::GraphPtr withoutDeadCode(const Work& work, const ir::GraphPtr& graph) {
    PassContext context;
    context.effects = [&](const ir::Node& node) {
        const NodeIndex i = work.graph->find(node.name);
        return Effects{.known = true, .writes = i != ir::npos && hasEffect(node, work.facts[i])};
    };
    Recorder unused;
    const auto result = DeadCodeElimination().run(PassState{graph, nullptr, nullptr, {}}, context, unused);
    return result ? result->graph : graph;
}

Result<Module> extract(const Work& work, std::span<const NodeIndex> inputs,
                       std::span<const ir::Argument> outputs, Side side) {
    const ir::Graph& graph = *work.graph;
    std::vector<bool> valid(graph.size(), false), taken(graph.size(), false);
    Module out;
    ir::GraphBuilder builder;
    const auto add = [&](ir::NodePtr node) {
        out.names.push_back(node->name);
        builder.add(std::move(node));
    };
    for (const NodeIndex i : inputs) {
        if (taken[i]) continue;
        valid[i] = taken[i] = true;
        const ir::NodePtr& source = graph.nodes()[i];
        if (source->op == Op::Placeholder) {
            add(source);
            continue;
        }
        ir::Node placeholder;
        placeholder.name = placeholder.target = source->name;
        placeholder.op = Op::Placeholder;
        placeholder.meta = source->meta;
        placeholder.stack = source->stack;
        add(std::make_shared<const ir::Node>(std::move(placeholder)));
    }
    for (NodeIndex i = 0; i < work.outputNode(); ++i) {
        const bool foreign = (work.mustBeBackward(i) && side != Side::Backward) ||
                             (work.mustBeForward(i) && side != Side::Forward);
        if (taken[i] || foreign || graph.node(i).op == Op::Placeholder) continue;
        const auto reads = graph.inputs(i);
        valid[i] = std::all_of(reads.begin(), reads.end(), [&](NodeIndex input) { return valid[input]; });
        if (!valid[i]) continue;
        add(graph.nodes()[i]);
        if (const auto module = graph.subgraphs().find(graph.node(i).target);
            graph.node(i).op == Op::GetAttr && module != graph.subgraphs().end())
            builder.addSubgraph(module->first, module->second);
    }
    ir::Node output;
    output.name = "output";
    output.op = Op::Output;
    output.target = "output";
    output.args.push_back(ir::Argument::tuple({}));
    for (const ir::Argument& value : outputs) {
        const NodeIndex i = value.isNode() ? graph.find(value.text) : ir::npos;
        if (i == ir::npos || valid[i]) {
            output.args.front().items.push_back(value);
            continue;
        }
        // A copy_ that backward makes is an input that forward has.
        const bool written = graph.node(i).target == copyTarget && work.mustBeBackward(i) &&
                             !graph.inputs(i).empty() && valid[graph.inputs(i).front()];
        if (!written) return malformed("Node " + value.text + " was invalid, but is output");
        output.args.front().items.push_back(ir::Argument::node(graph.node(graph.inputs(i).front()).name));
    }
    builder.add(std::move(output));
    out.graph = withoutDeadCode(work, builder.build());
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
