// SPDX-License-Identifier: BSD-3-Clause
//
// dynascope-cli layout: the window's layout child. It reads a LayoutInput as JSON from stdin and writes a
// LayoutResult as JSON to stdout. With a PATH it lays out a stage of a capture instead, and prints positions.
#include "app/cli/command.h"
#include "app/cli/table.h"
#include "core/layout/layout.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <iostream>
#include <iterator>
#include <memory>
#include <thread>

namespace dynascope::cli {

namespace {

struct LayoutOptions {
    std::string path, stage, frame, engine = "dot";
    int budgetMs = 1800; // within the 2 s that the window waits
    bool json = false;
};

/// Graphviz cannot be cancelled: it runs on a thread that is left behind once the budget is spent, and the
/// layered layout answers in its place. `abandoned` tells that the process must end without waiting for that
/// thread.
Result<layout::LayoutResult> layoutWithin(const layout::LayoutInput& input, int budgetMs, bool& abandoned) {
    if (budgetMs <= 0) return layout::layoutDot(input);
    auto promise = std::make_shared<std::promise<Result<layout::LayoutResult>>>();
    std::future<Result<layout::LayoutResult>> future = promise->get_future();
    std::thread([promise, input] { promise->set_value(layout::layoutDot(input)); }).detach();
    if (future.wait_for(std::chrono::milliseconds(budgetMs)) == std::future_status::ready)
        return future.get();
    abandoned = true;
    return layout::layoutLayered(input);
}

struct NamedInput {
    layout::LayoutInput input;
    std::vector<std::string> names;
};

Result<NamedInput> inputFromCapture(const LayoutOptions& options) {
    const auto session = openInput(options.path);
    if (!session) return tl::unexpected(session.error());
    const auto choice = chooseStage(**session, options.frame, options.stage);
    if (!choice) return tl::unexpected(choice.error());
    const auto graph = graphOf(**session, *choice->stage);
    if (!graph) return tl::unexpected(graph.error());
    NamedInput out;
    out.input.boxes.resize((*graph)->size());
    for (ir::NodeIndex i = 0; i < (*graph)->size(); ++i) {
        out.names.push_back((*graph)->node(i).name);
        for (const ir::NodeIndex from : (*graph)->inputs(i))
            out.input.edges.push_back({from, i, 1});
    }
    return out;
}

std::string positionsText(const layout::LayoutResult& result, const std::vector<std::string>& names) {
    const auto number = [](double value) { return std::to_string(std::llround(value)); };
    Table table({Table::Align::Left, Table::Align::Right, Table::Align::Right});
    for (std::size_t i = 0; i < result.boxes.size() && i < names.size(); ++i)
        table.add({names[i], number(result.boxes[i].x), number(result.boxes[i].y)});
    return table.toString("") + count(result.boxes.size(), "node") + ", " +
           count(result.edges.size(), "edge") + ", " + number(result.width) + " x " + number(result.height) +
           " px, laid out by " + result.engine + " in " + number(result.milliseconds) + " ms\n";
}

int run(const LayoutOptions& options) {
    const bool asChild = options.path.empty();
    Result<NamedInput> input;
    if (asChild) {
        const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
        input = layout::inputFromJson(text).map([](layout::LayoutInput read) {
            return NamedInput{std::move(read), {}};
        });
    } else {
        input = inputFromCapture(options);
    }
    if (!input) return fail(input.error());
    bool abandoned = false;
    const auto result = options.engine == "dot" ? layoutWithin(input->input, options.budgetMs, abandoned)
                                                : layout::layoutLayered(input->input);
    if (!result) return fail(result.error());

    if (asChild || options.json) {
        print(layout::toJson(*result) + '\n');
    } else {
        print(positionsText(*result, input->names));
    }
    if (abandoned) {
        std::fflush(stdout);
        std::_Exit(exitOk);
    }
    return exitOk;
}

} // namespace

void addLayout(Parser& parser) {
    auto options = std::make_shared<LayoutOptions>();
    Command command =
        parser.command("layout", "Lay out a graph: JSON from stdin to stdout, or a stage of PATH");
    command.add("path", options->path,
                "Trace log or graph text; without it a layout request is read from stdin");
    command.add("--stage", options->stage, "Stage, such as aot_joint_graph");
    command.add("--frame", options->frame, "Compile id, such as 0/0, or RANK:0/0");
    command.add("--engine", options->engine, "dot (default) or layered").oneOf({"dot", "layered"});
    command.add("--budget-ms", options->budgetMs,
                "Time for dot, then layered answers; 0 for no limit (default 1800)");
    command.flag("--json", options->json, "With PATH: positions as one JSON document");
    command.run([options] { return run(*options); });
}

} // namespace dynascope::cli
