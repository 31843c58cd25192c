// SPDX-License-Identifier: BSD-3-Clause
//
// What a tree of CUDA graphs is driven with: functions, values, and the backend that records and replays. The
// state machine (tree_manager.h) is the same for a GPU, for the CPU and for the simulator.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace dynascope::replay {

struct TreeNode;

/// Ordinal of a function that was added to a manager.
using FunctionId = std::uint32_t;
/// Recordings count 0, 1, 2, ..; warm-ups -1, -2, ...
using NodeId = std::int64_t;
inline constexpr NodeId noNode = INT64_MIN;

/// Bytes of the device's memory; 0 for a tensor without memory.
using Address = std::uint64_t;
/// By which the backend knows one storage object; several may have the same address, one after the other.
enum class StorageId : std::uint64_t { None = 0 };

/// What goes into a function or comes out of it.
struct TreeValue {
    enum class Kind : std::uint8_t { Tensor, Number, None, Opaque };
    Kind kind = Kind::Tensor;
    Address address = 0;        ///< of the tensor's first element
    Address storageAddress = 0; ///< of its storage
    StorageId storage = StorageId::None;
    bool onDevice = true; ///< false for a CPU tensor

    [[nodiscard]] bool isTensor() const { return kind == Kind::Tensor; }
    friend bool operator==(const TreeValue&, const TreeValue&) = default;
};

enum class CompilationMode : std::uint8_t { Inference, Forward, Backward };

/// A compiled function that may be run as a CUDA graph.
struct TreeFunction {
    struct Input {
        std::string name;
        std::string stack;       ///< where it came from; empty where not known
        std::string mutatingUse; ///< where it is written; empty where not known
    };
    std::string name;
    CompilationMode mode = CompilationMode::Inference;
    std::vector<std::size_t> staticInputs;  ///< parameters, buffers, saved tensors: addresses that stay
    std::vector<std::size_t> mutatedInputs; ///< in the order of their search
    std::vector<Input> inputs;              ///< may be shorter than the arguments
    std::vector<std::string> outputStacks;  ///< may be shorter than the outputs
};

/// Carries out what the state machine decides. All calls come from one thread. Errors of the backend end the
/// step that caused them.
class TreeBackend {
public:
    virtual ~TreeBackend() = default;
    using Outputs = Result<std::vector<TreeValue>>;

    /// Outside of the pool.
    virtual Outputs runEagerly(FunctionId function, std::span<const TreeValue> inputs) = 0;
    /// Allocating from the pool. References to the inputs are given up.
    virtual Outputs warmUp(FunctionId function, std::span<const TreeValue> inputs) = 0;
    /// Before a recording: allocates copies in the pool for the inputs that have no fixed address, fills them
    /// and gives up the originals. Their addresses, in order.
    virtual Result<std::vector<Address>> copyInputs(std::span<const TreeValue> inputs,
                                                    std::span<const std::size_t> copied) = 0;
    /// Records the function, replays it once, and keeps the allocator's state after it under `node`.
    virtual Outputs record(NodeId node, FunctionId function, std::span<const TreeValue> inputs) = 0;
    /// Copies inputs into their places and replays. Outputs are as recorded: TreeNode::outputs says which lie
    /// in storages of others.
    virtual Outputs replay(const TreeNode& node, std::span<const TreeValue> inputs) = 0;

    /// Whether anything refers to the storage besides the backend's own caches.
    [[nodiscard]] virtual bool isAlive(StorageId storage) const = 0;
    /// Whether the last call, by what it kept for itself, wrote into the memory of a storage that lives: copies of inputs
    /// and intermediates may lie where an output of an earlier generation still does. False where nothing tells.
    [[nodiscard]] virtual bool wroteOver(StorageId /*storage*/) const { return false; }
    /// Gives up what the running call holds by these of its inputs; others may be of the same storage.
    virtual void releaseInputs(std::span<const TreeValue> inputs, std::span<const std::size_t> released) = 0;
    /// Tensors kept from replay to replay would keep memory from being reused.
    virtual void dropCachedOutputs(NodeId node) = 0;
    /// Sets the pool to its state after `node` was recorded; `live` storages own their memory from now on,
    /// and `freed` addresses are given back.
    virtual Result<void> restore(NodeId node, std::span<const StorageId> live,
                                 std::span<const Address> freed) = 0;
    /// Frees the storage's memory; whoever reads it gets the message as an error.
    virtual void invalidate(StorageId storage, const std::string& message) = 0;
    /// Addresses that are allocated in the pool, sorted.
    [[nodiscard]] virtual std::vector<Address> allocated() const = 0;
};

} // namespace dynascope::replay
