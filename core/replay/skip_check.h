// SPDX-License-Identifier: BSD-3-Clause
//
// Whether a graph can be a CUDA graph: check_for_skip and get_device_index of
// torch/_dynamo/backends/cudagraphs.py (SPEC section 12), and all reasons where PyTorch names the first.
#pragma once

#include "core/replay/graph_facts.h"
#include "core/replay/input_mutations.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace dynascope::replay {

struct SkipOptions {
    std::size_t fixedInputs = 0;     ///< leading inputs whose addresses stay: parameters, or saved tensors
    bool allowInputMutation = false; ///< config.cudagraph_backend_support_input_mutation
    bool rocm = false;
};

/// One thing that keeps a graph from being a CUDA graph.
struct SkipReason {
    enum class Kind : unsigned char {
        MutatedInputs,
        CpuTensor,
        MultipleDevices, ///< also a single one that is no CUDA device
        NoDevice,        ///< no tensor of a known device
        ForbiddenOp,     ///< synchronizes, or allocates by its data
        BooleanIndex,    ///< index_put by a mask, which counts its true elements on the CPU
        SparseOutput,
        UnbackedSymbol,
    };
    Kind kind = Kind::MutatedInputs;
    std::vector<ir::NodeIndex> nodes; ///< inputs, tensors or ops, in graph order
    std::string message;              ///< PyTorch's words
};

struct SkipCheck {
    std::optional<std::string> message; ///< of the first reason; none: it can be a CUDA graph
    std::optional<RaisedError> error;   ///< what PyTorch raises instead
    std::vector<SkipReason> reasons;    ///< all, in PyTorch's order of asking
};
[[nodiscard]] SkipCheck checkForSkip(const ReplayGraphFacts& facts, const InputMutations& mutations,
                                     const SkipOptions& options = {});

/// Why PyTorch leaves this node out of a CUDA graph; nothing where it does not.
[[nodiscard]] std::optional<SkipReason::Kind> cannotBeRecorded(const ReplayGraphFacts& facts,
                                                               ir::NodeIndex node, bool rocm = false);

/// Number of the CUDA device that a graph runs on: that of its first tensor.
struct DeviceIndex {
    std::optional<int> index;         ///< none also for "cuda" without number
    std::optional<RaisedError> error; ///< what PyTorch raises: no tensor, or one elsewhere
};
[[nodiscard]] DeviceIndex deviceIndex(const ReplayGraphFacts& facts);

/// A device and the first node with a tensor there.
struct DeviceUse {
    std::string device;
    ir::NodeIndex node = ir::npos;
};
/// In graph order; "meta" included.
[[nodiscard]] std::vector<DeviceUse> devicesOf(const ReplayGraphFacts& facts);

} // namespace dynascope::replay
