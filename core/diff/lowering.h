// SPDX-License-Identifier: BSD-3-Clause
//
// What the parts of the lowering share; see lowering.cpp for the whole. Places are positions in the two
// sequences of forward nodes, not node indices.
#pragma once

#include "core/diff/match.h"

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace dynascope::diff::detail {

using ir::NodeIndex;
using ir::npos;

inline constexpr std::uint32_t noPlace = UINT32_MAX;
inline constexpr int farBehind = 8; ///< detach and getitem nodes that are looked through

[[nodiscard]] bool isOneOf(std::string_view op, std::initializer_list<std::string_view> names);
[[nodiscard]] bool isCall(const ir::Node& node);
[[nodiscard]] bool isFollower(std::string_view op);
[[nodiscard]] bool isProduct(std::string_view op);
[[nodiscard]] bool isReshape(std::string_view op);
[[nodiscard]] bool isLayout(std::string_view op);

struct Lowering {
    const ir::Graph& a;
    const ir::Graph& b;
    const std::vector<Form>& formsA;
    const std::vector<Form>& formsB;
    Alignment& alignment;
    std::vector<Link>& links;

    std::vector<NodeIndex> owner;  ///< by node of B: reader in A of the parameter that it is, or is a view of
    std::vector<bool> foreign;     ///< by node of B: depends on an input that A does not have
    NodeIndex backwardFrom = npos; ///< first node of B that depends on such an input
    std::vector<NodeIndex> origin; ///< by node of B, as found so far
    std::vector<NodeIndex> x, q;   ///< the two sequences: forward nodes of A and of B without a source line

    [[nodiscard]] const std::string& opA(NodeIndex i) const { return formsA[i].op; }
    [[nodiscard]] const std::string& opB(NodeIndex i) const { return formsB[i].op; }

    /// Once backward has begun, a node that needs no tangent prepares a saved value or a weight for it.
    [[nodiscard]] bool isOfBackward(NodeIndex node) const { return foreign[node] || node >= backwardFrom; }
    /// The node of A whose parameter the node of B reads; npos for none or several.
    [[nodiscard]] NodeIndex readerOf(NodeIndex node) const;
    /// Whether a node of A picks a tuple apart: nothing is lowered for it.
    [[nodiscard]] bool isVirtual(NodeIndex node) const;
    /// Whether a node of A and one of B have a tensor of one shape and dtype.
    [[nodiscard]] bool sameShape(NodeIndex ofA, NodeIndex ofB) const;
    /// Notes where a node of B comes from. A pair is a link already.
    void link(NodeIndex ofA, NodeIndex ofB, Evidence evidence);
};

struct Anchor {
    std::uint32_t x = 0, q = 0; ///< places
};

/// By place in `q`: the place in `x` whose run it belongs to, or noPlace. Anchors rise in both places.
[[nodiscard]] std::vector<std::uint32_t> shareOut(const Lowering& lowering,
                                                  const std::vector<Anchor>& anchors);

/// Links what backward of B computes to the nodes of A whose gradients it belongs to; the forward links have
/// to be there.
void linkBackward(Lowering& lowering);

} // namespace dynascope::diff::detail
