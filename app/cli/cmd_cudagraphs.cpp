// SPDX-License-Identifier: BSD-3-Clause
//
// dynascope-cli cudagraphs PATH [--backend B] [--json]
#include "app/cli/command.h"
#include "app/cli/table.h"
#include "core/replay/coverage.h"

#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>

namespace dynascope::cli {

namespace {

using nlohmann::json;
using replay::CoverageVerdict;
using replay::GraphCoverage;

struct CudagraphsOptions {
    std::string path;
    std::string backend = "reduce-overhead";
    std::size_t top = 3;
    bool json = false;
};

constexpr std::array coverageVerdicts{CoverageVerdict::CudaGraph, CoverageVerdict::Split,
                                      CoverageVerdict::Skipped, CoverageVerdict::Raises,
                                      CoverageVerdict::Unknown};

std::string placeAndCode(const ir::SourceLocation& at) {
    if (at.file.empty()) return {};
    return placeText(at) + (at.code.empty() ? std::string() : "  " + elide(at.code, 80));
}

std::string verdictText(const GraphCoverage& graph) {
    std::string out(replay::coverageVerdictName(graph.verdict));
    if (graph.onGpu) out += "; on a GPU: " + std::string(replay::coverageVerdictName(*graph.onGpu));
    return out;
}

std::string problemText(const replay::CoverageProblem& problem, std::size_t top) {
    std::string out = std::string(problem.prevents ? "    " : "    note: ") + problem.what + '\n';
    Table places({Table::Align::Left, Table::Align::Left, Table::Align::Left});
    for (std::size_t i = 0; i < std::min(problem.places.size(), top); ++i)
        places.add({problem.places[i].node, problem.places[i].target, placeAndCode(problem.places[i].at)});
    out += places.toString("      ");
    if (problem.places.size() > top)
        out += "      and " + std::to_string(problem.places.size() - top) + " more\n";
    return out + "      -> " + problem.advice + '\n';
}

/// How the graphs were judged, and where the mode is not the capture's own backend's.
std::string judgedAs(const session::Session& session, replay::GraphBackend backend) {
    if (backend == replay::GraphBackend::Cudagraphs)
        return "judged as torch.compile(backend=\"cudagraphs\") of PyTorch 2.13 does\n";
    const bool another = session.kind == session::Kind::TorchTrace && !replay::ranInductor(session);
    return std::string("judged as torch.compile(mode=\"reduce-overhead\") of PyTorch 2.13 does") +
           (another
                ? ", which is Inductor's: nothing of Inductor is in this trace, and its graphs may differ;\n"
                  "--backend cudagraphs judges as a backend that needs no Inductor\n"
                : "\n");
}

std::string report(const session::Session& session, const replay::CoverageReport& coverage, std::size_t top) {
    std::string out;
    for (const GraphCoverage& graph : coverage.graphs) {
        out += session::compileName(session, session.compiles[graph.compile]) + ' ' + graph.part + ": " +
               verdictText(graph) + "   " + session.compiles[graph.compile].function + "  " +
               graph.stage->label() + ", " + count(graph.nodes, "node") + ", " +
               std::to_string(graph.fixedInputs) + " of " + count(graph.inputs, "input") +
               " at fixed addresses\n";
        if (!graph.message.empty()) out.append("    ").append(replay::withoutStack(graph.message)) += '\n';
        if (!graph.messageOnGpu.empty())
            out.append("    on a GPU: ").append(replay::withoutStack(graph.messageOnGpu)) += '\n';
        for (const replay::CoverageProblem& problem : graph.problems)
            out += problemText(problem, top);
    }
    const auto sum = [&](const auto& countOf) {
        std::string text;
        for (const CoverageVerdict verdict : coverageVerdicts)
            if (const std::size_t graphs = countOf(verdict); graphs > 0)
                text +=
                    (text.empty() ? "" : ", ") +
                    (verdict == CoverageVerdict::CudaGraph
                         ? count(graphs, replay::coverageVerdictName(verdict))
                         : std::to_string(graphs) + ' ' + std::string(replay::coverageVerdictName(verdict)));
        return text;
    };
    const std::string asCaptured = sum([&](CoverageVerdict verdict) { return coverage.count(verdict); });
    const std::string onGpu = sum([&](CoverageVerdict verdict) { return coverage.countOnGpu(verdict); });
    return out + count(coverage.graphs.size(), "compiled graph") +
           (asCaptured.empty() ? "" : ": " + asCaptured) + (onGpu.empty() ? "" : "; on a GPU: " + onGpu) +
           '\n' + (coverage.graphs.empty() ? std::string() : judgedAs(session, coverage.backend));
}

json placeJson(const replay::CoveragePlace& place) {
    json out{{"node", place.node}};
    if (!place.target.empty()) out["target"] = place.target;
    if (!place.at.file.empty())
        out["at"] = {{"file", place.at.file},
                     {"line", place.at.line},
                     {"function", place.at.function},
                     {"code", place.at.code}};
    return out;
}

json graphJson(const session::Session& session, const GraphCoverage& graph) {
    json problems = json::array();
    for (const replay::CoverageProblem& problem : graph.problems) {
        json places = json::array();
        for (const replay::CoveragePlace& place : problem.places)
            places.push_back(placeJson(place));
        problems.push_back({{"what", problem.what},
                            {"prevents", problem.prevents},
                            {"advice", problem.advice},
                            {"places", std::move(places)}});
    }
    const session::Compile& compile = session.compiles[graph.compile];
    json out{{"rank", compile.rank},
             {"compile", compile.id.toString()},
             {"function", compile.function},
             {"part", graph.part},
             {"stage", graph.stage->label()},
             {"nodes", graph.nodes},
             {"inputs", graph.inputs},
             {"fixed_inputs", graph.fixedInputs},
             {"verdict", replay::coverageVerdictName(graph.verdict)},
             {"message", graph.message},
             {"problems", std::move(problems)}};
    if (graph.onGpu) {
        out["on_gpu"] = replay::coverageVerdictName(*graph.onGpu);
        out["message_on_gpu"] = graph.messageOnGpu;
    }
    return out;
}

json document(const session::Session& session, const replay::CoverageReport& coverage,
              const std::string& backend) {
    json graphs = json::array();
    for (const GraphCoverage& graph : coverage.graphs)
        graphs.push_back(graphJson(session, graph));
    json counts = json::object();
    for (const CoverageVerdict verdict : coverageVerdicts)
        counts[std::string(replay::coverageVerdictName(verdict))] = coverage.count(verdict);
    return {{"backend", backend}, {"graphs", std::move(graphs)}, {"verdicts", std::move(counts)}};
}

int run(const CudagraphsOptions& options) {
    const Result<session::SessionPtr> session = openInput(options.path);
    if (!session) return fail(session.error());
    const auto backend = options.backend == "cudagraphs" ? replay::GraphBackend::Cudagraphs
                                                         : replay::GraphBackend::ReduceOverhead;
    const replay::CoverageReport coverage = replay::cudagraphCoverage(**session, backend);
    print(options.json ? document(**session, coverage, options.backend)
                                 .dump(-1, ' ', false, json::error_handler_t::replace) +
                             '\n'
                       : report(**session, coverage, options.top));
    return exitOk;
}

} // namespace

void addCudagraphs(Parser& parser) {
    auto options = std::make_shared<CudagraphsOptions>();
    Command command = parser.command(
        "cudagraphs",
        "Say which compiled graphs would be CUDA graphs, which not, why, where and what to change");
    command.add("path", options->path, "Capture; - reads standard input").required();
    command
        .add("--backend", options->backend,
             "Judge as torch.compile(mode=\"reduce-overhead\") or torch.compile(backend=\"cudagraphs\") does")
        .oneOf({"reduce-overhead", "cudagraphs"})
        .showDefault();
    command.add("--top", options->top, "How many places to list for each reason").showDefault();
    command.flag("--json", options->json, "One JSON document on stdout");
    command.run([options] { return run(*options); });
}

} // namespace dynascope::cli
