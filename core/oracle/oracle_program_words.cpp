// SPDX-License-Identifier: BSD-3-Clause
//
// What kind `dynamo_program` says of a whole run twice, in words of its own or as the recording has it: marks and
// the program's text, the runs that were observed, Dynamo's counters.
#include "core/base/text.h"
#include "core/oracle/oracle_program.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace dynascope::engine::program {

namespace {

using nlohmann::json;
using namespace dynamo;

/// The line, from 1; empty behind the last.
std::string_view lineAt(std::string_view text, std::uint32_t line) {
    for (; line > 1; --line) {
        const std::size_t end = text.find('\n');
        if (end == std::string_view::npos) return {};
        text.remove_prefix(end + 1);
    }
    return line == 0 ? std::string_view() : firstLine(text);
}

std::size_t occurrencesOf(std::string_view word, std::string_view text) {
    std::size_t count = 0;
    for (std::size_t at = 0; (at = text.find(word, at)) != std::string_view::npos; at += word.size())
        ++count;
    return count;
}

/// The sum of an object's numbers; what is no number counts as none of them could be.
std::int64_t sumOf(const json& numbers) {
    std::int64_t sum = 0;
    for (const auto& [key, number] : numbers.items()) {
        if (!number.is_number_integer()) return -1;
        sum += number.get<std::int64_t>();
    }
    return sum;
}

std::string differentProgram(const json& oracleCase) {
    const std::string source = stringField(oracleCase, "source"), name = stringField(oracleCase, "name");
    std::string different = differ("file", name + ".py", stringField(oracleCase, "file"));
    for (const char* key : {"group", "about"})
        if (different.empty() && source.find(std::string("# ") + key + ": " + stringField(oracleCase, key) +
                                             '\n') == std::string::npos)
            different = std::string("the program has another '") + key + '\'';
    for (const json& mark : list(oracleCase, "marks")) {
        if (!different.empty()) return different;
        const std::uint32_t line = natural(mark, "line");
        if (lineAt(source, line).find("#@" + stringField(mark, "label")) == std::string_view::npos)
            return "line " + std::to_string(line) + " has no mark '" + stringField(mark, "label") + '\'';
        std::uint32_t next = line + 1;
        const auto isCode = [](std::string_view words) {
            const std::size_t begin = words.find_first_not_of(' ');
            return begin != std::string_view::npos && words[begin] != '#';
        };
        while (next < line + 99 && !isCode(lineAt(source, next)))
            ++next;
        different = differ("code after " + stringField(mark, "label"), field(mark, "next_code_line").dump(),
                           std::to_string(next));
    }
    return different;
}

/// The run by itself against eager, and the runs that were observed against it.
std::string differentRuns(const json& oracleCase, const Recording& recording) {
    const json &run = field(oracleCase, "run"), &eager = field(oracleCase, "eager");
    for (const char* key : {"result", "state"})
        if (field(run, (std::string(key) + "_matches_eager").c_str()) !=
            json(field(run, key) == field(eager, key)))
            return std::string("whether the ") + key + " is eager's is not as said";
    const json& error = field(run, "error");
    if (const json& eagers = field(eager, "error"); !eagers.is_null() && !eagers.is_object())
        return "eager's error is none: " + eagers.dump();
    if (!error.is_null() && std::none_of(recording.compiles().begin(), recording.compiles().end(),
                                         [&](const CompileInfo& compile) {
                                             const std::string said = stringField(error, "text");
                                             return compile.error.starts_with(stringField(error, "type") +
                                                                              ": " +
                                                                              std::string(firstLine(said)));
                                         }))
        return "no compile raised what the run is said to have raised";
    const json& counts = field(oracleCase, "counts");
    for (const char* kind : {"trace", "probe", "locals"}) {
        const json& seen = field(field(oracleCase, "observation_effect"), kind);
        const std::string part = std::string("observed run '") + kind + "': ";
        const auto isTrue = [&seen](const char* key) { return field(seen, key) == json(true); };
        if (field(seen, "error") != error) return part + "another error than the run's";
        if (isTrue("guards_same") !=
            (field(seen, "guards_added") == json::array() && field(seen, "guards_removed") == json::array()))
            return part + "whether guards are the same is not as listed";
        // Only printing locals changes what is observed, since it realizes lazy ones.
        if (kind != std::string_view("locals"))
            for (const char* key : {"graphs_same", "guards_same", "result_same", "state_same"})
                if (!isTrue(key)) return part + key + std::string(" is not true");
        for (const char* key : {"graphs", "compiles", "recompiles"})
            if (isTrue("graphs_same") && field(seen, (std::string("n_") + key).c_str()) != field(counts, key))
                return part + "another number of " + key;
    }
    return {};
}

std::string differentCounters(const json& oracleCase, const Recording& recording) {
    const json& counters = field(oracleCase, "counters");
    std::string different;
    const auto check = [&](const char* group, const char* key, std::size_t wanted) {
        const json& number = field(field(counters, group), key);
        if (different.empty() && !number.is_null())
            different = differ(std::string(group) + '.' + key, number.dump(), std::to_string(wanted));
    };
    std::size_t ok = 0, calls = 0, breaks = 0, unsupported = 0;
    std::map<std::string, std::size_t> resumed;
    for (const json& frame : list(oracleCase, "frames")) {
        ok += stringField(frame, "result").starts_with("raised") ? 0 : 1;
        if (stringField(frame, "code").starts_with("torch_dynamo_resume"))
            ++resumed[stringField(frame, "code")];
    }
    for (const json& graph : list(oracleCase, "graphs"))
        for (const char* call : {"= call_function[", "= call_method[", "= call_module["})
            calls += occurrencesOf(call, stringField(graph, "graph"));
    for (const json& end : list(oracleCase, "subgraphs"))
        breaks += field(end, "graph_break") == json(true) ? 1 : 0;
    for (const CompileInfo& compile : recording.compiles())
        unsupported += compile.error.starts_with("Unsupported: ") ? 1 : 0;
    check("frames", "ok", ok);
    check("stats", "calls_captured", calls);
    for (const auto& [name, times] : field(counters, "resumes").items())
        check("resumes", name.c_str(), resumed[name]);
    // Dynamo goes on after some of what it raises: what is left was a break, or failed a frame.
    const std::size_t raised = list(oracleCase, "unsupported_raised").size();
    const std::tuple<const char*, std::size_t, std::size_t> sums[]{
        {"graph_break", breaks, breaks},
        {"unimplemented", unsupported, std::max(unsupported, raised - std::min(raised, breaks))}};
    for (const auto& [group, least, most] : sums) {
        const json& numbers = field(counters, group);
        if (!different.empty() || !numbers.is_object()) continue;
        const std::int64_t sum = sumOf(numbers);
        if (sum < static_cast<std::int64_t>(least) || sum > static_cast<std::int64_t>(most))
            different = differ(group, std::to_string(sum), std::to_string(least));
    }
    const json& aot = field(counters, "aot_autograd");
    if (different.empty() && aot.is_object() &&
        (field(aot, "ok") != field(aot, "total") ||
         natural(aot, "total") > list(oracleCase, "graphs").size()))
        different = "AOTAutograd's own counters do not fit the graphs";
    return different;
}

} // namespace

void judgeWords(const json& oracleCase, const Recording& recording, CaseReport& report) {
    const std::pair<const char*, std::string> parts[]{
        {"program and marks", differentProgram(oracleCase)},
        {"observed runs", differentRuns(oracleCase, recording)},
        {"Dynamo's counters", differentCounters(oracleCase, recording)}};
    for (const auto& [part, difference] : parts)
        report.parts.push_back(
            {part, difference.empty() ? CaseVerdict::Passed : CaseVerdict::Failed, difference});
}

} // namespace dynascope::engine::program
