// SPDX-License-Identifier: BSD-3-Clause
//
// Memory that several recordings share, and graphs that are recorded into it: what a tree of CUDA graphs asks
// of a device. Its allocator can be set back to what it was after a recording, so that the next one on
// another path allocates as if only that one had run.
#pragma once

#include "core/base/result.h"
#include "core/engine/exec/interpreter.h"
#include "core/replay/tree_log.h"

#include <memory>
#include <span>
#include <tl/expected.hpp>
#include <vector>

namespace dynascope::engine {

/// A graph that was recorded into a pool. It reads its inputs, and writes its results, where they lay then.
class PoolGraph {
public:
    PoolGraph() = default;
    PoolGraph(const PoolGraph&) = delete;
    PoolGraph& operator=(const PoolGraph&) = delete;
    virtual ~PoolGraph() = default;
    /// Waits for its end.
    [[nodiscard]] virtual tl::expected<void, RunError> replay(const TaskContext& task) = 0;
    /// Blocks that each run of it takes; none where the pool does not tell.
    [[nodiscard]] virtual std::vector<replay::PoolBlock> taken() const { return {}; }
};

struct PoolRecording {
    std::unique_ptr<PoolGraph> graph;
    /// Of one run; what lies in the pool and in no input owns its memory there.
    std::vector<c10::IValue> results;
};

/// A pool's allocator at one moment.
class PoolCheckpoint {
public:
    PoolCheckpoint() = default;
    PoolCheckpoint(const PoolCheckpoint&) = delete;
    PoolCheckpoint& operator=(const PoolCheckpoint&) = delete;
    virtual ~PoolCheckpoint() = default;
};

/// Belongs to the thread that owns all torch state. Tensors may outlive it.
class GraphPool {
public:
    using Address = replay::Address;
    using Results = tl::expected<std::vector<c10::IValue>, RunError>;

    GraphPool() = default;
    GraphPool(const GraphPool&) = delete;
    GraphPool& operator=(const GraphPool&) = delete;
    virtual ~GraphPool() = default;

    [[nodiscard]] virtual std::string_view name() const = 0; ///< of the backend: "cpu"
    [[nodiscard]] virtual c10::Device device() const = 0;
    /// Why the program cannot run here; nothing where it can be tried.
    [[nodiscard]] virtual std::optional<RunError> refusal(const Program& /*program*/) const {
        return std::nullopt;
    }
    /// The program as it runs on the device.
    [[nodiscard]] virtual std::shared_ptr<const Program>
    programFor(std::shared_ptr<const Program> program) const = 0;
    /// Outside of the pool, as without any of this.
    [[nodiscard]] virtual Results runEagerly(const Program& program, const std::vector<c10::IValue>& inputs,
                                             const Attributes& attributes, const TaskContext& task) = 0;
    /// With all memory from the pool, on the stream that recordings are made on.
    [[nodiscard]] virtual Results warmUp(const Program& program, const std::vector<c10::IValue>& inputs,
                                         const Attributes& attributes, const TaskContext& task) = 0;
    /// Blocks that the last warm-up took; none where the pool does not tell.
    [[nodiscard]] virtual std::vector<replay::PoolBlock> takenByWarmUp() const { return {}; }
    /// Room in the pool for that many bytes.
    [[nodiscard]] virtual c10::Storage allocate(std::uint64_t bytes) = 0;
    /// Runs the program once. `inputs` are used in place at every replay and own nothing.
    [[nodiscard]] virtual tl::expected<PoolRecording, RunError> record(std::shared_ptr<const Program> program,
                                                                       std::vector<c10::IValue> inputs,
                                                                       Attributes attributes,
                                                                       const TaskContext& task) = 0;

    [[nodiscard]] virtual std::shared_ptr<const PoolCheckpoint> checkpoint() = 0;
    /// Sets the allocator back, gives the storages `live`, which lie in it, their memory to own, and the
    /// blocks at `freed` back. Fails where memory of the pool is in use that none of these is.
    [[nodiscard]] virtual Result<void> restore(const PoolCheckpoint& checkpoint,
                                               std::span<c10::StorageImpl* const> live,
                                               std::span<const Address> freed) = 0;
    /// Where blocks are allocated, sorted.
    [[nodiscard]] virtual std::vector<Address> allocated() = 0;
    /// The same with their sizes, where the pool knows them.
    [[nodiscard]] virtual std::vector<replay::PoolBlock> blocks() {
        std::vector<replay::PoolBlock> out;
        for (const Address address : allocated())
            out.push_back({address, 0});
        return out;
    }
    [[nodiscard]] virtual std::uint64_t reservedBytes() = 0; ///< of the device's memory
};

/// Address replay in one range of memory: a replay hands out what the recording was given, op by op. An op
/// that asks for anything else then, since its result depends on values, fails the replay.
[[nodiscard]] std::unique_ptr<GraphPool> makeCpuPool();

} // namespace dynascope::engine
