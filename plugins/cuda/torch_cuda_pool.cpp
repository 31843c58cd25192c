// SPDX-License-Identifier: BSD-3-Clause
#include "plugins/cuda/torch_cuda_pool.h"

#include "plugins/cuda/launch_timer.h"

#include <ATen/core/CachingHostAllocator.h>
#include <algorithm>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#include <map>
#include <optional>
#include <unordered_map>

// Of ATen/cuda/CUDAContextLight.h, which includes headers of cuBLAS and cuSPARSE that a machine may lack.
namespace at::cuda {
TORCH_CUDA_CPP_API void clearCublasWorkspaces();
} // namespace at::cuda

namespace dynascope::cuda {

namespace {

namespace allocator = c10::cuda::CUDACachingAllocator;
using engine::CudaCapture;
using engine::CudaLaunchTimes;
using engine::CudaPool;
using engine::CudaTiming;
using engine::PoolCheckpoint;
using engine::PoolEvent;
using engine::PoolSegment;
using replay::Address;

/// Whether `body` went through. For teardown: what fails there has failed, and been told, before.
template <typename Body>
bool quietly(const Body& body) noexcept {
    try {
        body();
        return true;
    } catch (const std::exception&) {
        return false;
    }
}

/// A pool's name, which keeps the pool alive, both that of the device and its twin of pinned memory: PyTorch
/// refuses to capture into a pool again whose last graph is gone.
class PoolName {
public:
    explicit PoolName(c10::DeviceIndex device)
        : m_device(device)
        , m_id(at::cuda::graph_pool_handle()) {
        allocator::createOrIncrefPool(m_device, m_id);
        // The host's allocator counts in no other way.
        at::HostAllocator* const host = at::getHostAllocator(at::kCUDA);
        host->begin_allocate_to_pool(m_id, [](c10::Stream) { return false; });
        host->end_allocate_to_pool(m_id);
    }
    PoolName(const PoolName&) = delete;
    PoolName& operator=(const PoolName&) = delete;
    ~PoolName() {
        quietly([this] { at::getHostAllocator(at::kCUDA)->release_pool(m_id); });
        quietly([this] { allocator::releasePool(m_device, m_id); });
        // Nobody else can use what a dropped pool had reserved.
        quietly([] { allocator::emptyCache(); });
    }
    [[nodiscard]] c10::DeviceIndex device() const { return m_device; }
    [[nodiscard]] c10::MempoolId_t id() const { return m_id; }

private:
    c10::DeviceIndex m_device;
    c10::MempoolId_t m_id;
};
using PoolNamePtr = std::shared_ptr<const PoolName>;

/// What this thread allocates comes from the pool for as long as it lives.
class Allocating {
public:
    explicit Allocating(const PoolName& pool)
        : m_pool(pool) {
        allocator::beginAllocateToPool(pool.device(), pool.id(),
                                       [thread = std::this_thread::get_id()](cudaStream_t) {
                                           return std::this_thread::get_id() == thread;
                                       });
    }
    Allocating(const Allocating&) = delete;
    Allocating& operator=(const Allocating&) = delete;
    ~Allocating() {
        quietly([this] { allocator::endAllocateToPool(m_pool.device(), m_pool.id()); });
        quietly([this] { allocator::releasePool(m_pool.device(), m_pool.id()); }); // begin counted one more
    }

private:
    const PoolName& m_pool;
};

class Capture final : public CudaCapture {
public:
    Capture(SharedPtr shared, PoolNamePtr pool)
        : m_shared(std::move(shared))
        , m_pool(std::move(pool))
        , m_marks(m_shared->driver, m_shared->stream.stream()) {
        // Workspaces must be the pool's own: they are asked for anew while it captures.
        at::cuda::clearCublasWorkspaces();
        m_current.emplace(m_shared->stream);
        m_shared->trace->listen(&m_events, m_pool->id());
        try {
            m_graph->capture_begin(m_pool->id(), cudaStreamCaptureModeThreadLocal);
        } catch (...) {
            m_shared->trace->listen(nullptr, {0, 0});
            forget();
            throw;
        }
        m_capturing = true;
    }
    ~Capture() override {
        if (m_capturing) quietly([this] { finish(); });
    }

    void beginNode(std::uint32_t node) override { m_shared->trace->node = node; }
    void endNode(std::uint32_t node) override {
        if (const auto marked = m_marks.mark(node); !marked) throw std::runtime_error(marked.error().message);
    }
    void end() override {
        finish();
        instantiate();
    }
    Result<void> endUpdating(CudaCapture& before) override {
        finish();
        auto& other = dynamic_cast<Capture&>(before);
        auto updated =
            updateExec(*m_shared->driver, other.m_exec->raw_cuda_graph_exec(), m_graph->raw_cuda_graph());
        if (!updated) {
            instantiate();
            return updated;
        }
        m_exec = other.m_exec;
        m_execPool = other.m_execPool;
        return {};
    }
    Result<replay::CudaGraph> describe() override {
        const CUgraph graph = m_graph->raw_cuda_graph();
        m_nodes.clear();
        auto out = readGraph(*m_shared->driver, graph, m_marks.makers(), &numberOf, &m_nodes);
        if (!out) return out;
        if (*m_shared->slowed)
            out->warnings.emplace_back(
                "the engine has timed nodes with CUPTI since it started: launches take up to a third "
                "longer than in a fresh one");
        checkAgainstDump(*m_shared->driver, graph, *out);
        return out;
    }
    [[nodiscard]] const std::vector<PoolEvent>& poolEvents() const override { return m_events; }
    void launch() override {
        m_exec->replay();
        stream().synchronize();
    }
    Result<CudaLaunchTimes> launchTimed(CudaTiming timing) override {
        if (timing == CudaTiming::Launch) {
            const auto ns = timeOnDevice(*m_shared->driver, stream().stream(), m_exec->raw_cuda_graph_exec(),
                                         [this] { m_exec->replay(); });
            if (!ns) return tl::unexpected(ns.error());
            return CudaLaunchTimes{*ns, {}};
        }
        if (!m_shared->cupti) return tl::unexpected(m_shared->cupti.error());
        if (m_numbers.empty()) makeTimed();
        auto times = timeNodes(**m_shared->cupti, [this] { launch(); });
        if (!times) return times;
        for (engine::CudaNodeTime& time : times->nodes) {
            const auto number = m_numbers.find(time.id);
            time.id = number == m_numbers.end() ? 0 : number->second;
        }
        return times;
    }

private:
    [[nodiscard]] c10::cuda::CUDAStream stream() const {
        return c10::cuda::getCurrentCUDAStream(m_pool->device());
    }

    /// Nodes are numbered from 1 as they are read.
    static std::uint64_t numberOf(void* context, CUgraphNode node) {
        auto& nodes = *static_cast<std::vector<CUgraphNode>*>(context);
        nodes.push_back(node);
        return nodes.size();
    }

    /// Makes the graph executable anew while CUPTI listens: records of a launch call a node by the name of
    /// its copy. Not before somebody asks for times, since a process that CUPTI has looked at launches more
    /// slowly.
    void makeTimed() {
        const CuptiApi& cupti = **m_shared->cupti;
        *m_shared->slowed = true;
        const NodeCopies copies = watchCopies(cupti, [this] { m_graph->instantiate(); });
        m_exec = m_graph;
        m_execPool = m_pool;
        for (std::size_t i = 0; i < m_nodes.size(); ++i) {
            std::uint64_t id = 0;
            if (cupti.getGraphNodeId(m_nodes[i], &id) != CUPTI_SUCCESS) continue;
            const auto copy = copies.ids.find(id);
            m_numbers[copy == copies.ids.end() ? id : copy->second] = i + 1;
        }
    }

    void finish() {
        m_capturing = false;
        m_shared->trace->listen(nullptr, {0, 0});
        try {
            m_graph->capture_end();
        } catch (...) {
            forget();
            m_current.reset();
            at::cuda::clearCublasWorkspaces();
            throw;
        }
        m_current.reset();
        at::cuda::clearCublasWorkspaces(); // they would hold memory of the pool
    }

    /// A capture that broke off is still under way as far as the allocators know, and they would ask a graph
    /// that is gone whether it captures.
    void forget() noexcept {
        if (quietly([this] { allocator::endAllocateToPool(m_pool->device(), m_pool->id()); }))
            quietly([this] { allocator::releasePool(m_pool->device(), m_pool->id()); });
        at::HostAllocator* const host = at::getHostAllocator(at::kCUDA);
        if (quietly([&] { host->end_allocate_to_pool(m_pool->id()); }))
            quietly([&] { host->release_pool(m_pool->id()); });
    }

    void instantiate() {
        m_graph->instantiate();
        m_exec = m_graph;
        m_execPool = m_pool;
    }

    SharedPtr m_shared;
    PoolNamePtr m_pool, m_execPool;
    std::vector<PoolEvent> m_events;
    CaptureMarks m_marks;
    std::vector<CUgraphNode> m_nodes;                           ///< by number, less one
    std::unordered_map<std::uint64_t, std::uint64_t> m_numbers; ///< by what CUPTI's records call a node
    /// Keeps the graph after it was instantiated.
    std::shared_ptr<at::cuda::CUDAGraph> m_graph = std::make_shared<at::cuda::CUDAGraph>(true);
    std::shared_ptr<at::cuda::CUDAGraph> m_exec; ///< whose executable graph is launched
    std::optional<c10::cuda::CUDAStreamGuard> m_current;
    bool m_capturing = false;
};

class Checkpoint final : public PoolCheckpoint {
public:
    explicit Checkpoint(std::shared_ptr<allocator::AllocatorState> state)
        : m_state(std::move(state)) {}
    [[nodiscard]] const std::shared_ptr<allocator::AllocatorState>& state() const { return m_state; }

private:
    std::shared_ptr<allocator::AllocatorState> m_state;
};

class Pool final : public CudaPool {
public:
    explicit Pool(SharedPtr shared)
        : m_shared(std::move(shared))
        , m_name(std::make_shared<PoolName>(m_shared->stream.device_index())) {}

    void within(const std::function<void()>& body) override {
        c10::cuda::getCurrentCUDAStream(m_name->device())
            .synchronize(); // what the body reads was written there
        at::cuda::clearCublasWorkspaces();
        {
            const c10::cuda::CUDAStreamGuard guard(m_shared->stream);
            const Allocating allocating(*m_name);
            body();
            m_shared->stream.synchronize();
        }
        at::cuda::clearCublasWorkspaces();
    }
    std::unique_ptr<CudaCapture> capture() override { return std::make_unique<Capture>(m_shared, m_name); }

    std::shared_ptr<const PoolCheckpoint> checkpoint() override {
        return std::make_shared<Checkpoint>(allocator::getCheckpointState(m_name->device(), m_name->id()));
    }
    Result<void> restore(const PoolCheckpoint& checkpoint, std::span<c10::StorageImpl* const> live,
                         std::span<const Address> freed) override {
        allocator::CheckpointDelta delta = allocator::setCheckpointPoolState(
            m_name->device(), dynamic_cast<const Checkpoint&>(checkpoint).state());
        std::map<const void*, c10::StorageImpl*> owners;
        for (c10::StorageImpl* const storage : live)
            owners[storage->data()] = storage;
        std::vector<const void*> again;
        for (at::DataPtr& block : delta.dataptrs_allocd) {
            again.push_back(block.get());
            const auto owner = owners.find(block.get());
            if (owner == owners.end()) {
                block.release_context(); // given back below, or nobody's until the next state
                continue;
            }
            at::DataPtr& before = owner->second->_mutable_data_ptr_no_checks();
            if (before.get_deleter() == block.get_deleter()) before.release_context(); // freed already
            owner->second->set_data_ptr_noswap(std::move(block));
            owners.erase(owner);
        }
        if (!owners.empty()) return failure("a live tensor lies in no block of the checkpoint");
        std::sort(again.begin(), again.end());
        for (const void* gone : delta.ptrs_freed)
            if (!std::binary_search(again.begin(), again.end(), gone))
                return failure("memory of the pool is held by something that is no output of the path");
        for (const Address address : freed)
            allocator::raw_delete(reinterpret_cast<void*>(address));
        return {};
    }
    std::vector<Address> allocated() override {
        std::vector<Address> out;
        for (const auto& segment : allocator::snapshot(m_name->id(), false).segments) {
            Address at = segment.address;
            for (const auto& block : segment.blocks) {
                if (block.allocated) out.push_back(at);
                at += block.size;
            }
        }
        std::sort(out.begin(), out.end());
        return out;
    }
    std::vector<PoolSegment> segments() override {
        std::vector<PoolSegment> out;
        for (const auto& segment : allocator::snapshot(m_name->id(), false).segments)
            out.push_back({segment.address, segment.total_size});
        return out;
    }

private:
    SharedPtr m_shared;
    PoolNamePtr m_name;
};

} // namespace

std::unique_ptr<CudaPool> makePool(SharedPtr shared) {
    return std::make_unique<Pool>(std::move(shared));
}

std::string firstLine(const std::exception& error) {
    const auto* ofTorch = dynamic_cast<const c10::Error*>(&error);
    const std::string text = ofTorch ? ofTorch->what_without_backtrace() : error.what();
    return text.substr(0, text.find('\n'));
}

} // namespace dynascope::cuda
