// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/verify/tensor_compare.h"

#include "core/engine/exec/torch_words.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/view_as_real.h>
#include <algorithm>
#include <cmath>
#include <limits>

namespace dynascope::engine {

namespace {

using at::Tensor;
using nlohmann::json;

/// Content in order as one dimension: doubles, or 64-bit integers; complex numbers as pairs.
Tensor flat(const Tensor& tensor) {
    Tensor plain = tensor.detach().resolve_conj().resolve_neg();
    if (plain.is_complex()) plain = at::view_as_real(plain);
    const bool integral = c10::isIntegralType(plain.scalar_type(), true);
    return plain.to(integral ? at::kLong : at::kDouble).contiguous().view({-1});
}

double toleranceOf(at::ScalarType type) {
    if (type == at::kHalf) return 1e-3;
    return type == at::kBFloat16 ? 1e-2 : 1e-5;
}

std::vector<std::int64_t> coordinates(const Tensor& tensor, std::int64_t position) {
    std::vector<std::int64_t> out(static_cast<std::size_t>(tensor.dim()));
    for (std::size_t i = out.size(); i-- > 0;) {
        const std::int64_t size = tensor.size(static_cast<std::int64_t>(i));
        out[i] = position % size;
        position /= size;
    }
    return out;
}

void notice(Distance& out, const Tensor& expected, const Tensor& actual, std::int64_t position) {
    if (!out.same) return;
    out.same = false;
    out.cell = coordinates(expected, position);
    out.expected = cellOf(expected, position);
    out.actual = cellOf(actual, position);
}

std::string shapeText(const Tensor& tensor) {
    return json(tensor.sizes().vec()).dump() + ' ' + dtypeName(tensor.scalar_type());
}

std::string cellText(const std::vector<std::int64_t>& cell) {
    return cell.empty() ? std::string("the value") : "cell " + json(cell).dump();
}

} // namespace

wire::Number cellOf(const Tensor& tensor, std::int64_t position) {
    const at::AutoGradMode noGrad(false);
    const Tensor all = flat(tensor);
    if (all.scalar_type() != at::kDouble) {
        const std::int64_t value = all.const_data_ptr<std::int64_t>()[position];
        return tensor.scalar_type() == at::kBool ? wire::Number{value != 0} : wire::Number{value};
    }
    const double* cells = all.const_data_ptr<double>();
    if (tensor.is_complex()) return {std::complex<double>(cells[2 * position], cells[2 * position + 1])};
    return {cells[position]};
}

Distance distance(const Tensor& expected, const Tensor& actual, std::optional<double> within) {
    const at::AutoGradMode noGrad(false);
    Distance out;
    const Tensor a = flat(expected);
    const Tensor b = flat(actual);
    const std::int64_t perCell = expected.is_complex() ? 2 : 1;
    if (a.scalar_type() == at::kLong && b.scalar_type() == at::kLong) {
        const auto* x = a.const_data_ptr<std::int64_t>();
        const auto* y = b.const_data_ptr<std::int64_t>();
        for (std::int64_t i = 0; i < a.numel(); ++i) {
            if (x[i] == y[i]) continue;
            const double gap = std::abs(static_cast<double>(x[i]) - static_cast<double>(y[i]));
            out.maxAbsolute = std::max(out.maxAbsolute, gap);
            out.maxRelative =
                std::max(out.maxRelative, gap / std::max(1.0, std::abs(static_cast<double>(x[i]))));
            notice(out, expected, actual, i / perCell);
            out.close = false;
        }
        return out;
    }
    const Tensor wideA = a.to(at::kDouble);
    const Tensor wideB = b.to(at::kDouble);
    const auto* x = wideA.const_data_ptr<double>();
    const auto* y = wideB.const_data_ptr<double>();
    const double tolerance =
        within.value_or(std::max(toleranceOf(expected.scalar_type()), toleranceOf(actual.scalar_type())));
    double largest = 0, largestGap = 0;
    for (std::int64_t i = 0; i < wideA.numel(); ++i) {
        if (std::isfinite(x[i])) largest = std::max(largest, std::abs(x[i]));
        if (x[i] == y[i] || (std::isnan(x[i]) && std::isnan(y[i]))) continue;
        const double gap = std::abs(x[i] - y[i]);
        const double size = std::max(std::abs(x[i]), std::abs(y[i]));
        largestGap = std::max(largestGap, std::isfinite(gap) ? gap : std::numeric_limits<double>::infinity());
        out.finite &= std::isfinite(gap);
        if (std::isfinite(gap)) {
            out.maxAbsolute = std::max(out.maxAbsolute, gap);
            out.maxRelative = std::max(out.maxRelative, gap / size);
        }
        // What is infinitely far is not within a share of infinity.
        if (!std::isfinite(gap) || gap > tolerance * std::max(1.0, size))
            notice(out, expected, actual, i / perCell);
    }
    out.largest = largest;
    out.close = largestGap <= tolerance * std::max(1.0, largest);
    out.small = out.same && largestGap > tolerance * std::min(1.0, largest);
    return out;
}

std::vector<c10::IValue> leavesOf(const c10::IValue& value) {
    std::vector<c10::IValue> out;
    const auto collect = [&](const auto& self, const c10::IValue& item, int depth) -> void {
        if (depth > 50) return;
        if (item.isTuple()) {
            for (const c10::IValue& inner : item.toTupleRef().elements())
                self(self, inner, depth + 1);
        } else if (item.isList()) {
            for (const c10::IValue& inner : item.toListRef())
                self(self, inner, depth + 1);
        } else {
            out.push_back(item);
        }
    };
    collect(collect, value, 0);
    return out;
}

std::optional<ValueDifference> valueDifference(const c10::IValue& expected, const c10::IValue& actual,
                                               std::optional<double> tolerance) {
    const std::vector<c10::IValue> a = leavesOf(expected);
    const std::vector<c10::IValue> b = leavesOf(actual);
    if (a.size() != b.size())
        return ValueDifference{
            std::to_string(b.size()) + " values instead of " + std::to_string(a.size()), {}, {}, {}};
    for (std::size_t i = 0; i < a.size(); ++i) {
        const std::string which = a.size() > 1 ? "result " + std::to_string(i) + ", " : std::string();
        if (a[i].isTensor() != b[i].isTensor())
            return ValueDifference{which + "not the same kind of value", {}, {}, {}};
        if (a[i].isTensor()) {
            const Tensor& x = a[i].toTensor();
            const Tensor& y = b[i].toTensor();
            if (x.defined() != y.defined())
                return ValueDifference{which + "only one is a tensor", {}, {}, {}};
            if (!x.defined()) continue;
            if (x.sizes() != y.sizes() || x.scalar_type() != y.scalar_type())
                return ValueDifference{
                    which + shapeText(y) + " instead of " + shapeText(x), {}, {shapeText(x)}, {shapeText(y)}};
            if (Distance d = distance(x, y, tolerance); !d.same)
                return ValueDifference{which + cellText(d.cell) + " is " + d.actual->text() + " instead of " +
                                           d.expected->text(),
                                       std::move(d.cell),
                                       {*d.expected},
                                       {*d.actual}};
        } else if (a[i].isScalar() && b[i].isScalar()) {
            const double x = a[i].toScalar().toDouble();
            const double y = b[i].toScalar().toDouble();
            const double gap = std::abs(x - y);
            const bool same = x == y || (std::isnan(x) && std::isnan(y)) ||
                              (std::isfinite(gap) &&
                               gap <= tolerance.value_or(1e-5) * std::max({1.0, std::abs(x), std::abs(y)}));
            if (!same)
                return ValueDifference{which + "the number is " + wire::Number{y}.text() + " instead of " +
                                           wire::Number{x}.text(),
                                       {},
                                       {wire::Number{x}},
                                       {wire::Number{y}}};
        }
    }
    return std::nullopt;
}

} // namespace dynascope::engine
