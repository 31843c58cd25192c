// SPDX-License-Identifier: BSD-3-Clause
//
// What the command `runs` and the window's File > Runs say of runs, and which of them go when old ones are removed.
#pragma once

#include "core/base/task.h"
#include "core/runs/run_record.h"

#include <cstddef>
#include <string>
#include <vector>

namespace dynascope::runs {

/// What the capture of a run says in short.
struct RunSummary {
    std::string problem; ///< why it cannot be read; then the rest is empty
    std::string torch;
    std::size_t compiles = 0, recompiles = 0, breaks = 0;
    double compileSeconds = 0;
};
/// Reads the whole capture: run it on a worker.
[[nodiscard]] RunSummary summaryOf(const FoundRun& run, const TaskContext& task = {});

/// As one would type it into a shell: "python 'b c.py' --lr 0.1".
[[nodiscard]] std::string commandText(const RunRecord& record);
/// "exit 3", "has not ended".
[[nodiscard]] std::string endText(const RunRecord& record);

/// Of runs in the order of runsIn(), those that go where so many that have ended are kept: the oldest. What has not ended
/// may still run, and stays, as does what cannot be read.
[[nodiscard]] std::vector<const FoundRun*> runsBeyond(const std::vector<FoundRun>& runs, std::size_t keep);
/// Removes the folder of a run, if it says now that it has ended.
[[nodiscard]] Result<void> removeRun(const std::string& path);

/// The logs in a run's folder that PyTorch has written something into.
[[nodiscard]] std::vector<std::string> tracesIn(const std::string& folder);
/// What the window can read on as it grows: a folder with recordings beside its log it cannot, the log it can. Empty while
/// there is nothing.
[[nodiscard]] std::string followedPath(const std::string& folder);

} // namespace dynascope::runs
