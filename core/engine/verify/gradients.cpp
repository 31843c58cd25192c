// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/verify/gradients.h"

#include <ATen/ops/add.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/sum.h>
#include <torch/csrc/autograd/autograd.h>

namespace dynascope::engine {

std::vector<at::Tensor> gradients(const std::vector<c10::IValue>& results,
                                  const std::vector<at::Tensor>& inputs) {
    std::vector<at::Tensor> leaves;
    for (const at::Tensor& input : inputs) {
        // grad_fn() brings a view of a changed base up to date, which is_leaf() does not.
        if (input.defined() && input.requires_grad() && !input.grad_fn()) leaves.push_back(input);
    }
    at::Tensor loss;
    int weight = 0;
    for (const c10::IValue& result : results) {
        if (!result.isTensor()) continue;
        const at::Tensor& tensor = result.toTensor();
        if (!tensor.requires_grad() || !tensor.is_floating_point()) continue;
        const at::Tensor term = tensor.mul(++weight).sum();
        loss = loss.defined() ? loss.add(term) : term;
    }
    if (!loss.defined() || leaves.empty()) return {};
    return torch::autograd::grad({loss}, leaves, {}, std::nullopt, false, true);
}

} // namespace dynascope::engine
