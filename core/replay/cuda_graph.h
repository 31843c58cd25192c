// SPDX-License-Identifier: BSD-3-Clause
//
// A CUDA graph as data: its nodes as the driver tells them, its edges, and the graphs within its nodes. The
// CUDA backend makes it; panels and session files read it on machines that have no GPU.
#pragma once

#include "core/base/result.h"

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace dynascope::replay {

enum class CudaNodeKind : std::uint8_t {
    Kernel,
    Memcpy,
    Memset,
    Host, ///< calls a function of the CPU
    ChildGraph,
    Empty, ///< joins edges
    WaitEvent,
    EventRecord,
    SemaphoreSignal,
    SemaphoreWait,
    Alloc,
    Free,
    BatchMemOp,
    Conditional,
    Other, ///< a kind that this program does not know
};
/// "kernel", "memcpy", "child graph", ...
[[nodiscard]] std::string_view cudaNodeKindName(CudaNodeKind kind);

using CudaAddress = std::uint64_t;

/// One argument of a kernel, as it lies in the kernel's argument buffer.
struct CudaKernelParam {
    std::uint32_t offset = 0, size = 0;
    std::string bytes; ///< hexadecimal, first byte first; empty where they could not be read
    friend bool operator==(const CudaKernelParam&, const CudaKernelParam&) = default;

    /// The bytes as an unsigned little-endian number, such as a pointer; nothing for sizes other than 1 to 8.
    [[nodiscard]] std::optional<std::uint64_t> number() const;
    /// Whether `bytes` are hexadecimal and as many as `size` says, or were not read.
    [[nodiscard]] bool isWhole() const;
};

struct CudaKernel {
    std::string function; ///< as the driver names it, mangled
    std::string label;    ///< the same for people: demangled
    std::array<std::uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
    std::uint32_t sharedBytes = 0; ///< dynamic shared memory per block
    std::vector<CudaKernelParam> params;
    bool paramsKnown = true; ///< false: the driver did not tell them
    friend bool operator==(const CudaKernel&, const CudaKernel&) = default;
};

struct CudaMemcpy {
    /// "host", "device", "array" or "unified".
    std::string from, to;
    CudaAddress source = 0, target = 0;
    std::uint64_t widthBytes = 0, height = 1, depth = 1;
    friend bool operator==(const CudaMemcpy&, const CudaMemcpy&) = default;
};

struct CudaMemset {
    CudaAddress target = 0;
    std::uint32_t value = 0, elementBytes = 1;
    std::uint64_t width = 0, height = 1, pitchBytes = 0; ///< width in elements
    friend bool operator==(const CudaMemset&, const CudaMemset&) = default;
};

struct CudaAlloc {
    CudaAddress address = 0;
    std::uint64_t bytes = 0;
    friend bool operator==(const CudaAlloc&, const CudaAlloc&) = default;
};

struct CudaFree {
    CudaAddress address = 0;
    friend bool operator==(const CudaFree&, const CudaFree&) = default;
};

/// A node with graphs inside: a child graph, or a conditional's bodies.
struct CudaInner {
    /// Of a conditional: "if", "while", "switch"; empty where the driver does not tell
    std::string condition;
    std::vector<std::uint32_t> graphs; ///< indices into CudaGraph::graphs, in the order of the driver
    /// False: there are bodies that could not be reached (older drivers have no call for it).
    bool known = true;
    friend bool operator==(const CudaInner&, const CudaInner&) = default;
};

using CudaDetail =
    std::variant<std::monostate, CudaKernel, CudaMemcpy, CudaMemset, CudaAlloc, CudaFree, CudaInner>;
/// The detail that nodes of the kind have.
[[nodiscard]] CudaDetail emptyDetail(CudaNodeKind kind);

struct CudaNode {
    CudaNodeKind kind = CudaNodeKind::Other;
    /// The FX node that was running when it was captured: index into ReplayRecording::nodes.
    std::optional<std::uint32_t> maker;
    /// Its number among the nodes of all graphs, from 1; 0 where the backend does not number them.
    std::uint64_t id = 0;
    CudaDetail detail;
    friend bool operator==(const CudaNode&, const CudaNode&) = default;
};

/// `to` starts after `from`. Ports and type are those of CUgraphEdgeData, 0 for an ordinary edge.
struct CudaEdge {
    std::uint32_t from = 0, to = 0;
    std::uint8_t fromPort = 0, toPort = 0, type = 0;
    friend bool operator==(const CudaEdge&, const CudaEdge&) = default;
};

struct CudaSubgraph {
    std::vector<CudaNode> nodes;
    std::vector<CudaEdge> edges; ///< indices into `nodes`
    friend bool operator==(const CudaSubgraph&, const CudaSubgraph&) = default;
};

struct CudaGraph {
    std::string device;    ///< its name, such as "NVIDIA H100"; says so where no GPU was involved
    int driverVersion = 0; ///< 13000 for CUDA 13.0
    /// The graph itself comes first, then those within its nodes; an inner graph comes after the one that has
    /// it.
    std::vector<CudaSubgraph> graphs;
    /// What was odd: parameters that the driver refused, a DOT dump that says something else. Sentences.
    std::vector<std::string> warnings;
    friend bool operator==(const CudaGraph&, const CudaGraph&) = default;

    [[nodiscard]] std::size_t count(CudaNodeKind kind) const; ///< in all graphs
    /// Whether makers are below `nodes`.
    [[nodiscard]] bool isMadeBy(std::size_t nodes) const;
    /// Whether inner graphs come after those that have them, and are there.
    [[nodiscard]] bool isNested() const;
};

/// "vectorized_elementwise_kernel<<<4, 128>>>", "memcpy device to device, 4.0 KiB": one line for a card or
/// row.
[[nodiscard]] std::string describe(const CudaNode& node);

[[nodiscard]] nlohmann::json toJson(const CudaGraph& graph);
/// Fails on anything but what toJson makes: indices that lead nowhere, graphs that hold themselves, over
/// maxCudaGraphs graphs.
[[nodiscard]] Result<CudaGraph> cudaGraphFromJson(const nlohmann::json& document);
inline constexpr std::size_t maxCudaGraphs = 10'000;

} // namespace dynascope::replay
