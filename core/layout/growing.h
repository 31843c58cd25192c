// SPDX-License-Identifier: BSD-3-Clause
//
// A layout for graphs that grow box by box: where a box stands depends on those before it alone, so that a
// graph keeps its picture while it is traced, forwards and back.
#pragma once

#include "core/layout/layout.h"

#include <cstdint>
#include <span>

namespace dynascope::layout {

/// Boxes in `order`, which names each box that is drawn once, the oldest first. A box stands in the first row
/// below all of its inputs that has room, in the free column nearest to the lowest of them; one without
/// inputs beside the box before it. Rows are as wide as `columns`, so that the picture grows downwards. Edges
/// that pass rows by run between columns. Boxes that `order` leaves out take no room; clusters are not drawn.
/// O(boxes * (columns + log boxes) + edges). `order` must hold indices of `input.boxes`.
[[nodiscard]] LayoutResult layoutGrowing(const LayoutInput& input, std::span<const std::uint32_t> order,
                                         std::uint32_t columns = 6);

} // namespace dynascope::layout
