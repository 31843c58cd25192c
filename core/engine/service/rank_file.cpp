// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/service/rank_file.h"

#include "core/engine/collectives/kernels.h"
#include "core/engine/exec/thread_count.h"
#include "core/engine/replay/cuda_backend.h"
#include "core/engine/replay/cuda_loader.h"
#include "core/engine/service/rank_run.h"
#include "core/engine/wire/ranks_document.h"

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

namespace dynascope::engine {

namespace {

int complain(const char* file, const std::string& why) {
    std::fprintf(stderr, "dynascope-ranks: %s: %s\n", file, why.c_str());
    return 2;
}

} // namespace

int runRankOfFile(const char* requestFile, std::size_t rank, const char* replyFile, int localRank,
                  const std::string& cudaPlugin) {
    std::ifstream in(requestFile, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    if (!in) return complain(requestFile, "cannot be read");
    const auto request = wire::readRanksRequest(text);
    if (!request) return complain(requestFile, request.error().message);
    if (rank >= request->ranks.size()) return complain(requestFile, "has no rank " + std::to_string(rank));
    std::shared_ptr<ReplayBackend> backend;
    if (request->backend == "cuda") {
        auto device = loadCudaDevice(cudaPlugin, localRank);
        if (!device) return complain(requestFile, device.error().message);
        backend = makeCudaBackend(std::move(*device));
    }
    waitAtOnce();
    ProgramsByText known;
    auto prepared = RankRun::prepare(request->ranks[rank], known);
    if (!prepared) return complain(requestFile, prepared.error().message);
    const OneThread threads;
    const wire::RankResult result =
        prepared->run({request->iterations, request->nodeIterations, request->verifyEvery, true,
                       request->outputElements, std::move(backend)},
                      {});
    std::ofstream out(replyFile, std::ios::binary | std::ios::trunc);
    out << wire::writeRankResult(result);
    out.close();
    if (!out) return complain(replyFile, "cannot be written");
    return result.error ? 1 : 0;
}

} // namespace dynascope::engine
