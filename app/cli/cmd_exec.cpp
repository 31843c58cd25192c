// SPDX-License-Identifier: BSD-3-Clause
//
// dynascope-cli exec GRAPH [--inputs FILE] [--symbol s0=7] [--until NODE] [--values] [--watch NODE] [--json]
#include "app/cli/engine_command.h"

#include <memory>

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
std::string list(const json& values, std::size_t count) {
    std::string out = "[";
    for (std::size_t i = 0; i < values.size() && i < shownElements; ++i) {
        const json& value = values[i];
        out += (i == 0 ? "" : ", ") + (value.is_string() ? value.get<std::string>() : value.dump());
    }
    if (count > shownElements) out += ", ... " + std::to_string(count) + " in all";
    return out + "]";
}

std::string list(const json& values) {
    return list(values, values.size());
}

/// "float32 [2, 2] stride [2, 1] offset 1: [-2.0, 1.0, 1.0, 1.0]".
std::string describe(const json& value) {
    if (value.contains("none")) return "None";
    if (value.contains("scalar")) return value["scalar"].dump();
    std::size_t count = 1;
    for (const json& size : value["shape"])
        count *= size.get<std::size_t>();
    return value["dtype"].get<std::string>() + ' ' + list(value["shape"]) + " stride " +
           list(value["stride"]) + " offset " + value["storage_offset"].dump() + ": " +
           list(value["data"], count);
}

std::string aliases(const json& output) {
    std::string out;
    if (const json& input = output.value("is_input", json()); !input.is_null())
        out += ", is input " + input.dump();
    if (const json& shared = output.value("aliases_inputs", json::array()); !shared.empty())
        out += ", shares memory with inputs " + list(shared);
    if (const json& shared = output.value("aliases_outputs", json::array()); !shared.empty())
        out += ", shares memory with outputs " + list(shared);
    return out;
}

/// "add_1  float32[2, 3]  storage 4  min -1.0 max 2.0 mean 0.5  writes x".
std::string valueLine(const json& value) {
    std::string out = value["node"].get<std::string>() + "  " + value["text"].get<std::string>();
    if (value["kind"] == "tensor") {
        const json& summary = value["summary"];
        out += "  storage " + value["storage"].dump();
        for (const char* key : {"min", "max", "mean", "std"})
            out += (std::string(key) == "min" ? "  " : " ") + std::string(key) + ' ' + summary[key].dump();
        for (const char* key : {"nan", "inf"}) {
            if (summary[key] != 0) out += ' ' + summary[key].dump() + ' ' + key;
        }
    }
    if (const json& written = value["version_bumped_by_node"]; !written.empty())
        out += "  writes " + list(written);
    return out + '\n';
}

std::string report(const json& result) {
    std::string out;
    for (const json& value : result.value("values", json::array()))
        out += valueLine(value);
    if (result.contains("stopped_at"))
        out += "stopped after " + result["stopped_at"].get<std::string>() + '\n';
    std::size_t i = 0;
    for (const json& output : result["outputs"])
        out += "output " + std::to_string(i++) + ": " + describe(output) + aliases(output) + '\n';
    i = 0;
    for (const json& input : result["post"]["inputs"])
        out += "input " + std::to_string(i++) + " after the call: " + describe(input) + '\n';
    return out;
}

/// What the request holds besides the graph.
Result<json> parameters(const ExecOptions& options, const ChosenGraph& chosen) {
    json out{{"values", options.values},
             {"watch", options.watch},
             {"until", options.until},
             {"grad", options.grad}};
    Result<CaseFile> inputs = chosenInputs(options.inputs, chosen, options.grad);
    if (!inputs) return tl::unexpected(inputs.error());
    if (!options.json) out["elements"] = shownElements; // the engine need not write what is not shown
    out["inputs"] = std::move(inputs->inputs);
    out["attrs"] = std::move(inputs->attributes);
    return out;
}

int run(const ExecOptions& options) {
    const Result<ChosenGraph> chosen = chosenGraph(options.graph);
    if (!chosen) return fail(chosen.error());
    const Result<json> params = parameters(options, *chosen);
    if (!params) return fail(params.error());
    engine::Client client = makeClient(options.engine);
    const engine::CallResult result = client.callOnGraph("execute", graphText(*chosen->graph), *params);
    if (!result) return fail(result.error(), options.graph.path);
    print(options.json ? result->dump() + '\n' : report(*result));
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
