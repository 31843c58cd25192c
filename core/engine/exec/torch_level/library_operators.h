// SPDX-License-Identifier: BSD-3-Clause
//
// Operators that libraries define in Python and whose meaning is public. They are registered with PyTorch's
// dispatcher as their libraries register them, with kernels and gradients in C++.
#pragma once

#include "core/engine/exec/torch_level/call.h"

#include <optional>
#include <string_view>

namespace dynascope::engine::torch_level {

/// Whether "transformers", "grouped_mm_fallback" is one of them; then the dispatcher has it from now on.
[[nodiscard]] bool isLibraryOperator(std::string_view space, std::string_view name);
/// The call of "transformers.grouped_mm_fallback", the overload left out. Nothing for other names.
[[nodiscard]] std::optional<Function> libraryFunction(std::string_view name);

} // namespace dynascope::engine::torch_level
