// SPDX-License-Identifier: BSD-3-Clause
//
// Graphs that torch.fx draws (torch/fx/passes/graph_drawer.py), as Inductor writes them before and after its
// passes (trace.log_url_for_graph_xform).
#pragma once

#include "core/base/result.h"
#include "core/ir/graph.h"

#include <string_view>

namespace dynascope::capture {

/// True if the text opens a digraph.
[[nodiscard]] bool looksLikeDot(std::string_view text);

/// The FX graph that a drawing shows. A drawing leaves out which argument a node is: nodes that are read come
/// first, in the order of the edges, then the other arguments. Clusters are flattened. An Error names the
/// line. Linear.
[[nodiscard]] Result<ir::GraphPtr> readDotGraph(std::string_view text);

} // namespace dynascope::capture
