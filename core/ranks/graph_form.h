// SPDX-License-Identifier: BSD-3-Clause
//
// A graph as all ranks can share it: names of nodes as numbers, a rank's own device as "own", names of process groups
// in order of first use, object ids left out. Whole numbers among the arguments stand apart, since a rank's own
// number may be one of them. Pure; any thread.
#pragma once

#include "core/ir/graph.h"

#include <string>
#include <vector>

namespace dynascope::ranks {

struct GraphForm {
    /// Of what is alike for equal graphs, whole numbers of arguments aside.
    std::string digest;
    std::vector<std::string> numbers;    ///< those, in order
    std::vector<ir::NodeIndex> numberOf; ///< the node of each
    ir::GraphPtr graph;
};
/// `ownDevice` as compare::ownDevice has it. Linear.
[[nodiscard]] GraphForm formOf(const ir::GraphPtr& graph, int ownDevice);

/// The first node that is not the same in both, by position: in `a` and in `b`, npos at the end of the shorter.
struct FormDifference {
    ir::NodeIndex a = ir::npos, b = ir::npos;
    /// Only what is symbolic in one and a number in the other tells the two apart.
    bool symbolsOnly = false;
    [[nodiscard]] bool found() const { return a != ir::npos || b != ir::npos; }
};
/// Numbers of arguments are not looked at. Linear.
[[nodiscard]] FormDifference firstDifference(const ir::Graph& a, int ownA, const ir::Graph& b, int ownB);

/// "mul = sin * 3", as far as a line has room: "mul: operator.mul(sin, 3)".
[[nodiscard]] std::string nodeText(const ir::Node& node);

} // namespace dynascope::ranks
