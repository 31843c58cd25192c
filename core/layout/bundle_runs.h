// SPDX-License-Identifier: BSD-3-Clause
//
// Groups of hundreds of thousands of nodes, folded so that each can be drawn at once.
#pragma once

#include "core/layout/fold.h"

namespace dynascope::layout {

/// A group that would show more than this many nodes and blocks shows runs of neighbours instead.
inline constexpr std::size_t mostInside = 1000;

/// Puts blocks of up to 100 neighbours, and blocks of these, into groups that hold more than mostInside;
/// parameters apart from calls. A run of alike blocks stays whole. Other groups keep their order, not their
/// ids. Linear but for a logarithm.
[[nodiscard]] GroupTree bundleRuns(const ir::Graph& graph, GroupTree tree);

} // namespace dynascope::layout
