// SPDX-License-Identifier: BSD-3-Clause
//
// Products and diagonals of torch._numpy in PyTorch 2.13, and NumPy's functions by name.
#include "core/engine/exec/torch_level/numpy_functions.h"

#include "core/engine/exec/torch_level/numpy_arrays.h"

#include <algorithm>
#include <array>

namespace dynascope::engine::torch_level {

namespace numpy {

namespace {

std::int64_t rankOf(const Value& tensor) {
    return tensor.tensor().dim();
}

/// Products of half and of bool are worked out in other dtypes; dot and einsum of half are not.
Value product(std::vector<Value> x, bool halfAsFloat, Value (*multiply)(const Value&, const Value&)) {
    const c10::ScalarType dtype = resultType(x);
    const bool half = dtype == at::kHalf && halfAsFloat;
    const c10::ScalarType work = half ? at::kFloat : dtype == at::kBool ? at::kByte : dtype;
    return cast(multiply(cast(x[0], work), cast(x[1], work)),
                work == dtype ? std::optional<c10::ScalarType>() : dtype);
}

Value dot(const Arguments& a) {
    const Value out = product({array(a["a"]), array(a["b"])}, false, [](const Value& x, const Value& y) {
        return torchCall(rankOf(x) == 0 || rankOf(y) == 0 ? "mul" : "matmul", {x, y});
    });
    return copiedTo(a["out"], out);
}

Value inner(const Arguments& a) {
    return product({array(a["a"]), array(a["b"])}, true, [](const Value& x, const Value& y) {
        return torchCall("inner", {x, y});
    });
}

Value vdot(const Arguments& a) {
    std::vector<Value> x = torchCall("atleast_1d", {array(a["a"]), array(a["b"])}).items();
    for (Value& one : x)
        if (rankOf(one) > 1) one = method("flatten", {one});
    return product(std::move(x), true, [](const Value& left, const Value& right) {
        return torchCall("vdot", {left, right});
    });
}

Value tensordot(const Arguments& a) {
    const std::vector<Value> x = castTogether({array(a["a"]), array(a["b"])});
    Value axes = a["axes"];
    if (axes.isSequence()) {
        std::vector<Value> lists;
        for (const Value& one : axes.items())
            lists.push_back(one.isInt() ? Value::list({one}) : one);
        axes = Value::list(std::move(lists));
    }
    return torchCall("tensordot", {x[0], x[1]}, {{"dims", axes}});
}

Value einsum(const Arguments& a) {
    std::vector<Value> operands = a["operands"].items();
    TORCH_CHECK(!operands.empty() && operands[0].isString(), "einsum with lists of axes is not supported");
    const Value equation = operands[0];
    operands.erase(operands.begin());
    for (Value& operand : operands)
        operand = array(operand);
    c10::ScalarType dtype = dtypeOf(a["dtype"]).value_or(resultType(operands));
    if (dtype == at::kHalf) dtype = at::kFloat;
    if (c10::isIntegralType(dtype, false)) dtype = at::kLong;
    operands = castTogether(std::move(operands), dtype);
    operands.insert(operands.begin(), equation);
    return copiedTo(a["out"], torchCall("functional.einsum", std::move(operands)));
}

Value diagonal(const Arguments& a) {
    const Value x = array(a["a"]);
    return torchCall("diagonal", {x, a["offset"], axisOf(a["axis1"].integer(), rankOf(x)),
                                  axisOf(a["axis2"].integer(), rankOf(x))});
}

Value trace(const Arguments& a) {
    const Value diagonal =
        torchCall("diagonal", {array(a["a"]), a["offset"]}, {{"dim1", a["axis1"]}, {"dim2", a["axis2"]}});
    const auto dtype = dtypeOf(a["dtype"]);
    return copiedTo(a["out"], method("sum", {diagonal, -1}, {{"dtype", dtype ? Value(*dtype) : Value()}}));
}

constexpr std::array productTable{
    Entry{"dot", "a, b, out=None", dot},
    Entry{"inner", "a, b", inner},
    Entry{"vdot", "a, b", vdot},
    Entry{"outer", "a, b, out=None",
          [](const Arguments& a) {
              return copiedTo(a["out"], torchCall("outer", {array(a["a"]), array(a["b"])}));
          }},
    Entry{"kron", "a, b",
          [](const Arguments& a) {
              return torchCall("kron", {array(a["a"]), array(a["b"])});
          }},
    Entry{"tensordot", "a, b, axes=2", tensordot},
    Entry{"einsum", "*operands, out=None, dtype=None, order='K', casting='safe', optimize=False", einsum},
    Entry{"diagonal", "a, offset=0, axis1=0, axis2=1", diagonal},
    Entry{"trace", "a, offset=0, axis1=0, axis2=1, dtype=None, out=None", trace},
    Entry{"diag", "v, k=0",
          [](const Arguments& a) {
              return torchCall("diag", {array(a["v"]), a["k"]});
          }},
    Entry{"tril", "m, k=0",
          [](const Arguments& a) {
              return torchCall("tril", {array(a["m"]), a["k"]});
          }},
    Entry{"triu", "m, k=0",
          [](const Arguments& a) {
              return torchCall("triu", {array(a["m"]), a["k"]});
          }},
};

/// np.float32(2): an array without dimensions.
std::optional<Function> scalarType(std::string_view name) {
    constexpr std::array<std::string_view, 14> types{
        "bool_",  "int8",   "int16",   "int32",   "int64",   "uint8",     "uint16",
        "uint32", "uint64", "float16", "float32", "float64", "complex64", "complex128"};
    if (std::find(types.begin(), types.end(), name) == types.end()) return std::nullopt;
    return [dtype = *dtypeOf(std::string(name))](const Call& call) {
        TORCH_CHECK_TYPE(call.args.size() == 1, "takes 1 argument, not ", call.args.size());
        return cast(array(call.args[0]), dtype);
    };
}

} // namespace

std::span<const Entry> products() {
    return productTable;
}

} // namespace numpy

std::string_view numpyName(std::string_view target) {
    for (const std::string_view prefix : {"torch__dynamo_utils_", "torch._dynamo.utils."}) {
        if (!target.starts_with(prefix)) continue;
        target.remove_prefix(prefix.size());
        constexpr std::string_view wrapped = "wrapped_", attribute = "numpy_attr_wrapper";
        if (!target.starts_with(wrapped) && !target.starts_with(attribute)) return {};
        const std::size_t line = target.rfind('_');
        const std::string_view number = target.substr(line + 1);
        const bool numbered =
            !number.empty() && number.find_first_not_of("0123456789") == std::string_view::npos;
        if (numbered) target = target.substr(0, line);
        return target.starts_with(wrapped) ? target.substr(wrapped.size()) : target;
    }
    return {};
}

std::optional<Function> numpyFunction(std::string_view target) {
    const std::string_view name = numpyName(target);
    if (name.empty()) return std::nullopt;
    if (auto function = numpy::ufunc(name)) return function;
    for (const std::span<const Entry> table :
         {numpy::elements(), numpy::reductions(), numpy::creations(), numpy::shapes(), numpy::products()})
        if (const Entry* entry = findEntry(table, name)) return functionOf(*entry);
    return numpy::scalarType(name);
}

} // namespace dynascope::engine::torch_level
