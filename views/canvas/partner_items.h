// SPDX-License-Identifier: BSD-3-Clause
//
// Which items of two scenes belong together, and the bands that the gutter between them draws. Pure: any thread.
#pragma once

#include "core/diff/graph_diff.h"
#include "views/canvas/scene.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace dynascope::views::canvas {

/// Item pairs of two panes by the one-to-one partners of their nodes; a block goes with the block it shares
/// most with.
[[nodiscard]] std::vector<std::pair<std::uint32_t, std::uint32_t>>
partnerItems(const layout::Pane& a, const layout::Pane& b, const diff::GraphDiff& diff);

/// One band of the gutter: partner items at one height on each side.
struct GutterBand {
    double topA = 0, bottomA = 0, topB = 0, bottomB = 0;
    diff::Change change = diff::Change::Same;
};
[[nodiscard]] std::vector<GutterBand>
gutterBands(const Scene& a, const Scene& b,
            const std::vector<std::pair<std::uint32_t, std::uint32_t>>& partners);

} // namespace dynascope::views::canvas
