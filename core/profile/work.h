// SPDX-License-Identifier: BSD-3-Clause
//
// How much nodes of a graph compute and move, by their shapes: what a roofline is drawn of.
#pragma once

#include "core/ir/graph.h"

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace dynascope::profile {

struct Work {
    /// As torch.utils.flop_counter counts: of matrix products, convolutions and attention, 0 for operators that it does
    /// not count. Nothing where a shape is not known.
    std::optional<double> flops;
    /// What the nodes together read from outside and write for others, each storage once; what passes between them is
    /// left out. Nothing where a size is not known.
    std::optional<double> bytes;
    /// "bf16": of the operands of what computes FLOPs. Empty where nothing does, or they differ.
    std::string type;
};

/// Of one node by itself; nothing where a shape is not known, 0 where PyTorch counts none.
[[nodiscard]] std::optional<double> flopsOf(const ir::Graph& graph, ir::NodeIndex node);

/// By node, the calls of kernels that compute it: several where each computes it again for itself, or a part of it.
using CallsOfNodes = std::vector<std::set<std::pair<int, int>>>;

/// Of nodes of one graph that run as one, once. Bytes are not known where other calls compute a node as well, and it
/// cannot be told which of them writes it, or how they share a reduction.
[[nodiscard]] Work workOf(const ir::Graph& graph, const std::vector<ir::NodeIndex>& nodes,
                          const CallsOfNodes& calls = {});

/// Whether a node's target, or a kernel of output code, is a collective of PyTorch's or the wait for one, whose time is that
/// of other ranks as well: "torch.ops._c10d_functional.all_reduce_.default".
[[nodiscard]] bool isCollective(std::string_view target);

/// The node of the collective that a node calls, or waits for through items and views; empty where it does neither.
[[nodiscard]] std::string collectiveOf(const ir::Graph& graph, ir::NodeIndex node);

} // namespace dynascope::profile
