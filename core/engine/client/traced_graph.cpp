// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/client/traced_graph.h"

#include "core/ir/annotate.h"
#include "core/ir/text.h"
#include "core/passes/dce.h"
#include "core/passes/recording.h"

namespace dynascope::engine {

using nlohmann::json;

ir::GraphPtr withoutDeadNodes(const ir::GraphPtr& graph) {
    passes::Recorder unused;
    auto result =
        passes::DeadCodeElimination().run({graph, nullptr, nullptr, {}}, passes::PassContext(), unused);
    return result ? std::move(result->graph) : graph;
}

Result<TracedGraph> readTracedGraph(const json& reply) {
    const auto graph = reply.find("graph");
    const auto values = reply.find("values");
    if (graph == reply.end() || !graph->is_string() || values == reply.end() || !values->is_object())
        return tl::unexpected(Error{"the engine's answer holds no graph", {}, 0, 0});
    const auto readable = reply.find("readable"); // has the graphs that the graph keeps
    const auto& text = readable != reply.end() && readable->is_string() ? *readable : *graph;
    const auto read = ir::readGraph(text.get_ref<const std::string&>());
    if (!read) return tl::unexpected(read.error());
    TracedGraph out;
    out.joint = reply.value("joint", false);
    out.forwardOutputs = reply.value("forward_outputs", std::size_t{0});
    out.graph = withoutDeadNodes(ir::withAnnotations(**read, [&](const std::string& name) {
        const auto found = values->find(name);
        return found != values->end() && found->is_string() ? found->get<std::string>() : std::string();
    }));
    return out;
}

} // namespace dynascope::engine
