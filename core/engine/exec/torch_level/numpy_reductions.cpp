// SPDX-License-Identifier: BSD-3-Clause
//
// torch/_numpy/_reductions_impl.py of PyTorch 2.13.
#include "core/engine/exec/torch_level/numpy_arrays.h"
#include "core/engine/exec/torch_level/numpy_functions.h"

#include <array>

namespace dynascope::engine::torch_level::numpy {

namespace {

struct Reduced {
    Value tensor;
    Value axis; ///< None, or a tuple of axes from 0 on
};

Reduced prepared(const Arguments& a) {
    Reduced out{array(a["a"]), a["axis"]};
    if (out.axis.isNone()) return out;
    const Dims axes = axesOf(out.axis, out.tensor.tensor().dim());
    out.axis = Value(axes);
    if (axes.empty()) { // one more axis of length 1 is what is reduced
        const Dims shape = expandedShape(out.tensor.tensor().sizes(), 0);
        out = {method("reshape", {out.tensor, Value(shape)}), Value(Dims{0})};
    }
    return out;
}

/// The one axis as a number, or None.
Value single(const Value& axes) {
    if (axes.isNone()) return axes;
    TORCH_CHECK(axes.items().size() == 1, "does not handle tuple axis");
    return axes.items()[0];
}

Value finished(const Arguments& a, Value result, bool promotesNumber = false) {
    if (a["keepdims"].isBool() && a["keepdims"].flag()) {
        if (a["axis"].isNone()) {
            const Dims ones(static_cast<std::size_t>(array(a["a"]).tensor().dim()), 1);
            result = method("contiguous", {method("expand", {result, Value(ones)})});
        } else {
            result = method("reshape", {result, Value(expandedShape(result.tensor().sizes(), a["axis"]))});
        }
    }
    if (promotesNumber && !a["out"].isNone() && a["out"].tensor().dim() == 0 && result.tensor().numel() == 1)
        result = method("squeeze", {result});
    return copiedTo(a["out"], result);
}

Keywords withDim(const Value& axis, Keywords kwargs = {}) {
    if (!axis.isNone()) kwargs.emplace_back("dim", axis);
    return kwargs;
}

/// A sum of bool is counted in integers.
Value countingDtype(const Value& dtype) {
    const auto given = dtypeOf(dtype);
    if (!given) return {};
    return *given == at::kBool ? at::kLong : *given;
}

c10::ScalarType atLeastFloat(const Value& dtype, const Value& tensor) {
    const c10::ScalarType given = dtypeOf(dtype).value_or(dtypeOfTensor(tensor));
    return isInexact(given) ? given : at::kDouble;
}

Value sum(const Arguments& a) {
    const Reduced x = prepared(a);
    return finished(a, method("sum", {x.tensor}, withDim(x.axis, {{"dtype", countingDtype(a["dtype"])}})));
}

Value prod(const Arguments& a) {
    const Reduced x = prepared(a);
    return finished(
        a, method("prod", {x.tensor}, withDim(single(x.axis), {{"dtype", countingDtype(a["dtype"])}})));
}

Value mean(const Arguments& a) {
    const Reduced x = prepared(a);
    return finished(
        a, method("mean", {x.tensor}, withDim(x.axis, {{"dtype", atLeastFloat(a["dtype"], x.tensor)}})));
}

Value spread(const Arguments& a, const char* name) {
    const Reduced x = prepared(a);
    const Value tensor = cast(x.tensor, atLeastFloat(a["dtype"], x.tensor));
    const Value result = method(name, {tensor}, {{"dim", x.axis}, {"correction", a["ddof"]}});
    return finished(a, cast(result, dtypeOf(a["dtype"])));
}

Value extremePlace(const Arguments& a, const char* name) {
    const Reduced x = prepared(a);
    const Value tensor = dtypeOfTensor(x.tensor) == at::kBool ? cast(x.tensor, at::kByte) : x.tensor;
    return finished(a, torchCall(name, {tensor, single(x.axis)}));
}

Value truthOf(const Arguments& a, const char* name) {
    const Reduced x = prepared(a);
    return finished(a, torchCall(name, {x.tensor}, withDim(single(x.axis))));
}

Value extreme(const Reduced& x, const char* name) {
    return x.axis.isNone() ? method(name, {x.tensor}) : method(name, {x.tensor, x.axis});
}

Value spanOf(const Arguments& a) {
    const Reduced x = prepared(a);
    const Value largest = extreme(x, "amax");
    return finished(a, torchCall("sub", {largest, extreme(x, "amin")}));
}

Value cumulated(const Arguments& a, const char* name) {
    Value dtype = countingDtype(a["dtype"]);
    const Value given = array(a["a"]);
    if (dtype.isNone()) dtype = dtypeOfTensor(given);
    const auto [tensor, axis] = alongAxis(given, a["axis"]);
    return copiedTo(a["out"], method(name, {tensor}, {{"dim", axis}, {"dtype", dtype}}));
}

Value quantileOf(const Arguments& a, Value q) {
    Value tensor = array(a["a"]);
    if (!c10::isFloatingType(dtypeOfTensor(tensor))) tensor = cast(tensor, at::kDouble);
    if (dtypeOfTensor(tensor) == at::kHalf) tensor = cast(tensor, at::kFloat);
    std::int64_t axis = 0;
    if (a["axis"].isNone()) {
        tensor = method("flatten", {tensor});
        q = method("flatten", {q});
    } else {
        axis = single(Value(axesOf(a["axis"], tensor.tensor().dim()))).integer();
    }
    q = cast(q, dtypeOfTensor(tensor));
    const Value result = torchCall("quantile", {tensor, q}, {{"dim", axis}, {"interpolation", a["method"]}});
    return finished(a, result, true);
}

Value percentile(const Arguments& a) {
    Value q = array(a["q"]);
    if (!isInexact(dtypeOfTensor(q)) && dtypeOfTensor(q) != at::kBool) q = cast(q, at::kDouble);
    return quantileOf(a, torchCall("div", {q, 100.0}));
}

constexpr std::array reductionTable{
    Entry{"sum", "a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None", sum},
    Entry{"prod", "a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None", prod},
    Entry{"mean", "a, axis=None, dtype=None, out=None, keepdims=False, *, where=None", mean},
    Entry{"std", "a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=None",
          [](const Arguments& a) { return spread(a, "std"); }},
    Entry{"var", "a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=None",
          [](const Arguments& a) { return spread(a, "var"); }},
    Entry{"argmax", "a, axis=None, out=None, *, keepdims=False",
          [](const Arguments& a) { return extremePlace(a, "argmax"); }},
    Entry{"argmin", "a, axis=None, out=None, *, keepdims=False",
          [](const Arguments& a) { return extremePlace(a, "argmin"); }},
    Entry{"any", "a, axis=None, out=None, keepdims=False, *, where=None",
          [](const Arguments& a) { return truthOf(a, "any"); }},
    Entry{"all", "a, axis=None, out=None, keepdims=False, *, where=None",
          [](const Arguments& a) { return truthOf(a, "all"); }},
    Entry{"max", "a, axis=None, out=None, keepdims=False, initial=None, where=None",
          [](const Arguments& a) { return finished(a, extreme(prepared(a), "amax")); }},
    Entry{"amax", "a, axis=None, out=None, keepdims=False, initial=None, where=None",
          [](const Arguments& a) { return finished(a, extreme(prepared(a), "amax")); }},
    Entry{"min", "a, axis=None, out=None, keepdims=False, initial=None, where=None",
          [](const Arguments& a) { return finished(a, extreme(prepared(a), "amin")); }},
    Entry{"amin", "a, axis=None, out=None, keepdims=False, initial=None, where=None",
          [](const Arguments& a) { return finished(a, extreme(prepared(a), "amin")); }},
    Entry{"ptp", "a, axis=None, out=None, keepdims=False", spanOf},
    Entry{"count_nonzero", "a, axis=None, *, keepdims=False, out=None",
          [](const Arguments& a) {
              const Reduced x = prepared(a);
              return finished(a, x.axis.isNone() ? method("count_nonzero", {x.tensor})
                                                 : method("count_nonzero", {x.tensor, x.axis}));
          }},
    Entry{"cumsum", "a, axis=None, dtype=None, out=None",
          [](const Arguments& a) { return cumulated(a, "cumsum"); }},
    Entry{"cumprod", "a, axis=None, dtype=None, out=None",
          [](const Arguments& a) { return cumulated(a, "cumprod"); }},
    Entry{"quantile",
          "a, q, axis=None, out=None, overwrite_input=False, method='linear', keepdims=False, *, "
          "interpolation=None",
          [](const Arguments& a) { return quantileOf(a, array(a["q"])); }},
    Entry{"percentile",
          "a, q, axis=None, out=None, overwrite_input=False, method='linear', keepdims=False, *, "
          "interpolation=None",
          percentile},
    Entry{"median", "a, axis=None, out=None, overwrite_input=False, keepdims=False, *, method='linear'",
          [](const Arguments& a) { return quantileOf(a, torchCall("as_tensor", {0.5})); }},
};

} // namespace

std::span<const Entry> reductions() {
    return reductionTable;
}

} // namespace dynascope::engine::torch_level::numpy
