// SPDX-License-Identifier: BSD-3-Clause
//
// What of Dynascope works on this machine, and what to do about the rest: `dynascope-cli doctor`.
#pragma once

#include "core/doctor/document.h"
#include "core/engine/client/client.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dynascope::cli {

/// Asks the programs themselves, so that each finding is something that was tried. `python` is the
/// interpreter whose programs would be recorded. Takes some seconds.
[[nodiscard]] std::vector<doctor::Finding> doctorFindings(engine::Client& client, const std::string& python);

/// A line each, advice below.
[[nodiscard]] std::string findingsText(const std::vector<doctor::Finding>& findings);

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
[[nodiscard]] Result<doctor::GpuBattery> runGpuBattery(engine::Client& client,
                                                       const GpuBatteryOptions& options);

/// What a battery says, in lines; and whether everything in it went as it should.
struct BatterySummary {
    std::string text;
    bool passed = true;
};
[[nodiscard]] BatterySummary summarise(const doctor::GpuBattery& battery);

} // namespace dynascope::cli
