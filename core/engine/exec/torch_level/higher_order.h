// SPDX-License-Identifier: BSD-3-Clause
//
// Higher-order operators whose graphs are in the capture: torch.ops.higher_order.cond and its kin.
#pragma once

#include "core/engine/exec/torch_level/call.h"

#include <optional>
#include <string_view>

namespace dynascope::engine::torch_level {

/// The function of torch.ops.higher_order.NAME; nothing for others.
[[nodiscard]] std::optional<Function> higherOrderFunction(std::string_view name);

/// Runs a graph that was passed as an argument; gives its result as it is structured. Throws c10::Error,
/// with the graph's failing node named.
[[nodiscard]] Value runGraph(const Value& graph, const std::vector<Value>& inputs, const Context* context);

/// The items of a sequence; any other value is the only one.
[[nodiscard]] std::vector<Value> itemsOf(const Value& value);
[[nodiscard]] std::vector<Value> joined(std::vector<Value> a, const std::vector<Value>& b);

/// Takes over operators that a trace keeps whole: cond, while_loop, map_impl, scan, associative_scan,
/// invoke_subgraph, flex_attention.
class GraphKeeper {
public:
    GraphKeeper() = default;
    GraphKeeper(const GraphKeeper&) = delete;
    GraphKeeper& operator=(const GraphKeeper&) = delete;
    virtual ~GraphKeeper() = default;
    /// `op` is the operator's row, which runs it.
    [[nodiscard]] virtual Value keep(const Entry& op, const Arguments& a) const = 0;
};

/// Makes a keeper current on this thread, or none.
class GraphKeeperGuard {
public:
    explicit GraphKeeperGuard(const GraphKeeper* keeper);
    GraphKeeperGuard(const GraphKeeperGuard&) = delete;
    GraphKeeperGuard& operator=(const GraphKeeperGuard&) = delete;
    ~GraphKeeperGuard();

private:
    const GraphKeeper* m_outer;
};

/// A custom autograd.Function, (fwd, bwd, *args, **options): the forward graph gives (outputs, saved values),
/// the backward graph turns the outputs' gradients and the saved values into the inputs' gradients.
[[nodiscard]] Value applyAutogradFunction(const Arguments& a);

/// (query, key, value, score_mod, block_mask, scale, kernel_options, score_mod_other_buffers,
/// mask_mod_other_buffers) -> (output, log-sum-exp to the base 2, highest scores to the base 2).
[[nodiscard]] Value flexAttention(const Arguments& a);

} // namespace dynascope::engine::torch_level
