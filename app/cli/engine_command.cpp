// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli/engine_command.h"

#include "core/engine/cases/graph_inputs.h"
#include "core/ir/text.h"
#include "core/session/byte_source.h"

#include <algorithm>
#include <charconv>
#include <unistd.h>

namespace dynascope::cli {

using nlohmann::json;

Result<ir::SymbolValues> symbolValues(const std::vector<std::string>& texts) {
    ir::SymbolValues out;
    for (const std::string& text : texts) {
        const std::size_t equals = text.find('=');
        std::int64_t value = 0;
        const char* const end = text.data() + text.size();
        const char* const start = equals == std::string::npos ? end : text.data() + equals + 1;
        const auto [read, status] = std::from_chars(start, end, value);
        if (status != std::errc() || read != end)
            return failure("--symbol takes NAME=NUMBER, not '" + text + "'");
        out[text.substr(0, equals)] = value;
    }
    return out;
}

void addEngineOption(Command& command, EngineOptions& options) {
    command.rest("--engine", options.command,
                 "The engine's command as an argument list, such as: --engine ssh host dynascope-engine. "
                 "Comes last");
}

engine::Client makeClient(const EngineOptions& options) {
    return engine::Client(options.command.empty() ? engine::defaultEngineCommand() : options.command);
}

void addGraphOptions(Command& command, GraphOptions& options) {
    command.add("graph", options.path, "Graph text or capture; - for standard input").required();
    command.add("--frame", options.frame, "Compile id, such as 0/0, or RANK:0/0");
    command.add("--stage", options.stage, "Stage name, or NAME#K; the first graph if left out");
}

std::string graphText(const ir::Graph& graph) {
    return graph.style().form == ir::TextStyle::Form::Readable ? ir::printReadable(graph).text
                                                               : ir::printFx(graph);
}

Result<ChosenGraph> chosenGraph(const GraphOptions& options) {
    const auto session = openInput(options.path);
    if (!session) return tl::unexpected(session.error());
    const auto choice = chooseStage(**session, options.frame, options.stage);
    if (!choice) return tl::unexpected(choice.error());
    const auto graph = graphOf(**session, *choice->stage);
    if (!graph) return tl::unexpected(graph.error());
    return ChosenGraph{*session, choice->compile, *graph, choice->stage};
}

Result<std::string> readFile(const std::string& path) {
    return (path == "-" ? session::readByteSource(STDIN_FILENO, "standard input")
                        : session::openByteSource(path))
        .map([](const session::ByteSourcePtr& source) { return std::string(source->bytes()); });
}

Result<CaseFile> readCaseFile(const std::string& path) {
    if (path.empty()) return CaseFile{};
    const Result<std::string> text = readFile(path);
    if (!text) return tl::unexpected(text.error());
    const json document = json::parse(*text, nullptr, false);
    if (!document.is_object()) return failure("not a JSON object", path);
    if (document.contains("storages")) return CaseFile{document, document.value("before_attrs", json())};
    if (!document.contains("inputs")) return failure("neither an oracle case nor the 'inputs' of one", path);
    return CaseFile{document["inputs"], document.value("before_attrs", json())};
}

int fail(const engine::CallError& error, const std::string& file) {
    std::string message = error.message;
    if (error.data.is_object() && error.data.value("node", json()).is_string())
        message = "node '" + error.data["node"].get<std::string>() + "': " + message;
    fail(std::move(message), file);
    return error.kind == engine::CallError::Kind::Refused &&
                   error.code == static_cast<int>(engine::ErrorCode::Failed)
               ? exitFailure
               : exitUsage;
}

/// docs/inputs.md has all of it.
constexpr const char* inputsNote =
    R"(The JSON of --inputs (docs/inputs.md has all of it):
  {"inputs": {"storages": [{"dtype": "float32", "data": [1, 2, 3, 4, 5]},
                           {"dtype": "int64", "size": 6, "seed": 7}],
              "inputs": [{"storage": 0, "shape": [3], "stride": [1], "storage_offset": 0, "dtype": "float32"},
                         {"storage": 1, "shape": [2, 3], "stride": [3, 1], "storage_offset": 0, "dtype": "int64"},
                         4]},
   "before_attrs": {"_tensor_constant0": {"dtype": "float32", "shape": [2], "data": [1.5, -2]},
                    "weight": {"dtype": "float32", "shape": [4, 4], "seed": 3}}}
One input for each placeholder: a tensor on one of the storages, which inputs may share, or a number.
before_attrs has the values of get_attr nodes. An oracle case is read as well, and the inputs alone:
{"storages": [...], "inputs": [...], "before_attrs": {...}}.
)";

void addInputOptions(Command& command, InputOptions& options) {
    command.add("--inputs", options.file,
                "JSON of inputs and constants, as below; without it seeded values in the shapes that the "
                "capture or the graph's own text describes");
    command.add("--symbol", options.symbols, "Value of a symbolic size, such as s0=7; repeatable");
    command.note(inputsNote);
}

Result<CaseFile> chosenInputs(const InputOptions& options, const ChosenGraph& chosen, bool requiresGrad) {
    if (!options.file.empty()) return readCaseFile(options.file);
    const Result<ir::SymbolValues> symbols = symbolValues(options.symbols);
    if (!symbols) return tl::unexpected(symbols.error());
    if (chosen.compile && !chosen.compile->runInputs.empty()) // an oracle case has its own
        return CaseFile{json::parse(chosen.compile->runInputs, nullptr, false),
                        chosen.compile->runAttributes.empty()
                            ? json()
                            : json::parse(chosen.compile->runAttributes, nullptr, false)};
    const engine::GraphInputOptions how{*symbols, 1, requiresGrad};
    Result<json> inputs = chosen.compile ? engine::inputsOfCapture(*chosen.compile, *chosen.graph, how)
                                         : engine::inputsOfGraph(*chosen.graph, how);
    if (!inputs) return tl::unexpected(inputs.error());
    return CaseFile{std::move(*inputs), json()};
}

} // namespace dynascope::cli
