// SPDX-License-Identifier: BSD-3-Clause
//
// The ranks of a capture as processes of torchrun, each on the process groups of its own PyTorch.
#pragma once

#include "core/base/result.h"
#include "core/engine/wire/ranks.h"
#include "core/rederive/ranks_workload.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace dynascope::cli {

struct TorchrunOptions {
    std::string python;    ///< with PyTorch; looked for in PATH
    std::string backend;   ///< of the process groups; empty: gloo, or nccl where the request is for GPUs
    unsigned timeout = 60; ///< seconds that a rank waits in a collective
};

/// Their backend: what was asked for, else what suits the request.
[[nodiscard]] std::string processGroups(const wire::RanksRequest& request, const TorchrunOptions& options);

/// Of each result, how many elements are compared.
inline constexpr std::int64_t comparedElements = 10'000;

/// What every rank found, by rank; nothing of one that died before it said anything.
using TorchrunResults = std::vector<std::optional<wire::RankResult>>;

/// Starts torchrun on this machine and waits for it. What it and the ranks print comes out on stderr where they fail.
[[nodiscard]] Result<TorchrunResults> runUnderTorchrun(const wire::RanksRequest& request,
                                                       const TorchrunOptions& options);

/// The same in two steps, for ranks that another launcher starts on other machines: writes FOLDER/request.json and gives
/// the command that each of them is ...
[[nodiscard]] Result<std::string> prepareRanks(const wire::RanksRequest& request, const std::string& folder,
                                               const TorchrunOptions& options);
/// ... and reads what they left there: the request and what each rank found.
struct CollectedRanks {
    wire::RanksRequest request;
    TorchrunResults results;
};
[[nodiscard]] Result<CollectedRanks> collectRanks(const std::string& folder);

/// How the results differ from those of the simulation; empty where they are the same bit by bit.
struct TorchrunDifference {
    std::size_t compared = 0, different = 0; ///< results
    double largest = 0;                      ///< between two elements
    std::string first;                       ///< "rank 1, 0/0 inference, result 0"
    bool onGpus = false;                     ///< the results; the simulation runs on a CPU
};
[[nodiscard]] TorchrunDifference compareRuns(const engine::RanksWorkload& workload,
                                             const TorchrunResults& real, const wire::RanksReply& simulated);

/// `where` is "as processes of torchrun on this machine, process groups by gloo".
[[nodiscard]] std::string torchrunText(const engine::RanksWorkload& workload, const TorchrunResults& done,
                                       const std::string& where, const TorchrunDifference& difference);
[[nodiscard]] nlohmann::json torchrunJson(const engine::RanksWorkload& workload, const TorchrunResults& done,
                                          const TorchrunDifference& difference);
/// Whether every rank came through with the results of its eager runs.
[[nodiscard]] bool torchrunAgrees(const TorchrunResults& done);

} // namespace dynascope::cli
