// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/ir/graph.h"

#include <functional>
#include <string>

namespace dynascope::ir {

/// The graph with metadata on the nodes that have none: `annotationOf` gives a node's name its annotation
/// ("f32[4, 5][5, 1]cpu"), or an empty string. Nodes that stay as they are are shared; so are subgraphs,
/// which are not looked into.
[[nodiscard]] GraphPtr withAnnotations(const Graph& graph,
                                       const std::function<std::string(const std::string&)>& annotationOf);

} // namespace dynascope::ir
