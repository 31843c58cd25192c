// SPDX-License-Identifier: BSD-3-Clause
//
// What of Dynascope works on this machine, and what to do about the rest: `dynascope-cli doctor`.
#pragma once

#include "app/cli/battery.h"
#include "core/engine/client/client.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace dynascope::cli {

struct Finding {
    enum class State : unsigned char {
        Works,
        Limited, ///< works, but not all of it
        Missing, ///< what needs it does not work; the rest does
    };
    std::string what; ///< "engine"
    State state = State::Works;
    std::string text;   ///< one line: what was found, or why it is not there
    std::string advice; ///< what to do about it; empty where there is nothing to do
};
[[nodiscard]] std::string_view stateName(Finding::State state); ///< "works", "limited", "missing"

/// Asks the programs themselves, so that each finding is something that was tried. `python` is the
/// interpreter whose programs would be recorded. Takes some seconds.
[[nodiscard]] std::vector<Finding> doctorFindings(engine::Client& client, const std::string& python);

/// A line each, advice below.
[[nodiscard]] std::string findingsText(const std::vector<Finding>& findings);
[[nodiscard]] nlohmann::json toJson(const std::vector<Finding>& findings);

/// share/dynascope/doctor beside the programs.
[[nodiscard]] Result<std::string> doctorFolder();

struct GpuBatteryOptions {
    std::string backend = "cuda"; ///< or "cuda:1"
    std::string python;           ///< one whose PyTorch is the peer; empty: without a peer
    std::uint64_t iterations = 200;
};
/// Records and replays Dynascope's own test programs and a training step on the backend, beside eager runs
/// and PyTorch's own CUDA graphs (docs/doctor.md). Takes about a minute. A program that fails is part of the
/// battery, with why.
[[nodiscard]] Result<GpuBattery> runGpuBattery(engine::Client& client, const GpuBatteryOptions& options);

} // namespace dynascope::cli
