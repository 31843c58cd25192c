// SPDX-License-Identifier: BSD-3-Clause
//
// Functions of torch's packages that Dynamo leaves whole though they are Python, told in the calls that
// PyTorch 2.13 makes, in their order, so that a trace through here gives the same graph.
#pragma once

#include "core/engine/exec/torch_level/call.h"

#include <span>

namespace dynascope::engine::torch_level {

[[nodiscard]] std::span<const Entry> maskedFunctions();  ///< torch.masked._ops, of strided tensors
[[nodiscard]] std::span<const Entry> windowFunctions();  ///< torch.signal.windows.windows
[[nodiscard]] std::span<const Entry> lowRankFunctions(); ///< torch._lowrank

} // namespace dynascope::engine::torch_level
