// SPDX-License-Identifier: BSD-3-Clause
//
// torch/_numpy/_normalizations.py, _util.py and _dtypes.py of PyTorch 2.13.
#include "core/engine/exec/torch_level/numpy_arrays.h"

#include "core/engine/exec/torch_level/literals.h"
#include "core/engine/exec/torch_level/resolve.h"

#include <algorithm>
#include <array>
#include <c10/core/DefaultDtype.h>

namespace dynascope::engine::torch_level::numpy {

namespace {

using c10::ScalarType;

struct DtypeName {
    std::string_view name;
    ScalarType dtype;
};
constexpr std::array<DtypeName, 57> dtypeNames{{
    {"bool", at::kBool},
    {"bool_", at::kBool},
    {"?", at::kBool},
    {"int8", at::kChar},
    {"byte", at::kChar},
    {"b", at::kChar},
    {"i1", at::kChar},
    {"int16", at::kShort},
    {"short", at::kShort},
    {"h", at::kShort},
    {"i2", at::kShort},
    {"int32", at::kInt},
    {"intc", at::kInt},
    {"i", at::kInt},
    {"i4", at::kInt},
    {"int64", at::kLong},
    {"int", at::kLong},
    {"int_", at::kLong},
    {"intp", at::kLong},
    {"longlong", at::kLong},
    {"l", at::kLong},
    {"i8", at::kLong},
    {"uint8", at::kByte},
    {"ubyte", at::kByte},
    {"B", at::kByte},
    {"u1", at::kByte},
    {"uint16", at::kUInt16},
    {"H", at::kUInt16},
    {"uint32", at::kUInt32},
    {"I", at::kUInt32},
    {"uint64", at::kUInt64},
    {"L", at::kUInt64},
    {"float16", at::kHalf},
    {"half", at::kHalf},
    {"e", at::kHalf},
    {"f2", at::kHalf},
    {"float32", at::kFloat},
    {"single", at::kFloat},
    {"f", at::kFloat},
    {"f4", at::kFloat},
    {"float64", at::kDouble},
    {"float", at::kDouble},
    {"float_", at::kDouble},
    {"double", at::kDouble},
    {"d", at::kDouble},
    {"f8", at::kDouble},
    {"complex64", at::kComplexFloat},
    {"csingle", at::kComplexFloat},
    {"F", at::kComplexFloat},
    {"c8", at::kComplexFloat},
    {"complex128", at::kComplexDouble},
    {"complex", at::kComplexDouble},
    {"complex_", at::kComplexDouble},
    {"cdouble", at::kComplexDouble},
    {"cfloat", at::kComplexDouble},
    {"D", at::kComplexDouble},
    {"c16", at::kComplexDouble},
}};

bool isUnsigned(ScalarType dtype) {
    return dtype == at::kByte || dtype == at::kUInt16 || dtype == at::kUInt32 || dtype == at::kUInt64;
}

std::size_t bytesOf(ScalarType dtype) {
    return c10::elementSize(dtype) / (c10::isComplexType(dtype) ? 2 : 1);
}

/// Bytes of the smallest float that holds every value, as NumPy counts it.
std::size_t floatBytes(ScalarType dtype) {
    const std::size_t bytes = bytesOf(dtype);
    return isInexact(dtype) ? bytes : std::min<std::size_t>(2 * bytes, 8);
}

/// While it lives, floats without a dtype are double.
class DoubleByDefault {
public:
    DoubleByDefault()
        : m_before(c10::get_default_dtype()) {
        c10::set_default_dtype(caffe2::TypeMeta::Make<double>());
    }
    ~DoubleByDefault() { c10::set_default_dtype(m_before); }
    DoubleByDefault(const DoubleByDefault&) = delete;
    DoubleByDefault& operator=(const DoubleByDefault&) = delete;

private:
    caffe2::TypeMeta m_before;
};

bool holdsTensor(const Value& value) {
    if (!value.isSequence()) return value.isTensor();
    return std::any_of(value.items().begin(), value.items().end(), holdsTensor);
}

Value called(const Found& found, std::string_view name, std::vector<Value> args, Keywords kwargs) {
    TORCH_CHECK(found.function, name, " ", found.verdict.reason);
    return found.function(Call{std::move(args), std::move(kwargs), nullptr});
}

} // namespace

Value torchCall(std::string_view name, std::vector<Value> args, Keywords kwargs) {
    return called(findFunction("torch." + std::string(name)), name, std::move(args), std::move(kwargs));
}

Value method(std::string_view name, std::vector<Value> args, Keywords kwargs) {
    return called(findMethod(name), name, std::move(args), std::move(kwargs));
}

std::optional<ScalarType> dtypeOf(const Value& dtype) {
    if (dtype.isNone()) return std::nullopt;
    if (!dtype.isString()) return dtype.dtype();
    for (const DtypeName& row : dtypeNames)
        if (row.name == dtype.text()) return row.dtype;
    TORCH_CHECK_TYPE(false, "NumPy's dtype '", dtype.text(), "' has no counterpart in PyTorch");
}

ScalarType promoted(ScalarType a, ScalarType b) {
    if (a == b || b == at::kBool) return a;
    if (a == at::kBool) return b;
    if (!isInexact(a) && !isInexact(b)) {
        if (isUnsigned(a) == isUnsigned(b)) return bytesOf(a) >= bytesOf(b) ? a : b;
        const auto [natural, integer] = isUnsigned(a) ? std::pair(a, b) : std::pair(b, a);
        if (bytesOf(integer) > bytesOf(natural)) return integer;
        constexpr std::array wider{at::kShort, at::kInt, at::kInt, at::kLong};
        return bytesOf(natural) == 8 ? at::kDouble : wider[bytesOf(natural) - 1];
    }
    const std::size_t bytes = std::max(floatBytes(a), floatBytes(b));
    if (c10::isComplexType(a) || c10::isComplexType(b))
        return bytes == 8 ? at::kComplexDouble : at::kComplexFloat;
    return bytes == 8 ? at::kDouble : bytes == 4 ? at::kFloat : at::kHalf;
}

ScalarType resultType(std::span<const Value> tensors) {
    TORCH_CHECK_VALUE(!tensors.empty(), "need at least one array");
    ScalarType out = dtypeOfTensor(tensors[0]);
    for (const Value& tensor : tensors.subspan(1))
        out = promoted(out, dtypeOfTensor(tensor));
    return out;
}

ScalarType dtypeOfNumber(const Value& number) {
    switch (number.kind()) {
    case Value::Kind::Bool:
        return at::kBool;
    case Value::Kind::Int:
        return at::kLong;
    case Value::Kind::Float:
        return at::kDouble;
    default:
        TORCH_CHECK_TYPE(number.kind() == Value::Kind::Complex, "a number is needed here, not ",
                         number.typeName());
        return at::kComplexDouble;
    }
}

Value array(const Value& value) {
    if (value.isTensor()) return value;
    if (holdsTensor(value)) {
        const bool all = std::all_of(value.items().begin(), value.items().end(),
                                     [](const Value& item) { return item.isTensor(); });
        TORCH_CHECK(all, "an array of a list that holds arrays and numbers is not supported");
        return torchCall("stack", {value});
    }
    const DoubleByDefault guard;
    return tensorFrom(value, std::nullopt);
}

Value arrayOrNumber(const Value& value) {
    return value.isNone() || value.isNumber() ? value : array(value);
}

std::vector<Value> arrays(const Value& sequence) {
    std::vector<Value> out;
    if (sequence.isTensor()) return method("unbind", {sequence}).items();
    for (const Value& item : sequence.items())
        out.push_back(array(item));
    return out;
}

Value cast(const Value& tensor, std::optional<ScalarType> dtype) {
    return dtype && dtypeOfTensor(tensor) != *dtype ? method("to", {tensor, *dtype}) : tensor;
}

std::vector<Value> castTogether(std::vector<Value> tensors, const Value& dtype) {
    const ScalarType to = dtypeOf(dtype).value_or(resultType(tensors));
    for (Value& tensor : tensors)
        tensor = cast(tensor, to);
    return tensors;
}

std::int64_t axisOf(std::int64_t axis, std::int64_t rank) {
    TORCH_CHECK_INDEX(-rank <= axis && axis < rank, "axis ", axis,
                      " is out of bounds for array of dimension ", rank);
    return axis < 0 ? axis + rank : axis;
}

Dims axesOf(const Value& axis, std::int64_t rank) {
    Dims out = axis.isSequence() ? axis.integers() : Dims{axis.integer()};
    for (std::int64_t& one : out)
        one = axisOf(one, rank);
    return out;
}

std::pair<Value, std::int64_t> alongAxis(const Value& tensor, const Value& axis) {
    if (axis.isNone()) return {method("flatten", {tensor}), 0};
    return {tensor, axisOf(axis.integer(), tensor.tensor().dim())};
}

Dims expandedShape(at::IntArrayRef shape, const Value& axis) {
    const std::size_t added = axis.isSequence() ? axis.items().size() : 1;
    const Dims axes = axesOf(axis, static_cast<std::int64_t>(shape.size() + added));
    Dims out;
    std::size_t next = 0;
    for (std::size_t i = 0; i < shape.size() + added; ++i) {
        const bool one = std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(i)) != axes.end();
        out.push_back(one ? 1 : shape[next++]);
    }
    return out;
}

Value copiedTo(const Value& out, const Value& result) {
    if (out.isNone()) return result;
    TORCH_CHECK_VALUE(out.tensor().sizes() == result.tensor().sizes(), "Bad size of the out array");
    (void)method("copy_", {out, result});
    return out;
}

} // namespace dynascope::engine::torch_level::numpy
