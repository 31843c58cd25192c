// SPDX-License-Identifier: BSD-3-Clause
//
// torch/_numpy/_ufuncs.py of PyTorch 2.13.
#include "core/engine/exec/torch_level/numpy_arrays.h"
#include "core/engine/exec/torch_level/numpy_functions.h"

#include <algorithm>
#include <array>

namespace dynascope::engine::torch_level::numpy {

namespace {

enum class Numbers : std::uint8_t {
    Typed,  ///< a number becomes a tensor of its own dtype
    Weak,   ///< a number takes the other one's dtype, where that is of no lesser kind (NEP 50)
    Tensor, ///< the same, and it becomes a tensor always
};

/// A function of two arrays, by the name in a capture: PyTorch's, an operator's or a method's.
struct Binary {
    std::string_view name, torch;
    Numbers numbers = Numbers::Typed;
};
constexpr std::array<Binary, 53> binaries{{
    {"add", "add", Numbers::Weak},
    {"subtract", "subtract", Numbers::Weak},
    {"sub", "subtract", Numbers::Weak},
    {"multiply", "multiply", Numbers::Weak},
    {"mul", "multiply", Numbers::Weak},
    {"divide", "divide", Numbers::Weak},
    {"truediv", "divide", Numbers::Weak},
    {"true_divide", "true_divide", Numbers::Weak},
    {"floor_divide", "floor_divide", Numbers::Weak},
    {"floordiv", "floor_divide", Numbers::Weak},
    {"remainder", "remainder", Numbers::Weak},
    {"mod", "remainder", Numbers::Weak},
    {"pow", "pow", Numbers::Weak},
    {"float_power", "float_power"},
    {"bitwise_and", "bitwise_and", Numbers::Weak},
    {"and", "bitwise_and", Numbers::Weak},
    {"and_", "bitwise_and", Numbers::Weak},
    {"bitwise_or", "bitwise_or", Numbers::Weak},
    {"or", "bitwise_or", Numbers::Weak},
    {"or_", "bitwise_or", Numbers::Weak},
    {"bitwise_xor", "bitwise_xor", Numbers::Weak},
    {"xor", "bitwise_xor", Numbers::Weak},
    {"bitwise_left_shift", "bitwise_left_shift", Numbers::Weak},
    {"lshift", "bitwise_left_shift", Numbers::Weak},
    {"bitwise_right_shift", "bitwise_right_shift", Numbers::Weak},
    {"rshift", "bitwise_right_shift", Numbers::Weak},
    {"hypot", "hypot", Numbers::Tensor},
    {"arctan2", "arctan2", Numbers::Tensor},
    {"logaddexp", "logaddexp", Numbers::Tensor},
    {"logaddexp2", "logaddexp2", Numbers::Tensor},
    {"heaviside", "heaviside", Numbers::Tensor},
    {"copysign", "copysign", Numbers::Tensor},
    {"fmax", "fmax", Numbers::Tensor},
    {"fmin", "fmin", Numbers::Tensor},
    {"maximum", "maximum", Numbers::Tensor},
    {"minimum", "minimum", Numbers::Tensor},
    {"fmod", "fmod", Numbers::Tensor},
    {"gcd", "gcd", Numbers::Tensor},
    {"lcm", "lcm", Numbers::Tensor},
    {"nextafter", "nextafter"},
    {"logical_and", "logical_and"},
    {"logical_or", "logical_or"},
    {"logical_xor", "logical_xor"},
    {"eq", "eq"},
    {"not_equal", "not_equal"},
    {"greater", "greater"},
    {"gt", "greater"},
    {"greater_equal", "greater_equal"},
    {"ge", "greater_equal"},
    {"less", "less"},
    {"lt", "less"},
    {"less_equal", "less_equal"},
    {"le", "less_equal"},
}};

struct Unary {
    std::string_view name, torch;
    bool toFloat = false; ///< integers become floats
};
constexpr std::array<Unary, 43> unaries{{
    {"arccos", "arccos", true},
    {"arccosh", "arccosh", true},
    {"arcsin", "arcsin", true},
    {"arcsinh", "arcsinh", true},
    {"arctan", "arctan", true},
    {"arctanh", "arctanh", true},
    {"cos", "cos", true},
    {"cosh", "cosh", true},
    {"deg2rad", "deg2rad", true},
    {"exp", "exp", true},
    {"exp2", "exp2", true},
    {"expm1", "expm1", true},
    {"log", "log", true},
    {"log10", "log10", true},
    {"log1p", "log1p", true},
    {"log2", "log2", true},
    {"rad2deg", "rad2deg", true},
    {"reciprocal", "reciprocal", true},
    {"sin", "sin", true},
    {"sinh", "sinh", true},
    {"sqrt", "sqrt", true},
    {"square", "square", true},
    {"tan", "tan", true},
    {"tanh", "tanh", true},
    {"trunc", "trunc", true},
    {"bitwise_not", "bitwise_not"},
    {"invert", "bitwise_not"},
    {"inv", "bitwise_not"},
    {"ceil", "ceil"},
    {"floor", "floor"},
    {"conj_physical", "conj_physical"},
    {"conj", "conj_physical"},
    {"conjugate", "conj_physical"},
    {"isfinite", "isfinite"},
    {"isinf", "isinf"},
    {"isnan", "isnan"},
    {"logical_not", "logical_not"},
    {"negative", "negative"},
    {"neg", "negative"},
    {"sign", "sign"},
    {"signbit", "signbit"},
    {"positive", "positive"},
    {"pos", "positive"},
}};

/// 0 to 3: bool, integer, float, complex.
int categoryOf(c10::ScalarType dtype) {
    if (dtype == at::kBool) return 0;
    return c10::isComplexType(dtype) ? 3 : c10::isFloatingType(dtype) ? 2 : 1;
}

Value typed(const Value& value, std::optional<c10::ScalarType> dtype = std::nullopt) {
    if (value.isTensor()) return value;
    return torchCall("as_tensor", {value}, {{"dtype", dtype.value_or(dtypeOfNumber(value))}});
}

/// A number beside a tensor.
Value weak(const Value& number, c10::ScalarType other, Numbers numbers) {
    const c10::ScalarType own = dtypeOfNumber(number);
    std::optional<c10::ScalarType> dtype;
    if (categoryOf(own) <= categoryOf(other)) dtype = other;
    if (c10::isComplexType(own) && other == at::kFloat) dtype = at::kComplexFloat;
    if (own == dtype && numbers != Numbers::Tensor) return number;
    return typed(number, dtype);
}

std::pair<Value, Value> together(const Value& a, const Value& b, Numbers numbers) {
    if (a.isTensor() && b.isTensor()) {
        const std::vector<Value> cast = castTogether({a, b});
        return {cast[0], cast[1]};
    }
    if (numbers == Numbers::Typed || a.isTensor() == b.isTensor()) return {typed(a), typed(b)};
    if (a.isTensor()) return {a, weak(b, dtypeOfTensor(a), numbers)};
    return {weak(a, dtypeOfTensor(b), numbers), b};
}

Value intoOut(const Value& out, const Value& result) {
    if (out.isNone()) return result;
    const Value cast = numpy::cast(result, dtypeOfTensor(out));
    return copiedTo(out, torchCall("broadcast_to", {cast, Value(out.tensor().sizes().vec())}));
}

/// Python's comparison of a number with an array is the array's with the number.
std::string_view mirrored(std::string_view name) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 4> mirrors{
        {{"lt", "greater"}, {"gt", "less"}, {"le", "greater_equal"}, {"ge", "less_equal"}}};
    for (const auto& [from, to] : mirrors)
        if (from == name) return to;
    return {};
}

Value binaryUfunc(const Binary& row, const Arguments& a) {
    Value x = arrayOrNumber(a["x1"]), y = arrayOrNumber(a["x2"]);
    if (const bool numberFirst = x.isNumber() && y.isTensor(); numberFirst) {
        TORCH_CHECK(row.name != "eq", "np.equal and == have one name in a capture");
        const std::string_view other = mirrored(row.name);
        if (!other.empty()) return torchCall(other, {y, typed(x)});
    }
    if (const auto dtype = dtypeOf(a["dtype"])) {
        for (Value* operand : {&x, &y})
            *operand = operand->isTensor() ? numpy::cast(*operand, *dtype) : typed(*operand, *dtype);
    } else {
        std::tie(x, y) = together(x, y, row.numbers);
    }
    return intoOut(a["out"], torchCall(row.torch, {x, y}));
}

Value unaryUfunc(const Unary& row, const Arguments& a) {
    Value x = numpy::cast(array(a["x"]), dtypeOf(a["dtype"]));
    if (row.toFloat && categoryOf(dtypeOfTensor(x)) < 2) x = numpy::cast(x, at::kDouble);
    return intoOut(a["out"], torchCall(row.torch, {x}));
}

Value matmul(const Arguments& a) {
    std::vector<Value> x{array(a["x1"]), array(a["x2"])};
    const c10::ScalarType dtype = dtypeOf(a["dtype"]).value_or(resultType(x));
    const bool half = dtype == at::kHalf;
    const c10::ScalarType work = dtype == at::kBool ? at::kByte : half ? at::kFloat : dtype;
    for (Value& operand : x)
        operand = numpy::cast(numpy::cast(operand, dtype), work);
    return intoOut(a["out"], numpy::cast(torchCall("matmul", {x[0], x[1]}), dtype));
}

Value notEqual(const Arguments& a) {
    auto [x, y] = together(arrayOrNumber(a["x1"]), arrayOrNumber(a["x2"]), Numbers::Typed);
    if (a["x1"].isNumber()) std::swap(x, y);
    return torchCall("bitwise_not", {torchCall("eq", {x, y})});
}

constexpr std::string_view binarySignature =
    "x1, x2, out=None, *, where=True, casting='same_kind', order='K', dtype=None, subok=False, **options";
constexpr std::string_view unarySignature =
    "x, out=None, *, where=True, casting='same_kind', order='K', dtype=None, subok=False, **options";

constexpr std::array ufuncTable{
    Entry{"matmul", binarySignature, matmul},
    Entry{"ne", "x1, x2", notEqual}, // Python's operator; np.not_equal is another function
    Entry{"absolute", unarySignature,
          [](const Arguments& a) {
              const Value x = numpy::cast(array(a["x"]), dtypeOf(a["dtype"]));
              return intoOut(a["out"], dtypeOfTensor(x) == at::kBool ? x : torchCall("absolute", {x}));
          }},
    Entry{"abs", "x",
          [](const Arguments& a) {
              const Value x = array(a["x"]);
              return dtypeOfTensor(x) == at::kBool ? x : torchCall("absolute", {x});
          }},
    Entry{"cbrt", unarySignature,
          [](const Arguments& a) {
              Value x = numpy::cast(array(a["x"]), dtypeOf(a["dtype"]));
              if (categoryOf(dtypeOfTensor(x)) < 2) x = numpy::cast(x, at::kDouble);
              return intoOut(a["out"], torchCall("pow", {x, 1.0 / 3.0}));
          }},
};

/// x += y and the like: the result goes into x.
std::optional<Function> inPlace(std::string_view name) {
    if (!name.starts_with('i')) return std::nullopt;
    const std::optional<Function> plain = ufunc(name.substr(1));
    if (!plain) return std::nullopt;
    return [plain](const Call& call) {
        Call into = call;
        TORCH_CHECK_TYPE(call.args.size() == 2, "takes 2 arguments, not ", call.args.size());
        into.kwargs.emplace_back("out", call.args[0]);
        return (*plain)(into);
    };
}

} // namespace

std::optional<Function> ufunc(std::string_view name) {
    if (const Entry* entry = findEntry(ufuncTable, name)) return functionOf(*entry);
    for (const Binary& row : binaries) {
        if (row.name != name) continue;
        return [&row, signature = std::make_shared<const Signature>(binarySignature)](const Call& call) {
            return binaryUfunc(row, signature->bind(call));
        };
    }
    for (const Unary& row : unaries) {
        if (row.name != name) continue;
        return [&row, signature = std::make_shared<const Signature>(unarySignature)](const Call& call) {
            return unaryUfunc(row, signature->bind(call));
        };
    }
    constexpr std::array<std::string_view, 13> inPlaces{
        "iadd", "isub", "imul", "itruediv", "ifloordiv", "ipow",   "imod",
        "iand", "ior",  "ixor", "ilshift",  "irshift",   "imatmul"};
    if (std::find(inPlaces.begin(), inPlaces.end(), name) != inPlaces.end()) return inPlace(name);
    return std::nullopt;
}

} // namespace dynascope::engine::torch_level::numpy
