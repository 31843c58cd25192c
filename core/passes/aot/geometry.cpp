// SPDX-License-Identifier: BSD-3-Clause
#include "core/passes/aot/geometry.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace dynascope::passes::aot {

namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

std::int64_t product(std::int64_t a, std::int64_t b) {
    std::int64_t out = 0;
    return __builtin_mul_overflow(a, b, &out) ? most : out;
}

std::int64_t sum(std::int64_t a, std::int64_t b) {
    std::int64_t out = 0;
    return __builtin_add_overflow(a, b, &out) ? most : out;
}

/// Both are matrices with dense rows at the same distance: `ahead` lies `distance` elements behind `first`.
bool rowsDisjoint(const TensorGeometry& first, const TensorGeometry& ahead, std::int64_t distance) {
    const std::int64_t step = first.strides[0];
    if (step <= 0 || distance < first.sizes[1]) return false;
    if (sum(product(step, first.sizes[0] - 1), first.sizes[1]) <= distance) return true;
    return sum(distance % step, ahead.sizes[1]) <= step;
}

bool denseRows(const TensorGeometry& tensor) {
    return tensor.sizes.size() == 2 && tensor.strides[1] == 1;
}

} // namespace

TensorGeometry TensorGeometry::contiguous(std::vector<std::int64_t> sizes) {
    std::vector<std::int64_t> strides(sizes.size(), 1);
    for (std::size_t i = sizes.size(); i-- > 1;)
        strides[i - 1] = product(strides[i], sizes[i]);
    return {std::move(sizes), std::move(strides), 0};
}

std::int64_t TensorGeometry::numel() const {
    return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, product);
}

bool TensorGeometry::isContiguous() const {
    std::int64_t expected = 1;
    for (std::size_t i = sizes.size(); i-- > 0;) {
        if (sizes[i] == 1) continue;
        if (strides[i] != expected) return false;
        expected = product(expected, sizes[i]);
    }
    return true;
}

std::int64_t TensorGeometry::end() const {
    if (numel() == 0) return offset;
    std::int64_t last = offset;
    for (std::size_t i = 0; i < sizes.size(); ++i)
        last = sum(last, product(sizes[i] - 1, strides[i]));
    return sum(last, 1);
}

bool definitelyDisjoint(const TensorGeometry& a, const TensorGeometry& b) {
    if (a.numel() == 0 || b.numel() == 0) return true;
    const TensorGeometry& first = a.offset <= b.offset ? a : b;
    const TensorGeometry& ahead = a.offset <= b.offset ? b : a;
    if (first.end() <= ahead.offset) return true;
    if (first.isContiguous() && ahead.isContiguous()) return false;
    return denseRows(first) && denseRows(ahead) && first.strides[0] == ahead.strides[0] &&
           rowsDisjoint(first, ahead, ahead.offset - first.offset);
}

std::vector<std::size_t> overlapping(std::span<const TensorGeometry> tensors) {
    std::vector<std::size_t> order(tensors.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return tensors[a].offset < tensors[b].offset; });
    std::vector<bool> found(tensors.size(), false);
    for (std::size_t i = 0; i < order.size(); ++i) {
        const std::int64_t end = tensors[order[i]].end();
        // Whoever starts behind the end is disjoint, and so is everybody after it.
        for (std::size_t j = i + 1; j < order.size() && tensors[order[j]].offset < end; ++j) {
            if (found[order[i]] && found[order[j]]) continue;
            if (!definitelyDisjoint(tensors[order[i]], tensors[order[j]]))
                found[order[i]] = found[order[j]] = true;
        }
    }
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < tensors.size(); ++i)
        if (found[i]) out.push_back(i);
    return out;
}

} // namespace dynascope::passes::aot
