// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/service/pass_runner.h"

#include "core/engine/cases/compare.h"
#include "core/engine/exec/case_values.h"
#include "core/engine/exec/torch_values.h"
#include "core/engine/functionalize/deviations.h"
#include "core/engine/functionalize/scorecard_json.h"
#include "core/engine/passes/decompose.h"
#include "core/engine/passes/eager_check.h"
#include "core/engine/passes/functionalize_pass.h"
#include "core/engine/passes/normalize_ir.h"
#include "core/engine/passes/schema_effects.h"
#include "core/engine/passes/shapes.h"
#include "core/engine/verify/program_run.h"
#include "core/ir/text.h"
#include "core/passes/recording_json.h"
#include "core/ranks/collectives.h"

#include <ATen/core/grad_mode.h>
#include <algorithm>
#include <chrono>

namespace dynascope::engine {

namespace {

constexpr std::uint64_t checkSeed = 0; ///< of both runs of a verification

using nlohmann::json;
using ProgramPtr = std::shared_ptr<const Program>;

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
        if (input.is_object()) input.erase("requires_grad");
    return inputs;
}

/// Runs the result of passes on a case's inputs, the caller's part included.
tl::expected<wire::ExecuteReply, Failure> executeResult(const Program& program, const json& spec,
                                                        const Attributes& constants,
                                                        const std::vector<WriteBack>& writeBacks,
                                                        const TaskContext& task) {
    Result<CaseInputs> inputs = makeInputs(spec, {.requiresGrad = true});
    if (!inputs) return invalid(inputs.error().message);
    const std::vector<const void*> keys = storageKeys(inputs->tensors);
    const at::AutoGradMode grad(inputs->anyRequiresGrad);
    seedRandomNumbers(checkSeed); // as eager
    auto results = run(program, inputs->values, constants, task);
    if (!results) return tl::unexpected(runFailure(program, results.error()));
    try {
        *results = writtenBack(std::move(*results), inputs->tensors, writeBacks);
    } catch (const std::exception& error) {
        return tl::unexpected(Failure{ErrorCode::Failed, "write-back: " + errorText(error), {}});
    }
    return describeRun(*results, *inputs, keys);
}

/// Sets verified (null where eager itself fails) and differences, and where it is false deviations.
tl::expected<void, Failure> verify(const Program& source, const Program& result,
                                   const passes::PassState& state, const PassRequest& request, json& reply,
                                   const TaskContext& task) {
    const json values = withoutGrad(request.inputs);
    seedRandomNumbers(checkSeed);
    const auto eager = execute(source, values, request.attributes, task);
    if (!eager && eager.error().code == ErrorCode::Cancelled) return tl::unexpected(eager.error());
    if (!eager) { // nothing to compare with
        reply["differences"] =
            json::array({{{"aspect", "eager"}, {"text", "eager raises: " + eager.error().message}}});
        return {};
    }
    const auto* scorecard = dynamic_cast<const ScorecardDetails*>(state.details.get());
    const auto* tensors = dynamic_cast<const TorchValues*>(state.values.get());
    const auto computed =
        executeResult(result, values, tensors ? tensors->attributes() : Attributes(),
                      scorecard ? scorecard->result().writeBacks : std::vector<WriteBack>(), task);
    if (!computed && computed.error().code == ErrorCode::Cancelled) return tl::unexpected(computed.error());
    json differences = json::array();
    bool same = computed.has_value();
    if (computed) {
        const std::vector<Difference> found = compareRuns(wire::encode(*eager), wire::encode(*computed));
        same = sameValues(found);
        for (const Difference& difference : found)
            differences.push_back({{"aspect", aspectName(difference.aspect)}, {"text", difference.text}});
    } else {
        differences.push_back({{"aspect", "run"}, {"text", computed.error().message}});
    }
    reply["verified"] = same;
    reply["differences"] = std::move(differences);
    return {};
}

Failure passFailure(const Program& source, const passes::PassError& error) {
    Failure failure = runFailure(source, {error.message, error.node, error.cancelled});
    if (failure.data.is_null()) failure.data = json::object();
    failure.data["pass"] = error.pass;
    return failure;
}

/// Annotations of the result's nodes: what they have, else what propagation finds.
json annotations(const passes::PassState& after, const passes::PassContext& context) {
    passes::Recorder unused;
    const auto shaped = ShapesPass().run(after, context, unused);
    json out = json::object();
    for (ir::NodeIndex i = 0; i < after.graph->size(); ++i) {
        const ir::Node& node = after.graph->node(i);
        const auto& meta = node.meta || !shaped ? node.meta : shaped->graph->node(i).meta;
        if (meta && !meta->annotation().empty()) out[node.name] = meta->annotation();
    }
    return out;
}

} // namespace

std::string otherValuesWords(const std::string& pass) {
    return pass + " makes other values on purpose, so that the result is not compared with its source";
}

std::map<std::string, std::string, std::less<>> passOptions(const wire::PassOptions& said) {
    std::map<std::string, std::string, std::less<>> options(said.options.begin(), said.options.end());
    if (said.remove) options["remove"] = *said.remove;
    if (said.writeBack) options["write_back"] = *said.writeBack;
    if (said.faithful) options["faithful"] = *said.faithful ? "yes" : "no";
    if (said.cells) options["cells"] = *said.cells ? "yes" : "no";
    return options;
}

passes::Registry enginePasses() {
    passes::Registry registry;
    // None can fail: the names differ.
    (void)registry.add(std::make_shared<NormalizeIrPass>());
    (void)registry.add(std::make_shared<FunctionalizePass>());
    (void)registry.add(std::make_shared<DecomposePass>());
    (void)registry.add(std::make_shared<ShapesPass>());
    passes::addCorePasses(registry);
    return registry;
}

wire::PassesReply passList(const passes::Registry& registry, std::vector<std::string> problems) {
    wire::PassesReply out;
    for (const passes::Registry::Entry& entry : registry.entries())
        out.passes.push_back(
            {std::string(entry.pass->name()), std::string(entry.pass->description()), entry.origin});
    out.problems = std::move(problems);
    return out;
}

Reply runPasses(const passes::Registry& registry, const ProgramPtr& source, const PassRequest& request,
                const TaskContext& task) {
    Result<Attributes> attributes = makeAttributes(request.attributes);
    if (!attributes) return invalid(attributes.error().message);
    seedAttributes(*source, *attributes);
    if (request.passes.empty()) return invalid("no pass was named");
    passes::Pipeline pipeline;
    std::string other; // a pass whose result is not to be held against the source
    for (const std::string& name : request.passes) {
        std::shared_ptr<const passes::Pass> pass = registry.find(name);
        if (!pass) return invalid("no pass '" + name + "'; there are: " + registry.names());
        if (!pass->keepsValues()) other = name;
        pipeline.add(std::move(pass));
    }
    const Result<CaseInputs> inputs = makeInputs(request.inputs, {});
    if (!inputs) return invalid(inputs.error().message);
    passes::PassContext context;
    context.options = request.options;
    context.effects = schemaEffects;
    context.task = task;
    const passes::PassState start{
        source->graph, std::make_shared<const TorchValues>(*attributes, inputs->values, source), nullptr, {}};
    const bool viewsRemoved = context.option("remove", {}) == "mutations_and_views";
    std::vector<std::chrono::nanoseconds> times;
    std::vector<passes::StepRecording> recordings;
    for (int runs = 0; runs < request.runs; ++runs) {
        auto made = pipeline.run(start, context);
        if (!made) {
            Failure failure = passFailure(*source, made.error());
            failure.data["deviations"] = knownDeviations(*source, inputs->values, viewsRemoved);
            return tl::unexpected(std::move(failure));
        }
        std::chrono::nanoseconds total{};
        for (const passes::StepRecording& recording : *made)
            total += recording.time;
        times.push_back(total);
        if (runs == 0) recordings = std::move(*made);
    }
    const passes::PassState& after = recordings.back().after;
    const auto* values = dynamic_cast<const TorchValues*>(after.values.get());
    json reply{{"nodes_before", source->graph->size()},
               {"nodes_after", after.graph->size()},
               {"graph", ir::printFx(*after.graph)},
               {"attrs", attributesJson(values ? values->attributes() : Attributes())},
               {"steps", json::array()},
               {"passes", json::array()},
               {"warnings", json::array()},
               {"notes", json::array()},
               {"verified", nullptr},
               {"median_us", medianMicroseconds(std::move(times))}};
    if (const std::string alone = ranks::aloneText(*source->graph); !alone.empty())
        reply["notes"].push_back(alone);
    if (request.shapes) reply["meta"] = annotations(after, context);
    for (const passes::StepRecording& recording : recordings) {
        for (json& step : passes::stepsJson(recording, request.scorecard))
            reply["steps"].push_back(std::move(step));
        reply["passes"].push_back(passes::recordingJson(recording));
        for (const std::string& warning : recording.after.warnings)
            reply["warnings"].push_back(warning);
        for (const std::string& note : recording.after.notes)
            reply["notes"].push_back(note);
    }
    for (const std::string& note : request.notes)
        reply["notes"].push_back(note);
    if (request.verify && !other.empty()) {
        reply["differences"] = json::array({{{"aspect", "pass"}, {"text", otherValuesWords(other)}}});
    } else if (request.verify) {
        const Program result = compile(after.graph);
        if (auto checked = verify(*source, result, after, request, reply, task); !checked)
            return tl::unexpected(checked.error());
        const bool overCells =
            std::any_of(recordings.begin(), recordings.end(), [](const passes::StepRecording& recording) {
                const auto* made = dynamic_cast<const ScorecardDetails*>(recording.after.details.get());
                return made && made->overCells();
            });
        if (reply["verified"] == false && !overCells) // what they explain is PyTorch's functionalization
            reply["deviations"] = knownDeviations(*source, inputs->values, viewsRemoved);
    }
    return reply;
}

} // namespace dynascope::engine
