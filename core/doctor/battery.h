// SPDX-License-Identifier: BSD-3-Clause
//
// The battery of `dynascope-cli doctor --gpu`: Dynascope's own programs on a GPU, with all that was recorded and measured
// (docs/doctor.md). Values only; times are microseconds.
#pragma once

#include "core/base/result.h"
#include "core/engine/wire/wire.h"
#include "core/replay/recording.h"
#include "core/replay/tree_report.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dynascope::doctor {

/// What came of recording and replaying a program.
struct BatteryRun {
    struct Again {
        double us = 0;        ///< of the capture
        bool updated = false; ///< the executable graph of the one before took it over
        std::string why;      ///< not
    };
    replay::ReplayRun run{};
    std::vector<replay::ReplayRecording> recordings{}; ///< by graph of `run`
    std::vector<Again> recordedAgain{};
    std::vector<std::string> leftOut{};
    std::optional<std::vector<std::string>> nodeTimeWarnings{}; ///< nothing where nodes were not timed
};

struct BatteryProgram {
    std::string error;               ///< why it failed, or its nodes could not be timed; else empty
    std::optional<BatteryRun> ran{}; ///< nothing where it failed
};

/// A training step under CUDA-graph trees.
struct BatteryTreeRun {
    replay::TreeReport report;
    wire::Any treeCase; ///< what was run, as the simulator reads it
};

struct BatteryTrees {
    std::string error;                   ///< why it failed; else empty
    std::optional<BatteryTreeRun> ran{}; ///< nothing where it failed
};

/// A program as PyTorch's own CUDA graphs run it.
struct PeerTimes {
    double cudaGraphUs = 0, eagerUs = 0; ///< medians
    std::uint64_t poolBytes = 0;
};

struct PeerProgram {
    std::string error;                ///< why it failed; else empty
    std::optional<PeerTimes> times{}; ///< nothing where it failed
};

struct PeerPrograms {
    std::string torch;  ///< PyTorch's version
    std::string device; ///< the GPU's name
    std::map<std::string, PeerProgram> programs;
};

/// What share/dynascope/doctor/peer.py measured.
struct BatteryPeer {
    std::string error;                 ///< why it failed; else empty
    std::optional<PeerPrograms> ran{}; ///< nothing where it failed

    /// Of a replay of the program; nothing where it is not known.
    [[nodiscard]] std::optional<double> replayUs(const std::string& program) const;
};
/// Of what peer.py printed. An error names the field that is not what it should be.
[[nodiscard]] Result<BatteryPeer> peerFrom(const std::string& printed);

struct GpuBattery {
    std::string backend; ///< "cuda", "cuda:1"
    std::map<std::string, BatteryProgram> programs{};
    BatteryTrees trees{};
    std::optional<BatteryPeer> peer{};
};

} // namespace dynascope::doctor
