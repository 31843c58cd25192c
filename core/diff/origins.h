// SPDX-License-Identifier: BSD-3-Clause
//
// Origins that are known beforehand: a pass records which node of its source became which node of its result.
#pragma once

#include "core/ir/graph.h"

#include <utility>
#include <vector>

namespace dynascope::diff {

/// Pairs (node of A, node of B), many to many, in any order.
using Origins = std::vector<std::pair<ir::NodeIndex, ir::NodeIndex>>;

/// From A to C, of A to B and of B to C. Sorted, each pair once. Empty where the result would have more than
/// `limit` pairs: then it says nothing that is worth showing.
[[nodiscard]] Origins composed(const Origins& first, const Origins& second, std::size_t limit = 1U << 20);
/// From B to A.
[[nodiscard]] Origins inverted(Origins origins);

} // namespace dynascope::diff
