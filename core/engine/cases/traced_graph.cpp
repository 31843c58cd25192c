// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/cases/traced_graph.h"

#include "core/ir/annotate.h"
#include "core/ir/text.h"
#include "core/passes/dce.h"
#include "core/passes/recording.h"

namespace dynascope::engine {

ir::GraphPtr withoutDeadNodes(const ir::GraphPtr& graph) {
    passes::Recorder unused;
    auto result =
        passes::DeadCodeElimination().run({graph, nullptr, nullptr, {}}, passes::PassContext(), unused);
    return result ? result->graph : graph;
}

Result<TracedGraph> readTracedGraph(const wire::AotReply& reply) {
    if (!reply.trace) return failure("AOTAutograd refuses the function: " + reply.refused.value_or(""));
    const wire::AotTrace& trace = *reply.trace;
    // Readable code has the graphs that the graph keeps.
    const auto read = ir::readGraph(trace.readable.value_or(reply.graph));
    if (!read) return tl::unexpected(read.error());
    TracedGraph out;
    out.joint = trace.joint;
    out.forwardOutputs = trace.forwardOutputs;
    out.graph = withoutDeadNodes(ir::withAnnotations(**read, [&](const std::string& name) {
        const auto found = trace.values.find(name);
        return found != trace.values.end() ? found->second : std::string();
    }));
    return out;
}

} // namespace dynascope::engine
