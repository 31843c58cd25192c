// SPDX-License-Identifier: BSD-3-Clause
#include "tests/cuda/fake_driver.h"

#include <algorithm>
#include <cstdio>
#include <fstream>

using namespace dynascope::test;

namespace {

FakeDriver& state() {
    static FakeDriver driver;
    return driver;
}

FakeGraph& graphOf(CUgraph graph) {
    return *reinterpret_cast<FakeGraph*>(graph);
}
FakeNode& nodeOf(CUgraphNode node) {
    return *reinterpret_cast<FakeNode*>(node);
}
FakeFunction& functionOf(void* function) {
    return *static_cast<FakeFunction*>(function);
}

/// Counts, or copies as many as there is room for, as the driver does.
template <typename T, typename Item>
void giveOut(const std::vector<T>& items, Item* out, size_t* count) {
    if (!out) {
        *count = items.size();
        return;
    }
    *count = std::min(*count, items.size());
    std::copy_n(items.begin(), *count, out);
}

std::string dim(unsigned x, unsigned y, unsigned z) {
    if (y == 1 && z == 1) return std::to_string(x);
    std::string out = "\\{" + std::to_string(x) + ',' + std::to_string(y);
    if (z != 1) out += ',' + std::to_string(z);
    return out + "\\}";
}

const char* kindWord(CUgraphNodeType type) {
    constexpr const char* words[] = {
        "KERNEL",       "MEMCPY",       "MEMSET",           "HOST",           "GRAPH",     "EMPTY",
        "WAIT_EVENT",   "EVENT_RECORD", "EXT_SEMAS_SIGNAL", "EXT_SEMAS_WAIT", "MEM_ALLOC", "MEM_FREE",
        "BATCH_MEM_OP", "CONDITIONAL"};
    return words[type];
}

void dump(const FakeGraph& graph, int& number, std::ostream& out) {
    const std::string name = "graph_" + std::to_string(number);
    out << "subgraph cluster_" << number++ << " {\nlabel=\"" << name << "\" graph[style=\"dashed\"];\n";
    const auto id = [&](const FakeNode* node) {
        size_t i = 0;
        while (graph.nodes[i].get() != node)
            ++i;
        return '"' + name + "_node_" + std::to_string(i) + '"';
    };
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
        const FakeNode& node = *graph.nodes[i];
        out << id(&node) << "[style=\"bold\" shape=\"record\" label=\"{" << kindWord(node.type) << "\n";
        if (node.type == CU_GRAPH_NODE_TYPE_KERNEL) {
            const CUDA_KERNEL_NODE_PARAMS& k = node.kernel;
            out << "| {ID | " << i << " (topoId: 0) | " << node.function.name << "\\<\\<\\<"
                << dim(k.gridDimX, k.gridDimY, k.gridDimZ) << ','
                << dim(k.blockDimX, k.blockDimY, k.blockDimZ) << ',' << k.sharedMemBytes << "\\>\\>\\>}\n";
        }
        out << "}\"];\n";
    }
    for (const FakeEdge& edge : graph.edges)
        out << id(edge.from) << " -> " << id(edge.to) << " [headlabel=0];\n";
    out << "}\n";
    for (const auto& node : graph.nodes)
        for (const CUgraph inner : node->inner)
            dump(graphOf(inner), number, out);
}

CUresult paramInfo(void* function, size_t index, size_t* offset, size_t* size) {
    const FakeFunction& fake = functionOf(function);
    if (index >= fake.params.size()) return CUDA_ERROR_INVALID_VALUE;
    *offset = fake.params[index].first;
    *size = fake.params[index].second;
    return CUDA_SUCCESS;
}

} // namespace

extern "C" {

FakeDriver* fakeDriver() {
    return &state();
}

CUresult cuInit(unsigned) {
    return state().init;
}
CUresult cuDriverGetVersion(int* version) {
    *version = state().version;
    return CUDA_SUCCESS;
}
CUresult cuDeviceGetCount(int* count) {
    *count = state().devices;
    return CUDA_SUCCESS;
}
CUresult cuDeviceGet(CUdevice* device, int ordinal) {
    *device = ordinal;
    return CUDA_SUCCESS;
}
CUresult cuDeviceGetName(char* name, int bytes, CUdevice) {
    std::snprintf(name, static_cast<size_t>(bytes), "none: a stand-in for tests");
    return CUDA_SUCCESS;
}
CUresult cuDeviceTotalMem_v2(size_t* bytes, CUdevice) {
    *bytes = size_t{1} << 30;
    return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute, CUdevice) {
    *value = 9;
    return CUDA_SUCCESS;
}
CUresult cuGetErrorString(CUresult error, const char** text) {
    *text = error == CUDA_ERROR_NO_DEVICE        ? "no CUDA-capable device is detected"
            : error == CUDA_ERROR_INVALID_HANDLE ? "invalid resource handle"
                                                 : nullptr;
    return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuStreamGetCaptureInfo_v3(CUstream, CUstreamCaptureStatus* status, cuuint64_t* id, CUgraph* graph,
                                   const CUgraphNode** ends, const CUgraphEdgeData** edges, size_t* count) {
    *status = state().capturing;
    *id = 1;
    *graph = reinterpret_cast<CUgraph>(state().captured);
    *ends = state().ends.data();
    *edges = nullptr;
    *count = state().ends.size();
    return CUDA_SUCCESS;
}
CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode* nodes, size_t* count) {
    state().calls.emplace_back("cuGraphGetNodes");
    std::vector<CUgraphNode> all;
    for (const auto& node : graphOf(graph).nodes)
        all.push_back(handleOf(*node));
    giveOut(all, nodes, count);
    return CUDA_SUCCESS;
}
CUresult cuGraphGetEdges_v2(CUgraph graph, CUgraphNode* from, CUgraphNode* to, CUgraphEdgeData* data,
                            size_t* count) {
    std::vector<CUgraphNode> starts, ends;
    std::vector<CUgraphEdgeData> all;
    for (const FakeEdge& edge : graphOf(graph).edges) {
        starts.push_back(handleOf(*edge.from));
        ends.push_back(handleOf(*edge.to));
        all.push_back(edge.data);
    }
    giveOut(starts, from, count);
    if (!from) return CUDA_SUCCESS;
    giveOut(ends, to, count);
    giveOut(all, data, count);
    return CUDA_SUCCESS;
}
CUresult cuGraphNodeGetDependencies_v2(CUgraphNode node, CUgraphNode* out, CUgraphEdgeData*, size_t* count) {
    state().calls.emplace_back("cuGraphNodeGetDependencies");
    std::vector<CUgraphNode> all;
    for (FakeNode* before : nodeOf(node).after)
        all.push_back(handleOf(*before));
    giveOut(all, out, count);
    return CUDA_SUCCESS;
}
CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType* type) {
    *type = nodeOf(node).type;
    return CUDA_SUCCESS;
}
CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS* params) {
    *params = nodeOf(node).kernel;
    return nodeOf(node).refuses;
}
CUresult cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D* params) {
    *params = nodeOf(node).copy;
    return nodeOf(node).refuses;
}
CUresult cuGraphMemsetNodeGetParams(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS* params) {
    *params = nodeOf(node).set;
    return nodeOf(node).refuses;
}
CUresult cuGraphMemAllocNodeGetParams(CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS* params) {
    *params = nodeOf(node).alloc;
    return nodeOf(node).refuses;
}
CUresult cuGraphMemFreeNodeGetParams(CUgraphNode node, CUdeviceptr* address) {
    *address = nodeOf(node).freed;
    return nodeOf(node).refuses;
}
CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph* graph) {
    *graph = nodeOf(node).inner.at(0);
    return nodeOf(node).refuses;
}
#ifndef FAKE_DRIVER_IS_OLD
CUresult cuGraphNodeGetParams(CUgraphNode node, CUgraphNodeParams* params) {
    FakeNode& fake = nodeOf(node);
    params->type = fake.type;
    params->conditional.type = fake.condition;
    params->conditional.size = static_cast<unsigned>(fake.inner.size());
    params->conditional.phGraph_out = fake.inner.data();
    return fake.refuses;
}
#endif
CUresult cuGraphDebugDotPrint(CUgraph graph, const char* path, unsigned flags) {
    std::ofstream out(path);
    if (!out || flags != CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE) return CUDA_ERROR_OPERATING_SYSTEM;
    if (!state().dot.empty()) {
        out << state().dot;
        return CUDA_SUCCESS;
    }
    int number = 1;
    out << "digraph dot {\n";
    dump(graphOf(graph), number, out);
    out << "}\n";
    return CUDA_SUCCESS;
}
CUresult cuGraphExecUpdate_v2(CUgraphExec, CUgraph, CUgraphExecUpdateResultInfo* info) {
    info->result = state().update;
    return state().update == CU_GRAPH_EXEC_UPDATE_SUCCESS ? CUDA_SUCCESS
                                                          : CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
}
#ifndef FAKE_DRIVER_IS_OLD
CUresult timing(const char* call) {
    state().calls.emplace_back(call);
    return state().refuses == call ? CUDA_ERROR_INVALID_HANDLE : CUDA_SUCCESS;
}
/// The stream goes on only where the gate is open.
void waitForStream() {
    if (state().waits && *state().gate == 0) state().deadlock = true;
    state().waits = false;
}
CUresult cuGraphUpload(CUgraphExec, CUstream) {
    return timing("cuGraphUpload");
}
CUresult cuEventCreate(CUevent* event, unsigned) {
    *event = reinterpret_cast<CUevent>(&state());
    return CUDA_SUCCESS;
}
CUresult cuEventDestroy_v2(CUevent) {
    return CUDA_SUCCESS;
}
CUresult cuEventRecord(CUevent, CUstream) {
    return timing("cuEventRecord");
}
CUresult cuEventSynchronize(CUevent) {
    waitForStream();
    return timing("cuEventSynchronize");
}
CUresult cuStreamSynchronize(CUstream) {
    waitForStream();
    return CUDA_SUCCESS;
}
#undef cuEventElapsedTime // the header of CUDA 13 means a later one
CUresult cuEventElapsedTime(float* ms, CUevent, CUevent) {
    *ms = state().launchMs;
    return timing("cuEventElapsedTime");
}
CUresult cuMemHostAlloc(void** memory, size_t, unsigned) {
    *memory = state().gate = new std::uint32_t(7);
    return CUDA_SUCCESS;
}
CUresult cuMemFreeHost(void* memory) {
    if (state().waits) state().deadlock = true; // the device still reads it
    delete static_cast<std::uint32_t*>(memory);
    state().gate = nullptr;
    return CUDA_SUCCESS;
}
CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr* address, void* memory, unsigned) {
    *address = reinterpret_cast<CUdeviceptr>(memory);
    return CUDA_SUCCESS;
}
CUresult cuStreamWaitValue32_v2(CUstream, CUdeviceptr address, cuuint32_t value, unsigned flags) {
    if (address != reinterpret_cast<CUdeviceptr>(state().gate) || *state().gate != 0 || value != 1 ||
        flags != CU_STREAM_WAIT_VALUE_GEQ)
        return CUDA_ERROR_INVALID_VALUE;
    const CUresult result = timing("cuStreamWaitValue32");
    state().waits = result == CUDA_SUCCESS;
    return result;
}
#endif
CUresult cuFuncGetName(const char** name, CUfunction function) {
    *name = functionOf(function).name.c_str();
    return CUDA_SUCCESS;
}
CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t* offset, size_t* size) {
    return paramInfo(function, index, offset, size);
}
#ifndef FAKE_DRIVER_IS_BROKEN
CUresult cuKernelGetName(const char** name, CUkernel kernel) {
    *name = functionOf(kernel).name.c_str();
    return CUDA_SUCCESS;
}
#endif
CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t* offset, size_t* size) {
    return paramInfo(kernel, index, offset, size);
}

} // extern "C"
