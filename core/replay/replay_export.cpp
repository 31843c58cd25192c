// SPDX-License-Identifier: BSD-3-Clause
#include "core/replay/replay_export.h"

#include "core/base/csv.h"
#include "core/replay/recording_fields.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace dynascope::wire {

template <>
struct Fields<replay::KeptRun> {
    static constexpr const char* name = "kept replay";
    static void of(auto& f, auto& x) {
        f("seconds", x.seconds);
        f("engine", x.engine);
        f("torch", x.torch);
        f("threads", x.threads);
        f("arena_bytes", x.arenaBytes);
        f("peak_live_bytes", x.peakBytes);
        f("run", x.run);
    }
};

DYNASCOPE_WIRE(replay::KeptRun)

} // namespace dynascope::wire

namespace dynascope::replay {

namespace {

using nlohmann::json;

std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3f", value);
    return text;
}

/// Bytes alive while each node runs: what it allocates is there, what dies with it still is.
std::vector<std::uint64_t> aliveByNode(const ReplayRecording& recording) {
    std::vector<std::uint64_t> out(recording.nodes.size());
    std::vector<std::pair<std::uint32_t, std::uint32_t>> order; // born, node
    for (const RecordedAllocation& row : recording.allocations)
        order.emplace_back(row.born, row.node);
    std::vector<std::int64_t> change(recording.nodes.size() + 1);
    for (const RecordedAllocation& row : recording.allocations) {
        if (!row.planned) continue;
        const auto dead = std::lower_bound(order.begin(), order.end(), std::pair(row.died, std::uint32_t{0}));
        const std::size_t end = dead == order.end() ? recording.nodes.size() : dead->second;
        change[row.node] += static_cast<std::int64_t>(row.bytes);
        change[std::max<std::size_t>(end, row.node + 1)] -= static_cast<std::int64_t>(row.bytes);
    }
    std::int64_t alive = 0;
    for (std::size_t i = 0; i < out.size(); ++i) {
        alive += change[i];
        out[i] = static_cast<std::uint64_t>(std::max<std::int64_t>(alive, 0));
    }
    return out;
}

RunChange changeOf(std::string what, const TotalTime& before, const TotalTime& now) {
    RunChange out{std::move(what), before.us.median, now.us.median, std::hypot(before.noiseUs, now.noiseUs),
                  RunChange::Pace::Same};
    const double difference = out.nowUs - out.beforeUs;
    if (std::abs(difference) > std::max(3 * out.noiseUs, 0.03 * out.beforeUs))
        out.pace = difference > 0 ? RunChange::Pace::Slower : RunChange::Pace::Faster;
    return out;
}

} // namespace

std::string toCsv(std::span<const ReplayRecording> recordings, const ReplayRun& run) {
    std::string out = "graph,position,node,target,mode,min_us,median_us,p99_us\r\n";
    for (std::size_t i = 0; i < std::min(recordings.size(), run.graphs.size()); ++i) {
        for (const NodeTime& time : run.graphs[i].nodes) {
            const RecordedNode& node = recordings[i].nodes.at(time.node);
            out += csvCell(run.graphs[i].plan) + ',' + std::to_string(time.node) + ',' + csvCell(node.name) +
                   ',' + csvCell(node.target) + ',' + std::string(nodeModeName(node.mode)) + ',' +
                   number(time.us.min) + ',' + number(time.us.median) + ',' + number(time.us.p99) + "\r\n";
        }
    }
    return out;
}

std::string toChromeTrace(std::span<const ReplayRecording> recordings, const ReplayRun& run) {
    json events = json::array();
    double at = 0;
    for (std::size_t i = 0; i < std::min(recordings.size(), run.graphs.size()); ++i) {
        const GraphRun& graph = run.graphs[i];
        const std::vector<std::uint64_t> alive = aliveByNode(recordings[i]);
        events.push_back({{"ph", "M"},
                          {"name", "thread_name"},
                          {"pid", 1},
                          {"tid", i + 1},
                          {"args", {{"name", graph.plan}}}});
        const double start = at;
        for (const NodeTime& time : graph.nodes) {
            const RecordedNode& node = recordings[i].nodes.at(time.node);
            events.push_back({{"ph", "C"},
                              {"name", "alive in the arena of " + graph.plan},
                              {"pid", 1},
                              {"ts", at},
                              {"args", {{"bytes", alive[time.node]}}}});
            events.push_back({{"ph", "X"},
                              {"name", node.name},
                              {"cat", nodeModeName(node.mode)},
                              {"pid", 1},
                              {"tid", i + 1},
                              {"ts", at},
                              {"dur", time.us.median},
                              {"args",
                               {{"target", node.target},
                                {"min_us", time.us.min},
                                {"p99_us", time.us.p99},
                                {"position", time.node}}}});
            at += time.us.median;
        }
        events.push_back({{"ph", "X"},
                          {"name", graph.plan},
                          {"cat", "graph"},
                          {"pid", 1},
                          {"tid", 0},
                          {"ts", start},
                          {"dur", at - start},
                          {"args", {{"replay_median_us", graph.replay.us.median}}}});
    }
    return json{{"traceEvents", std::move(events)}, {"displayTimeUnit", "ns"}}.dump(
        -1, ' ', false, json::error_handler_t::replace);
}

KeptRun keptRun(std::span<const ReplayRecording> recordings, const ReplayRun& run) {
    KeptRun out;
    out.run = run;
    for (GraphRun& graph : out.run.graphs)
        graph.nodes.clear();
    for (const ReplayRecording& recording : recordings) {
        out.threads = std::max(out.threads, recording.threads);
        out.arenaBytes += recording.arenaBytes;
        out.peakBytes += recording.peakBytes;
    }
    return out;
}

json toJson(const KeptRun& kept) {
    json out = wire::encode(kept);
    out[wire::versionField] = keptRunVersion;
    return out;
}

Result<KeptRun> keptRunFromJson(const json& document) {
    const Result<int> version = wire::versionOf(document, keptRunVersion);
    if (!version) return tl::unexpected(version.error());
    return wire::decode<KeptRun>(document);
}

Result<KeptRun> readKeptRun(std::string_view text) {
    return keptRunFromJson(wire::parsed(std::string(text)));
}

std::vector<RunChange> compareRuns(const KeptRun& before, const KeptRun& now) {
    std::vector<RunChange> out;
    // Totals of other sets of graphs have nothing to do with each other.
    const bool sameGraphs = std::equal(before.run.graphs.begin(), before.run.graphs.end(),
                                       now.run.graphs.begin(), now.run.graphs.end(),
                                       [](const GraphRun& a, const GraphRun& b) { return a.plan == b.plan; });
    if (sameGraphs) out.push_back(changeOf("all graphs", before.run.replay, now.run.replay));
    if (now.run.graphs.size() == 1 && sameGraphs) return out;
    for (const GraphRun& graph : now.run.graphs) {
        const auto found = std::find_if(before.run.graphs.begin(), before.run.graphs.end(),
                                        [&](const GraphRun& other) { return other.plan == graph.plan; });
        if (found != before.run.graphs.end())
            out.push_back(changeOf(graph.plan, found->replay, graph.replay));
    }
    return out;
}

} // namespace dynascope::replay
