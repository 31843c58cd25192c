// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/replay/replay_run.h"

#include "core/engine/replay/recorder.h"
#include "core/engine/replay/unset_results.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/copy.h>
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <mutex>

namespace dynascope::engine {

namespace {

using c10::IValue;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t batchCount = 10;
/// More samples of a node say nothing new.
constexpr std::uint64_t maxNodeReplays = 1000;

double microseconds(Clock::duration time) {
    return std::chrono::duration<double, std::micro>(time).count();
}

/// Times of one thing, in batches.
class Samples {
public:
    void beginBatch() { m_batches.push_back(m_us.size()); }
    void add(double us) { m_us.push_back(us); }
    void reserve(std::uint64_t count) { m_us.reserve(count); }
    [[nodiscard]] replay::TotalTime total() {
        replay::TotalTime out;
        std::vector<double> medians;
        for (std::size_t i = 0; i < m_batches.size(); ++i) {
            const std::size_t end = i + 1 < m_batches.size() ? m_batches[i + 1] : m_us.size();
            std::vector<double> batch(m_us.begin() + static_cast<std::ptrdiff_t>(m_batches[i]),
                                      m_us.begin() + static_cast<std::ptrdiff_t>(end));
            if (!batch.empty()) medians.push_back(replay::spreadOf(batch).median);
        }
        double mean = 0, squares = 0;
        for (const double median : medians)
            mean += median / static_cast<double>(medians.size());
        for (const double median : medians)
            squares += (median - mean) * (median - mean);
        if (medians.size() > 1) out.noiseUs = std::sqrt(squares / static_cast<double>(medians.size() - 1));
        out.us = replay::spreadOf(m_us);
        return out;
    }

private:
    std::vector<double> m_us;
    std::vector<std::size_t> m_batches;
};

std::vector<IValue> cloned(const std::vector<IValue>& values) {
    std::vector<IValue> out;
    for (const IValue& value : values)
        out.push_back(mapTensors(value, [](const at::Tensor& tensor) { return tensor.clone(); }));
    return out;
}

/// Cloning does not keep them where cells overlap.
std::vector<std::vector<std::int64_t>> stridesOf(const std::vector<IValue>& values) {
    std::vector<std::vector<std::int64_t>> out;
    for (const IValue& value : values)
        forEachTensor(value, [&](const at::Tensor& tensor) {
            // On whatever device: fused attention leaves its random state on the host, and in a capture on the GPU.
            if (tensor.layout() == c10::kStrided && !tensor.unsafeGetTensorImpl()->is_nested())
                out.push_back(tensor.strides().vec());
        });
    return out;
}

/// The first tensor whose strides differ; empty where there is none.
std::string strideDifference(const std::vector<std::vector<std::int64_t>>& expected,
                             const std::vector<std::vector<std::int64_t>>& got) {
    const auto text = [](const std::vector<std::int64_t>& strides) {
        return c10::str(at::IntArrayRef(strides));
    };
    for (std::size_t i = 0; i < std::min(expected.size(), got.size()); ++i)
        if (expected[i] != got[i])
            return "result " + std::to_string(i) + " has strides " + text(got[i]) + " instead of " +
                   text(expected[i]);
    return expected.size() == got.size() ? std::string() : "another number of results has strides";
}

std::vector<at::Tensor> cloned(const std::vector<at::Tensor>& tensors) {
    std::vector<at::Tensor> out;
    for (const at::Tensor& tensor : tensors)
        out.push_back(tensor.clone());
    return out;
}

std::vector<at::Generator> generatorsOf(c10::Device device) {
    std::vector<at::Generator> out{at::detail::getDefaultCPUGenerator()};
    if (!device.is_cpu()) out.push_back(at::globalContext().defaultGenerator(device));
    return out;
}

std::string tensorDifference(const at::Tensor& a, const at::Tensor& b) {
    if (!a.is_cpu() || !b.is_cpu()) return tensorDifference(a.cpu(), b.cpu());
    if (a.dtype() != b.dtype()) return "has another dtype";
    if (a.sizes() != b.sizes()) return "has another shape";
    if (a.layout() != b.layout() || !hasPlainMemory(a) || !hasPlainMemory(b))
        return at::Tensor(a.to_dense()).equal(b.to_dense()) ? std::string() : "differs";
    const at::Tensor x = a.resolve_conj().resolve_neg().contiguous();
    const at::Tensor y = b.resolve_conj().resolve_neg().contiguous();
    const auto* left = static_cast<const unsigned char*>(x.const_data_ptr());
    const auto* right = static_cast<const unsigned char*>(y.const_data_ptr());
    const auto bytes = static_cast<std::size_t>(x.nbytes());
    if (bytes == 0 || std::memcmp(left, right, bytes) == 0) return {};
    const auto byte = std::mismatch(left, left + bytes, right).first - left;
    return "differs at element " + std::to_string(static_cast<std::size_t>(byte) / x.itemsize()) + " of " +
           std::to_string(x.numel());
}

class Runner {
public:
    Runner(const RunRequest& request, const TaskContext& task)
        : m_request(request)
        , m_task(task)
        , m_replays(request.plans.size())
        , m_eager(request.plans.size()) {}

    tl::expected<replay::ReplayRun, PlanError> run() {
        const at::AutoGradMode noGrad(false);
        begin();
        const std::uint64_t total = m_request.iterations + m_request.nodeIterations;
        const std::uint64_t batches = std::clamp<std::uint64_t>(m_request.iterations, 1, batchCount);
        for (std::uint64_t batch = 0; batch < batches; ++batch) {
            const std::uint64_t end = m_request.iterations * (batch + 1) / batches;
            const std::uint64_t first = m_done;
            beginBatch();
            for (; m_done < end; ++m_done) {
                if (!replayOnce()) return tl::unexpected(std::move(*m_error));
                m_task.report("Replaying", m_done + 1, total);
            }
            for (std::uint64_t i = first; m_request.eager && i < end; ++i)
                if (!eagerOnce()) return tl::unexpected(std::move(*m_error));
        }
        using Of = NodeClock::Of;
        if ((m_request.times != TimesOf::Launches && !measure(Of::Nodes)) ||
            (m_request.times != TimesOf::Nodes && !measure(Of::Launches)))
            return tl::unexpected(std::move(*m_error));
        return finish();
    }

private:
    void begin() {
        for (std::size_t i = 0; i < m_request.plans.size(); ++i) {
            m_out.graphs.emplace_back().plan = m_request.plans[i].name;
            m_unset.push_back(unsetResults(m_request.plans[i].graph->program()));
            m_divergencesBefore.push_back(m_request.plans[i].graph->divergences().size());
            if (m_request.feed) m_taps.emplace_back(*m_request.feed, static_cast<std::uint16_t>(i));
            m_replays[i].reserve(m_request.iterations);
            m_eager[i].reserve(m_request.eager ? m_request.iterations : 0);
        }
        m_total.reserve(m_request.iterations);
        m_callsBefore = allocatorCalls();
    }

    [[nodiscard]] std::uint64_t allocatorCalls() const {
        std::uint64_t out = 0;
        for (const PlanToRun& plan : m_request.plans)
            out += plan.graph->allocatorCalls();
        return out;
    }

    void beginBatch() {
        m_total.beginBatch();
        m_eagerTotal.beginBatch();
        for (std::size_t i = 0; i < m_replays.size(); ++i) {
            m_replays[i].beginBatch();
            m_eager[i].beginBatch();
        }
    }

    bool fail(std::size_t plan, RunError error) {
        m_error = PlanError{plan, std::move(error)};
        return false;
    }

    bool replayOnce() {
        const bool verify = m_request.verifyEvery > 0 && m_done % m_request.verifyEvery == 0;
        double sum = 0;
        for (std::size_t i = 0; i < m_request.plans.size(); ++i) {
            RecordedGraph& graph = *m_request.plans[i].graph;
            graph.rewind();
            std::vector<at::Tensor> before;
            std::optional<RandomState> random;
            if (verify) {
                before = cloned(graph.writtenStorages());
                random.emplace(graph.device());
            }
            graph.synchronize(); // what was asked for so far is none of the replay's time
            const auto start = Clock::now();
            RunStatus status = graph.replay(m_task, {nullptr, m_taps.empty() ? nullptr : &m_taps[i]});
            const double us = microseconds(Clock::now() - start);
            if (!status) return fail(i, std::move(status.error()));
            if (m_request.feed && m_request.feed->broken())
                return fail(i, {"nobody takes the live events any more", ir::npos, m_task.cancelled()});
            m_replays[i].add(us);
            sum += us;
            if (verify && !verifyPlan(i, before, *random)) return false;
        }
        m_total.add(sum);
        return true;
    }

    /// Runs the graph eagerly from the same content and random numbers. Leaves what the replay left.
    bool verifyPlan(std::size_t index, const std::vector<at::Tensor>& before, const RandomState& random) {
        RecordedGraph& graph = *m_request.plans[index].graph;
        const std::vector<at::Tensor> written = graph.writtenStorages();
        const auto strides = stridesOf(graph.outputs());
        std::vector<IValue> got = cloned(graph.outputs());
        for (const at::Tensor& storage : cloned(written))
            got.emplace_back(storage);
        for (std::size_t i = 0; i < written.size(); ++i)
            written[i].copy_(before[i]);
        random.put();
        auto expected = graph.runEagerly(m_task);
        if (!expected) return fail(index, std::move(expected.error()));
        const std::string otherStrides = strideDifference(stridesOf(*expected), strides);
        for (const at::Tensor& storage : written)
            expected->emplace_back(storage);
        ++m_out.verified;
        std::string difference = bitDifference(*expected, got, m_unset[index]);
        if (difference.empty()) difference = otherStrides;
        if (difference.empty()) return true;
        if (const std::string unsteady =
                m_request.eagerTwice
                    ? eagerDifference(graph, written, before, random, *expected, m_unset[index])
                    : std::string();
            !unsteady.empty()) {
            --m_out.verified;
            if (m_out.undecided++ == 0)
                m_out.undecidedWhy = m_request.plans[index].inWords() +
                                     ": two eager runs differ from each other as well: " + unsteady;
            return true;
        }
        ++m_out.different;
        if (m_out.difference.empty())
            m_out.difference =
                m_request.plans[index].inWords() + ", replay " + std::to_string(m_done) + ": " + difference;
        return true;
    }

    /// How a second eager run from the same content differs from the first; empty where it does not.
    std::string eagerDifference(RecordedGraph& graph, const std::vector<at::Tensor>& written,
                                const std::vector<at::Tensor>& before, const RandomState& random,
                                const std::vector<IValue>& first, const std::set<std::size_t>& unset) const {
        const std::vector<IValue> kept = cloned(first); // what is written lies in the first run's results
        for (std::size_t i = 0; i < written.size(); ++i)
            written[i].copy_(before[i]);
        random.put();
        auto second = graph.runEagerly(m_task);
        if (!second) return {};
        for (const at::Tensor& storage : written)
            second->emplace_back(storage);
        return bitDifference(kept, *second, unset);
    }

    bool eagerOnce() {
        double sum = 0;
        for (std::size_t i = 0; i < m_request.plans.size(); ++i) {
            m_request.plans[i].graph->rewind();
            m_request.plans[i].graph->synchronize();
            const auto start = Clock::now();
            auto results = m_request.plans[i].graph->runEagerly(m_task);
            const double us = microseconds(Clock::now() - start);
            if (!results) return fail(i, std::move(results.error()));
            m_eager[i].add(us);
            sum += us;
        }
        m_eagerTotal.add(sum);
        return true;
    }

    /// More replays, for the times of their nodes or those that the device tells of the whole.
    bool measure(NodeClock::Of what) {
        const std::uint64_t replays = std::min(m_request.nodeIterations, maxNodeReplays);
        if (replays == 0) return true;
        const bool whole = what == NodeClock::Of::Launches;
        const std::uint64_t total = m_request.iterations + m_request.nodeIterations;
        std::vector<NodeClock> clocks(m_request.plans.size(), NodeClock(what));
        for (std::size_t i = 0; i < clocks.size(); ++i)
            clocks[i].reserve(m_request.plans[i].graph->recording().nodes.size(), replays);
        for (std::uint64_t n = 0; n < m_request.nodeIterations; ++n) {
            for (std::size_t i = 0; i < clocks.size(); ++i) {
                m_request.plans[i].graph->rewind();
                if (RunStatus status = m_request.plans[i].graph->replay(m_task, {&clocks[i], nullptr});
                    !status)
                    return fail(i, std::move(status.error()));
            }
            m_task.report(whole ? "Measuring launches" : "Measuring nodes", m_request.iterations + n + 1,
                          total);
        }
        for (std::size_t i = 0; i < clocks.size(); ++i) {
            if (whole) {
                std::vector<double> launches = clocks[i].launches();
                if (!launches.empty()) m_out.graphs[i].launchUs = replay::spreadOf(launches);
                continue;
            }
            m_out.graphs[i].nodes = clocks[i].take();
            m_out.graphs[i].nodeSamples = clocks[i].replays();
        }
        return true;
    }

    replay::ReplayRun finish() {
        m_out.iterations = m_done;
        m_out.replay = m_total.total();
        m_out.eager = m_eagerTotal.total();
        m_out.allocatorCalls = allocatorCalls() - m_callsBefore;
        for (std::size_t i = 0; i < m_request.plans.size(); ++i) {
            replay::GraphRun& graph = m_out.graphs[i];
            graph.replay = m_replays[i].total();
            graph.eager = m_eager[i].total();
            const auto& all = m_request.plans[i].graph->divergences();
            graph.divergences.assign(all.begin() + static_cast<std::ptrdiff_t>(m_divergencesBefore[i]),
                                     all.end());
        }
        return std::move(m_out);
    }

    const RunRequest& m_request;
    const TaskContext& m_task;
    std::vector<std::set<std::size_t>> m_unset; ///< by plan: results that are not compared
    std::vector<Samples> m_replays, m_eager;
    Samples m_total, m_eagerTotal;
    std::vector<replay::LiveTap> m_taps; ///< by plan; empty where nobody hears
    std::vector<std::size_t> m_divergencesBefore;
    std::uint64_t m_callsBefore = 0, m_done = 0;
    std::optional<PlanError> m_error;
    replay::ReplayRun m_out;
};

} // namespace

RandomState::RandomState(c10::Device device)
    : m_device(device) {
    for (at::Generator& generator : generatorsOf(device)) {
        const std::scoped_lock lock(generator.mutex());
        m_states.push_back(generator.get_state());
    }
}

void RandomState::put() const {
    std::vector<at::Generator> generators = generatorsOf(m_device);
    for (std::size_t i = 0; i < generators.size(); ++i) {
        const std::scoped_lock lock(generators[i].mutex());
        generators[i].set_state(m_states[i]);
    }
}

std::string bitDifference(const std::vector<IValue>& expected, const std::vector<IValue>& got,
                          const std::set<std::size_t>& unset) {
    if (expected.size() != got.size())
        return std::to_string(got.size()) + " results instead of " + std::to_string(expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        if (unset.contains(i)) continue;
        std::string difference;
        if (isDefinedTensor(expected[i]) && isDefinedTensor(got[i])) {
            difference = tensorDifference(expected[i].toTensor(), got[i].toTensor());
        } else if (expected[i].isScalar() && got[i].isScalar()) {
            const double a = expected[i].toScalar().toDouble(), b = got[i].toScalar().toDouble();
            if (std::bit_cast<std::uint64_t>(a) != std::bit_cast<std::uint64_t>(b)) difference = "differs";
        } else if (expected[i].tagKind() != got[i].tagKind()) {
            difference = "is another kind of value";
        }
        if (!difference.empty()) return "result " + std::to_string(i) + ' ' + difference;
    }
    return {};
}

tl::expected<replay::ReplayRun, PlanError> replayMany(const RunRequest& request, const TaskContext& task) {
    return Runner(request, task).run();
}

} // namespace dynascope::engine
