// SPDX-License-Identifier: BSD-3-Clause
//
// What a graph holds when it holds most, by the lifetimes of what it makes. Pure; any thread.
#pragma once

#include "core/replay/plan.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dynascope::replay {

/// What is alive at the step where most is, each block rounded up to defaultAlignment.
struct GraphPeak {
    struct Held {
        std::uint64_t bytes = 0;
        ir::NodeIndex maker = ir::npos;
    };
    std::uint64_t bytes = 0;
    std::size_t step = 0;   ///< the first of several: a node, or one past the last for the outputs
    std::vector<Held> held; ///< largest first; empty where nothing is alive
};
/// `steps`: the nodes of the graph. Linear, but for sorting what is held.
[[nodiscard]] GraphPeak peakOf(const GraphBlocks& blocks, std::size_t steps);

} // namespace dynascope::replay
