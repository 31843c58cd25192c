// SPDX-License-Identifier: BSD-3-Clause
//
// dynascope-ranks, a library that a Python process loads which has set its process groups up: dynascope_capture.ranks.
// It records and replays the graphs of one rank there, with the collectives of those groups. Unlike dynascope-engine it
// is not confined: the process is the user's.
#include "core/engine/service/rank_file.h"

#include <cstdio>
#include <exception>

/// As runRankOfFile(), and throws nothing.
extern "C" __attribute__((visibility("default"))) int
dynascope_rank_run(const char* requestFile, unsigned long rank, const char* replyFile) {
    try {
        return dynascope::engine::runRankOfFile(requestFile, rank, replyFile);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "dynascope-ranks: %s: %s\n", requestFile, error.what());
        return 2;
    }
}
