// SPDX-License-Identifier: BSD-3-Clause
#include "core/passes/cse.h"

#include "core/ir/empty_like.h"
#include "core/passes/rename_inputs.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace dynascope::passes {

namespace {

using ir::Argument;
using ir::NodeIndex;
using ir::Op;

/// Memory that nodes may share, as far as schemas and names tell: a union of each view with what it reads.
class Memory {
public:
    Memory(const ir::Graph& graph, const EffectsOf& effects)
        : m_parent(graph.size())
        , m_written(graph.size(), false) {
        std::iota(m_parent.begin(), m_parent.end(), NodeIndex{0});
        for (NodeIndex i = 0; i < graph.size(); ++i) {
            const ir::Node& node = graph.node(i);
            if (node.op == Op::Placeholder || node.op == Op::GetAttr || node.op == Op::Output) continue;
            const Effects what = effects(node);
            if (what.aliases || what.writes || !what.known) {
                for (const NodeIndex input : graph.inputs(i))
                    m_parent[find(input)] = find(i);
            }
            if (what.writes || !what.known) m_writers.push_back(i);
        }
        for (const NodeIndex writer : m_writers)
            m_written[find(writer)] = true;
    }

    bool written(NodeIndex node) { return m_written[find(node)]; }

private:
    NodeIndex find(NodeIndex i) {
        while (m_parent[i] != i) {
            m_parent[i] = m_parent[m_parent[i]];
            i = m_parent[i];
        }
        return i;
    }

    std::vector<NodeIndex> m_parent;
    std::vector<bool> m_written;
    std::vector<NodeIndex> m_writers;
};

std::string keyOf(const ir::Node& node) {
    std::string key = std::string(ir::opName(node.op)) + ' ' + node.target;
    for (const Argument& argument : node.args)
        (key += '\x1f') += argument.toString("%");
    for (const auto& [name, argument] : node.kwargs)
        ((key += '\x1e') += name) += '=' + argument.toString("%");
    return key;
}

bool returned(const ir::Graph& graph, NodeIndex node) {
    const auto users = graph.users(node);
    return std::any_of(users.begin(), users.end(),
                       [&](NodeIndex user) { return graph.node(user).op == Op::Output; });
}

} // namespace

PassResult<PassState> CommonSubexpressionElimination::run(const PassState& source, const PassContext& context,
                                                          PassObserver& observer) const {
    const ir::Graph& graph = *source.graph;
    Memory memory(graph, context.effects);
    std::unordered_map<std::string, NodeIndex> seen; // to the result's node
    NewNames merged;
    ir::GraphBuilder builder = ir::emptyLike(graph);
    std::vector<std::string> resultNames;
    for (NodeIndex i = 0; i < graph.size(); ++i) {
        if (context.task.cancelled()) return tl::unexpected(PassError{"cancelled", i, true, {}});
        Step step;
        step.source = i;
        const ir::NodePtr node = withInputsRenamed(graph.nodes()[i], merged);
        if (node != graph.nodes()[i]) {
            step.changed.push_back({i, static_cast<NodeIndex>(builder.size()), "reads a merged node"});
            step.why = "reads a merged node";
        }
        const auto inputs = graph.inputs(i);
        const bool candidate =
            (node->op == Op::CallFunction || node->op == Op::CallMethod) && context.effects(*node).pure() &&
            !memory.written(i) && !returned(graph, i) &&
            std::none_of(inputs.begin(), inputs.end(), [&](NodeIndex in) { return memory.written(in); });
        if (candidate) {
            const auto [found, isNew] = seen.emplace(keyOf(*node), static_cast<NodeIndex>(builder.size()));
            if (!isNew) {
                const std::string& first = resultNames[found->second];
                merged[node->name] = first;
                step.changed.clear();
                step.why = "computes what '" + first + "' has computed";
                step.removed.push_back({i, found->second, step.why});
                step.end = static_cast<NodeIndex>(builder.size());
                observer.onStep(std::move(step));
                continue;
            }
        }
        resultNames.push_back(node->name);
        builder.add(node);
        step.end = static_cast<NodeIndex>(builder.size());
        observer.onStep(std::move(step));
    }
    return PassState{builder.build(), source.values, nullptr, {}};
}

} // namespace dynascope::passes
