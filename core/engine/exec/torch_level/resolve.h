// SPDX-License-Identifier: BSD-3-Clause
//
// Finds what a torch-level target does.
#pragma once

#include "core/engine/exec/torch_level/call.h"
#include "core/engine/sandbox/allow_list.h"

#include <string_view>

namespace dynascope::engine::torch_level {

struct Found {
    Function function;       ///< empty where there is none
    OperatorVerdict verdict; ///< why not
};

/// Of a call_function: "torch.nn.functional.relu", "operator.iadd", "torch.ops.higher_order.cond", ...
[[nodiscard]] Found findFunction(std::string_view target);
/// Of a call_method: the name alone.
[[nodiscard]] Found findMethod(std::string_view name);
/// Of with_effects(token, OPERATOR, arguments...), which is then called without the operator: gives a new
/// token and what the operator gives. `op` is as a graph spells it:
/// "torch.ops.aten._linalg_check_errors.default".
[[nodiscard]] Found findEffect(std::string_view op);

} // namespace dynascope::engine::torch_level
