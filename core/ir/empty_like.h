// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/ir/graph.h"

namespace dynascope::ir {

/// Where a changed copy of the graph begins: its name, style and subgraphs, and no node yet.
[[nodiscard]] GraphBuilder emptyLike(const Graph& graph);

} // namespace dynascope::ir
