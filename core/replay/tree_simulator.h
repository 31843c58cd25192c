// SPDX-License-Identifier: BSD-3-Clause
//
// A backend without a device: memory is numbers, liveness is counted references. And programs for it: calls,
// steps and dropped tensors, as the oracle's kind cudagraph_tree_trace describes them.
#pragma once

#include "core/replay/tree_manager.h"
#include "core/session/attachment.h"

#include <functional>
#include <memory>
#include <set>
#include <string_view>
#include <unordered_map>

namespace dynascope::replay {

struct SimulatedOutput {
    enum class Kind : std::uint8_t { New, Input, Output, Cpu, Number, None };
    Kind kind = Kind::New;
    std::size_t of = 0; ///< the input or the earlier output that it aliases
};
struct SimulatedFunction {
    TreeFunction function;
    std::vector<SimulatedOutput> outputs;
};

class TreeSimulator final : public TreeBackend {
public:
    /// Pool addresses count from `firstAddress`. Unless `reuse`, no address is ever given out twice; with it
    /// the lowest free one is.
    explicit TreeSimulator(Address firstAddress = 1000, bool reuse = false)
        : m_first(firstAddress)
        , m_reuse(reuse) {}

    void addFunction(std::vector<SimulatedOutput> outputs) { m_functions.push_back(std::move(outputs)); }
    /// A tensor of the program's own, outside of the pool. The same address is the same storage while it
    /// lives.
    [[nodiscard]] TreeValue ownTensor(Address address);
    [[nodiscard]] TreeValue freshTensor();
    /// The program keeps, or gives up, one reference.
    void hold(StorageId storage);
    void drop(StorageId storage);
    /// What a call holds while it runs.
    void beginCall(std::span<const TreeValue> inputs);
    void endCall();

    Outputs runEagerly(FunctionId function, std::span<const TreeValue> inputs) override;
    Outputs warmUp(FunctionId function, std::span<const TreeValue> inputs) override;
    Result<std::vector<Address>> copyInputs(std::span<const TreeValue> inputs,
                                            std::span<const std::size_t> copied) override;
    Outputs record(NodeId node, FunctionId function, std::span<const TreeValue> inputs) override;
    Outputs replay(const TreeNode& node, std::span<const TreeValue> inputs) override;
    [[nodiscard]] bool isAlive(StorageId storage) const override;
    void releaseInputs(std::span<const TreeValue> inputs, std::span<const std::size_t> released) override;
    void dropCachedOutputs(NodeId) override {} // every replay makes new tensors
    Result<void> restore(NodeId node, std::span<const StorageId> live,
                         std::span<const Address> freed) override;
    void invalidate(StorageId storage, const std::string& message) override;
    [[nodiscard]] std::vector<Address> allocated() const override;

private:
    struct Storage {
        Address address = 0;
        std::size_t references = 0;
        bool ownsPoolMemory = false; ///< its death gives the address back
    };
    TreeValue make(Address address, bool ownsPoolMemory);
    Address allocate();
    Outputs outputsOf(FunctionId function, std::span<const TreeValue> inputs, bool fromPool);

    Address m_first;
    bool m_reuse;
    Address m_nextPool = 0, m_nextCopy = 0, m_nextFresh = 0; ///< how many were given out
    std::vector<std::vector<SimulatedOutput>> m_functions;
    std::unordered_map<StorageId, Storage> m_storages;
    std::unordered_map<Address, StorageId> m_own;
    std::uint64_t m_nextStorage = 1;
    std::set<Address> m_allocated;
    std::unordered_map<NodeId, std::set<Address>> m_checkpoints;
    std::map<OutputAt, TreeValue> m_outputs;             ///< of recordings, as last returned
    std::unordered_map<std::size_t, TreeValue> m_copies; ///< of the recording under way, by input
    std::vector<StorageId> m_held;                       ///< by the call under way
};

struct TreeArgument {
    enum class Kind : std::uint8_t { Fresh, Parameter, Output, Number };
    Kind kind = Kind::Fresh;
    Address address = 0;              ///< of a parameter
    std::size_t call = 0, output = 0; ///< which output of which call
    bool lastReference = false;       ///< the program gives its own up with the call
};

struct TreeEvent {
    enum class Kind : std::uint8_t { Call, Drop, Invocation, UserMark, EagerBackward };
    Kind kind = Kind::Call;
    FunctionId function = 0;
    std::vector<TreeArgument> inputs;
    std::string stack;
    std::size_t call = 0;             ///< of Drop: calls count from 0
    std::vector<std::size_t> outputs; ///< of Drop
};

/// Makes the one step of `manager` that an event is. `call` has to make the call, `drop` gives up an output
/// of the call that the event names.
void carryOut(const TreeEvent& event, TreeManager& manager, const std::function<void()>& call,
              const std::function<void(std::size_t output)>& drop);

struct TreeProgram : session::Attachment {
    std::vector<SimulatedFunction> functions;
    std::vector<TreeEvent> events;
    TreeOptions options;
};

/// Reads a case of kind cudagraph_tree_trace. Besides its events takes "user_mark" and "eager_backward", a
/// call's "stack", and ["out", CALL, OUTPUT, "last"] for an argument that the program gives up with the call.
/// The error names what is missing or out of range.
[[nodiscard]] Result<TreeProgram> readTreeCase(std::string_view text);

/// A program under way. An output that was dropped, or never made, acts as a fresh tensor where it is used.
class TreeSimulation {
public:
    /// Where parameters lie at or above `firstAddress`, pool addresses count from behind them.
    explicit TreeSimulation(TreeProgram program, Address firstAddress = 1000, bool reuse = false);

    /// Carries out the next event. False at the end.
    bool next();
    void run();
    [[nodiscard]] const TreeProgram& program() const { return m_program; }
    /// One step for each event.
    [[nodiscard]] const TreeManager& manager() const { return m_manager; }

private:
    void call(const TreeEvent& event);
    void drop(std::size_t call, std::size_t output);
    [[nodiscard]] TreeValue valueOf(const TreeArgument& argument);

    struct Returned {
        std::vector<TreeValue> outputs;
        std::vector<bool> dropped;
    };
    TreeProgram m_program;
    TreeSimulator m_simulator;
    TreeManager m_manager;
    std::size_t m_next = 0;
    std::vector<Returned> m_calls;
};

} // namespace dynascope::replay
