// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli/info.h"
#include "app/cli/memory_report.h"

#include "core/replay/tree_simulator.h"
#include "core/session/break_reasons.h"

#include <nlohmann/json.hpp>

namespace dynascope::cli {

namespace {

using nlohmann::ordered_json;

ordered_json stackJson(const ir::StackTrace& stack) {
    ordered_json out = ordered_json::array();
    for (const ir::SourceLocation& frame : stack) {
        out.push_back(
            {{"file", frame.file}, {"line", frame.line}, {"function", frame.function}, {"code", frame.code}});
    }
    return out;
}

ordered_json breakJson(const session::GraphBreak& b) {
    // As PyTorch words it: the title, then what it means.
    const std::string reason =
        b.explanation.empty() ? b.title : b.title + "\n  Explanation: " + b.explanation;
    return {{"reason", reason},
            {"short_reason", session::shortReason(b)},
            {"explanation", b.explanation},
            {"context", b.context},
            {"hints", b.hints},
            {"attempt", b.attempt},
            {"stack", stackJson(b.userStack)}};
}

ordered_json compileJson(const session::Compile& c) {
    ordered_json stages = ordered_json::array();
    for (const session::StagePtr& s : c.stages) {
        ordered_json stage = {{"name", s->name},
                              {"k", s->k},
                              {"phase", session::phaseName(s->phase)},
                              {"attempt", s->attempt},
                              {"nodes", s->nodeCount()}};
        if (s->content == session::Stage::Content::Graph && s->nodeCount() == 0) {
            const auto graph = s->graph();
            if (!graph) stage["error"] = graph.error().toString();
        }
        if (!s->detail.empty()) stage["detail"] = s->detail;
        if (s->content == session::Stage::Content::Code) stage["kernels"] = s->kernelCount();
        stages.push_back(std::move(stage));
    }
    ordered_json breaks = ordered_json::array();
    for (const session::GraphBreak* b : c.finalBreaks()) {
        breaks.push_back(breakJson(*b));
    }
    ordered_json symbols = ordered_json::array();
    for (const session::SymbolInfo& s : c.symbols) {
        symbols.push_back({{"symbol", s.symbol},
                           {"value", s.value},
                           {"range", s.range},
                           {"source", s.source},
                           {"became", s.became}});
    }
    ordered_json caches = ordered_json::array();
    for (const session::CacheEvent& e : c.caches) {
        caches.push_back(
            {{"cache", e.cache}, {"outcome", outcomeName(e.outcome)}, {"key", e.key}, {"reason", e.reason}});
    }
    ordered_json out = {{"compile_id", c.id.toString()},
                        {"rank", c.rank},
                        {"run", c.id.run},
                        {"status", session::statusName(c.status)},
                        {"function", c.function},
                        {"attempts", c.attempts},
                        {"restart_reasons", c.restartReasons},
                        {"stack", stackJson(c.userStack)},
                        {"stages", std::move(stages)},
                        {"graph_breaks", std::move(breaks)},
                        {"recompile_reason", nullptr},
                        {"symbols", std::move(symbols)},
                        {"guards", c.guards.size()},
                        {"inputs", c.inputs.size()},
                        {"caches", std::move(caches)},
                        {"compile_seconds", c.compileSeconds},
                        {"backward_seconds", c.backwardSeconds}};
    if (!c.recompileReasons.empty()) {
        std::string joined;
        for (const std::string& reason : c.recompileReasons) {
            joined += (joined.empty() ? "" : "\n") + reason;
        }
        out["recompile_reason"] = joined;
    }
    if (!c.failType.empty() || !c.failReason.empty()) {
        out["failure"] = {
            {"type", c.failType}, {"reason", c.failReason}, {"file", c.failAt.file}, {"line", c.failAt.line}};
    }
    return out;
}

} // namespace

std::string infoJson(const session::Session& session) {
    ordered_json warnings = ordered_json::array();
    for (const session::Warning& w : session.warnings) {
        warnings.push_back({{"message", w.error.message}, {"file", w.error.file}, {"line", w.error.line}});
    }
    ordered_json runs = ordered_json::array();
    for (const session::Run& run : session.runs)
        runs.push_back({{"rank", run.rank},
                        {"run", run.number},
                        {"words", runWords(run)},
                        {"file", run.file},
                        {"line", run.line}});
    ordered_json compiles = ordered_json::array();
    for (const session::Compile& c : session.compiles) {
        compiles.push_back(compileJson(c));
    }
    ordered_json frames = ordered_json::array();
    for (const session::Frame& f : session.frames) {
        ordered_json ids = ordered_json::array();
        for (const std::size_t i : f.compiles)
            ids.push_back(session.compiles[i].id.toString());
        frames.push_back({{"function", f.function},
                          {"file", f.location.file},
                          {"line", f.location.line},
                          {"rank", f.rank},
                          {"run", f.run},
                          {"compile_ids", std::move(ids)}});
    }
    ordered_json timings = ordered_json::array();
    for (const PhaseTime& time : phaseTimes(session))
        timings.push_back({{"name", time.name}, {"seconds", time.seconds}, {"count", time.count}});
    ordered_json document = {{"kind", session::kindName(session.kind)},
                             {"path", session.path},
                             {"torch_version", session.torchVersion},
                             {"ranks", session.ranks},
                             {"runs", std::move(runs)},
                             {"records", session.recordCounts},
                             {"warnings", std::move(warnings)},
                             {"frames", std::move(frames)},
                             {"compiles", std::move(compiles)},
                             {"timings", std::move(timings)}};
    if (const auto tree = session::attachedAs<replay::TreeProgram>(session.tree))
        document["tree"] = {{"functions", tree->functions.size()}, {"events", tree->events.size()}};
    if (session.memory) document["memory"] = memoryJson(*session.memory, SIZE_MAX);
    for (const session::FoundMemory& found : session.memories)
        document["memories"].push_back({{"rank", found.rank >= 0 ? ordered_json(found.rank) : ordered_json()},
                                        {"file", found.file},
                                        {"memory", memoryJson(*found.snapshot, SIZE_MAX)}});
    document["answers"] = answersJson(session);
    // Text of a capture may hold anything; bad UTF-8 is replaced rather than thrown at.
    return document.dump(2, ' ', false, ordered_json::error_handler_t::replace);
}

} // namespace dynascope::cli
