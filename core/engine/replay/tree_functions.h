// SPDX-License-Identifier: BSD-3-Clause
//
// Real functions and tensors under the state machine of CUDA-graph trees: carries out over a pool what
// replay::TreeManager decides.
#pragma once

#include "core/engine/replay/graph_pool.h"
#include "core/replay/tree_node.h"

#include <c10/core/StorageImpl.h>
#include <c10/util/intrusive_ptr.h>
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>

namespace dynascope::engine {

/// Not thread-safe; the pool must outlive it. Around TreeManager::call() the caller brings the tensors and
/// takes the results:
///     manager.call(function, tree.begin(std::move(inputs)));
///     results = tree.end();
class TreeFunctions final : public replay::TreeBackend {
public:
    explicit TreeFunctions(GraphPool& pool)
        : m_pool(pool) {}

    /// Numbers count as TreeManager::addFunction's do.
    void add(std::shared_ptr<const Program> program, Attributes attributes);
    void setTask(const TaskContext& task) { m_task = task; }

    /// Takes the inputs of the next call; the call alone refers to them from now on.
    [[nodiscard]] std::vector<replay::TreeValue> begin(std::vector<c10::IValue> inputs);
    /// Results of the call, which are the caller's alone from now on. Empty where it failed.
    [[nodiscard]] std::vector<c10::IValue> end();
    /// Why the last step failed, where that was an operator.
    [[nodiscard]] const std::optional<RunError>& error() const { return m_error; }

    Outputs runEagerly(replay::FunctionId function, std::span<const replay::TreeValue> inputs) override;
    Outputs warmUp(replay::FunctionId function, std::span<const replay::TreeValue> inputs) override;
    Result<std::vector<replay::Address>> copyInputs(std::span<const replay::TreeValue> inputs,
                                                    std::span<const std::size_t> copied) override;
    Outputs record(replay::NodeId node, replay::FunctionId function,
                   std::span<const replay::TreeValue> inputs) override;
    Outputs replay(const replay::TreeNode& node, std::span<const replay::TreeValue> inputs) override;
    [[nodiscard]] bool wroteOver(replay::StorageId storage) const override;
    [[nodiscard]] bool isAlive(replay::StorageId storage) const override;
    void releaseInputs(std::span<const replay::TreeValue> inputs,
                       std::span<const std::size_t> released) override;
    void dropCachedOutputs(replay::NodeId) override {} // every replay makes new tensors
    Result<void> restore(replay::NodeId node, std::span<const replay::StorageId> live,
                         std::span<const replay::Address> freed) override;
    void invalidate(replay::StorageId storage, const std::string& message) override;
    [[nodiscard]] std::vector<replay::Address> allocated() const override;

private:
    using WeakStorage = c10::weak_intrusive_ptr<c10::StorageImpl>;
    struct Function {
        std::shared_ptr<const Program> program;
        Attributes attributes;
    };
    /// A recording.
    struct Recorded {
        std::unique_ptr<PoolGraph> graph;
        std::shared_ptr<const PoolCheckpoint> checkpoint;
        std::vector<c10::IValue> inputs;          ///< as recorded, tensors without memory
        std::map<std::size_t, at::Tensor> copies; ///< by input: bytes where the graph reads its copy
        std::vector<c10::IValue> outputs;         ///< as recorded, tensors without memory
        std::vector<std::uint64_t> bytes;         ///< of their storages
        std::vector<replay::StorageId> storages;  ///< by output, as last returned
        std::vector<replay::PoolBlock> taken;     ///< of the pool, apart and rising
    };

    replay::TreeValue valueOf(const c10::IValue& value);
    replay::StorageId idOf(const c10::Storage& storage);
    [[nodiscard]] c10::Storage storageOf(replay::StorageId id) const;
    [[nodiscard]] Outputs returned(std::vector<c10::IValue> outputs);
    [[nodiscard]] Outputs failed(const RunError& error);
    [[nodiscard]] Outputs guarded(const std::function<Outputs()>& body);
    [[nodiscard]] std::vector<c10::IValue> fixedInputs(Recorded& node) const;
    /// Throws where an input of the call has another shape, strides or dtype than the one that was recorded.
    void checkInputs(const Recorded& node) const;
    [[nodiscard]] c10::Storage outputStorage(const replay::TreeNode& node, std::size_t index,
                                             const Recorded& recorded) const;

    GraphPool& m_pool;
    TaskContext m_task;
    std::vector<Function> m_functions;
    std::map<replay::NodeId, Recorded> m_recordings;
    std::unordered_map<replay::StorageId, WeakStorage> m_storages;
    std::unordered_map<const c10::StorageImpl*, replay::StorageId> m_ids;
    std::unordered_set<replay::StorageId> m_taken; ///< whose memory was taken away
    std::uint64_t m_nextId = 1;
    std::size_t m_sweepAt = 1024; ///< how many storages to know of before the dead are forgotten

    // Of the call under way.
    std::vector<c10::IValue> m_inputs, m_outputs;
    std::map<std::size_t, c10::Storage> m_copies; ///< in the pool, by input
    std::vector<replay::PoolBlock> m_blocks;      ///< that it took of the pool, apart and rising
    std::optional<RunError> m_error;
};

/// The cells of a tensor, from the first to the last that it sees, as bytes of its storage.
[[nodiscard]] at::Tensor extentOf(const at::Tensor& tensor);

} // namespace dynascope::engine
