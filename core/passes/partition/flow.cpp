// SPDX-License-Identifier: BSD-3-Clause
#include "core/passes/partition/flow.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/boykov_kolmogorov_max_flow.hpp>

namespace dynascope::passes::partition {

namespace {

// Bidirectional, though nobody walks edges backwards: GCC 12 takes the edge iterator of the directed graph
// for uninitialised.
using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::bidirectionalS>;
using EdgeProperties =
    boost::property<boost::edge_capacity_t, std::int64_t,
                    boost::property<boost::edge_residual_capacity_t, std::int64_t,
                                    boost::property<boost::edge_reverse_t, Traits::edge_descriptor>>>;
using BoostGraph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, boost::no_property,
                                         EdgeProperties>;

/// Nodes that still reach the sink after a maximum flow: the same for each.
std::vector<bool> reaching(const BoostGraph& graph, std::size_t sink) {
    const auto residual = boost::get(boost::edge_residual_capacity, graph);
    const auto reverse = boost::get(boost::edge_reverse, graph);
    std::vector<bool> out(boost::num_vertices(graph), false);
    std::vector<std::size_t> open{sink};
    out[sink] = true;
    while (!open.empty()) {
        const std::size_t node = open.back();
        open.pop_back();
        const auto [first, last] = boost::out_edges(node, graph);
        for (auto edge = first; edge != last; ++edge) {
            const std::size_t from = boost::target(*edge, graph);
            if (out[from] || residual[reverse[*edge]] <= 0) continue;
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
            return tl::unexpected(Error{"the sizes are too large to weigh against each other", {}, 0, 0});
        finite += edge.capacity;
    }
    BoostGraph graph(m_nodes);
    const auto capacity = boost::get(boost::edge_capacity, graph);
    const auto reverse = boost::get(boost::edge_reverse, graph);
    for (const Edge& edge : m_edges) {
        if (edge.capacity == 0) continue;
        const auto there = boost::add_edge(edge.from, edge.to, graph).first;
        const auto back = boost::add_edge(edge.to, edge.from, graph).first;
        // More than all finite edges together is as good as infinite, and sums of two still fit.
        boost::put(capacity, there, edge.capacity == infinite ? finite + 1 : edge.capacity);
        boost::put(capacity, back, 0);
        boost::put(reverse, there, back);
        boost::put(reverse, back, there);
    }
    const std::int64_t flow =
        boost::boykov_kolmogorov_max_flow(graph, capacity, boost::get(boost::edge_residual_capacity, graph),
                                          reverse, boost::get(boost::vertex_index, graph), source, sink);
    if (flow > finite)
        return tl::unexpected(
            Error{"something must be kept from recomputation and must not be saved either", {}, 0, 0});
    return reaching(graph, sink);
}

} // namespace dynascope::passes::partition
