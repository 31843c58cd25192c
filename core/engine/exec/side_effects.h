// SPDX-License-Identifier: BSD-3-Clause
//
// Writes that a subgraph of a higher-order operator makes to its inputs, told by names alone.
#pragma once

#include "core/ir/graph.h"

#include <optional>
#include <string>
#include <string_view>

namespace dynascope::engine {

/// The first node that writes in place to an input, or to a view of one.
struct WriteToInput {
    std::string node, input;
};
[[nodiscard]] std::optional<WriteToInput> writeToInput(const ir::Graph& graph);

/// Whether the graphs of this higher-order operator may not write to what they are given.
[[nodiscard]] bool forbidsSideEffects(std::string_view target);

} // namespace dynascope::engine
