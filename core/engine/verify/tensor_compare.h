// SPDX-License-Identifier: BSD-3-Clause
//
// Whether two values of two runs are the same.
#pragma once

#include "core/engine/wire/verify.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dynascope::engine {

/// How far two tensors of one shape are apart. NaN equals NaN.
struct Distance {
    bool same = true;
    double maxAbsolute = 0, maxRelative = 0; ///< over cells that are numbers in both
    /// Whether no cell is further off than the tolerance times the largest magnitude of `expected`: rounding
    /// in sums with large terms explains that much.
    bool close = true;
    /// Whether they are the same only because the tolerance is absolute below 1: off by more than it, times
    /// the largest magnitude.
    bool small = false;
    bool finite = true;                           ///< whether wherever they differ both have numbers
    double largest = 0;                           ///< magnitude of `expected`
    std::vector<std::int64_t> cell;               ///< the first that differs
    std::optional<wire::Number> expected, actual; ///< its content; nothing where all are the same
};

/// Tensors of the same shape on the CPU. Numbers are the same within 1e-5, absolute below 1 and relative
/// above; 1e-3 and 1e-2 in 16 bits; or within `tolerance`.
[[nodiscard]] Distance distance(const at::Tensor& expected, const at::Tensor& actual,
                                std::optional<double> tolerance = std::nullopt);

/// Content of one cell.
[[nodiscard]] wire::Number cellOf(const at::Tensor& tensor, std::int64_t position);

/// Tensors and numbers within a value (a tensor, a number, lists and tuples of them), in reading order.
[[nodiscard]] std::vector<c10::IValue> leavesOf(const c10::IValue& value);

/// Why two values are not the same, in one line that names the first difference; nothing if they are.
struct ValueDifference {
    std::string text;
    std::vector<std::int64_t> cell;
    wire::Found expected, actual;
};
[[nodiscard]] std::optional<ValueDifference> valueDifference(const c10::IValue& expected,
                                                             const c10::IValue& actual,
                                                             std::optional<double> tolerance = std::nullopt);

} // namespace dynascope::engine
