// SPDX-License-Identifier: BSD-3-Clause
//
// One interface to record a graph once and to replay it without allocating. A backend is a device's way to do
// that: planned addresses on a CPU, CUDA graphs on a GPU. CONTRIBUTING.md tells how to add one.
#pragma once

#include "core/base/task.h"
#include "core/engine/exec/interpreter.h"
#include "core/replay/live_feed.h"
#include "core/replay/recording.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <set>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace dynascope::engine {

struct RecordRequest {
    std::shared_ptr<const Program> program;
    /// Used in place at every replay, as a CUDA graph's static inputs are.
    std::vector<c10::IValue> inputs;
    Attributes attributes;
    /// Threads of an op; 0 lets the backend choose.
    int threads = 0;
    /// Whether ops of the CPU may use oneDNN's kernels.
    bool oneDnn = true;
    /// Inputs whose content stays as a replay leaves it, such as parameters; all others are put back before
    /// the next one.
    std::set<std::size_t> kept;
};

/// Times of nodes, taken during replays. Allocates nothing between reserve() and take().
class NodeClock {
public:
    enum class Of : std::uint8_t {
        Nodes,
        Launches, ///< whole replays, as the device tells it
    };
    explicit NodeClock(Of measures = Of::Nodes)
        : m_measures(measures) {}
    [[nodiscard]] Of measures() const { return m_measures; }
    /// Room for that many replays of that many nodes.
    void reserve(std::size_t nodes, std::size_t replays);
    void beginReplay();
    /// The node ran since the last lap, or since beginReplay().
    void lap(std::uint32_t node) {
        const auto now = std::chrono::steady_clock::now();
        if (m_replay <= m_replays)
            m_samples[(m_replay - 1) * m_nodes + node] = static_cast<float>((now - m_last).count());
        m_last = now;
    }
    /// The node ran that long in this replay, besides what was added already: times that the device took.
    void add(std::uint32_t node, std::uint64_t ns) {
        if (m_replay > m_replays) return;
        float& sample = m_samples[(m_replay - 1) * m_nodes + node];
        sample = std::max(sample, 0.0F) + static_cast<float>(ns);
    }
    void addLaunch(std::uint64_t ns) { m_launches.push_back(static_cast<double>(ns) / 1000); }
    [[nodiscard]] std::size_t replays() const { return std::min(m_replay, m_replays); }
    /// Microseconds of each launch that the device timed.
    [[nodiscard]] const std::vector<double>& launches() const { return m_launches; }
    /// Of the nodes that had a lap in the last replay.
    [[nodiscard]] std::vector<replay::NodeTime> take() const;

private:
    Of m_measures;
    std::vector<double> m_launches;
    std::size_t m_nodes = 0, m_replays = 0, m_replay = 0;
    std::vector<float> m_samples; ///< nanoseconds, replay by replay; negative where there is none
    std::chrono::steady_clock::time_point m_last;
};

/// Who hears of a replay while it runs. Either may be null.
struct ReplayWatch {
    NodeClock* clock = nullptr;
    replay::LiveTap* live = nullptr;
};

using RunStatus = tl::expected<void, RunError>;

/// A graph that was recorded. Not thread-safe: it belongs to the thread that owns all torch state, and to the
/// thread count that it sets while it runs.
class RecordedGraph {
public:
    RecordedGraph() = default;
    RecordedGraph(const RecordedGraph&) = delete;
    RecordedGraph& operator=(const RecordedGraph&) = delete;
    virtual ~RecordedGraph() = default;

    [[nodiscard]] virtual const replay::ReplayRecording& recording() const = 0;
    [[nodiscard]] virtual const Program& program() const = 0;
    [[nodiscard]] virtual const std::vector<c10::IValue>& inputs() const = 0;

    [[nodiscard]] virtual c10::Device device() const { return c10::kCPU; }
    /// Waits for what the device was asked to do so far.
    virtual void synchronize() {}
    /// Puts back the content of inputs that the last run changed and that are not kept.
    virtual void rewind() = 0;
    /// Runs the recording once on what the inputs hold now.
    [[nodiscard]] virtual RunStatus replay(const TaskContext& task, const ReplayWatch& watch = {}) = 0;
    /// Leaves of the graph's result after the last replay; they hold until the next one.
    [[nodiscard]] virtual std::vector<c10::IValue> outputs() const = 0;
    /// The same graph, node by node and without the plan; gives its result's leaves.
    [[nodiscard]] virtual tl::expected<std::vector<c10::IValue>, RunError>
    runEagerly(const TaskContext& task) = 0;
    /// Tensors over the whole of each storage that a run writes to; empty ones left out.
    [[nodiscard]] virtual std::vector<at::Tensor> writtenStorages() const = 0;

    /// Calls of PyTorch's allocator that replays have made so far.
    [[nodiscard]] virtual std::uint64_t allocatorCalls() const = 0;
    /// Nodes that parted from the recording so far; `iteration` counts replays.
    [[nodiscard]] virtual const std::vector<replay::Divergence>& divergences() const = 0;
};

class ReplayBackend {
public:
    ReplayBackend() = default;
    ReplayBackend(const ReplayBackend&) = delete;
    ReplayBackend& operator=(const ReplayBackend&) = delete;
    virtual ~ReplayBackend() = default;
    [[nodiscard]] virtual std::string_view name() const = 0; ///< "cpu"
    /// Runs the program a few times. Fails where the program does.
    [[nodiscard]] virtual tl::expected<std::unique_ptr<RecordedGraph>, RunError>
    record(RecordRequest request, const TaskContext& task) = 0;
    /// Records the program of `before` anew, on other inputs. What the device can keep of the recording
    /// before it does, and ReplayRecording::rerecording tells; `before` must not be replayed any more.
    [[nodiscard]] virtual tl::expected<std::unique_ptr<RecordedGraph>, RunError>
    recordAgain(RecordedGraph& /*before*/, RecordRequest request, const TaskContext& task) {
        return record(std::move(request), task);
    }
};

/// Planned addresses: what each op allocates is recorded, given a place in one arena by
/// replay::planGreedyBySize, and handed out at the same addresses at every replay. Views are made once.
[[nodiscard]] std::unique_ptr<ReplayBackend> makeCpuBackend();

} // namespace dynascope::engine
