// SPDX-License-Identifier: BSD-3-Clause
//
// One run of a program under observation: what every node allocates, and what its value looks like.
#pragma once

#include "core/engine/exec/interpreter.h"
#include "core/engine/replay/address_allocator.h"

#include <c10/core/Storage.h>
#include <functional>
#include <string>
#include <unordered_set>
#include <vector>

namespace dynascope::engine {

/// Where a tensor's memory comes from.
struct StorageRef {
    enum class Kind : std::uint8_t {
        None,     ///< no bytes
        Recorded, ///< `entry` of the log
        Given,    ///< of an input, a constant of the graph or of an operand: `storage`
        Unknown,  ///< neither: who made it is not known
    };
    Kind kind = Kind::Unknown;
    std::size_t entry = 0;
    std::uint64_t bytes = 0;
    c10::Storage storage;
};

/// A tensor within a node's value, without its memory.
struct TensorShell {
    using Object = c10::weak_intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>;
    at::Tensor tensor; ///< sizes, strides, flags; its storage is empty. Undefined for what has no plain one
    StorageRef memory;
    /// The earlier node whose value is this very object, or npos: what an in-place operator returns.
    ir::NodeIndex same = ir::npos;
    Object object;
};

struct NodeShape {
    c10::IValue value; ///< as the node's, with shells for tensors
    std::vector<TensorShell> tensors;
    bool plain = true; ///< tensors, and lists and tuples of them, nothing else; all with plain memory
    bool reshapedLater = false; ///< a later node changed its tensor's shape or storage in place
};

struct RunTrace {
    std::vector<AllocationLog::Entry> allocations;
    std::vector<NodeShape> nodes;       ///< one per instruction
    std::vector<std::uint32_t> holders; ///< nodes with memory that outlives the run and its result
    std::uint32_t events = 0;
};

/// Runs the program once with an AllocationLog.
[[nodiscard]] tl::expected<RunTrace, RunError> traceRun(const Program& program,
                                                        const std::vector<c10::IValue>& inputs,
                                                        const Attributes& attributes,
                                                        const TaskContext& task);

/// The value with every tensor replaced, in lists and tuples as well.
[[nodiscard]] c10::IValue mapTensors(const c10::IValue& value,
                                     const std::function<at::Tensor(const at::Tensor&)>& change);
void forEachTensor(const c10::IValue& value, const std::function<void(const at::Tensor&)>& visit);

/// Whether its memory is one block of the CPU that views address by offset and strides.
[[nodiscard]] bool hasPlainMemory(const at::Tensor& tensor);

} // namespace dynascope::engine
