// SPDX-License-Identifier: BSD-3-Clause
#include "core/ir/annotate.h"

#include "core/ir/empty_like.h"

namespace dynascope::ir {

GraphPtr withAnnotations(const Graph& graph,
                         const std::function<std::string(const std::string&)>& annotationOf) {
    GraphBuilder builder = emptyLike(graph);
    for (const NodePtr& node : graph.nodes()) {
        const std::string annotation = node->meta ? std::string() : annotationOf(node->name);
        if (annotation.empty()) {
            builder.add(node);
            continue;
        }
        Node annotated = *node;
        annotated.meta = parseAnnotation(annotation);
        builder.add(std::move(annotated));
    }
    return builder.build();
}

} // namespace dynascope::ir
