// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/functionalize/overlapping_write.h"

#include <ATen/MemoryOverlap.h>
#include <algorithm>
#include <numeric>

namespace dynascope::engine {

namespace {

using at::Tensor;

constexpr std::int64_t maxElements = 1 << 16;
constexpr std::int64_t maxParts = 1 << 12;

/// Whether the dimensions reach some cell twice; true where they are too many to tell.
bool repeats(const Tensor& tensor, const std::vector<std::int64_t>& dimensions) {
    std::vector<std::int64_t> cells{0};
    for (const std::int64_t dimension : dimensions) {
        const std::size_t known = cells.size();
        if (tensor.size(dimension) > maxElements / static_cast<std::int64_t>(known)) return true;
        for (std::int64_t i = 1; i < tensor.size(dimension); ++i)
            for (std::size_t k = 0; k < known; ++k)
                cells.push_back(cells[k] + i * tensor.stride(dimension));
    }
    std::sort(cells.begin(), cells.end());
    return std::adjacent_find(cells.begin(), cells.end()) != cells.end();
}

/// As TensorIteratorBase::reorder_dimensions compares: positive where `a` belongs further out than `b`.
int compared(const std::vector<Tensor>& operands, std::int64_t a, std::int64_t b) {
    for (const Tensor& operand : operands) {
        if (operand.dim() == 0) continue;
        const std::int64_t strideA = operand.stride(a), strideB = operand.stride(b);
        if (strideA == 0 || strideB == 0) continue;
        if (strideA != strideB) return strideA < strideB ? -1 : 1;
        if (operand.size(a) > operand.size(b)) return 1;
    }
    return 0;
}

/// Dimensions from the innermost loop outwards.
std::vector<std::int64_t> loops(const std::vector<Tensor>& operands) {
    std::vector<std::int64_t> order(static_cast<std::size_t>(operands.front().dim()));
    std::iota(order.rbegin(), order.rend(), 0);
    for (std::size_t i = 1; i < order.size(); ++i) {
        for (std::size_t outer = i, inner = i; inner-- > 0;) {
            const int comparison = compared(operands, order[inner], order[outer]);
            if (comparison < 0) break;
            if (comparison == 0) continue;
            std::swap(order[inner], order[outer]);
            outer = inner;
        }
    }
    return order;
}

} // namespace

std::optional<std::size_t> writtenPointwise(const c10::OperatorHandle& op) {
    const auto& formals = op.schema().arguments();
    const auto isWritten = [](const c10::Argument& formal) {
        return formal.alias_info() && formal.alias_info()->isWrite();
    };
    const auto written = std::find_if(formals.begin(), formals.end(), isWritten);
    if (written == formals.end() || std::any_of(written + 1, formals.end(), isWritten)) return std::nullopt;
    const std::string& name = op.schema().name();
    if (!op.hasTag(at::Tag::pointwise) && name != "aten::copy_" && name != "aten::fill_" &&
        name != "aten::zero_")
        return std::nullopt;
    return static_cast<std::size_t>(written - formals.begin());
}

bool overlapsItself(const Tensor& tensor) {
    const at::MemOverlap known = at::has_internal_overlap(tensor);
    if (known != at::MemOverlap::TooHard) return known == at::MemOverlap::Yes;
    if (tensor.numel() > maxElements) return false;
    std::vector<std::int64_t> all(static_cast<std::size_t>(tensor.dim()));
    std::iota(all.begin(), all.end(), 0);
    return tensor.numel() > 0 && repeats(tensor, all);
}

std::vector<std::vector<Tensor>> partsInOrder(const std::vector<Tensor>& operands) {
    const Tensor& written = operands.front();
    std::vector<Tensor> whole;
    for (const Tensor& operand : operands)
        whole.push_back(operand.dim() == 0 ? operand : operand.expand(written.sizes()));
    const std::vector<std::int64_t> order = loops(whole);
    std::size_t inner = 0;
    while (inner < order.size() &&
           !repeats(written, {order.begin(), order.begin() + static_cast<std::ptrdiff_t>(inner) + 1}))
        ++inner;
    std::vector<std::vector<Tensor>> parts{whole};
    std::int64_t count = 1;
    for (std::size_t i = inner; i < order.size(); ++i)
        count *= written.size(order[i]);
    if (count > maxParts) return parts;
    std::vector<std::int64_t> cut(order.begin() + static_cast<std::ptrdiff_t>(inner), order.end());
    std::reverse(cut.begin(), cut.end()); // the outermost loop first
    for (std::size_t i = 0; i < cut.size(); ++i) {
        // What was cut before is gone from the dimensions.
        const std::int64_t dimension =
            cut[i] - std::count_if(cut.begin(), cut.begin() + static_cast<std::ptrdiff_t>(i),
                                   [&](std::int64_t earlier) { return earlier < cut[i]; });
        std::vector<std::vector<Tensor>> finer;
        for (const std::vector<Tensor>& part : parts) {
            for (std::int64_t k = 0; k < written.size(cut[i]); ++k) {
                std::vector<Tensor>& views = finer.emplace_back();
                for (std::size_t j = 0; j < part.size(); ++j)
                    views.push_back(operands[j].dim() == 0 ? part[j] : part[j].select(dimension, k));
            }
        }
        parts = std::move(finer);
    }
    return parts;
}

} // namespace dynascope::engine
