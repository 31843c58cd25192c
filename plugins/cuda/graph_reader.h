// SPDX-License-Identifier: BSD-3-Clause
//
// CUDA graphs as data, read node by node from the driver, and which FX node each of their nodes came from.
#pragma once

#include "core/replay/cuda_graph.h"
#include "plugins/cuda/driver_api.h"

#include <unordered_map>

namespace dynascope::cuda {

/// Which FX node was running when a node was captured.
using Makers = std::unordered_map<CUgraphNode, std::uint32_t>;

/// Attributes what a stream captures: call mark() after each FX node. Walks back from the ends of the capture
/// to what is known, so that all marks together cost what the nodes and their edges do. What another stream
/// captures is attributed when the marked one has joined it.
class CaptureMarks {
public:
    CaptureMarks(DriverApiPtr api, CUstream stream)
        : m_api(std::move(api))
        , m_stream(stream) {}
    /// What was captured since the last mark came from `node`. Fails where the stream does not capture.
    [[nodiscard]] Result<void> mark(std::uint32_t node);
    [[nodiscard]] const Makers& makers() const { return m_makers; }

private:
    DriverApiPtr m_api;
    CUstream m_stream;
    Makers m_makers;
};

/// Reads the graph and all graphs within its nodes. `nodeId` is what CUPTI calls a node, 0 if it is not
/// known; it may be null. Fails where the driver does; what it refuses of one node alone becomes a warning.
[[nodiscard]] Result<replay::CudaGraph>
readGraph(const DriverApi& api, CUgraph graph, const Makers& makers,
          std::uint64_t (*nodeId)(void* context, CUgraphNode) = nullptr, void* context = nullptr);

/// The driver's own dump of the graph, in DOT, verbose. Written to memory, so that no file is needed.
[[nodiscard]] Result<std::string> dotDump(const DriverApi& api, CUgraph graph);

/// Adds a warning for everything that the dump says otherwise, and where there is none.
void checkAgainstDump(const DriverApi& api, CUgraph graph, replay::CudaGraph& read);

/// Gives the executable graph the parameters of another graph of the same shape; fails with the driver's
/// reason where that is not possible, and the executable graph is then as it was.
[[nodiscard]] Result<void> updateExec(const DriverApi& api, CUgraphExec exec, CUgraph graph);

} // namespace dynascope::cuda
