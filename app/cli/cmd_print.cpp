// SPDX-License-Identifier: BSD-3-Clause
//
// dynascope-cli print PATH [--stage S[#K]] [--frame ID] [--format fx|readable|dot|mermaid|json]
#include "app/cli/command.h"
#include "app/cli/info.h"
#include "core/ir/text.h"

#include <cstdio>
#include <memory>

namespace dynascope::cli {

namespace {

struct PrintOptions {
    std::string path, stage, frame, format;
};

int run(const PrintOptions& options) {
    const auto session = openInput(options.path);
    if (!session) return fail(session.error());
    const auto choice = chooseStage(**session, options.frame, options.stage);
    if (!choice) return fail(choice.error());
    const session::Stage& stage = *choice->stage;

    if (stage.content == session::Stage::Content::Code) {
        if (!options.format.empty() && options.format != "readable")
            return fail(stage.label() + " is generated code, not a graph", options.path);
        print(stage.payload.text());
        return exitOk;
    }
    const auto graph = graphOf(**session, stage);
    if (!graph) return fail(graph.error());

    std::string text;
    if (options.format == "fx") {
        text = ir::printFx(**graph);
    } else if (options.format == "dot") {
        text = ir::printDot(**graph);
    } else if (options.format == "mermaid") {
        ir::MermaidText mermaid = ir::printMermaid(**graph);
        if (!mermaid.tooLarge.empty())
            std::fprintf(stderr, "dynascope-cli: %s has %s; dot has no such limit\n", stage.label().c_str(),
                         mermaid.tooLarge.c_str());
        text = std::move(mermaid.text);
    } else if (options.format == "json") {
        text = ir::printJson(**graph);
    } else {
        text = ir::printReadable(**graph).text;
    }
    if (!text.ends_with('\n')) text += '\n';
    print(text);
    // Beside the graph, which stays what was asked for.
    const bool traced = stage.name == "aot_joint_graph" || stage.name == "aot_inference_graph";
    if (traced && writesAreUnknown(**session, *choice->compile))
        std::fprintf(
            stderr,
            "dynascope-cli: the log has no AOTAutograd metadata of this graph: rederive derives which "
            "inputs are written, data or metadata\n");
    return exitOk;
}

} // namespace

void addPrint(Parser& parser) {
    auto options = std::make_shared<PrintOptions>();
    Command command = parser.command("print", "Print one graph or the generated code of a capture");
    command.add("path", options->path, "Trace log or graph text; - for standard input").required();
    command.add("--stage", options->stage, "Stage, such as aot_joint_graph or before_post_grad_graph#1");
    command.add("--frame", options->frame, "Compile id, such as 0/0, or RANK:0/0");
    command.add("--format", options->format, "readable (default), fx, dot, mermaid or json")
        .oneOf({"fx", "readable", "dot", "mermaid", "json"});
    command.run([options] { return run(*options); });
}

} // namespace dynascope::cli
