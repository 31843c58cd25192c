// SPDX-License-Identifier: BSD-3-Clause
//
// A program of calls under CUDA-graph trees, carried out for real: functions are graphs, memory is a pool's.
#pragma once

#include "core/engine/replay/tensor_memory.h"
#include "core/engine/replay/tree_functions.h"
#include "core/replay/tree_log.h"
#include "core/replay/tree_report.h"
#include "core/replay/tree_simulator.h"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace dynascope::engine {

struct TreeRunFunction {
    replay::TreeFunction about;
    std::shared_ptr<const Program> program;
    std::vector<c10::IValue> inputs; ///< what its fresh arguments and parameters are copies of
    Attributes attributes;
};

struct TreeRunRequest {
    std::vector<TreeRunFunction> functions;
    /// As in a simulation. A fresh tensor is a copy of the function's input at another address, its numbers
    /// a little other each time, so that a replay that reads what an earlier call left is found out; a
    /// parameter is a copy of the input of the call that names it first.
    std::vector<replay::TreeEvent> events;
    replay::TreeOptions options;
    bool verify = true; ///< hold every call against an eager run, bit by bit
};

/// Plays the part of the user's program: holds what calls return until it is dropped. Not thread-safe; the
/// pool must outlive it.
class PoolTreeRun {
public:
    PoolTreeRun(GraphPool& pool, TreeRunRequest request);

    /// Carries out the next event. False at the end.
    bool next(const TaskContext& task);
    [[nodiscard]] const replay::TreeManager& manager() const { return m_manager; }
    /// What a call returned and the program still holds; None for what it dropped.
    [[nodiscard]] const std::vector<c10::IValue>& outputs(std::size_t call) const { return m_calls.at(call); }
    [[nodiscard]] replay::TreeReport report() const;
    /// What is new since it was asked last, measured.
    [[nodiscard]] replay::TreeLogPart news();

private:
    /// What an eager run of a call gives, and what it leaves in the parameters.
    struct Expected {
        std::vector<c10::IValue> results;
        std::map<std::size_t, at::Tensor> parameters; ///< by input
        std::set<std::size_t> unset;                  ///< results without a value (unset_results.h)
    };
    void call(const replay::TreeEvent& event, const TaskContext& task);
    c10::IValue argument(const replay::TreeEvent& event, std::size_t index);
    void drop(std::size_t call, std::size_t output);
    [[nodiscard]] std::optional<Expected>
    eager(const replay::TreeEvent& event, const std::vector<c10::IValue>& inputs, const TaskContext& task);
    [[nodiscard]] std::string differenceFrom(const Expected& expected, const replay::TreeEvent& event,
                                             const std::vector<c10::IValue>& got) const;

    GraphPool& m_pool;
    TreeRunRequest m_request;
    TreeFunctions m_functions;
    replay::TreeManager m_manager;
    std::size_t m_next = 0;
    std::vector<std::vector<c10::IValue>> m_calls; ///< what the program holds of each
    std::map<replay::Address, c10::IValue> m_parameters;
    StorageCopies m_freshCopies;
    struct Measured {
        double us = 0;
        bool verified = false;
        std::string difference;
    };
    std::map<std::size_t, Measured> m_measured; ///< by step
    replay::TreeLogWriter m_log{m_manager};
    std::uint64_t m_verified = 0, m_different = 0, m_undecided = 0;
};

} // namespace dynascope::engine
