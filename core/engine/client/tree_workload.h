// SPDX-License-Identifier: BSD-3-Clause
//
// A workload as a program under CUDA-graph trees: each iteration is a generation that calls every graph once.
#pragma once

#include "core/engine/client/workload.h"
#include "core/replay/tree_report.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace dynascope::engine {

struct TreeWorkloadOptions {
    std::uint64_t iterations = 4;
    /// Every how many iterations the parameters lie somewhere else, as after an optimizer that makes new
    /// ones; 0: never.
    std::uint64_t moveParameters = 0;
    /// How many more iterations the program holds what graphs return, without taking it anywhere.
    std::uint64_t hold = 0;
    std::size_t rerecordLimit = 128;
    std::string backend = "cpu";
    bool verify = true;
};

/// Functions and events, in the form of an oracle case of kind cudagraph_tree_trace.
[[nodiscard]] nlohmann::json treeCaseOf(const Workload& workload, const TreeWorkloadOptions& options);

/// Has the engine run it. Fails where a graph cannot run.
[[nodiscard]] tl::expected<replay::TreeReport, CallError> runTree(Client& client, const Workload& workload,
                                                                  const TreeWorkloadOptions& options,
                                                                  const TaskContext& task = {});

} // namespace dynascope::engine
