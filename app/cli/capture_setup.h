// SPDX-License-Identifier: BSD-3-Clause
//
// What a program needs to be recorded: variables in its environment. The command capture and the window's
// File > Record share it.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dynascope::cli {

/// share/dynascope/capture beside the programs. An Error where the recorder is not installed.
[[nodiscard]] Result<std::string> recorderFolder();

/// What is recorded besides the trace.
struct CaptureRequest {
    std::string live; ///< the socket of live mode; empty for none
    /// Of torch._dynamo.config, for this run: "capture_scalar_outputs=True",
    /// "reorderable_logging_functions+=print".
    std::vector<std::string> settings;
    bool passes = false;  ///< Inductor's passes as well
    int profileSteps = 0; ///< steps to profile once compiling has settled; 0: none
    /// Dynamo's steps. Without them the recorder stays out, and of all this only the trace is left.
    bool steps = true;
    bool flight = false; ///< dumps of the flight recorder, one a rank
    bool memory = false; ///< a snapshot of a GPU's allocator at the end, one a process
    bool values = false; ///< what compiled graphs were called with
};

/// Variables by name that make a Python below record into `folder`, an absolute path. `pythonPath` is what
/// the program would have as PYTHONPATH.
[[nodiscard]] std::vector<std::pair<std::string, std::string>>
captureVariables(const std::string& folder, const std::string& recorder, std::string_view pythonPath,
                 const CaptureRequest& request);

/// What a folder of a capture holds so far; tails do not count.
struct CaptureFiles {
    std::size_t traces = 0;     ///< logs that something was written into
    std::size_t recordings = 0; ///< of Dynamo
    std::size_t passes = 0;     ///< recordings of passes
    std::size_t profiles = 0;
    std::size_t flights = 0;  ///< dumps of the flight recorder
    std::size_t memories = 0; ///< memory snapshots
    std::size_t values = 0;   ///< values that graphs were called with
    std::uint64_t bytes = 0;
};
[[nodiscard]] CaptureFiles captureFiles(const std::string& folder);
/// What there is beside the traces: "2 recordings, 1 of passes, 1 profile".
[[nodiscard]] std::string besideText(const CaptureFiles& found);
/// "FOLDER: 2 recordings, 41 KiB".
[[nodiscard]] std::string captureSummary(const std::string& folder);
/// A line for each thing that was asked for, is not there, and that the recorder says nothing of; empty for none.
[[nodiscard]] std::string missingLines(const CaptureRequest& request, const std::string& folder);

} // namespace dynascope::cli
