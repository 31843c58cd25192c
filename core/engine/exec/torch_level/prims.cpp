// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/exec/torch_level/prims.h"

#include "core/engine/exec/torch_level/overloads.h"

#include <ATen/ops/addcmul.h>
#include <array>
#include <torch/library.h>

namespace dynascope::engine::torch_level {

namespace {

Value iota(const Arguments& a) {
    const std::int64_t start = a["start"].integer(), step = a["step"].integer(),
                       length = a["length"].integer();
    std::int64_t reach = 0;
    TORCH_CHECK(!__builtin_mul_overflow(step, length, &reach) &&
                    !__builtin_add_overflow(reach, start, &reach),
                "iota leaves 64 bits");
    return aten("arange", {start, reach, step}, {{"dtype", a["dtype"]}});
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

Value random(const Arguments& a) {
    return aten(a["mode"].text() == "randn" ? "randn" : "rand", {a["size"]});
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
    Entry{"inductor_seed", "device",
          [](const Arguments&) {
              return aten("randint", {0, 1 << 30, Value::tuple({})});
          }},
    Entry{"inductor_seeds", "count, device",
          [](const Arguments& a) {
              return aten("randint", {0, 1 << 30, Value::list({a["count"]})});
          }},
    Entry{"inductor_lookup_seed", "seeds, index",
          [](const Arguments& a) {
              return aten("select", {a["seeds"], 0, a["index"]});
          }},
    Entry{"inductor_random", "size, seed, mode, *, offset=0", random},
    Entry{"inductor_randint", "low, high, size, seed, *, offset=0",
          [](const Arguments& a) {
              return aten("randint", {a["low"], a["high"], a["size"]});
          }},
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
TORCH_LIBRARY(prims, library) {
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
