// SPDX-License-Identifier: BSD-3-Clause
//
// Python's operator module, builtins and math, on tensors as well as numbers.
#pragma once

#include "core/engine/exec/torch_level/call.h"

#include <optional>
#include <string_view>

namespace dynascope::engine::torch_level {

/// The function of a target such as "operator.iadd", "builtins.max", "math.sqrt", "torch.sym_float"; nothing
/// where there is none.
[[nodiscard]] std::optional<Function> pythonFunction(std::string_view target);

/// A tensor's operator method: "__add__", "__radd__", "__iadd__", "__getitem__", ... Nothing for other names.
[[nodiscard]] std::optional<Function> operatorMethod(std::string_view name);

} // namespace dynascope::engine::torch_level
