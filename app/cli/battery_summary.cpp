// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli/command.h"
#include "app/cli/doctor.h"
#include "app/cli/table.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace dynascope::cli {

namespace {

using doctor::BatteryPeer;
using doctor::BatteryProgram;
using doctor::BatteryRun;
using doctor::GpuBattery;

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

ProgramLine lineOf(const std::string& name, const BatteryProgram& program, double peerUs) {
    ProgramLine out;
    if (!program.error.empty() || !program.ran) {
        out.cells = {name};
        out.faults.push_back(program.error);
        return out;
    }
    const replay::ReplayRun& run = program.ran->run;
    const std::vector<replay::ReplayRecording>& recordings = program.ran->recordings;
    if (recordings.size() != run.graphs.size() || recordings.empty()) {
        out.cells = {name};
        out.faults.emplace_back("not every graph of it was recorded");
        return out;
    }
    double launch = 0, nodes = 0;
    std::size_t kernels = 0, unknown = 0, unmade = 0, all = 0;
    std::uint64_t arena = 0;
    for (std::size_t i = 0; i < recordings.size(); ++i) {
        arena += recordings[i].arenaBytes;
        if (run.graphs[i].launchUs) launch += run.graphs[i].launchUs->median;
        for (const replay::NodeTime& time : run.graphs[i].nodes)
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
    const std::vector<BatteryRun::Again>& again = program.ran->recordedAgain;
    const auto updated = std::ranges::count_if(again, &BatteryRun::Again::updated);
    out.cells = {name,
                 micros(run.eager.us.median),
                 micros(run.replay.us.median),
                 peerUs > 0 ? micros(peerUs) : "",
                 peerUs > 0 ? number(run.replay.us.median / peerUs) : "",
                 launch > 0 ? micros(launch) : "",
                 launch > 0 && nodes > 0 ? number(nodes / launch) : "",
                 std::to_string(all),
                 std::to_string(kernels - unknown) + '/' + std::to_string(kernels),
                 std::to_string(updated) + '/' + std::to_string(again.size()),
                 number(static_cast<double>(arena) / (1U << 20U), "%.1f"),
                 std::to_string(run.verified - run.different) + '/' + std::to_string(run.verified)};
    if (run.different > 0) out.faults.push_back("differs from the eager run: " + run.difference);
    if (unmade > 0)
        out.faults.push_back(count(unmade, "CUDA graph node") + " without the FX node that made them");
    for (const std::string& left : program.ran->leftOut)
        out.faults.push_back("left out: " + left);
    return out;
}

} // namespace

BatterySummary summarise(const GpuBattery& battery) {
    using Align = Table::Align;
    Table table({Align::Left, Align::Right, Align::Right, Align::Right, Align::Right, Align::Right,
                 Align::Right, Align::Right, Align::Right, Align::Right, Align::Right, Align::Right});
    table.add({"us", "eager", "replay", "PyTorch", "ratio", "device", "nodes/device", "nodes", "parameters",
               "updated", "pool MiB", "verified"});
    BatterySummary out;
    std::string faults, remarks;
    const BatteryPeer peer = battery.peer.value_or(BatteryPeer());
    for (const auto& [name, program] : battery.programs) {
        ProgramLine line = lineOf(name, program, peer.replayUs(name).value_or(0));
        table.add(std::move(line.cells));
        for (const std::string& fault : line.faults)
            faults += "failed: " + name + ": " + fault + '\n';
        for (const std::string& remark : line.remarks)
            remarks += name + ": " + remark + '\n';
    }
    out.text = table.toString("  ");
    if (battery.trees.ran) {
        const replay::TreeReport& report = battery.trees.ran->report;
        out.text += "trees: " + count(report.steps.size(), "event") + ", " +
                    count(report.count("warmup"), "warm-up") + ", " +
                    count(report.count("record"), "recording") + ", " +
                    count(report.count("replay"), "replay") + ", re-recorded " +
                    std::to_string(report.rerecords()) + "; " + std::to_string(report.verified) +
                    " verified, " + std::to_string(report.different) + " different\n";
        if (report.different > 0) faults += "failed: trees: results differ from eager runs\n";
    } else {
        faults += "failed: trees: " + battery.trees.error + '\n';
    }
    if (!peer.error.empty()) remarks += "PyTorch's own CUDA graphs: " + peer.error + '\n';
    out.passed = faults.empty();
    out.text += remarks + faults;
    return out;
}

} // namespace dynascope::cli
