// SPDX-License-Identifier: BSD-3-Clause
//
// Layouts of panes put in place: two beside each other, and each for itself. Heights and widths are those of the
// layouts, downwards. Pure, any thread.
#pragma once

#include "core/layout/pane.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace dynascope::layout {

/// Heights of A and B that belong together, rising on both sides.
using Anchors = std::vector<std::pair<double, double>>;

/// Puts partner items of two panes on equal heights by opening gaps above them, so that both can scroll as
/// one, and mirrors `b` where that brings partners to the same side. `partners` are pairs of item indices (a,
/// b). A pair that would need too wide a gap is left as it is, and so is every pair without `gaps`. Returns
/// what belongs together, the ends of both layouts included.
Anchors alignLayouts(const Pane& paneA, LayoutResult& a, const Pane& paneB, LayoutResult& b,
                     const std::vector<std::pair<std::uint32_t, std::uint32_t>>& partners, bool gaps);

/// The height of B that goes with a height of A, or the other way round.
[[nodiscard]] double follow(const Anchors& anchors, double y, bool fromA);

/// The same where height `a` of A is held beside `b` of B: the panes move alike as far as `reach` above and
/// below, and come back to the anchors farther off. Rising on both sides, so that `follow` goes both ways.
[[nodiscard]] Anchors heldAt(const Anchors& anchors, double a, double b, double reach);

/// Indices of levels (equal centre heights) for each box, top first.
struct Levels {
    std::vector<std::uint32_t> ofBox;
    std::vector<double> centre;
};
[[nodiscard]] Levels findLevels(const Pane& pane, const LayoutResult& result);

/// Takes the empty space off that the unseen box leaves above.
void cropTop(const Pane& pane, LayoutResult& result);

/// Mirrors a layout that has the inputs in reverse, so that the first one stands at the left.
void putFirstInputLeft(const Pane& pane, LayoutResult& result);

} // namespace dynascope::layout
