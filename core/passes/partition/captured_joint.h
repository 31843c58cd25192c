// SPDX-License-Identifier: BSD-3-Clause
//
// A joint graph as a capture prints it, with what its text tells of the nodes: shapes, symbols, storages,
// what is checkpointed, and which half each belongs to.
#pragma once

#include "core/ir/symbol_value.h"
#include "core/passes/partition/joint.h"

namespace dynascope::passes::partition {

/// Placeholders of this name are tokens that keep backward's effects in order.
inline constexpr std::string_view backwardToken = "tangents_token";

/// Symbolic sizes take their values from `hints`; without one a size counts as PyTorch counts it, 4096
/// elements for the whole tensor. Fails where the graph does not return a gradient for each of its inputs.
[[nodiscard]] Result<Joint> capturedJoint(const ir::GraphPtr& graph, const ir::SymbolValues& hints,
                                          std::vector<std::size_t> staticPrimals);

} // namespace dynascope::passes::partition
