// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/exec/torch_level/functional.h"
#include "core/engine/exec/torch_level/overloads.h"

#include <ATen/core/grad_mode.h>
#include <array>

namespace dynascope::engine::torch_level {

namespace {

void renormalize(const Value& weight, const Value& input, const Arguments& a) {
    const at::AutoGradMode noGrad(false);
    static_cast<void>(
        aten("embedding_renorm_", {aten("detach", {weight}), input, a["max_norm"], a["norm_type"]}));
}

Value embedding(const Arguments& a) {
    const Value& weight = a["weight"];
    Value input = a["input"];
    std::int64_t padding = -1;
    if (!a["padding_idx"].isNone()) {
        const std::int64_t rows = weight.tensor().size(0);
        padding = a["padding_idx"].integer();
        TORCH_CHECK(padding >= -rows && padding < rows, "Padding_idx must be within num_embeddings");
        if (padding < 0) padding += rows;
    }
    if (!a["max_norm"].isNone()) {
        input = aten("contiguous", {input});
        renormalize(weight, input, a);
    }
    return aten("embedding", {weight, input, padding, a["scale_grad_by_freq"], a["sparse"]});
}

std::int64_t bagMode(const std::string& mode) {
    if (mode == "sum") return 0;
    if (mode == "mean") return 1;
    TORCH_CHECK_VALUE(mode == "max", "mode has to be one of sum, mean or max");
    return 2;
}

Value embeddingBag(const Arguments& a) {
    const Value& weight = a["weight"];
    Value input = a["input"];
    Value offsets = a["offsets"];
    Value perSample = a["per_sample_weights"];
    Value includeLast = a["include_last_offset"];
    const at::Tensor tensor = input.tensor();
    if (tensor.dim() == 2) {
        TORCH_CHECK_VALUE(offsets.isNone(), "if input is 2D, then offsets has to be None");
        offsets =
            aten("arange", {0, tensor.numel(), tensor.size(1)}, {{"dtype", Value(tensor.scalar_type())}});
        includeLast = false;
        input = aten("reshape", {input, -1});
        if (!perSample.isNone()) perSample = aten("reshape", {perSample, -1});
    }
    const std::int64_t mode = bagMode(a["mode"].text());
    if (!a["max_norm"].isNone()) renormalize(weight, input, a);
    return aten("embedding_bag", {weight, input, offsets, a["scale_grad_by_freq"], mode, a["sparse"],
                                  perSample, includeLast, a["padding_idx"]})
        .items()[0];
}

constexpr std::array table{
    Entry{"embedding",
          "input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, "
          "sparse=False",
          embedding},
    Entry{"embedding_bag",
          "input, weight, offsets=None, max_norm=None, norm_type=2, scale_grad_by_freq=False, mode='mean', "
          "sparse=False, per_sample_weights=None, include_last_offset=False, padding_idx=None",
          embeddingBag},
};

} // namespace

std::span<const Entry> embeddingFunctions() {
    return table;
}

} // namespace dynascope::engine::torch_level
