// SPDX-License-Identifier: BSD-3-Clause
//
// The state machine of CUDA-graph trees: decides for every call whether a function is warmed up, recorded,
// replayed or run eagerly. Follows torch/_inductor/cudagraph_trees.py of PyTorch 2.13 (SPEC section 13).
#pragma once

#include "core/replay/tree_step.h"

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace dynascope::replay {

struct TreeOptions {
    std::int64_t rerecordLimit = 128; ///< triton.cudagraph_unexpected_rerecord_limit
    bool skipWarmup = false;          ///< triton.skip_cudagraph_warmup
    bool forceWarmup = false;         ///< triton.force_cudagraphs_warmup: never record
    bool checkPool = true;            ///< triton.slow_path_cudagraph_asserts
};

/// Not thread-safe. The backend must outlive it.
class TreeManager {
public:
    explicit TreeManager(TreeBackend& backend, TreeOptions options = {})
        : m_backend(backend)
        , m_options(options) {}

    FunctionId addFunction(TreeFunction function);

    /// Runs a function. A failure of the backend, or a broken invariant that PyTorch raises for, is a step
    /// with action Failed; the manager can go on.
    const TreeStep& call(FunctionId function, std::vector<TreeValue> inputs, std::string stack = {});
    const TreeStep& userMark();
    const TreeStep& invocation();
    const TreeStep& eagerBackward();
    /// Looks which outputs of the current path are still alive; for the record only.
    const TreeStep& observe();

    [[nodiscard]] const TreeState& state() const { return m_state; }
    [[nodiscard]] std::span<const TreeFunction> functions() const { return m_functions; }
    /// In the order they were made; a TreeState has the first `nodes` of them.
    [[nodiscard]] std::span<const TreeNode> nodes() const { return m_nodes; }
    [[nodiscard]] const TreeNode* find(NodeId node) const;
    /// From the root to the node; empty for noNode.
    [[nodiscard]] std::vector<NodeId> path(NodeId node) const;
    [[nodiscard]] const std::deque<TreeStep>& steps() const { return m_steps; }
    /// What each step changed: for TreeCursor.
    [[nodiscard]] std::span<const std::vector<TreeChange>> changes() const { return m_changes; }
    /// By step and output: those whose memory something else has taken since. It only grows.
    [[nodiscard]] const std::map<std::pair<std::size_t, std::size_t>, Overwritten>&
    overwrittenOutputs() const {
        return m_overwritten;
    }
    /// Nothing while the output of that step holds its own values.
    [[nodiscard]] std::optional<Overwritten> overwritten(std::size_t step, std::size_t output) const;

private:
    using Field = TreeChange::Field;
    using Action = TreeStep::Action;

    // tree_manager.cpp: what a call does
    TreeStep& begin(TreeStep::Event event);
    const TreeStep& finish();
    void run(FunctionId function);
    bool replayChild(FunctionId function, bool& unexpected, std::string& reason);
    bool skipsForMutation(FunctionId function);
    bool writesForeignTensor(FunctionId function);
    bool readsOverwritten();
    bool skipsAfterRerecord(FunctionId function, const std::string& reason);
    void runEagerly(FunctionId function, TreeStep::EagerCause cause);
    void warmUp(FunctionId function);
    void record(FunctionId function);
    void replay(TreeNode& node);
    void fail(const Error& error);

    // tree_invariants.cpp: what must hold
    [[nodiscard]] InvariantCheck check(const TreeNode& node);
    [[nodiscard]] std::vector<MovedInput> moved(const TreeNode& node,
                                                const std::vector<std::size_t>& inputs) const;
    void describeInputs(TreeNode& node) const;
    void classifyOutputs(TreeNode& node, const std::vector<TreeValue>& outputs,
                         const std::vector<TreeValue>& inputs);
    void trackWarmup(TreeNode& node, const std::vector<TreeValue>& outputs,
                     const std::vector<StorageId>& foreign) const;
    [[nodiscard]] Result<void> checkPool(std::vector<Address> expected) const;

    // tree_paths.cpp: paths and their ends, liveness, checkpoints
    void set(Field field, std::int64_t after, NodeId node = noNode, std::uint32_t key = 0);
    void setCurrent(NodeId node, PathState path);
    [[nodiscard]] bool canStartGeneration() const;
    void tryEndWarmupOrRecording();
    void tryEndExecution();
    [[nodiscard]] bool allOutputsDead() const;
    void invalidatePath();
    [[nodiscard]] bool isAlive(OutputAt output) const;
    [[nodiscard]] std::vector<OutputAt> liveOutputs(NodeId node) const;
    [[nodiscard]] std::vector<OutputAt> trackedOutputs(NodeId node) const;
    [[nodiscard]] std::vector<Address> addressesOf(const std::vector<OutputAt>& outputs) const;
    [[nodiscard]] bool isRecorded(const TreeValue& value) const;
    Result<void> restoreCheckpoint();
    void observeLife();
    /// The output that was last put at an address of the pool.
    struct Returned {
        std::size_t step = 0, output = 0;
        StorageId storage = StorageId::None;
    };
    void noteOverwritten(const TreeNode& node);
    void noteOverwritten(const Returned& output);

    [[nodiscard]] TreeNode& at(NodeId node) { return m_nodes[m_positions.at(node)]; }
    [[nodiscard]] const TreeNode& at(NodeId node) const { return m_nodes[m_positions.at(node)]; }
    [[nodiscard]] const TreeOutput& at(OutputAt output) const {
        return at(output.node).outputs[output.index];
    }
    TreeNode& addNode(NodeId id, FunctionId function);
    [[nodiscard]] TreeStep& step() { return m_steps.back(); }
    [[nodiscard]] const std::vector<TreeValue>& inputs() const { return m_steps.back().inputs; }

    TreeBackend& m_backend;
    TreeOptions m_options;
    std::vector<TreeFunction> m_functions;
    std::vector<TreeNode> m_nodes;
    std::unordered_map<NodeId, std::size_t> m_positions;
    std::map<FunctionId, std::vector<NodeId>> m_roots;
    NodeId m_nextRecording = 0, m_nextWarmup = -1;
    std::set<FunctionId> m_warned; ///< about writes, once a function

    TreeState m_state;
    std::deque<TreeStep> m_steps;
    std::vector<std::vector<TreeChange>> m_changes;

    std::unordered_map<Address, Returned> m_lastAt;
    std::unordered_map<StorageId, std::pair<std::size_t, std::size_t>> m_madeAt; ///< step and output
    std::map<std::pair<std::size_t, std::size_t>, Overwritten> m_overwritten;    ///< by step and output
};

} // namespace dynascope::replay
