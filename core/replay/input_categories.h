// SPDX-License-Identifier: BSD-3-Clause
//
// For one graph, input by input: the category that decides whether a CUDA graph may write it, and what writes
// it. As far as a capture tells: what else lies in the pool of other recordings shows only when the graph is
// called (TreeStep::mutations).
#pragma once

#include "core/replay/input_mutations.h"
#include "core/replay/mutation_check.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace dynascope::replay {

struct InputCategory {
    std::size_t input = 0; ///< ordinal among the placeholders
    ir::NodeIndex placeholder = ir::npos;
    MutationCategory category = MutationCategory::None;
    bool fixed = false;             ///< its address stays from call to call
    bool recorded = false;          ///< it is a result of an earlier recording
    std::vector<InputWrite> writes; ///< those that PyTorch does not see included
};

struct InputCategories {
    std::vector<InputCategory> inputs; ///< all of them, in order
    MutationCheck check;               ///< as CUDA-graph trees ask
    std::optional<RaisedError> error;  ///< what PyTorch raises on this graph instead
};

/// `fixed` lists inputs with fixed addresses, `recorded` those that lie in recordings of earlier graphs,
/// ascending.
[[nodiscard]] InputCategories inputCategories(const ReplayGraphFacts& facts,
                                              std::span<const std::size_t> fixed,
                                              std::span<const std::size_t> recorded = {});

} // namespace dynascope::replay
