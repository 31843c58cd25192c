// SPDX-License-Identifier: BSD-3-Clause
#include "core/rederive/measured_peaks.h"

#include "core/base/words.h"
#include "core/engine/cases/graph_inputs.h"
#include "core/ir/text.h"
#include "core/profile/figures.h"
#include "core/rederive/workload.h"

#include <algorithm>
#include <array>

namespace dynascope::engine {

namespace {

bool isCpu(const PeakRequest& request) {
    return request.backend == "cpu";
}
std::size_t side(const PeakRequest& request) {
    return isCpu(request) ? 1024 : 4096;
}
/// Of a vector, in floats.
std::size_t length(const PeakRequest& request) {
    return isCpu(request) ? std::size_t{16} << 20U : std::size_t{64} << 20U;
}

constexpr std::array<std::string_view, 4> measurable = {"f32", "bf16", "f16", "f64"};

std::vector<std::string> typesOf(const PeakRequest& request) {
    std::vector<std::string> out;
    for (const std::string_view type : measurable)
        if (request.types.contains(std::string(type))) out.emplace_back(type);
    if (out.empty()) out.emplace_back(measurable.front());
    return out;
}

/// As Dynamo prints a graph: a product for each type, and the stream.
std::string textOf(const PeakRequest& request) {
    const std::string size = std::to_string(side(request)), square = "[" + size + ", " + size + "]",
                      vector = "f32[" + std::to_string(length(request)) + "]";
    std::string inputs, body, results;
    for (const std::string& type : typesOf(request)) {
        const std::string matrix = type + square;
        inputs += "a_" + type + ": \"" + matrix + "\", b_" + type + ": \"" + matrix + "\", ";
        body += "        mm_" + type + ": \"" + matrix + "\" = torch.ops.aten.mm.default(a_" + type + ", b_" +
                type + ")\n";
        results += "mm_" + type + ", ";
    }
    return "class peaks(torch.nn.Module):\n    def forward(self, " + inputs + "x: \"" + vector + "\", y: \"" +
           vector + "\"):\n" + body + "        add: \"" + vector +
           "\" = torch.ops.aten.add.Tensor(x, y)\n        return (" + results + "add)\n";
}

CallError refused(const Error& error) {
    CallError out;
    out.kind = CallError::Kind::Refused;
    out.message = error.message;
    return out;
}

Result<Workload> workload(const PeakRequest& request) {
    const Result<ir::GraphPtr> graph = ir::readGraph(textOf(request));
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
    std::string out;
    for (const auto& [type, rate] : peaks.flopsByType)
        out += profile::rateText(rate, "FLOP/s") + (out.empty() ? " of matrix products in " : " in ") + type +
               ", ";
    return out + profile::rateText(peaks.bytesPerSecond, "B/s") + " of a stream, measured on " + device;
}

PeakRequest peaksFor(const profile::Profile& profile, std::span<const profile::GroupedRow> rows) {
    PeakRequest out;
    const std::string& device = profile::mainDevice(profile);
    if (device.starts_with("cuda")) out.backend = device;
    std::set<std::string> types;
    for (const profile::GroupedRow& row : rows)
        if (!row.work.type.empty()) types.insert(row.work.type);
    if (!types.empty()) out.types = std::move(types);
    return out;
}

std::string peakDoubt(const MeasuredPeaks& peaks, const profile::Profile& profile) {
    const std::string& main = profile::mainDevice(profile);
    const auto at =
        static_cast<std::size_t>(std::ranges::find(profile.devices, main) - profile.devices.begin());
    const std::string model = at < profile.models.size() ? profile.models[at] : std::string();
    if (model.empty() || peaks.device.find(model) != std::string::npos) return {};
    return "the profile is of " + model + ", the peaks are of " + peaks.device;
}

tl::expected<MeasuredPeaks, CallError> measurePeaks(Client& client, const PeakRequest& request,
                                                    const TaskContext& task) {
    const Result<Workload> what = workload(request);
    if (!what) return tl::unexpected(refused(what.error()));
    WorkloadOptions how;
    how.iterations = 1;
    how.nodeIterations = 30;
    how.backend = request.backend;
    const auto run = runWorkload(client, *what, how, task);
    if (!run) return tl::unexpected(run.error());
    MeasuredPeaks out;
    const double n = static_cast<double>(side(request));
    for (const std::string& type : typesOf(request))
        if (const double product = fastest(*run, "mm_" + type); product > 0) {
            const double rate = 2 * n * n * n / product;
            out.peaks.flopsByType[type] = rate;
            out.peaks.flopsPerSecond = std::max(out.peaks.flopsPerSecond, rate);
        }
    const double stream = fastest(*run, "add");
    if (out.peaks.flopsPerSecond <= 0 || stream <= 0)
        return tl::unexpected(refused(Error{"the engine measured no time of a matrix product and a stream"}));
    out.peaks.bytesPerSecond = 3 * static_cast<double>(length(request)) * sizeof(float) / stream;
    const replay::ReplayRecording& recording = run->recordings.front();
    out.device = recording.cudaGraph ? recording.cudaGraph->device + " (" + request.backend + ")"
                                     : "this CPU with " + count(recording.threads, "thread");
    return out;
}

} // namespace dynascope::engine
