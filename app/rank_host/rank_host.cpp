// SPDX-License-Identifier: BSD-3-Clause
//
// dynascope-ranks, a library that a Python process loads which has set its process groups up: dynascope_capture.ranks.
// It records and replays the graphs of one rank there, with the collectives of those groups. Unlike dynascope-engine it
// is not confined: the process is the user's.
#include "core/engine/service/rank_file.h"

#include <cstdio>
#include <dlfcn.h>
#include <exception>
#include <filesystem>

namespace {

/// The program is Python: the plugin lies where this library was installed.
std::string cudaPlugin() {
    Dl_info own{};
    if (::dladdr(reinterpret_cast<const void*>(&cudaPlugin), &own) == 0 || !own.dli_fname) return {};
    const std::filesystem::path folder = std::filesystem::absolute(own.dli_fname).parent_path();
    return (folder.parent_path() / "lib/dynascope/libdynascope_cuda_plugin.so").string();
}

} // namespace

/// As runRankOfFile(), and throws nothing.
extern "C" __attribute__((visibility("default"))) int
dynascope_rank_run(const char* requestFile, unsigned long rank, const char* replyFile, int localRank) {
    try {
        return dynascope::engine::runRankOfFile(requestFile, rank, replyFile, localRank, cudaPlugin());
    } catch (const std::exception& error) {
        std::fprintf(stderr, "dynascope-ranks: %s: %s\n", requestFile, error.what());
        return 2;
    }
}
