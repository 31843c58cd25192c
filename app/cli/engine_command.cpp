// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli/engine_command.h"

#include "core/ir/text.h"
#include "core/remote/address.h"
#include "core/session/byte_source.h"

#include <algorithm>
#include <charconv>
#include <unistd.h>

namespace dynascope::cli {

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
                 "The engine's command as an argument list, or ssh://HOST for the engine of another machine. "
                 "Comes last");
}

engine::Client makeClient(const EngineOptions& options) {
    return engine::Client(options.command.empty() ? engine::defaultEngineCommand()
                                                  : remote::engineCommand(options.command));
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

int fail(const engine::CallError& error, const std::string& file) {
    std::string message = error.message;
    if (const std::string node = error.node(); !node.empty()) message = "node '" + node + "': " + message;
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

Result<wire::RunOn> chosenInputs(const InputOptions& options, const ChosenGraph& chosen, bool requiresGrad) {
    if (!options.file.empty()) {
        const Result<std::string> text = readFile(options.file);
        if (!text) return tl::unexpected(text.error());
        return engine::runOnOfText(*text, options.file);
    }
    const Result<ir::SymbolValues> symbols = symbolValues(options.symbols);
    if (!symbols) return tl::unexpected(symbols.error());
    return engine::runOnOfGraph(chosen.compile, *chosen.graph, {*symbols, 1, requiresGrad});
}

} // namespace dynascope::cli
