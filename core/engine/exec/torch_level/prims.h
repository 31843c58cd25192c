// SPDX-License-Identifier: BSD-3-Clause
//
// torch.ops.prims: operators that PyTorch implements in Python only, as Inductor's graphs use them.
#pragma once

#include "core/engine/exec/torch_level/call.h"

#include <optional>
#include <string_view>

namespace dynascope::engine::torch_level {

/// The function of torch.ops.prims.NAME; nothing for others.
[[nodiscard]] std::optional<Function> primsFunction(std::string_view name);

} // namespace dynascope::engine::torch_level
