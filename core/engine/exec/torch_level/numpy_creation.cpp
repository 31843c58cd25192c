// SPDX-License-Identifier: BSD-3-Clause
//
// New arrays, conversions and random numbers of torch._numpy in PyTorch 2.13.
#include "core/engine/exec/torch_level/numpy_arrays.h"
#include "core/engine/exec/torch_level/numpy_functions.h"

#include <algorithm>
#include <array>

namespace dynascope::engine::torch_level::numpy {

namespace {

Value dtypeOr(const Value& dtype, c10::ScalarType fallback) {
    return dtypeOf(dtype).value_or(fallback);
}
Value dtypeOrNone(const Value& dtype) {
    const auto given = dtypeOf(dtype);
    return given ? Value(*given) : Value();
}

Value filledWith(const Arguments& a, const char* name) {
    return torchCall(name, {a["shape"]}, {{"dtype", dtypeOr(a["dtype"], at::kDouble)}});
}

Value likeOther(const Arguments& a, const char* name) {
    const Value out = torchCall(name, {array(a["a"])}, {{"dtype", dtypeOrNone(a["dtype"])}});
    return a["shape"].isNone() ? out : method("reshape", {out, a["shape"]});
}

Value full(const Arguments& a) {
    const Value& given = a["fill_value"];
    const Value fill = array(given);
    const Value shape = a["shape"].isSequence() ? a["shape"] : Value::tuple({a["shape"]});
    // The number that it was, for the tensor of it is read anyway.
    return torchCall("full", {shape, given.isNumber() ? given : fill},
                     {{"dtype", dtypeOr(a["dtype"], dtypeOfTensor(fill))}});
}

Value fullLike(const Arguments& a) {
    const Value out =
        torchCall("full_like", {array(a["a"]), a["fill_value"]}, {{"dtype", dtypeOrNone(a["dtype"])}});
    return a["shape"].isNone() ? out : method("reshape", {out, a["shape"]});
}

Value arange(const Arguments& a) {
    Value start = arrayOrNumber(a["start"]), stop = arrayOrNumber(a["stop"]);
    const Value step = arrayOrNumber(a["step"]);
    if (stop.isNone()) stop = std::exchange(start, 0);
    if (start.isNone()) start = 0;
    const auto inexact = [](const Value& x) {
        return isInexact(x.isTensor() ? dtypeOfTensor(x) : dtypeOfNumber(x));
    };
    const bool floats = inexact(start) || inexact(stop) || inexact(step);
    const c10::ScalarType dtype = dtypeOf(a["dtype"]).value_or(floats ? at::kDouble : at::kLong);
    if ((step.real() > 0 && start.real() > stop.real()) || (step.real() < 0 && start.real() < stop.real()))
        return torchCall("empty", {Value(0)}, {{"dtype", dtype}});
    const c10::ScalarType work = c10::isComplexType(dtype) ? at::kDouble : dtype;
    return cast(torchCall("arange", {start, stop, step}, {{"dtype", work}}), dtype);
}

Value linspace(const Arguments& a) {
    TORCH_CHECK(a["axis"].integer() == 0 && !a["retstep"].flag() && a["endpoint"].flag(),
                "torch._numpy has no such linspace");
    return torchCall("linspace", {array(a["start"]), array(a["stop"]), a["num"]},
                     {{"dtype", dtypeOr(a["dtype"], at::kDouble)}});
}

Value eye(const Arguments& a) {
    const Value& columns = a["M"].isNone() ? a["N"] : a["M"];
    Value out = torchCall("zeros", {a["N"], columns}, {{"dtype", dtypeOr(a["dtype"], at::kDouble)}});
    (void)method("fill_", {method("diagonal", {out, a["k"]}), 1});
    return out;
}

Value tri(const Arguments& a) {
    const Value& columns = a["M"].isNone() ? a["N"] : a["M"];
    const Value ones =
        torchCall("ones", {Value::tuple({a["N"], columns})}, {{"dtype", dtypeOrNone(a["dtype"])}});
    return torchCall("tril", {ones}, {{"diagonal", a["k"]}});
}

Value converted(const Arguments& a, bool copy, std::int64_t rank) {
    Value out = cast(array(a["object"]), dtypeOf(a["dtype"]));
    const std::int64_t missing = rank - out.tensor().dim();
    if (missing > 0) {
        Dims shape(static_cast<std::size_t>(missing), 1);
        shape.insert(shape.end(), out.tensor().sizes().begin(), out.tensor().sizes().end());
        out = method("view", {out, Value(shape)});
    }
    return copy ? method("clone", {out}) : out;
}

Value makeArray(const Arguments& a) {
    return converted(a, a["copy"].isNone() ? false : a["copy"].flag(), a["ndmin"].integer());
}

Value contiguousArray(const Arguments& a) {
    const Value out = converted(a, false, 0);
    return out.tensor().is_contiguous() ? out : method("contiguous", {out});
}

Value astype(const Arguments& a) {
    return method("to", {a["self"], dtypeOr(a["dtype"], at::kDouble)});
}

// Numbers drawn without a size are Python's, which Dynamo does not put into a graph.

Value drawn(const Arguments& a, const char* name, std::vector<Value> parameters = {}) {
    TORCH_CHECK(!a["size"].isNone(), "draws a Python number");
    parameters.insert(parameters.begin(), torchCall("empty", {a["size"]}, {{"dtype", at::kDouble}}));
    return method(name, std::move(parameters));
}

Value rand(const Arguments& a) {
    TORCH_CHECK(!a["size"].items().empty(), "draws a Python number");
    return method("uniform_", {torchCall("empty", {a["size"]}, {{"dtype", at::kDouble}})});
}

Value randint(const Arguments& a) {
    TORCH_CHECK(!a["size"].isNone(), "draws a Python number");
    const Value size = a["size"].isSequence() ? a["size"] : Value::tuple({a["size"]});
    const bool one = a["high"].isNone();
    return torchCall("randint", {one ? Value(0) : a["low"], one ? a["low"] : a["high"]}, {{"size", size}});
}

Value shuffle(const Arguments& a) {
    const Value &x = a["x"], order = torchCall("randperm", {x.tensor().size(0)});
    (void)method("copy_", {x, method("__getitem__", {x, order})});
    return {};
}

constexpr std::array creationTable{
    Entry{"zeros", "shape, dtype=None, order='C', *, like=None",
          [](const Arguments& a) { return filledWith(a, "zeros"); }},
    Entry{"ones", "shape, dtype=None, order='C', *, like=None",
          [](const Arguments& a) { return filledWith(a, "ones"); }},
    Entry{"empty", "shape, dtype=None, order='C', *, like=None",
          [](const Arguments& a) { return filledWith(a, "empty"); }},
    Entry{"full", "shape, fill_value, dtype=None, order='C', *, like=None", full},
    Entry{"zeros_like", "a, dtype=None, order='K', subok=False, shape=None",
          [](const Arguments& a) { return likeOther(a, "zeros_like"); }},
    Entry{"ones_like", "a, dtype=None, order='K', subok=False, shape=None",
          [](const Arguments& a) { return likeOther(a, "ones_like"); }},
    Entry{"empty_like", "a, dtype=None, order='K', subok=False, shape=None",
          [](const Arguments& a) { return likeOther(a, "empty_like"); }},
    Entry{"full_like", "a, fill_value, dtype=None, order='K', subok=False, shape=None", fullLike},
    Entry{"arange", "start=None, stop=None, step=1, dtype=None, *, like=None", arange},
    Entry{"linspace", "start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0", linspace},
    Entry{"eye", "N, M=None, k=0, dtype=None, order='C', *, like=None", eye},
    Entry{"identity", "n, dtype=None, *, like=None",
          [](const Arguments& a) {
              return torchCall("eye", {a["n"]}, {{"dtype", dtypeOrNone(a["dtype"])}});
          }},
    Entry{"tri", "N, M=None, k=0, dtype=None, *, like=None", tri},
    Entry{"array", "object, dtype=None, *, copy=True, order='K', subok=False, ndmin=0, like=None", makeArray},
    Entry{"asarray", "object, dtype=None, order='K', *, like=None",
          [](const Arguments& a) { return converted(a, false, 0); }},
    Entry{"ascontiguousarray", "object, dtype=None, *, like=None", contiguousArray},
    Entry{"astype", "self, dtype, order='K', casting='unsafe', subok=True, copy=True", astype},
    Entry{"copy", "a, order='K', subok=False",
          [](const Arguments& a) { return method("clone", {array(a["a"])}); }},
    Entry{"rand", "*size", rand},
    Entry{"random_sample", "size=None", [](const Arguments& a) { return drawn(a, "uniform_"); }},
    Entry{"uniform", "low=0.0, high=1.0, size=None",
          [](const Arguments& a) {
              return drawn(a, "uniform_", {a["low"], a["high"]});
          }},
    Entry{"normal", "loc=0.0, scale=1.0, size=None",
          [](const Arguments& a) {
              return drawn(a, "normal_", {a["loc"], a["scale"]});
          }},
    Entry{"randn", "*size",
          [](const Arguments& a) {
              TORCH_CHECK(!a["size"].items().empty(), "draws a Python number");
              return torchCall("randn", {a["size"]}, {{"dtype", at::kDouble}});
          }},
    Entry{"randint", "low, high=None, size=None", randint},
    Entry{"shuffle", "x", shuffle},
};

} // namespace

std::span<const Entry> creations() {
    return creationTable;
}

} // namespace dynascope::engine::torch_level::numpy
