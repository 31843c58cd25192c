// SPDX-License-Identifier: BSD-3-Clause
//
// A run through a tree of CUDA graphs as plain data that grows: what TreeManager holds, for a reader that is
// not where the manager runs. The engine sends what is new as JSON, a client appends it.
#pragma once

#include "core/base/result.h"
#include "core/replay/tree_manager.h"

#include <deque>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace dynascope::replay {

/// A block of a pool.
struct PoolBlock {
    Address address = 0;
    std::uint64_t bytes = 0; ///< 0 where the pool does not tell
    friend bool operator==(const PoolBlock&, const PoolBlock&) = default;
};

/// What was measured of a step that was carried out for real.
struct StepMeasure {
    double us = 0;                 ///< of a call, on the host
    bool verified = false;         ///< held against an eager run, bit by bit
    std::string difference;        ///< from that; empty where there is none
    std::uint64_t poolBytes = 0;   ///< that the pool has of the device, after the step
    std::vector<PoolBlock> blocks; ///< allocated in it after the step, by address
    friend bool operator==(const StepMeasure&, const StepMeasure&) = default;
};

/// What is new since the last time.
struct TreeLogPart {
    std::size_t firstStep = 0, firstNode = 0;
    std::vector<TreeStep> steps;
    std::vector<std::vector<TreeChange>> changes; ///< by step
    std::vector<TreeNode> nodes;                  ///< without children
    std::vector<StepMeasure> measures;            ///< by step, or empty
    /// Outputs, by step and ordinal, whose memory something else has taken since.
    std::vector<std::pair<std::size_t, std::size_t>> overwritten;
    bool end = false; ///< the program is over
};

/// Not thread-safe. References to steps and nodes stay valid while it grows.
class TreeLog {
public:
    TreeLog() = default;
    explicit TreeLog(std::vector<TreeFunction> functions)
        : m_functions(std::move(functions)) {}
    /// All that a manager holds.
    explicit TreeLog(const TreeManager& manager);

    /// Fails, and changes nothing, where the part does not follow, or names what there is not.
    [[nodiscard]] Result<void> append(TreeLogPart part);

    [[nodiscard]] const std::vector<TreeFunction>& functions() const { return m_functions; }
    [[nodiscard]] const std::deque<TreeNode>& nodes() const { return m_nodes; }
    [[nodiscard]] const std::deque<TreeStep>& steps() const { return m_steps; }
    [[nodiscard]] std::span<const std::vector<TreeChange>> changes() const { return m_changes; }
    [[nodiscard]] const TreeNode* find(NodeId node) const;
    /// From the root to the node; empty for noNode.
    [[nodiscard]] std::vector<NodeId> path(NodeId node) const;
    [[nodiscard]] bool isOverwritten(std::size_t step, std::size_t output) const {
        return m_overwritten.contains({step, output});
    }
    /// Null where nothing was measured.
    [[nodiscard]] const StepMeasure* measure(std::size_t step) const {
        return step < m_measures.size() ? &m_measures[step] : nullptr;
    }

private:
    std::vector<TreeFunction> m_functions;
    std::deque<TreeNode> m_nodes;
    std::unordered_map<NodeId, std::size_t> m_positions;
    std::deque<TreeStep> m_steps;
    std::vector<std::vector<TreeChange>> m_changes;
    std::deque<StepMeasure> m_measures;
    std::set<std::pair<std::size_t, std::size_t>> m_overwritten;
};

/// Tells of a manager what is new each time.
class TreeLogWriter {
public:
    explicit TreeLogWriter(const TreeManager& manager)
        : m_manager(manager) {}
    /// Without measures.
    [[nodiscard]] TreeLogPart next();

private:
    const TreeManager& m_manager;
    std::size_t m_steps = 0, m_nodes = 0;
    std::set<std::pair<std::size_t, std::size_t>> m_overwritten; ///< told
};

[[nodiscard]] nlohmann::json toJson(const TreeLogPart& part);
/// Fails on anything but what toJson makes.
[[nodiscard]] Result<TreeLogPart> treeLogPartFromJson(const nlohmann::json& document);

} // namespace dynascope::replay
