// SPDX-License-Identifier: BSD-3-Clause
//
// dynascope-cli replay PATH --ranks simulated|N: the graphs of all ranks of a capture together.
#pragma once

#include "app/cli/engine_command.h"
#include "app/cli/replay_torchrun.h"

#include <cstddef>
#include <string>

namespace dynascope::cli {

struct RanksOptions {
    std::string ranks;            ///< "simulated", or a number; empty: not asked for
    std::string prepare, collect; ///< folders
    bool cuda = false;            ///< a GPU for every rank
    TorchrunOptions torchrun;
};
void addRanksOptions(Command& command, RanksOptions& options);

struct ReplayCounts {
    std::size_t iterations = 0, nodeIterations = 0, verify = 0;
};

/// Runs and prints; gives the exit status.
int replayAllRanks(const std::string& path, const EngineOptions& which, const InputOptions& inputs,
                   const RanksOptions& options, const ReplayCounts& counts, bool asJson);

} // namespace dynascope::cli
