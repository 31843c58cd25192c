// SPDX-License-Identifier: BSD-3-Clause
//
// The engine's CudaDevice over libtorch_cuda: streams, private pools, capture, launch, the allocator's trace.
// Only calls; what they mean is decided in core/engine/replay and graph_reader.cpp, which are tested without
// a GPU.
#include "plugins/cuda/torch_cuda_pool.h"

#include <ATen/Context.h>
#include <array>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/headeronly/version.h>

namespace dynascope::cuda {

namespace {

namespace allocator = c10::cuda::CUDACachingAllocator;
using engine::CudaDevice;
using engine::CudaPool;

class Device final : public CudaDevice {
public:
    Device(DriverApiPtr driver, std::string name)
        : m_name(std::move(name))
        , m_shared(std::make_shared<Shared>(Shared{std::move(driver), loadCupti(), std::make_shared<Trace>(),
                                                   c10::cuda::getStreamFromPool(true, 0)})) {
        allocator::attachAllocatorTraceTracker([trace = m_shared->trace](const auto& entry) {
            if (trace->thread.load(std::memory_order_relaxed) != std::this_thread::get_id()) return;
            if (entry.mempool_ != trace->pool) return;
            const bool alloc = entry.action_ == std::decay_t<decltype(entry)>::ALLOC;
            if (alloc || entry.action_ == std::decay_t<decltype(entry)>::FREE_COMPLETED)
                trace->events->push_back({alloc, entry.addr_, entry.size_, trace->node});
        });
    }
    [[nodiscard]] std::string name() const override { return m_name; }
    [[nodiscard]] c10::Device device() const override { return m_shared->stream.device(); }
    void onSideStream(const std::function<void()>& body) override {
        synchronize(); // what the body reads was written there
        const c10::cuda::CUDAStreamGuard guard(m_shared->stream);
        body();
        m_shared->stream.synchronize();
    }
    void synchronize() override { c10::cuda::getCurrentCUDAStream().synchronize(); }
    std::unique_ptr<CudaPool> pool() override { return makePool(m_shared); }

private:
    std::string m_name;
    SharedPtr m_shared;
};

Result<std::unique_ptr<CudaDevice>> open() {
    auto driver = loadDriver();
    if (!driver) return tl::unexpected(driver.error());
    try {
        (void)c10::cuda::device_count_ensure_non_zero(); // says why there is none
        // Refuses where PyTorch was asked for CUDA before its CUDA library was there: it keeps that answer.
        at::globalContext().lazyInitDevice(c10::kCUDA);
        if (const std::string kind = allocator::name(); kind != "native")
            return failure("PyTorch's allocator is '" + kind +
                           "', and only 'native' has private pools: unset PYTORCH_CUDA_ALLOC_CONF");
        CUdevice device = 0;
        std::array<char, 256> name{};
        if ((*driver)->deviceGet(&device, 0) != CUDA_SUCCESS ||
            (*driver)->deviceGetName(name.data(), static_cast<int>(name.size()), device) != CUDA_SUCCESS)
            return failure("the CUDA driver does not name its device");
        return std::make_unique<Device>(*driver, name.data());
    } catch (const std::exception& error) {
        return failure(firstLine(error));
    }
}

} // namespace

} // namespace dynascope::cuda

extern "C" __attribute__((visibility("default"))) const dynascope::engine::CudaPlugin*
dynascope_cuda_plugin() {
    static constexpr dynascope::engine::CudaPlugin plugin{dynascope::engine::cudaPluginAbi, TORCH_VERSION,
                                                          &dynascope::cuda::open};
    return &plugin;
}
