// SPDX-License-Identifier: BSD-3-Clause
//
// The second step of inferModules() for nodes that read no parameter themselves. Internal to core/layout.
#pragma once

#include "core/layout/module_paths.h"

#include <optional>
#include <vector>

namespace dynascope::layout {

struct HalvedGraph {
    const ir::Graph& graph;
    const std::vector<std::uint8_t>& backward; ///< by node; empty where all nodes are of one half
    bool backwardOnly = false;

    [[nodiscard]] bool isBackward(ir::NodeIndex i) const {
        return backward.empty() ? backwardOnly : backward[i] != 0;
    }
};

/// Gives the nodes around a matrix product the module that owns its weight: the reshapes that lowering
/// puts around a linear, the weight and bias gradients beside the input's gradient in backward, and backward
/// operations whose forward twin or saved values tell where they belong. Adds to `direct`, changes nothing
/// that is there. Linear.
void spreadModules(const HalvedGraph& halves, const PathTable& table,
                   std::vector<std::optional<PathId>>& direct);

/// The deepest module that holds a sum of two gradients: where one of them comes from a list item that the
/// other is not in, that item.
[[nodiscard]] PathId moduleOfSum(const PathTable& table, PathId later, PathId earlier);

/// "add" of torch.ops.aten.add.Tensor, operator.add and torch.add.
[[nodiscard]] std::string_view opName(const ir::Node& node);

} // namespace dynascope::layout
