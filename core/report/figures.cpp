// SPDX-License-Identifier: BSD-3-Clause
#include "core/report/figures.h"

#include "core/base/log.h"
#include "core/base/words.h"
#include "core/dynamo/recompiles.h"
#include "core/replay/coverage.h"
#include "core/replay/graph_peak.h"
#include "core/session/breaks.h"
#include "core/session/compile_counts.h"
#include "core/session/symbol_hints.h"

#include <algorithm>
#include <cmath>

namespace dynascope::report {

namespace {

using replay::CoverageVerdict;
using replay::GraphCoverage;
using session::Compile;
using session::Session;

/// The program's own line: of what a package or Python does, the line that called it.
ir::SourceLocation lineOf(const session::GraphBreak& graphBreak, const ir::SourceLocation& at) {
    const ir::SourceLocation* caller = session::callerInProgram(graphBreak);
    return caller ? *caller : at;
}

ir::SourceLocation lineOf(const Compile& compile) {
    return compile.location() ? *compile.location() : ir::SourceLocation();
}

bool hasCompiles(const Session& session) {
    return std::ranges::any_of(session.compiles, [](const Compile& compile) { return !compile.id.empty(); });
}

/// "Remove the call", "the setting capture_scalar_outputs".
std::string adviceOf(const session::BreakGroup& group) {
    if (group.waysOut.empty()) return {};
    const session::WayOut& first = group.waysOut.front();
    return (first.kind == "setting" ? "the setting " : "") + first.title;
}

void readBreaks(const Session& session, Figures& out) {
    Figure& figure = out[Kind::GraphBreaks];
    const session::BreakSummary summary = session::summarizeBreaks(session);
    figure.value = static_cast<double>(summary.breaks);
    for (const session::BreakGroup& group : summary.groups) {
        const session::BreakOccurrence& first = group.occurrences.front();
        const Compile& compile = session.compiles[first.compile];
        figure.parts.push_back({static_cast<double>(group.occurrences.size()), compileName(session, compile),
                                group.reason, adviceOf(group),
                                lineOf(compile.breaks[first.index], group.location)});
    }
}

std::string guardText(const dynamo::FailedGuard& guard) {
    std::string out = guard.check;
    if (out.find("expected ") != std::string::npos) return out; // PyTorch's own words have both
    if (!guard.expected.empty()) out += ", expected " + guard.expected;
    if (!guard.actual.empty()) out += ", the call had " + guard.actual;
    return out;
}

void readRecompiles(const Session& session, Figures& out) {
    Figure& figure = out[Kind::Recompiles];
    std::size_t all = 0;
    for (const Compile& compile : session.compiles)
        all += compile.isRecompile ? 1 : 0;
    figure.value = static_cast<double>(all);
    for (const dynamo::FrameCache& cache : dynamo::explainRecompiles(session))
        for (const dynamo::Recompile& one : cache.recompiles) {
            const Compile& compile = session.compiles[one.compile];
            Part part{1,
                      compileName(session, compile),
                      compile.function + " was compiled again",
                      {},
                      lineOf(compile)};
            if (!one.failed.empty()) {
                part.text += ": " + guardText(one.failed.front());
                part.advice = one.failed.front().advice;
            }
            figure.parts.push_back(std::move(part));
        }
}

void readTimes(const Session& session, Figures& out) {
    Figure& figure = out[Kind::CompileSeconds];
    double all = 0;
    for (const Compile& compile : session.compiles) {
        const double seconds = session::compileTime(compile);
        all += seconds;
        if (seconds > 0)
            figure.parts.push_back({seconds,
                                    compileName(session, compile),
                                    compile.function + " took " + formatSeconds(seconds),
                                    {},
                                    lineOf(compile)});
    }
    if (all > 0)
        figure.value = all;
    else
        figure.unknown = "the capture has no compile times";
}

/// The first reason against a CUDA graph that a GPU would not take away.
void addAgainst(const Session& session, const GraphCoverage& graph, Figure& figure) {
    Part part{1,
              graph.compile < session.compiles.size() ? compileName(session, session.compiles[graph.compile])
                                                      : "",
              "the " + graph.part + " graph is no CUDA graph",
              {},
              {}};
    for (const replay::CoverageProblem& problem : graph.problems) {
        if (!problem.prevents || (graph.onGpu && problem.what == replay::runsOnCpu)) continue;
        part.text += ": it " + problem.what;
        part.advice = problem.advice;
        if (!problem.places.empty()) part.at = problem.places.front().at;
        break;
    }
    figure.parts.push_back(std::move(part));
}

void readGraphs(const Session& session, const TaskContext& task, Figures& out) {
    const replay::CoverageReport report =
        replay::cudagraphCoverage(session, replay::GraphBackend::ReduceOverhead, task);
    Figure &peak = out[Kind::PeakBytes], &nodes = out[Kind::Nodes], &none = out[Kind::NoCudaGraph];
    if (report.graphs.empty()) {
        for (Figure* figure : {&peak, &nodes, &none})
            figure->unknown = "the capture holds no compiled graph";
        return;
    }
    std::size_t unjudged = 0;
    double most = 0, all = 0;
    bool sized = false;
    for (const GraphCoverage& graph : report.graphs) {
        if (task.cancelled()) return;
        const Compile* compile =
            graph.compile < session.compiles.size() ? &session.compiles[graph.compile] : nullptr;
        const std::string name = compile ? compileName(session, *compile) : std::string();
        all += static_cast<double>(graph.nodes);
        nodes.parts.push_back({static_cast<double>(graph.nodes),
                               name,
                               "the " + graph.part + " graph has " + count(graph.nodes, "node"),
                               {},
                               compile ? lineOf(*compile) : ir::SourceLocation()});
        const CoverageVerdict verdict = graph.onGpu.value_or(graph.verdict);
        if (verdict == CoverageVerdict::Unknown)
            ++unjudged;
        else if (verdict != CoverageVerdict::CudaGraph && !graph.needsNone)
            addAgainst(session, graph, none);
        const Result<ir::GraphPtr> read = graph.stage->graph();
        if (!read) {
            peak.atLeast = true;
            continue;
        }
        const replay::GraphBlocks blocks = replay::blocksOf(
            **read, replay::defaultAlignment, compile ? session::symbolHints(*compile) : ir::SymbolValues());
        const replay::GraphPeak atMost = replay::peakOf(blocks, (*read)->size());
        sized = sized || !blocks.blocks.empty();
        peak.atLeast = peak.atLeast || blocks.unknown > 0;
        most = std::max(most, static_cast<double>(atMost.bytes));
        Part part{static_cast<double>(atMost.bytes),
                  name,
                  "the " + graph.part + " graph holds " + formatBytes(atMost.bytes),
                  {},
                  {}};
        if (!atMost.held.empty()) {
            const ir::Node& maker = (*read)->node(atMost.held.front().maker);
            part.text += ", " + formatBytes(atMost.held.front().bytes) + " of them " + maker.name;
            if (maker.location()) part.at = *maker.location();
        }
        peak.parts.push_back(std::move(part));
    }
    nodes.value = all;
    if (sized)
        peak.value = most;
    else
        peak.unknown = "no graph says the sizes of what it makes as numbers";
    none.atLeast = unjudged > 0;
    if (unjudged < report.graphs.size())
        none.value = static_cast<double>(none.parts.size());
    else
        none.unknown = "the graphs do not say the shapes and devices that PyTorch asks for";
}

} // namespace

std::string_view kindName(Kind kind) {
    static constexpr std::array<std::string_view, kinds.size()> names = {
        "graph-breaks", "recompiles", "compile-seconds", "peak-bytes", "no-cudagraph", "nodes"};
    return names[static_cast<std::size_t>(kind)];
}

std::string figureText(Kind kind, double value) {
    const auto whole = static_cast<std::size_t>(std::max(0.0, std::round(value)));
    switch (kind) {
    case Kind::GraphBreaks:
        return count(whole, "graph break");
    case Kind::Recompiles:
        return count(whole, "recompile");
    case Kind::CompileSeconds:
        return formatSeconds(value) + " of compile time";
    case Kind::PeakBytes:
        return formatBytes(whole) + " at the peak of one graph";
    case Kind::NoCudaGraph:
        return count(whole, "graph") + (whole == 1 ? " that is no CUDA graph" : " that are no CUDA graphs");
    case Kind::Nodes:
        return count(whole, "node") + " in compiled graphs";
    }
    return {};
}

Figures figuresOf(const Session& session, const TaskContext& task) {
    const log::Stopwatch watch;
    Figures out;
    if (hasCompiles(session)) {
        readBreaks(session, out);
        readRecompiles(session, out);
        readTimes(session, out);
    } else {
        for (const Kind kind : {Kind::GraphBreaks, Kind::Recompiles, Kind::CompileSeconds})
            out[kind].unknown = "nothing in the capture was compiled by torch.compile";
    }
    readGraphs(session, task, out);
    for (Figure& figure : out.of)
        std::ranges::stable_sort(figure.parts, std::ranges::greater(), &Part::value);
    log::write(log::Topic::Report, session.title, ": figures after ", watch.ms(), " ms");
    return out;
}

} // namespace dynascope::report
