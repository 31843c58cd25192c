// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/passes/shape_rules.h"

#include <ATen/core/boxing/impl/make_boxed_from_unboxed_functor.h>
#include <ATen/ops/empty.h>
#include <functional>
#include <torch/csrc/lazy/core/shape_inference.h>
#include <unordered_map>
#include <utility>

namespace dynascope::engine {

namespace {

using Shapes = std::vector<torch::lazy::Shape>;
using Rule = std::function<Shapes(torch::jit::Stack&)>;

template <typename... Arguments, std::size_t... Is>
Shapes callUnboxed(Shapes (*function)(Arguments...), torch::jit::Stack& stack, std::index_sequence<Is...>) {
    return function(
        c10::impl::ivalue_to_arg<std::remove_cv_t<std::remove_reference_t<Arguments>>, false>::call(
            stack[Is])...);
}

template <typename... Arguments>
Rule ruleOf(Shapes (*function)(Arguments...)) {
    return [function](torch::jit::Stack& stack) {
        TORCH_CHECK(stack.size() == sizeof...(Arguments), "takes ", sizeof...(Arguments), " arguments");
        return callUnboxed(function, stack, std::index_sequence_for<Arguments...>());
    };
}

/// In evaluation nothing is saved for a backward pass.
Shapes batchNormWithoutTraining(torch::jit::Stack& stack) {
    const at::Tensor& input = stack.at(0).toTensor();
    const torch::lazy::Shape none(at::kFloat, {0});
    return {torch::lazy::Shape(input.scalar_type(), input.sizes()), none, none};
}

const std::unordered_map<std::string, Rule>& rules() {
    namespace lazy = torch::lazy;
    static const std::unordered_map<std::string, Rule> table{
        {"aten::_adaptive_avg_pool2d", ruleOf(lazy::compute_shape__adaptive_avg_pool2d)},
        {"aten::_adaptive_avg_pool2d_backward", ruleOf(lazy::compute_shape__adaptive_avg_pool2d_backward)},
        {"aten::_adaptive_avg_pool3d", ruleOf(lazy::compute_shape__adaptive_avg_pool3d)},
        {"aten::_adaptive_avg_pool3d_backward", ruleOf(lazy::compute_shape__adaptive_avg_pool3d_backward)},
        {"aten::_native_batch_norm_legit_no_training", batchNormWithoutTraining},
        {"aten::abs", ruleOf(lazy::compute_shape_abs)},
        {"aten::binary_cross_entropy", ruleOf(lazy::compute_shape_binary_cross_entropy)},
        {"aten::binary_cross_entropy_backward", ruleOf(lazy::compute_shape_binary_cross_entropy_backward)},
        {"aten::convolution", ruleOf(lazy::compute_shape_convolution)},
        {"aten::convolution_backward", ruleOf(lazy::compute_shape_convolution_backward)},
        {"aten::embedding", ruleOf(lazy::compute_shape_embedding)},
        {"aten::embedding_dense_backward", ruleOf(lazy::compute_shape_embedding_dense_backward)},
        {"aten::flip", ruleOf(lazy::compute_shape_flip)},
        {"aten::glu_backward", ruleOf(lazy::compute_shape_glu_backward)},
        {"aten::grid_sampler_2d", ruleOf(lazy::compute_shape_grid_sampler_2d)},
        {"aten::hardswish", ruleOf(lazy::compute_shape_hardswish)},
        {"aten::hardswish_backward", ruleOf(lazy::compute_shape_hardswish_backward)},
        {"aten::index_select", ruleOf(lazy::compute_shape_index_select)},
        {"aten::inverse", ruleOf(lazy::compute_shape_inverse)},
        {"aten::isnan", ruleOf(lazy::compute_shape_isnan)},
        {"aten::log_sigmoid_backward", ruleOf(lazy::compute_shape_log_sigmoid_backward)},
        {"aten::log_sigmoid_forward", ruleOf(lazy::compute_shape_log_sigmoid_forward)},
        {"aten::logical_and", ruleOf(lazy::compute_shape_logical_and)},
        {"aten::logical_not", ruleOf(lazy::compute_shape_logical_not)},
        {"aten::logical_or", ruleOf(lazy::compute_shape_logical_or)},
        {"aten::logical_xor", ruleOf(lazy::compute_shape_logical_xor)},
        {"aten::mv", ruleOf(lazy::compute_shape_mv)},
        {"aten::native_batch_norm", ruleOf(lazy::compute_shape_native_batch_norm)},
        {"aten::native_batch_norm_backward", ruleOf(lazy::compute_shape_native_batch_norm_backward)},
        {"aten::native_dropout", ruleOf(lazy::compute_shape_native_dropout)},
        {"aten::native_dropout_backward", ruleOf(lazy::compute_shape_native_dropout_backward)},
        {"aten::native_layer_norm", ruleOf(lazy::compute_shape_native_layer_norm)},
        {"aten::native_layer_norm_backward", ruleOf(lazy::compute_shape_native_layer_norm_backward)},
        {"aten::nll_loss2d_forward", ruleOf(lazy::compute_shape_nll_loss2d_forward)},
        {"aten::nll_loss2d_backward", ruleOf(lazy::compute_shape_nll_loss2d_backward)},
        {"aten::relu", ruleOf(lazy::compute_shape_relu)},
        {"aten::repeat", ruleOf(lazy::compute_shape_repeat)},
        {"aten::selu", ruleOf(lazy::compute_shape_selu)},
        {"aten::smooth_l1_loss_backward", ruleOf(lazy::compute_shape_smooth_l1_loss_backward)},
        {"aten::sort", ruleOf(lazy::compute_shape_sort)},
        {"aten::take", ruleOf(lazy::compute_shape_take)},
        {"aten::trace", ruleOf(lazy::compute_shape_trace)},
        {"aten::zero", ruleOf(lazy::compute_shape_zero)},
    };
    return table;
}

} // namespace

std::optional<std::vector<at::Tensor>> shapesByRule(const std::string& name, const std::string& overload,
                                                    torch::jit::Stack arguments) {
    const auto found = rules().find(name);
    if (found == rules().end() || !overload.empty()) return std::nullopt;
    std::vector<at::Tensor> out;
    for (const torch::lazy::Shape& shape : found->second(arguments))
        out.push_back(
            at::empty(shape.sizes(), at::TensorOptions().dtype(shape.scalar_type()).device(at::kMeta)));
    return out;
}

} // namespace dynascope::engine
