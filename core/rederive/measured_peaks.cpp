// SPDX-License-Identifier: BSD-3-Clause
#include "core/rederive/measured_peaks.h"

#include "core/engine/cases/graph_inputs.h"
#include "core/ir/text.h"
#include "core/rederive/workload.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace dynascope::engine {

namespace {

constexpr double side = 1024, length = 16777216; // floats; a vector is larger than caches are
constexpr std::string_view text = "class peaks(torch.nn.Module):\n"
                                  "    def forward(self, a: \"f32[1024, 1024]\", b: \"f32[1024, 1024]\", "
                                  "x: \"f32[16777216]\", y: \"f32[16777216]\"):\n"
                                  "        mm: \"f32[1024, 1024]\" = torch.ops.aten.mm.default(a, b)\n"
                                  "        add: \"f32[16777216]\" = torch.ops.aten.add.Tensor(x, y)\n"
                                  "        return (mm, add)\n";

CallError refused(const Error& error) {
    CallError out;
    out.kind = CallError::Kind::Refused;
    out.message = error.message;
    return out;
}

Result<Workload> workload() {
    const Result<ir::GraphPtr> graph = ir::readGraph(text);
    if (!graph) return tl::unexpected(graph.error());
    Result<nlohmann::json> inputs = inputsOfGraph(**graph, {});
    if (!inputs) return tl::unexpected(inputs.error());
    WorkloadGraph one;
    one.name = "peaks";
    one.graph = *graph;
    one.inputs = std::move(*inputs);
    Workload out;
    out.graphs.push_back(std::move(one));
    return out;
}

/// Seconds of the fastest run of the node with that name; 0 where it was not measured.
double fastest(const WorkloadRun& run, std::string_view name) {
    if (run.recordings.empty() || run.run.graphs.empty()) return 0;
    for (const replay::NodeTime& time : run.run.graphs.front().nodes)
        if (run.recordings.front().nodes[time.node].name == name) return time.us.min / 1e6;
    return 0;
}

} // namespace

std::string MeasuredPeaks::toString() const {
    std::array<char, 160> out{};
    const int size =
        std::snprintf(out.data(), out.size(),
                      "%.1f GFLOP/s of a matrix product, %.1f GB/s of a stream, measured here "
                      "with %d thread%s",
                      flopsPerSecond / 1e9, bytesPerSecond / 1e9, threads, threads == 1 ? "" : "s");
    return {out.data(), static_cast<std::size_t>(std::max(size, 0))};
}

tl::expected<MeasuredPeaks, CallError> measurePeaks(Client& client, const TaskContext& task) {
    const Result<Workload> what = workload();
    if (!what) return tl::unexpected(refused(what.error()));
    WorkloadOptions how;
    how.iterations = 1;
    how.nodeIterations = 30;
    const auto run = runWorkload(client, *what, how, task);
    if (!run) return tl::unexpected(run.error());
    const double product = fastest(*run, "mm"), stream = fastest(*run, "add");
    if (product <= 0 || stream <= 0)
        return tl::unexpected(refused(Error{"the engine measured no time of a matrix product and a stream"}));
    MeasuredPeaks out;
    out.flopsPerSecond = 2 * side * side * side / product;
    out.bytesPerSecond = 3 * length * sizeof(float) / stream;
    out.threads = static_cast<int>(run->recordings.front().threads);
    return out;
}

} // namespace dynascope::engine
