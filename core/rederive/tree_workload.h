// SPDX-License-Identifier: BSD-3-Clause
//
// A workload as a program under CUDA-graph trees: each iteration is a generation that calls every graph once.
#pragma once

#include "core/rederive/workload.h"
#include "core/replay/tree_log.h"
#include "core/replay/tree_report.h"
#include "core/replay/tree_simulator.h"

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

/// A run that goes on step by step. Not thread-safe.
class LiveTree {
public:
    /// Brings the graphs to the engine and begins. `client` must outlive it.
    [[nodiscard]] static tl::expected<LiveTree, CallError> begin(Client& client, const Workload& workload,
                                                                 const TreeWorkloadOptions& options,
                                                                 const TaskContext& task = {});
    /// Carries out the next events; fewer at the end, or where the task is cancelled meanwhile.
    [[nodiscard]] tl::expected<replay::TreeLogPart, CallError> next(std::size_t steps,
                                                                    const TaskContext& task = {});
    void drop(); ///< the engine forgets it

    /// Functions as the graphs describe them, and all events.
    [[nodiscard]] const replay::TreeProgram& program() const { return m_program; }

private:
    explicit LiveTree(Client& client)
        : m_client(&client) {}
    Client* m_client;
    std::string m_run;
    replay::TreeProgram m_program;
};

} // namespace dynascope::engine
