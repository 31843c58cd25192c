// SPDX-License-Identifier: BSD-3-Clause
//
// One-to-one alignment of the nodes of two graphs. Evidence is used from the strongest to the weakest, each
// kind in one linear pass over the nodes that are still free; see match.cpp for the order.
#pragma once

#include "core/diff/canonical.h"
#include "core/diff/graph_diff.h"
#include "core/diff/origins.h"

#include <vector>

namespace dynascope::diff::detail {

struct Alignment {
    std::vector<ir::NodeIndex> partnerOfA, partnerOfB;
    std::vector<Evidence> evidence; ///< by node of A, where it has a partner
};

/// Known origins, and which nodes they speak of. Pairs out of range are dropped.
class Mentioned {
public:
    Mentioned(const ir::Graph& a, const ir::Graph& b, Origins origins);
    [[nodiscard]] bool ofA(ir::NodeIndex node) const { return m_a[node]; }
    [[nodiscard]] bool ofB(ir::NodeIndex node) const { return m_b[node]; }
    [[nodiscard]] bool allOfOneSide() const;                           ///< nothing is left to align
    [[nodiscard]] const Origins& origins() const { return m_origins; } ///< sorted

private:
    std::vector<bool> m_a, m_b;
    Origins m_origins;
};

/// What computes gradients in B is no partner of a node of A, which has none: `gradientB` is GraphDiff::gradientB.
[[nodiscard]] Alignment alignGraphs(const ir::Graph& a, const ir::Graph& b, const std::vector<Form>& formsA,
                                    const std::vector<Form>& formsB, const std::vector<bool>& gradientB);

/// For a torch-level graph and its lowered form without source lines: links of what each node became, and
/// more pairs. Does nothing where the two are of one level or share too few parameters to be sure; see
/// lowering.cpp.
void linkLowering(const ir::Graph& a, const ir::Graph& b, const std::vector<Form>& formsA,
                  const std::vector<Form>& formsB, Alignment& alignment, std::vector<Link>& links);

/// Links beyond the pairs and links that `links` has: what became of a removed node, and where an added node
/// comes from.
void linkOrigins(const ir::Graph& a, const ir::Graph& b, const std::vector<Form>& formsA,
                 const std::vector<Form>& formsB, const std::vector<bool>& gradientB,
                 const Alignment& alignment, std::vector<Link>& links);

/// Puts known origins in the place of the pairs and links that the other functions found for the same nodes.
void takeOrigins(const ir::Graph& a, const ir::Graph& b, const std::vector<Form>& formsA,
                 const std::vector<Form>& formsB, const Mentioned& known, Alignment& alignment,
                 std::vector<Link>& links);

/// GraphDiff::gradientB. Linear.
[[nodiscard]] std::vector<bool> gradientsOf(const ir::Graph& a, const ir::Graph& b);

} // namespace dynascope::diff::detail
