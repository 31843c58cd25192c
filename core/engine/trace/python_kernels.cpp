// SPDX-License-Identifier: BSD-3-Clause
//
// What the kernels make is that of torch/_decomp/decompositions.py in PyTorch 2.13.
#include "core/engine/trace/python_kernels.h"

#include "core/engine/trace/python_tables.h"

#include <ATen/ExpandUtils.h>
#include <ATen/core/List.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/_native_batch_norm_legit.h>
#include <ATen/ops/_native_batch_norm_legit_no_training.h>
#include <ATen/ops/_unsafe_view.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/native_dropout.h>
#include <array>
#include <functional>
#include <numeric>
#include <torch/library.h>
#include <tuple>
#include <vector>

namespace dynascope::engine {

namespace {

using at::Tensor;
using c10::IValue;
using torch::jit::Stack;
using Sizes = std::vector<std::int64_t>;

Sizes with(Sizes batch, std::int64_t rows, std::int64_t columns) {
    batch.push_back(rows);
    batch.push_back(columns);
    return batch;
}

std::int64_t numberOf(const Sizes& sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
}

/// Whether the batch of the larger one becomes rows of one matrix. With `out` nothing is differentiated.
bool foldsBatch(const Tensor& a, const Tensor& b, bool out) {
    const Tensor& large = a.dim() >= b.dim() ? a : b;
    const Tensor& small = a.dim() >= b.dim() ? b : a;
    if (large.dim() < 3 || small.dim() > 2) return false;
    if (small.requires_grad() && !out) return true;
    return a.dim() != 2 && (large.numel() == 0 || large.is_contiguous());
}

Tensor foldedMatmul(const Tensor& a, const Tensor& b) {
    const bool transposed = b.dim() > a.dim();
    const Tensor large = transposed ? b.mT() : a;
    const Tensor small = !transposed ? b : a.dim() == 2 ? a.t() : a;
    Sizes shape = large.sizes().slice(0, static_cast<std::size_t>(large.dim() - 1)).vec();
    const Tensor rows = large.reshape({numberOf(shape), large.size(-1)});
    if (small.dim() == 1) return at::_unsafe_view(rows.mv(small), shape);
    shape.push_back(small.size(1));
    const Tensor out = at::_unsafe_view(rows.mm(small), shape);
    return transposed ? out.mT().contiguous() : out;
}

Tensor batchedMatmul(const Tensor& a, const Tensor& b) {
    const auto batchOf = [](const Tensor& tensor) {
        return tensor.sizes().slice(0, static_cast<std::size_t>(std::max<std::int64_t>(tensor.dim() - 2, 0)));
    };
    const auto batchA = batchOf(a), batchB = batchOf(b);
    // A batch of one that needs a gradient would have it summed up after it was expanded.
    if (a.dim() == 3 && b.dim() == 3 && batchA[0] != batchB[0]) {
        if (batchA[0] == 1 && a.requires_grad()) return at::matmul(a.squeeze(0), b);
        if (batchB[0] == 1 && b.requires_grad()) return at::matmul(a, b.squeeze(0));
    }
    const Sizes batch = at::infer_size(batchA, batchB);
    const std::int64_t count = numberOf(batch), inner = a.size(-1);
    const std::int64_t rows = a.dim() > 1 ? a.size(-2) : 1;
    const Tensor x = a.expand(with(batch, rows, inner)).reshape({count, rows, inner});
    Sizes shape = batch;
    if (a.dim() > 1) shape.push_back(rows);
    if (b.dim() == 1) {
        Sizes expanded = batch;
        expanded.push_back(b.size(0));
        const Tensor y = b.expand(expanded).reshape({count, b.size(0)}).unsqueeze(2);
        return x.bmm(y).squeeze(-1).view(shape);
    }
    const Tensor y = b.expand(with(batch, b.size(-2), b.size(-1))).reshape({count, b.size(-2), b.size(-1)});
    shape.push_back(b.size(-1));
    return x.bmm(y).view(shape);
}

Tensor product(const Tensor& a, const Tensor& b, bool out) {
    TORCH_CHECK(a.dim() > 0 && b.dim() > 0, "both arguments to matmul need to be at least 1D, but they are ",
                a.dim(), "D and ", b.dim(), "D");
    if (a.dim() == 1 && b.dim() == 1) return a.dot(b);
    if (a.dim() == 2 && b.dim() == 1) return a.mv(b);
    if (a.dim() == 1 && b.dim() == 2) return a.unsqueeze(0).mm(b).squeeze(0);
    if (a.dim() == 2 && b.dim() == 2) return a.mm(b);
    return foldsBatch(a, b, out) ? foldedMatmul(a, b) : batchedMatmul(a, b);
}

Tensor matmul(const Tensor& a, const Tensor& b) {
    return product(a, b, false);
}

Tensor& matmulOut(const Tensor& a, const Tensor& b, Tensor& out) {
    const Tensor result = product(a, b, true);
    if (out.sizes() != result.sizes()) out.resize_(result.sizes());
    return out.copy_(result);
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

std::array<std::span<const torch_level::Entry>, 4> tables() {
    return {python_side::upsampleKernels(), python_side::recurrentKernels(), python_side::lossKernels(),
            python_side::spectralKernels()};
}

const torch_level::Entry* entryOf(const c10::FunctionSchema& schema) {
    std::string name = schema.name().substr(schema.name().find("::") + 2);
    if (!schema.overload_name().empty()) name += '.' + schema.overload_name();
    for (const auto table : tables())
        if (const torch_level::Entry* entry = torch_level::findEntry(table, name)) return entry;
    return nullptr;
}

IValue resultOf(const torch_level::Value& value, const c10::Type& type) {
    if (type.kind() != c10::TypeKind::ListType) return value.toIValue();
    return c10::List<Tensor>(value.tensors());
}

/// Stands in for any operator of the tables.
void callPythonSide(const c10::OperatorHandle& op, Stack* stack) {
    const c10::FunctionSchema& schema = op.schema();
    const torch_level::Entry* entry = entryOf(schema);
    TORCH_INTERNAL_ASSERT(entry, schema.name());
    torch_level::Call call;
    for (const IValue& argument : torch::jit::pop(*stack, schema.arguments().size()))
        call.args.push_back(torch_level::Value::from(argument));
    const torch_level::Value result = torch_level::functionOf(*entry)(call);
    const auto& returns = schema.returns();
    for (std::size_t i = 0; i < returns.size(); ++i)
        stack->push_back(resultOf(returns.size() == 1 ? result : result.items().at(i), *returns[i].type()));
}

} // namespace

struct PythonKernels::Library {
    // AutogradCPU goes before the composite kernels and before those of all autograd keys.
    torch::Library library{torch::Library::IMPL, "aten", c10::DispatchKey::AutogradCPU, __FILE__, __LINE__};
};

PythonKernels::PythonKernels()
    : m_library(std::make_unique<Library>()) {
    m_library->library.impl("matmul", matmul);
    m_library->library.impl("matmul.out", matmulOut);
    m_library->library.impl("dropout", dropout);
    m_library->library.impl("native_batch_norm", batchNorm);
    for (const auto table : tables())
        for (const torch_level::Entry& entry : table)
            m_library->library.impl(std::string(entry.name).c_str(),
                                    torch::CppFunction::makeFromBoxedFunction<&callPythonSide>());
}

PythonKernels::~PythonKernels() = default;

} // namespace dynascope::engine
