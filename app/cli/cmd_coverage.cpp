// SPDX-License-Identifier: BSD-3-Clause
//
// dynascope-cli coverage PATH [--json]
#include "app/cli/engine_command.h"
#include "core/engine/wire/methods.h"

#include <map>
#include <memory>

namespace dynascope::cli {

namespace {

using nlohmann::json;

struct CoverageOptions {
    std::string path;
    EngineOptions engine;
    bool json = false;
};

struct Missing {
    std::string reason, obstacle;
    std::size_t nodes = 0;
    std::string first; ///< "0/0 dynamo_output_graph add_1"
};

struct Coverage {
    std::size_t graphs = 0, nodes = 0;
    std::map<std::string, Missing> missing; ///< by target
    std::vector<std::string> unreadable;
};

tl::expected<void, engine::CallError> addGraph(engine::Client& client, const ir::Graph& graph,
                                               const std::string& place, Coverage& out) {
    const auto reply = client.coverage(graphText(graph));
    if (!reply) {
        if (reply.error().kind != engine::CallError::Kind::Refused) return tl::unexpected(reply.error());
        out.unreadable.push_back(place + ": " + reply.error().message);
        return {};
    }
    ++out.graphs;
    out.nodes += reply->nodes;
    for (const wire::UnsupportedNode& row : reply->unsupported) {
        Missing& missing = out.missing[row.target];
        if (missing.nodes++ > 0) continue;
        missing.reason = row.reason;
        missing.obstacle = row.obstacle;
        missing.first = place + ' ' + row.node;
    }
    return {};
}

std::string report(const Coverage& coverage) {
    std::string out;
    for (const auto& [target, missing] : coverage.missing)
        out += target + "  " + missing.obstacle + ": " + missing.reason + "  (" +
               count(missing.nodes, "node") + ", first: " + missing.first + ")\n";
    for (const std::string& problem : coverage.unreadable)
        out += "not read: " + problem + '\n';
    return out + count(coverage.graphs, "graph") + ", " + count(coverage.nodes, "node") + ", " +
           count(coverage.missing.size(), "target") + " that the engine cannot run\n";
}

json document(const Coverage& coverage) {
    json missing = json::array();
    for (const auto& [target, row] : coverage.missing)
        missing.push_back({{"target", target},
                           {"obstacle", row.obstacle},
                           {"reason", row.reason},
                           {"nodes", row.nodes},
                           {"first", row.first}});
    return {{"graphs", coverage.graphs},
            {"nodes", coverage.nodes},
            {"unsupported", missing},
            {"unreadable", coverage.unreadable}};
}

int run(const CoverageOptions& options) {
    const auto session = openInput(options.path);
    if (!session) return fail(session.error());
    engine::Client client = makeClient(options.engine);
    Coverage coverage;
    for (const session::Compile& compile : (*session)->compiles) {
        for (const session::StagePtr& stage : compile.stages) {
            if (stage->content != session::Stage::Content::Graph) continue;
            const std::string place = compile.id.toString() + ' ' + stage->label();
            const auto graph = stage->graph();
            if (!graph) {
                coverage.unreadable.push_back(place + ": " + graph.error().toString());
                continue;
            }
            if (const auto added = addGraph(client, **graph, place, coverage); !added)
                return fail(added.error(), options.path);
        }
    }
    print(options.json ? document(coverage).dump() + '\n' : report(coverage));
    return coverage.missing.empty() && coverage.unreadable.empty() ? exitOk : exitFailure;
}

} // namespace

void addCoverage(Parser& parser) {
    auto options = std::make_shared<CoverageOptions>();
    Command command = parser.command(
        "coverage", "List the targets that the engine cannot run; exit status 1 if there are any");
    command.add("path", options->path, "Capture or graph text; - for standard input").required();
    command.flag("--json", options->json, "One JSON document on stdout");
    addEngineOption(command, options->engine);
    command.run([options] { return run(*options); });
}

} // namespace dynascope::cli
