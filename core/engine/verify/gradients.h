// SPDX-License-Identifier: BSD-3-Clause
//
// Gradients through C++ autograd, as an oracle case has them.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <vector>

namespace dynascope::engine {

/// Of the sum over differentiable results, the k-th (from 1) weighted by k, for each of `inputs` that is a
/// leaf and requires grad: undefined where the sum does not depend on it. Empty if no result can be
/// differentiated. Throws what PyTorch throws.
[[nodiscard]] std::vector<at::Tensor> gradients(const std::vector<c10::IValue>& results,
                                                const std::vector<at::Tensor>& inputs);

} // namespace dynascope::engine
