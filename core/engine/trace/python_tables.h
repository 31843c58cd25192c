// SPDX-License-Identifier: BSD-3-Clause
//
// What kernels that PyTorch has in Python make, told in the calls that they make, in their order, so that a
// trace through here gives the same graph. Each row is named as its operator, overload included. Internal to
// PythonKernels.
#pragma once

#include "core/engine/exec/torch_level/overloads.h"

#include <c10/core/ScalarType.h>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace dynascope::engine::python_side {

using torch_level::Arguments;
using torch_level::aten;
using torch_level::Entry;
using torch_level::Value;

// The tables.
[[nodiscard]] std::span<const Entry> upsampleKernels();
[[nodiscard]] std::span<const Entry> recurrentKernels();
[[nodiscard]] std::span<const Entry> lossKernels();
[[nodiscard]] std::span<const Entry> spectralKernels();

// Arithmetic as Python's operators do it: at least one side is a tensor, a number stays a number.
[[nodiscard]] inline Value operator+(const Value& a, const Value& b) {
    return a.isTensor() ? aten("add", {a, b}) : aten("add", {b, a});
}
[[nodiscard]] inline Value operator-(const Value& a, const Value& b) {
    return a.isTensor() ? aten("sub", {a, b}) : aten("rsub", {b, a});
}
[[nodiscard]] inline Value operator*(const Value& a, const Value& b) {
    return a.isTensor() ? aten("mul", {a, b}) : aten("mul", {b, a});
}
[[nodiscard]] inline Value operator/(const Value& tensor, const Value& by) {
    return aten("div", {tensor, by});
}

[[nodiscard]] inline Value converted(const Value& tensor, c10::ScalarType dtype) {
    return aten("to", {tensor, dtype});
}
/// torch.arange(count, device=...), with a dtype where one is given.
[[nodiscard]] inline Value counted(std::int64_t count, const Value& like, const Value& dtype = {}) {
    std::vector<std::pair<std::string, Value>> options;
    if (!dtype.isNone()) options.emplace_back("dtype", dtype);
    options.emplace_back("device", like.tensor().device());
    return aten("arange", {count}, std::move(options));
}
/// Item `i` of a sequence.
[[nodiscard]] inline const Value& item(const Value& sequence, std::size_t i) {
    return sequence.items().at(i);
}

} // namespace dynascope::engine::python_side
