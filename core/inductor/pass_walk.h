// SPDX-License-Identifier: BSD-3-Clause
//
// From pass to pass, and what of two graphs a pass is about.
#pragma once

#include "core/base/step_command.h"
#include "core/inductor/compile_passes.h"
#include "core/ir/node_sets.h"

namespace dynascope::inductor {

/// Where a command leads from a row; -1 for nowhere. In and Out go by what runs within a pass, Run and BackRun to
/// passes that changed a graph.
[[nodiscard]] int passAfter(const CompilePasses& passes, int row, StepCommand command);

/// Nodes of the graphs before and after a pass: what it removed, made and changed, and what these read and are read by,
/// on both sides. Empty where one side has nothing of it.
struct ChangedPart {
    ir::NodeSet a, b;
};
[[nodiscard]] ChangedPart changedPart(const PassRecording& recording, const PassRow& row, const ir::Graph& a,
                                      const ir::Graph& b);

/// The same of a match: the nodes that fitted, and those that took their place.
[[nodiscard]] ChangedPart matchedPart(const Match& match, const ir::Graph& a, const ir::Graph& b);
/// The nodes of a graph that a match fitted.
[[nodiscard]] ir::NodeSet fittedNodes(const Match& match, const ir::Graph& graph);

} // namespace dynascope::inductor
