// SPDX-License-Identifier: BSD-3-Clause
#include "core/passes/partition/captured_joint.h"

#include "core/ir/operators.h"
#include "core/ir/storage.h"
#include "core/ir/symbol_names.h"
#include "core/passes/aot/symbol_tree.h"
#include "core/passes/partition/op_classes.h"
#include "core/passes/pass.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <set>
#include <unordered_map>

namespace dynascope::passes::partition {

namespace {

using ir::NodeIndex;
using ir::Op;

constexpr std::int64_t unknownElements = 4096;

JointTensor jointTensor(const ir::TensorMeta& meta, std::size_t storage, const ir::SymbolValues& hints) {
    JointTensor out;
    out.storage = storage;
    std::int64_t elements = 1;
    bool known = true;
    out.sizes.reserve(meta.sizes.size());
    for (const std::string& size : meta.sizes) {
        const auto value = ir::symbolValue(size, hints);
        known &= value && *value >= 0 && !__builtin_mul_overflow(elements, *value, &elements);
        out.sizes.push_back(value.value_or(0));
    }
    if (__builtin_mul_overflow(known ? elements : unknownElements, std::int64_t{ir::dtypeBytes(meta.dtype)},
                               &out.bytes))
        out.bytes = std::numeric_limits<std::int64_t>::max();
    return out;
}

/// "ac_graph_id: 2 - PREFER_RECOMPUTE" or "recompute: MUST_SAVE", anywhere in a node's note.
void readCheckpointTags(std::string_view note, NodeFacts& facts) {
    constexpr std::array<std::pair<std::string_view, Recompute>, 4> policies{
        {{"MUST_SAVE", Recompute::MustSave},
         {"PREFER_SAVE", Recompute::PreferSave},
         {"MUST_RECOMPUTE", Recompute::MustRecompute},
         {"PREFER_RECOMPUTE", Recompute::PreferRecompute}}};
    constexpr std::string_view region = "ac_graph_id: ", alone = "recompute: ", between = " - ";
    std::string_view policy;
    if (const std::size_t at = note.find(region); at != std::string_view::npos) {
        const std::string_view rest = note.substr(at + region.size());
        std::int64_t id = 0;
        const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), id);
        if (error != std::errc()) return;
        facts.checkpointRegion = id;
        policy = rest.substr(static_cast<std::size_t>(end - rest.data()));
        if (!policy.starts_with(between)) return;
        policy.remove_prefix(between.size());
    } else if (const std::size_t other = note.find(alone); other != std::string_view::npos) {
        policy = note.substr(other + alone.size());
    }
    for (const auto& [name, value] : policies)
        if (policy.substr(0, policy.find(' ')) == name) facts.recompute = value;
}

class Reader {
public:
    Reader(const ir::Graph& graph, const ir::SymbolValues& hints)
        : m_graph(graph)
        , m_hints(hints)
        , m_roots(ir::storageRoots(graph, ir::FunctionalForms::NewStorage))
        , m_fromTangents(graph.size(), false) {}

    std::vector<NodeFacts> run(std::size_t forwardOutputs) {
        std::vector<NodeFacts> out;
        out.reserve(m_graph.size());
        for (NodeIndex i = 0; i < m_graph.size(); ++i)
            out.push_back(factsOf(i));
        // Forward ends with what it returns. Results that functionalization rebuilt stand behind backward.
        NodeIndex backward = 0;
        while (backward < m_graph.size() &&
               (m_graph.node(backward).op == Op::Placeholder || !m_fromTangents[backward]))
            ++backward;
        NodeIndex end = 0;
        const auto& results = m_graph.nodes().back()->args.front().items;
        for (std::size_t i = 0; i < forwardOutputs; ++i) {
            const NodeIndex at = results[i].isNode() ? m_graph.find(results[i].text) : ir::npos;
            if (at < backward) end = std::max(end, at + 1);
        }
        for (NodeIndex i = 0; i < m_graph.size(); ++i)
            out[i].region = regionOf(i, i < end, out[i].writes);
        sumItems(out);
        return out;
    }

private:
    NodeFacts factsOf(NodeIndex i) {
        const ir::Node& node = m_graph.node(i);
        NodeFacts facts;
        const auto inputs = m_graph.inputs(i);
        m_fromTangents[i] =
            (node.op == Op::Placeholder && node.target.find("tangents") != std::string::npos) ||
            std::any_of(inputs.begin(), inputs.end(), [&](NodeIndex input) { return m_fromTangents[input]; });
        facts.writes = node.op == Op::CallFunction && ir::opKind(node) == ir::OpKind::Write;
        facts.seededRandom = node.op == Op::CallFunction && drawsNumbers(node.target);
        readCheckpointTags(node.note, facts);
        facts.isModule = node.op == Op::GetAttr && m_graph.subgraphs().contains(node.target);
        facts.isObject = node.op == Op::Placeholder && !node.meta && !m_fromTangents[i];
        if (!node.meta) return facts;
        std::set<std::string> symbols;
        if (node.meta->tensor) {
            facts.tensor = jointTensor(*node.meta->tensor, m_roots[i], m_hints);
            for (const std::string& size : node.meta->tensor->sizes)
                ir::addSymbolNames(size, symbols);
            if (node.meta->tensor->strides)
                for (const std::string& stride : *node.meta->tensor->strides)
                    ir::addSymbolNames(stride, symbols);
        } else if (node.meta->raw.starts_with("Sym(") && node.meta->raw.ends_with(')')) {
            const std::string value = node.meta->raw.substr(4, node.meta->raw.size() - 5);
            const auto tree = aot::parseSymbolTree(value);
            facts.symbol = tree && tree->isFloat() ? SymbolKind::Float : SymbolKind::Int;
            // A size that depends on data is bound by the node that reads it.
            const bool unbacked = value.starts_with('u');
            if ((node.op == Op::Placeholder || unbacked) && ir::isSymbolName(value)) facts.binds = value;
            ir::addSymbolNames(value, symbols);
        }
        facts.freeSymbols.assign(symbols.begin(), symbols.end());
        return facts;
    }

    bool drawsNumbers(std::string_view target) {
        const auto [known, isNew] = m_drawsNumbers.try_emplace(target, false);
        if (isNew) known->second = opClass(packetOf(target)).drawsNumbers;
        return known->second;
    }

    Region regionOf(NodeIndex i, bool inForward, bool writes) const {
        if (writes && m_graph.node(i).target.starts_with("torch.ops.aten.copy_."))
            return m_fromTangents[i] ? Region::MustBeInBackward : Region::MustBeInForward;
        return m_fromTangents[i] || !inForward ? Region::Backward : Region::Forward;
    }

    /// What a getitem takes out is annotated, the tuple itself is not.
    void sumItems(std::vector<NodeFacts>& facts) const {
        for (NodeIndex i = 0; i < m_graph.size(); ++i) {
            if (m_graph.node(i).target != ir::getitemTarget || m_graph.inputs(i).empty() || !facts[i].tensor)
                continue;
            NodeFacts& tuple = facts[m_graph.inputs(i).front()];
            if (tuple.tensor || tuple.isSymbol()) continue;
            tuple.tuple = true;
            if (__builtin_add_overflow(tuple.itemBytes, facts[i].tensor->bytes, &tuple.itemBytes))
                tuple.itemBytes = std::numeric_limits<std::int64_t>::max();
        }
    }

    const ir::Graph& m_graph;
    const ir::SymbolValues& m_hints;
    std::vector<NodeIndex> m_roots;
    std::vector<bool> m_fromTangents;
    std::unordered_map<std::string_view, bool> m_drawsNumbers; ///< by target
};

} // namespace

namespace {

/// Whether it is a token, which effects read first.
bool isToken(const ir::Graph& graph, NodeIndex placeholder) {
    const auto users = graph.users(placeholder);
    return !users.empty() && std::all_of(users.begin(), users.end(), [&](NodeIndex user) {
        return graph.node(user).target == "torch.ops.higher_order.with_effects" &&
               graph.inputs(user).front() == placeholder;
    });
}

} // namespace

Result<Joint> capturedJoint(const ir::GraphPtr& graph, const ir::SymbolValues& hints,
                            std::vector<std::size_t> staticPrimals) {
    std::size_t primals = 0; // what has a gradient among the results, and tokens of backward
    for (NodeIndex i = 0; i < graph->size(); ++i) {
        const ir::Node& node = graph->node(i);
        if (node.op != Op::Placeholder) continue;
        const bool tangent = node.target.find("tangents") != std::string::npos;
        if (tangent ? node.target.starts_with(backwardToken) : !isToken(*graph, i)) ++primals;
    }
    const bool returns = graph->size() > 0 && graph->nodes().back()->op == Op::Output &&
                         graph->nodes().back()->args.size() == 1;
    const std::size_t results = returns ? graph->nodes().back()->args.front().items.size() : 0;
    if (results < primals)
        return failure("the graph has " + std::to_string(primals) + " inputs and only " +
                       std::to_string(results) + " results");
    Joint out;
    out.graph = graph;
    out.forwardOutputs = results - primals;
    out.staticPrimals = std::move(staticPrimals);
    out.facts = Reader(*graph, hints).run(out.forwardOutputs);
    return out;
}

} // namespace dynascope::passes::partition
