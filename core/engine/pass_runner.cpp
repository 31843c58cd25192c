// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/pass_runner.h"

#include "core/engine/case_values.h"
#include "core/engine/client/compare.h"
#include "core/engine/deviations.h"
#include "core/engine/functionalize.h"
#include "core/engine/verify/gradients.h"
#include "core/ir/text.h"

#include <ATen/core/grad_mode.h>
#include <algorithm>
#include <chrono>

namespace dynascope::engine {

namespace {

using nlohmann::json;
using ProgramPtr = std::shared_ptr<const Program>;

tl::unexpected<Failure> invalid(std::string message) {
    return tl::unexpected(Failure{ErrorCode::InvalidParams, std::move(message), {}});
}

/// What a pass made, in whole.
struct Stage {
    ir::GraphPtr graph;
    Attributes attributes;
    json steps = json::array();
    std::chrono::nanoseconds time{};
};

std::string nodeName(const ir::Graph& graph, std::int64_t index) {
    return index >= 0 && index < static_cast<std::int64_t>(graph.size())
               ? graph.node(static_cast<ir::NodeIndex>(index)).name
               : std::string();
}

json scoreRow(const Functionalized& result, const ScoreRow& row, const ir::Graph& source) {
    return {{"value", nodeName(source, row.value)},        {"group", row.group},
            {"base", nodeName(*result.graph, row.base)},   {"current", nodeName(*result.graph, row.current)},
            {"views", result.chains[row.chain]},           {"generation", row.generation},
            {"storage_generation", row.storageGeneration}, {"stale", row.generation < row.storageGeneration},
            {"pending_updates", row.pendingUpdates}};
}

json functionalSteps(const Functionalized& result, const ir::Graph& source, bool scorecard) {
    const auto emitted = [&](std::size_t first, std::size_t end) {
        json list = json::array();
        for (std::size_t i = first; i < end; ++i)
            list.push_back({{"node", result.graph->node(static_cast<ir::NodeIndex>(i)).name},
                            {"why", emissionName(result.emissions[i])}});
        return list;
    };
    json steps = json::array();
    std::size_t done = 0;
    for (const FunctionalStep& step : result.steps) {
        const ir::Node& node = source.node(step.source);
        json entry{{"pass", "functionalize"},
                   {"source", node.name},
                   {"target", node.target},
                   {"emitted", emitted(step.firstEmitted, step.endEmitted)}};
        if (scorecard) {
            json rows = json::array();
            for (std::uint32_t i = step.firstRow; i < step.endRow; ++i)
                rows.push_back(scoreRow(result, result.rows[i], source));
            entry["scorecard"] = std::move(rows);
        }
        steps.push_back(std::move(entry));
        done = step.endEmitted;
    }
    json last = emitted(done, result.emissions.size());
    if (!last.empty() && !result.steps.empty())
        steps.push_back({{"pass", "functionalize"},
                         {"source", "output"},
                         {"target", "output"},
                         {"emitted", std::move(last)}});
    return steps;
}

tl::expected<Stage, Failure> runFunctionalize(const Program& source, const Attributes& attributes,
                                              const PassRequest& request, bool report,
                                              const TaskContext& task) {
    if (request.remove != "mutations" && request.remove != "mutations_and_views")
        return invalid("functionalize removes 'mutations' or 'mutations_and_views', not '" + request.remove +
                       "'");
    const Result<CaseInputs> inputs = makeInputs(request.inputs, {.splitDuplicates = true});
    if (!inputs) return invalid(inputs.error().message);
    const auto start = std::chrono::steady_clock::now();
    auto result =
        functionalize(source, inputs->tensors, attributes,
                      request.remove == "mutations" ? Remove::Mutations : Remove::MutationsAndViews, task);
    const auto time = std::chrono::steady_clock::now() - start;
    if (!result) {
        Failure failure = runFailure(source, result.error());
        failure.data["deviations"] =
            knownDeviations(source, inputs->tensors, request.remove == "mutations_and_views");
        return tl::unexpected(std::move(failure));
    }
    Stage stage{result->graph, result->attributes, json::array(), time};
    if (report) stage.steps = functionalSteps(*result, *source.graph, request.scorecard);
    return stage;
}

json attributesJson(const Attributes& attributes) {
    json out = json::object();
    for (const auto& [name, tensor] : attributes)
        out[name] = describe(tensor);
    return out;
}

double medianMicroseconds(std::vector<std::chrono::nanoseconds> times) {
    std::sort(times.begin(), times.end());
    return std::chrono::duration<double, std::micro>(times[times.size() / 2]).count();
}

/// Some operators of functional graphs have no derivative of their own (copy), so values are compared alone.
json withoutGrad(json inputs) {
    for (json& input : inputs.at("inputs"))
        input.erase("requires_grad");
    return inputs;
}

/// Sets verified (null where eager itself fails) and differences, and where it is false deviations.
tl::expected<void, Failure> verify(const Program& source, const Attributes& attributes, const Program& result,
                                   const PassRequest& request, json& reply, const TaskContext& task) {
    const json values = withoutGrad(request.inputs);
    const Reply eager = execute(source, values, request.attributes, task);
    if (!eager && eager.error().code == ErrorCode::Cancelled) return tl::unexpected(eager.error());
    if (!eager) { // nothing to compare with
        reply["differences"] =
            json::array({{{"aspect", "eager"}, {"text", "eager raises: " + eager.error().message}}});
        return {};
    }
    const Reply computed = execute(result, values, attributesJson(attributes), task);
    if (!computed && computed.error().code == ErrorCode::Cancelled) return tl::unexpected(computed.error());
    json differences = json::array();
    bool same = computed.has_value();
    if (computed) {
        const std::vector<Difference> found = compareRuns(*eager, *computed);
        same = sameValues(found);
        for (const Difference& difference : found)
            differences.push_back({{"aspect", aspectName(difference.aspect)}, {"text", difference.text}});
    } else {
        differences.push_back({{"aspect", "run"}, {"text", computed.error().message}});
    }
    reply["verified"] = same;
    reply["differences"] = std::move(differences);
    if (same) return {};
    const Result<CaseInputs> inputs = makeInputs(request.inputs, {});
    if (inputs)
        reply["deviations"] =
            knownDeviations(source, inputs->tensors, request.remove == "mutations_and_views");
    return {};
}

} // namespace

std::vector<std::string> passNames() {
    return {"functionalize"};
}

Failure unsupportedFailure(const Program& program) {
    json list = json::array();
    std::string message = "the engine cannot run";
    for (const Unsupported& row : program.unsupported) {
        if (list.size() < 5) message += (list.empty() ? " " : "; ") + row.target + " (" + row.reason + ")";
        list.push_back({{"node", row.name},
                        {"target", row.target},
                        {"reason", row.reason},
                        {"obstacle", obstacleName(row.obstacle)}});
    }
    if (list.size() > 5) message += "; and " + std::to_string(list.size() - 5) + " more";
    return {ErrorCode::Failed, std::move(message), {{"unsupported", std::move(list)}}};
}

Failure runFailure(const Program& program, const RunError& error) {
    if (error.cancelled) return {ErrorCode::Cancelled, "cancelled", {}};
    json data = json::object();
    if (error.node != ir::npos && error.node < program.graph->size()) {
        const ir::Node& node = program.graph->node(error.node);
        data = {{"node", node.name}, {"target", node.target}};
    }
    return {ErrorCode::Failed, error.message, std::move(data)};
}

Reply execute(const Program& program, const json& spec, const json& attributes, const TaskContext& task) {
    const Result<Attributes> constants = makeAttributes(attributes);
    if (!constants) return invalid(constants.error().message);
    const Result<CaseInputs> inputs = makeInputs(spec, {.requiresGrad = true});
    if (!inputs) return invalid(inputs.error().message);
    const std::vector<const void*> keys = storageKeys(inputs->tensors);
    const at::AutoGradMode grad(inputs->anyRequiresGrad);
    const auto results = run(program, inputs->tensors, *constants, task);
    if (!results) return tl::unexpected(runFailure(program, results.error()));
    json answer = describeRun(*results, *inputs, keys);
    if (!inputs->anyRequiresGrad) return answer;
    const std::vector<at::Tensor> found = gradients(*results, inputs->tensors);
    for (const at::Tensor& gradient : found)
        answer["grads"].push_back(gradient.defined() ? describe(gradient) : json());
    return answer;
}

Reply runPasses(ProgramPtr source, const PassRequest& request, const TaskContext& task) {
    Result<Attributes> attributes = makeAttributes(request.attributes);
    if (!attributes) return invalid(attributes.error().message);
    if (request.passes.empty()) return invalid("no pass was named");
    std::vector<std::chrono::nanoseconds> times;
    json reply{{"nodes_before", source->graph->size()}, {"steps", json::array()}, {"verified", nullptr}};
    ProgramPtr current;
    Attributes currentAttributes;
    for (int runs = 0; runs < request.runs; ++runs) {
        const bool first = runs == 0;
        std::chrono::nanoseconds total{};
        ProgramPtr program = source;
        Attributes constants = *attributes;
        for (const std::string& name : request.passes) {
            if (name != "functionalize") return invalid("no pass '" + name + "'; there is: functionalize");
            auto stage = runFunctionalize(*program, constants, request, first, task);
            if (!stage) return tl::unexpected(stage.error());
            total += stage->time;
            constants = std::move(stage->attributes);
            program = std::make_shared<const Program>(compile(stage->graph));
            for (json& step : stage->steps)
                reply["steps"].push_back(std::move(step));
        }
        times.push_back(total);
        if (first) {
            current = std::move(program);
            currentAttributes = std::move(constants);
        }
    }
    reply["graph"] = ir::printFx(*current->graph);
    reply["attrs"] = attributesJson(currentAttributes);
    reply["nodes_after"] = current->graph->size();
    reply["median_us"] = medianMicroseconds(std::move(times));
    if (request.verify) {
        if (auto checked = verify(*source, currentAttributes, *current, request, reply, task); !checked)
            return tl::unexpected(checked.error());
    }
    return reply;
}

} // namespace dynascope::engine
