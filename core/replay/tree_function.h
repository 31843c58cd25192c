// SPDX-License-Identifier: BSD-3-Clause
//
// What the state machine of CUDA-graph trees has to know of a compiled graph.
#pragma once

#include "core/ir/graph.h"
#include "core/replay/tree_backend.h"

#include <string>
#include <vector>

namespace dynascope::replay {

/// `staticInputs` are those whose addresses stay. Writes are found as PyTorch finds them
/// (findInputMutations); names and stacks are for messages.
[[nodiscard]] TreeFunction treeFunctionOf(const ir::GraphPtr& graph, std::string name, CompilationMode mode,
                                          std::vector<std::size_t> staticInputs);
/// Names and stacks alone.
void describe(TreeFunction& function, const ir::Graph& graph);

/// Names of the nodes that a graph returns, in reading order; empty for what is no node.
[[nodiscard]] std::vector<std::string> resultNames(const ir::Graph& graph);

/// "INFERENCE", "FORWARD", "BACKWARD".
[[nodiscard]] std::string_view compilationModeName(CompilationMode mode);

} // namespace dynascope::replay
