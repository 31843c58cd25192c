// SPDX-License-Identifier: BSD-3-Clause
//
// dynascope-cli exec GRAPH [--inputs FILE] [--symbol s0=7] [--until NODE] [--values] [--watch NODE] [--json]
#include "app/cli/engine_command.h"
#include "core/engine/wire/execute.h"
#include "core/ranks/collectives.h"

#include <concepts>
#include <memory>
#include <optional>

namespace dynascope::cli {

namespace {

using nlohmann::json;

struct ExecOptions {
    GraphOptions graph;
    EngineOptions engine;
    InputOptions inputs;
    std::string until;
    std::vector<std::string> watch;
    bool values = false, grad = false, json = false;
};

constexpr std::size_t shownElements = 12;

/// `count`: how many there are, of which `values` may be the first.
std::string list(const std::vector<std::string>& values, std::size_t count) {
    std::string out = "[";
    for (std::size_t i = 0; i < values.size() && i < shownElements; ++i)
        out += (i == 0 ? "" : ", ") + values[i];
    if (count > shownElements) out += ", ... " + std::to_string(count) + " in all";
    return out + "]";
}

std::string list(const std::vector<std::string>& values) {
    return list(values, values.size());
}

template <std::integral T>
std::string list(const std::vector<T>& values) {
    std::vector<std::string> texts;
    for (const T value : values)
        texts.push_back(std::to_string(value));
    return list(texts);
}

/// "float32 [2, 2] stride [2, 1] offset 1: [-2.0, 1.0, 1.0, 1.0]".
std::string describe(const wire::RunValue& value) {
    if (value.none) return "None";
    if (value.scalar) return value.scalar->text();
    if (!value.tensor) return value.text.value_or(std::string());
    const wire::RunTensor& tensor = *value.tensor;
    std::size_t count = 1;
    for (const std::int64_t size : tensor.shape)
        count *= static_cast<std::size_t>(size);
    return tensor.dtype + ' ' + list(tensor.shape) + " stride " + list(tensor.stride) + " offset " +
           std::to_string(tensor.offset) + ": " +
           list(tensor.data ? tensor.data->texts(shownElements) : std::vector<std::string>(), count);
}

std::string aliases(const wire::RunValue& output) {
    std::string out;
    if (!output.aliases) return out;
    if (output.aliases->isInput) out += ", is input " + std::to_string(*output.aliases->isInput);
    if (!output.aliases->inputs.empty()) out += ", shares memory with inputs " + list(output.aliases->inputs);
    if (!output.aliases->outputs.empty())
        out += ", shares memory with outputs " + list(output.aliases->outputs);
    return out;
}

/// "add_1  float32[2, 3]  storage 4  min -1.0 max 2.0 mean 0.5  writes x".
std::string valueLine(const wire::NodeValue& value) {
    std::string out = value.node + "  " + value.held.text;
    if (value.held.tensor) {
        const wire::ValueSummary& summary = value.held.tensor->summary;
        const auto number = [](const std::optional<double>& of) { return of ? json(*of).dump() : "null"; };
        out += "  storage " + std::to_string(value.held.tensor->storage) + "  min " + number(summary.min) +
               " max " + number(summary.max) + " mean " + number(summary.mean) + " std " +
               number(summary.deviation);
        if (summary.nan != 0) out += ' ' + std::to_string(summary.nan) + " nan";
        if (summary.infinite != 0) out += ' ' + std::to_string(summary.infinite) + " inf";
    }
    if (!value.bumped.empty()) out += "  writes " + list(value.bumped);
    return out + '\n';
}

std::string report(const wire::ExecuteReply& result) {
    std::string out;
    if (result.values)
        for (const wire::NodeValue& value : *result.values)
            out += valueLine(value);
    if (result.stoppedAt) out += "stopped after " + *result.stoppedAt + '\n';
    std::size_t i = 0;
    for (const wire::RunValue& output : result.outputs)
        out += "output " + std::to_string(i++) + ": " + describe(output) + aliases(output) + '\n';
    i = 0;
    for (const wire::RunValue& input : result.post.inputs)
        out += "input " + std::to_string(i++) + " after the call: " + describe(input) + '\n';
    return out;
}

/// What the request holds besides the graph.
Result<wire::ExecuteRequest> request(const ExecOptions& options, const ChosenGraph& chosen) {
    Result<wire::RunOn> on = chosenInputs(options.inputs, chosen, options.grad);
    if (!on) return tl::unexpected(on.error());
    wire::ExecuteRequest out;
    out.values = options.values;
    out.watch = options.watch;
    out.until = options.until;
    out.grad = options.grad;
    if (!options.json) out.elements = shownElements; // the engine need not write what is not shown
    out.on = std::move(*on);
    return out;
}

int run(const ExecOptions& options) {
    const Result<ChosenGraph> chosen = chosenGraph(options.graph);
    if (!chosen) return fail(chosen.error());
    const Result<wire::ExecuteRequest> asked = request(options, *chosen);
    if (!asked) return fail(asked.error());
    engine::Client client = makeClient(options.engine);
    const auto reply = client.execute(graphText(*chosen->graph), *asked);
    if (!reply) return fail(reply.error(), options.graph.path);
    const std::string alone = ranks::aloneText(*chosen->graph);
    if (options.json) {
        json printed = wire::encode(*reply);
        if (!alone.empty()) printed["alone"] = alone;
        print(printed.dump() + '\n');
        return exitOk;
    }
    print(report(*reply) + (alone.empty() ? alone : alone + '\n'));
    return exitOk;
}

} // namespace

void addExec(Parser& parser) {
    auto options = std::make_shared<ExecOptions>();
    Command command = parser.command("exec", "Run a graph; show its outputs and its inputs after the call");
    addGraphOptions(command, options->graph);
    addInputOptions(command, options->inputs);
    command.add("--until", options->until, "Run up to and with this node");
    command.flag("--values", options->values, "Describe every node's value");
    command.add("--watch", options->watch, "Describe this node's value; repeatable");
    command.flag("--grad", options->grad, "Track gradients of what the capture says requires them");
    command.flag("--json", options->json, "One JSON document on stdout");
    addEngineOption(command, options->engine);
    command.run([options] { return run(*options); });
}

} // namespace dynascope::cli
