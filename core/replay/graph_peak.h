// SPDX-License-Identifier: BSD-3-Clause
//
// What a graph holds when it holds most, by the lifetimes of what it makes. Pure; any thread.
#pragma once

#include "core/replay/plan.h"

#include <cstddef>
#include <cstdint>

namespace dynascope::replay {

/// Bytes alive at the step where they are most, each block rounded up to defaultAlignment, and the largest block then.
struct GraphPeak {
    std::uint64_t bytes = 0;
    std::uint64_t largest = 0;      ///< of the values alive then
    std::size_t values = 0;         ///< alive then
    ir::NodeIndex maker = ir::npos; ///< of the largest; npos where nothing is alive
};
/// `steps`: the nodes of the graph. Linear.
[[nodiscard]] GraphPeak peakOf(const GraphBlocks& blocks, std::size_t steps);

} // namespace dynascope::replay
