// SPDX-License-Identifier: BSD-3-Clause
#include "core/base/text.h"
#include "core/dynamo/describe.h"
#include "core/oracle/oracle_program.h"

#include <algorithm>
#include <map>
#include <set>

namespace dynascope::engine::program {

namespace {

using nlohmann::json;
using namespace dynamo;

std::string fileName(std::string_view path) {
    return std::string(path.substr(path.rfind('/') + 1));
}

/// The end of the attempt's graph; null where it did not come to one.
const EventInfo* endOf(const Recording& recording, std::uint32_t attempt) {
    const auto found =
        std::find_if(recording.events().begin(), recording.events().end(), [&](const EventInfo& event) {
            return event.tag == Tag::GraphEnd && event.step != noStep && event.attempt == attempt;
        });
    return found == recording.events().end() ? nullptr : &*found;
}

/// How the frame ended, as the case says it: "compiled", "skip", "raised TYPE: first line".
std::string resultOf(const CompileInfo& compile) {
    if (compile.status == "skipped") return "skip";
    return compile.status == "raised" ? "raised " + std::string(firstLine(compile.error)) : compile.status;
}

std::string countsOf(const Recording& recording) {
    std::size_t graphs = 0, compiles = 0, breaks = 0, recompiles = 0, attempts = 0;
    for (std::uint32_t i = 0; i < recording.attempts().size(); ++i) {
        graphs += handedOver(recording, i) ? 1 : 0;
        if (endOf(recording, i) != nullptr)
            attempts = std::max<std::size_t>(attempts, recording.attempts()[i].number + 1);
    }
    for (const EventInfo& event : recording.events())
        breaks += event.tag == Tag::GraphEnd && event.step != noStep && event.graphBreak ? 1 : 0;
    for (std::size_t i = 0; i < recording.compiles().size(); ++i) {
        const CompileInfo& compile = recording.compiles()[i];
        // One that raised after its graph was there was compiled all the same.
        const std::uint32_t last = recording.lastAttempt(i);
        const bool late =
            compile.status == "raised" && last != UINT32_MAX && endOf(recording, last) != nullptr;
        compiles += compile.status == "compiled" || late ? 1 : 0;
        recompiles += compile.recompileReasons.empty() ? 0 : 1;
    }
    return json{{"attempts", attempts},
                {"compiles", compiles},
                {"graph_breaks", breaks},
                {"graphs", graphs},
                {"recompiles", recompiles}}
        .dump();
}

std::string differentCounts(const json& oracleCase, const Recording& recording) {
    const json& counts = field(oracleCase, "counts");
    return counts.is_object() ? differ("counts", counts.dump(), countsOf(recording)) : std::string();
}

/// A frame that was skipped before its conversion began has no compile id, and no record.
std::string differentFrames(const json& oracleCase, const Recording& recording) {
    std::multiset<std::string> recorded;
    const auto key = [](const std::string& code, std::uint32_t line, const std::string& file,
                        const std::string& result) {
        return code + " at " + file + ':' + std::to_string(line) + ' ' + masked(result);
    };
    for (const CompileInfo& compile : recording.compiles())
        if (!compile.status.empty())
            recorded.insert(
                key(compile.function, compile.firstLine, fileName(compile.file), resultOf(compile)));
    std::set<std::string> ids;
    for (const CompileInfo& compile : recording.compiles())
        ids.insert(compile.id + ' ' + compile.function);
    for (const json& frame : list(oracleCase, "frames")) {
        if (!field(frame, "compile_id").is_null() && stringField(frame, "compile_id").empty())
            return "a frame of no compile: " + field(frame, "compile_id").dump();
        const std::string id = stringField(frame, "compile_id"), result = stringField(frame, "result");
        const std::string what = key(stringField(frame, "code"), natural(frame, "firstlineno"),
                                     stringField(frame, "file"), result);
        const auto found = recorded.find(what);
        if (found == recorded.end() && result == "skip" && id.empty()) continue;
        if (found == recorded.end()) return "frame not recorded: " + what;
        if (!id.empty() && !ids.contains(id + ' ' + stringField(frame, "code")))
            return "frame " + what + " was not recorded as " + id;
        recorded.erase(found);
    }
    return recorded.empty() ? std::string() : "frame recorded only here: " + *recorded.begin();
}

std::string differentGraphList(const json& oracleCase, const Recording& recording) {
    std::set<std::string> wanted, got;
    for (const json& graph : list(oracleCase, "graphs"))
        wanted.insert(stringField(graph, "compile_id") + '#' + std::to_string(natural(graph, "attempt")));
    for (std::uint32_t i = 0; i < recording.attempts().size(); ++i)
        if (handedOver(recording, i))
            got.insert(recording.attempts()[i].compileId + '#' +
                       std::to_string(recording.attempts()[i].number));
    return differ("graphs", json(wanted).dump(), json(got).dump());
}

/// Before what came of it was cleaned up.
std::size_t callsAt(const Recording& recording, StepIndex step) {
    const State* state = recording.stateAt(step);
    if (state == nullptr) return 0;
    const std::vector<GraphLine> lines = graphLines(recording, *state, 0);
    return static_cast<std::size_t>(std::count_if(lines.begin(), lines.end(), [&](const GraphLine& line) {
        return line.node != 0 && recording.node(*state, line.node).op.starts_with("call_");
    }));
}

std::string differentEnds(const json& oracleCase, const Recording& recording) {
    std::size_t at = 0;
    const json& ends = list(oracleCase, "subgraphs");
    for (const EventInfo& event : recording.events()) {
        if (event.tag != Tag::GraphEnd || event.step == noStep || at >= ends.size()) continue;
        const json& wanted = ends[at++];
        const Instruction* instruction = recording.instructionAt(event.step);
        const std::string where = stringField(wanted, "compile_id") + ' ' + stringField(wanted, "frame");
        std::string different =
            differ(where + ", stack", field(wanted, "user_stack").dump(), stackOf(event).dump());
        if (different.empty() && instruction != nullptr)
            different = differ(where + ", line", std::to_string(natural(wanted, "lineno")),
                               std::to_string(instruction->line));
        const std::string reason = stringField(wanted, "reason_short");
        if (different.empty() && !masked(event.text).starts_with(masked(reason)))
            different =
                where + ", short reason: wanted " + reason + ", got " + std::string(firstLine(event.text));
        if (different.empty() &&
            (natural(wanted, "calls_in_graph") > 0) != handedOver(recording, event.attempt))
            different = where + ": a graph without calls goes to no backend, one with calls does";
        if (different.empty() && natural(wanted, "calls_in_graph") != callsAt(recording, event.step))
            different = differ(where + ", calls", field(wanted, "calls_in_graph").dump(),
                               std::to_string(callsAt(recording, event.step)));
        if (!different.empty()) return different;
    }
    return {};
}

} // namespace

json stackOf(const EventInfo& event) {
    json out = json::array();
    for (const StackEntry& entry : event.stack)
        out.push_back(fileName(entry.file) + ':' + std::to_string(entry.line) + " in " + entry.name);
    return out;
}

bool handedOver(const Recording& recording, std::uint32_t attempt) {
    const State* state = recording.stateAfter(attempt);
    return state != nullptr && endOf(recording, attempt) != nullptr &&
           graphText(recording, *state, 0).find("\n    return ") != std::string::npos;
}

std::string differentRun(const json& oracleCase, const Recording& recording) {
    for (const auto differs : {differentCounts, differentFrames, differentGraphList, differentEnds})
        if (std::string different = differs(oracleCase, recording); !different.empty()) return different;
    return {};
}

} // namespace dynascope::engine::program
