// SPDX-License-Identifier: BSD-3-Clause
#include "core/replay/recording.h"

#include <algorithm>
#include <array>

namespace dynascope::replay {

namespace {

using nlohmann::json;

constexpr std::array modeNames{"input", "prebuilt", "planned", "called", "eager"};

NodeMode modeFrom(const std::string& name) {
    const auto found = std::find(modeNames.begin(), modeNames.end(), name);
    if (found == modeNames.end()) throw json::other_error::create(500, "no mode '" + name + "'", nullptr);
    return static_cast<NodeMode>(found - modeNames.begin());
}

json toJson(const Spread& spread) {
    return json::array({spread.min, spread.median, spread.p99});
}
Spread spreadFrom(const json& value) {
    return {value.at(0).get<double>(), value.at(1).get<double>(), value.at(2).get<double>()};
}

json toJson(const TotalTime& time) {
    return {{"us", toJson(time.us)}, {"noise_us", time.noiseUs}};
}
TotalTime totalFrom(const json& value) {
    return {spreadFrom(value.at("us")), value.at("noise_us").get<double>()};
}

json toJson(const GraphRun& graph) {
    json nodes = json::array();
    for (const NodeTime& node : graph.nodes)
        nodes.push_back({{"node", node.node}, {"us", toJson(node.us)}});
    json divergences = json::array();
    for (const Divergence& row : graph.divergences)
        divergences.push_back({{"node", row.node}, {"iteration", row.iteration}, {"why", row.why}});
    json out{{"plan", graph.plan},
             {"replay", toJson(graph.replay)},
             {"eager", toJson(graph.eager)},
             {"nodes", std::move(nodes)},
             {"node_samples", graph.nodeSamples},
             {"divergences", std::move(divergences)}};
    if (graph.launchUs) out["launch_us"] = toJson(*graph.launchUs);
    return out;
}

GraphRun graphRunFrom(const json& value) {
    GraphRun out;
    value.at("plan").get_to(out.plan);
    out.replay = totalFrom(value.at("replay"));
    out.eager = totalFrom(value.at("eager"));
    for (const json& node : value.at("nodes"))
        out.nodes.push_back({node.at("node").get<std::uint32_t>(), spreadFrom(node.at("us"))});
    value.at("node_samples").get_to(out.nodeSamples);
    if (const auto found = value.find("launch_us"); found != value.end()) out.launchUs = spreadFrom(*found);
    for (const json& row : value.at("divergences"))
        out.divergences.push_back({row.at("node").get<std::uint32_t>(),
                                   row.at("iteration").get<std::uint64_t>(),
                                   row.at("why").get<std::string>()});
    return out;
}

ReplayRecording readRecording(const json& value) {
    ReplayRecording out;
    value.at("backend").get_to(out.backend);
    value.at("threads").get_to(out.threads);
    for (const json& node : value.at("nodes"))
        out.nodes.push_back({node.at("name").get<std::string>(), node.at("target").get<std::string>(),
                             modeFrom(node.at("mode").get<std::string>()), node.value("why", std::string())});
    for (const json& row : value.at("allocations")) {
        out.allocations.push_back({row.at(0).get<std::uint32_t>(), row.at(1).get<std::uint64_t>(),
                                   row.at(2).get<std::uint64_t>(), row.at(3).get<std::uint32_t>(),
                                   row.at(4).get<std::uint32_t>(), row.at(5).get<bool>(),
                                   row.at(6).get<bool>()});
        if (out.allocations.back().node >= out.nodes.size())
            throw json::other_error::create(500, "an allocation of a node that there is not", nullptr);
    }
    value.at("events").get_to(out.events);
    value.at("arena_bytes").get_to(out.arenaBytes);
    value.at("peak_live_bytes").get_to(out.peakBytes);
    value.at("keep_all_bytes").get_to(out.keepAllBytes);
    value.at("record_us").get_to(out.recordUs);
    value.at("plan_us").get_to(out.planUs);
    value.at("written_inputs").get_to(out.writtenInputs);
    if (const auto found = value.find("cuda_graph"); found != value.end()) {
        Result<CudaGraph> graph = cudaGraphFromJson(*found);
        if (!graph) throw json::other_error::create(500, graph.error().message, nullptr);
        for (const CudaSubgraph& sub : graph->graphs)
            for (const CudaNode& node : sub.nodes)
                if (node.maker && *node.maker >= out.nodes.size())
                    throw json::other_error::create(500, "a CUDA node of a node that there is not", nullptr);
        out.cudaGraph = std::move(*graph);
    }
    if (const auto found = value.find("rerecording"); found != value.end())
        out.rerecording = Rerecording{found->at("updated").get<bool>(), found->at("why").get<std::string>()};
    return out;
}

ReplayRun readRun(const json& value) {
    ReplayRun out;
    value.at("iterations").get_to(out.iterations);
    out.replay = totalFrom(value.at("replay"));
    out.eager = totalFrom(value.at("eager"));
    value.at("allocator_calls").get_to(out.allocatorCalls);
    value.at("verified").get_to(out.verified);
    value.at("different").get_to(out.different);
    out.undecided = value.value("undecided", std::uint64_t{0});
    out.undecidedWhy = value.value("undecided_why", std::string());
    value.at("difference").get_to(out.difference);
    for (const json& graph : value.at("graphs"))
        out.graphs.push_back(graphRunFrom(graph));
    return out;
}

template <typename T>
Result<T> reading(T (*read)(const json&), const json& document, const char* what) {
    try {
        return read(document);
    } catch (const json::exception& error) {
        return failure(std::string("not ") + what + ": " + error.what());
    }
}

} // namespace

std::string_view nodeModeName(NodeMode mode) {
    return modeNames[static_cast<std::size_t>(mode)];
}

std::size_t ReplayRecording::count(NodeMode mode) const {
    return static_cast<std::size_t>(std::count_if(
        nodes.begin(), nodes.end(), [&](const RecordedNode& node) { return node.mode == mode; }));
}

json toJson(const ReplayRecording& recording) {
    json nodes = json::array();
    for (const RecordedNode& node : recording.nodes) {
        nodes.push_back({{"name", node.name}, {"target", node.target}, {"mode", nodeModeName(node.mode)}});
        if (!node.why.empty()) nodes.back()["why"] = node.why;
    }
    json allocations = json::array(); // lists, as there are many
    for (const RecordedAllocation& row : recording.allocations)
        allocations.push_back(
            json::array({row.node, row.bytes, row.offset, row.born, row.died, row.planned, row.result}));
    json out{{"backend", recording.backend},
             {"threads", recording.threads},
             {"nodes", std::move(nodes)},
             {"allocations", std::move(allocations)},
             {"events", recording.events},
             {"arena_bytes", recording.arenaBytes},
             {"peak_live_bytes", recording.peakBytes},
             {"keep_all_bytes", recording.keepAllBytes},
             {"record_us", recording.recordUs},
             {"plan_us", recording.planUs},
             {"written_inputs", recording.writtenInputs}};
    if (recording.cudaGraph) out["cuda_graph"] = toJson(*recording.cudaGraph);
    if (recording.rerecording)
        out["rerecording"] = {{"updated", recording.rerecording->updated},
                              {"why", recording.rerecording->why}};
    return out;
}

Result<ReplayRecording> recordingFromJson(const json& document) {
    return reading(readRecording, document, "a recording");
}

Spread spreadOf(std::vector<double>& samples) {
    if (samples.empty()) return {};
    std::sort(samples.begin(), samples.end());
    const std::size_t n = samples.size();
    return {samples.front(), samples[n / 2], samples[std::min(n - 1, n * 99 / 100)]};
}

json toJson(const ReplayRun& run) {
    json graphs = json::array();
    for (const GraphRun& graph : run.graphs)
        graphs.push_back(toJson(graph));
    json out{{"iterations", run.iterations}, {"replay", toJson(run.replay)},
             {"eager", toJson(run.eager)},   {"allocator_calls", run.allocatorCalls},
             {"verified", run.verified},     {"different", run.different},
             {"difference", run.difference}, {"graphs", std::move(graphs)}};
    if (run.undecided > 0) {
        out["undecided"] = run.undecided;
        out["undecided_why"] = run.undecidedWhy;
    }
    return out;
}

Result<ReplayRun> replayRunFromJson(const json& document) {
    return reading(readRun, document, "the result of a replay");
}

} // namespace dynascope::replay
