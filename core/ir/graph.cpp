// SPDX-License-Identifier: BSD-3-Clause
#include "core/ir/graph.h"

#include <utility>

namespace dynascope::ir {

NodeIndex Graph::find(std::string_view name) const {
    return m_byName.find(name);
}

std::span<const NodeIndex> Graph::inputs(NodeIndex i) const {
    return std::span(m_inputs).subspan(m_inputStart[i], m_inputStart[i + 1] - m_inputStart[i]);
}

std::span<const NodeIndex> Graph::users(NodeIndex i) const {
    return std::span(m_users).subspan(m_userStart[i], m_userStart[i + 1] - m_userStart[i]);
}

std::size_t Graph::totalNodes() const {
    std::size_t total = m_nodes.size();
    for (const auto& [attribute, graph] : m_subgraphs)
        total += graph->totalNodes();
    return total;
}

GraphBuilder& GraphBuilder::setName(std::string name) {
    m_name = std::move(name);
    return *this;
}

GraphBuilder& GraphBuilder::setStyle(TextStyle style) {
    m_style = std::move(style);
    return *this;
}

GraphBuilder& GraphBuilder::add(Node node) {
    m_nodes.push_back(std::make_shared<const Node>(std::move(node)));
    return *this;
}

GraphBuilder& GraphBuilder::add(NodePtr node) {
    m_nodes.push_back(std::move(node));
    return *this;
}

GraphBuilder& GraphBuilder::addSubgraph(std::string attribute, GraphPtr graph) {
    const auto [place, isNew] = m_subgraphs.insert_or_assign(attribute, std::move(graph));
    if (isNew) m_subgraphOrder.push_back(std::move(attribute));
    return *this;
}

GraphPtr GraphBuilder::build() {
    std::shared_ptr<Graph> graph(new Graph);
    graph->m_name = std::exchange(m_name, {});
    graph->m_style = std::exchange(m_style, {});
    graph->m_nodes = std::exchange(m_nodes, {});
    graph->m_subgraphs = std::exchange(m_subgraphs, {});
    graph->m_subgraphOrder = std::exchange(m_subgraphOrder, {});

    const std::vector<NodePtr>& nodes = graph->m_nodes;
    const auto count = static_cast<NodeIndex>(nodes.size());
    graph->m_byName = NameTable(nodes);
    // seenBy[n] == i once node i is known to read node n.
    std::vector<NodeIndex> seenBy(count, npos);
    std::vector<std::uint32_t> userCount(count, 0);
    graph->m_inputStart.reserve(count + 1);
    graph->m_inputStart.push_back(0);
    for (NodeIndex i = 0; i < count; ++i) {
        nodes[i]->forEachInput([&](const std::string& name) {
            const NodeIndex input = graph->m_byName.find(name);
            if (input == npos) {
                graph->m_missing.emplace_back(i, name);
            } else if (seenBy[input] != i) {
                seenBy[input] = i;
                ++userCount[input];
                graph->m_inputs.push_back(input);
            }
        });
        graph->m_inputStart.push_back(static_cast<std::uint32_t>(graph->m_inputs.size()));
    }

    graph->m_userStart.resize(count + 1, 0);
    for (NodeIndex i = 0; i < count; ++i)
        graph->m_userStart[i + 1] = graph->m_userStart[i] + userCount[i];
    graph->m_users.resize(graph->m_inputs.size());
    std::vector<std::uint32_t> next(graph->m_userStart.begin(), graph->m_userStart.end() - 1);
    for (NodeIndex i = 0; i < count; ++i)
        for (const NodeIndex input : graph->inputs(i))
            graph->m_users[next[input]++] = i;
    return graph;
}

} // namespace dynascope::ir
