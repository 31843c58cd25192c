// SPDX-License-Identifier: BSD-3-Clause
//
// torch.autograd.graph.saved_tensors_hooks, inlined into forward and backward: each saved tensor goes through
// the pack hook at the end of forward, and through the unpack hook at the start of backward. Follows
// maybe_inline_graph_saved_tensors_hooks of torch/_functorch/_aot_autograd/graph_compile.py.
#pragma once

#include "core/base/result.h"
#include "core/ir/graph.h"

#include <functional>
#include <string>
#include <vector>

namespace dynascope::passes::hooks {

/// Which saved tensors are packed (saved_tensors_hooks_filtering_mode).
enum class Filter {
    Donated,  ///< those that nobody but backward holds: packing them frees memory
    NoStatic, ///< all but parameters and buffers
    All,
};

struct Request {
    /// Its outputs are those of the function, then the saved tensors, then saved symbols
    ir::GraphPtr forward;
    ir::GraphPtr backward; ///< saved symbols, saved tensors, tangents; each saved value has one name in both
    std::size_t functionOutputs = 0; ///< num_inner_fwd_outputs
    Filter filter = Filter::Donated;
    std::vector<std::size_t> staticInputs; ///< positions among forward's placeholders
};

/// A hook traced on the saved value of that name: a graph of operators with one placeholder for each leaf
/// that it takes. Called once for each packed value, pack before unpack.
using Trace = std::function<Result<ir::GraphPtr>(const std::string& saved)>;

/// What became of one saved tensor.
struct Packed {
    std::string saved;
    std::vector<std::string> values; ///< outputs of forward and inputs of backward that stand for it
    std::vector<std::string> packing, unpacking; ///< nodes of the hooks in forward and in backward
    std::string unpacked;                        ///< what backward reads in its place
};

struct Hooked {
    ir::GraphPtr forward, backward;
    /// In the order of the saved tensors; those that the filter left out are not here
    std::vector<Packed> packed;
};

/// How many of forward's outputs are the function's: those behind them are what backward takes.
[[nodiscard]] Result<std::size_t> functionOutputsOf(const ir::Graph& forward, const ir::Graph& backward);

/// Shares the nodes that it leaves alone. Linear but for the sorting of names.
[[nodiscard]] Result<Hooked> inlineHooks(const Request& request, const Trace& pack, const Trace& unpack);

/// The unpack hook of a pack hook that returns a tuple of `count` leaves: one placeholder for each instead of
/// one that is read by getitem. The graph itself where `count` is 1 and nothing reads it so.
[[nodiscard]] Result<ir::GraphPtr> withTupleTakenApart(const ir::GraphPtr& unpack, std::size_t count);

/// Leaves of a graph's result, in reading order; None is no leaf.
[[nodiscard]] std::vector<ir::Argument> resultLeaves(const ir::Graph& graph);
[[nodiscard]] std::vector<std::string> placeholderNames(const ir::Graph& graph);

} // namespace dynascope::passes::hooks
