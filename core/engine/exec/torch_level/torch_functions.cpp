// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/exec/torch_level/torch_functions.h"

#include "core/engine/exec/torch_level/literals.h"
#include "core/engine/exec/torch_level/numbers.h"
#include "core/engine/exec/torch_level/overloads.h"
#include "core/engine/exec/torch_level/python_bodies.h"

#include <ATen/core/grad_mode.h>
#include <array>
#include <c10/core/DefaultDtype.h>

namespace dynascope::engine::torch_level {

namespace {

using Kind = Value::Kind;

std::optional<c10::ScalarType> dtypeFrom(const Value& value) {
    if (value.isNone()) return std::nullopt;
    return value.dtype();
}

/// torch.as_tensor and torch.asarray share the memory of a tensor; torch.tensor copies it.
Value asTensor(const Arguments& a) {
    const Value& data = a["data"];
    if (!data.isTensor()) return tensorFrom(data, dtypeFrom(a["dtype"]));
    return a["dtype"].isNone() ? data : aten("to", {data, a["dtype"]});
}

Value newTensor(const Arguments& a) {
    const Value& data = a["data"];
    if (data.isTensor()) {
        const Value dtype = a["dtype"].isNone() ? Value(data.tensor().scalar_type()) : a["dtype"];
        const Value copy =
            aten("to", {aten("detach", {data}), data.tensor().device(), dtype}, {{"copy", true}});
        return requiringGrad(copy.tensor(), a["requires_grad"]);
    }
    return requiringGrad(tensorFrom(data, dtypeFrom(a["dtype"])), a["requires_grad"]);
}

/// Functions that take their tensors one by one, or in one list.
Value listed(const Value& tensors) {
    const std::vector<Value>& items = tensors.items();
    return items.size() == 1 && items[0].isSequence() ? items[0] : tensors;
}

Value einsum(const Arguments& a) {
    return aten("einsum", {a["equation"], listed(a["operands"])});
}

Value meshgrid(const Arguments& a) {
    const Value tensors = listed(a["tensors"]);
    if (a["indexing"].isNone()) return aten("meshgrid", {tensors});
    return aten("meshgrid", {tensors}, {{"indexing", a["indexing"]}});
}

Value tensordot(const Arguments& a) {
    const Value& dims = a["dims"];
    if (dims.isSequence()) return aten("tensordot", {a["a"], a["b"], dims.items().at(0), dims.items().at(1)});
    const std::int64_t count = dims.integer();
    std::vector<std::int64_t> left, right;
    for (std::int64_t i = 0; i < count; ++i) {
        left.push_back(i - count);
        right.push_back(i);
    }
    return aten("tensordot", {a["a"], a["b"], Value(left), Value(right)});
}

Value broadcastShapes(const Arguments& a) {
    std::vector<std::int64_t> out;
    for (const Value& shape : a["shapes"].items()) {
        const std::vector<std::int64_t> sizes =
            shape.isInt() ? std::vector{shape.integer()} : shape.integers();
        if (sizes.size() > out.size()) out.insert(out.begin(), sizes.size() - out.size(), 1);
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            std::int64_t& size = out[out.size() - sizes.size() + i];
            TORCH_CHECK(size == sizes[i] || size == 1 || sizes[i] == 1, "the shapes cannot be broadcast");
            if (size == 1) size = sizes[i];
        }
    }
    return Value(out);
}

Value cdist(const Arguments& a) {
    const std::string& mode = a["compute_mode"].text();
    const Value number = mode == "use_mm_for_euclid_dist"         ? Value(1)
                         : mode == "donot_use_mm_for_euclid_dist" ? Value(2)
                                                                  : Value();
    return aten("cdist", {a["x1"], a["x2"], a["p"], number});
}

Value checked(const Arguments& a) {
    TORCH_CHECK(truth(a["condition"]),
                a["message"].isString() ? a["message"].text() : "a check of the program fails");
    return {};
}

Value checkedSize(const Arguments& a) {
    TORCH_CHECK(a["i"].integer() >= 0, "a size is negative: ", a["i"].integer());
    return {};
}

Value stft(const Arguments& a) {
    Value input = a["input"];
    if (a["center"].flag()) {
        const std::int64_t pad = a["n_fft"].integer() / 2;
        const at::Tensor tensor = input.tensor();
        std::vector<std::int64_t> extended(
            static_cast<std::size_t>(std::max<std::int64_t>(3 - tensor.dim(), 0)), 1);
        extended.insert(extended.end(), tensor.sizes().begin(), tensor.sizes().end());
        input = aten("pad", {aten("view", {input, Value(extended)}), Value::ints({pad, pad}), a["pad_mode"]});
        const std::vector<std::int64_t> padded = input.tensor().sizes().vec();
        input = aten("view",
                     {input, Value(std::vector<std::int64_t>(padded.end() - tensor.dim(), padded.end()))});
    }
    return aten("stft",
                {input, a["n_fft"], a["hop_length"], a["win_length"], a["window"], a["normalized"],
                 a["onesided"], a["return_complex"]},
                {{"align_to_window", a["align_to_window"]}});
}

Value lu(const Arguments& a) {
    const bool infos = a["get_infos"].flag();
    const Value found = aten("_lu_with_info", {a["A"]}, {{"pivot", a["pivot"]}, {"check_errors", !infos}});
    return infos ? found : Value::tuple({found.items().at(0), found.items().at(1)});
}

Value unravelIndex(const Arguments& a) {
    std::vector<std::int64_t> shape =
        a["shape"].isInt() ? std::vector{a["shape"].integer()} : a["shape"].integers();
    std::vector<Value> sizes, factors(shape.size());
    std::int64_t factor = 1;
    for (std::size_t i = shape.size(); i-- > 0; factor *= shape[i]) {
        TORCH_CHECK_VALUE(shape[i] >= 0, "'shape' cannot have negative values");
        factors[i] = factor;
    }
    for (const std::int64_t size : shape)
        sizes.emplace_back(size);
    const Value column = aten("unsqueeze", {a["indices"], -1});
    const Value divided =
        aten("floor_divide", {column, tensorFrom(Value::list(std::move(factors)), at::kLong)});
    const Value places = aten("remainder", {divided, tensorFrom(Value::list(std::move(sizes)), at::kLong)});
    return aten("unbind", {places, -1});
}

Value segmentReduce(const Call& call) {
    return callOverload("segment_reduce", call);
}

Value setDefault(const Arguments&) {
    TORCH_CHECK(false, "changing the default dtype is not supported");
}

constexpr std::array table{
    Entry{"tensor", "data, *, dtype=None, device=None, requires_grad=False, pin_memory=False", newTensor},
    Entry{"as_tensor", "data, dtype=None, device=None", asTensor},
    Entry{"asarray", "data, *, dtype=None, device=None, copy=None, requires_grad=False", asTensor},
    Entry{"is_tensor", "obj", [](const Arguments& a) { return Value(a["obj"].isTensor()); }},
    Entry{"numel", "input", [](const Arguments& a) { return Value(a["input"].tensor().numel()); }},
    Entry{"is_grad_enabled", "", [](const Arguments&) { return Value(at::GradMode::is_enabled()); }},
    Entry{"get_default_dtype", "",
          [](const Arguments&) { return Value(c10::get_default_dtype_as_scalartype()); }},
    Entry{"set_default_dtype", "d", setDefault},
    Entry{"Size", "sizes=()", [](const Arguments& a) { return Value(a["sizes"].integers()); }},
    Entry{"device", "type, index=None", [](const Arguments&) { return Value(c10::Device(c10::kCPU)); }},
    Entry{"norm", "input, p='fro', dim=None, keepdim=False, out=None, dtype=None", norm},
    Entry{"split", "tensor, split_size_or_sections, dim=0",
          [](const Arguments& a) {
              return aten("split", {a["tensor"], a["split_size_or_sections"], a["dim"]});
          }},
    Entry{"einsum", "equation, *operands", einsum},
    Entry{"meshgrid", "*tensors, indexing=None", meshgrid},
    Entry{"tensordot", "a, b, dims=2, out=None", tensordot},
    Entry{"broadcast_tensors", "*tensors",
          [](const Arguments& a) { return aten("broadcast_tensors", {listed(a["tensors"])}); }},
    Entry{"broadcast_shapes", "*shapes", broadcastShapes},
    Entry{"block_diag", "*tensors",
          [](const Arguments& a) { return aten("block_diag", {listed(a["tensors"])}); }},
    Entry{"cartesian_prod", "*tensors",
          [](const Arguments& a) { return aten("cartesian_prod", {listed(a["tensors"])}); }},
    Entry{"chain_matmul", "*tensors",
          [](const Arguments& a) { return aten("linalg_multi_dot", {listed(a["tensors"])}); }},
    Entry{"cdist", "x1, x2, p=2.0, compute_mode='use_mm_for_euclid_dist_if_necessary'", cdist},
    Entry{"unique", "input, sorted=True, return_inverse=False, return_counts=False, dim=None", unique},
    Entry{"unique_consecutive", "input, return_inverse=False, return_counts=False, dim=None",
          uniqueConsecutive},
    Entry{"nonzero", "input, *, as_tuple=False", nonzero},
    Entry{"lu", "A, pivot=True, get_infos=False", lu},
    Entry{"unravel_index", "indices, shape", unravelIndex},
    Entry{"stft",
          "input, n_fft, hop_length=None, win_length=None, window=None, center=True, pad_mode='reflect', "
          "normalized=False, onesided=None, return_complex=None, align_to_window=None",
          stft},
    Entry{"_assert", "condition, message=None", checked},
    Entry{"_check", "condition, message=None", checked},
    Entry{"_check_index", "condition, message=None", checked},
    Entry{"_check_value", "condition, message=None", checked},
    Entry{"_check_type", "condition, message=None", checked},
    Entry{"_check_tensor_all", "condition, message=None", checked},
    Entry{"_check_is_size", "i, message=None, *, max=None", checkedSize},
    Entry{"compiler.is_compiling", "", [](const Arguments&) { return Value(false); }},
    Entry{"are_deterministic_algorithms_enabled", "", [](const Arguments&) { return Value(false); }},
};

/// Python files of PyTorch's whose functions Dynamo leaves whole.
struct Package {
    std::string_view prefix;
    std::span<const Entry> (*functions)();
};
constexpr std::array packages{
    Package{"masked._ops.", maskedFunctions},
    Package{"signal.windows.windows.", windowFunctions},
    Package{"_lowrank.", lowRankFunctions},
};

} // namespace

Value norm(const Arguments& a) {
    const Value& p = a["p"];
    Value dim = a["dim"];
    if (dim.isInt()) dim = Value::list({dim});
    std::vector<std::pair<std::string, Value>> dtype;
    if (!a["dtype"].isNone()) dtype.emplace_back("dtype", a["dtype"]);
    if (p.isString() && p.text() == "nuc") {
        if (dim.isNone()) dim = Value::ints({-2, -1});
        return aten("linalg_matrix_norm", {a["input"], "nuc", dim, a["keepdim"]}, dtype);
    }
    if (p.isString() && p.text() != "fro")
        return aten("linalg_matrix_norm", {a["input"], p, dim, a["keepdim"]}, dtype);
    if (p.isString() && dim.isSequence() && dim.items().size() > 2)
        return aten("linalg_matrix_norm", {a["input"], p, dim, a["keepdim"]}, dtype);
    const Value order = p.isNone() ? Value(2.0) : p.isString() ? Value(2) : p;
    return aten("linalg_vector_norm", {a["input"], order, dim, a["keepdim"]}, dtype);
}

namespace {
/// The tensors that were asked for: one alone, several as a tuple.
Value chosen(const Value& all, const Arguments& a) {
    std::vector<Value> out{all.items()[0]};
    if (a["return_inverse"].flag()) out.push_back(all.items()[1]);
    if (a["return_counts"].flag()) out.push_back(all.items()[2]);
    return out.size() == 1 ? out[0] : Value::tuple(std::move(out));
}
} // namespace

Value unique(const Arguments& a) {
    if (a["dim"].isNone())
        return chosen(aten("_unique2", {a["input"], a["sorted"], a["return_inverse"], a["return_counts"]}),
                      a);
    return chosen(
        aten("unique_dim", {a["input"], a["dim"], a["sorted"], a["return_inverse"], a["return_counts"]}), a);
}

Value uniqueConsecutive(const Arguments& a) {
    return chosen(aten("unique_consecutive", {a["input"], a["return_inverse"], a["return_counts"], a["dim"]}),
                  a);
}

Value nonzero(const Arguments& a) {
    return aten(a["as_tuple"].flag() ? "nonzero_numpy" : "nonzero", {a["input"]});
}

Value requiringGrad(at::Tensor tensor, const Value& flag) {
    if (!flag.isNone() && flag.flag()) tensor.requires_grad_(true);
    return tensor;
}

std::optional<Function> torchFunction(std::string_view name) {
    for (const Package& package : packages) {
        if (!name.starts_with(package.prefix)) continue;
        const Entry* entry = findEntry(package.functions(), name.substr(package.prefix.size()));
        return entry ? std::optional(functionOf(*entry)) : std::nullopt;
    }
    if (name.starts_with("functional.")) name.remove_prefix(11);
    if (const Entry* entry = findEntry(table, name)) return functionOf(*entry);
    if (name == "_segment_reduce") return segmentReduce;
    return std::nullopt;
}

} // namespace dynascope::engine::torch_level
