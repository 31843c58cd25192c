// SPDX-License-Identifier: BSD-3-Clause
#include "core/ir/operators.h"
#include "core/passes/partition/work.h"

#include <algorithm>

namespace dynascope::passes::partition {

using ir::NodeIndex;
using ir::Op;

namespace {

/// Nodes of a graph in another order; each is taken once.
class Rearranged {
public:
    explicit Rearranged(const ir::Graph& graph)
        : m_graph(graph)
        , m_taken(graph.size(), false) {
        for (const std::string& name : graph.subgraphOrder())
            m_builder.addSubgraph(name, graph.subgraphs().find(name)->second);
    }

    void take(NodeIndex i) {
        if (m_taken[i]) return;
        m_taken[i] = true;
        m_builder.add(m_graph.nodes()[i]);
    }

    /// The node and what it needs, in the old order.
    void takeWithInputs(NodeIndex i) {
        std::vector<NodeIndex> open{i}, needed;
        std::vector<NodeIndex>& seen = m_marked;
        seen.resize(m_graph.size(), ir::npos);
        while (!open.empty()) {
            const NodeIndex next = open.back();
            open.pop_back();
            if (m_taken[next] || seen[next] == i) continue;
            seen[next] = i;
            needed.push_back(next);
            const auto inputs = m_graph.inputs(next);
            open.insert(open.end(), inputs.begin(), inputs.end());
        }
        std::sort(needed.begin(), needed.end());
        for (const NodeIndex node : needed)
            take(node);
    }

    ir::GraphPtr build() { return m_builder.build(); }

private:
    const ir::Graph& m_graph;
    std::vector<bool> m_taken;
    std::vector<NodeIndex> m_marked; ///< by node: for whom it was last looked at
    ir::GraphBuilder m_builder;
};

} // namespace

ir::GraphPtr inAutogradOrder(const ir::GraphPtr& backward) {
    const ir::Graph& graph = *backward;
    NodeIndex first = ir::npos;
    for (NodeIndex i = 0; i < graph.size(); ++i) {
        const ir::Node& node = graph.node(i);
        if (node.op != Op::Placeholder || node.target.find("tangents") == std::string::npos) continue;
        if (!graph.users(i).empty()) first = std::min(first, graph.users(i).front());
    }
    if (first == ir::npos) return backward;
    Rearranged out(graph);
    for (NodeIndex i = 0; i < graph.size(); ++i)
        if (graph.node(i).op == Op::Placeholder) out.take(i);
    for (NodeIndex i = 0; i < first; ++i)
        if (graph.node(i).target == copyTarget) out.takeWithInputs(i);
    for (NodeIndex i = first; i < graph.size(); ++i)
        out.takeWithInputs(i);
    return out.build();
}

ir::GraphPtr withGetitemsRaised(const ir::GraphPtr& graph) {
    // A list of the nodes in order, linked so that moving one costs nothing.
    const auto count = static_cast<NodeIndex>(graph->size());
    std::vector<NodeIndex> next(count + 1),
        previous(count + 1); // `count` is before the first and after the last
    for (NodeIndex i = 0; i <= count; ++i) {
        next[i] = i == count ? 0 : i + 1;
        previous[i] = i == 0 ? count : i - 1;
    }
    const std::vector<NodeIndex> inOrder = next;
    for (NodeIndex i = count; i-- > 0;) {
        const ir::Node& node = graph->node(i);
        if (node.op != Op::CallFunction || node.target != ir::getitemTarget || graph->inputs(i).empty())
            continue;
        const NodeIndex source = graph->inputs(i).front();
        next[previous[i]] = next[i];
        previous[next[i]] = previous[i];
        next[i] = next[source];
        previous[i] = source;
        previous[next[source]] = i;
        next[source] = i;
    }
    if (next == inOrder) return graph;
    Rearranged out(*graph);
    for (NodeIndex i = next[count]; i != count; i = next[i])
        out.take(i);
    return out.build();
}

} // namespace dynascope::passes::partition
