// SPDX-License-Identifier: BSD-3-Clause
//
// Judges of what the reader recorded: each says one word of it, which the lesson has as a choice.
#include "core/base/text.h"
#include "core/lessons/judges.h"
#include "core/lessons/lesson_fields.h"
#include "core/replay/coverage.h"
#include "core/session/breaks.h"

#include <algorithm>
#include <array>
#include <optional>

namespace dynascope::lessons {

namespace {

using session::Compile;
using session::Session;

FoundAnswer word(std::string key, std::string words) {
    return {{std::move(key)}, std::move(words)};
}

std::string counted(std::size_t count, const std::string& one) {
    return std::to_string(count) + ' ' + one + (count == 1 ? "" : "s");
}

std::size_t graphsOf(const Session& session) {
    return std::size_t(
        std::count_if(session.compiles.begin(), session.compiles.end(), [](const Compile& compile) {
            return compile.findStage("dynamo_output_graph") != nullptr;
        }));
}

/// "one": one graph and no break; "breaks", "several" or "none".
FoundAnswer graphs(const Session& session) {
    const session::BreakSummary summary = summarizeBreaks(session);
    const std::size_t count = graphsOf(session);
    if (!summary.groups.empty()) {
        const session::BreakGroup& first = summary.groups.front();
        return word("breaks", counted(count, "graph") + ", " + counted(summary.breaks, "graph break") +
                                  ", the costliest in line " + std::to_string(first.location.line) + ": " +
                                  first.reason + ".");
    }
    if (count == 0) return word("none", "No graph was captured.");
    if (count > 1) return word("several", counted(count, "graph") + ", no graph break.");
    return word("one", "1 graph, no graph break.");
}

/// The graph of a stage of the first compile that has it; null where none has.
ir::GraphPtr graphNamed(const Session& session, std::string_view stage) {
    for (const Compile& compile : session.compiles)
        if (const session::StagePtr found = compile.findStage(stage))
            if (const auto graph = found->graph()) return *graph;
    return nullptr;
}

/// Whether a call of one of `names`, "gt/ne", is read: in the graph, or in a side of a torch.cond within it.
bool computes(const ir::Graph& graph, std::string_view names) {
    const std::string among = '/' + std::string(names) + '/';
    for (ir::NodeIndex i = 0; i < graph.size(); ++i) {
        const ir::Node& node = graph.node(i);
        const bool call = node.op == ir::Op::CallFunction || node.op == ir::Op::CallMethod;
        const std::string name = '/' + node.target.substr(node.target.rfind('.') + 1) + '/';
        if (call && !graph.users(i).empty() && among.find(name) != std::string::npos) return true;
    }
    return std::any_of(graph.subgraphs().begin(), graph.subgraphs().end(),
                       [&](const auto& sub) { return sub.second && computes(*sub.second, names); });
}

/// What the graph returns, without strides: "f32[4, 4] f32[]".
std::string returnsOf(const ir::Graph& graph) {
    std::vector<std::string> values;
    for (const ir::NodePtr& node : graph.nodes())
        if (node->op == ir::Op::Output)
            node->forEachInput([&](const std::string& name) {
                const ir::NodeIndex at = graph.find(name);
                const bool known = at != ir::npos && graph.node(at).meta;
                values.push_back(known ? graph.node(at).meta->shortForm() : std::string("?"));
            });
    return joined(values, " ");
}

/// What the one graph no longer does of `keeps="sin cos gt/ne"`, names of what is computed, and of
/// `returns="f32[4, 4]"`; empty where it does all of it.
std::string lostBy(const ir::Graph& graph, const Call& asked) {
    for (const std::string& names : wordsOf(asked.value("keeps")))
        if (!computes(graph, names))
            return "1 graph, no graph break, but nothing in it reads a call of " + names + ".";
    const std::string_view returns = asked.value("returns");
    if (const std::string found = returnsOf(graph); !returns.empty() && found != returns)
        return "1 graph, no graph break. It returns " + (found.empty() ? "no tensor" : found) + ", not " +
               std::string(returns) + ".";
    return {};
}

/// "disabled" where a function was kept from Dynamo, "changed" where the one graph lost what `keeps=` and `returns=` ask
/// of it; else as graphs().
Result<FoundAnswer> recordedGraphs(const Question& question, const JudgedFacts& facts) {
    return sessionFor(question, facts).map([&](const Session* session) {
        FoundAnswer found = graphs(*session);
        for (const session::BreakGroup& group : summarizeBreaks(*session).groups)
            if (group.reason.find("torch.compiler.disable") != std::string::npos) found.keys = {"disabled"};
        if (found.keys.front() != "one") return found;
        const ir::GraphPtr graph = graphNamed(*session, "dynamo_output_graph");
        if (!graph) return word("none", "The graph cannot be read.");
        if (std::string lost = lostBy(*graph, question.judge); !lost.empty())
            return word("changed", std::move(lost));
        return found;
    });
}

/// "one": a compile without a recompile, with at least one symbolic size; "again" and "static" else.
Result<FoundAnswer> recordedShapes(const Question& question, const JudgedFacts& facts) {
    return sessionFor(question, facts).map([](const Session* session) {
        for (const Compile& compile : session->compiles)
            if (compile.isRecompile)
                return word("again", counted(session->compiles.size(), "compile") + ". Recompiled since " +
                                         joined(compile.recompileReasons, ", ") + ".");
        const bool dynamic =
            std::any_of(session->compiles.begin(), session->compiles.end(), [](const Compile& compile) {
                return std::any_of(compile.symbols.begin(), compile.symbols.end(),
                                   [](const session::SymbolInfo& symbol) { return symbol.became.empty(); });
            });
        if (session->compiles.empty()) return word("none", "Nothing was compiled.");
        if (!dynamic) return word("static", "No recompile, and no size is symbolic.");
        return word("one", "No recompile, and a size is symbolic.");
    });
}

/// "recorded", or by the first thing that prevents it "writes", "split" or "other". On a GPU, where it is on the CPU.
Result<FoundAnswer> recordedCudaGraphs(const Question& question, const JudgedFacts& facts) {
    using replay::CoverageVerdict;
    return sessionFor(question, facts).map([](const Session* session) {
        const replay::CoverageReport report =
            cudagraphCoverage(*session, replay::GraphBackend::ReduceOverhead);
        if (report.graphs.empty()) return word("none", "Nothing was compiled.");
        for (const replay::GraphCoverage& graph : report.graphs) {
            const CoverageVerdict verdict = graph.onGpu.value_or(graph.verdict);
            if (verdict == CoverageVerdict::CudaGraph) continue;
            for (const replay::CoverageProblem& problem : graph.problems)
                if (problem.what != replay::runsOnCpu)
                    return word(verdict == CoverageVerdict::Split             ? "split"
                                : problem.what.starts_with("writes an input") ? "writes"
                                                                              : "other",
                                "The graph of " + session->compiles[graph.compile].function + " " +
                                    problem.what + ".");
            return word("other", "The graph would not be recorded: " + graph.message + ".");
        }
        return word("recorded", counted(report.graphs.size(), "graph") + " would be CUDA graphs on a GPU.");
    });
}

std::size_t callsIn(const ir::Graph& graph, std::string_view target, bool read) {
    std::size_t count = 0;
    for (ir::NodeIndex i = 0; i < graph.size(); ++i)
        count += graph.node(i).op == ir::Op::CallFunction &&
                 ir::shortTarget(graph.node(i).target) == target && (!read || !graph.users(i).empty());
    return count;
}

/// Inductor's passes left `left=` calls of `target=`: "done"; else "unchanged", "unread" where what is too much is read by
/// nobody, "few", "many", or "none" where the capture has no such graphs.
Result<FoundAnswer> recordedPass(const Question& question, const JudgedFacts& facts) {
    return sessionFor(question, facts).map([&](const Session* session) {
        const std::string target(question.judge.value("target"));
        const ir::GraphPtr before = graphNamed(*session, "before_post_grad_graph");
        const ir::GraphPtr after = graphNamed(*session, "inductor_post_grad_graph");
        if (!before || !after)
            return word("none", "The capture has no graph before and after Inductor's post-grad passes.");
        const std::size_t had = callsIn(*before, target, false), has = callsIn(*after, target, false);
        const std::size_t read = callsIn(*after, target, true);
        const auto left = std::size_t(std::max(0, question.judge.number("left", 0)));
        const std::string words = counted(had, "call") + " of " + target + " before the passes, " +
                                  std::to_string(has) + " after them.";
        if (had <= left) return word("none", words);
        if (has == left) return word("done", words);
        if (has < left) return word("few", words);
        if (read == left) return word("unread", words + " One of them is read by nobody.");
        return word(has == had ? "unchanged" : "many", words);
    });
}

constexpr std::array<JudgeEntry, 4> ofRecorded{{{"record.cudagraph", recordedCudaGraphs},
                                                {"record.graphs", recordedGraphs},
                                                {"record.pass", recordedPass},
                                                {"record.shapes", recordedShapes}}};

} // namespace

std::span<const JudgeEntry> recordedJudges() {
    return ofRecorded;
}

} // namespace dynascope::lessons
