// SPDX-License-Identifier: BSD-3-Clause
//
// The fields of a CUDA graph, for documents that hold one.
#pragma once

#include "core/base/codec.h"
#include "core/replay/cuda_graph.h"

#include <algorithm>

namespace dynascope::wire {

template <>
struct Words<replay::CudaNodeKind> {
    static constexpr std::array<std::string_view, 15> of{"kernel",         "memcpy",       "memset",
                                                         "host",           "child graph",  "empty",
                                                         "wait event",     "event record", "semaphore signal",
                                                         "semaphore wait", "alloc",        "free",
                                                         "batch mem op",   "conditional",  "other"};
};

template <>
struct Row<replay::CudaKernelParam> {
    static auto of(auto& x) { return std::tie(x.offset, x.size, x.bytes); }
};

template <>
struct Fields<replay::CudaKernel> {
    static constexpr const char* name = "kernel";
    static void of(auto& f, auto& x) {
        f("function", x.function);
        f("label", x.label);
        f("grid", x.grid);
        f("block", x.block);
        f("shared", x.sharedBytes);
        f.ifKnown("params", x.params, x.paramsKnown);
        f.check(
            "params", [&x] { return std::ranges::all_of(x.params, &replay::CudaKernelParam::isWhole); },
            "the bytes of a parameter are not what its size says");
    }
};

template <>
struct Fields<replay::CudaMemcpy> {
    static constexpr const char* name = "memcpy";
    static void of(auto& f, auto& x) {
        f("from", x.from);
        f("to", x.to);
        f("source", x.source);
        f("target", x.target);
        f("width", x.widthBytes);
        f("height", x.height);
        f("depth", x.depth);
    }
};

template <>
struct Fields<replay::CudaMemset> {
    static constexpr const char* name = "memset";
    static void of(auto& f, auto& x) {
        f("target", x.target);
        f("value", x.value);
        f("element", x.elementBytes);
        f("width", x.width);
        f("height", x.height);
        f("pitch", x.pitchBytes);
    }
};

template <>
struct Fields<replay::CudaAlloc> {
    static constexpr const char* name = "alloc";
    static void of(auto& f, auto& x) {
        f("address", x.address);
        f("bytes", x.bytes);
    }
};

template <>
struct Fields<replay::CudaFree> {
    static constexpr const char* name = "free";
    static void of(auto& f, auto& x) { f("address", x.address); }
};

template <>
struct Fields<replay::CudaInner> {
    static constexpr const char* name = "inner graphs";
    static void of(auto& f, auto& x) {
        f("condition", x.condition);
        f("graphs", x.graphs);
        f("known", x.known);
    }
};

template <>
struct Fields<replay::CudaNode> {
    static constexpr const char* name = "node";
    static void of(auto& f, auto& x) {
        f("kind", x.kind);
        f.optional("maker", x.maker);
        f.optional("id", x.id);
        f.alternative("detail", x.detail, [&x] { return replay::emptyDetail(x.kind); });
    }
};

template <>
struct Row<replay::CudaEdge> {
    static auto of(auto& x) { return std::tie(x.from, x.to, x.fromPort, x.toPort, x.type); }
};

template <>
struct Fields<replay::CudaSubgraph> {
    static constexpr const char* name = "graph";
    static void of(auto& f, auto& x) {
        f("nodes", x.nodes);
        f("edges", x.edges);
        const auto leads = [&x](const replay::CudaEdge& edge) {
            return std::max(edge.from, edge.to) < x.nodes.size();
        };
        f.check(
            "edges", [&] { return std::ranges::all_of(x.edges, leads); }, "an edge leads nowhere");
    }
};

template <>
struct Fields<replay::CudaGraph> {
    static constexpr const char* name = "CUDA graph";
    static void of(auto& f, auto& x) {
        f("device", x.device);
        f("driver", x.driverVersion);
        f("graphs", x.graphs);
        f("warnings", x.warnings);
        f.check(
            "graphs", [&x] { return !x.graphs.empty() && x.graphs.size() <= replay::maxCudaGraphs; },
            "there is none, or there are too many");
        f.check(
            "graphs", [&x] { return x.isNested(); }, "an inner graph does not follow the one that has it");
    }
};

} // namespace dynascope::wire
