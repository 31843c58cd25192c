// SPDX-License-Identifier: BSD-3-Clause
//
// What cudaGraphDebugDotPrint writes, as a second opinion on a CUDA graph that was read node by node. The
// format is documented nowhere; this reads the verbose form of CUDA 12 and 13: a cluster per graph, a record
// per node that opens with the node's kind.
#pragma once

#include "core/replay/cuda_graph.h"

#include <string>
#include <string_view>
#include <vector>

namespace dynascope::replay {

struct DotNode {
    std::string name;     ///< "graph_1_node_0"
    std::string kind;     ///< as the dump has it: "KERNEL", "MEMCPY", "MEM_ALLOC"; empty where none was found
    std::string function; ///< of a kernel, mangled
    std::string launch;   ///< of a kernel: what is between <<< and >>>, "4,128,0" or "{40,4},{32,16},0"
    friend bool operator==(const DotNode&, const DotNode&) = default;
};

struct DotCluster {
    std::string name; ///< "cluster_1"
    std::vector<DotNode> nodes;
    std::size_t edges = 0;
    friend bool operator==(const DotCluster&, const DotCluster&) = default;
};

/// In the order of the text. Fails on what is no DOT.
[[nodiscard]] Result<std::vector<DotCluster>> readCudaDot(std::string_view text);

/// Where the dump says something else than the graph: how many nodes of a kind, kernels and their launches,
/// edges. Sentences; none if they agree. Handles and order are not compared: they mean nothing.
[[nodiscard]] std::vector<std::string> compareWithDot(const CudaGraph& graph,
                                                      const std::vector<DotCluster>& dump);

} // namespace dynascope::replay
