// SPDX-License-Identifier: BSD-3-Clause
//
// torch.fx's common subexpression elimination as the min-cut partitioner runs it (torch/_functorch/
// compile_utils.py, fx_graph_cse). Its table has one entry for a hash: where hashes collide, as those of -1
// and -2 do in Python, equal nodes stay two.
#include "core/passes/partition/op_classes.h"
#include "core/passes/partition/work.h"
#include "core/passes/rename_inputs.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

namespace dynascope::passes::partition {

namespace {

using ir::Argument;
using ir::NodeIndex;
using ir::Op;

constexpr std::array<std::string_view, 16> neverMerged{
    "aten._fused_dropout", "aten._standard_gamma", "aten.bernoulli",   "aten.binomial",
    "aten.dropout",        "aten.empty",           "aten.multinomial", "aten.native_dropout",
    "aten.normal",         "aten.poisson",         "aten.rand",        "aten.rand_like",
    "aten.randint",        "aten.randn",           "aten.randperm",    "aten.rrelu"};

/// Python hashes integers modulo 2^61 - 1, and -1 as -2.
std::string hashedInt(const Argument& argument) {
    const auto value = argument.asInt();
    if (!value) return argument.text;
    constexpr std::int64_t modulus = (std::int64_t{1} << 61) - 1;
    const std::int64_t hash = *value % modulus;
    return std::to_string(hash == -1 ? -2 : hash);
}

/// What Python's hash of the flattened arguments tells apart: neither nesting nor keywords.
void appendHash(std::string& key, const Argument& argument) {
    using Kind = Argument::Kind;
    if (!argument.items.empty() || argument.kind == Kind::List || argument.kind == Kind::Tuple) {
        for (const Argument& item : argument.items)
            appendHash(key, item);
        return;
    }
    key += '\x1f';
    if (argument.kind == Kind::Int)
        key += hashedInt(argument);
    else if (argument.kind == Kind::Float && argument.text == "-1.0")
        key += "-2.0";
    else
        argument.appendTo(key, "%");
}

struct Seen {
    ir::NodePtr node;
    NodeIndex index = 0; ///< in the graph as it was
    std::size_t region = 0;
};

/// What Python's table of expressions would look a node up by.
void writeKey(std::string& key, const ir::Node& node) {
    key = node.target;
    for (const Argument& argument : node.args)
        appendHash(key, argument);
    for (const auto& [name, argument] : node.kwargs)
        appendHash(key, argument);
}

/// Whether they have the same arguments, as they are written.
bool sameArguments(const ir::Node& a, const ir::Node& b) {
    const auto same = [](const Argument& x, const Argument& y) {
        return x == y || x.toString("%") == y.toString("%");
    };
    return std::equal(a.args.begin(), a.args.end(), b.args.begin(), b.args.end(), same) &&
           std::equal(
               a.kwargs.begin(), a.kwargs.end(), b.kwargs.begin(), b.kwargs.end(),
               [&](const auto& x, const auto& y) { return x.first == y.first && same(x.second, y.second); });
}

/// The node as it reads what was merged.
ir::NodePtr withInputsMerged(const ir::Graph& graph, NodeIndex i, const std::vector<NodeIndex>& mergedInto) {
    const auto inputs = graph.inputs(i);
    if (std::all_of(inputs.begin(), inputs.end(),
                    [&](NodeIndex input) { return mergedInto[input] == input; }))
        return graph.nodes()[i];
    NewNames names;
    for (const NodeIndex input : inputs)
        if (mergedInto[input] != input)
            names.emplace(graph.node(input).name, graph.node(mergedInto[input]).name);
    return withInputsRenamed(graph.nodes()[i], names);
}

bool isNeverMerged(std::string_view target) {
    return std::binary_search(neverMerged.begin(), neverMerged.end(), packetOf(target));
}

std::unordered_set<std::size_t> returnedStorages(const Work& work) {
    std::unordered_set<std::size_t> out;
    for (const Argument& output : work.outputs()) {
        if (!output.isNode()) continue;
        if (const auto& tensor = work.facts[work.graph->find(output.text)].tensor)
            out.insert(tensor->storage);
    }
    return out;
}

/// What the gradients are computed from, by node.
std::vector<bool> neededByGradients(const Work& work) {
    const ir::Graph& graph = *work.graph;
    std::vector<bool> out(graph.size(), false);
    for (const Argument& gradient : work.gradients())
        if (gradient.isNode()) out[graph.find(gradient.text)] = true;
    for (NodeIndex i = static_cast<NodeIndex>(graph.size()); i-- > 0;)
        if (out[i])
            for (const NodeIndex input : graph.inputs(i))
                out[input] = true;
    return out;
}

} // namespace

Work withEqualsMerged(Work work, bool apart) {
    const ir::Graph& graph = *work.graph;
    const std::unordered_set<std::size_t> returned = returnedStorages(work);
    std::unordered_map<std::string, Seen> table;
    table.reserve(graph.size());
    std::vector<NodeIndex> mergedInto(graph.size());
    std::iota(mergedInto.begin(), mergedInto.end(), NodeIndex{0});
    const std::vector<bool> needed = apart ? neededByGradients(work) : std::vector<bool>(graph.size(), false);
    std::size_t region = 0;
    std::string key;
    ir::GraphBuilder builder;
    for (const std::string& name : graph.subgraphOrder())
        builder.addSubgraph(name, graph.subgraphs().find(name)->second);
    std::size_t next = 0;
    for (NodeIndex i = 0; i < graph.size(); ++i) {
        const NodeFacts& facts = work.facts[i];
        if (facts.writes) ++region;
        ir::NodePtr node = withInputsMerged(graph, i, mergedInto);
        const bool keeps = node->op != Op::CallFunction ||
                           (facts.tensor && returned.contains(facts.tensor->storage)) ||
                           isNeverMerged(node->target);
        if (!keeps) {
            writeKey(key, *node);
            if (needed[i]) key += '\x1d';
            const auto [found, isNew] = table.try_emplace(key, Seen{node, i, region});
            if (!isNew && sameArguments(*found->second.node, *node)) {
                if (found->second.region == region) {
                    mergedInto[i] = found->second.index;
                    continue;
                }
                found->second = {node, i, region};
            }
        }
        builder.add(std::move(node));
        if (next != i) work.facts[next] = std::move(work.facts[i]);
        work.roles[next++] = work.roles[i];
    }
    if (next == graph.size()) return work;
    work.facts.resize(next);
    work.roles.resize(next);
    work.graph = builder.build();
    return work;
}

} // namespace dynascope::passes::partition
