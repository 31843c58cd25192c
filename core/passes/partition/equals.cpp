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
    std::string name;
    std::size_t region = 0;
    std::string token; ///< the arguments in full
};

std::unordered_set<std::size_t> returnedStorages(const Work& work) {
    std::unordered_set<std::size_t> out;
    for (const Argument& output : work.outputs()) {
        if (!output.isNode()) continue;
        if (const auto& tensor = work.facts[work.graph->find(output.text)].tensor)
            out.insert(tensor->storage);
    }
    return out;
}

} // namespace

Work withEqualsMerged(const Work& work) {
    const ir::Graph& graph = *work.graph;
    const std::unordered_set<std::size_t> returned = returnedStorages(work);
    std::unordered_map<std::string, Seen> table;
    NewNames merged;
    std::size_t region = 0;
    ir::GraphBuilder builder;
    for (const std::string& name : graph.subgraphOrder())
        builder.addSubgraph(name, graph.subgraphs().find(name)->second);
    for (NodeIndex i = 0; i < graph.size(); ++i) {
        const NodeFacts& facts = work.facts[i];
        if (facts.writes) ++region;
        ir::NodePtr node = withInputsRenamed(graph.nodes()[i], merged);
        const bool keeps = node->op != Op::CallFunction ||
                           (facts.tensor && returned.contains(facts.tensor->storage)) ||
                           std::binary_search(neverMerged.begin(), neverMerged.end(), packetOf(node->target));
        if (!keeps) {
            std::string key = node->target, token;
            for (const Argument& argument : node->args) {
                appendHash(key, argument);
                (token += '\x1f') += argument.toString("%");
            }
            for (const auto& [name, argument] : node->kwargs) {
                appendHash(key, argument);
                ((token += '\x1e') += name) += '=' + argument.toString("%");
            }
            const auto [found, isNew] = table.try_emplace(std::move(key), Seen{node->name, region, token});
            if (!isNew && found->second.token == token) {
                if (found->second.region == region) {
                    merged[node->name] = found->second.name;
                    continue;
                }
                found->second = {node->name, region, std::move(token)};
            }
        }
        builder.add(std::move(node));
    }
    return withGraph(work, builder.build());
}

} // namespace dynascope::passes::partition
