// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/aot/aot_method.h"

#include "core/engine/aot/aot_deviations.h"
#include "core/engine/aot/aot_runtime.h"
#include "core/engine/aot/aot_trace.h"
#include "core/engine/case_values.h"
#include "core/engine/client/aot_case.h"
#include "core/engine/client/metadata_compare.h"
#include "core/engine/deviations.h"
#include "core/engine/execute.h"
#include "core/engine/passes/torch_values.h"
#include "core/engine/torch_words.h"
#include "core/engine/verify/gradients.h"
#include "core/ir/text.h"

#include <ATen/core/grad_mode.h>
#include <chrono>

namespace dynascope::engine {

using nlohmann::json;

Reply aotMethod(const json& params, const Program& program, const json& inputs, const TaskContext& task) {
    if (!program.unsupported.empty()) return tl::unexpected(unsupportedFailure(program));
    const Result<CaseInputs> made = makeInputs(inputs, {.requiresGrad = true});
    if (!made) return tl::unexpected(Failure{ErrorCode::InvalidParams, made.error().message, {}});
    Result<Attributes> attributes = makeAttributes(params.value("attrs", json()));
    if (!attributes) return tl::unexpected(Failure{ErrorCode::InvalidParams, attributes.error().message, {}});
    seedAttributes(program, *attributes);
    const auto start = std::chrono::steady_clock::now();
    AotRequest request{program, made->values, *attributes};
    request.keepInputMutations = params.value("keep_input_mutations", true);
    if (params.contains("grad_mode")) request.gradMode = params.at("grad_mode").get<bool>();
    if (params.contains("autocast")) {
        request.autocast = dtypeFromName(params.at("autocast").get<std::string>());
        if (!request.autocast)
            return tl::unexpected(Failure{ErrorCode::InvalidParams, "'autocast' is no dtype", {}});
    }
    const auto trace = traceAot(request, task);
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
               {"metadata", graphMetadataJson(trace->layers.meta())},
               {"time_us", time.count()}};
    if (!trace->graph->subgraphs().empty()) reply["readable"] = ir::printReadable(*trace->graph).text;
    reply["graph_warnings"] = knownDeviations(program, made->values, false);
    reply["warnings"] = aotDeviations(*trace, made->values);
    if (!params.value("run", false)) return reply;
    // What PyTorch could not write in the graph is written back by the caller here.
    auto callable = trace;
    if (writesChangedShapeInGraph(*trace)) {
        request.keepInputMutations = false;
        callable = traceAot(request, task);
    }
    const std::vector<const void*> keys = storageKeys(made->tensors);
    const auto results =
        callable ? runAot(request, *callable, made->values, task)
                 : tl::expected<std::vector<c10::IValue>, RunError>(tl::unexpected(callable.error()));
    if (!results) {
        reply["run"] = {{"error", {{"message", results.error().message}}}};
        return reply;
    }
    reply["run"] = describeRun(*results, *made, keys);
    if (!made->anyRequiresGrad) return reply;
    const at::AutoGradMode grad(true);
    for (const at::Tensor& gradient : gradients(*results, made->tensors))
        reply["run"]["grads"].push_back(gradient.defined() ? describe(gradient) : json());
    return reply;
}

} // namespace dynascope::engine
