// SPDX-License-Identifier: BSD-3-Clause
//
// dynascope-cli layout: the window's layout child. It reads a LayoutInput as JSON from stdin and writes a
// LayoutResult as JSON to stdout. With a PATH it lays out a stage of a capture instead, and prints what it
// did.
#include "app/cli/command.h"
#include "core/layout/layout.h"

#include <cstdio>
#include <iostream>
#include <iterator>
#include <memory>

namespace dynascope::cli {

namespace {

struct Options {
    std::string path, stage, frame, engine = "dot";
    bool json = false;
};

Result<layout::LayoutInput> inputFromCapture(const Options& options) {
    const auto session = openInput(options.path);
    if (!session) return tl::unexpected(session.error());
    const auto choice = chooseStage(**session, options.frame, options.stage);
    if (!choice) return tl::unexpected(choice.error());
    const auto graph = choice->stage->graph();
    if (!graph) return tl::unexpected(graph.error());
    layout::LayoutInput input;
    input.boxes.resize((*graph)->size());
    for (ir::NodeIndex i = 0; i < (*graph)->size(); ++i) {
        for (const ir::NodeIndex from : (*graph)->inputs(i))
            input.edges.push_back({from, i, 1});
    }
    return input;
}

int run(const Options& options) {
    const bool asChild = options.path.empty();
    Result<layout::LayoutInput> input;
    if (asChild) {
        const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
        input = layout::inputFromJson(text);
    } else {
        input = inputFromCapture(options);
    }
    if (!input) return fail(input.error());
    const auto result = options.engine == "dot" ? layout::layoutDot(*input) : layout::layoutLayered(*input);
    if (!result) return fail(result.error());

    if (asChild || options.json) {
        print(layout::toJson(*result) + '\n');
    } else {
        std::printf("%s, %s, %.0f x %.0f, laid out by %s in %.1f ms\n",
                    count(result->boxes.size(), "node").c_str(), count(result->edges.size(), "edge").c_str(),
                    result->width, result->height, result->engine.c_str(), result->milliseconds);
    }
    return exitOk;
}

} // namespace

void addLayout(CLI::App& app, Action& action) {
    auto options = std::make_shared<Options>();
    CLI::App* command =
        app.add_subcommand("layout", "Lay out a graph: JSON from stdin to stdout, or a stage of PATH");
    command->add_option("path", options->path,
                        "Trace log or graph text; without it a layout request is read from stdin");
    command->add_option("--stage", options->stage, "Stage, such as aot_joint_graph");
    command->add_option("--frame", options->frame, "Compile id, such as 0/0, or RANK:0/0");
    command->add_option("--engine", options->engine, "dot (default) or layered")
        ->check(CLI::IsMember({"dot", "layered"}));
    command->add_flag("--json", options->json, "With PATH: positions as one JSON document");
    command->callback([options, &action] { action = [options] { return run(*options); }; });
}

} // namespace dynascope::cli
