// SPDX-License-Identifier: BSD-3-Clause
//
// The engine's CudaDevice over libtorch_cuda: private pools, capture, launch, the allocator's trace and
// snapshot. Only calls; what they mean is decided in core/engine/replay/cuda_backend.cpp and
// graph_reader.cpp, which are tested without a GPU.
#include "core/engine/replay/cuda_device.h"
#include "plugins/cuda/cupti_api.h"
#include "plugins/cuda/graph_reader.h"

#include <ATen/cuda/CUDAGraph.h>
#include <algorithm>
#include <array>
#include <atomic>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <optional>
#include <thread>
#include <torch/headeronly/version.h>

namespace dynascope::cuda {

namespace {

namespace allocator = c10::cuda::CUDACachingAllocator;
using engine::CudaCapture;
using engine::CudaDevice;
using engine::CudaLaunchTimes;
using engine::CudaTiming;
using engine::PoolEvent;
using engine::PoolSegment;

/// Where the allocator's trace goes: trackers cannot be taken back, so one stays and looks here.
struct Trace {
    /// Whose allocations count; only that thread looks at the rest.
    std::atomic<std::thread::id> thread;
    std::vector<PoolEvent>* events = nullptr;
    std::uint32_t node = 0;

    void listen(std::vector<PoolEvent>* to) {
        events = to;
        thread = to ? std::this_thread::get_id() : std::thread::id();
    }
};

class Capture final : public CudaCapture {
public:
    Capture(DriverApiPtr driver, Result<CuptiApiPtr> cupti, std::shared_ptr<Trace> trace)
        : m_driver(std::move(driver))
        , m_cupti(std::move(cupti))
        , m_trace(std::move(trace))
        , m_stream(c10::cuda::getStreamFromPool(true))
        , m_marks(m_driver, m_stream.stream()) {
        m_current.emplace(m_stream);
        m_trace->listen(&m_events);
        m_graph.capture_begin({0, 0}, cudaStreamCaptureModeThreadLocal);
        m_capturing = true;
    }
    ~Capture() override {
        m_trace->listen(nullptr);
        try {
            if (m_capturing) m_graph.capture_end();
        } catch (const std::exception&) {
            // A capture that failed ends with an error, which the node that failed has told already.
        }
    }

    void beginNode(std::uint32_t node) override { m_trace->node = node; }
    void endNode(std::uint32_t node) override {
        if (const auto marked = m_marks.mark(node); !marked) throw std::runtime_error(marked.error().message);
    }
    void end() override {
        m_graph.capture_end();
        m_capturing = false;
        m_trace->listen(nullptr);
        m_current.reset();
        m_graph.instantiate();
        keepOwnEvents();
    }
    Result<replay::CudaGraph> describe() override {
        const CUgraph graph = m_graph.raw_cuda_graph();
        auto out = readGraph(*m_driver, graph, m_marks.makers(), m_cupti ? &nodeId : nullptr, this);
        if (out) checkAgainstDump(*m_driver, graph, *out);
        return out;
    }
    [[nodiscard]] const std::vector<PoolEvent>& poolEvents() const override { return m_events; }
    [[nodiscard]] std::vector<PoolSegment> poolSegments() const override { return m_segments; }
    void launch() override {
        const c10::cuda::CUDAStreamGuard guard(m_stream);
        m_graph.replay();
        m_stream.synchronize();
    }
    Result<CudaLaunchTimes> launchTimed(CudaTiming timing) override {
        if (!m_cupti) return tl::unexpected(m_cupti.error());
        return timeLaunch(**m_cupti, timing, [this] { launch(); });
    }

private:
    static std::uint64_t nodeId(void* context, CUgraphNode node) {
        std::uint64_t id = 0;
        const auto& self = *static_cast<const Capture*>(context);
        return (*self.m_cupti)->getGraphNodeId(node, &id) == CUPTI_SUCCESS ? id : 0;
    }

    /// What this thread freed of other pools meanwhile is no event of this one.
    void keepOwnEvents() {
        for (const auto& segment : allocator::snapshot(m_graph.pool(), false).segments)
            m_segments.push_back({segment.address, segment.total_size});
        std::erase_if(m_events, [this](const PoolEvent& event) {
            return std::none_of(m_segments.begin(), m_segments.end(), [&](const PoolSegment& segment) {
                return event.address >= segment.address && event.address - segment.address < segment.bytes;
            });
        });
    }

    DriverApiPtr m_driver;
    Result<CuptiApiPtr> m_cupti;
    std::shared_ptr<Trace> m_trace;
    std::vector<PoolEvent> m_events;
    std::vector<PoolSegment> m_segments;
    c10::cuda::CUDAStream m_stream;
    CaptureMarks m_marks;
    at::cuda::CUDAGraph m_graph{true}; // keeps the graph after it was instantiated
    std::optional<c10::cuda::CUDAStreamGuard> m_current;
    bool m_capturing = false;
};

class Device final : public CudaDevice {
public:
    Device(DriverApiPtr driver, std::string name)
        : m_driver(std::move(driver))
        , m_cupti(loadCupti())
        , m_name(std::move(name)) {
        allocator::init(c10::cuda::device_count());
        allocator::attachAllocatorTraceTracker([trace = m_trace](const auto& entry) {
            if (trace->thread.load(std::memory_order_relaxed) != std::this_thread::get_id()) return;
            const bool alloc = entry.action_ == std::decay_t<decltype(entry)>::ALLOC;
            if (alloc || entry.action_ == std::decay_t<decltype(entry)>::FREE_COMPLETED)
                trace->events->push_back({alloc, entry.addr_, entry.size_, trace->node});
        });
    }
    [[nodiscard]] std::string name() const override { return m_name; }
    [[nodiscard]] c10::Device device() const override { return {c10::kCUDA, 0}; }
    void onSideStream(const std::function<void()>& body) override {
        const c10::cuda::CUDAStream before = c10::cuda::getCurrentCUDAStream();
        before.synchronize(); // what the body reads was written there
        const c10::cuda::CUDAStream side = c10::cuda::getStreamFromPool();
        const c10::cuda::CUDAStreamGuard guard(side);
        body();
        side.synchronize();
    }
    void synchronize() override { c10::cuda::getCurrentCUDAStream().synchronize(); }
    std::unique_ptr<CudaCapture> capture() override {
        synchronize();
        return std::make_unique<Capture>(m_driver, m_cupti, m_trace);
    }

private:
    DriverApiPtr m_driver;
    Result<CuptiApiPtr> m_cupti;
    std::string m_name;
    std::shared_ptr<Trace> m_trace = std::make_shared<Trace>();
};

Result<std::unique_ptr<CudaDevice>> open() {
    auto driver = loadDriver();
    if (!driver) return tl::unexpected(driver.error());
    if (c10::cuda::device_count() == 0)
        return tl::unexpected(Error{"PyTorch finds no CUDA device", {}, 0, 0});
    CUdevice device = 0;
    std::array<char, 256> name{};
    if ((*driver)->deviceGet(&device, 0) != CUDA_SUCCESS ||
        (*driver)->deviceGetName(name.data(), static_cast<int>(name.size()), device) != CUDA_SUCCESS)
        return tl::unexpected(Error{"the CUDA driver does not name its device", {}, 0, 0});
    try {
        return std::make_unique<Device>(*driver, name.data());
    } catch (const std::exception& error) {
        return tl::unexpected(Error{error.what(), {}, 0, 0});
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
