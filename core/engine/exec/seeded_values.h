// SPDX-License-Identifier: BSD-3-Clause
//
// Elements made from a seed: the same on every machine and in every version.
#pragma once

#include <ATen/core/Tensor.h>
#include <cstdint>
#include <nlohmann/json.hpp>

namespace dynascope::engine {

/// More are refused.
inline constexpr std::int64_t maxSeededElements = 1 << 27;

/// {seed, low, high}: numbers in [low, high), [-1, 1) or [0, 4) where they are not given; one dimension.
[[nodiscard]] at::Tensor seededElements(const nlohmann::json& spec, at::ScalarType type, std::int64_t count);

/// {size, seed, low, high, diagonal, row, total}. With `diagonal` n they are matrices of n rows one behind
/// the other, and their diagonals have n more. With `row` n every n numbers are none negative and add up to
/// `total`; of bools so many are true. Throws c10::Error where it is too large or does not work out.
[[nodiscard]] at::Tensor seededStorage(const nlohmann::json& spec, at::ScalarType type);

} // namespace dynascope::engine
