// SPDX-License-Identifier: BSD-3-Clause
//
// dynascope-cli exec GRAPH --inputs FILE [--json]
#include "app/cli/engine_command.h"

#include <memory>

namespace dynascope::cli {

namespace {

using nlohmann::json;

struct Options {
    GraphOptions graph;
    EngineOptions engine;
    std::string inputs;
    bool json = false;
};

constexpr std::size_t shownElements = 12;

std::string list(const json& values) {
    std::string out = "[";
    for (std::size_t i = 0; i < values.size() && i < shownElements; ++i) {
        const json& value = values[i];
        out += (i == 0 ? "" : ", ") + (value.is_string() ? value.get<std::string>() : value.dump());
    }
    if (values.size() > shownElements) out += ", ... " + std::to_string(values.size()) + " in all";
    return out + "]";
}

/// "float32 [2, 2] stride [2, 1] offset 1: [-2.0, 1.0, 1.0, 1.0]".
std::string describe(const json& value) {
    if (value.contains("none")) return "None";
    if (value.contains("scalar")) return value["scalar"].dump();
    return value["dtype"].get<std::string>() + ' ' + list(value["shape"]) + " stride " +
           list(value["stride"]) + " offset " + value["storage_offset"].dump() + ": " + list(value["data"]);
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

std::string report(const json& result) {
    std::string out;
    std::size_t i = 0;
    for (const json& output : result["outputs"])
        out += "output " + std::to_string(i++) + ": " + describe(output) + aliases(output) + '\n';
    i = 0;
    for (const json& input : result["post"]["inputs"])
        out += "input " + std::to_string(i++) + " after the call: " + describe(input) + '\n';
    return out;
}

int run(const Options& options) {
    const Result<std::string> text = graphText(options.graph);
    if (!text) return fail(text.error());
    const Result<CaseFile> file = readCaseFile(options.inputs);
    if (!file) return fail(file.error());
    engine::Client client = makeClient(options.engine);
    const engine::CallResult result =
        client.callOnGraph("execute", *text, {{"inputs", file->inputs}, {"attrs", file->attributes}});
    if (!result) return fail(result.error(), options.graph.path);
    print(options.json ? result->dump() + '\n' : report(*result));
    return exitOk;
}

} // namespace

void addExec(CLI::App& app, Action& action) {
    auto options = std::make_shared<Options>();
    CLI::App* command =
        app.add_subcommand("exec", "Run a graph; show its outputs and its inputs after the call");
    addGraphOptions(*command, options->graph);
    command->add_option("--inputs", options->inputs,
                        "Oracle case or its inputs; without it seeded values of the graph's own shapes");
    command->add_flag("--json", options->json, "One JSON document on stdout");
    addEngineOption(*command, options->engine);
    command->callback([options, &action] { action = [options] { return run(*options); }; });
}

} // namespace dynascope::cli
