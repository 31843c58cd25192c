// SPDX-License-Identifier: BSD-3-Clause
//
// Normalization: statistics and weights of a channel each.
#include "core/engine/sandbox/checks/arguments.h"
#include "core/engine/sandbox/checks/families.h"

namespace dynascope::engine::checks {

void checkBatchNorm(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    const Tensor input = call.tensor("input");
    TORCH_CHECK(input.dim() >= 2, call.op(), ": input has no channels");
    const std::int64_t channels = input.size(1);
    for (const char* name : {"weight", "bias", "running_mean", "running_var"})
        checkCountExactly(call, name, channels);
    bool training = call.op().find("with_update") != std::string::npos || call.op().ends_with("update_stats");
    for (const char* name : {"train", "training", "update"})
        if (call.has(name)) training = call[name].toBool();
    if (!training)
        for (const char* name : {"running_mean", "running_var"})
            TORCH_CHECK(call.tensor(name).defined(), call.op(), ": ", name, " is missing");
    if (!call.has("grad_out")) return checkOutsApart(schema, values);
    checkSameSizes(call, "grad_out", "input");
    for (const char* name : {"save_mean", "save_invstd", "save_var"}) {
        if (!call.has(name)) continue;
        checkCount(call, name, channels);
        if (training)
            TORCH_CHECK(call.tensor(name).defined() && call.tensor(name).numel() == channels, call.op(), ": ",
                        name, " is missing");
    }
}

void checkGroupNorm(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    const std::int64_t batch = call.number("N"), channels = call.number("C"), cells = call.number("HxW"),
                       groups = call.number("group");
    TORCH_CHECK(groups > 0 && batch >= 0 && channels >= 0 && cells >= 0 && channels % groups == 0, call.op(),
                ": sizes do not belong together");
    std::int64_t all = 0;
    TORCH_CHECK(!__builtin_mul_overflow(batch, channels, &all) && !__builtin_mul_overflow(all, cells, &all),
                call.op(), ": the sizes are too large");
    checkCount(call, "input", all);
    checkCount(call, "grad_out", all);
    checkCount(call, "mean", batch * groups);
    checkCount(call, "rstd", batch * groups);
    checkCount(call, "weight", channels);
    for (const char* name : {"weight", "bias"})
        checkContiguous(call, name);
}

void checkLayerNormBackward(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    checkSameSizes(call, "grad_out", "input");
    std::int64_t each = 1;
    for (const std::int64_t size : call.numbers("normalized_shape"))
        each *= size;
    const Tensor input = call.tensor("input");
    TORCH_CHECK(each > 0 || input.numel() == 0, call.op(), ": nothing is normalized");
    const std::int64_t rows = each > 0 ? input.numel() / each : 0;
    TORCH_CHECK(rows * each == input.numel(), call.op(), ": input is ", input.sizes());
    checkCount(call, "mean", rows);
    checkCount(call, "rstd", rows);
    checkCount(call, "weight", each);
    checkCount(call, "bias", each);
}

void checkSoftmaxBackward(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    checkSameSizes(call, "grad_output", "output");
    checkSameSizes(call, "mask", "output");
}

void checkWeightNorm(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    const bool backward = call.has("saved_v");
    const char* const directions = backward ? "saved_v" : "v";
    const Tensor v = call.tensor(directions);
    const std::int64_t dim = call.number("dim");
    if (!backward && !call.op().ends_with("interface") && dim != 0 && dim != v.dim() - 1)
        return; // made of others
    TORCH_CHECK(v.dim() >= 1 && (dim == 0 || dim == v.dim() - 1) && v.numel() > 0, call.op(), ": ",
                directions, " is ", v.sizes(), ", dim ", dim);
    checkSameSizes(call, "grad_w", "saved_v");
    for (const char* name : {"v", "g", "grad_w", "saved_v", "saved_g", "saved_norms"})
        if (call.has(name) && call.op() != "aten::_weight_norm") checkContiguous(call, name);
    for (const char* name : {"g", "saved_g", "saved_norms"})
        checkCountExactly(call, name, v.size(dim));
}

/// What is drawn once for each element, and results that nobody makes larger.
void checkNoise(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    checkSameSizes(call, "noise", "self");
    checkSameSizes(call, "grad_output", "self");
    TORCH_CHECK(call.tensor("noise").is_non_overlapping_and_dense(), call.op(), ": noise leaves memory out");
    if (!call.op().ends_with("backward")) {
        checkSameSizes(call, "out", "self");
        checkOutsApart(schema, values);
    }
}

/// A mask of the same sizes, or of the attention's two last dimensions, or of batch and keys.
void checkMaskedSoftmax(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    const Tensor self = call.tensor("self"), mask = call.tensor("mask");
    const std::int64_t type = call["mask_type"].isNone() ? 2 : call.number("mask_type");
    bool fits = mask.sizes() == self.sizes();
    if (self.dim() == 4 && type < 2) {
        const std::int64_t first = self.size(type == 0 ? 2 : 0);
        fits = fits || mask.sizes() == at::IntArrayRef({first, self.size(3)});
    }
    TORCH_CHECK(fits && self.numel() > 0, call.op(), ": mask is ", mask.sizes(), " for ", self.sizes());
}

/// Ranges, scales and zero points: one, or one for each channel; none of a channel each before the first
/// call.
void checkObserver(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    const Tensor self = call.tensor("self");
    const bool each = call["per_row_fake_quant"].toBool();
    const std::int64_t count = each ? self.size(dimension(call, self, call.number("ch_axis"))) : 1;
    const bool first = each && call.tensor("running_min").numel() == 0;
    for (const char* name : {"running_min", "running_max", "scale", "zero_point"}) {
        if (!first || std::string_view(name) == "running_max")
            checkCountExactly(call, name, first ? 0 : count);
        checkContiguous(call, name);
    }
    for (const char* name : {"observer_on", "fake_quant_on"})
        checkCountExactly(call, name, 1);
}

} // namespace dynascope::engine::checks
