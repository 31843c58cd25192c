// SPDX-License-Identifier: BSD-3-Clause
//
// Which inputs of a graph it writes: torch/_dynamo/backends/cudagraphs.py, find_input_mutations (SPEC section
// 12), with what that function misses.
#pragma once

#include "core/replay/graph_facts.h"

#include <cstddef>
#include <optional>
#include <set>
#include <vector>

namespace dynascope::replay {

/// One write that reaches an input's storage.
struct InputWrite {
    std::size_t input = 0;            ///< ordinal among the placeholders
    ir::NodeIndex node = ir::npos;    ///< the op that writes
    ir::NodeIndex written = ir::npos; ///< the node it writes through: the input itself or a view of it
    bool marked = true;               ///< the op's schema says so; otherwise PyTorch does not see it
};

struct InputMutations {
    /// Written according to schema marks, lists of tensors element by element: PyTorch's answer where it has
    /// one.
    std::set<std::size_t> inputs;
    std::vector<InputWrite> writes; ///< in graph order, unmarked ones included
    /// What PyTorch raises on this graph instead of answering.
    std::optional<RaisedError> error;
};

/// Linear in the graph but for a logarithm.
[[nodiscard]] InputMutations findInputMutations(const ReplayGraphFacts& facts);

/// A placeholder as the messages about CUDA graphs need it.
struct PlaceholderInfo {
    std::string name;
    std::string stackTrace;             ///< its own; empty for none
    std::vector<std::string> useTraces; ///< of its users, in their order
    /// Of the op that most likely writes it: its only user, else a user that is copy_. Empty for none.
    std::string mutatingUse;
};
[[nodiscard]] std::vector<PlaceholderInfo> placeholdersOf(const ir::Graph& graph);

} // namespace dynascope::replay
