// SPDX-License-Identifier: BSD-3-Clause
//
// dynascope-cli ranks PATH [--flight DIR] [--estimate N] [--json]
#include "app/cli/command.h"
#include "app/cli/ranks_estimate.h"
#include "app/cli/ranks_times.h"
#include "app/cli/table.h"
#include "core/capture/flight_reader.h"
#include "core/ir/place_text.h"
#include "core/profile/rank_times.h"
#include "core/ranks/flight.h"
#include "core/ranks/measured.h"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

namespace dynascope::cli {

namespace {

using nlohmann::json;
using ranks::RanksVerdict;
using ranks::Report;

struct RanksOptions {
    std::string path, flight;
    int estimate = 0; ///< ranks; 0 for none
    bool json = false;
};

json reasonsJson(const Report& report) {
    json out = json::array();
    for (const ranks::Reason& reason : report.reasons)
        out.push_back({{"verdict", verdictName(reason.verdict)},
                       {"ranks", reason.ranks},
                       {"compile", reason.compile},
                       {"node", reason.node},
                       {"file", reason.file},
                       {"line", reason.line},
                       {"text", reason.text}});
    return out;
}

json waitingJson(const Report& report) {
    json out = json::array();
    if (!report.waiting) return out;
    for (const ranks::Waiting& waiting : *report.waiting)
        out.push_back({{"rank", waiting.rank},
                       {"collective", waiting.collective},
                       {"sequence", waiting.sequence},
                       {"compile", waiting.compile},
                       {"file", waiting.file},
                       {"line", waiting.line}});
    return out;
}

json byRankJson(const profile::ByRank& time) {
    json out = json::array();
    for (const auto& [rank, ns] : time.ns)
        out.push_back({{"rank", rank}, {"us", ns / 1000}});
    return out;
}

json measuredJson(const profile::RankTimes& times) {
    json compiles = json::array(), collectives = json::array(), communication = json::array();
    for (const profile::MeasuredCompile& one : times.compiles)
        compiles.push_back({{"compile", one.compile}, {"ranks", byRankJson(one.time)}});
    for (const profile::MeasuredCollective& one : times.collectives)
        collectives.push_back({{"compile", one.compile},
                               {"node", one.node},
                               {"file", one.file},
                               {"line", one.line},
                               {"ranks", byRankJson(one.time)}});
    for (const profile::MeasuredCommunication& one : times.communication)
        communication.push_back({{"rank", one.rank},
                                 {"device", one.device},
                                 {"us", one.all / 1000},
                                 {"exposed_us", one.exposed / 1000}});
    return {{"ranks", times.ranks},
            {"compiles", std::move(compiles)},
            {"collectives", std::move(collectives)},
            {"communication", std::move(communication)}};
}

/// "rank 0 22.6 ms, rank 1 1.9 ms"; of many the fastest and the slowest.
std::string byRankText(const profile::ByRank& time) {
    constexpr std::size_t most = 8;
    const auto one = [](const std::pair<int, double>& of) {
        return "rank " + std::to_string(of.first) + ' ' + micros(of.second / 1000) + " us";
    };
    if (time.ns.size() > most)
        return one(time.least()) + " at least, " + one(time.most()) + " at most of " +
               count(time.ns.size(), "rank");
    std::string out;
    for (const auto& of : time.ns)
        out += (out.empty() ? "" : ", ") + one(of);
    return out;
}

std::string measuredText(const profile::RankTimes& times) {
    if (times.ranks.empty()) return {};
    constexpr std::size_t mostCollectives = 12;
    std::string out = "\nMeasured, by profiles of " + ranks::rankWords(times.ranks) +
                      "; in a step, the median, where there are steps:\n";
    for (const profile::MeasuredCompile& one : times.compiles)
        out += "  " + one.compile + " but for collectives: " + byRankText(one.time) +
               (one.time.isApart() ? "; rank " + std::to_string(one.time.most().first) + " takes the longest"
                                   : "") +
               '\n';
    for (std::size_t i = 0; i < std::min(times.collectives.size(), mostCollectives); ++i) {
        const profile::MeasuredCollective& one = times.collectives[i];
        const std::string place = ir::placeText({one.file, one.line, {}, {}});
        out += "  " + one.compile + " in " + one.node + (place.empty() ? "" : ", " + place) + ": " +
               byRankText(one.time);
        if (one.time.isApart())
            out +=
                "; rank " + std::to_string(one.time.least().first) + " came last: it is in it the shortest";
        out += '\n';
    }
    if (times.collectives.size() > mostCollectives)
        out += "  and " + count(times.collectives.size() - mostCollectives, "further collective") + '\n';
    for (const profile::MeasuredCommunication& one : times.communication)
        out += "  rank " + std::to_string(one.rank) + ", " + one.device + ": " + micros(one.all / 1000) +
               " us of NCCL's kernels in all, " + micros(one.exposed / 1000) +
               " us of them with no other kernel beside\n";
    return out;
}

json reportJson(const Report& report, const profile::RankTimes& times, const ranks::CompileTimes& compiles) {
    json runtime = json::array();
    for (const ranks::Runtime& one : report.runtime)
        runtime.push_back({{"compile", one.compile},
                           {"fastest_rank", one.fastest},
                           {"slowest_rank", one.slowest},
                           {"delta_ns", one.delta()}});
    return {{"ranks", report.ranks},
            {"verdict", verdictName(report.verdict)},
            {"reasons", reasonsJson(report)},
            {"groups",
             {{"compiles", report.compiles},
              {"collectives", report.collectives},
              {"caches", report.caches},
              {"tensor_meta", report.tensorMeta},
              {"execution_order", report.executionOrder}}},
            {"runtime", runtime},
            {"measured", measuredJson(times)},
            {"compile_times", timesJson(compiles, report)},
            {"waiting", waitingJson(report)}};
}

/// "0/0 f train.py:40   a a a b".
std::string rowsText(const Report& report) {
    constexpr std::size_t mostRanks = 16;
    std::string out;
    for (const ranks::CompileRow& row : report.rows) {
        const std::string place = ir::placeText(row.at);
        out += "  " + row.id + ' ' + row.function + (place.empty() ? "" : ' ' + place) + "  ";
        for (std::size_t i = 0; i < row.letters.size() && i < mostRanks; ++i) {
            const int letter = row.letters[i];
            out += ' ';
            out += letter < 0 ? '-' : letter < 26 ? static_cast<char>('a' + letter) : '+';
        }
        if (row.letters.size() > mostRanks) out += " ...";
        std::size_t calls = 0;
        for (const ranks::Lane& lane : row.lanes)
            calls = std::max(calls, lane.calls.size());
        if (calls > 0) out += "   " + count(calls, "collective");
        if (!row.partOf.empty()) out += "   a part of " + row.partOf;
        for (const auto& [id, ranks] : row.otherIds)
            out += "   " + id + " on " + ranks::rankWords(ranks);
        out += '\n';
    }
    return out;
}

std::string groupsText(std::string_view name, const ranks::RankGroups& groups) {
    if (groups.size() < 2) return {};
    std::string out = "  " + std::string(name) + ": ";
    constexpr std::size_t most = 8;
    for (std::size_t i = 0; i < groups.size() && i < most; ++i)
        out += (i == 0 ? "" : "; ") + ranks::rankWords(groups[i]);
    return out +
           (groups.size() > most ? "; and " + std::to_string(groups.size() - most) + " groups more\n" : "\n");
}

std::string reportText(const Report& report, const profile::RankTimes& times,
                       const ranks::CompileTimes& compiles) {
    std::string out = summaryOf(report) + '\n';
    for (const ranks::Reason& reason : report.reasons) {
        const std::string place = ir::placeText({reason.file, reason.line, {}, {}});
        out += "  " + std::string(verdictName(reason.verdict)) + "  " + reason.compile +
               (reason.compile.empty() ? "" : " ") + (place.empty() ? "" : place + ' ') + "- " + reason.text +
               '\n';
    }
    if (!report.rows.empty())
        out += "\nCompiles by rank; ranks with the same letter compiled the same graphs, - has none:\n" +
               rowsText(report);
    const std::string groups = groupsText("compiles", report.compiles) +
                               groupsText("collectives", report.collectives) +
                               groupsText("caches", report.caches) +
                               groupsText("tensors of Inductor's operations", report.tensorMeta) +
                               groupsText("order in which graphs ran", report.executionOrder);
    if (!groups.empty()) out += "\nRanks that are alike in:\n" + groups;
    for (const ranks::Runtime& one : report.runtime)
        if (one.delta() > 0)
            out += "\nEstimated by Inductor, " + one.compile + ": rank " + std::to_string(one.slowest) +
                   " takes " + formatSeconds(one.delta() * 1e-9) + " more than rank " +
                   std::to_string(one.fastest) + '\n';
    out += timesText(compiles, report);
    out += measuredText(times);
    if (report.waiting && report.waiting->empty())
        out += "\nBy the flight recorder no call was going on: each had ended, or failed.\n";
    if (report.waiting && !report.waiting->empty())
        out += "\nCalls that had not ended, by the flight recorder:\n";
    if (report.waiting)
        for (const ranks::Waiting& waiting : *report.waiting)
            out += "  " + waiting.text + '\n';
    if (!report.notes.empty()) out += '\n';
    for (const std::string& note : report.notes)
        out += note + '\n';
    return out;
}

int run(const RanksOptions& options) {
    const auto session = openInput(options.path);
    if (!session) return fail(session.error());
    if ((*session)->ranks.size() < 2)
        return fail("one rank: open the folder that all ranks wrote to", options.path);
    auto report = ranks::examine(**session);
    if (!report) return fail(report.error());
    const auto flight = options.flight.empty() ? capture::readFlightBeside((*session)->inputs)
                                               : capture::readFlightFolder(options.flight);
    if (!flight) return fail(flight.error());
    for (const Error& error : flight->unusable)
        report->notes.push_back("not read: " + error.toString());
    if (!flight->dumps.empty()) ranks::addFlight(**session, flight->dumps, *report);
    const auto times = profile::rankTimes(*session);
    if (!times) return fail(times.error());
    ranks::addMeasured(**session, *times, *report);
    const ranks::CompileTimes compiles = ranks::compileTimes(**session, *report);
    json document;
    if (options.json) document = reportJson(*report, *times, compiles);
    std::string text = options.json ? std::string() : reportText(*report, *times, compiles);
    if (options.estimate > 0) {
        const ranks::ScaleEstimate estimate = ranks::estimateRanks(**session, *report, options.estimate);
        if (options.json)
            document["estimate"] = estimateJson(estimate, *report);
        else
            text += estimateText(estimate, *report);
    }
    print(options.json ? document.dump(-1, ' ', false, json::error_handler_t::replace) + '\n' : text);
    return report->verdict >= RanksVerdict::MayBeWrong ? exitFailure : exitOk;
}

} // namespace

void addRanks(Parser& parser) {
    auto options = std::make_shared<RanksOptions>();
    Command command = parser.command(
        "ranks",
        "Hold the ranks of a capture against each other: what will hang, may be wrong, or is slower");
    command.add("path", options->path, "Folder with a TORCH_TRACE log of each rank").required();
    command.add("--flight", options->flight,
                "Folder with the flight-recorder dump of each rank (pickle or JSON), or one dump; those "
                "beside the logs "
                "if left out");
    command
        .add("--estimate", options->estimate,
             "What that many ranks would change, estimated from the graphs: bytes that collectives move, "
             "inputs "
             "that a rank holds")
        .between(1, int(ranks::mostRanks));
    command.flag("--json", options->json, "One JSON document on stdout");
    command.note("Exit status: 0 alike or slower, 1 will hang or may be wrong, 2 unreadable.");
    command.run([options] { return run(*options); });
}

} // namespace dynascope::cli
