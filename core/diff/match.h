// SPDX-License-Identifier: BSD-3-Clause
//
// One-to-one alignment of the nodes of two graphs. Evidence is used from the strongest to the weakest, each
// kind in one linear pass over the nodes that are still free; see match.cpp for the order.
#pragma once

#include "core/diff/canonical.h"
#include "core/diff/graph_diff.h"

#include <vector>

namespace dynascope::diff::detail {

struct Alignment {
    std::vector<ir::NodeIndex> partnerOfA, partnerOfB;
    std::vector<Evidence> evidence; ///< by node of A, where it has a partner
};

[[nodiscard]] Alignment alignGraphs(const ir::Graph& a, const ir::Graph& b, const std::vector<Form>& formsA,
                                    const std::vector<Form>& formsB);

/// Links beyond the one-to-one pairs: what became of a removed node, and where an added node comes from.
void linkOrigins(const ir::Graph& a, const ir::Graph& b, const std::vector<Form>& formsA,
                 const std::vector<Form>& formsB, const Alignment& alignment, std::vector<Link>& links);

} // namespace dynascope::diff::detail
