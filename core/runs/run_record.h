// SPDX-License-Identifier: BSD-3-Clause
//
// A run of a program that `dynascope-cli run` recorded: a folder of its own with the trace, the recordings, and
// dynascope-run.json, which says what ran, when, and how it ended.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::runs {

struct RunRecord {
    std::vector<std::string> command;
    std::string folder; ///< that the program was started in
    std::string host;
    std::int64_t started = 0;      ///< seconds since 1970, UTC
    std::optional<double> seconds; ///< none: it runs still, or we were killed
    std::optional<int> exitStatus; ///< as shells give it; none as above
    std::vector<std::string> what; ///< "trace", "steps", "passes", "profile", "flight", "memory", "values"
    std::vector<std::string> settings; ///< of torch._dynamo.config
    /// Variables that PyTorch, its launchers and CUDA read. None whose name speaks of a secret.
    std::map<std::string, std::string> environment;
    friend bool operator==(const RunRecord&, const RunRecord&) = default;
};

/// Of our environment what a record keeps.
[[nodiscard]] std::map<std::string, std::string> environmentForRecord();
/// Seconds since 1970 as strftime() writes local time; empty for a time that no calendar has.
[[nodiscard]] std::string localTime(std::int64_t when, const char* format);
/// "2026-11-26_221530_train" of `python train.py`, in local time.
[[nodiscard]] std::string runName(std::int64_t started, const std::vector<std::string>& command);
/// "train" of `python train.py`, "pytest" of `python -m pytest`, "n" of `jupyter execute n.ipynb`, "torchrun" of
/// `torchrun job`: plain characters alone.
[[nodiscard]] std::string programName(const std::vector<std::string>& command);

/// Writes dynascope-run.json of a run's folder; one that is there is replaced as a whole.
[[nodiscard]] Result<void> writeRun(const std::string& folder, const RunRecord& record);
/// Fails where there is none, and names the field where one is missing or odd: "no record of a run: what[1]: ...".
[[nodiscard]] Result<RunRecord> readRun(const std::string& folder);

struct FoundRun {
    std::string name, path;
    Result<RunRecord> record;
};
/// The folders within a folder that have a record, in the order in which they were started; what cannot be read first.
[[nodiscard]] Result<std::vector<FoundRun>> runsIn(const std::string& folder);

} // namespace dynascope::runs
