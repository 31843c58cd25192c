// SPDX-License-Identifier: BSD-3-Clause
//
// A program that runs while it is recorded: the commands capture and run share it.
#pragma once

#include "app/cli/capture_setup.h"
#include "core/base/result.h"

#include <functional>
#include <string>
#include <vector>

namespace dynascope::cli {

class LiveConsole;

struct RecordedProgram {
    std::vector<std::string> command; ///< not empty; the first is looked for in PATH
    std::string folder;               ///< absolute; it is there
    std::string recorder;             ///< see recorderFolder()
    CaptureRequest request;
    bool showsProgress = false;        ///< on stderr, where that is a terminal
    std::function<void()> meanwhile{}; ///< called about twice a second while it runs; may be empty
};

/// Runs it to its end, with what the recording needs in its environment. Signals that end or tell a program something
/// are passed on; standard input is the program's, but with a console, which has the commands. Returns the status as
/// shells give it: 128 and the number of the signal that ended it. Fails where it cannot be started.
[[nodiscard]] Result<int> runRecorded(const RecordedProgram& program, LiveConsole* console);

} // namespace dynascope::cli
