// SPDX-License-Identifier: BSD-3-Clause
//
// dynascope-cli print PATH [--stage S[#K]] [--frame ID] [--format fx|readable|dot|json]
#include "app/cli/command.h"
#include "core/ir/text.h"

#include <memory>

namespace dynascope::cli {

namespace {

struct Options {
    std::string path, stage, frame, format;
};

int run(const Options& options) {
    const auto session = openInput(options.path);
    if (!session) return fail(session.error());
    const auto choice = chooseStage(**session, options.frame, options.stage);
    if (!choice) return fail(choice.error());
    const session::Stage& stage = *choice->stage;

    if (stage.content == session::Stage::Content::Code) {
        if (!options.format.empty() && options.format != "readable")
            return fail(Error{stage.label() + " is generated code, not a graph", options.path, 0, 0});
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
    } else if (options.format == "json") {
        text = ir::printJson(**graph);
    } else {
        text = ir::printReadable(**graph).text;
    }
    if (!text.ends_with('\n')) text += '\n';
    print(text);
    return exitOk;
}

} // namespace

void addPrint(CLI::App& app, Action& action) {
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("print", "Print one graph or the generated code of a capture");
    command->add_option("path", options->path, "Trace log or graph text; - for standard input")->required();
    command->add_option("--stage", options->stage,
                        "Stage, such as aot_joint_graph or before_post_grad_graph#1");
    command->add_option("--frame", options->frame, "Compile id, such as 0/0, or RANK:0/0");
    command->add_option("--format", options->format, "readable (default), fx, dot or json")
        ->check(CLI::IsMember({"fx", "readable", "dot", "json"}));
    command->callback([options, &action] { action = [options] { return run(*options); }; });
}

} // namespace dynascope::cli
