// SPDX-License-Identifier: BSD-3-Clause
//
// What the commands that need the engine share.
#pragma once

#include "app/cli/command.h"
#include "core/engine/cases/run_on.h"
#include "core/engine/client/client.h"
#include "core/ir/symbol_value.h"

#include <string>
#include <vector>

namespace dynascope::cli {

struct EngineOptions {
    std::vector<std::string> command; ///< empty means the engine beside this program
};
void addEngineOption(Command& command, EngineOptions& options);
[[nodiscard]] engine::Client makeClient(const EngineOptions& options);

/// Where a graph is taken from: a graph text, or a stage of a capture.
struct GraphOptions {
    std::string path, frame, stage;
};
void addGraphOptions(Command& command, GraphOptions& options);
/// The graph, and the compile it belongs to.
struct ChosenGraph {
    session::SessionPtr session; ///< owns the compile
    const session::Compile* compile = nullptr;
    ir::GraphPtr graph;
    session::StagePtr stage;
};
[[nodiscard]] Result<ChosenGraph> chosenGraph(const GraphOptions& options);
/// The text that crosses to the engine: print_readable text keeps shapes, FX text has none.
[[nodiscard]] std::string graphText(const ir::Graph& graph);

/// What a graph runs on: a file, or values of the shapes that the capture or the graph's own text describes.
struct InputOptions {
    std::string file;
    std::vector<std::string> symbols; ///< "s0=7"
};
void addInputOptions(Command& command, InputOptions& options);
/// Of "s0=7" and the like.
[[nodiscard]] Result<ir::SymbolValues> symbolValues(const std::vector<std::string>& texts);
/// `requiresGrad`: mark made inputs as the capture does.
[[nodiscard]] Result<wire::RunOn> chosenInputs(const InputOptions& options, const ChosenGraph& chosen,
                                               bool requiresGrad = false);

/// Whole content of a file; "-" reads standard input.
[[nodiscard]] Result<std::string> readFile(const std::string& path);

/// Prints the error in one line with the node it names; gives the exit status: exitFailure where the engine
/// carried the request out and failed, else exitUsage.
int fail(const engine::CallError& error, const std::string& file);

} // namespace dynascope::cli
