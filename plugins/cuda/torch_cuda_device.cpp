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
using engine::CudaDeviceFacts;
using engine::CudaPool;
using engine::CudaStatus;

class Device final : public CudaDevice {
public:
    Device(DriverApiPtr driver, c10::DeviceIndex index, std::string name)
        : m_name(std::move(name))
        , m_shared(std::make_shared<Shared>(Shared{std::move(driver), loadCupti(), std::make_shared<Trace>(),
                                                   c10::cuda::getStreamFromPool(true, index)})) {
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
    void synchronize() override {
        c10::cuda::getCurrentCUDAStream(m_shared->stream.device_index()).synchronize();
    }
    std::unique_ptr<CudaPool> pool() override { return makePool(m_shared); }

private:
    std::string m_name;
    SharedPtr m_shared;
};

Result<std::string> nameOf(const DriverApi& driver, int index) {
    CUdevice device = 0;
    std::array<char, 256> name{};
    if (driver.deviceGet(&device, index) != CUDA_SUCCESS ||
        driver.deviceGetName(name.data(), static_cast<int>(name.size()), device) != CUDA_SUCCESS)
        return failure("the CUDA driver does not name its device " + std::to_string(index));
    return name.data();
}

Result<std::unique_ptr<CudaDevice>> open(int index) {
    auto driver = loadDriver();
    if (!driver) return tl::unexpected(driver.error());
    try {
        const int devices = c10::cuda::device_count_ensure_non_zero(); // says why there is none
        if (index >= devices)
            return failure("there is no device cuda:" + std::to_string(index) + ": PyTorch sees " +
                           std::to_string(devices));
        // Refuses where PyTorch was asked for CUDA before its CUDA library was there: it keeps that answer.
        at::globalContext().lazyInitDevice(c10::kCUDA);
        if (const std::string kind = allocator::name(); kind != "native")
            return failure("PyTorch's allocator is '" + kind +
                           "', and only 'native' has private pools: unset PYTORCH_CUDA_ALLOC_CONF");
        Result<std::string> name = nameOf(**driver, index);
        if (!name) return tl::unexpected(name.error());
        return std::make_unique<Device>(*driver, static_cast<c10::DeviceIndex>(index), std::move(*name));
    } catch (const std::exception& error) {
        return failure(firstLine(error));
    }
}

Result<CudaDeviceFacts> factsOf(const DriverApi& driver, int index) {
    Result<std::string> name = nameOf(driver, index);
    if (!name) return tl::unexpected(name.error());
    CudaDeviceFacts out{std::move(*name)};
    CUdevice device = 0;
    std::size_t bytes = 0;
    if (driver.deviceGet(&device, index) != CUDA_SUCCESS ||
        driver.deviceTotalMem(&bytes, device) != CUDA_SUCCESS ||
        driver.deviceGetAttribute(&out.major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device) !=
            CUDA_SUCCESS ||
        driver.deviceGetAttribute(&out.minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device) !=
            CUDA_SUCCESS)
        return failure("the CUDA driver does not describe its device " + std::to_string(index));
    out.bytes = bytes;
    return out;
}

CudaStatus status() {
    CudaStatus out;
    if (const auto cupti = loadCupti()) {
        out.cupti = cuptiVersionText((*cupti)->version);
    } else {
        out.cuptiProblem = cupti.error().message;
    }
    const auto driver = loadDriver();
    if (!driver) {
        out.problem = driver.error().message;
        return out;
    }
    out.driver = versionText((*driver)->version);
    for (int i = 0; i < (*driver)->devices; ++i) {
        Result<CudaDeviceFacts> facts = factsOf(**driver, i);
        if (!facts) {
            out.problem = facts.error().message;
            return out;
        }
        out.devices.push_back(std::move(*facts));
    }
    try {
        (void)c10::cuda::device_count_ensure_non_zero();
    } catch (const std::exception& error) {
        out.problem = firstLine(error);
    }
    return out;
}

} // namespace

} // namespace dynascope::cuda

extern "C" __attribute__((visibility("default"))) const dynascope::engine::CudaPlugin*
dynascope_cuda_plugin() {
    static constexpr dynascope::engine::CudaPlugin plugin{dynascope::engine::cudaPluginAbi, TORCH_VERSION,
                                                          &dynascope::cuda::open, &dynascope::cuda::status};
    return &plugin;
}
