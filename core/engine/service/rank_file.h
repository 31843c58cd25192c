// SPDX-License-Identifier: BSD-3-Clause
//
// One rank of a request that lies in a file, run in a process whose process groups are set up already.
#pragma once

#include <cstddef>
#include <string>

namespace dynascope::engine {

/// Runs rank `rank` of the wire::RanksRequest in that file, with collectives that are waited for where they are called
/// (collectives/kernels.h), and writes its wire::RankResult. 0; 1 where the rank failed, as the result says; 2 where
/// nothing was run, as stderr says. May throw what JSON and memory throw. A request for GPUs runs on the one of number
/// `localRank`, by the CUDA plugin in `cudaPlugin`; the process has chosen that device already.
[[nodiscard]] int runRankOfFile(const char* requestFile, std::size_t rank, const char* replyFile,
                                int localRank, const std::string& cudaPlugin);

} // namespace dynascope::engine
