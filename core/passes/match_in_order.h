// SPDX-License-Identifier: BSD-3-Clause
//
// Whether two graphs are the same but for the names of their nodes: same operators in the same order, same
// arguments, same results; the same of the graphs that they keep.
#pragma once

#include "core/ir/graph.h"

#include <string>
#include <vector>

namespace dynascope::passes {

struct OrderedMatch {
    bool same = false;
    std::size_t matched = 0; ///< nodes before the first difference
    std::string difference;  ///< one sentence; empty where same
    /// The node that differs and its neighbours in both graphs, as readable code; empty where same.
    std::vector<std::string> expected, got;
};

/// `expected` is a captured graph and `got` a derived one; the difference names them so. Linear; graphs in
/// graphs are followed 32 levels down.
[[nodiscard]] OrderedMatch matchInOrder(const ir::Graph& expected, const ir::Graph& got);

} // namespace dynascope::passes
