// SPDX-License-Identifier: BSD-3-Clause
//
// What torch._numpy does with arguments and results of every function: arrays of whatever looks like one,
// NumPy's names and promotion of dtypes, axes, and the `out` argument. Arrays are tensors here.
#pragma once

#include "core/engine/exec/torch_level/call.h"

#include <c10/core/ScalarType.h>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dynascope::engine::torch_level::numpy {

using Dims = std::vector<std::int64_t>;
using Keywords = std::vector<std::pair<std::string, Value>>;

/// torch.NAME(...), as Python calls it. Throws c10::Error.
[[nodiscard]] Value torchCall(std::string_view name, std::vector<Value> args, Keywords kwargs = {});
/// x.NAME(...) of a tensor.
[[nodiscard]] Value method(std::string_view name, std::vector<Value> args, Keywords kwargs = {});

/// Of a torch.dtype or of a name such as "float32"; none of None. Throws c10::Error for any other name.
[[nodiscard]] std::optional<c10::ScalarType> dtypeOf(const Value& dtype);
/// What NumPy makes of two dtypes, which is not what PyTorch does: int64 and float32 give float64.
[[nodiscard]] c10::ScalarType promoted(c10::ScalarType a, c10::ScalarType b);
[[nodiscard]] c10::ScalarType resultType(std::span<const Value> tensors);
/// Of a Python number: bool, int64, float64 or complex128.
[[nodiscard]] c10::ScalarType dtypeOfNumber(const Value& number);
[[nodiscard]] inline c10::ScalarType dtypeOfTensor(const Value& tensor) {
    return tensor.tensor().scalar_type();
}
[[nodiscard]] inline bool isInexact(c10::ScalarType dtype) {
    return c10::isFloatingType(dtype) || c10::isComplexType(dtype);
}

/// The tensor of an array, a number or nested lists of numbers. Floats are double, as in NumPy.
[[nodiscard]] Value array(const Value& value);
/// The same, but numbers and None stay what they are.
[[nodiscard]] Value arrayOrNumber(const Value& value);
[[nodiscard]] std::vector<Value> arrays(const Value& sequence);
/// tensor.to(dtype) where it has another one.
[[nodiscard]] Value cast(const Value& tensor, std::optional<c10::ScalarType> dtype);
/// All of the dtype that NumPy promotes them to, or of the one that is asked for.
[[nodiscard]] std::vector<Value> castTogether(std::vector<Value> tensors, const Value& dtype = {});

/// Axes from 0 on, none twice; of a number or a sequence. Throws c10::Error where there is no such axis.
[[nodiscard]] Dims axesOf(const Value& axis, std::int64_t rank);
[[nodiscard]] std::int64_t axisOf(std::int64_t axis, std::int64_t rank);
/// A tensor and its axis, flattened where the axis is None.
[[nodiscard]] std::pair<Value, std::int64_t> alongAxis(const Value& tensor, const Value& axis);
/// The shape with axes of length 1 added.
[[nodiscard]] Dims expandedShape(at::IntArrayRef shape, const Value& axis);

/// Copies a result into `out` and gives that, where there is one.
[[nodiscard]] Value copiedTo(const Value& out, const Value& result);

} // namespace dynascope::engine::torch_level::numpy
