// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/exec/torch_level/literals.h"
#include "core/engine/exec/torch_level/numbers.h"
#include "core/engine/exec/torch_level/overloads.h"
#include "core/engine/exec/torch_level/python_bodies.h"

#include <algorithm>
#include <array>
#include <limits>

namespace dynascope::engine::torch_level {

namespace {

using Options = std::vector<std::pair<std::string, Value>>;

/// What a masked-out element is replaced by, so that it does not count.
enum class Neutral { Zero, One, Lowest, Highest, Nan };

std::int64_t extremeOf(c10::ScalarType type, bool highest) {
    switch (type) {
    case at::kByte:
        return highest ? std::numeric_limits<std::uint8_t>::max() : 0;
    case at::kChar:
        return highest ? std::numeric_limits<std::int8_t>::max() : std::numeric_limits<std::int8_t>::min();
    case at::kShort:
        return highest ? std::numeric_limits<std::int16_t>::max() : std::numeric_limits<std::int16_t>::min();
    case at::kInt:
        return highest ? std::numeric_limits<std::int32_t>::max() : std::numeric_limits<std::int32_t>::min();
    case at::kLong:
        return highest ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min();
    default:
        TORCH_CHECK_NOT_IMPLEMENTED(false, "there is no neutral value of ", type, " for this reduction");
    }
}

Value neutralValue(Neutral neutral, const at::Tensor& input) {
    const c10::ScalarType type = input.scalar_type();
    constexpr double infinity = std::numeric_limits<double>::infinity();
    switch (neutral) {
    case Neutral::Zero:
        return tensorFrom(0, type);
    case Neutral::One:
        return tensorFrom(1, type);
    case Neutral::Nan:
        return tensorFrom(std::numeric_limits<double>::quiet_NaN(), type);
    case Neutral::Lowest:
    case Neutral::Highest:
        break;
    }
    const bool highest = neutral == Neutral::Highest;
    if (c10::isFloatingType(type)) return tensorFrom(highest ? infinity : -infinity, type);
    if (c10::isComplexType(type) && !highest) return tensorFrom(c10::complex<double>(-infinity, 0), type);
    return tensorFrom(extremeOf(type, highest), type);
}

Value asBool(const Value& mask) {
    return aten("to", {mask, at::kBool});
}

/// The mask in the shape of the input.
Value canonicalMask(const Value& input, const Value& mask) {
    const at::Tensor& tensor = input.tensor();
    if (mask.tensor().sizes() == tensor.sizes()) return asBool(mask);
    TORCH_CHECK_INDEX(
        mask.tensor().dim() <= tensor.dim(),
        "_input_mask expected broadcastable mask (got mask dimensionality higher than of the input)");
    return asBool(aten("broadcast_to", {aten("clone", {mask}), Value(tensor.sizes().vec())}));
}

Value maskedOut(Neutral neutral, const Value& input, const Value& mask) {
    if (mask.isNone()) return input;
    const Value where = canonicalMask(input, mask);
    return aten("where", {where, input, neutralValue(neutral, input.tensor())});
}

/// Sorted dimensions; all of them for None and ().
std::vector<std::int64_t> dimensions(const Value& dim, std::int64_t rank) {
    std::vector<std::int64_t> out;
    if (dim.isNone() || (dim.isSequence() && dim.items().empty())) {
        for (std::int64_t i = 0; i < rank; ++i)
            out.push_back(i);
        return out;
    }
    rank = std::max<std::int64_t>(rank, 1);
    for (const std::int64_t d : dim.isSequence() ? dim.integers() : std::vector{dim.integer()}) {
        TORCH_CHECK_INDEX(d < rank && d >= -rank, "Dimension out of range (expected to be in range of [",
                          -rank, ", ", rank - 1, "], but got ", d, ")");
        out.push_back(d < 0 ? d + rank : d);
    }
    std::sort(out.begin(), out.end());
    TORCH_CHECK(std::adjacent_find(out.begin(), out.end()) == out.end(),
                "a dimension appears multiple times in the list of dims");
    return out;
}

Value dimensionsOf(const Arguments& a) {
    return Value(dimensions(a["dim"], a["input"].tensor().dim()));
}

Value firstDimension(const Arguments& a) {
    return dimensions(a["dim"], a["input"].tensor().dim()).at(0);
}

bool keeps(const Value& keepdim) {
    return !keepdim.isNone() && keepdim.flag();
}

c10::ScalarType inputType(const Value& input, const Value& dtype) {
    return dtype.isNone() ? input.tensor().scalar_type() : dtype.dtype();
}

c10::ScalarType summedType(const Value& input, const Value& dtype) {
    if (!dtype.isNone()) return dtype.dtype();
    const c10::ScalarType type = input.tensor().scalar_type();
    return c10::isIntegralType(type, true) ? at::kLong : type;
}

Value summed(const Value& input, const Value& dim, bool keepdim, const Value& dtype, const Value& mask) {
    const c10::ScalarType type = summedType(input, dtype);
    const Value dims(dimensions(dim, input.tensor().dim()));
    return aten("sum", {maskedOut(Neutral::Zero, input, mask), dims, keepdim}, {{"dtype", type}});
}

Value sum(const Arguments& a) {
    return summed(a["input"], a["dim"], keeps(a["keepdim"]), a["dtype"], a["mask"]);
}

Value prod(const Arguments& a) {
    const c10::ScalarType type = summedType(a["input"], a["dtype"]);
    std::vector<std::int64_t> dims = dimensions(a["dim"], a["input"].tensor().dim());
    Value out = aten("to", {maskedOut(Neutral::One, a["input"], a["mask"]), type});
    for (auto d = dims.rbegin(); d != dims.rend(); ++d)
        out = aten("prod", {out}, {{"dim", *d}, {"keepdim", keeps(a["keepdim"])}});
    return out;
}

/// aten::name(masked out, one dimension, dtype=...).
template <Neutral neutral>
Value along(const char* name, const Arguments& a) {
    const c10::ScalarType type = inputType(a["input"], a["dtype"]);
    const Value dim = firstDimension(a);
    return aten(name, {maskedOut(neutral, a["input"], a["mask"]), dim}, {{"dtype", type}});
}

Value cumsum(const Arguments& a) {
    return aten("to", {along<Neutral::Zero>("cumsum", a), inputType(a["input"], a["dtype"])});
}

Value cumprod(const Arguments& a) {
    return aten("to", {along<Neutral::One>("cumprod", a), inputType(a["input"], a["dtype"])});
}

Value softmin(const Arguments& a) {
    const c10::ScalarType type = inputType(a["input"], a["dtype"]);
    const Value dim = firstDimension(a);
    return aten("softmax", {aten("neg", {maskedOut(Neutral::Highest, a["input"], a["mask"])}), dim},
                {{"dtype", type}});
}

/// aten::name(masked out, dimensions, keepdim) in the dtype.
template <Neutral neutral>
Value reduced(const char* name, const Arguments& a) {
    const c10::ScalarType type = inputType(a["input"], a["dtype"]);
    const Value input = maskedOut(neutral, a["input"], a["mask"]);
    return aten("to", {aten(name, {input, dimensionsOf(a), keeps(a["keepdim"])}), type});
}

template <Neutral neutral>
Value argument(const char* name, const Arguments& a) {
    const c10::ScalarType type = inputType(a["input"], a["dtype"]);
    const Value input = maskedOut(neutral, a["input"], a["mask"]);
    return aten("to", {aten(name, {input, a["dim"], keeps(a["keepdim"])}), type});
}

/// How many elements count, in the shape of a sum, and their sum.
struct Counted {
    Value count, total, mask;
};
Counted counted(const Value& input, const Value& dim, bool keepdim, const Value& dtype, const Value& given) {
    if (given.isNone()) {
        const Value ones = aten("ones", {Value(input.tensor().sizes().vec())},
                                {{"dtype", at::kLong}, {"device", input.tensor().device()}});
        Value count = summed(ones, dim, keepdim, {}, {});
        return {std::move(count), summed(input, dim, keepdim, dtype, {}), {}};
    }
    const Value mask = canonicalMask(input, given);
    Value count = aten("sum", {mask}, {{"dim", dim}, {"keepdim", keepdim}});
    return {std::move(count), summed(input, dim, keepdim, dtype, mask), mask};
}

Value mean(const Arguments& a) {
    const c10::ScalarType type = inputType(a["input"], a["dtype"]);
    TORCH_CHECK_VALUE(c10::isFloatingType(type) || c10::isComplexType(type),
                      "mean(): the dtype must be floating point or complex");
    const Counted of = counted(a["input"], a["dim"], keeps(a["keepdim"]), type, a["mask"]);
    return aten("div", {of.total, of.count});
}

Value median(const Arguments& a) {
    const c10::ScalarType type = inputType(a["input"], a["dtype"]);
    const Value dim = firstDimension(a);
    const bool isFloat = c10::isFloatingType(a["input"].tensor().scalar_type());
    const Value input = isFloat ? a["input"] : aten("to", {a["input"], at::kFloat});
    const Value found =
        aten("nanmedian", {maskedOut(Neutral::Nan, input, a["mask"]), dim, keeps(a["keepdim"])});
    Value values = found.items().at(0);
    if (isFloat) return values;
    TORCH_CHECK_VALUE(!truth(aten("any", {aten("isnan", {values})})),
                      "masked median expects no fully masked out rows if dtype is not floating point");
    return aten("to", {values, type});
}

Value logaddexp(const Arguments& a) {
    const c10::ScalarType type = inputType(a["input"], a["dtype"]);
    const Value input = maskedOut(Neutral::Lowest, a["input"], a["input_mask"]);
    const Value other = maskedOut(Neutral::Lowest, a["other"], a["other_mask"]);
    return aten("to", {aten("logaddexp", {input, other}), type});
}

Value normOf(const Value& input, const Value& order, const Value& dim, bool keepdim, c10::ScalarType type,
             const Value& mask) {
    const bool lowest = order.isNumber() && order.real() == -std::numeric_limits<double>::infinity();
    const Value kept = maskedOut(lowest ? Neutral::Highest : Neutral::Zero, input, mask);
    return aten("linalg_vector_norm", {kept, order, Value(dimensions(dim, input.tensor().dim())), keepdim},
                {{"dtype", type}});
}

Value norm(const Arguments& a) {
    return normOf(a["input"], a["ord"], a["dim"], keeps(a["keepdim"]), inputType(a["input"], a["dtype"]),
                  a["mask"]);
}

Value normalize(const Arguments& a) {
    const c10::ScalarType type = inputType(a["input"], a["dtype"]);
    const Value input = maskedOut(Neutral::Zero, a["input"], a["mask"]);
    const Value length = normOf(a["input"], a["ord"], a["dim"], true, type, a["mask"]);
    const Value least = aten("new_full", {length, Value::list({}), a["eps"]});
    return aten("divide", {input, aten("maximum", {length, least})});
}

Value variance(const Arguments& a) {
    double correction = 1;
    if (!a["unbiased"].isNone()) correction = a["unbiased"].flag() ? 1 : 0;
    if (!a["correction"].isNone()) correction = a["correction"].real();
    const auto floating = [](c10::ScalarType type) {
        return c10::isFloatingType(type) || c10::isComplexType(type) ? type : at::kFloat;
    };
    const Value &input = a["input"], &dim = a["dim"];
    const bool keepdim = keeps(a["keepdim"]);
    const c10::ScalarType type =
        a["dtype"].isNone() ? floating(input.tensor().scalar_type()) : a["dtype"].dtype();
    const c10::ScalarType computed = floating(type);
    Counted of = counted(input, dim, true, type, a["mask"]);
    const Value x = aten("subtract", {input, aten("divide", {of.total, of.count})});
    const Value total = summed(aten("mul", {x, aten("conj", {x})}), dim, keepdim, computed, of.mask);
    if (!keepdim) of.count = aten("reshape", {of.count, Value(total.tensor().sizes().vec())});
    if (correction != 0) {
        of.count = aten("to", {of.count, c10::toRealValueType(computed)});
        of.count = aten("subtract", {of.count, correction});
        of.count = aten("maximum", {of.count, aten("new_zeros", {of.count, Value::list({})})});
    }
    return aten("to", {aten("divide", {total, of.count}), type});
}

constexpr std::string_view reduction = "input, dim=None, *, keepdim=False, dtype=None, mask=None";
constexpr std::string_view normalization = "input, dim, *, dtype=None, mask=None";
constexpr std::string_view variances =
    "input, dim=None, unbiased=None, *, correction=None, keepdim=False, dtype=None, mask=None";

constexpr std::array table{
    Entry{"sum", reduction, sum},
    Entry{"prod", reduction, prod},
    Entry{"cumsum", normalization, cumsum},
    Entry{"cumprod", normalization, cumprod},
    Entry{"amax", reduction, [](const Arguments& a) { return reduced<Neutral::Lowest>("amax", a); }},
    Entry{"amin", reduction, [](const Arguments& a) { return reduced<Neutral::Highest>("amin", a); }},
    Entry{"argmax", reduction, [](const Arguments& a) { return argument<Neutral::Lowest>("argmax", a); }},
    Entry{"argmin", reduction, [](const Arguments& a) { return argument<Neutral::Highest>("argmin", a); }},
    Entry{"mean", reduction, mean},
    Entry{"median", "input, dim=-1, *, keepdim=False, dtype=None, mask=None", median},
    Entry{"logsumexp", reduction,
          [](const Arguments& a) { return reduced<Neutral::Lowest>("logsumexp", a); }},
    Entry{"logaddexp", "input, other, *, dtype=None, input_mask=None, other_mask=None", logaddexp},
    Entry{"norm", "input, ord=2.0, dim=None, *, keepdim=False, dtype=None, mask=None", norm},
    Entry{"var", variances, variance},
    Entry{"std", variances, [](const Arguments& a) { return aten("sqrt", {variance(a)}); }},
    Entry{"softmax", normalization, [](const Arguments& a) { return along<Neutral::Lowest>("softmax", a); }},
    Entry{"log_softmax", normalization,
          [](const Arguments& a) { return along<Neutral::Lowest>("log_softmax", a); }},
    Entry{"softmin", normalization, softmin},
    Entry{"normalize", "input, ord, dim, *, eps=1e-12, dtype=None, mask=None", normalize},
};

} // namespace

std::span<const Entry> maskedFunctions() {
    return table;
}

} // namespace dynascope::engine::torch_level
