// SPDX-License-Identifier: BSD-3-Clause
#include "core/passes/aot/lift_attributes.h"

#include "core/ir/empty_like.h"
#include "core/passes/rename_inputs.h"

#include <array>

namespace dynascope::passes::aot {

ir::GraphPtr liftAttributes(const ir::GraphPtr& graph,
                            const std::function<bool(const std::string&)>& isParameter) {
    std::array<std::vector<ir::NodePtr>, 2> inputs; // parameters, buffers
    NewNames nameOfAttribute, lifted;
    for (const ir::NodePtr& node : graph->nodes()) {
        if (node->op != ir::Op::GetAttr || !node->meta || !node->meta->tensor) continue;
        const auto [known, isNew] = nameOfAttribute.emplace(node->target, node->name);
        lifted.emplace(node->name, known->second);
        if (!isNew) continue;
        ir::Node input = *node;
        input.op = ir::Op::Placeholder;
        inputs[isParameter(node->target) ? 0 : 1].push_back(
            std::make_shared<const ir::Node>(std::move(input)));
    }
    if (lifted.empty()) return graph;
    ir::GraphBuilder builder = ir::emptyLike(*graph);
    for (std::vector<ir::NodePtr>& kind : inputs)
        for (ir::NodePtr& input : kind)
            builder.add(std::move(input));
    for (const ir::NodePtr& node : graph->nodes())
        if (!lifted.contains(node->name)) builder.add(withInputsRenamed(node, lifted));
    return builder.build();
}

} // namespace dynascope::passes::aot
