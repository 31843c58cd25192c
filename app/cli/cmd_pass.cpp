// SPDX-License-Identifier: BSD-3-Clause
//
// dynascope-cli pass NAME[,NAME] GRAPH [--inputs FILE] [--verify] [--steps] [--json]
#include "app/cli/engine_command.h"

#include <algorithm>
#include <memory>

namespace dynascope::cli {

namespace {

using nlohmann::json;

struct Options {
    std::string passes; ///< separated by commas
    GraphOptions graph;
    EngineOptions engine;
    std::string inputs;
    std::string remove = "mutations";
    bool verify = false;
    bool steps = false;
    bool json = false;
};

/// With --json the time is a figure, so it is the median of several runs.
constexpr int timedRuns = 5;

std::vector<std::string> namesOf(std::string_view text) {
    std::vector<std::string> names;
    for (std::size_t end = 0; end != std::string_view::npos;
         text.remove_prefix(std::min(end + 1, text.size()))) {
        end = text.find(',');
        names.emplace_back(text.substr(0, end));
    }
    return names;
}

std::string scoreLine(const json& row) {
    std::string views;
    for (const json& view : row["views"])
        views += (views.empty() ? "" : " > ") + view.get<std::string>();
    return "    " + row["value"].get<std::string>() + ": storage " + row["group"].dump() + ", base " +
           row["base"].get<std::string>() + ", value " + row["current"].get<std::string>() +
           (views.empty() ? std::string() : ", views " + views) + ", generation " + row["generation"].dump() +
           " of " + row["storage_generation"].dump() + (row["stale"].get<bool>() ? " (stale)" : "") +
           ", pending " + row["pending_updates"].dump() + '\n';
}

std::string stepText(const json& step) {
    std::string out = step["source"].get<std::string>() + " (" + step["target"].get<std::string>() + ")\n";
    for (const json& emitted : step["emitted"])
        out +=
            "    + " + emitted["node"].get<std::string>() + "  " + emitted["why"].get<std::string>() + '\n';
    for (const json& row : step.value("scorecard", json::array()))
        out += scoreLine(row);
    return out;
}

std::string verdictText(const json& reply) {
    if (reply["verified"] == true) return "verified: the same values as eager\n";
    std::string out = reply["verified"].is_null() ? "not verified\n" : "verification failed\n";
    for (const json& difference : reply.value("differences", json::array()))
        out += "  " + difference["text"].get<std::string>() + '\n';
    for (const json& deviation : reply.value("deviations", json::array()))
        out += "  known deviation: " + deviation.get<std::string>() + '\n';
    return out;
}

int run(const Options& options) {
    const Result<std::string> text = graphText(options.graph);
    if (!text) return fail(text.error());
    const Result<CaseFile> file = readCaseFile(options.inputs);
    if (!file) return fail(file.error());
    engine::Client client = makeClient(options.engine);
    engine::CallResult reply = client.callOnGraph("pass", *text,
                                                  {{"passes", namesOf(options.passes)},
                                                   {"remove", options.remove},
                                                   {"inputs", file->inputs},
                                                   {"attrs", file->attributes},
                                                   {"runs", options.json ? timedRuns : 1},
                                                   {"scorecard", options.steps},
                                                   {"verify", options.verify}});
    if (!reply) return fail(reply.error(), options.graph.path);
    if (options.json) {
        print(reply->dump() + '\n');
    } else {
        std::string out;
        if (options.steps) {
            for (const json& step : (*reply)["steps"])
                out += stepText(step);
        }
        out += (*reply)["graph"].get<std::string>() + '\n';
        if (options.verify) out += verdictText(*reply);
        print(out);
    }
    return options.verify && (*reply)["verified"] != true ? exitFailure : exitOk;
}

} // namespace

void addPass(CLI::App& app, Action& action) {
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("pass", "Run passes over a graph; print the graph that they make");
    command->add_option("name", options->passes, "Passes, separated by commas")->required();
    addGraphOptions(*command, options->graph);
    command->add_option("--inputs", options->inputs,
                        "Oracle case or its inputs; without it seeded values of the graph's own shapes");
    command->add_option("--remove", options->remove, "What functionalize removes")
        ->check(CLI::IsMember({"mutations", "mutations_and_views"}))
        ->capture_default_str();
    command->add_flag("--verify", options->verify,
                      "Compare with eager on the same inputs; exit status 1 when they differ");
    command->add_flag("--steps", options->steps, "What each node emitted, and the alias state after it");
    command->add_flag("--json", options->json, "One JSON document on stdout");
    addEngineOption(*command, options->engine);
    command->callback([options, &action] { action = [options] { return run(*options); }; });
}

} // namespace dynascope::cli
