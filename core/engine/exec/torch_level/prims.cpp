// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/exec/torch_level/prims.h"

#include "core/engine/exec/torch_level/overloads.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/addcmul.h>
#include <ATen/ops/amax.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/max_pool2d_with_indices.h>
#include <ATen/ops/max_pool3d_with_indices.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/sum.h>
#include <array>
#include <torch/library.h>

namespace dynascope::engine::torch_level {

namespace {

/// Of a new tensor: the CPU, unless the program was made for another device.
at::TensorOptions optionsOn(const Value& device) {
    return at::TensorOptions().device(device.kind() == Value::Kind::Device ? device.toIValue().toDevice()
                                                                           : c10::Device(c10::kCPU));
}

/// An int64 tensor of what Inductor calls seeds.
Value seeds(c10::IntArrayRef sizes, const Value& device) {
    return Value(at::randint(0, std::int64_t{1} << 30, sizes, optionsOn(device).dtype(at::kLong)));
}

Value iota(const Arguments& a) {
    const std::int64_t start = a["start"].integer(), step = a["step"].integer(),
                       length = a["length"].integer();
    std::int64_t reach = 0;
    TORCH_CHECK(!__builtin_mul_overflow(step, length, &reach) &&
                    !__builtin_add_overflow(reach, start, &reach),
                "iota leaves 64 bits");
    const at::ScalarType dtype = a["dtype"].isNone() ? at::kLong : a["dtype"].dtype();
    return Value(at::arange(start, reach, step, optionsOn(a["device"]).dtype(dtype)));
}

Value broadcastInDim(const Arguments& a) {
    const std::vector<std::int64_t> shape = a["shape"].integers();
    const std::vector<std::int64_t> dims = a["broadcast_dimensions"].integers();
    std::vector<std::int64_t> sizes(shape.size(), 1);
    const at::Tensor& tensor = a["a"].tensor();
    for (std::size_t i = 0; i < dims.size(); ++i)
        sizes.at(static_cast<std::size_t>(dims[i])) = tensor.size(static_cast<std::int64_t>(i));
    return aten("expand", {aten("reshape", {a["a"], Value(sizes)}), a["shape"]});
}

Value squeezeDims(const Arguments& a) {
    return aten("squeeze", {a["a"], a["dimensions"]});
}

/// As PyTorch runs it outside of Inductor: the seed decides nothing.
Value random(const Arguments& a) {
    const std::vector<std::int64_t> size = a["size"].integers();
    const auto options = at::TensorOptions().device(a["seed"].tensor().device());
    return Value(a["mode"].text() == "randn" ? at::randn(size, options) : at::rand(size, options));
}

/// The two passes of a softmax over one dimension.
Value prepareSoftmax(const Arguments& a) {
    const std::int64_t dim = a["dim"].integer();
    const at::Tensor& x = a["a"].tensor();
    const at::Tensor most = at::amax(x, dim, true);
    return Value::tuple({Value(most), Value(at::sum(at::exp(x - most), dim, true))});
}

/// The first cell that each window of a pooling reads, along one dimension of its result; padding begins before 0.
at::Tensor windowStarts(const at::Tensor& pooled, std::int64_t dim, std::int64_t stride,
                        std::int64_t padding) {
    std::vector<std::int64_t> shape(static_cast<std::size_t>(pooled.dim()), 1);
    shape.at(static_cast<std::size_t>(dim)) = -1;
    return at::arange(pooled.size(dim), pooled.options().dtype(at::kLong)).view(shape) * stride - padding;
}

/// Indices into an array of these sizes as one along each dimension.
std::vector<at::Tensor> unflattened(at::Tensor indices, c10::IntArrayRef sizes) {
    std::vector<at::Tensor> out(sizes.size());
    for (std::size_t d = sizes.size(); d-- > 1;) {
        out[d] = indices.remainder(sizes[d]);
        indices = indices.div(sizes[d], "floor");
    }
    out.front() = std::move(indices);
    return out;
}

at::Tensor flattened(const std::vector<at::Tensor>& indices, c10::IntArrayRef sizes) {
    at::Tensor out = indices.front();
    for (std::size_t d = 1; d < sizes.size(); ++d)
        out = out * sizes[d] + indices[d];
    return out;
}

/// Maxima, and where in its window each was found.
Value maxPoolWithOffsets(const Arguments& a) {
    const at::Tensor& x = a["self"].tensor();
    const std::vector<std::int64_t> kernel = a["kernel_size"].integers(), stride = a["stride"].integers(),
                                    padding = a["padding"].integers(), dilation = a["dilation"].integers();
    const bool ceil = a["ceil_mode"].flag();
    TORCH_CHECK(kernel.size() == 2 || kernel.size() == 3, "a pooling over ", kernel.size(), " dimensions");
    const auto [values, indices] =
        kernel.size() == 2 ? at::max_pool2d_with_indices(x, kernel, stride, padding, dilation, ceil)
                           : at::max_pool3d_with_indices(x, kernel, stride, padding, dilation, ceil);
    const auto first = x.dim() - static_cast<std::int64_t>(kernel.size());
    std::vector<at::Tensor> at = unflattened(indices, x.sizes().slice(static_cast<std::size_t>(first)));
    for (std::size_t d = 0; d < at.size(); ++d)
        at[d] =
            (at[d] - windowStarts(values, first + static_cast<std::int64_t>(d), stride.at(d), padding.at(d)))
                .div(dilation.at(d), "floor");
    return Value::tuple({Value(values), Value(flattened(at, kernel).to(at::kChar))});
}

Value maxPoolIndices(const Arguments& a) {
    const at::Tensor offsets = a["offsets"].tensor().to(at::kLong);
    const std::vector<std::int64_t> kernel = a["kernel_size"].integers(), input = a["input_size"].integers(),
                                    stride = a["stride"].integers(), padding = a["padding"].integers(),
                                    dilation = a["dilation"].integers();
    std::vector<at::Tensor> at = unflattened(offsets, kernel);
    const auto first = offsets.dim() - static_cast<std::int64_t>(kernel.size());
    for (std::size_t d = 0; d < at.size(); ++d)
        at[d] = windowStarts(offsets, first + static_cast<std::int64_t>(d), stride.at(d), padding.at(d)) +
                at[d] * dilation.at(d);
    return Value(flattened(at, input));
}

constexpr std::array table{
    Entry{"convert_element_type", "a, dtype",
          [](const Arguments& a) {
              return aten("to", {a["a"], a["dtype"]});
          }},
    Entry{"iota", "length, *, start=0, step=1, dtype=None, device=None, requires_grad=False", iota},
    Entry{"device_put", "a, device, non_blocking=False", [](const Arguments& a) { return a["a"]; }},
    Entry{"broadcast_in_dim", "a, shape, broadcast_dimensions", broadcastInDim},
    Entry{"squeeze", "a, dimensions", squeezeDims},
    Entry{"transpose", "a, permutation",
          [](const Arguments& a) {
              return aten("permute", {a["a"], a["permutation"]});
          }},
    Entry{"rev", "a, dims",
          [](const Arguments& a) {
              return aten("flip", {a["a"], a["dims"]});
          }},
    Entry{"view_of", "a", [](const Arguments& a) { return aten("alias", {a["a"]}); }},
    Entry{"view_element_type", "a, dtype",
          [](const Arguments& a) {
              return aten("view", {a["a"], a["dtype"]});
          }},
    Entry{"inductor_seed", "device", [](const Arguments& a) { return seeds({}, a["device"]); }},
    Entry{"inductor_seeds", "count, device",
          [](const Arguments& a) { return seeds({a["count"].integer()}, a["device"]); }},
    Entry{"inductor_lookup_seed", "seeds, index",
          [](const Arguments& a) {
              return aten("select", {a["seeds"], 0, a["index"]});
          }},
    Entry{"inductor_random", "size, seed, mode, *, offset=0", random},
    Entry{"inductor_randint", "low, high, size, seed, *, offset=0",
          [](const Arguments& a) {
              return Value(at::randint(a["low"].integer(), a["high"].integer(), a["size"].integers(),
                                       a["seed"].tensor().options().dtype(at::kLong)));
          }},
    Entry{"prepare_softmax_online", "a, dim", prepareSoftmax},
    Entry{"_low_memory_max_pool_with_offsets", "self, kernel_size, stride, padding, dilation, ceil_mode",
          maxPoolWithOffsets},
    Entry{"_low_memory_max_pool_offsets_to_indices",
          "offsets, kernel_size, input_size, stride, padding, dilation", maxPoolIndices},
    Entry{"inductor_force_stride_order", "input, stride", [](const Arguments& a) { return a["input"]; }},
    Entry{"sum", "inp, dims, *, output_dtype=None",
          [](const Arguments& a) {
              return aten("sum", {a["inp"], a["dims"]}, {{"dtype", a["output_dtype"]}});
          }},
    Entry{"amax", "inp, dims, *, output_dtype=None",
          [](const Arguments& a) {
              return aten("amax", {a["inp"], a["dims"]});
          }},
    Entry{"amin", "inp, dims, *, output_dtype=None",
          [](const Arguments& a) {
              return aten("amin", {a["inp"], a["dims"]});
          }},
    Entry{"var", "inp, dims, correction=1, *, output_dtype=None",
          [](const Arguments& a) {
              return aten("var", {a["inp"], a["dims"]}, {{"correction", a["correction"]}});
          }},
};

/// Elementwise operators that ATen has under the same name, or under the second one.
struct Renamed {
    std::string_view name, aten;
};
constexpr std::array<Renamed, 40> renamed{{
    {"abs", "abs"},
    {"acos", "acos"},
    {"add", "add"},
    {"asin", "asin"},
    {"atan", "atan"},
    {"atan2", "atan2"},
    {"bitwise_and", "bitwise_and"},
    {"bitwise_not", "bitwise_not"},
    {"bitwise_or", "bitwise_or"},
    {"bitwise_xor", "bitwise_xor"},
    {"cat", "cat"},
    {"ceil", "ceil"},
    {"cos", "cos"},
    {"div", "div"},
    {"eq", "eq"},
    {"erf", "erf"},
    {"exp", "exp"},
    {"floor", "floor"},
    {"fmod", "fmod"},
    {"ge", "ge"},
    {"gt", "gt"},
    {"isfinite", "isfinite"},
    {"le", "le"},
    {"log", "log"},
    {"lt", "lt"},
    {"maximum", "maximum"},
    {"minimum", "minimum"},
    {"mul", "mul"},
    {"ne", "ne"},
    {"neg", "neg"},
    {"pow", "pow"},
    {"reciprocal", "reciprocal"},
    {"rsqrt", "rsqrt"},
    {"sign", "sign"},
    {"sin", "sin"},
    {"sqrt", "sqrt"},
    {"sub", "sub"},
    {"tanh", "tanh"},
    {"where", "where"},
    {"clone", "clone"},
}};

/// Dynamo writes it into graphs of optimizers, so it is an operator here too: a trace keeps it.
// A Python that loads this (app/rank_host) has it already.
TORCH_LIBRARY_FRAGMENT(prims, library) {
    if (c10::Dispatcher::singleton().findSchema({"prims::fma", ""})) return;
    library.def("fma(Tensor a, Tensor b, Tensor c) -> Tensor");
    library.impl("fma", torch::dispatch(c10::DispatchKey::CompositeExplicitAutograd,
                                        [](const at::Tensor& a, const at::Tensor& b, const at::Tensor& c) {
                                            return at::addcmul(c, a, b);
                                        }));
}

} // namespace

std::optional<Function> primsFunction(std::string_view name) {
    if (const Entry* entry = findEntry(table, name)) return functionOf(*entry);
    for (const Renamed& row : renamed) {
        if (row.name == name) return [to = row.aten](const Call& call) { return callOverload(to, call); };
    }
    return std::nullopt;
}

} // namespace dynascope::engine::torch_level
