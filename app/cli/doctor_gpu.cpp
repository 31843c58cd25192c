// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli/child.h"
#include "app/cli/command.h"
#include "app/cli/doctor.h"
#include "core/base/own_program.h"
#include "core/capture/open.h"
#include "core/engine/cases/graph_inputs.h"
#include "core/rederive/tree_workload.h"
#include "core/rederive/workload.h"

#include <algorithm>
#include <filesystem>
#include <map>

namespace dynascope::cli {

namespace {

namespace fs = std::filesystem;
using doctor::BatteryPeer;
using doctor::BatteryProgram;
using doctor::BatteryRun;
using doctor::BatteryTreeRun;
using doctor::BatteryTrees;
using doctor::GpuBattery;

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
    auto inputs = engine::inputsOfGraph(**graph);
    if (!inputs) return tl::unexpected(inputs.error());
    engine::Workload out;
    out.graphs.push_back({name, {}, std::move(*graph), std::move(*inputs), {}, {}, {}});
    return out;
}

BatteryProgram resultOf(engine::Client& client, const engine::Workload& workload, const std::string& name,
                        const GpuBatteryOptions& options) {
    engine::WorkloadOptions how;
    how.iterations = options.iterations;
    how.nodeIterations = launchIterations;
    how.verifyEvery = isRandom(name) ? 0 : verifyEvery;
    how.backend = options.backend;
    how.times = "launch";
    how.rerecords = rerecords;
    const auto done = engine::runWorkload(client, workload, how);
    if (!done) return {done.error().message};
    BatteryRun out{done->run, done->recordings, {}, done->left, {}};
    for (const auto& rows : done->rerecordings)
        for (const auto& row : rows)
            out.recordedAgain.push_back({row.us, row.how.updated, row.how.why});
    return {{}, std::move(out)};
}

/// The times of the nodes of a program, graph by graph, as GraphRun has them.
void addNodeTimes(engine::Client& client, const engine::Workload& workload, const GpuBatteryOptions& options,
                  BatteryProgram& program) {
    if (!program.ran) return;
    engine::WorkloadOptions how;
    how.iterations = 1;
    how.nodeIterations = nodeIterations;
    how.backend = options.backend;
    const auto done = engine::runWorkload(client, workload, how);
    if (!done) {
        program.error = done.error().message;
        return;
    }
    std::vector<replay::GraphRun>& graphs = program.ran->run.graphs;
    if (graphs.size() != done->run.graphs.size()) return;
    for (std::size_t i = 0; i < graphs.size(); ++i) {
        graphs[i].nodes = done->run.graphs[i].nodes;
        graphs[i].nodeSamples = done->run.graphs[i].nodeSamples;
    }
    std::vector<std::string>& warnings = program.ran->nodeTimeWarnings.emplace();
    for (const replay::ReplayRecording& recording : done->recordings)
        if (recording.cudaGraph)
            for (const std::string& warning : recording.cudaGraph->warnings)
                warnings.push_back(warning);
}

BatteryPeer peerOf(const std::string& folder, const GpuBatteryOptions& options) {
    const auto child = runChild(
        {options.python, folder + "/peer.py", folder, options.backend, std::to_string(options.iterations)},
        peerPatience);
    if (!child) return {child.error().message};
    if (!child->succeeded) return {child->end + ": " + child->lastWords()};
    Result<BatteryPeer> said = doctor::peerFrom(child->out);
    return said ? std::move(*said) : BatteryPeer{said.error().message};
}

} // namespace

Result<std::string> doctorFolder() {
    std::error_code error;
    const fs::path folder = ownPrefix() / "share" / "dynascope" / "doctor";
    if (!fs::exists(folder / "peer.py", error))
        return failure("the doctor's programs are missing", folder.string());
    return folder.string();
}

Result<GpuBattery> runGpuBattery(engine::Client& client, const GpuBatteryOptions& options) {
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

    GpuBattery out{options.backend};
    for (const auto& [name, workload] : workloads)
        out.programs.emplace(name, resultOf(client, workload, name, options));
    // Last, since CUPTI slows the launches of a process down from then on.
    for (const auto& [name, workload] : workloads)
        addNodeTimes(client, workload, options, out.programs.at(name));
    engine::TreeWorkloadOptions trees;
    trees.iterations = treeIterations;
    trees.moveParameters = moveParameters;
    trees.backend = options.backend;
    const auto report = engine::runTree(client, capture, trees);
    out.trees = report ? BatteryTrees{{}, BatteryTreeRun{*report, engine::treeCaseOf(capture, trees)}}
                       : BatteryTrees{report.error().message};
    if (!options.python.empty()) out.peer = peerOf(*folder, options);
    return out;
}

} // namespace dynascope::cli
