// SPDX-License-Identifier: BSD-3-Clause
#include "core/ir/empty_like.h"

namespace dynascope::ir {

GraphBuilder emptyLike(const Graph& graph) {
    GraphBuilder builder;
    builder.setName(graph.name()).setStyle(graph.style());
    for (const std::string& name : graph.subgraphOrder())
        builder.addSubgraph(name, graph.subgraphs().find(name)->second);
    return builder;
}

} // namespace dynascope::ir
