// SPDX-License-Identifier: BSD-3-Clause
//
// Functions of the torch namespace that are Python, or whose arguments Python changes on the way to ATen.
#pragma once

#include "core/engine/exec/torch_level/call.h"

#include <optional>
#include <string_view>

namespace dynascope::engine::torch_level {

/// The function of torch.NAME ("tensor", "functional.norm"); nothing for others.
[[nodiscard]] std::optional<Function> torchFunction(std::string_view name);

// Shared with Tensor's methods: arguments by the names of the signatures there.
[[nodiscard]] Value norm(const Arguments& a);
[[nodiscard]] Value nonzero(const Arguments& a);
[[nodiscard]] Value unique(const Arguments& a);
[[nodiscard]] Value uniqueConsecutive(const Arguments& a);
/// The tensor with requires_grad set where `flag` is True.
[[nodiscard]] Value requiringGrad(at::Tensor tensor, const Value& flag);

} // namespace dynascope::engine::torch_level
