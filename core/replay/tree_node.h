// SPDX-License-Identifier: BSD-3-Clause
//
// A node of a tree of CUDA graphs: one warm-up or one recording of a function, and what must hold for the
// recording to be replayed (SPEC section 13.3).
#pragma once

#include "core/replay/tree_state.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dynascope::replay {

/// Where an output lies.
enum class OutputClass : std::uint8_t {
    NoTensor,
    Persistent,    ///< in a parameter, a buffer or no memory at all: nobody's to free
    Foreign,       ///< of a warm-up, in memory that is not the pool's: an input's, or the CPU's
    AliasesPath,   ///< in a live output of an earlier node of the path
    AliasesOutput, ///< in an earlier output of this node
    New,
};
[[nodiscard]] std::string_view outputClassName(OutputClass outputClass);

struct TreeOutput {
    OutputClass outputClass = OutputClass::New;
    OutputAt alias;                      ///< of AliasesPath and AliasesOutput
    Address storageAddress = 0;          ///< as recorded
    StorageId storage = StorageId::None; ///< the object whose life counts now; None where not tracked
    /// No other output ever lay in it, so that replays may return one and the same tensor.
    bool cached = false;

    [[nodiscard]] bool tracked() const { return storage != StorageId::None; }
};

struct TreeNode {
    NodeId id = noNode;
    NodeId parent = noNode;
    FunctionId function = 0;
    std::size_t depth = 0;        ///< of its path: 0 for a root
    std::size_t step = 0;         ///< that made it
    std::vector<NodeId> children; ///< recordings, in the order they were made

    std::vector<TreeOutput> outputs;
    /// Of the path up to and with this node, alive right after it ran; of a recording only.
    std::vector<OutputAt> liveAfter;

    // Of a recording.
    std::vector<std::size_t> managed;             ///< inputs that are outputs of the path
    std::vector<std::size_t> fixed;               ///< managed and static inputs
    std::vector<std::size_t> copied;              ///< tensors among the others
    std::vector<Address> addresses;               ///< by input, as recorded
    std::vector<std::optional<OutputAt>> aliases; ///< by input: the live output of the path it lies in
    std::vector<bool> preserved;      ///< by input: alive through the call, since an output lies in it
    std::vector<OutputAt> deadBefore; ///< outputs of the path that must be dead before a replay
    std::vector<OutputAt> deadAfter;  ///< and those that must be dead once the inputs are given up

    [[nodiscard]] bool isWarmup() const { return id < 0; }
};

/// In the order in which PyTorch asks.
enum class InvariantStatus : std::uint8_t {
    Success,
    ManagedAddressChanged,
    ExpectedDeadIsAlive,
    StaticAddressChanged,
    InputOutlivesRecording, ///< an error, not a reason to record again
};
/// PyTorch's words: "cudagraph managed tensor data pointer changed".
[[nodiscard]] std::string_view invariantStatusText(InvariantStatus status);

struct MovedInput {
    std::size_t input = 0;
    std::string name; ///< empty where not known
    Address recorded = 0, now = 0;
    friend bool operator==(const MovedInput&, const MovedInput&) = default;
};

/// One recording that was asked whether it can be replayed.
struct InvariantCheck {
    NodeId node = noNode;
    InvariantStatus status = InvariantStatus::Success;
    std::vector<MovedInput> moved; ///< of a changed address
    std::vector<OutputAt> alive;   ///< outputs that should be dead
    std::string message;           ///< PyTorch's, empty on success
};

/// PyTorch's message about inputs at other addresses, one line each.
[[nodiscard]] std::string movedInputsMessage(InvariantStatus status, const TreeFunction& function,
                                             const std::vector<MovedInput>& moved);

/// The error for whoever reads an output whose memory has been overwritten.
[[nodiscard]] std::string overwrittenMessage(const std::string& outputStack, bool gradient);

} // namespace dynascope::replay
