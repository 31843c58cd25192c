// SPDX-License-Identifier: BSD-3-Clause
//
// NumPy in Dynamo's graphs. Dynamo wraps functions, methods, operators and attributes of torch._numpy, and a
// capture names them torch__dynamo_utils_wrapped_NAME, with a number behind where there are several. Each
// does what torch._numpy does, in PyTorch's functions.
#pragma once

#include "core/engine/exec/torch_level/call.h"

#include <optional>
#include <span>
#include <string_view>

namespace dynascope::engine::torch_level {

/// NAME of a wrapper, without the number; empty for other targets.
[[nodiscard]] std::string_view numpyName(std::string_view target);
/// Nothing for other targets, and for what is not known of NumPy.
[[nodiscard]] std::optional<Function> numpyFunction(std::string_view target);

namespace numpy {

// By name.
[[nodiscard]] std::optional<Function> ufunc(std::string_view name);
[[nodiscard]] std::span<const Entry> reductions();
[[nodiscard]] std::span<const Entry> creations();
[[nodiscard]] std::span<const Entry> shapes();
[[nodiscard]] std::span<const Entry> elements();
[[nodiscard]] std::span<const Entry> products();

} // namespace numpy

} // namespace dynascope::engine::torch_level
