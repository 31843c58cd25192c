// SPDX-License-Identifier: BSD-3-Clause
//
// passes-of --verify: every graph that a pass left, run beside the graph before it.
#pragma once

#include "app/cli/engine_command.h"
#include "app/cli/recorded_compiles.h"

#include <cstddef>
#include <string>
#include <vector>

namespace dynascope::cli {

struct VerifyPassesOptions {
    std::string path;
    EngineOptions engine;
    std::vector<std::string> symbols; ///< "s0=7"
    std::size_t timeout = 600;        ///< seconds for a graph
    bool json = false;
};

/// Prints a line for each change; exitFailure where a pass changed a value, exitUsage without an engine.
[[nodiscard]] int verifyRecorded(const std::vector<RecordedCompile>& compiles,
                                 const VerifyPassesOptions& options);

} // namespace dynascope::cli
