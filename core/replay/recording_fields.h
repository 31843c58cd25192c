// SPDX-License-Identifier: BSD-3-Clause
//
// The fields of recordings and of runs of them, for documents that hold these.
#pragma once

#include "core/replay/cuda_graph_fields.h"
#include "core/replay/recording.h"

namespace dynascope::wire {

template <>
struct Words<replay::NodeMode> {
    static constexpr std::array<std::string_view, 5> of{"input", "prebuilt", "planned", "called", "eager"};
};

template <>
struct Fields<replay::RecordedNode> {
    static constexpr const char* name = "node";
    static void of(auto& f, auto& x) {
        f("name", x.name);
        f("target", x.target);
        f("mode", x.mode);
        f.optional("why", x.why);
    }
};

template <>
struct Row<replay::RecordedAllocation> {
    static auto of(auto& x) {
        return std::tie(x.node, x.bytes, x.offset, x.born, x.died, x.planned, x.result);
    }
};

template <>
struct Fields<replay::Rerecording> {
    static constexpr const char* name = "rerecording";
    static void of(auto& f, auto& x) {
        f("updated", x.updated);
        f("why", x.why);
    }
};

template <>
struct Fields<replay::ReplayRecording> {
    static constexpr const char* name = "recording";
    static void of(auto& f, auto& x) {
        f("backend", x.backend);
        f("threads", x.threads);
        f("nodes", x.nodes);
        f("allocations", x.allocations);
        f("events", x.events);
        f("arena_bytes", x.arenaBytes);
        f("peak_live_bytes", x.peakBytes);
        f("keep_all_bytes", x.keepAllBytes);
        f("record_us", x.recordUs);
        f("plan_us", x.planUs);
        f("written_inputs", x.writtenInputs);
        f.optional("cuda_graph", x.cudaGraph);
        f.optional("rerecording", x.rerecording);
        const auto isOfNode = [&x](const replay::RecordedAllocation& row) {
            return row.node < x.nodes.size();
        };
        f.check(
            "allocations", [&] { return std::ranges::all_of(x.allocations, isOfNode); },
            "an allocation of a node that there is not");
        f.check(
            "cuda_graph", [&x] { return !x.cudaGraph || x.cudaGraph->isMadeBy(x.nodes.size()); },
            "a CUDA node of a node that there is not");
    }
};

template <>
struct Row<replay::Spread> {
    static auto of(auto& x) { return std::tie(x.min, x.median, x.p99); }
};

template <>
struct Fields<replay::TotalTime> {
    static constexpr const char* name = "time";
    static void of(auto& f, auto& x) {
        f("us", x.us);
        f("noise_us", x.noiseUs);
    }
};

template <>
struct Fields<replay::NodeTime> {
    static constexpr const char* name = "time of a node";
    static void of(auto& f, auto& x) {
        f("node", x.node);
        f("us", x.us);
    }
};

template <>
struct Fields<replay::Divergence> {
    static constexpr const char* name = "divergence";
    static void of(auto& f, auto& x) {
        f("node", x.node);
        f("iteration", x.iteration);
        f("why", x.why);
    }
};

template <>
struct Fields<replay::GraphRun> {
    static constexpr const char* name = "run of a graph";
    static void of(auto& f, auto& x) {
        f("plan", x.plan);
        f("replay", x.replay);
        f("eager", x.eager);
        f("nodes", x.nodes);
        f("node_samples", x.nodeSamples);
        f.optional("launch_us", x.launchUs);
        f("divergences", x.divergences);
    }
};

template <>
struct Fields<replay::ReplayRun> {
    static constexpr const char* name = "result of a replay";
    static void of(auto& f, auto& x) {
        f("iterations", x.iterations);
        f("replay", x.replay);
        f("eager", x.eager);
        f("allocator_calls", x.allocatorCalls);
        f("verified", x.verified);
        f("different", x.different);
        f("difference", x.difference);
        f("graphs", x.graphs);
        f.optional("undecided", x.undecided);
        if (x.undecided > 0) f("undecided_why", x.undecidedWhy);
    }
};

} // namespace dynascope::wire
