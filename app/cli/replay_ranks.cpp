// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli/replay_ranks.h"

#include "app/cli/command.h"
#include "app/cli/table.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/ranks/collectives.h"

#include <algorithm>
#include <map>

namespace dynascope::cli {

namespace {

using engine::RanksWorkload;
using nlohmann::json;

/// What one rank did, all of its graphs taken together.
struct RankSums {
    std::size_t nodes = 0, collectives = 0;
    std::uint64_t given = 0; ///< bytes handed to collectives by one run
    bool allKnown = true;    ///< whether the graphs say how many bytes each takes
    std::uint64_t arena = 0, peak = 0;
    double computeUs = 0; ///< medians of the nodes that are no collectives
};

RankSums sumsOf(const RanksWorkload& workload, const wire::RanksReply& done, std::size_t rank) {
    RankSums out;
    const wire::RankResult& result = done.ranks[rank];
    for (const ir::GraphPtr& graph : workload.graphs[rank])
        for (const ranks::Collective& call : ranks::collectivesOf(*graph)) {
            ++out.collectives;
            out.given += call.bytes.value_or(0);
            out.allKnown = out.allKnown && call.bytes;
        }
    for (std::size_t i = 0; i < result.recordings.size(); ++i) {
        const replay::ReplayRecording& recording = result.recordings[i];
        out.nodes += recording.nodes.size();
        out.arena += recording.arenaBytes;
        out.peak += recording.peakBytes;
        if (!result.run || i >= result.run->graphs.size()) continue;
        for (const replay::NodeTime& time : result.run->graphs[i].nodes)
            if (time.node < recording.nodes.size() &&
                !ranks::isCollectiveTarget(recording.nodes[time.node].target))
                out.computeUs += time.us.median;
    }
    return out;
}

/// "0/0 forward, node all_reduce".
std::string placeText(const std::string& graph, const std::string& node) {
    return node.empty() ? graph : graph + ", node " + node;
}

std::string groupsText(const RanksWorkload& workload) {
    std::string out;
    for (const wire::RankGroup& group : workload.request.groups) {
        std::vector<std::string> names;
        for (const std::uint64_t rank : group.ranks)
            names.push_back(std::to_string(workload.ranks[rank]));
        out += "group '" + group.name + "': ranks " + joined(names, ", ") + ", those whose graphs call it\n";
    }
    return out;
}

std::string rankTable(const RanksWorkload& workload, const wire::RanksReply& done) {
    using Align = Table::Align;
    Table table({Align::Right, Align::Right, Align::Right, Align::Right, Align::Right, Align::Right,
                 Align::Right, Align::Right, Align::Right});
    table.add({"rank", "graphs", "nodes", "collectives", "bytes given", "computing us", "arena bytes",
               "verified", "different"});
    for (std::size_t rank = 0; rank < done.ranks.size(); ++rank) {
        const wire::RankResult& result = done.ranks[rank];
        const RankSums sums = sumsOf(workload, done, rank);
        table.add({std::to_string(workload.ranks[rank]), std::to_string(workload.graphs[rank].size()),
                   std::to_string(sums.nodes), std::to_string(sums.collectives),
                   std::to_string(sums.given) + (sums.allKnown ? "" : " or more"),
                   result.run ? micros(sums.computeUs) : std::string(), std::to_string(sums.arena),
                   result.run ? std::to_string(result.run->verified) : std::string(),
                   result.run ? std::to_string(result.run->different) : std::string()});
    }
    return table.toString("  ");
}

/// Of each graph, as the first rank that has it calls them.
std::string collectiveTable(const RanksWorkload& workload) {
    using Align = Table::Align;
    Table table({Align::Left, Align::Left, Align::Left, Align::Left, Align::Right, Align::Left});
    std::size_t rows = 0;
    std::map<std::string, bool> seen;
    table.add({"graph", "node", "call", "group", "bytes", "shapes"});
    for (std::size_t rank = 0; rank < workload.graphs.size(); ++rank)
        for (std::size_t i = 0; i < workload.graphs[rank].size(); ++i) {
            const std::string& name = workload.request.ranks[rank].graphs[i].name;
            if (!seen.emplace(name, true).second) continue;
            for (const ranks::Collective& call : ranks::collectivesOf(*workload.graphs[rank][i])) {
                table.add({name, call.within.empty() ? call.node : call.within, call.call(), call.group,
                           call.bytes ? std::to_string(*call.bytes) : std::string(),
                           ranks::shapesText(call)});
                ++rows;
            }
        }
    return rows == 0 ? std::string() : table.toString("  ");
}

std::string numbersText(const RanksWorkload& workload, const std::vector<std::uint64_t>& ranks) {
    std::vector<std::string> names;
    for (const std::uint64_t rank : ranks)
        names.push_back(std::to_string(workload.ranks.at(rank)));
    return (ranks.size() == 1 ? "rank " : "ranks ") + joined(names, ", ");
}

/// Errors of ranks that did not fail because others did.
std::string errorsText(const RanksWorkload& workload, const wire::RanksReply& done) {
    std::string out;
    for (std::size_t rank = 0; rank < done.ranks.size(); ++rank) {
        const std::optional<wire::RankError>& error = done.ranks[rank].error;
        if (!error || (done.failure && error->message.find(done.failure->text) != std::string::npos))
            continue;
        const auto& graphs = workload.request.ranks[rank].graphs;
        out +=
            "rank " + std::to_string(workload.ranks[rank]) + " failed: " +
            placeText(error->graph < graphs.size() ? graphs[error->graph].name : std::string(), error->node) +
            ": " + error->message + '\n';
    }
    return out;
}

} // namespace

std::string ranksFailureText(const RanksWorkload& workload, const wire::RanksFailure& failure) {
    std::string out =
        failure.kind == "hang" ? "the ranks hang: nobody can go on\n" : "the ranks do not fit together\n";
    for (const wire::RankWaiting& waiting : failure.waiting)
        out += "  rank " + std::to_string(workload.ranks.at(waiting.rank)) + " waits in " + waiting.call +
               " (" + placeText(waiting.graph, waiting.node) + ")\n";
    if (!failure.ended.empty())
        out += "  " + numbersText(workload, failure.ended) + (failure.ended.size() == 1 ? " has" : " have") +
               " nothing left to run\n";
    if (!failure.never.empty()) out += "  waited for: " + numbersText(workload, failure.never) + '\n';
    return out;
}

bool ranksAgree(const wire::RanksReply& done) {
    return !done.failure && std::ranges::all_of(done.ranks, [](const wire::RankResult& rank) {
        return !rank.error && rank.run && rank.run->different == 0;
    });
}

std::string ranksText(const RanksWorkload& workload, const wire::RanksReply& done) {
    std::string out = count(done.ranks.size(), "rank") +
                      " in one process, taking turns; collectives are copies, and no time is told of them\n" +
                      groupsText(workload) + collectiveTable(workload) + rankTable(workload, done);
    for (const std::string& line : workload.left)
        out += "left out: " + line + '\n';
    out += errorsText(workload, done);
    if (done.failure) return out + ranksFailureText(workload, *done.failure);
    std::uint64_t verified = 0, different = 0;
    for (const wire::RankResult& rank : done.ranks) {
        if (!rank.run) continue;
        verified += rank.run->verified;
        different += rank.run->different;
        if (!rank.run->difference.empty()) out += "different: " + rank.run->difference + '\n';
    }
    return out + count(done.meetings, "collective") + " met in all runs; " + count(verified, "result") +
           " verified against eager runs in the same lock step, " + std::to_string(different) +
           " different\n";
}

json ranksJson(const RanksWorkload& workload, const wire::RanksReply& done) {
    json ranks = json::array(), groups = json::array(), failure;
    for (std::size_t rank = 0; rank < done.ranks.size(); ++rank) {
        const wire::RankResult& result = done.ranks[rank];
        const RankSums sums = sumsOf(workload, done, rank);
        json& row = ranks.emplace_back(json{
            {"rank", workload.ranks[rank]},
            {"nodes", sums.nodes},
            {"collectives", sums.collectives},
            {"bytes_given", sums.allKnown ? json(sums.given) : json()},
            {"computing_us", result.run ? json(sums.computeUs) : json()},
            {"arena_bytes", sums.arena},
            {"peak_live_bytes", sums.peak},
            {"verified", result.run ? json(result.run->verified) : json()},
            {"different", result.run ? json(result.run->different) : json()},
            {"error",
             result.error ? json{{"node", result.error->node}, {"message", result.error->message}} : json()},
            {"graphs", json::array()}});
        for (std::size_t i = 0; i < workload.stages[rank].size(); ++i)
            row["graphs"].push_back({{"name", workload.request.ranks[rank].graphs[i].name},
                                     {"stage", workload.stages[rank][i].toString()}});
    }
    const auto numbers = [&](const std::vector<std::uint64_t>& of) {
        json out = json::array();
        for (const std::uint64_t rank : of)
            out.push_back(workload.ranks.at(rank));
        return out;
    };
    for (const wire::RankGroup& group : workload.request.groups)
        groups.push_back({{"name", group.name}, {"ranks", numbers(group.ranks)}});
    if (done.failure) {
        json waiting = json::array();
        for (const wire::RankWaiting& row : done.failure->waiting)
            waiting.push_back({{"rank", workload.ranks.at(row.rank)},
                               {"call", row.call},
                               {"graph", row.graph},
                               {"node", row.node}});
        failure = {{"kind", done.failure->kind},
                   {"waiting", std::move(waiting)},
                   {"ended", numbers(done.failure->ended)},
                   {"never", numbers(done.failure->never)}};
    }
    return {{"ranks", std::move(ranks)},     {"groups", std::move(groups)}, {"meetings", done.meetings},
            {"failure", std::move(failure)}, {"left_out", workload.left},   {"simulated", true}};
}

} // namespace dynascope::cli
