// SPDX-License-Identifier: BSD-3-Clause
//
// Private pools of PyTorch's CUDA allocator, and graphs captured into them.
#pragma once

#include "core/engine/replay/cuda_device.h"
#include "plugins/cuda/cupti_api.h"
#include "plugins/cuda/graph_reader.h"

#include <ATen/cuda/CUDAGraph.h>
#include <atomic>
#include <c10/cuda/CUDAStream.h>
#include <memory>
#include <thread>
#include <vector>

namespace dynascope::cuda {

/// Where the allocator's trace goes: trackers cannot be taken back, so one stays and looks here.
struct Trace {
    /// Whose allocations count; only that thread looks at the rest.
    std::atomic<std::thread::id> thread;
    c10::MempoolId_t pool{0, 0}; ///< whose events count
    std::vector<engine::PoolEvent>* events = nullptr;
    std::uint32_t node = 0;

    void listen(std::vector<engine::PoolEvent>* to, c10::MempoolId_t of) {
        events = to;
        pool = of;
        thread = to ? std::this_thread::get_id() : std::thread::id();
    }
};

/// What a device's pools and captures share.
struct Shared {
    DriverApiPtr driver;
    Result<CuptiApiPtr> cupti;
    std::shared_ptr<Trace> trace;
    /// Of warm-ups and captures, so that what libraries set up for a stream is there when it captures.
    c10::cuda::CUDAStream stream;
    /// CUPTI has timed nodes: launches take longer from then on.
    std::shared_ptr<bool> slowed = std::make_shared<bool>(false);
};
using SharedPtr = std::shared_ptr<const Shared>;

[[nodiscard]] std::unique_ptr<engine::CudaPool> makePool(SharedPtr shared);

/// The first line of what PyTorch says, without its stack.
[[nodiscard]] std::string firstLine(const std::exception& error);

} // namespace dynascope::cuda
