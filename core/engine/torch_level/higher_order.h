// SPDX-License-Identifier: BSD-3-Clause
//
// Higher-order operators whose graphs are in the capture: torch.ops.higher_order.cond and its kin.
#pragma once

#include "core/engine/torch_level/call.h"

#include <optional>
#include <string_view>

namespace dynascope::engine::torch_level {

/// The function of torch.ops.higher_order.NAME; nothing for others.
[[nodiscard]] std::optional<Function> higherOrderFunction(std::string_view name);

/// Runs a graph that was passed as an argument; gives its result as it is structured. Throws c10::Error,
/// with the graph's failing node named.
[[nodiscard]] Value runGraph(const Value& graph, const std::vector<Value>& inputs, const Context* context);

/// A custom autograd.Function: the forward graph gives (outputs, saved values), the backward graph turns the
/// outputs' gradients and the saved values into the inputs' gradients.
[[nodiscard]] Value applyAutogradFunction(const Value& forward, const Value& backward,
                                          const std::vector<Value>& inputs, const Context* context);

/// (query, key, value, score_mod, block_mask, scale, kernel_options, score_mod_other_buffers,
/// mask_mod_other_buffers) -> (output, log-sum-exp to the base 2, highest scores to the base 2).
[[nodiscard]] Value flexAttention(const Arguments& a);

} // namespace dynascope::engine::torch_level
