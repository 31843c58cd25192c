// SPDX-License-Identifier: BSD-3-Clause
#include "core/replay/graph_peak.h"

#include <algorithm>

namespace dynascope::replay {

GraphPeak peakOf(const GraphBlocks& blocks, std::size_t steps) {
    const auto rounded = [](std::uint64_t bytes) {
        return (bytes + defaultAlignment - 1) / defaultAlignment * defaultAlignment;
    };
    std::vector<std::int64_t> change(steps + 2, 0);
    for (const Block& block : blocks.blocks) {
        const std::size_t first = std::min<std::size_t>(block.first, steps);
        const std::size_t after = std::min<std::size_t>(std::size_t(block.last) + 1, steps + 1);
        change[first] += static_cast<std::int64_t>(rounded(block.bytes));
        change[after] -= static_cast<std::int64_t>(rounded(block.bytes));
    }
    GraphPeak out;
    std::int64_t now = 0;
    for (std::size_t step = 0; step <= steps; ++step) {
        now += change[step];
        if (now > 0 && static_cast<std::uint64_t>(now) > out.bytes) {
            out.bytes = static_cast<std::uint64_t>(now);
            out.step = step;
        }
    }
    if (out.bytes == 0) return out; // nothing is alive
    for (std::size_t i = 0; i < blocks.blocks.size(); ++i) {
        const Block& block = blocks.blocks[i];
        if (block.first <= out.step && block.last >= out.step)
            out.held.push_back({block.bytes, blocks.makers[i]});
    }
    std::stable_sort(out.held.begin(), out.held.end(),
                     [](const GraphPeak::Held& a, const GraphPeak::Held& b) { return a.bytes > b.bytes; });
    return out;
}

} // namespace dynascope::replay
