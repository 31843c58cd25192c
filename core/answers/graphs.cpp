// SPDX-License-Identifier: BSD-3-Clause
//
// Answers that read graphs: CUDA graphs, memory, ranks.
#include "core/answers/parts.h"

#include "core/base/words.h"
#include "core/ranks/measured.h"
#include "core/replay/coverage.h"
#include "core/replay/graph_peak.h"
#include "core/replay/plan.h"
#include "core/session/symbol_hints.h"

#include <algorithm>
#include <optional>

namespace dynascope::answers::detail {

using replay::CoverageVerdict;
using replay::GraphCoverage;
using session::Compile;
using session::Session;

namespace {

Item::Meaning meaningOf(CoverageVerdict verdict) {
    switch (verdict) {
    case CoverageVerdict::CudaGraph:
        return Item::Meaning::Good;
    case CoverageVerdict::Split:
        return Item::Meaning::Warn;
    case CoverageVerdict::Skipped:
    case CoverageVerdict::Raises:
        return Item::Meaning::Bad;
    case CoverageVerdict::Unknown:
        return Item::Meaning::Plain;
    }
    return Item::Meaning::Plain;
}

std::string graphName(const Session& session, const GraphCoverage& graph) {
    const Compile& compile = session.compiles[graph.compile];
    if (compile.id.empty()) return graph.stage->label(); // a graph by itself
    std::string out = compileName(session, compile);
    if (graph.part == "backward") out += " bw";
    return out;
}

/// The first reason against a CUDA graph, with its place and the advice.
std::string reasonText(const Session& session, const GraphCoverage& graph) {
    for (const replay::CoverageProblem& problem : graph.problems) {
        if (!problem.prevents) continue;
        std::string out = graphName(session, graph) + ' ' + problem.what;
        if (!problem.places.empty()) {
            const replay::CoveragePlace& place = problem.places.front();
            const std::string at = placeText(place.at);
            if (!at.empty()) out += " at " + at;
        }
        out += '.';
        if (!problem.advice.empty()) out += ' ' + sentenceOf(problem.advice);
        return out;
    }
    return graph.message.empty() ? std::string()
                                 : graphName(session, graph) + ": " + sentenceOf(graph.message);
}

/// Why none of the graphs is judged.
std::string unknownWhy(const replay::CoverageReport& report) {
    const std::string& why = report.graphs.front().message;
    const bool same = std::ranges::all_of(
        report.graphs, [&why](const GraphCoverage& graph) { return graph.message == why; });
    if (!same || why.empty()) return "The graphs do not say enough to judge them.";
    const std::size_t all = report.graphs.size();
    return (all == 1 ? std::string("The graph is not judged: ")
                     : "No graph is judged, each for this reason: ") +
           why + '.';
}

/// Of a trace another one would be the same.
Answer noGraph(const Session& session, Question question) {
    return session.kind == session::Kind::TorchTrace
               ? notHere(question, "Nothing that was compiled left a graph in this trace.")
               : notHere(question, "This capture holds no compiled graph.", std::string(traceCommand));
}

/// What a run whose backend was not Inductor has of a mode that is Inductor's.
std::string otherBackend(const Session& session, const TaskContext& task) {
    const replay::CoverageReport report =
        replay::cudagraphCoverage(session, replay::GraphBackend::Cudagraphs, task);
    const std::size_t good =
        report.count(CoverageVerdict::CudaGraph) + report.countOnGpu(CoverageVerdict::CudaGraph);
    return "Nothing of Inductor is in this trace, and the mode is Inductor's: it needs backend=\"inductor\", "
           "the default, "
           "whose graphs may differ from these. backend=\"cudagraphs\" works without Inductor and would "
           "record " +
           std::to_string(good) + " of " + count(report.graphs.size(), "graph") + " on a GPU.";
}

} // namespace

Answer cudaGraphsAnswer(const Session& session, const TaskContext& task) {
    Answer out;
    out.question = Question::CudaGraphs;
    const replay::CoverageReport report =
        replay::cudagraphCoverage(session, replay::GraphBackend::ReduceOverhead, task);
    if (task.cancelled()) return out;
    if (report.graphs.empty()) return noGraph(session, out.question);
    std::size_t good = 0, onCpu = 0, unknown = 0, none = 0;
    const GraphCoverage* against = nullptr;
    for (const GraphCoverage& graph : report.graphs) {
        const CoverageVerdict verdict = graph.onGpu.value_or(graph.verdict);
        onCpu += graph.onGpu ? 1 : 0;
        Item item;
        item.label = graphName(session, graph);
        item.text = replay::coverageVerdictName(verdict);
        item.meaning = graph.needsNone ? Item::Meaning::Plain : meaningOf(verdict);
        item.target.compile = graph.compile;
        item.target.stage = graph.stage;
        if (!graph.problems.empty() && !graph.problems.front().places.empty())
            item.target.node = graph.problems.front().places.front().node;
        if (verdict == CoverageVerdict::CudaGraph)
            ++good;
        else if (verdict == CoverageVerdict::Unknown)
            ++unknown;
        else if (graph.needsNone)
            ++none;
        else if (!against)
            against = &graph;
        out.items.push_back(std::move(item));
    }
    const std::size_t all = report.graphs.size();
    const bool cpuAlone = onCpu > 0 && onCpu + none + unknown == all;
    if (unknown == all) return notHere(out.question, unknownWhy(report));
    out.figure = std::to_string(good);
    out.of = "of " + count(all, "graph") + " would be " + (good == 1 ? "a CUDA graph" : "CUDA graphs") +
             (cpuAlone ? " on a GPU" : "");
    out.picture = Picture::Cells;
    out.axis = "Each compiled graph";
    const std::string needNone =
        count(none, "graph") +
        (none == 1 ? " runs nothing on a device and needs" : " run nothing on a device and need") + " none.";
    if (good + none + unknown == all && good > 0) {
        out.standing = unknown == 0 ? Standing::InOrder : Standing::Know;
        const std::string records = std::string("Inductor with mode=\"reduce-overhead\" would record ") +
                                    (good == 1                   ? "it."
                                     : unknown == 0 && none == 0 ? "all of them."
                                                                 : "them.");
        out.sentence = cpuAlone ? (good == 1 ? "Its" : "Their") +
                                      (" tensors are on the CPU here: on one GPU, " + records)
                                : records;
        if (unknown > 0) out.sentence += " Of the others the capture does not say enough.";
        if (none > 0) out.note = needNone;
    } else {
        out.standing = Standing::Know;
        if (against) {
            // The reasons of a graph on the CPU begin with the CPU, which a GPU would take away.
            std::string why;
            if (against->onGpu) {
                GraphCoverage there = *against;
                std::erase_if(there.problems, [](const replay::CoverageProblem& problem) {
                    return problem.what == replay::runsOnCpu;
                });
                there.message.clear();
                why = reasonText(session, there);
            } else {
                why = reasonText(session, *against);
            }
            out.sentence =
                why.empty() ? std::to_string(all - good - unknown) + " would run eagerly or in pieces." : why;
            out.proof.compile = against->compile;
        } else if (none == all) {
            out.sentence = "No graph runs anything on a device, so none needs a CUDA graph.";
        } else {
            out.sentence = "Of the others the capture does not say enough.";
        }
        if (unknown > 0 && against)
            out.note = "Of " + count(unknown, "graph") + " the capture does not say enough.";
    }
    if (onCpu > 0 && !cpuAlone)
        out.note += std::string(out.note.empty() ? "" : " ") + count(onCpu, "graph") +
                    (onCpu == 1 ? " has its tensors on the CPU here and is"
                                : " have their tensors on the CPU here and are") +
                    " judged as on one GPU.";
    out.note += std::string(out.note.empty() ? "" : " ") +
                "By the checks that PyTorch makes when it compiles" +
                (onCpu > 0 ? ", with every tensor on the GPU" : "") + "; nothing was run.";
    if (session.kind == session::Kind::TorchTrace && !replay::ranInductor(session))
        out.note += ' ' + otherBackend(session, task);
    keepFirst(out, mostCells);
    return out;
}

namespace {

/// The device that came highest, and which rank saw it.
struct HighestDevice {
    session::DeviceMemory device;
    int rank = -1;
};
std::optional<HighestDevice> highestDevice(const Session& session) {
    std::optional<HighestDevice> out;
    const auto look = [&out](const session::MemorySnapshot& snapshot, int rank) {
        for (session::DeviceMemory& device : session::summarizeMemory(snapshot))
            if (!out || device.peak > out->device.peak) out = {std::move(device), rank};
    };
    if (session.memories.empty()) look(*session.memory, -1);
    for (const session::FoundMemory& found : session.memories)
        look(*found.snapshot, session.memories.size() > 1 ? found.rank : -1);
    return out;
}

Answer snapshotAnswer(const Session& session) {
    Answer out;
    out.question = Question::Memory;
    const std::optional<HighestDevice> most = highestDevice(session);
    if (!most) return notHere(out.question, "The snapshot has no device.");
    const session::DeviceMemory& device = most->device;
    out.standing = device.outOfMemory > 0 ? Standing::Change : Standing::Know;
    out.figure = formatBytes(device.peak);
    out.of = "allocated at most on device " + std::to_string(device.device) +
             (most->rank >= 0 ? " of rank " + std::to_string(most->rank) : "") +
             ", as the allocator recorded it";
    if (device.outOfMemory > 0)
        out.sentence = "Memory ran out " + std::to_string(device.outOfMemory) +
                       (device.outOfMemory == 1 ? " time. " : " times. ");
    if (!device.atPeak.empty()) {
        const session::MemoryGroup& group = device.atPeak.front();
        const std::string at = placeText(group.at);
        out.sentence += (at.empty() ? "What was allocated without a recorded line" : at) + " holds " +
                        formatBytes(group.bytes) + " of it.";
    }
    return out;
}

/// What the graphs make by their shapes, without anything measured.
Answer graphsPeakAnswer(const Session& session, const TaskContext& task) {
    Answer out;
    out.question = Question::Memory;
    const replay::CoverageReport report =
        replay::cudagraphCoverage(session, replay::GraphBackend::ReduceOverhead, task);
    std::size_t unknown = 0, counted = 0, bySymbols = 0;
    std::uint64_t most = 0;
    std::size_t mostItem = 0;
    std::string holder;
    for (const GraphCoverage& graph : report.graphs) {
        if (task.cancelled()) return {};
        const Result<ir::GraphPtr> read = graph.stage->graph();
        if (!read) continue;
        const ir::SymbolValues symbols = graph.compile < session.compiles.size()
                                             ? session::symbolHints(session.compiles[graph.compile])
                                             : ir::SymbolValues();
        const replay::GraphBlocks blocks = replay::blocksOf(**read, replay::defaultAlignment, symbols);
        const replay::GraphPeak peak = replay::peakOf(blocks, (*read)->size());
        unknown += blocks.unknown;
        counted += blocks.blocks.size();
        bySymbols += blocks.bySymbols;
        Item item;
        item.label = graphName(session, graph);
        item.value = static_cast<double>(peak.bytes);
        item.text = formatBytes(peak.bytes);
        item.target = {graph.compile, nowhere, nowhere, graph.stage,
                       peak.held.empty() ? std::string() : (*read)->node(peak.held.front().maker).name};
        if (peak.bytes > most) {
            most = peak.bytes;
            mostItem = out.items.size();
            if (!peak.held.empty()) {
                const ir::Node& node = (*read)->node(peak.held.front().maker);
                const ir::SourceLocation* line = node.location();
                const std::string at = line ? placeText(*line) : std::string();
                holder = ": " + count(peak.held.size(), "value") +
                         (peak.held.size() == 1 ? ", " : ", the largest ") + node.name +
                         (at.empty() ? "" : " at " + at) + ", " + formatBytes(peak.held.front().bytes);
            }
        }
        out.items.push_back(std::move(item));
    }
    if (report.graphs.empty()) return noGraph(session, out.question);
    if (counted == 0) return notHere(out.question, "No graph says the sizes of what it makes as numbers.");
    out.standing = Standing::Know;
    out.figure = formatBytes(most);
    out.of = "peak of one graph, without its inputs";
    // What is not counted could be the larger part.
    if (unknown > 0) out.figure = "At least " + out.figure;
    out.sentence = "Most is alive in " + out.items[mostItem].label + holder + '.';
    const std::size_t compile = out.items[mostItem].target.compile;
    if (compile < session.compiles.size() && session.compiles[compile].findStage("inductor_output_code"))
        out.sentence += " Inductor's code needs less where kernels fuse or write in place.";
    out.note = "By lifetimes of what each graph makes, dense in the printed shapes; nothing was run.";
    if (bySymbols > 0)
        out.note = "Symbolic sizes count with the values of the call that was compiled. " + out.note;
    if (unknown > 0)
        out.note = count(unknown, "storage") + " of unknown or symbolic size " +
                   (unknown == 1 ? "is" : "are") + " not counted. " + out.note;
    out.proof = out.items[mostItem].target;
    out.picture = Picture::Columns;
    out.axis = "Peak of each graph";
    keepFirst(out, mostColumns, mostItem); // in the order of compilation, but never without the highest
    return out;
}

} // namespace

Answer memoryAnswer(const Session& session, const TaskContext& task) {
    if (!session.memory) return graphsPeakAnswer(session, task);
    Answer out = snapshotAnswer(session);
    if (session.compiles.empty()) return out;
    Answer graphs = graphsPeakAnswer(session, task);
    if (out.standing == Standing::NotHere) return graphs;
    if (graphs.standing != Standing::Know) return out;
    out.note =
        "By their shapes, of what graphs make: " + graphs.figure + ' ' + graphs.of + ". " + graphs.sentence;
    out.items = std::move(graphs.items);
    out.picture = graphs.picture;
    out.axis = std::move(graphs.axis);
    out.proof = std::move(graphs.proof);
    return out;
}

Answer ranksAnswer(const Session& session, const TaskContext& task) {
    Answer out;
    out.question = Question::Ranks;
    if (session.ranks.size() < 2)
        return notHere(
            out.question,
            hasCompiles(session) ? "One rank is in this capture. Open the folder that all ranks wrote to."
                                 : "This capture has no ranks.",
            hasCompiles(session) ? "TORCH_TRACE=trace torchrun --nproc-per-node 2 your_program.py" : "");
    const auto report = ranks::examineMeasured(session, task);
    if (!report) return out;
    std::size_t alike = 0, ids = 0;
    for (const ranks::CompileRow& row : report->rows) {
        // A part of a function is no id that others have.
        ids += row.partOf.empty() ? 1 : 0;
        alike += row.partOf.empty() && row.verdict == ranks::RanksVerdict::Alike ? 1 : 0;
        Item item;
        item.label = row.id;
        item.text = std::string(ranks::verdictName(row.verdict));
        item.meaning = row.verdict == ranks::RanksVerdict::Alike    ? Item::Meaning::Good
                       : row.verdict == ranks::RanksVerdict::Slower ? Item::Meaning::Warn
                                                                    : Item::Meaning::Bad;
        if (row.reason != ranks::none) {
            const ranks::Reason& reason = report->reasons[row.reason];
            item.text += ": " + reason.text;
            item.target.compile = reason.at == ranks::none ? nowhere : reason.at;
        }
        for (const std::size_t compile : row.compiles)
            if (item.target.compile == nowhere && compile != ranks::none) item.target.compile = compile;
        out.items.push_back(std::move(item));
    }
    out.figure = std::to_string(alike);
    out.of = "of " + count(ids, "compile id") + (alike == 1 ? " is" : " are") + " alike on " +
             count(session.ranks.size(), "rank");
    out.standing = report->verdict == ranks::RanksVerdict::Alike    ? Standing::InOrder
                   : report->verdict == ranks::RanksVerdict::Slower ? Standing::Know
                                                                    : Standing::Change;
    out.sentence = ranks::summaryOf(*report);
    const std::size_t profiles = report->measured;
    out.note = "Graphs, collectives, caches" +
               std::string(profiles > 1 ? ", code and profiles" : " and code") +
               " are compared; a rank's own device and number are no difference.";
    if (profiles > 1 && profiles < session.ranks.size())
        out.note += " Profiles are of " + std::to_string(profiles) + " ranks.";
    out.picture = Picture::Cells;
    out.axis = "Each compile id";
    keepFirst(out, mostCells);
    return out;
}

} // namespace dynascope::answers::detail
