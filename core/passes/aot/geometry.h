// SPDX-License-Identifier: BSD-3-Clause
//
// Where the elements of a tensor lie in its storage, and whether two tensors of one storage can be told to
// share no element. Follows tensors_definitely_do_not_overlap of torch/csrc/dynamo/guards.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dynascope::passes::aot {

/// All counts are elements, not bytes. Sums beyond 64 bits stop at the largest number.
struct TensorGeometry {
    std::vector<std::int64_t> sizes;
    std::vector<std::int64_t> strides; ///< as many as sizes
    std::int64_t offset = 0;

    /// Row-major and dense, from the start of the storage.
    [[nodiscard]] static TensorGeometry contiguous(std::vector<std::int64_t> sizes);

    [[nodiscard]] std::int64_t numel() const;
    /// Row-major without gaps; strides of dimensions of size 1 do not count.
    [[nodiscard]] bool isContiguous() const;
    /// One past the last element's place; the offset for a tensor without elements.
    [[nodiscard]] std::int64_t end() const;

    friend bool operator==(const TensorGeometry&, const TensorGeometry&) = default;
};

/// True where the two share no element for sure. False may be a guess: interleaved strides are not told
/// apart.
[[nodiscard]] bool definitelyDisjoint(const TensorGeometry& a, const TensorGeometry& b);

/// Ascending positions of the tensors of one storage that may share an element with another one of the list.
[[nodiscard]] std::vector<std::size_t> overlapping(std::span<const TensorGeometry> tensors);

} // namespace dynascope::passes::aot
