// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli/command.h"
#include "app/cli/info.h"
#include "app/cli/memory_report.h"
#include "app/cli/table.h"
#include "core/base/text.h"
#include "core/base/threads.h"
#include "core/computed/alias_table.h"
#include "core/replay/tree_simulator.h"
#include "core/session/break_reasons.h"
#include "core/session/breaks.h"
#include "core/session/cache_counts.h"
#include "core/session/compile_counts.h"
#include "core/session/failure.h"
#include "core/session/resume.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <map>
#include <thread>

namespace dynascope::cli {

namespace {

using Align = Table::Align;
using session::Compile;
using session::Session;

constexpr std::size_t functionWidth = 32;
constexpr std::size_t whyWidth = 76;
constexpr std::size_t mostMemoryLines = 10;
constexpr std::size_t fewCompiles = 16; ///< whose graphs are not worth a thread

std::string functionOf(const Compile& compile) {
    if (const auto resumed = session::parseResumedFunction(compile.function))
        return elide(resumed->function, functionWidth) + " resumed";
    return elide(compile.function, functionWidth);
}

std::string statusOf(const Compile& compile) {
    std::string out(session::statusName(compile.status));
    if (compile.status == session::Status::GraphBreak && compile.breaks.back().location())
        out += " :" + std::to_string(compile.breaks.back().location()->line);
    return out;
}

/// A guard as PyTorch prints it, without the place that stands in a column of its own after it.
std::string withoutComment(std::string_view guard) {
    guard = guard.substr(0, guard.find("  # "));
    while (guard.ends_with(' '))
        guard.remove_suffix(1);
    return std::string(guard);
}

/// Why, in one line: the failure, the recompile, or the graph break.
std::string whyOf(const Compile& compile) {
    if (compile.status == session::Status::Failed || !compile.failType.empty()) {
        const std::string at = placeText(compile.failAt);
        return compile.failType + (at.empty() ? "" : " at " + at) +
               (compile.failReason.empty() ? "" : ": " + session::failureInALine(compile));
    }
    if (!compile.recompileReasons.empty())
        return "recompile " + withoutComment(firstLine(compile.recompileReasons.front()));
    if (compile.isRecompile) return "recompile";
    if (!compile.breaks.empty()) return session::shortReason(compile.breaks.back());
    return {};
}

/// Nodes of the first graph: what Dynamo captured.
std::string nodesOf(const Compile& compile) {
    for (const session::StagePtr& stage : compile.stages)
        if (stage->content == session::Stage::Content::Graph) return count(stage->nodeCount(), "node");
    return "no graph";
}

/// Has the graphs that nodesOf() asks for read on all cores; a stage keeps what was counted.
void countNodes(const Session& session) {
    std::atomic<std::size_t> next{0};
    const std::size_t cores = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, 8);
    try {
        shareWork(session.compiles.size() > fewCompiles ? cores - 1 : 0, [&](const Sharer& sharer) {
            for (std::size_t i = next++; i < session.compiles.size() && !sharer.failed; i = next++)
                (void)nodesOf(session.compiles[i]);
        });
    } catch (...) {
        // What went wrong, such as memory that ran out, goes wrong again where the number is printed.
        return;
    }
}

std::string runsText(const Session& session) {
    Table table({Align::Left, Align::Left, Align::Left});
    for (const session::Run& run : session.runs)
        if (session.runCount(run.rank) > 1)
            table.add({session.ranks.size() > 1 ? "rank " + std::to_string(run.rank) : std::string(),
                       "run " + std::to_string(run.number) +
                           (run.number > 1 ? " (ID@" + std::to_string(run.number) + ")" : std::string()),
                       runWords(run)});
    return table.empty() ? std::string() : "\nRuns\n" + table.toString("  ");
}

std::string compilesText(const Session& session) {
    Table table({Align::Left, Align::Left, Align::Left, Align::Left, Align::Right, Align::Right, Align::Right,
                 Align::Left});
    for (const Compile& compile : session.compiles) {
        const std::string tries =
            compile.attempts > 1 ? count(static_cast<std::size_t>(compile.attempts), "attempt") : "";
        table.add({compileName(session, compile), statusOf(compile), functionOf(compile),
                   compile.location() ? placeText(*compile.location()) : std::string(),
                   formatSeconds(session::compileTime(compile)), nodesOf(compile), tries,
                   elide(whyOf(compile), whyWidth)});
    }
    return "\nCompiles\n" + table.toString("  ");
}

std::string breaksText(const Session& session) {
    const session::BreakSummary summary = session::summarizeBreaks(session);
    if (summary.groups.empty()) return {};
    std::string out =
        "\n" + count(summary.breaks, "graph break") + ", " + count(summary.groups.size(), "distinct reason");
    if (summary.secondsAfterBreaks > 0)
        out += ", " + formatSeconds(summary.secondsAfterBreaks) + " of " +
               formatSeconds(summary.compileSeconds) + " compile time after a break (upper bound)";
    Table table({Align::Right, Align::Left, Align::Left, Align::Right, Align::Left});
    for (const session::BreakGroup& group : summary.groups)
        table.add({std::to_string(group.occurrences.size()), elide(group.reason, whyWidth),
                   placeText(group.location), formatSeconds(group.secondsAfter),
                   group.waysOut.empty() ? std::string()
                                         : group.waysOut.front().kind + ": " + group.waysOut.front().title});
    return out + "\n" + table.toString("  ");
}

std::string stagesOf(const Compile& compile) {
    Table table({Align::Left, Align::Right, Align::Left, Align::Left});
    const bool severalAttempts = std::ranges::any_of(compile.stages, [&](const session::StagePtr& stage) {
        return stage->attempt != compile.stages.front()->attempt;
    });
    for (const session::StagePtr& stage : compile.stages) {
        const bool code = stage->content == session::Stage::Content::Code;
        const std::size_t size = code ? stage->kernelCount() : stage->nodeCount();
        std::string label = stage->label() + (stage->detail.empty() ? "" : " (" + stage->detail + ')');
        if (severalAttempts) label += ", attempt " + std::to_string(stage->attempt);
        std::string noun = code ? "kernel" : "node";
        if (size != 1) noun += 's';
        const bool unreadable = !code && size == 0;
        table.add({label, unreadable ? "" : std::to_string(size), unreadable ? "unreadable" : std::move(noun),
                   std::string(session::phaseName(stage->phase))});
    }
    return table.toString("      ");
}

/// The richest compile of each frame shows its pipeline; those of all compiles would be pages.
std::string stagesText(const Session& session) {
    std::string out;
    for (const session::Frame& frame : session.frames) {
        const Compile* best = nullptr;
        for (const std::size_t i : frame.compiles) {
            const Compile& compile = session.compiles[i];
            if (!best || compile.stages.size() > best->stages.size()) best = &compile;
        }
        if (!best || best->stages.empty()) continue;
        const std::size_t others = frame.compiles.size() - 1;
        if (session.records.empty()) return "\nGraphs\n" + stagesOf(*best);
        out += "  " + compileName(session, *best);
        if (!frame.function.empty())
            out += "  " + elide(frame.function, functionWidth) + ' ' + placeText(frame.location);
        if (others != 0) out += ", the fullest of " + count(frame.compiles.size(), "compile");
        out += "\n" + stagesOf(*best);
    }
    return out.empty() ? out : "\nStages\n" + out;
}

std::string unknownWritesText(const Session& session) {
    const auto unknown = static_cast<std::size_t>(
        std::count_if(session.compiles.begin(), session.compiles.end(),
                      [&](const Compile& compile) { return writesAreUnknown(session, compile); }));
    if (unknown == 0) return {};
    return "\nNo AOTAutograd metadata of " + count(unknown, "compile id") +
           ": `dynascope-cli rederive` derives whose inputs are written, data or metadata\n";
}

std::string cachesText(const Session& session) {
    std::map<std::string, std::vector<session::CacheEvent>> events;
    std::map<std::pair<std::string, std::string>, std::size_t> bypasses; // by cache and reason
    for (const Compile& compile : session.compiles)
        for (const session::CacheEvent& event : compile.caches) {
            events[event.cache].push_back(event);
            if (event.outcome == session::CacheEvent::Outcome::Bypass && !event.reason.empty())
                ++bypasses[{event.cache, event.reason}];
        }
    Table table({Align::Left, Align::Left});
    for (const auto& [cache, of] : events) {
        table.add({cache, session::countCaches(of).words()});
        for (const auto& [reason, n] : bypasses)
            if (reason.first == cache)
                table.add({"", std::to_string(n) + " because: " + elide(firstLine(reason.second), whyWidth)});
    }
    return table.empty() ? std::string() : "\nCaches\n" + table.toString("  ");
}

std::string timingsText(const Session& session) {
    constexpr std::size_t shown = 8;
    const std::vector<PhaseTime> times = phaseTimes(session);
    if (times.empty()) return {};
    Table table({Align::Left, Align::Right, Align::Right});
    for (std::size_t i = 0; i < times.size() && i < shown; ++i)
        table.add(
            {elide(times[i].name, 50), formatSeconds(times[i].seconds), count(times[i].count, "event")});
    std::string out =
        "\nTimings by event name; events nest, and those of workers run at once\n" + table.toString("  ");
    if (times.size() > shown) out += "  and " + count(times.size() - shown, "shorter name") + "\n";
    return out;
}

std::string recordsText(const Session& session) {
    std::map<std::string, std::size_t> unknown;
    for (std::size_t i = 0; i < session.records.size(); ++i)
        if (!session.records.known(i)) ++unknown[session.records.type(i)];
    if (unknown.empty()) return {};
    Table table({Align::Left, Align::Right});
    for (const auto& [type, n] : unknown)
        table.add({elide(type, 60), std::to_string(n)});
    return "\nRecords of unknown types, kept raw\n" + table.toString("  ");
}

std::string warningsText(const Session& session) {
    if (session.warnings.empty()) return {};
    std::string out = "\n" + count(session.warnings.size(), "warning") + "\n";
    for (const session::Warning& warning : session.warnings)
        out += "  " + warning.error.toString() + "\n";
    return out;
}

std::string headText(const Session& session) {
    std::string out = session.title + "\n" + std::string(session::kindName(session.kind));
    if (!session.torchVersion.empty()) out += ", PyTorch " + session.torchVersion;
    if (session.ranks.size() > 1) out += ", " + count(session.ranks.size(), "rank");
    if (session.records.empty()) {
        const std::size_t graphs = session.compiles.empty() ? 0 : session.compiles.front().stages.size();
        return out + ", " + count(graphs, "graph") + "\n";
    }
    double seconds = 0;
    std::size_t recompiles = 0;
    for (const Compile& compile : session.compiles) {
        seconds += session::compileTime(compile);
        recompiles += compile.isRecompile ? 1 : 0;
    }
    out += ", " + count(session.records.size(), "record");
    const session::CompileCounts counts = session::countCompiles(session);
    out += '\n';
    if (counts.compiles == 0)
        out += count(counts.graphs, "graph");
    else
        out += count(counts.frames, "frame") + ", " + session::compilesText(counts);
    if (recompiles != 0) out += ", " + count(recompiles, "recompile");
    if (seconds > 0) out += ", " + formatSeconds(seconds) + " compile time";
    return out + "\n";
}

} // namespace

bool writesAreUnknown(const Session& session, const Compile& compile) {
    const auto has = [&](std::string_view name) {
        return std::any_of(compile.stages.begin(), compile.stages.end(),
                           [&](const session::StagePtr& stage) { return stage->name == name; });
    };
    return has("dynamo_output_graph") && (has("aot_joint_graph") || has("aot_inference_graph")) &&
           !computed::hasMetadata(session, compile);
}

std::vector<PhaseTime> phaseTimes(const Session& session) {
    std::map<std::string, PhaseTime> byName;
    for (const session::TimingEvent& event : session.timings) {
        if (event.durationUs <= 0) continue;
        PhaseTime& time = byName[event.name];
        if (time.count == 0) time.name = event.name;
        time.seconds += event.durationUs * 1e-6;
        ++time.count;
    }
    std::vector<PhaseTime> out;
    out.reserve(byName.size());
    for (auto& [name, time] : byName)
        out.push_back(std::move(time));
    std::stable_sort(out.begin(), out.end(),
                     [](const PhaseTime& a, const PhaseTime& b) { return a.seconds > b.seconds; });
    return out;
}

std::string infoText(const Session& session) {
    std::string out = headText(session);
    if (session.kind == session::Kind::MemorySnapshot) return out + memoriesText(session, mostMemoryLines);
    if (const auto tree = session::attachedAs<replay::TreeProgram>(session.tree))
        return out + count(tree->functions.size(), "function") + ", " + count(tree->events.size(), "event") +
               " of CUDA-graph trees\n";
    if (!session.records.empty()) {
        countNodes(session);
        out += runsText(session) + compilesText(session);
    }
    return out + breaksText(session) + stagesText(session) + unknownWritesText(session) +
           cachesText(session) + timingsText(session) + memoriesText(session, mostMemoryLines) +
           recordsText(session) + warningsText(session) + answersText(session);
}

} // namespace dynascope::cli
