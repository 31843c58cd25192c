// SPDX-License-Identifier: BSD-3-Clause
//
// A minimum cut by maximum flow (Boykov and Kolmogorov 2004, as Boost.Graph has it). Internal to
// core/passes/partition.
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace dynascope::passes::partition {

class FlowNetwork {
public:
    static constexpr std::int64_t infinite = std::numeric_limits<std::int64_t>::max();

    explicit FlowNetwork(std::size_t nodes)
        : m_nodes(nodes) {}
    /// `capacity` is not negative.
    void add(std::size_t from, std::size_t to, std::int64_t capacity) {
        m_edges.push_back({from, to, capacity});
    }
    /// By node: whether it lies on the sink's side of that minimum cut which is nearest to the sink, the one
    /// whose sink side is smallest. Fails where every cut is infinite, or the capacities sum up to more than
    /// 64 bits hold.
    [[nodiscard]] Result<std::vector<bool>> sinkSide(std::size_t source, std::size_t sink) const;

private:
    struct Edge {
        std::size_t from, to;
        std::int64_t capacity;
    };
    std::size_t m_nodes;
    std::vector<Edge> m_edges;
};

} // namespace dynascope::passes::partition
