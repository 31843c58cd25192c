// SPDX-License-Identifier: BSD-3-Clause
//
// The newest nodes of a graph that is being traced: of a graph of tens of thousands of nodes, those that a
// reader at a step looks at, at a cost that does not grow with their number.
#pragma once

#include "core/dynamo/describe.h"
#include "core/ir/graph.h"

#include <cstdint>
#include <span>
#include <vector>

namespace dynascope::dynamo {

struct GraphWindow {
    std::vector<std::uint32_t> nodes; ///< in the graph's order
    std::size_t earlier = 0;          ///< nodes of the graph that came before all of these
};

/// At least the `chunk` newest nodes of a graph, and fewer than twice as many; all where `chunk` is 0. Where
/// it begins moves by whole chunks, so that most steps only add to it.
[[nodiscard]] GraphWindow newestNodes(const State& state, std::uint32_t graph, std::size_t chunk);

/// The lines of some nodes, without the head; users are counted among them.
[[nodiscard]] std::vector<GraphLine> graphLines(const Recording& recording, const State& state,
                                                std::span<const std::uint32_t> nodes);

/// Lines of nodes, without the head, as FX nodes with their values, in that order. Null where they cannot be
/// read.
[[nodiscard]] ir::GraphPtr fxGraph(std::span<const GraphLine> lines);

} // namespace dynascope::dynamo
