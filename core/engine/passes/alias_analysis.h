// SPDX-License-Identifier: BSD-3-Clause
//
// Alias groups and mutations of a program, seen by running it on example inputs: a group for each storage,
// a mutation wherever a tensor's version counter rises.
#pragma once

#include "core/engine/exec/interpreter.h"

#include <set>
#include <string>
#include <vector>

namespace dynascope::engine {

struct NodeAliases {
    std::set<int> groups;  ///< of the result's storages, numbered from 1 in order of first sight
    std::set<int> mutates; ///< groups that the node writes into
    bool isInputAlias = false, isInputMutation = false, isMutation = false;
    bool partialMutation = false; ///< writes through an index, or through what came from one
    bool isTensor = false;        ///< the result is one tensor
    std::string dtype, device;    ///< of the first result tensor: "torch.float32", "cpu"
};

/// One entry a node. Runs the program on `inputs`, which it may change. The first argument of a node whose
/// result is None (operator.setitem) lends it its groups.
[[nodiscard]] tl::expected<std::vector<NodeAliases>, RunError>
analyzeAliases(const Program& program, const std::vector<c10::IValue>& inputs, const Attributes& attributes,
               const TaskContext& task = {});

} // namespace dynascope::engine
