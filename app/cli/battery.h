// SPDX-License-Identifier: BSD-3-Clause
//
// What `dynascope-cli doctor` writes: its findings, and the GPU battery with all that was recorded and measured
// (docs/doctor.md).
#pragma once

#include "core/base/result.h"
#include "core/replay/recording.h"
#include "core/replay/tree_report.h"

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace dynascope::cli {

/// A program recorded and replayed.
struct BatteryProgram {
    struct Again {
        double us = 0;        ///< of the capture
        bool updated = false; ///< the executable graph of the one before took it over
        std::string why;      ///< not
    };
    std::string error; ///< why it failed, or its nodes could not be timed; else empty
    bool ran = false;  ///< else nothing below is known
    replay::ReplayRun run{};
    std::vector<replay::ReplayRecording> recordings{}; ///< by graph of `run`
    std::vector<Again> recordedAgain{};
    std::vector<std::string> leftOut{};
    std::optional<std::vector<std::string>> nodeTimeWarnings{}; ///< null where nodes were not timed
};

/// The training step under CUDA-graph trees.
struct BatteryTrees {
    std::string error; ///< else `report` is there
    replay::TreeReport report{};
    nlohmann::json treeCase{}; ///< what was run, as the simulator reads it
};

/// What PyTorch's own CUDA graphs took.
struct BatteryPeer {
    std::string error;
    std::map<std::string, double> us{}; ///< of a replay, by program
    nlohmann::json said{};              ///< all that share/dynascope/doctor/peer.py printed
};

struct GpuBattery {
    std::string backend; ///< "cuda", "cuda:1"
    std::map<std::string, BatteryProgram> programs{};
    BatteryTrees trees{};
    std::optional<BatteryPeer> peer{};
};
[[nodiscard]] nlohmann::json toJson(const GpuBattery& battery);
[[nodiscard]] BatteryPeer peerFromJson(const nlohmann::json& said);

/// A document as it is read back.
struct DoctorDocument {
    struct Line {
        std::string state, what, text; ///< of a Finding
    };
    std::vector<Line> findings;
    std::optional<GpuBattery> gpu{};
};
/// A program whose part is damaged has that as its error; an Error where the document is otherwise.
[[nodiscard]] Result<DoctorDocument> doctorDocumentFromJson(const nlohmann::json& document);

/// What a battery says, in lines; and whether everything in it went as it should.
struct BatterySummary {
    std::string text;
    bool passed = true;
};
[[nodiscard]] BatterySummary summarise(const GpuBattery& battery);

} // namespace dynascope::cli
