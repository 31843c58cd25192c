// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli/child.h"
#include "app/cli/command.h"
#include "app/cli/doctor.h"
#include "app/cli/table.h"
#include "core/capture/open.h"
#include "core/engine/cases/graph_inputs.h"
#include "core/rederive/tree_workload.h"
#include "core/rederive/workload.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <map>

namespace dynascope::cli {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::chrono::seconds peerPatience{300};
constexpr std::uint64_t nodeIterations = 50, launchIterations = 50, verifyEvery = 10, rerecords = 2,
                        treeIterations = 8, moveParameters = 4;
constexpr const char* captureName = "training_step.log.zst";

/// Draws random numbers, so that no replay gives what an eager run does.
bool isRandom(const std::string& name) {
    return name == "random";
}

std::vector<std::string> programNames(const std::string& folder) {
    std::vector<std::string> out;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error))
        if (entry.path().extension() == ".txt") out.push_back(entry.path().stem().string());
    std::sort(out.begin(), out.end());
    return out;
}

Result<engine::Workload> programOf(const std::string& path, const std::string& name) {
    const auto session = openInput(path);
    if (!session) return tl::unexpected(session.error());
    const auto choice = chooseStage(**session, {}, {});
    if (!choice) return tl::unexpected(choice.error());
    auto graph = graphOf(**session, *choice->stage);
    if (!graph) return tl::unexpected(graph.error());
    Result<json> inputs = engine::inputsOfGraph(**graph);
    if (!inputs) return tl::unexpected(inputs.error());
    engine::Workload out;
    out.graphs.push_back({name, {}, std::move(*graph), std::move(*inputs), json(), {}, {}});
    return out;
}

json resultOf(engine::Client& client, const engine::Workload& workload, const std::string& name,
              const GpuBatteryOptions& options) {
    engine::WorkloadOptions how;
    how.iterations = options.iterations;
    how.nodeIterations = launchIterations;
    how.verifyEvery = isRandom(name) ? 0 : verifyEvery;
    how.backend = options.backend;
    how.times = "launch";
    how.rerecords = rerecords;
    const auto done = engine::runWorkload(client, workload, how);
    if (!done) return {{"error", done.error().message}};
    json recordings = json::array(), again = json::array();
    for (const replay::ReplayRecording& recording : done->recordings)
        recordings.push_back(replay::toJson(recording));
    for (const auto& rows : done->rerecordings)
        for (const auto& row : rows)
            again.push_back({{"us", row.us}, {"updated", row.how.updated}, {"why", row.how.why}});
    return {{"run", replay::toJson(done->run)},
            {"recordings", std::move(recordings)},
            {"recorded_again", std::move(again)},
            {"left_out", done->left}};
}

/// The times of the nodes of a program, graph by graph, as GraphRun has them.
void addNodeTimes(engine::Client& client, const engine::Workload& workload, const GpuBatteryOptions& options,
                  json& result) {
    if (result.contains("error")) return;
    engine::WorkloadOptions how;
    how.iterations = 1;
    how.nodeIterations = nodeIterations;
    how.backend = options.backend;
    const auto done = engine::runWorkload(client, workload, how);
    if (!done) {
        result["error"] = done.error().message;
        return;
    }
    auto run = replay::replayRunFromJson(result["run"]);
    if (!run || run->graphs.size() != done->run.graphs.size()) return;
    for (std::size_t i = 0; i < run->graphs.size(); ++i) {
        run->graphs[i].nodes = done->run.graphs[i].nodes;
        run->graphs[i].nodeSamples = done->run.graphs[i].nodeSamples;
    }
    result["run"] = replay::toJson(*run);
    json warnings = json::array();
    for (const replay::ReplayRecording& recording : done->recordings)
        if (recording.cudaGraph)
            for (const std::string& warning : recording.cudaGraph->warnings)
                warnings.push_back(warning);
    result["node_time_warnings"] = std::move(warnings);
}

json peerOf(const std::string& folder, const GpuBatteryOptions& options) {
    const auto child = runChild(
        {options.python, folder + "/peer.py", folder, options.backend, std::to_string(options.iterations)},
        peerPatience);
    if (!child) return {{"error", child.error().message}};
    json said = json::parse(child->out, nullptr, false);
    if (child->succeeded && said.is_object()) return said;
    return {{"error", child->end + ": " + child->lastWords()}};
}

std::string number(double value, const char* format = "%.2f") {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), format, value);
    return text.data();
}

/// One program's line, and what of it is not as it should be.
struct ProgramLine {
    std::vector<std::string> cells;
    std::vector<std::string> faults, remarks;
};

ProgramLine lineOf(const std::string& name, const json& result, const json& peer) {
    ProgramLine out;
    if (result.contains("error")) {
        out.cells = {name};
        out.faults.push_back(result["error"].get<std::string>());
        return out;
    }
    const auto run = replay::replayRunFromJson(result.value("run", json()));
    std::vector<replay::ReplayRecording> recordings;
    for (const json& row : result.value("recordings", json::array()))
        if (auto recording = replay::recordingFromJson(row)) recordings.push_back(std::move(*recording));
    if (!run || recordings.size() != run->graphs.size() || recordings.empty()) {
        out.cells = {name};
        out.faults.emplace_back("the document is damaged");
        return out;
    }
    double launch = 0, nodes = 0;
    std::size_t kernels = 0, unknown = 0, unmade = 0, all = 0;
    std::uint64_t arena = 0;
    for (std::size_t i = 0; i < recordings.size(); ++i) {
        arena += recordings[i].arenaBytes;
        if (run->graphs[i].launchUs) launch += run->graphs[i].launchUs->median;
        for (const replay::NodeTime& time : run->graphs[i].nodes)
            nodes += time.us.median;
        if (!recordings[i].cudaGraph) continue;
        for (const replay::CudaSubgraph& sub : recordings[i].cudaGraph->graphs)
            for (const replay::CudaNode& node : sub.nodes) {
                ++all;
                unmade += node.maker ? 0 : 1;
                const auto* const kernel = std::get_if<replay::CudaKernel>(&node.detail);
                if (!kernel) continue;
                ++kernels;
                unknown += kernel->paramsKnown ? 0 : 1;
            }
        for (const std::string& warning : recordings[i].cudaGraph->warnings)
            out.remarks.push_back(warning);
    }
    std::size_t updated = 0;
    const json again = result.value("recorded_again", json::array());
    for (const json& row : again)
        updated += row.value("updated", false) ? 1 : 0;
    const json theirs = peer.value("programs", json::object()).value(name, json::object());
    const double peerUs = theirs.value("cudagraph_us", 0.0);
    out.cells = {name,
                 micros(run->eager.us.median),
                 micros(run->replay.us.median),
                 peerUs > 0 ? micros(peerUs) : "",
                 peerUs > 0 ? number(run->replay.us.median / peerUs) : "",
                 launch > 0 ? micros(launch) : "",
                 launch > 0 && nodes > 0 ? number(nodes / launch) : "",
                 std::to_string(all),
                 std::to_string(kernels - unknown) + '/' + std::to_string(kernels),
                 std::to_string(updated) + '/' + std::to_string(again.size()),
                 number(static_cast<double>(arena) / (1U << 20U), "%.1f"),
                 std::to_string(run->verified - run->different) + '/' + std::to_string(run->verified)};
    if (run->different > 0) out.faults.push_back("differs from the eager run: " + run->difference);
    if (unmade > 0)
        out.faults.push_back(count(unmade, "CUDA graph node") + " without the FX node that made them");
    for (const json& left : result.value("left_out", json::array()))
        out.faults.push_back("left out: " + left.get<std::string>());
    return out;
}

} // namespace

Result<std::string> doctorFolder() {
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error);
    const fs::path folder = program.parent_path().parent_path() / "share" / "dynascope" / "doctor";
    if (!fs::exists(folder / "peer.py", error))
        return failure("the doctor's programs are missing", folder.string());
    return folder.string();
}

Result<json> runGpuBattery(engine::Client& client, const GpuBatteryOptions& options) {
    const Result<std::string> folder = doctorFolder();
    if (!folder) return tl::unexpected(folder.error());
    std::map<std::string, engine::Workload> workloads;
    for (const std::string& name : programNames(*folder)) {
        auto workload = programOf(*folder + '/' + name + ".txt", name);
        if (!workload) return tl::unexpected(workload.error());
        workloads.emplace(name, std::move(*workload));
    }
    const auto session = openInput(*folder + '/' + captureName);
    if (!session) return tl::unexpected(session.error());
    const engine::Workload& capture =
        workloads.emplace("training step", engine::workloadOf(**session)).first->second;

    json out{{"backend", options.backend}, {"programs", json::object()}};
    json& programs = out["programs"];
    for (const auto& [name, workload] : workloads)
        programs[name] = resultOf(client, workload, name, options);
    // Last, since CUPTI slows the launches of a process down from then on.
    for (const auto& [name, workload] : workloads)
        addNodeTimes(client, workload, options, programs[name]);
    engine::TreeWorkloadOptions trees;
    trees.iterations = treeIterations;
    trees.moveParameters = moveParameters;
    trees.backend = options.backend;
    const auto report = engine::runTree(client, capture, trees);
    out["trees"] =
        report ? json{{"case", engine::treeCaseOf(capture, trees)}, {"report", replay::toJson(*report)}}
               : json{{"error", report.error().message}};
    if (!options.python.empty()) out["peer"] = peerOf(*folder, options);
    return out;
}

BatterySummary summarise(const json& battery) {
    using Align = Table::Align;
    Table table({Align::Left, Align::Right, Align::Right, Align::Right, Align::Right, Align::Right,
                 Align::Right, Align::Right, Align::Right, Align::Right, Align::Right, Align::Right});
    table.add({"us", "eager", "replay", "PyTorch", "ratio", "device", "nodes/device", "nodes", "parameters",
               "updated", "pool MiB", "verified"});
    BatterySummary out;
    std::string faults, remarks;
    const json peer = battery.value("peer", json::object());
    const json programs = battery.value("programs", json::object());
    for (const auto& [name, result] : programs.items()) {
        ProgramLine line = lineOf(name, result, peer);
        table.add(std::move(line.cells));
        for (const std::string& fault : line.faults)
            faults += "failed: " + name + ": " + fault + '\n';
        for (const std::string& remark : line.remarks)
            remarks += name + ": " + remark + '\n';
    }
    out.text = table.toString("  ");
    const json trees = battery.value("trees", json::object());
    const auto report = replay::treeReportFromJson(trees.value("report", json()));
    if (report) {
        out.text += "trees: " + count(report->steps.size(), "event") + ", " +
                    count(report->count("warmup"), "warm-up") + ", " +
                    count(report->count("record"), "recording") + ", " +
                    count(report->count("replay"), "replay") + ", re-recorded " +
                    std::to_string(report->rerecords()) + "; " + std::to_string(report->verified) +
                    " verified, " + std::to_string(report->different) + " different\n";
        if (report->different > 0) faults += "failed: trees: results differ from eager runs\n";
    } else {
        faults += "failed: trees: " + trees.value("error", report.error().message) + '\n';
    }
    if (peer.contains("error"))
        remarks += "PyTorch's own CUDA graphs: " + peer["error"].get<std::string>() + '\n';
    out.passed = faults.empty();
    out.text += remarks + faults;
    return out;
}

} // namespace dynascope::cli
