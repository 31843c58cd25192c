// SPDX-License-Identifier: BSD-3-Clause
#include "core/passes/dce.h"

#include "core/ir/empty_like.h"

#include <algorithm>

namespace dynascope::passes {

using ir::NodeIndex;
using ir::Op;

PassResult<PassState> DeadCodeElimination::run(const PassState& source, const PassContext& context,
                                               PassObserver& observer) const {
    const ir::Graph& graph = *source.graph;
    std::vector<bool> live(graph.size(), false);
    for (NodeIndex i = static_cast<NodeIndex>(graph.size()); i-- > 0;) {
        const ir::Node& node = graph.node(i);
        const auto users = graph.users(i);
        live[i] = node.op == Op::Output || node.op == Op::Placeholder ||
                  (node.op != Op::GetAttr && !context.effects(node).pure()) ||
                  std::any_of(users.begin(), users.end(), [&](NodeIndex user) { return live[user]; });
    }
    ir::GraphBuilder builder = ir::emptyLike(graph);
    for (NodeIndex i = 0; i < graph.size(); ++i) {
        Step step;
        step.source = i;
        if (live[i]) {
            builder.add(graph.nodes()[i]);
        } else {
            step.why = graph.users(i).empty() ? "nobody reads it" : "only dropped nodes read it";
            step.removed.push_back({i, ir::npos, step.why});
        }
        step.end = static_cast<NodeIndex>(builder.size());
        observer.onStep(std::move(step));
    }
    return PassState{builder.build(), source.values, nullptr, {}};
}

} // namespace dynascope::passes
