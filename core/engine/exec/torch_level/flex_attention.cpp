// SPDX-License-Identifier: BSD-3-Clause
//
// torch.ops.higher_order.flex_attention by the semantics of its dense reference (math_attention in
// torch/_higher_order_ops/flex_attention.py): every score goes through the score graph, the mask graph says
// which count, and block sparsity is only a hint.
#include "core/engine/exec/torch_level/functorch.h"
#include "core/engine/exec/torch_level/higher_order.h"

#include <ATen/ops/_safe_softmax.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/where.h>
#include <limits>

namespace dynascope::engine::torch_level {

namespace {

using at::Tensor;

constexpr double ln2 = 0.69314718055994530942;
constexpr std::int64_t maxScores = std::int64_t{1} << 28;

/// One head of keys or values for each head of queries, one batch for each batch.
Tensor spread(const Tensor& tensor, std::int64_t heads, std::int64_t batches) {
    std::vector<std::int64_t> size = tensor.sizes().vec();
    size[0] = batches;
    size[1] = heads;
    return tensor.repeat_interleave(heads / tensor.size(1), 1).expand(size);
}

Tensor maskedScores(const Arguments& a, const Tensor& scores) {
    const std::vector<std::int64_t> sizes = scores.sizes().vec();
    std::vector<Mapped> score{{scores, {0, 1, 2, 3}}};
    std::vector<Mapped> mask;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const Tensor index = at::arange(sizes[i], at::kLong);
        score.push_back({index, {i}});
        mask.push_back({index, {i}});
    }
    const Value& maskGraph = a["block_mask"].items().back();
    const Tensor counts = vmapped(maskGraph, sizes, mask, a["mask_mod_other_buffers"].items(), a.context());
    const Tensor modified =
        vmapped(a["score_mod"], sizes, score, a["score_mod_other_buffers"].items(), a.context());
    const Tensor outside = at::scalar_tensor(-std::numeric_limits<double>::infinity(), scores.options());
    return at::where(counts, modified, outside);
}

} // namespace

Value flexAttention(const Arguments& a) {
    const Tensor &query = a["query"].tensor(), &key = a["key"].tensor(), &value = a["value"].tensor();
    TORCH_CHECK_VALUE(query.dim() == 4 && key.dim() == 4 && value.dim() == 4,
                      "flex_attention takes tensors of four dimensions");
    TORCH_CHECK_VALUE(key.size(1) > 0 && query.size(1) % key.size(1) == 0 && value.size(1) == key.size(1),
                      "heads of queries are no multiple of those of keys");
    TORCH_CHECK_VALUE(key.size(0) == query.size(0) || key.size(0) == 1,
                      "Bq and Bkv must broadcast. Got Bq=", query.size(0), " and Bkv=", key.size(0));
    TORCH_CHECK_VALUE(!a["block_mask"].items().empty(), "flex_attention needs a mask graph");
    const auto precision = query.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
    const Tensor keys = spread(key, query.size(1), query.size(0)).to(precision);
    const Tensor values = spread(value, query.size(1), query.size(0)).to(query.scalar_type());
    TORCH_CHECK(query.numel() / std::max<std::int64_t>(query.size(3), 1) <=
                    maxScores / std::max<std::int64_t>(key.size(2), 1),
                "flex_attention over more than ", maxScores, " scores is not run");
    const Tensor products = at::matmul(query.to(precision), keys.transpose(-2, -1));
    const Tensor scores = maskedScores(a, products.mul(a["scale"].real()).to(precision));
    const double lowest = -std::numeric_limits<double>::infinity();
    const Tensor fullyMasked = scores.eq(lowest).all(-1);
    const Tensor sums = at::logsumexp(scores, -1).masked_fill(fullyMasked, lowest);
    const Tensor highest = std::get<0>(scores.max(-1));
    const Tensor weights = at::_safe_softmax(scores, -1);
    return Value::tuple(
        {at::matmul(weights.to(query.scalar_type()), values), sums.div(ln2), highest.div(ln2)});
}

} // namespace dynascope::engine::torch_level
