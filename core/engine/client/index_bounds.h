// SPDX-License-Identifier: BSD-3-Clause
//
// Which inputs of a graph are indices or probabilities, and how large they may be.
#pragma once

#include "core/ir/graph.h"
#include "core/ir/symbol_value.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace dynascope::engine {

/// For each node of the graph a bound that its elements must stay below, and not be negative, for every use
/// that the metadata shows: as an index (rows of an embedding, a dimension of an indexed tensor, classes of a
/// loss) or as a probability. Nothing where no such use is seen. Uses are followed through views, casts,
/// copies and selections, and through sums and products with small numbers.
[[nodiscard]] std::vector<std::optional<std::int64_t>> indexBounds(const ir::Graph& graph,
                                                                   const ir::SymbolValues& symbols);

} // namespace dynascope::engine
