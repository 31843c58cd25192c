// SPDX-License-Identifier: BSD-3-Clause
//
// A stand-in for the CUDA driver: a library with its entry points over graphs that a test made. It runs
// nothing.
#pragma once

#include <cuda.h>
#include <memory>
#include <string>
#include <vector>

namespace dynascope::test {

struct FakeFunction {
    std::string name;
    std::vector<std::pair<std::size_t, std::size_t>> params; ///< offset and size
};

struct FakeGraph;

/// What a CUgraphNode points to.
struct FakeNode {
    CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
    CUresult refuses = CUDA_SUCCESS; ///< what asking for its parameters gives
    CUDA_KERNEL_NODE_PARAMS kernel{};
    FakeFunction function;
    std::vector<std::vector<unsigned char>> arguments;
    std::vector<void*> argumentPointers; ///< to `arguments`, as the driver hands them out
    CUDA_MEMCPY3D copy{};
    CUDA_MEMSET_NODE_PARAMS set{};
    CUDA_MEM_ALLOC_NODE_PARAMS alloc{};
    CUdeviceptr freed = 0;
    CUgraphConditionalNodeType condition{};
    std::vector<CUgraph> inner;
    std::vector<FakeNode*> after; ///< what it depends on
    unsigned long long cuptiId = 0;
};

struct FakeEdge {
    FakeNode *from = nullptr, *to = nullptr;
    CUgraphEdgeData data{};
};

/// What a CUgraph points to.
struct FakeGraph {
    std::vector<std::unique_ptr<FakeNode>> nodes;
    std::vector<FakeEdge> edges;

    FakeNode& add(CUgraphNodeType type) {
        nodes.push_back(std::make_unique<FakeNode>());
        nodes.back()->type = type;
        return *nodes.back();
    }
    void link(FakeNode& from, FakeNode& to, CUgraphEdgeData data = {}) {
        edges.push_back({&from, &to, data});
        to.after.push_back(&from);
    }
    CUgraph handle() { return reinterpret_cast<CUgraph>(this); }
};

inline CUgraphNode handleOf(FakeNode& node) {
    return reinterpret_cast<CUgraphNode>(&node);
}

/// How the library behaves; fakeDriver() gives the one that it has.
struct FakeDriver {
    int version = 13000, devices = 1;
    CUresult init = CUDA_SUCCESS;
    CUstreamCaptureStatus capturing = CU_STREAM_CAPTURE_STATUS_NONE;
    FakeGraph* captured = nullptr;
    std::vector<CUgraphNode> ends;
    std::string dot; ///< instead of a dump of its own, if not empty
    CUgraphExecUpdateResult update = CU_GRAPH_EXEC_UPDATE_SUCCESS;
    std::vector<std::string> calls; ///< names of those that look at graphs
    float launchMs = 0;             ///< between the two events of a launch
    std::string refuses;            ///< the call among those that time launches which fails
    std::uint32_t* gate = nullptr;  ///< the word that the stream waits for
    bool waits = false;             ///< the stream waits for it
    bool deadlock = false;          ///< somebody waited for a stream that waits
};
using FakeDriverOf = FakeDriver* (*)();

} // namespace dynascope::test
