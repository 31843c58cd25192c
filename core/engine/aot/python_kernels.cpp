// SPDX-License-Identifier: BSD-3-Clause
//
// What the kernels make is that of torch/_decomp/decompositions.py in PyTorch 2.13.
#include "core/engine/aot/python_kernels.h"

#include <ATen/ExpandUtils.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/_native_batch_norm_legit.h>
#include <ATen/ops/_native_batch_norm_legit_no_training.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/matmul_native.h>
#include <ATen/ops/native_dropout.h>
#include <functional>
#include <numeric>
#include <torch/library.h>
#include <tuple>
#include <vector>

namespace dynascope::engine {

namespace {

using at::Tensor;
using Sizes = std::vector<std::int64_t>;

Sizes with(Sizes batch, std::int64_t rows, std::int64_t columns) {
    batch.push_back(rows);
    batch.push_back(columns);
    return batch;
}

/// Two stacks of matrices; everything else is as in C++.
Tensor matmul(const Tensor& a, const Tensor& b) {
    if (a.dim() < 3 || b.dim() < 3) return at::native::matmul(a, b);
    const auto batchA = a.sizes().slice(0, static_cast<std::size_t>(a.dim() - 2));
    const auto batchB = b.sizes().slice(0, static_cast<std::size_t>(b.dim() - 2));
    // A batch of one that needs a gradient would have it summed up after it was expanded.
    if (a.dim() == 3 && b.dim() == 3 && batchA[0] != batchB[0]) {
        if (batchA[0] == 1 && a.requires_grad()) return at::matmul(a.squeeze(0), b);
        if (batchB[0] == 1 && b.requires_grad()) return at::matmul(a, b.squeeze(0));
    }
    const Sizes batch = at::infer_size(batchA, batchB);
    const std::int64_t count =
        std::accumulate(batch.begin(), batch.end(), std::int64_t{1}, std::multiplies<>());
    const std::int64_t rows = a.size(-2), columns = b.size(-1);
    const Tensor x = a.expand(with(batch, rows, a.size(-1))).reshape({count, rows, a.size(-1)});
    const Tensor y = b.expand(with(batch, b.size(-2), columns)).reshape({count, b.size(-2), columns});
    return x.bmm(y).view(with(batch, rows, columns));
}

Tensor dropout(const Tensor& input, double p, bool train) {
    if (train && p != 0) return std::get<0>(at::native_dropout(input, p, train));
    return input.clone();
}

std::tuple<Tensor, Tensor, Tensor> batchNorm(const Tensor& input, const std::optional<Tensor>& weight,
                                             const std::optional<Tensor>& bias,
                                             const std::optional<Tensor>& mean,
                                             const std::optional<Tensor>& variance, bool training,
                                             double momentum, double eps) {
    if (!mean || !mean->defined() || !variance || !variance->defined())
        return at::_native_batch_norm_legit(input, weight, bias, training, momentum, eps);
    if (!training)
        return at::_native_batch_norm_legit_no_training(input, weight, bias, *mean, *variance, momentum, eps);
    Tensor runningMean = *mean, runningVariance = *variance; // handles of what is written
    return at::_native_batch_norm_legit(input, weight, bias, runningMean, runningVariance, training, momentum,
                                        eps);
}

} // namespace

struct PythonKernels::Library {
    // AutogradCPU goes before the composite kernels and before those of all autograd keys.
    torch::Library library{torch::Library::IMPL, "aten", c10::DispatchKey::AutogradCPU, __FILE__, __LINE__};
};

PythonKernels::PythonKernels()
    : m_library(std::make_unique<Library>()) {
    m_library->library.impl("matmul", matmul);
    m_library->library.impl("dropout", dropout);
    m_library->library.impl("native_batch_norm", batchNorm);
}

PythonKernels::~PythonKernels() = default;

} // namespace dynascope::engine
