// SPDX-License-Identifier: BSD-3-Clause
//
// dynascope-cli fusions PATH [--frame ID] [--why A B] [--memory | --fallbacks] [--json]
#include "app/cli/command.h"
#include "app/cli/recorded_compiles.h"
#include "app/cli/schedule_memory.h"
#include "app/cli/table.h"
#include "core/base/words.h"
#include "core/inductor/fallbacks.h"
#include "core/inductor/why_not_fused.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

namespace dynascope::cli {

namespace {

using inductor::PassRecording;
using inductor::Question;
using inductor::Schedule;
using nlohmann::json;

struct FusionsOptions {
    std::string path, frame;
    std::vector<std::string> why;
    bool memory = false, fallbacks = false, json = false;
};

std::size_t asked(const Schedule& schedule) {
    std::size_t out = 0;
    for (const Question& question : schedule.questions)
        if (question.answer != Question::Answer::Refusal) out += question.times;
    return out;
}

std::string bytesText(const std::optional<double>& bytes) {
    return bytes ? std::to_string(static_cast<long long>(*bytes)) + " B shared" : std::string();
}

std::string choiceTime(double ms) {
    std::array<char, 32> out{};
    std::snprintf(out.data(), out.size(), "%.4f ms", ms); // kernels of a GPU take microseconds
    return out.data();
}

/// A kernel whose source came before is that one.
std::size_t kernelsOf(const Schedule& schedule) {
    std::set<std::string> names;
    for (const inductor::Kernel& kernel : schedule.kernels)
        names.insert(kernel.name);
    return names.size();
}

std::string title(const PassRecording& recording, const Schedule& schedule) {
    const inductor::PassPhase* phase = recording.phase(schedule.phase);
    std::string out = phase ? phase->graph : "a graph";
    if (!schedule.name.empty()) out += ", subgraph " + schedule.name;
    return out + ": " + count(schedule.operations, "operation") + " in " +
           count(kernelsOf(schedule), "generated kernel") + ", " + count(asked(schedule), "question") +
           " in " + count(schedule.rounds, "round") + ", " + std::to_string(schedule.fusions.size()) +
           " fused";
}

std::string pairText(const Schedule& schedule, std::uint32_t a, std::uint32_t b) {
    return joined(schedule.operationsOf(a), " ") + "  with  " + joined(schedule.operationsOf(b), " ");
}

/// Fusions that were decided by timing them.
std::string timedReport(const Schedule& schedule) {
    Table table({Table::Align::Left, Table::Align::Left, Table::Align::Left, Table::Align::Left});
    for (const inductor::TimedFusion& timed : schedule.timed)
        table.add({timed.fused ? "fused" : "not fused", pairText(schedule, timed.a, timed.b),
                   "round " + std::to_string(timed.round), inductor::timesText(timed)});
    return table.empty() ? std::string() : "    decided by timing\n" + table.toString("      ");
}

json timedJson(const Schedule& schedule) {
    json out = json::array();
    for (const inductor::TimedFusion& timed : schedule.timed)
        out.push_back({{"a", schedule.operationsOf(timed.a)},
                       {"b", schedule.operationsOf(timed.b)},
                       {"round", timed.round},
                       {"fused", timed.fused},
                       {"runs", timed.runs},
                       {"ms_fused", timed.msFused ? json(*timed.msFused) : json()},
                       {"ms_apart", timed.msApart ? json(*timed.msApart) : json()}});
    return out;
}

/// Choices that were timed for the graph of a schedule.
std::string tuningReport(const PassRecording& recording, const Schedule& schedule) {
    Table table({Table::Align::Left, Table::Align::Right, Table::Align::Left});
    for (const inductor::Tuning& tuning : recording.tunings()) {
        if (tuning.phase != schedule.phase) continue;
        for (std::size_t i = 0; i < tuning.choices.size(); ++i) {
            const inductor::Tuning::Choice& choice = tuning.choices[i];
            table.add({i == 0 ? tuning.name + ", " + joined(tuning.inputs, ", ") : std::string(),
                       choice.ms ? choiceTime(*choice.ms) : "failed",
                       choice.name + (i == 0 && choice.ms ? ", the fastest" : "")});
        }
    }
    return table.empty() ? std::string() : "    choices that were timed\n" + table.toString("      ");
}

json tuningsJson(const PassRecording& recording, const Schedule& schedule) {
    json out = json::array();
    for (const inductor::Tuning& tuning : recording.tunings()) {
        if (tuning.phase != schedule.phase) continue;
        json choices = json::array();
        for (const inductor::Tuning::Choice& choice : tuning.choices)
            choices.push_back({{"name", choice.name}, {"ms", choice.ms ? json(*choice.ms) : json()}});
        out.push_back({{"name", tuning.name}, {"inputs", tuning.inputs}, {"choices", std::move(choices)}});
    }
    return out;
}

std::string report(const PassRecording& recording, const Schedule& schedule) {
    std::string out = "  " + title(recording, schedule) + '\n';
    std::map<std::uint32_t, std::size_t> byReason;
    for (const inductor::Refusal& refusal : inductor::refusalsOf(schedule))
        byReason[refusal.reason] += refusal.times;
    std::vector<std::pair<std::size_t, std::uint32_t>> most;
    for (const auto& [reason, times] : byReason)
        most.emplace_back(times, reason);
    std::ranges::sort(most, [](const auto& a, const auto& b) { return a.first > b.first; });
    Table refusals({Table::Align::Right, Table::Align::Left});
    for (const auto& [times, reason] : most)
        refusals.add({std::to_string(times), std::string(recording.reason(reason))});
    if (!refusals.empty()) out += "    refused because\n" + refusals.toString("      ");
    Table fusions({Table::Align::Right, Table::Align::Left, Table::Align::Left, Table::Align::Right});
    std::size_t n = 0;
    for (const inductor::Fusion& fusion : schedule.fusions)
        fusions.add({std::to_string(++n), pairText(schedule, fusion.a, fusion.b),
                     "round " + std::to_string(fusion.round), bytesText(fusion.score)});
    if (!fusions.empty()) out += "    fused\n" + fusions.toString("      ");
    out += timedReport(schedule);
    Table kernels({Table::Align::Left, Table::Align::Left, Table::Align::Left});
    for (const inductor::Kernel& kernel : schedule.kernels)
        kernels.add(
            {kernel.name, joined(kernel.operations, " "), "from " + joined(schedule.originsOf(kernel), " ")});
    if (!kernels.empty()) out += "    kernels\n" + kernels.toString("      ");
    return out + stepsReport(schedule) + tuningReport(recording, schedule);
}

json kernelsJson(const Schedule& schedule) {
    json out = json::array();
    for (const inductor::Kernel& kernel : schedule.kernels)
        out.push_back({{"name", kernel.name},
                       {"backend", kernel.backend},
                       {"nodes", kernel.operations},
                       {"origins", schedule.originsOf(kernel)}});
    return out;
}

json document(const PassRecording& recording, const Schedule& schedule, const std::string& compile) {
    json refusals = json::array(), fusions = json::array();
    for (const inductor::Refusal& refusal : inductor::refusalsOf(schedule))
        refusals.push_back({{"a", refusal.a},
                            {"b", refusal.b},
                            {"reason", recording.reason(refusal.reason)},
                            {"count", refusal.times}});
    for (const inductor::Fusion& fusion : schedule.fusions)
        fusions.push_back({{"a", schedule.operationsOf(fusion.a)},
                           {"b", schedule.operationsOf(fusion.b)},
                           {"round", fusion.round},
                           {"score", fusion.score ? json(*fusion.score) : json()}});
    const inductor::PassPhase* phase = recording.phase(schedule.phase);
    return {{"compile", compile},
            {"graph", phase ? phase->graph : ""},
            {"subgraph", schedule.name},
            {"questions", asked(schedule)},
            {"fused", schedule.fusions.size()},
            {"fusions", fusions},
            {"kernels", kernelsJson(schedule)},
            {"refusals", refusals},
            {"timed", timedJson(schedule)},
            {"autotuned", tuningsJson(recording, schedule)},
            {"steps", stepsJson(schedule)},
            {"memory", memoryJson(schedule)}};
}

/// Which fusions took an operation without the other.
std::string elsewhere(const Schedule& schedule, const std::string& operation,
                      const std::vector<std::size_t>& fusions) {
    std::string out;
    for (const std::size_t number : fusions) {
        const inductor::Fusion& fusion = schedule.fusions[number - 1];
        out += "    fusion " + std::to_string(number) + " took " + operation + ": " +
               pairText(schedule, fusion.a, fusion.b) + '\n';
    }
    return out;
}

/// What was asked about two nodes, and how it ended; empty where nothing was.
std::string why(const PassRecording& recording, const Schedule& schedule, const std::string& a,
                const std::string& b) {
    Table table({Table::Align::Left, Table::Align::Left, Table::Align::Left, Table::Align::Left});
    for (const Question* question : inductor::questionsAbout(schedule, a, b)) {
        std::string answer = question->answer == Question::Answer::Yes ? "yes" : "no";
        for (const std::uint32_t reason : question->reasons)
            answer += (answer == "no" ? ": " : "; ") + std::string(recording.reason(reason));
        if (!question->detail.empty()) answer += "; " + question->detail;
        table.add({"round " + std::to_string(question->round), question->nameA + " with " + question->nameB,
                   bytesText(question->score),
                   answer + (question->times > 1 ? ", " + std::to_string(question->times) + " times" : "")});
    }
    const inductor::WhyNotFused told = inductor::whyNotFused(schedule, a, b);
    for (const inductor::TimedFusion* timed : told.timed)
        table.add({"round " + std::to_string(timed->round), pairText(schedule, timed->a, timed->b), "",
                   (timed->fused ? "fused, " : "not fused, ") + inductor::timesText(*timed)});
    if (table.empty() && !told.known) return {};
    if (table.empty()) table.add({"the scheduler was asked nothing about the two"});
    std::string out = "  " + title(recording, schedule) + '\n' + table.toString("    ") +
                      (told.kernel.empty() ? std::string("    they are in no kernel together\n")
                                           : "    both are in " + told.kernel + '\n');
    if (!told.shared.empty()) out += "    both read or write " + joined(told.shared, " ") + '\n';
    if (!told.between.empty())
        out += "    between them: " + joined(told.between, " ") +
               ", which need the one and which the other needs\n";
    for (const std::string& apart : told.apart)
        out += "    " + apart + '\n';
    for (const std::string& differ : inductor::wouldHaveToDiffer(recording, schedule, told, a, b))
        out += "    to be fused: " + differ + '\n';
    return out + elsewhere(schedule, a, told.fusionsA) + elsewhere(schedule, b, told.fusionsB);
}

std::string placeOf(const inductor::FallbackCost& cost) {
    return cost.file.empty() ? std::string()
                             : std::string(baseName(cost.file)) + ':' + std::to_string(cost.line) +
                                   (cost.ofReplaced ? " (of what it replaced)" : "");
}

/// Calls of PyTorch's own kernels, those with most bytes first.
int tellFallbacks(const std::vector<RecordedCompile>& compiles, const FusionsOptions& options) {
    json out = json::array();
    std::string text;
    for (const RecordedCompile& compile : compiles) {
        inductor::CompilePasses passes = compile.passes;
        if (const auto read = inductor::addStages(passes); !read) return fail(read.error());
        const auto costs = inductor::fallbacksOf(passes);
        if (!costs) return fail(costs.error());
        Table table({Table::Align::Right, Table::Align::Right, Table::Align::Right, Table::Align::Left,
                     Table::Align::Left, Table::Align::Left, Table::Align::Left});
        table.add({"bytes", "read", "written", "node", "graph", "line", "why"});
        for (const inductor::FallbackCost& cost : *costs) {
            const inductor::Fallback& fallback = *cost.fallback;
            table.add({formatBytes(cost.bytes()) + (cost.isWhole ? "" : "+"), formatBytes(cost.read),
                       formatBytes(cost.written), fallback.node.name, cost.phase->graph, placeOf(cost),
                       fallback.why});
            out.push_back({{"compile", compile.name},
                           {"graph", cost.phase->graph},
                           {"node", fallback.node.name},
                           {"target", fallback.target},
                           {"kernel", fallback.kernel},
                           {"why", fallback.why},
                           {"bytes_read", cost.read},
                           {"bytes_written", cost.written},
                           {"all_sizes_known", cost.isWhole},
                           {"file", cost.file},
                           {"line", cost.file.empty() ? json() : json(cost.line)},
                           {"line_of_replaced_nodes", cost.ofReplaced}});
        }
        text += compile.title + (costs->empty()
                                     ? "  code is generated for every node, as far as the recording tells\n"
                                     : table.toString("  "));
    }
    print(options.json ? out.dump(2, ' ', false, json::error_handler_t::replace) + '\n' : text);
    return exitOk;
}

int run(const FusionsOptions& options) {
    const auto compiles = recordedCompiles(options.path, options.frame);
    if (!compiles) return fail(compiles.error());
    if (options.fallbacks) return tellFallbacks(*compiles, options);
    json out = json::array();
    std::string text;
    std::size_t schedules = 0;
    for (const RecordedCompile& compile : *compiles) {
        const PassRecording& recording = *compile.passes.recording;
        std::string own;
        for (const Schedule* schedule : inductor::schedulesOf(compile.passes)) {
            ++schedules;
            if (options.json)
                out.push_back(document(recording, *schedule, compile.name));
            else if (options.memory)
                own += "  " + title(recording, *schedule) + '\n' + memoryReport(*schedule);
            else
                own += options.why.empty() ? report(recording, *schedule)
                                           : why(recording, *schedule, options.why[0], options.why[1]);
        }
        if (!own.empty()) text += compile.title + own;
    }
    if (schedules == 0)
        return fail("the recording of passes has no schedule of " +
                        (options.frame.empty() ? std::string("these compiles") : options.frame) +
                        ": the code came from a cache, or from another backend",
                    options.path);
    if (options.json) {
        print(out.dump(2, ' ', false, json::error_handler_t::replace) + '\n');
        return exitOk;
    }
    if (text.empty()) {
        print("the scheduler was asked nothing about " + options.why[0] + " and " + options.why[1] + '\n');
        return exitFailure;
    }
    print(text);
    return exitOk;
}

} // namespace

void addFusions(Parser& parser) {
    auto options = std::make_shared<FusionsOptions>();
    Command command = parser.command(
        "fusions",
        "What Inductor's scheduler was asked, what it fused and refused, as capture --passes recorded it");
    command.add("path", options->path, "Folder of the trace and its recordings, or a recording").required();
    command.add("--frame", options->frame, "Compile id, such as 0/0, or RANK:0/0");
    command.add("--why", options->why, "Two operations, such as op5 op18: why they were not fused").words(2);
    command.flag(
        "--memory", options->memory,
        "Buffers over the finished schedule, what reuses whose memory, the peak, and peaks of other orders");
    command.flag("--fallbacks", options->fallbacks,
                 "Calls of PyTorch's own kernels where no code is generated, those with most bytes first");
    command.flag("--json", options->json, "One JSON document on stdout");
    command.run([options] { return run(*options); });
}

} // namespace dynascope::cli
