// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/exec/torch_level/literals.h"
#include "core/engine/exec/torch_level/overloads.h"
#include "core/engine/exec/torch_level/python_bodies.h"
#include "core/engine/exec/torch_level/torch_functions.h"

#include <array>
#include <c10/core/DefaultDtype.h>
#include <c10/core/Layout.h>
#include <cmath>
#include <numbers>

namespace dynascope::engine::torch_level {

namespace {

using Options = std::vector<std::pair<std::string, Value>>;

/// The length of a window and what all of them are given.
struct Window {
    explicit Window(const Arguments& a)
        : length(a["M"].integer())
        , symmetric(a["sym"].flag())
        , dtype(a["dtype"].isNone() ? c10::get_default_dtype_as_scalartype() : a["dtype"].dtype())
        , requiresGrad(a["requires_grad"]) {
        TORCH_CHECK_VALUE(length >= 0, "a window requires non-negative window length, got M=", length);
        TORCH_CHECK_VALUE(dtype == at::kFloat || dtype == at::kDouble,
                          "a window expects float32 or float64 dtypes, got: ", dtype);
    }

    [[nodiscard]] Options options() const {
        return {{"dtype", dtype}, {"layout", c10::kStrided}, {"device", c10::Device(c10::kCPU)}};
    }
    [[nodiscard]] Value made(std::string_view factory, std::vector<Value> args) const {
        return requiringGrad(aten(factory, std::move(args), options()).tensor(), requiresGrad);
    }
    [[nodiscard]] Value empty() const { return made("empty", {Value::ints({0})}); }
    [[nodiscard]] Value one() const { return made("ones", {Value::ints({1})}); }
    [[nodiscard]] Value line(const Value& start, const Value& end) const {
        return made("linspace", {start, end, length});
    }
    /// Python's M if sym else M - 1, and the other way round.
    [[nodiscard]] double steps() const { return static_cast<double>(symmetric ? length - 1 : length); }

    std::int64_t length;
    bool symmetric;
    c10::ScalarType dtype;
    Value requiresGrad;
};

double last(const Window& window) {
    return static_cast<double>(window.length - 1);
}

Value exponential(const Arguments& a) {
    const Window window(a);
    TORCH_CHECK_VALUE(a["tau"].real() > 0, "Tau must be positive, got: ", a["tau"].real(), " instead.");
    TORCH_CHECK_VALUE(!window.symmetric || a["center"].isNone(), "Center must be None for symmetric windows");
    if (window.length == 0) return window.empty();
    const bool periodic = !window.symmetric && window.length > 1;
    const double center = a["center"].isNone()
                              ? static_cast<double>(periodic ? window.length : window.length - 1) / 2.0
                              : a["center"].real();
    const double constant = 1 / a["tau"].real();
    const Value k = window.line(-center * constant, (-center + last(window)) * constant);
    return aten("exp", {aten("neg", {aten("abs", {k})})});
}

Value cosine(const Arguments& a) {
    const Window window(a);
    if (window.length == 0) return window.empty();
    const bool periodic = !window.symmetric && window.length > 1;
    const double constant =
        std::numbers::pi / static_cast<double>(periodic ? window.length + 1 : window.length);
    return aten("sin", {window.line(0.5 * constant, (0.5 + last(window)) * constant)});
}

Value gaussian(const Arguments& a) {
    const Window window(a);
    TORCH_CHECK_VALUE(a["std"].real() > 0, "Standard deviation must be positive, got: ", a["std"].real(),
                      " instead.");
    if (window.length == 0) return window.empty();
    const bool periodic = !window.symmetric && window.length > 1;
    const double start = static_cast<double>(-(periodic ? window.length : window.length - 1)) / 2.0;
    const double constant = 1 / (a["std"].real() * std::sqrt(2.0));
    const Value k = window.line(start * constant, (start + last(window)) * constant);
    return aten("exp", {aten("neg", {aten("pow", {k, 2})})});
}

Value kaiser(const Arguments& a) {
    const Window window(a);
    TORCH_CHECK_VALUE(a["beta"].real() >= 0, "beta must be non-negative, got: ", a["beta"].real(),
                      " instead.");
    if (window.length == 0) return window.empty();
    if (window.length == 1) return window.one();
    const Value beta = tensorFrom(a["beta"], window.dtype);
    const Value start = aten("neg", {beta});
    const auto steps = static_cast<std::int64_t>(window.steps());
    const Value constant = aten("div", {aten("mul", {beta, 2.0}), steps});
    const Value reach = aten("add", {start, aten("mul", {constant, window.length - 1})});
    const Value k = window.line(start, aten("minimum", {beta, reach}));
    const Value under = aten("sub", {aten("mul", {beta, beta}), aten("pow", {k, 2})});
    return aten("div", {aten("i0", {aten("sqrt", {under})}), aten("i0", {beta})});
}

Value bartlett(const Arguments& a) {
    const Window window(a);
    if (window.length == 0) return window.empty();
    if (window.length == 1) return window.one();
    const double constant = 2 / window.steps();
    const Value k = window.line(-1, -1 + last(window) * constant);
    return aten("rsub", {aten("abs", {k}), 1});
}

Value sumOfCosines(const Arguments& a, const std::vector<double>& coefficients) {
    const Window window(a);
    if (window.length == 0) return window.empty();
    if (window.length == 1) return window.one();
    TORCH_CHECK_VALUE(!coefficients.empty(), "Coefficients cannot be empty");
    const double constant = 2 * std::numbers::pi / window.steps();
    const Value k = window.line(0, last(window) * constant);
    std::vector<Value> signs;
    for (std::size_t i = 0; i < coefficients.size(); ++i)
        signs.emplace_back(i % 2 == 0 ? coefficients[i] : -coefficients[i]);
    const Value weights =
        requiringGrad(tensorFrom(Value::list(std::move(signs)), window.dtype), window.requiresGrad);
    const Value i = aten("arange", {static_cast<std::int64_t>(coefficients.size())},
                         {{"dtype", window.dtype}, {"device", c10::Device(c10::kCPU)}});
    const Value column = aten("unsqueeze", {weights, -1});
    const Value waves = aten("cos", {aten("mul", {aten("unsqueeze", {i, -1}), k})});
    return aten("sum", {aten("mul", {column, waves}), 0});
}

Value generalCosine(const Arguments& a) {
    std::vector<double> coefficients;
    for (const Value& coefficient : a["a"].items())
        coefficients.push_back(coefficient.real());
    return sumOfCosines(a, coefficients);
}

Value generalHamming(const Arguments& a) {
    const double alpha = a["alpha"].real();
    return sumOfCosines(a, {alpha, 1.0 - alpha});
}

constexpr std::array table{
    Entry{"exponential",
          "M, *, center=None, tau=1.0, sym=True, dtype=None, layout=None, device=None, requires_grad=False",
          exponential},
    Entry{"cosine", "M, *, sym=True, dtype=None, layout=None, device=None, requires_grad=False", cosine},
    Entry{"gaussian", "M, *, std=1.0, sym=True, dtype=None, layout=None, device=None, requires_grad=False",
          gaussian},
    Entry{"kaiser", "M, *, beta=12.0, sym=True, dtype=None, layout=None, device=None, requires_grad=False",
          kaiser},
    Entry{"bartlett", "M, *, sym=True, dtype=None, layout=None, device=None, requires_grad=False", bartlett},
    Entry{"hamming", "M, *, sym=True, dtype=None, layout=None, device=None, requires_grad=False",
          [](const Arguments& a) {
              return sumOfCosines(a, {0.54, 1.0 - 0.54});
          }},
    Entry{"hann", "M, *, sym=True, dtype=None, layout=None, device=None, requires_grad=False",
          [](const Arguments& a) {
              return sumOfCosines(a, {0.5, 0.5});
          }},
    Entry{"blackman", "M, *, sym=True, dtype=None, layout=None, device=None, requires_grad=False",
          [](const Arguments& a) {
              return sumOfCosines(a, {0.42, 0.5, 0.08});
          }},
    Entry{"nuttall", "M, *, sym=True, dtype=None, layout=None, device=None, requires_grad=False",
          [](const Arguments& a) {
              return sumOfCosines(a, {0.3635819, 0.4891775, 0.1365995, 0.0106411});
          }},
    Entry{"general_cosine", "M, *, a, sym=True, dtype=None, layout=None, device=None, requires_grad=False",
          generalCosine},
    Entry{"general_hamming",
          "M, *, alpha=0.54, sym=True, dtype=None, layout=None, device=None, requires_grad=False",
          generalHamming},
};

} // namespace

std::span<const Entry> windowFunctions() {
    return table;
}

} // namespace dynascope::engine::torch_level
