// SPDX-License-Identifier: BSD-3-Clause
//
// Which inputs of a graph are indices or probabilities, and how large they may be; and what else an
// operator that reads them asks of their values.
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

/// Numbers that are none negative and, row by row, add up to a total; of bools so many are true.
struct RowSum {
    std::int64_t row = 0; ///< how many numbers lie in one
    std::int64_t total = 0;
};
/// For each node of the graph that must be such: lengths of segments, which cover a dimension, and masks that
/// select out of something smaller than they are, of which PyTorch takes no more to be selected than that has
/// elements. Followed through copies.
[[nodiscard]] std::vector<std::optional<RowSum>> rowSums(const ir::Graph& graph,
                                                         const ir::SymbolValues& symbols);

} // namespace dynascope::engine
