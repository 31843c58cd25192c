// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/aot/fake_strides.h"

#include "core/engine/interpreter.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/add.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>
#include <algorithm>
#include <array>

namespace dynascope::engine {

using at::Tensor;
using c10::IValue;

struct StrideRule {
    enum class Layout : std::uint8_t {
        Elementwise,     ///< as an elementwise operator over the operands lays out its result
        CastElementwise, ///< the same of float operands; shorter ones are made contiguous before
        Contiguous,
        Suggested, ///< contiguous, or channels last where the operand is
    };
    std::string_view op;
    std::size_t results; ///< the first ones, which it is about
    Layout layout;
    std::array<std::size_t, 3> operands; ///< positions of arguments, the leading one first
};

namespace {

using enum StrideRule::Layout;

constexpr std::size_t none = SIZE_MAX;
constexpr std::array<StrideRule, 23> rules{{
    {"native_layer_norm_backward", 1, CastElementwise, {4, 0, 1}}, // rstd, grad_out, input
    {"native_group_norm_backward", 1, Contiguous, {none, none, none}},
    {"native_batch_norm", 1, Elementwise, {0, none, none}},
    {"_native_batch_norm_legit", 1, Elementwise, {0, none, none}},
    {"_native_batch_norm_legit_functional", 1, Elementwise, {0, none, none}},
    {"_native_batch_norm_legit_no_training", 1, Elementwise, {0, none, none}},
    {"native_batch_norm_backward", 1, Elementwise, {0, 1, none}},
    {"native_dropout_backward", 1, Suggested, {0, none, none}},
    {"_log_softmax_backward_data", 1, Elementwise, {0, 1, none}},
    {"log_sigmoid_forward", 2, Elementwise, {0, none, none}},
    {"hardswish_backward", 1, Elementwise, {1, 0, none}},
    {"hardsigmoid_backward", 1, Elementwise, {1, 0, none}},
    {"hardtanh_backward", 1, Elementwise, {1, 0, none}},
    {"elu_backward", 1, Elementwise, {5, 0, none}},
    {"mse_loss_backward", 1, Elementwise, {1, 2, 0}},
    {"smooth_l1_loss_backward", 1, Elementwise, {1, 2, 0}},
    {"huber_loss_backward", 1, Elementwise, {1, 2, 0}},
    {"binary_cross_entropy", 1, Elementwise, {1, 0, none}},
    {"binary_cross_entropy_backward", 1, Elementwise, {0, 1, 2}},
    {"softplus_backward", 1, Elementwise, {1, 0, none}},
    {"xlogy", 1, Elementwise, {1, 0, none}},
    {"rrelu_with_noise_backward", 1, Elementwise, {0, none, none}},
    {"_weight_norm_interface", 1, Elementwise, {0, none, none}},
}};

Tensor onMeta(const Tensor& tensor) {
    return at::empty_strided(tensor.sizes(), tensor.strides(), tensor.options().device(at::kMeta));
}

} // namespace

const StrideRule* strideRule(std::string_view name) {
    const auto found =
        std::find_if(rules.begin(), rules.end(), [&](const StrideRule& rule) { return rule.op == name; });
    return found == rules.end() ? nullptr : &*found;
}

void layOutAsFake(const StrideRule& rule, c10::ArrayRef<IValue> arguments, std::span<IValue> results) {
    std::vector<Tensor> operands;
    for (const std::size_t position : rule.operands)
        if (position < arguments.size() && isDefinedTensor(arguments[position]))
            operands.push_back(arguments[position].toTensor());
    if (std::all_of(operands.begin(), operands.end(),
                    [](const Tensor& operand) { return operand.is_contiguous(); }) &&
        !operands.empty())
        return; // nobody would lay the result out otherwise
    for (std::size_t i = 0; i < std::min(rule.results, results.size()); ++i) {
        if (!isDefinedTensor(results[i])) continue;
        const Tensor& result = results[i].toTensor();
        Tensor meta = at::empty(result.sizes(), result.options().device(at::kMeta));
        if (rule.layout == Suggested) {
            meta = at::empty(result.sizes(), result.options().device(at::kMeta),
                             operands.front().suggest_memory_format());
        } else if (rule.layout == Elementwise ||
                   (rule.layout == CastElementwise && result.itemsize() >= sizeof(float))) {
            meta = onMeta(operands.front());
            for (std::size_t k = 1; k < operands.size(); ++k)
                meta = at::add(meta, onMeta(operands[k]));
            if (operands.size() == 1) meta = at::add(meta, meta); // dense, whatever the operand is
        }
        if (meta.sizes() != result.sizes() || meta.strides() == result.strides()) continue;
        results[i] = at::empty_strided(result.sizes(), meta.strides(), result.options()).copy_(result);
    }
}

} // namespace dynascope::engine
