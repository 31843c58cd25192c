// SPDX-License-Identifier: BSD-3-Clause
//
// Blocks inside a module: what its own code is made of where no child module says so. Internal to core/layout.
#pragma once

#include "core/layout/fold.h"

#include <string>
#include <vector>

namespace dynascope::layout {

/// Groups neighbouring calls that hang directly in a module or in the root: the turns of a loop (a line of
/// the program that comes again and again, with the same operations after it), the calls of a helper function
/// (from its first to its last, with what it called in between), where still many are left those of one line,
/// and rows of one target, such as the copies that write inputs back. Neighbours of a topological order never make a cycle. `linesAbove`: direct calls from which lines
/// are grouped. Linear but for the number of lines that a loop may begin with, which is bounded.
void groupCalls(const ir::Graph& graph, GroupTree& tree, std::size_t linesAbove);

/// Folds placeholders and get_attr nodes that hang directly in a group into one block: parameters and buffers
/// (those with a hint), tangents, tensors saved for backward, other inputs. They depend on nothing, so no
/// order is broken. A few inputs of the whole graph stay as they are.
void groupInputs(const ir::Graph& graph, const std::vector<std::string>& hints, GroupTree& tree);

} // namespace dynascope::layout
