// SPDX-License-Identifier: BSD-3-Clause
//
// x[i] and x[i] = v with Python's semantics: integers, slices, None, Ellipsis, booleans and tensors, alone or
// in tuples. The views and copies follow those of Tensor.__getitem__ and __setitem__ op for op.
#pragma once

#include "core/engine/exec/torch_level/value.h"

#include <vector>

namespace dynascope::engine::torch_level {

/// For each dimension of a tensor whether PyTorch knows no upper bound of its length. It then keeps a slice
/// x[:, 0] of the whole dimension, which it leaves out otherwise. Empty: none is open.
using OpenSizes = std::vector<bool>;

/// Of a tensor, a sequence or a dict.
[[nodiscard]] Value getItem(const Value& container, const Value& index, const OpenSizes& open = {});
/// Of a tensor.
void setItem(const Value& container, const Value& index, const Value& value, const OpenSizes& open = {});

} // namespace dynascope::engine::torch_level
