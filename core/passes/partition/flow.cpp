// SPDX-License-Identifier: BSD-3-Clause
#include "core/passes/partition/flow.h"

#include <algorithm>
#include <boost/graph/boykov_kolmogorov_max_flow.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>

namespace dynascope::passes::partition {

namespace {

using BoostGraph =
    boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, boost::no_property,
                                       boost::no_property, std::uint32_t, std::uint32_t>;
using Arc = BoostGraph::edge_descriptor;

/// The network with every edge's counterpart, which has no capacity of its own; by position of the edge.
struct Residual {
    BoostGraph graph;
    std::vector<std::int64_t> capacity, left;
    std::vector<Arc> reverse;
};

/// An edge on its way into the rows of the graph.
struct HalfEdge {
    std::uint32_t from, to;
    std::int64_t capacity;
};

/// `edges` are pairs of an edge and its counterpart.
Residual residualOf(std::size_t nodes, const std::vector<HalfEdge>& edges) {
    // Sorted by where they start, and otherwise as they came.
    std::vector<std::uint32_t> next(nodes + 1, 0), place(edges.size());
    for (const HalfEdge& edge : edges)
        ++next[edge.from + 1];
    for (std::size_t i = 1; i <= nodes; ++i)
        next[i] += next[i - 1];
    for (std::size_t i = 0; i < edges.size(); ++i)
        place[i] = next[edges[i].from]++;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> ends(edges.size());
    Residual out;
    out.capacity.resize(edges.size());
    out.left.resize(edges.size());
    out.reverse.resize(edges.size());
    for (std::size_t i = 0; i < edges.size(); ++i) {
        ends[place[i]] = {edges[i].from, edges[i].to};
        out.capacity[place[i]] = edges[i].capacity;
        out.reverse[place[i]] = Arc(edges[i ^ 1U].from, place[i ^ 1U]);
    }
    out.graph = BoostGraph(boost::edges_are_sorted, ends.begin(), ends.end(),
                           static_cast<std::uint32_t>(nodes), static_cast<std::uint32_t>(ends.size()));
    return out;
}

/// Nodes that still reach the sink after a maximum flow: the same for each.
std::vector<bool> reaching(const Residual& network, std::size_t sink) {
    const auto index = boost::get(boost::edge_index, network.graph);
    std::vector<bool> out(boost::num_vertices(network.graph), false);
    std::vector<std::uint32_t> open{static_cast<std::uint32_t>(sink)};
    out[sink] = true;
    while (!open.empty()) {
        const std::uint32_t node = open.back();
        open.pop_back();
        const auto [first, last] = boost::out_edges(node, network.graph);
        for (auto edge = first; edge != last; ++edge) {
            const std::uint32_t from = boost::target(*edge, network.graph);
            if (out[from] || network.left[get(index, network.reverse[get(index, *edge)])] <= 0) continue;
            out[from] = true;
            open.push_back(from);
        }
    }
    return out;
}

} // namespace

Result<std::vector<bool>> FlowNetwork::sinkSide(std::size_t source, std::size_t sink) const {
    constexpr std::int64_t most = std::int64_t{1} << 60;
    std::int64_t finite = 0;
    for (const Edge& edge : m_edges) {
        if (edge.capacity == infinite) continue;
        if (edge.capacity > most - finite)
            return failure("the sizes are too large to weigh against each other");
        finite += edge.capacity;
    }
    std::vector<HalfEdge> edges;
    edges.reserve(2 * m_edges.size());
    for (const Edge& edge : m_edges) {
        if (edge.capacity == 0) continue;
        const auto from = static_cast<std::uint32_t>(edge.from), to = static_cast<std::uint32_t>(edge.to);
        // More than all finite edges together is as good as infinite, and sums of two still fit.
        edges.push_back({from, to, edge.capacity == infinite ? finite + 1 : edge.capacity});
        edges.push_back({to, from, 0});
    }
    Residual network = residualOf(m_nodes, edges);
    const BoostGraph& graph = network.graph;
    const auto index = boost::get(boost::edge_index, graph);
    const auto byEdge = [&](auto& values) {
        return boost::make_iterator_property_map(values.begin(), index);
    };
    std::vector<Arc> predecessor(m_nodes);
    std::vector<boost::default_color_type> color(m_nodes);
    std::vector<std::int64_t> distance(m_nodes);
    const auto vertex = boost::get(boost::vertex_index, graph);
    const auto byVertex = [&](auto& values) {
        return boost::make_iterator_property_map(values.begin(), vertex);
    };
    const std::int64_t flow = boost::boykov_kolmogorov_max_flow(
        graph, byEdge(network.capacity), byEdge(network.left), byEdge(network.reverse), byVertex(predecessor),
        byVertex(color), byVertex(distance), vertex, source, sink);
    if (flow > finite)
        return failure("something must be kept from recomputation and must not be saved either");
    return reaching(network, sink);
}

} // namespace dynascope::passes::partition
