// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/replay/cpu_graph.h"

#include <ATen/Parallel.h>
#include <algorithm>
#include <ctime>

namespace dynascope::engine {

namespace {

/// Ops that are shorter than this lose more by waking other threads than they gain.
constexpr double shortOpUs = 50;

/// Time that this thread has run: how long ops are, however busy the machine is.
double threadUs() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

RunError reshapes(const Program& program, std::size_t input) {
    const auto found = std::find_if(program.code.begin(), program.code.end(), [&](const Instruction& code) {
        return code.kind == Instruction::Kind::Input && code.position == input;
    });
    const auto node = static_cast<ir::NodeIndex>(found - program.code.begin());
    return {"the graph gives its input '" + program.graph->node(node).name +
                "' another shape or storage in place, and a replay's inputs stay as they are",
            node, false};
}

class CpuBackend final : public ReplayBackend {
public:
    [[nodiscard]] std::string_view name() const override { return "cpu"; }

    tl::expected<std::unique_ptr<RecordedGraph>, RunError> record(RecordRequest request,
                                                                  const TaskContext& task) override {
        using Clock = std::chrono::steady_clock;
        const auto start = Clock::now();
        const Program& program = *request.program;
        InputContent content(request.inputs, request.attributes, request.kept);
        const RunModes modes(hasOperatorsOnly(program), request.oneDnn);
        int threads = request.threads > 0 ? request.threads : 1;
        at::set_num_threads(threads);
        // The first runs fill caches that kernels keep; what they do is of no interest.
        double us = 0;
        for (int warmUp = 0; warmUp < 2; ++warmUp) {
            const double begin = threadUs();
            if (const auto done = run(program, request.inputs, request.attributes, task); !done)
                return tl::unexpected(done.error());
            us = threadUs() - begin;
            if (const auto input = content.reshaped()) return tl::unexpected(reshapes(program, *input));
            if (warmUp == 0) {
                content.settle();
            } else {
                content.restoreAll();
            }
        }
        const auto ops = static_cast<double>(std::max<std::size_t>(program.code.size(), 1));
        if (request.threads <= 0 && us / ops > shortOpUs) {
            threads = defaultThreads;
            at::set_num_threads(threads);
        }
        auto first = traceRun(program, request.inputs, request.attributes, task);
        if (!first) return tl::unexpected(first.error());
        content.restoreAll();
        auto second = traceRun(program, request.inputs, request.attributes, task);
        if (!second) return tl::unexpected(second.error());
        content.restoreAll();

        auto graph = std::make_unique<CpuGraph>(std::move(request), std::move(content), std::move(*first),
                                                *second, threads);
        if (const RunStatus done = graph->tryOut(task); !done) return tl::unexpected(done.error());
        graph->setRecordTime(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
        return graph;
    }

private:
    /// As PyTorch chose for this machine.
    const int defaultThreads = at::get_num_threads();
};

} // namespace

std::unique_ptr<ReplayBackend> makeCpuBackend() {
    return std::make_unique<CpuBackend>();
}

void NodeClock::reserve(std::size_t nodes, std::size_t replays) {
    m_nodes = nodes;
    m_replays = replays;
    m_replay = 0;
    m_samples.assign(nodes * replays, -1);
}

void NodeClock::beginReplay() {
    ++m_replay;
    m_last = std::chrono::steady_clock::now();
}

std::vector<replay::NodeTime> NodeClock::take() const {
    std::vector<replay::NodeTime> out;
    std::vector<double> samples;
    for (std::size_t node = 0; node < m_nodes; ++node) {
        samples.clear();
        for (std::size_t i = 0; i < replays(); ++i)
            if (const float ns = m_samples[i * m_nodes + node]; ns >= 0) samples.push_back(ns / 1000.0);
        if (!samples.empty()) out.push_back({static_cast<std::uint32_t>(node), replay::spreadOf(samples)});
    }
    return out;
}

} // namespace dynascope::engine
