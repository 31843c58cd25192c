// SPDX-License-Identifier: BSD-3-Clause
//
// Operators whose kernels believe what they are told: indices that point into another tensor, sizes that
// belong together, enumerations. In PyTorch only its own code calls them; in a stranger's graph they would
// read and write foreign memory. Each family has one check of the arguments, which comes before the call.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <string>
#include <vector>

namespace dynascope::engine {

/// Throws (IndexError or RuntimeError in PyTorch's words) where the kernel would leave the memory of its
/// arguments. `arguments` are those of the schema, in order. Tensors without data (meta) pass.
using ArgumentCheck = void (*)(const c10::FunctionSchema& schema, const c10::IValue* arguments);

/// By name, for every overload; null for operators that check for themselves.
[[nodiscard]] ArgumentCheck argumentCheck(const c10::OperatorHandle& op);

/// callBoxed() after the check, if there is one.
void callChecked(const c10::OperatorHandle& op, torch::jit::Stack& stack);

/// The operators with a check, by name without namespace, sorted: for the tests that hold the table against
/// the schemas.
[[nodiscard]] std::vector<std::string> checkedOperators();

} // namespace dynascope::engine
