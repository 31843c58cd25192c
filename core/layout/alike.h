// SPDX-License-Identifier: BSD-3-Clause
//
// Which neighbouring items of a list are alike, so that they can be drawn as one stack. Internal to core/layout.
#pragma once

#include "core/layout/fold.h"

namespace dynascope::layout {

/// Fills Group::shapeHash of the items of lists (and of turns of loops), and Group::alike and Group::likeness
/// of their runs. Every group must know its nodes and children, in graph order, with children behind their
/// parents. Linear but for a logarithm.
void markAlike(const ir::Graph& graph, GroupTree& tree);

} // namespace dynascope::layout
