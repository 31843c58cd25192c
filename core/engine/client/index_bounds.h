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

/// What else an input's values must be for the operators that read it.
enum class InputNeed : std::uint8_t {
    None,
    FromOne,  ///< integers from 1 on: pivots, which count rows so, the bound being one of them; divisors
    Definite, ///< a matrix to factorize: its diagonal outweighs the rest
};
/// For each node of the graph; followed through the same operators.
[[nodiscard]] std::vector<InputNeed> inputNeeds(const ir::Graph& graph);

} // namespace dynascope::engine
