// SPDX-License-Identifier: BSD-3-Clause
//
// What the CUDA backend needs of a GPU. The plugin in plugins/cuda implements it with libtorch_cuda and the
// CUDA driver; the engine itself links neither, and holds nothing of CUDA's types.
#pragma once

#include "core/base/result.h"
#include "core/engine/replay/cuda_times.h"
#include "core/engine/replay/graph_pool.h"
#include "core/replay/cuda_graph.h"

#include <c10/core/Device.h>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace dynascope::engine {

/// An allocation or a release in a graph's private pool, in the order in which they happened.
struct PoolEvent {
    bool alloc = true;
    replay::CudaAddress address = 0;
    std::uint64_t bytes = 0;
    std::uint32_t node = 0; ///< the FX node that ran
};

/// A piece of the device's memory that a pool has reserved.
struct PoolSegment {
    replay::CudaAddress address = 0;
    std::uint64_t bytes = 0;
};

/// A graph from the beginning of its capture on. All calls may throw what PyTorch throws.
class CudaCapture {
public:
    CudaCapture() = default;
    CudaCapture(const CudaCapture&) = delete;
    CudaCapture& operator=(const CudaCapture&) = delete;
    /// Ends a capture that is under way, and gives the graph back.
    virtual ~CudaCapture() = default;

    /// What is captured and allocated until the next call belongs to this FX node.
    virtual void beginNode(std::uint32_t node) = 0;
    /// What was captured since the last call belongs to this FX node.
    virtual void endNode(std::uint32_t node) = 0;
    /// Ends the capture and makes the graph executable.
    virtual void end() = 0;
    /// Ends the capture and, rather than making the graph executable, gives its parameters to the executable
    /// graph of `before`, which this one takes over. Where the driver refuses, the graph is made executable
    /// as by end(), and the reason comes back.
    [[nodiscard]] virtual Result<void> endUpdating(CudaCapture& before) = 0;
    /// The graph as the driver tells it; after end().
    [[nodiscard]] virtual Result<replay::CudaGraph> describe() = 0;
    /// Of the pool, from the beginning of the capture to its end.
    [[nodiscard]] virtual const std::vector<PoolEvent>& poolEvents() const = 0;
    /// Launches the graph on the current stream, behind what was asked for there, and waits for its end.
    virtual void launch() = 0;
    /// The same, timed on the device. Fails where CUPTI is missing or refuses.
    [[nodiscard]] virtual Result<CudaLaunchTimes> launchTimed(CudaTiming timing) = 0;
};

/// A private pool of PyTorch's allocator, which graphs are captured into. It lasts as long as this object or
/// a graph of it does. All calls may throw what PyTorch throws.
class CudaPool {
public:
    CudaPool() = default;
    CudaPool(const CudaPool&) = delete;
    CudaPool& operator=(const CudaPool&) = delete;
    virtual ~CudaPool() = default;

    /// Runs `body` on the stream of captures, with all that this thread allocates coming from the pool, and
    /// waits for it.
    virtual void within(const std::function<void()>& body) = 0;
    /// Begins to capture into the pool, on the current thread, until CudaCapture::end().
    [[nodiscard]] virtual std::unique_ptr<CudaCapture> capture() = 0;
    /// As GraphPool has them.
    [[nodiscard]] virtual std::shared_ptr<const PoolCheckpoint> checkpoint() = 0;
    [[nodiscard]] virtual Result<void> restore(const PoolCheckpoint& checkpoint,
                                               std::span<c10::StorageImpl* const> live,
                                               std::span<const replay::Address> freed) = 0;
    [[nodiscard]] virtual std::vector<replay::Address> allocated() = 0; ///< sorted
    [[nodiscard]] virtual std::vector<PoolSegment> segments() = 0;
};

/// A GPU as the driver describes it.
struct CudaDeviceFacts {
    std::string name;         ///< "NVIDIA H100 80GB HBM3"
    std::uint64_t bytes = 0;  ///< its memory
    int major = 0, minor = 0; ///< compute capability
};

/// What is there of CUDA, as far as it can be told without opening a device.
struct CudaStatus {
    std::string driver; ///< version, "13.0"; empty where there is none
    std::vector<CudaDeviceFacts> devices;
    std::string problem; ///< why no device can be used, one line; empty where one can
    std::string cupti;   ///< version, "13.0"; empty where there is none
    std::string cuptiProblem;
};

class CudaDevice {
public:
    CudaDevice() = default;
    CudaDevice(const CudaDevice&) = delete;
    CudaDevice& operator=(const CudaDevice&) = delete;
    virtual ~CudaDevice() = default;

    [[nodiscard]] virtual std::string name() const = 0; ///< "NVIDIA H100"
    [[nodiscard]] virtual c10::Device device() const = 0;
    /// Runs `body` on a stream of its own, as warm-ups before a capture must, and waits for it.
    virtual void onSideStream(const std::function<void()>& body) = 0;
    virtual void synchronize() = 0;
    [[nodiscard]] virtual std::unique_ptr<CudaPool> pool() = 0;
};

/// What the plugin's only entry point, `dynascope_cuda_plugin`, returns. C++ types cross, so it must come
/// from the same build; both numbers are compared before anything else is looked at.
struct CudaPlugin {
    std::uint32_t abi = 0;
    const char* torch = nullptr; ///< TORCH_VERSION of the headers that it was built with
    /// Devices count from 0. Fails, in one line, where there is no driver or no such device.
    Result<std::unique_ptr<CudaDevice>> (*open)(int device) = nullptr;
    CudaStatus (*status)() = nullptr;
};
inline constexpr std::uint32_t cudaPluginAbi = 3;
using CudaPluginEntry = const CudaPlugin* (*)();
inline constexpr const char* cudaPluginEntry = "dynascope_cuda_plugin";

} // namespace dynascope::engine
