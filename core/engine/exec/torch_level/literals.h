// SPDX-License-Identifier: BSD-3-Clause
//
// Tensors from numbers and nested lists, as torch.tensor makes them.
#pragma once

#include "core/engine/exec/torch_level/value.h"

#include <ATen/core/Tensor.h>
#include <optional>

namespace dynascope::engine::torch_level {

/// torch.tensor(data, dtype=dtype): a constant, lifted so that a tracer sees it come in. Tensors among the
/// data give their one value. Throws c10::Error for ragged lists.
[[nodiscard]] at::Tensor tensorFrom(const Value& data, std::optional<c10::ScalarType> dtype);

} // namespace dynascope::engine::torch_level
