// SPDX-License-Identifier: BSD-3-Clause
#include "plugins/cuda/graph_reader.h"

#include "core/replay/cuda_dot.h"

#include <array>
#include <cstdlib>
#include <cxxabi.h>
#include <sys/mman.h>
#include <unistd.h>

namespace dynascope::cuda {

namespace {

using namespace replay;

tl::unexpected<Error> callFailure(const DriverApi& api, const char* call, CUresult status) {
    return failure(std::string(call) + ": " + api.errorText(status));
}

std::string demangled(const std::string& name) {
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> text(
        abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
    return status == 0 && text ? text.get() : name;
}

std::string hexBytes(const void* data, std::size_t size) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string out;
    for (const auto *byte = static_cast<const unsigned char*>(data), *end = byte + size; byte != end;
         ++byte) {
        out += digits[*byte >> 4];
        out += digits[*byte & 15];
    }
    return out;
}

CudaNodeKind kindOf(CUgraphNodeType type) {
    switch (type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
        return CudaNodeKind::Kernel;
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        return CudaNodeKind::Memcpy;
    case CU_GRAPH_NODE_TYPE_MEMSET:
        return CudaNodeKind::Memset;
    case CU_GRAPH_NODE_TYPE_HOST:
        return CudaNodeKind::Host;
    case CU_GRAPH_NODE_TYPE_GRAPH:
        return CudaNodeKind::ChildGraph;
    case CU_GRAPH_NODE_TYPE_EMPTY:
        return CudaNodeKind::Empty;
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
        return CudaNodeKind::WaitEvent;
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
        return CudaNodeKind::EventRecord;
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL:
        return CudaNodeKind::SemaphoreSignal;
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT:
        return CudaNodeKind::SemaphoreWait;
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
        return CudaNodeKind::Alloc;
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
        return CudaNodeKind::Free;
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
        return CudaNodeKind::BatchMemOp;
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
        return CudaNodeKind::Conditional;
    default:
        return CudaNodeKind::Other; // later headers and drivers have more
    }
}

std::string memoryName(CUmemorytype type) {
    switch (type) {
    case CU_MEMORYTYPE_HOST:
        return "host";
    case CU_MEMORYTYPE_DEVICE:
        return "device";
    case CU_MEMORYTYPE_ARRAY:
        return "array";
    case CU_MEMORYTYPE_UNIFIED:
        return "unified";
    }
    return "other";
}

std::string conditionName(CUgraphConditionalNodeType type) {
    switch (type) {
    case CU_GRAPH_COND_TYPE_IF:
        return "if";
    case CU_GRAPH_COND_TYPE_WHILE:
        return "while";
    case CU_GRAPH_COND_TYPE_SWITCH:
        return "switch";
    default:
        return "other";
    }
}

class Reader {
public:
    Reader(const DriverApi& api, const Makers& makers, std::uint64_t (*nodeId)(void*, CUgraphNode),
           void* context)
        : m_api(api)
        , m_makers(makers)
        , m_nodeId(nodeId)
        , m_context(context) {
        m_out.driverVersion = api.version;
    }

    Result<CudaGraph> run(CUgraph graph) {
        m_handles.push_back(graph);
        // Inner graphs join the queue behind the one that has them.
        for (std::size_t i = 0; i < m_handles.size(); ++i)
            if (const auto done = readOne(m_handles[i]); !done) return tl::unexpected(done.error());
        return std::move(m_out);
    }

private:
    Result<void> readOne(CUgraph graph) {
        std::size_t count = 0;
        if (const CUresult status = m_api.graphGetNodes(graph, nullptr, &count); status != CUDA_SUCCESS)
            return callFailure(m_api, "cuGraphGetNodes", status);
        std::vector<CUgraphNode> nodes(count);
        if (count > 0)
            if (const CUresult status = m_api.graphGetNodes(graph, nodes.data(), &count);
                status != CUDA_SUCCESS)
                return callFailure(m_api, "cuGraphGetNodes", status);
        nodes.resize(count);
        CudaSubgraph sub;
        std::unordered_map<CUgraphNode, std::uint32_t> index;
        for (const CUgraphNode node : nodes) {
            index.emplace(node, static_cast<std::uint32_t>(sub.nodes.size()));
            Result<CudaNode> read = readNode(node);
            if (!read) return tl::unexpected(read.error());
            sub.nodes.push_back(std::move(*read));
        }
        if (const auto done = readEdges(graph, index, sub); !done) return done;
        m_out.graphs.push_back(std::move(sub));
        return {};
    }

    Result<void> readEdges(CUgraph graph, const std::unordered_map<CUgraphNode, std::uint32_t>& index,
                           CudaSubgraph& sub) {
        std::size_t count = 0;
        if (const CUresult status = m_api.graphGetEdges(graph, nullptr, nullptr, nullptr, &count);
            status != CUDA_SUCCESS)
            return callFailure(m_api, "cuGraphGetEdges", status);
        if (count == 0) return {};
        std::vector<CUgraphNode> from(count), to(count);
        std::vector<CUgraphEdgeData> data(count);
        if (const CUresult status = m_api.graphGetEdges(graph, from.data(), to.data(), data.data(), &count);
            status != CUDA_SUCCESS)
            return callFailure(m_api, "cuGraphGetEdges", status);
        for (std::size_t i = 0; i < count; ++i) {
            const auto a = index.find(from[i]), b = index.find(to[i]);
            if (a == index.end() || b == index.end()) {
                m_out.warnings.emplace_back(
                    "the driver tells of an edge between nodes that it does not list");
                continue;
            }
            sub.edges.push_back({a->second, b->second, data[i].from_port, data[i].to_port, data[i].type});
        }
        return {};
    }

    Result<CudaNode> readNode(CUgraphNode node) {
        CUgraphNodeType type{};
        if (const CUresult status = m_api.graphNodeGetType(node, &type); status != CUDA_SUCCESS)
            return callFailure(m_api, "cuGraphNodeGetType", status);
        CudaNode out;
        out.kind = kindOf(type);
        if (const auto found = m_makers.find(node); found != m_makers.end()) out.maker = found->second;
        if (m_nodeId) out.id = m_nodeId(m_context, node);
        CUresult status = CUDA_SUCCESS;
        switch (out.kind) {
        case CudaNodeKind::Kernel:
            status = readKernel(node, out);
            break;
        case CudaNodeKind::Memcpy:
            status = readMemcpy(node, out);
            break;
        case CudaNodeKind::Memset:
            status = readMemset(node, out);
            break;
        case CudaNodeKind::Alloc:
            status = readAlloc(node, out);
            break;
        case CudaNodeKind::Free:
            status = readFree(node, out);
            break;
        case CudaNodeKind::ChildGraph:
            status = readChild(node, out);
            break;
        case CudaNodeKind::Conditional:
            status = readConditional(node, out);
            break;
        default:
            break;
        }
        if (status != CUDA_SUCCESS)
            m_out.warnings.push_back("a " + std::string(cudaNodeKindName(out.kind)) +
                                     " node does not tell its parameters: " + m_api.errorText(status));
        return out;
    }

    CUresult readKernel(CUgraphNode node, CudaNode& out) {
        CUDA_KERNEL_NODE_PARAMS params{};
        if (const CUresult status = m_api.graphKernelNodeGetParams(node, &params); status != CUDA_SUCCESS)
            return status;
        CudaKernel kernel;
        const char* name = nullptr;
        const CUresult named =
            params.func ? m_api.funcGetName(&name, params.func) : m_api.kernelGetName(&name, params.kern);
        if (named == CUDA_SUCCESS && name) kernel.function = name;
        kernel.label = demangled(kernel.function);
        kernel.grid = {params.gridDimX, params.gridDimY, params.gridDimZ};
        kernel.block = {params.blockDimX, params.blockDimY, params.blockDimZ};
        kernel.sharedBytes = params.sharedMemBytes;
        readParams(params, kernel);
        out.detail = std::move(kernel);
        return named;
    }

    /// The arguments come as pointers to each, or as one buffer.
    void readParams(const CUDA_KERNEL_NODE_PARAMS& params, CudaKernel& kernel) const {
        const unsigned char* buffer = nullptr;
        std::size_t bytes = 0;
        for (void** extra = params.extra; extra && *extra != CU_LAUNCH_PARAM_END; extra += 2) {
            if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
                buffer = static_cast<const unsigned char*>(extra[1]);
            if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE) bytes = *static_cast<const std::size_t*>(extra[1]);
        }
        kernel.paramsKnown = params.kernelParams || buffer;
        for (std::size_t i = 0;; ++i) {
            std::size_t offset = 0, size = 0;
            const CUresult status = params.func ? m_api.funcGetParamInfo(params.func, i, &offset, &size)
                                                : m_api.kernelGetParamInfo(params.kern, i, &offset, &size);
            if (status != CUDA_SUCCESS) return; // past the last one
            CudaKernelParam& row = kernel.params.emplace_back();
            row.offset = static_cast<std::uint32_t>(offset);
            row.size = static_cast<std::uint32_t>(size);
            if (params.kernelParams) {
                row.bytes = hexBytes(params.kernelParams[i], size);
            } else if (buffer && offset + size <= bytes) {
                row.bytes = hexBytes(buffer + offset, size);
            }
        }
    }

    CUresult readMemcpy(CUgraphNode node, CudaNode& out) const {
        CUDA_MEMCPY3D params{};
        const CUresult status = m_api.graphMemcpyNodeGetParams(node, &params);
        if (status != CUDA_SUCCESS) return status;
        const auto address = [](CUmemorytype type, const void* host, CUdeviceptr device, CUarray array) {
            if (type == CU_MEMORYTYPE_HOST) return reinterpret_cast<CudaAddress>(host);
            return type == CU_MEMORYTYPE_ARRAY ? reinterpret_cast<CudaAddress>(array) : CudaAddress{device};
        };
        out.detail =
            CudaMemcpy{memoryName(params.srcMemoryType),
                       memoryName(params.dstMemoryType),
                       address(params.srcMemoryType, params.srcHost, params.srcDevice, params.srcArray),
                       address(params.dstMemoryType, params.dstHost, params.dstDevice, params.dstArray),
                       params.WidthInBytes,
                       params.Height,
                       params.Depth};
        return status;
    }

    CUresult readMemset(CUgraphNode node, CudaNode& out) const {
        CUDA_MEMSET_NODE_PARAMS params{};
        const CUresult status = m_api.graphMemsetNodeGetParams(node, &params);
        if (status == CUDA_SUCCESS)
            out.detail = CudaMemset{params.dst,   params.value,  params.elementSize,
                                    params.width, params.height, params.height > 1 ? params.pitch : 0};
        return status;
    }

    CUresult readAlloc(CUgraphNode node, CudaNode& out) const {
        CUDA_MEM_ALLOC_NODE_PARAMS params{};
        const CUresult status = m_api.graphMemAllocNodeGetParams(node, &params);
        if (status == CUDA_SUCCESS) out.detail = CudaAlloc{params.dptr, params.bytesize};
        return status;
    }

    CUresult readFree(CUgraphNode node, CudaNode& out) const {
        CUdeviceptr address = 0;
        const CUresult status = m_api.graphMemFreeNodeGetParams(node, &address);
        if (status == CUDA_SUCCESS) out.detail = CudaFree{address};
        return status;
    }

    CUresult readChild(CUgraphNode node, CudaNode& out) {
        CUgraph child = nullptr;
        const CUresult status = m_api.graphChildGraphNodeGetGraph(node, &child);
        CudaInner inner;
        inner.known = status == CUDA_SUCCESS && add(child, inner);
        out.detail = std::move(inner);
        return status;
    }

    CUresult readConditional(CUgraphNode node, CudaNode& out) {
        CudaInner inner;
        inner.known = false;
        CUresult status = CUDA_SUCCESS;
        if (m_api.graphNodeGetParams) {
            CUgraphNodeParams params{};
            status = m_api.graphNodeGetParams(node, &params);
            if (status == CUDA_SUCCESS) {
                inner.condition = conditionName(params.conditional.type);
                inner.known = params.conditional.phGraph_out != nullptr;
                for (unsigned i = 0; inner.known && i < params.conditional.size; ++i)
                    inner.known = add(params.conditional.phGraph_out[i], inner);
            }
        }
        out.detail = std::move(inner);
        return status;
    }

    /// False where there are too many already.
    bool add(CUgraph graph, CudaInner& inner) {
        if (m_handles.size() >= maxCudaGraphs) return false;
        inner.graphs.push_back(static_cast<std::uint32_t>(m_handles.size()));
        m_handles.push_back(graph);
        return true;
    }

    const DriverApi& m_api;
    const Makers& m_makers;
    std::uint64_t (*m_nodeId)(void*, CUgraphNode);
    void* m_context;
    std::vector<CUgraph> m_handles;
    CudaGraph m_out;
};

std::string updateReason(CUgraphExecUpdateResult result) {
    switch (result) {
    case CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED:
        return "its nodes or edges are others";
    case CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED:
        return "a node is of another kind";
    case CU_GRAPH_EXEC_UPDATE_ERROR_FUNCTION_CHANGED:
        return "a kernel is of another device or context";
    case CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED:
        return "parameters changed that cannot be updated";
    case CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED:
        return "something about a node cannot be updated";
    case CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE:
        return "a kernel changed in a way that cannot be updated";
    case CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED:
        return "attributes changed that cannot be updated";
    default:
        return "the driver gives no reason";
    }
}

} // namespace

Result<void> CaptureMarks::mark(std::uint32_t node) {
    CUstreamCaptureStatus capturing{};
    cuuint64_t id = 0;
    CUgraph graph = nullptr;
    const CUgraphNode* ends = nullptr;
    const CUgraphEdgeData* edges = nullptr;
    std::size_t count = 0;
    const CUresult status =
        m_api->streamGetCaptureInfo(m_stream, &capturing, &id, &graph, &ends, &edges, &count);
    if (status != CUDA_SUCCESS) return callFailure(*m_api, "cuStreamGetCaptureInfo", status);
    if (capturing != CU_STREAM_CAPTURE_STATUS_ACTIVE)
        return failure("the stream does not capture (any more)");
    std::vector<CUgraphNode> open(ends, ends + count), dependencies;
    std::vector<CUgraphEdgeData> data;
    while (!open.empty()) {
        const CUgraphNode next = open.back();
        open.pop_back();
        if (!m_makers.emplace(next, node).second) continue;
        std::size_t size = 0;
        CUresult asked = m_api->graphNodeGetDependencies(next, nullptr, nullptr, &size);
        dependencies.resize(size);
        data.resize(size);
        if (asked == CUDA_SUCCESS && size > 0)
            asked = m_api->graphNodeGetDependencies(next, dependencies.data(), data.data(), &size);
        if (asked != CUDA_SUCCESS) return callFailure(*m_api, "cuGraphNodeGetDependencies", asked);
        open.insert(open.end(), dependencies.begin(),
                    dependencies.begin() + static_cast<std::ptrdiff_t>(size));
    }
    return {};
}

Result<CudaGraph> readGraph(const DriverApi& api, CUgraph graph, const Makers& makers,
                            std::uint64_t (*nodeId)(void*, CUgraphNode), void* context) {
    return Reader(api, makers, nodeId, context).run(graph);
}

Result<std::string> dotDump(const DriverApi& api, CUgraph graph) {
    // The engine may not write files; memory has a path as well.
    const int file = ::memfd_create("cuda_graph", MFD_CLOEXEC);
    if (file < 0) return failure("no memory for the dump of a CUDA graph");
    const std::string path = "/proc/self/fd/" + std::to_string(file);
    const CUresult status = api.graphDebugDotPrint(graph, path.c_str(), CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE);
    std::string out;
    std::array<char, 65536> buffer{};
    for (ssize_t got = 1, at = 0; status == CUDA_SUCCESS && got > 0; at += got) {
        got = ::pread(file, buffer.data(), buffer.size(), at);
        if (got > 0) out.append(buffer.data(), static_cast<std::size_t>(got));
    }
    ::close(file);
    if (status != CUDA_SUCCESS) return callFailure(api, "cuGraphDebugDotPrint", status);
    return out;
}

void checkAgainstDump(const DriverApi& api, CUgraph graph, CudaGraph& read) {
    const Result<std::string> text = dotDump(api, graph);
    const auto dump = text ? readCudaDot(*text) : tl::unexpected(text.error());
    if (!dump) {
        read.warnings.push_back("not checked against the driver's dump: " + dump.error().message);
        return;
    }
    for (std::string& difference : compareWithDot(read, *dump))
        read.warnings.push_back(std::move(difference));
}

Result<void> updateExec(const DriverApi& api, CUgraphExec exec, CUgraph graph) {
    CUgraphExecUpdateResultInfo info{};
    const CUresult status = api.graphExecUpdate(exec, graph, &info);
    if (status == CUDA_SUCCESS && info.result == CU_GRAPH_EXEC_UPDATE_SUCCESS) return {};
    if (status != CUDA_SUCCESS && status != CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE)
        return callFailure(api, "cuGraphExecUpdate", status);
    return failure("the graph cannot be updated: " + updateReason(info.result));
}

} // namespace dynascope::cuda
