// SPDX-License-Identifier: BSD-3-Clause
//
// Where the reader stands in a run of CUDA-graph trees, in words: the step, what was checked with which
// addresses, the state after it, and a node that was chosen.
#pragma once

#include "views/inspector/facts.h"
#include "views/replay/tree_walk.h"

namespace dynascope::views {

/// Links: "step:N" to the state after event N (from 1), "node:ID" to a recording.
[[nodiscard]] Facts treeFacts(const TreeWalk& walk);

} // namespace dynascope::views
