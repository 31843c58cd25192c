// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli/battery.h"

#include <utility>

namespace dynascope::cli {

namespace {

using nlohmann::json;

json toJson(const BatteryProgram& program) {
    json out = json::object();
    if (!program.error.empty()) out["error"] = program.error;
    if (!program.ran) return out;
    out["run"] = replay::toJson(program.run);
    json& recordings = out["recordings"] = json::array();
    for (const replay::ReplayRecording& recording : program.recordings)
        recordings.push_back(replay::toJson(recording));
    json& again = out["recorded_again"] = json::array();
    for (const BatteryProgram::Again& row : program.recordedAgain)
        again.push_back({{"us", row.us}, {"updated", row.updated}, {"why", row.why}});
    out["left_out"] = program.leftOut;
    if (program.nodeTimeWarnings) out["node_time_warnings"] = *program.nodeTimeWarnings;
    return out;
}

BatteryProgram programFromJson(const json& said) {
    BatteryProgram out;
    out.error = said.value("error", std::string());
    if (!out.error.empty()) return out;
    auto run = replay::replayRunFromJson(said.value("run", json()));
    for (const json& row : said.value("recordings", json::array()))
        if (auto recording = replay::recordingFromJson(row)) out.recordings.push_back(std::move(*recording));
    if (!run || out.recordings.size() != run->graphs.size() || out.recordings.empty())
        return {"the document is damaged"};
    out.ran = true;
    out.run = std::move(*run);
    for (const json& row : said.value("recorded_again", json::array()))
        out.recordedAgain.push_back(
            {row.value("us", 0.0), row.value("updated", false), row.value("why", std::string())});
    out.leftOut = said.value("left_out", std::vector<std::string>());
    if (said.contains("node_time_warnings"))
        out.nodeTimeWarnings = said["node_time_warnings"].get<std::vector<std::string>>();
    return out;
}

BatteryTrees treesFromJson(const json& said) {
    BatteryTrees out;
    auto report = replay::treeReportFromJson(said.value("report", json()));
    if (report)
        out.report = std::move(*report);
    else
        out.error = said.value("error", report.error().message);
    out.treeCase = said.value("case", json());
    return out;
}

GpuBattery batteryFromJson(const json& said) {
    GpuBattery out;
    out.backend = said.value("backend", std::string());
    const json programs = said.value("programs", json::object());
    for (const auto& [name, program] : programs.items())
        out.programs.emplace(name, programFromJson(program));
    out.trees = treesFromJson(said.value("trees", json::object()));
    if (said.contains("peer")) out.peer = peerFromJson(said["peer"]);
    return out;
}

} // namespace

json toJson(const GpuBattery& battery) {
    json out{{"backend", battery.backend}, {"programs", json::object()}};
    for (const auto& [name, program] : battery.programs)
        out["programs"][name] = toJson(program);
    out["trees"] = battery.trees.error.empty() ? json{{"case", battery.trees.treeCase},
                                                      {"report", replay::toJson(battery.trees.report)}}
                                               : json{{"error", battery.trees.error}};
    if (battery.peer) out["peer"] = battery.peer->said;
    return out;
}

BatteryPeer peerFromJson(const json& said) {
    BatteryPeer out;
    out.said = said;
    out.error = said.value("error", std::string());
    const json programs = said.value("programs", json::object());
    for (const auto& [name, program] : programs.items())
        out.us.emplace(name, program.value("cudagraph_us", 0.0));
    return out;
}

Result<DoctorDocument> doctorDocumentFromJson(const json& document) {
    try {
        DoctorDocument out;
        for (const json& row : document.value("findings", json::array()))
            out.findings.push_back({row.value("state", std::string()), row.value("what", std::string()),
                                    row.value("text", std::string())});
        if (document.contains("gpu")) out.gpu = batteryFromJson(document["gpu"]);
        return out;
    } catch (const json::exception& error) {
        return failure(std::string("is damaged: ") + error.what());
    }
}

} // namespace dynascope::cli
