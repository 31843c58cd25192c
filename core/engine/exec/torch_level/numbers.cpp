// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/exec/torch_level/numbers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace dynascope::engine::torch_level {

namespace {

using Kind = Value::Kind;
using Int = std::int64_t;

/// An int that Python would give and 64 bits cannot hold.
[[noreturn]] void overflow() {
    TORCH_CHECK(false, "an integer leaves 64 bits");
}

Int floorDivided(Int a, Int b) {
    TORCH_CHECK(b != 0, "integer division or modulo by zero");
    if (b == -1) {
        if (a == std::numeric_limits<Int>::min()) overflow();
        return -a;
    }
    return a / b - static_cast<Int>(a % b != 0 && (a < 0) != (b < 0));
}

Int integerPower(Int base, Int exponent) {
    Int out = 1;
    while (exponent > 0) {
        if ((exponent & 1) != 0 && __builtin_mul_overflow(out, base, &out)) overflow();
        exponent >>= 1;
        if (exponent > 0 && __builtin_mul_overflow(base, base, &base)) overflow();
    }
    return out;
}

template <typename Number>
std::optional<bool> compared(Binary op, Number a, Number b) {
    switch (op) {
    case Binary::Eq:
        return a == b;
    case Binary::Ne:
        return a != b;
    case Binary::Lt:
        return a < b;
    case Binary::Le:
        return a <= b;
    case Binary::Gt:
        return a > b;
    case Binary::Ge:
        return a >= b;
    default:
        return std::nullopt;
    }
}

Value integers(Binary op, Int a, Int b) {
    if (const auto truth = compared(op, a, b)) return *truth;
    Int out = 0;
    switch (op) {
    case Binary::Add:
        if (__builtin_add_overflow(a, b, &out)) overflow();
        return out;
    case Binary::Sub:
        if (__builtin_sub_overflow(a, b, &out)) overflow();
        return out;
    case Binary::Mul:
        if (__builtin_mul_overflow(a, b, &out)) overflow();
        return out;
    case Binary::TrueDiv:
        TORCH_CHECK(b != 0, "division by zero");
        return static_cast<double>(a) / static_cast<double>(b);
    case Binary::FloorDiv:
        return floorDivided(a, b);
    case Binary::Mod:
        return b == -1 ? Int{0} : a - floorDivided(a, b) * b;
    case Binary::Pow:
        return b < 0 ? Value(std::pow(static_cast<double>(a), static_cast<double>(b)))
                     : Value(integerPower(a, b));
    case Binary::And:
        return a & b;
    case Binary::Or:
        return a | b;
    case Binary::Xor:
        return a ^ b;
    case Binary::LShift:
        TORCH_CHECK(b >= 0, "negative shift count");
        if (a != 0 && b >= 63) overflow();
        return a == 0 ? Value(0) : integers(Binary::Mul, a, Int{1} << b);
    case Binary::RShift:
        TORCH_CHECK(b >= 0, "negative shift count");
        return a >> std::min<Int>(b, 63);
    default:
        break;
    }
    TORCH_CHECK_TYPE(false, "unsupported operand types: int and int");
}

Value reals(Binary op, double a, double b) {
    if (const auto truth = compared(op, a, b)) return *truth;
    switch (op) {
    case Binary::Add:
        return a + b;
    case Binary::Sub:
        return a - b;
    case Binary::Mul:
        return a * b;
    case Binary::TrueDiv:
        TORCH_CHECK(b != 0, "float division by zero");
        return a / b;
    case Binary::FloorDiv:
        TORCH_CHECK(b != 0, "float floor division by zero");
        return std::floor(a / b);
    case Binary::Mod: {
        TORCH_CHECK(b != 0, "float modulo");
        const double rest = std::fmod(a, b);
        if (rest == 0) return std::copysign(0.0, b);
        return (rest < 0) != (b < 0) ? rest + b : rest;
    }
    case Binary::Pow:
        return std::pow(a, b);
    default:
        TORCH_CHECK_TYPE(false, "unsupported operand type: float");
    }
}

Value complexes(Binary op, c10::complex<double> a, c10::complex<double> b) {
    switch (op) {
    case Binary::Add:
        return a + b;
    case Binary::Sub:
        return a - b;
    case Binary::Mul:
        return a * b;
    case Binary::TrueDiv:
        return a / b;
    case Binary::Eq:
        return a == b;
    case Binary::Ne:
        return a != b;
    default:
        TORCH_CHECK_TYPE(false, "unsupported operand type: complex");
    }
}

Value numbers(Binary op, const Value& a, const Value& b) {
    if (a.kind() == Kind::Complex || b.kind() == Kind::Complex)
        return complexes(op, a.scalar().toComplexDouble(), b.scalar().toComplexDouble());
    if (a.kind() == Kind::Float || b.kind() == Kind::Float) return reals(op, a.real(), b.real());
    const bool logical = op == Binary::And || op == Binary::Or || op == Binary::Xor;
    if (a.isBool() && b.isBool() && logical) return integers(op, a.integer(), b.integer()).integer() != 0;
    return integers(op, a.integer(), b.integer());
}

Value repeated(const Value& sequence, Int times) {
    constexpr std::size_t maxItems = 1U << 20U;
    std::vector<Value> out;
    TORCH_CHECK(times <= 0 || sequence.items().size() <= maxItems / static_cast<std::size_t>(times),
                "a sequence of more than ", maxItems, " items is not supported");
    for (Int i = 0; i < times; ++i)
        out.insert(out.end(), sequence.items().begin(), sequence.items().end());
    return sequence.kind() == Kind::List ? Value::list(std::move(out)) : Value::tuple(std::move(out));
}

Value concatenated(const Value& a, const Value& b) {
    std::vector<Value> out = a.items();
    out.insert(out.end(), b.items().begin(), b.items().end());
    return a.kind() == Kind::List ? Value::list(std::move(out)) : Value::tuple(std::move(out));
}

Value orderedSequences(Binary op, const Value& a, const Value& b) {
    const std::size_t common = std::min(a.items().size(), b.items().size());
    for (std::size_t i = 0; i < common; ++i) {
        if (!equal(a.items()[i], b.items()[i])) return plainBinary(op, a.items()[i], b.items()[i]);
    }
    return integers(op, static_cast<Int>(a.items().size()), static_cast<Int>(b.items().size()));
}

using Unary = double (*)(double);
struct MathRow {
    std::string_view name;
    Unary run;
};
constexpr std::array<MathRow, 23> unaryMath{{
    {"sqrt", [](double x) { return std::sqrt(x); }},     {"exp", [](double x) { return std::exp(x); }},
    {"expm1", [](double x) { return std::expm1(x); }},   {"log1p", [](double x) { return std::log1p(x); }},
    {"log2", [](double x) { return std::log2(x); }},     {"log10", [](double x) { return std::log10(x); }},
    {"sin", [](double x) { return std::sin(x); }},       {"cos", [](double x) { return std::cos(x); }},
    {"tan", [](double x) { return std::tan(x); }},       {"asin", [](double x) { return std::asin(x); }},
    {"acos", [](double x) { return std::acos(x); }},     {"atan", [](double x) { return std::atan(x); }},
    {"sinh", [](double x) { return std::sinh(x); }},     {"cosh", [](double x) { return std::cosh(x); }},
    {"tanh", [](double x) { return std::tanh(x); }},     {"asinh", [](double x) { return std::asinh(x); }},
    {"acosh", [](double x) { return std::acosh(x); }},   {"atanh", [](double x) { return std::atanh(x); }},
    {"fabs", [](double x) { return std::fabs(x); }},     {"erf", [](double x) { return std::erf(x); }},
    {"erfc", [](double x) { return std::erfc(x); }},     {"gamma", [](double x) { return std::tgamma(x); }},
    {"lgamma", [](double x) { return std::lgamma(x); }},
}};
constexpr std::array<std::string_view, 14> otherMath{"floor", "ceil",  "trunc",    "log",     "pow",
                                                     "isnan", "isinf", "isfinite", "atan2",   "hypot",
                                                     "fmod",  "gcd",   "prod",     "copysign"};

Int wholeFrom(double value) {
    TORCH_CHECK(std::fabs(value) < 9.2e18, "cannot convert float ", value, " to integer");
    return static_cast<Int>(value);
}

} // namespace

Value plainBinary(Binary op, const Value& a, const Value& b) {
    if (op == Binary::Eq) return equal(a, b);
    if (op == Binary::Ne) return !equal(a, b);
    if (a.isNumber() && b.isNumber()) return numbers(op, a, b);
    if (a.isSequence() && b.isSequence())
        return op == Binary::Add ? concatenated(a, b) : orderedSequences(op, a, b);
    if (op == Binary::Mul && a.isSequence() && b.isInt()) return repeated(a, b.integer());
    if (op == Binary::Mul && b.isSequence() && a.isInt()) return repeated(b, a.integer());
    if (op == Binary::Add && a.isString() && b.isString()) return a.text() + b.text();
    TORCH_CHECK_TYPE(false, "unsupported operand types: ", a.typeName(), " and ", b.typeName());
}

Value negated(const Value& number) {
    return number.kind() == Kind::Float ? Value(-number.real()) : plainBinary(Binary::Sub, 0, number);
}

Value absolute(const Value& number) {
    if (number.kind() == Kind::Complex) return std::abs(number.scalar().toComplexDouble());
    if (number.kind() == Kind::Float) return std::fabs(number.real());
    return number.integer() < 0 ? negated(number) : Value(number.integer());
}

bool truth(const Value& value) {
    switch (value.kind()) {
    case Kind::None:
        return false;
    case Kind::Bool:
    case Kind::Int:
        return value.integer() != 0;
    case Kind::Float:
        return value.real() != 0;
    case Kind::Complex:
        return value.scalar().toComplexDouble() != c10::complex<double>(0, 0);
    case Kind::String:
        return !value.text().empty();
    case Kind::Tensor:
        return value.tensor().item().toComplexDouble() != c10::complex<double>(0, 0);
    case Kind::List:
    case Kind::Tuple:
    case Kind::Dict:
        return !value.items().empty();
    default:
        return true;
    }
}

bool equal(const Value& a, const Value& b) {
    if (a.isNumber() && b.isNumber()) {
        if (a.kind() == Kind::Complex || b.kind() == Kind::Complex)
            return a.scalar().toComplexDouble() == b.scalar().toComplexDouble();
        if (a.kind() == Kind::Float || b.kind() == Kind::Float) return a.real() == b.real();
        return a.integer() == b.integer();
    }
    if (a.kind() != b.kind()) return false;
    switch (a.kind()) {
    case Kind::None:
    case Kind::Ellipsis:
        return true;
    case Kind::String:
        return a.text() == b.text();
    case Kind::Dtype:
        return a.dtype() == b.dtype();
    case Kind::Layout:
        return a.layout() == b.layout();
    case Kind::MemoryFormat:
        return a.memoryFormat() == b.memoryFormat();
    case Kind::Device: // every device is the CPU here
        return true;
    case Kind::Tensor:
        return a.tensor().is_same(b.tensor());
    case Kind::Graph:
        return a.program() == b.program();
    default:
        return a.items().size() == b.items().size() &&
               std::equal(a.items().begin(), a.items().end(), b.items().begin(), equal);
    }
}

bool isMathFunction(std::string_view name) {
    return std::any_of(unaryMath.begin(), unaryMath.end(),
                       [&](const MathRow& row) { return row.name == name; }) ||
           std::find(otherMath.begin(), otherMath.end(), name) != otherMath.end();
}

std::optional<Value> mathFunction(std::string_view name, const std::vector<Value>& args) {
    if (!isMathFunction(name) || args.empty()) return std::nullopt;
    const auto second = [&] {
        TORCH_CHECK_TYPE(args.size() == 2, "math.", name, " takes two arguments");
        return args[1].real();
    };
    for (const MathRow& row : unaryMath) {
        if (row.name != name) continue;
        const double x = args[0].real();
        const double y = row.run(x);
        TORCH_CHECK_VALUE(!std::isnan(y) || std::isnan(x), "math domain error");
        return y;
    }
    if (name == "prod") {
        Value out = 1;
        for (const Value& item : args[0].items())
            out = plainBinary(Binary::Mul, out, item);
        return out;
    }
    if (name == "gcd") {
        TORCH_CHECK_TYPE(args.size() == 2, "math.gcd takes two arguments here");
        return std::gcd(args[0].integer(), args[1].integer());
    }
    const bool whole = name == "floor" || name == "ceil" || name == "trunc";
    if (whole && args[0].kind() != Kind::Float) return args[0].integer();
    const double x = args[0].real();
    if (name == "floor") return wholeFrom(std::floor(x));
    if (name == "ceil") return wholeFrom(std::ceil(x));
    if (name == "trunc") return wholeFrom(std::trunc(x));
    if (name == "isnan") return std::isnan(x);
    if (name == "isinf") return std::isinf(x);
    if (name == "isfinite") return std::isfinite(x);
    if (name == "log") {
        TORCH_CHECK_VALUE(x > 0 || std::isnan(x), "math domain error");
        return args.size() == 1 ? std::log(x) : std::log(x) / std::log(second());
    }
    if (name == "pow") return std::pow(x, second());
    if (name == "atan2") return std::atan2(x, second());
    if (name == "hypot") return std::hypot(x, second());
    if (name == "copysign") return std::copysign(x, second());
    return std::fmod(x, second());
}

} // namespace dynascope::engine::torch_level
