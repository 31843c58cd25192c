// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/aot/aot_method.h"

#include "core/engine/aot/aot_trace.h"
#include "core/engine/case_values.h"
#include "core/engine/client/aot_case.h"
#include "core/engine/execute.h"
#include "core/engine/passes/torch_values.h"
#include "core/ir/text.h"

#include <chrono>

namespace dynascope::engine {

using nlohmann::json;

Reply aotMethod(const json& params, const Program& program, const json& inputs, const TaskContext& task) {
    if (const auto obstacle = obstacleOf(program))
        return tl::unexpected(runFailure(program, {obstacle->message, obstacle->node, false}));
    const Result<CaseInputs> made = makeInputs(inputs, {.requiresGrad = true});
    if (!made) return tl::unexpected(Failure{ErrorCode::InvalidParams, made.error().message, {}});
    Result<Attributes> attributes = makeAttributes(params.value("attrs", json()));
    if (!attributes) return tl::unexpected(Failure{ErrorCode::InvalidParams, attributes.error().message, {}});
    seedAttributes(program, *attributes);
    const auto start = std::chrono::steady_clock::now();
    const auto trace =
        traceAot({program, made->values, *attributes, params.value("keep_input_mutations", true)}, task);
    if (!trace) return tl::unexpected(runFailure(program, trace.error()));
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
    json values = json::object();
    for (const ir::NodePtr& node : trace->graph->nodes())
        if (node->meta) values[node->name] = node->meta->annotation();
    json reply{{"joint", trace->joint},
               {"graph", ir::printFx(*trace->graph)},
               {"values", std::move(values)},
               {"forward_outputs", trace->forwardOutputs},
               {"metadata_outer", metadataJson(trace->outer)},
               {"metadata", metadataJson(trace->layers.meta())},
               {"time_us", time.count()}};
    return reply;
}

} // namespace dynascope::engine
