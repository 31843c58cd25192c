// SPDX-License-Identifier: BSD-3-Clause
//
// x[i] and x[i] = v with Python's semantics: integers, slices, None, Ellipsis, booleans and tensors, alone or
// in tuples. The views and copies follow those of Tensor.__getitem__ and __setitem__ op for op.
#pragma once

#include "core/engine/torch_level/value.h"

namespace dynascope::engine::torch_level {

/// Of a tensor, a sequence or a dict.
[[nodiscard]] Value getItem(const Value& container, const Value& index);
/// Of a tensor.
void setItem(const Value& container, const Value& index, const Value& value);

} // namespace dynascope::engine::torch_level
