// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/replay/cuda_backend.h"

#include "core/engine/replay/cuda_pool.h"
#include "core/engine/replay/recorder.h"
#include "core/engine/replay/tensor_memory.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/equal.h>
#include <algorithm>
#include <map>
#include <utility>

namespace dynascope::engine {

namespace {

using c10::IValue;
using replay::NodeMode;

constexpr int warmUps = 3; // kernels choose algorithms and workspaces in their first runs

/// Content of the storages that runs write to, on the device.
class DeviceContent {
public:
    DeviceContent(const std::vector<IValue>& inputs, const Attributes& attributes,
                  const std::set<std::size_t>& kept) {
        for (std::size_t i = 0; i < inputs.size(); ++i)
            forEachTensor(inputs[i], [&](const at::Tensor& tensor) { add(tensor, i, kept.contains(i)); });
        for (const auto& [name, tensor] : attributes)
            add(tensor, SIZE_MAX, false);
    }
    /// Forgets what was not written since, and puts the rest back.
    void settle() {
        std::erase_if(m_entries, [](const Entry& entry) { return entry.now.equal(entry.content); });
        restore(true);
    }
    void restore(bool all) const {
        for (const Entry& entry : m_entries)
            if (all || !entry.kept) entry.now.copy_(entry.content);
    }
    [[nodiscard]] std::vector<at::Tensor> written() const {
        std::vector<at::Tensor> out;
        for (const Entry& entry : m_entries)
            out.push_back(entry.now);
        return out;
    }
    [[nodiscard]] std::vector<std::uint32_t> writtenInputs() const {
        std::vector<std::uint32_t> out;
        for (const Entry& entry : m_entries)
            out.insert(out.end(), entry.inputs.begin(), entry.inputs.end());
        std::sort(out.begin(), out.end());
        return out;
    }

private:
    struct Entry {
        at::Tensor now, content;
        std::vector<std::uint32_t> inputs;
        bool kept = false;
    };
    void add(const at::Tensor& tensor, std::size_t input, bool kept) {
        if (!tensor.defined() || !tensor.has_storage()) return;
        const c10::StorageImpl* const storage = tensor.storage().unsafeGetStorageImpl();
        const auto [place, isNew] = m_known.emplace(storage, m_entries.size());
        if (isNew) {
            const at::Tensor bytes = bytesOf(tensor.storage());
            m_entries.push_back({bytes, bytes.clone(), {}, false});
        }
        Entry& entry = m_entries[place->second];
        entry.kept |= kept;
        if (input != SIZE_MAX) entry.inputs.push_back(static_cast<std::uint32_t>(input));
    }
    std::map<const c10::StorageImpl*, std::size_t> m_known;
    std::vector<Entry> m_entries;
};

/// Lives of what was allocated, with places in one arena: the pool's segments one after the other.
void describeMemory(const std::vector<PoolEvent>& events, std::vector<PoolSegment> segments,
                    replay::ReplayRecording& recording) {
    std::sort(segments.begin(), segments.end(),
              [](const PoolSegment& a, const PoolSegment& b) { return a.address < b.address; });
    std::vector<std::uint64_t> starts;
    for (const PoolSegment& segment : segments) {
        starts.push_back(recording.arenaBytes);
        recording.arenaBytes += segment.bytes;
    }
    const auto offsetOf = [&](replay::CudaAddress address) -> std::uint64_t {
        const auto after =
            std::upper_bound(segments.begin(), segments.end(), address,
                             [](replay::CudaAddress a, const PoolSegment& s) { return a < s.address; });
        if (after == segments.begin()) return 0;
        const auto index = static_cast<std::size_t>(after - segments.begin()) - 1;
        return starts[index] + (address - segments[index].address);
    };
    std::map<replay::CudaAddress, std::size_t> held;
    std::uint64_t now = 0;
    for (const PoolEvent& event : events) {
        if (event.alloc) {
            held[event.address] = recording.allocations.size();
            recording.allocations.push_back(
                {event.node, event.bytes, offsetOf(event.address), recording.events++, 0, true, false});
            now += event.bytes;
            recording.peakBytes = std::max(recording.peakBytes, now);
            recording.keepAllBytes += event.bytes;
        } else if (const auto found = held.find(event.address); found != held.end()) {
            replay::RecordedAllocation& row = recording.allocations[found->second];
            row.died = recording.events++;
            row.result = event.node != row.node;
            now -= row.bytes;
            held.erase(found);
        }
    }
    for (const auto& [address, index] : held) {
        recording.allocations[index].died = recording.events;
        recording.allocations[index].result = true;
    }
}

class CudaRecordedGraph final : public RecordedGraph {
public:
    CudaRecordedGraph(std::shared_ptr<CudaDevice> device, RecordRequest request, DeviceContent content)
        : m_device(std::move(device))
        , m_request(std::move(request))
        , m_content(std::move(content))
        , m_pool(m_device->pool()) {}

    /// `before` is a recording of the same program whose executable graph is to be updated, or null.
    [[nodiscard]] RunStatus capture(const TaskContext& task, CudaRecordedGraph* before) {
        m_device->synchronize();
        m_capture = m_pool->capture();
        CaptureObserver observer(*m_capture);
        auto results = run(program(), m_request.inputs, m_request.attributes, task, &observer);
        if (!results) {
            m_capture.reset();
            return tl::unexpected(results.error());
        }
        m_results = std::move(*results);
        if (before) {
            endUpdating(*before);
        } else {
            m_capture->end();
        }
        return describe();
    }
    void setRecordTime(double us) { m_recording.recordUs = us; }

    [[nodiscard]] const replay::ReplayRecording& recording() const override { return m_recording; }
    [[nodiscard]] const Program& program() const override { return *m_request.program; }
    [[nodiscard]] const std::vector<IValue>& inputs() const override { return m_request.inputs; }
    [[nodiscard]] c10::Device device() const override { return m_device->device(); }
    void synchronize() override { m_device->synchronize(); }
    void rewind() override { m_content.restore(false); }

    [[nodiscard]] RunStatus replay(const TaskContext& task, const ReplayWatch& watch) override {
        if (task.cancelled()) return tl::unexpected(RunError{"cancelled", ir::npos, true});
        try {
            if (watch.live) watch.live->replayBegin();
            if (watch.clock) {
                watch.clock->beginReplay();
                if (!launchTimed(*watch.clock)) m_capture->launch();
            } else {
                m_capture->launch();
            }
            if (watch.live) watch.live->replayEnd();
        } catch (const std::exception& error) {
            return tl::unexpected(RunError{errorText(error), ir::npos, false});
        }
        return {};
    }
    [[nodiscard]] std::vector<IValue> outputs() const override { return m_results; }
    [[nodiscard]] tl::expected<std::vector<IValue>, RunError> runEagerly(const TaskContext& task) override {
        const at::AutoGradMode noGrad(false);
        TaskContext quiet;
        quiet.stop = task.stop;
        auto results = run(program(), m_request.inputs, m_request.attributes, quiet);
        m_device->synchronize();
        return results;
    }
    [[nodiscard]] std::vector<at::Tensor> writtenStorages() const override { return m_content.written(); }
    /// A launch calls no allocator of the host.
    [[nodiscard]] std::uint64_t allocatorCalls() const override { return 0; }
    [[nodiscard]] const std::vector<replay::Divergence>& divergences() const override {
        return m_divergences;
    }

private:
    void endUpdating(CudaRecordedGraph& before) {
        replay::Rerecording& out = m_recording.rerecording.emplace();
        if (drawsNumbers(program())) {
            out.why = "it draws random numbers, whose state belongs to one capture";
            m_capture->end();
        } else if (const auto updated = m_capture->endUpdating(*before.m_capture)) {
            out.updated = true;
        } else {
            out.why = updated.error().message;
        }
    }

    RunStatus describe() {
        m_recording.backend = "cuda";
        const std::uint32_t nodes = static_cast<std::uint32_t>(program().code.size());
        auto graph = m_capture->describe();
        if (!graph) return tl::unexpected(RunError{graph.error().message, ir::npos, false});
        std::vector<bool> makes(nodes, false);
        for (const replay::CudaSubgraph& sub : graph->graphs)
            for (const replay::CudaNode& node : sub.nodes)
                if (node.maker) {
                    makes.at(*node.maker) = true;
                    if (node.id != 0) m_makers[node.id] = *node.maker;
                }
        for (ir::NodeIndex i = 0; i < nodes; ++i) {
            const ir::Node& node = program().graph->node(i);
            const auto kind = program().code[i].kind;
            const bool input = kind == Instruction::Kind::Input || kind == Instruction::Kind::Attribute ||
                               kind == Instruction::Kind::Constant;
            m_recording.nodes.push_back({node.name,
                                         node.target,
                                         input      ? NodeMode::Input
                                         : makes[i] ? NodeMode::Planned
                                                    : NodeMode::Prebuilt,
                                         {}});
        }
        describeMemory(m_capture->poolEvents(), m_pool->segments(), m_recording);
        m_recording.writtenInputs = m_content.writtenInputs();
        graph->device = m_device->name();
        m_recording.cudaGraph = std::move(*graph);
        return {};
    }

    /// False where CUPTI cannot: nodes, or launches, then have no times.
    bool launchTimed(NodeClock& clock) {
        const bool whole = clock.measures() == NodeClock::Of::Launches;
        const auto times = m_capture->launchTimed(whole ? CudaTiming::Launch : CudaTiming::Nodes);
        if (!times) {
            bool& told = whole ? m_toldOfLaunches : m_toldOfNodes;
            if (!std::exchange(told, true))
                m_recording.cudaGraph->warnings.push_back(
                    (whole ? "no times of launches: " : "no times of nodes: ") + times.error().message);
            return false;
        }
        if (whole) {
            clock.addLaunch(times->launchNs);
            return true;
        }
        for (const CudaNodeTime& time : times->nodes)
            if (const auto found = m_makers.find(time.id); found != m_makers.end())
                clock.add(found->second, time.ns);
        return true;
    }

    std::shared_ptr<CudaDevice> m_device;
    RecordRequest m_request;
    DeviceContent m_content;
    std::unique_ptr<CudaPool> m_pool;
    std::unique_ptr<CudaCapture> m_capture;
    std::vector<IValue> m_results; ///< in the pool: they go before it
    replay::ReplayRecording m_recording;
    std::map<std::uint64_t, std::uint32_t> m_makers;      ///< FX node by CudaNode::id
    std::vector<replay::Divergence> m_divergences;        ///< a CUDA graph does what it did
    bool m_toldOfNodes = false, m_toldOfLaunches = false; ///< that they have no times
};

class CudaBackend final : public ReplayBackend {
public:
    explicit CudaBackend(std::shared_ptr<CudaDevice> device)
        : m_device(std::move(device)) {}
    [[nodiscard]] std::string_view name() const override { return "cuda"; }

    tl::expected<std::unique_ptr<RecordedGraph>, RunError> record(RecordRequest request,
                                                                  const TaskContext& task) override {
        return record(std::move(request), nullptr, task);
    }
    tl::expected<std::unique_ptr<RecordedGraph>, RunError>
    recordAgain(RecordedGraph& before, RecordRequest request, const TaskContext& task) override {
        return record(std::move(request), dynamic_cast<CudaRecordedGraph*>(&before), task);
    }

private:
    tl::expected<std::unique_ptr<RecordedGraph>, RunError>
    record(RecordRequest request, CudaRecordedGraph* before, const TaskContext& task) {
        const auto start = std::chrono::steady_clock::now();
        if (auto refusal = cudaRefusal(*request.program)) return tl::unexpected(std::move(*refusal));
        const at::AutoGradMode noGrad(false);
        try {
            StorageCopies moved(m_device->device(), false);
            for (IValue& input : request.inputs)
                input = mapTensors(input, [&](const at::Tensor& tensor) { return moved.copyOf(tensor); });
            for (auto& [name, tensor] : request.attributes)
                tensor = moved.copyOf(tensor);
            request.program = programOn(*request.program, m_device->device());
            DeviceContent content(request.inputs, request.attributes, request.kept);
            RunStatus status;
            for (int i = 0; i < (before ? 1 : warmUps) && status; ++i) {
                m_device->onSideStream([&] {
                    const auto results = run(*request.program, request.inputs, request.attributes, task);
                    if (!results) status = tl::unexpected(results.error());
                });
                if (i == 0 && status) content.settle();
                content.restore(true);
            }
            if (!status) return tl::unexpected(status.error());
            auto graph =
                std::make_unique<CudaRecordedGraph>(m_device, std::move(request), std::move(content));
            status = graph->capture(task, before);
            if (!status) return tl::unexpected(status.error());
            graph->setRecordTime(
                std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
            return graph;
        } catch (const std::exception& error) {
            return tl::unexpected(RunError{errorText(error), ir::npos, false});
        }
    }

    std::shared_ptr<CudaDevice> m_device;
};

} // namespace

std::unique_ptr<ReplayBackend> makeCudaBackend(std::shared_ptr<CudaDevice> device) {
    return std::make_unique<CudaBackend>(std::move(device));
}

} // namespace dynascope::engine
