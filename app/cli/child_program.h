// SPDX-License-Identifier: BSD-3-Clause
//
// What starting another program takes: its words and its environment as posix_spawn wants them.
#pragma once

#include "core/base/result.h"

#include <string>
#include <utility>
#include <vector>

namespace dynascope::cli {

using Variables = std::vector<std::pair<std::string, std::string>>;

/// The variable's value here; empty where it is not set.
[[nodiscard]] std::string environmentVariable(const char* name);
/// That of the virtual environment, where one is active, else python3.
[[nodiscard]] std::string defaultPython();
/// Our environment with these variables in it: "NAME=value".
[[nodiscard]] std::vector<std::string> environmentWith(const Variables& changes);
/// With a null pointer behind them. They point into `texts`.
[[nodiscard]] std::vector<char*> pointers(std::vector<std::string>& texts);

/// Runs a program to its end, with standard output and standard error into that file; the first word is looked for in
/// PATH. Gives the status as shells do. Fails where it cannot be started.
[[nodiscard]] Result<int> runInto(std::vector<std::string> words, const Variables& changes,
                                  const std::string& outputFile);

/// 128 and the number of the signal that ended a program, else its exit status; of a status of waitpid.
[[nodiscard]] int shellStatus(int status);

} // namespace dynascope::cli
