// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/trace/python_tables.h"

#include <ATen/OpMathType.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>

namespace dynascope::engine::python_side {

namespace {

using Sizes = std::vector<std::int64_t>;
using Scales = std::vector<std::optional<double>>; ///< by spatial dimension

std::int64_t spatialSize(const Value& input, std::size_t i) {
    return input.tensor().size(static_cast<std::int64_t>(i) + 2);
}

/// Of the `vec` overloads: a size, or factors.
Sizes outputSize(const Arguments& a) {
    if (!a["output_size"].isNone()) return a["output_size"].integers();
    Sizes out;
    for (const Value& factor : a["scale_factors"].items())
        out.push_back(static_cast<std::int64_t>(static_cast<double>(spatialSize(a["input"], out.size())) *
                                                factor.real()));
    return out;
}

Scales factors(const Arguments& a, std::size_t count) {
    Scales out(count);
    if (a["scale_factors"].isNone()) return out;
    for (std::size_t i = 0; i < count; ++i)
        out[i] = item(a["scale_factors"], i).real();
    return out;
}

/// Of the other overloads, whose last arguments they are.
Scales lastScales(const Arguments& a, std::size_t count) {
    Scales out;
    for (std::size_t i = a.values().size() - count; i < a.values().size(); ++i)
        out.push_back(a.values()[i].isNone() ? std::nullopt : std::optional(a.values()[i].real()));
    return out;
}

Value unsafeIndex(const Value& input, const std::vector<Value>& spatial) {
    std::vector<Value> indices(2);
    indices.insert(indices.end(), spatial.begin(), spatial.end());
    return aten("_unsafe_index", {input, Value::list(std::move(indices))});
}

Value inFormatOf(const Value& result, const Value& input) {
    return aten("contiguous", {result}, {{"memory_format", input.tensor().suggest_memory_format()}});
}

/// Computes halves as floats.
Value inOpMath(const Value& input, const std::function<Value(const Value&)>& body) {
    const c10::ScalarType dtype = input.tensor().scalar_type();
    return converted(body(converted(input, at::toOpMathType(dtype))), dtype);
}

Value nearest(const Value& given, const Sizes& size, const Scales& scales, bool exact) {
    return inOpMath(given, [&](const Value& input) {
        std::vector<Value> indices;
        for (std::size_t i = 0; i < size.size(); ++i) {
            const auto from = static_cast<double>(spatialSize(input, i));
            const bool scaled = scales[i] && *scales[i] > 0;
            const double step = from / (scaled ? from * *scales[i] : static_cast<double>(size[i]));
            const Value out = counted(size[i], input, at::kFloat);
            Value index = converted((out + Value(exact ? 0.5 : 0.0)) * Value(step), at::kLong);
            for (std::size_t j = i + 1; j < size.size(); ++j)
                index = aten("unsqueeze", {index, -1});
            indices.push_back(std::move(index));
        }
        Value result = unsafeIndex(input, indices);
        return result.tensor().dim() >= 4 ? inFormatOf(result, input) : result;
    });
}

template <bool exact>
Value nearestVec(const Arguments& a) {
    const Sizes size = outputSize(a);
    return nearest(a["input"], size, factors(a, size.size()), exact);
}

template <bool exact>
Value nearestSized(const Arguments& a) {
    const Sizes size = a["output_size"].integers();
    return nearest(a["input"], size, lastScales(a, size.size()), exact);
}

/// Python computes a scale of 0 as an integer.
Value scaleOf(std::int64_t in, std::int64_t out, bool corners, std::optional<double> scale) {
    if (corners) {
        if (out <= 1) return 0;
        return (static_cast<double>(in) - 1.0) / (static_cast<double>(out) - 1.0);
    }
    return scale && *scale > 0 ? 1.0 / *scale : static_cast<double>(in) / static_cast<double>(out);
}

Value sourceIndex(const Value& scale, const Value& out, bool corners) {
    return corners ? out * scale : (out + Value(0.5)) * scale - Value(0.5);
}

c10::ScalarType floating(const Value& tensor) {
    const c10::ScalarType dtype = tensor.tensor().scalar_type();
    return c10::isIntegralType(dtype, true) ? at::kFloat : dtype;
}

/// Between which two rows an output lies, and where.
struct Neighbours {
    Value at, low, high;
};

Neighbours neighbours(const Value& input, std::size_t i, std::int64_t size, bool corners,
                      std::optional<double> scale, std::size_t trailing) {
    const std::int64_t from = spatialSize(input, i);
    const Value step = scaleOf(from, size, corners, scale);
    const Value out = converted(counted(size, input), floating(input));
    Neighbours found;
    found.at = aten("clamp", {sourceIndex(step, out, corners)}, {{"min", 0.0}});
    Sizes shape(trailing + 1, 1);
    shape[0] = found.at.tensor().size(0);
    found.at = aten("reshape", {found.at, Value(shape)});
    found.low = converted(found.at, at::kLong);
    found.high = aten("clamp", {found.low + Value(1)}, {{"max", from - 1}});
    return found;
}

Value linear(const Value& given, const Sizes& size, bool corners, const Scales& scales) {
    return inOpMath(given, [&](const Value& input) {
        const c10::ScalarType dtype = floating(input);
        const std::size_t rank = size.size();
        std::vector<Neighbours> places;
        for (std::size_t i = 0; i < rank; ++i)
            places.push_back(neighbours(input, i, size[i], corners, scales[i], rank - 1 - i));
        std::vector<Value> values; // at the corners of the cell, the last dimension varies first
        for (std::size_t corner = 0; corner < std::size_t{1} << rank; ++corner) {
            std::vector<Value> index;
            for (std::size_t i = 0; i < rank; ++i)
                index.push_back((corner >> (rank - 1 - i) & 1U) != 0 ? places[i].high : places[i].low);
            values.push_back(converted(unsafeIndex(input, index), dtype));
        }
        for (std::size_t i = rank; i-- > 0;) {
            const Value part = converted(aten("clamp", {places[i].at - places[i].low, 0.0, 1.0}), dtype);
            std::vector<Value> next;
            for (std::size_t j = 0; j < values.size(); j += 2)
                next.push_back(values[j] + (values[j + 1] - values[j]) * part);
            values = std::move(next);
        }
        const Value result = inFormatOf(values.front(), input);
        return c10::isFloatingType(input.tensor().scalar_type()) ? result : aten("round", {result});
    });
}

Value linearVec(const Arguments& a) {
    const Sizes size = outputSize(a);
    return linear(a["input"], size, a["align_corners"].flag(), factors(a, size.size()));
}

Value linearSized(const Arguments& a) {
    const Sizes size = a["output_size"].integers();
    return linear(a["input"], size, a["align_corners"].flag(), lastScales(a, size.size()));
}

constexpr double cubicA = -0.75;

/// Weights of the four rows around an output.
std::array<Value, 4> cubicWeights(const Value& t) {
    const Value near = aten("stack", {Value::list({t, Value(1.0) - t}), 0});
    const Value far = aten("stack", {Value::list({t + Value(1.0), Value(2.0) - t}), 0});
    const Value outer =
        ((far * Value(cubicA) - Value(5 * cubicA)) * far + Value(8 * cubicA)) * far - Value(4 * cubicA);
    const Value inner = (near * Value(cubicA + 2) - Value(cubicA + 3)) * near * near + Value(1);
    const Value outers = aten("unbind", {outer, 0}), inners = aten("unbind", {inner, 0});
    return {item(outers, 0), item(inners, 0), item(inners, 1), item(outers, 1)};
}

Value weighted(const std::array<Value, 4>& values, const std::array<Value, 4>& weights) {
    Value sum = values[0] * weights[0];
    for (std::size_t i = 1; i < values.size(); ++i)
        sum = sum + values[i] * weights[i];
    return sum;
}

std::array<Value, 4> around(const Value& row) {
    return {row - Value(1), row, row + Value(1), row + Value(2)};
}

Value cubic(const Value& given, const Sizes& size, bool corners, const Scales& scales) {
    TORCH_CHECK_NOT_IMPLEMENTED(given.tensor().scalar_type() != at::kByte,
                                "bicubic upsampling of uint8 is not traced");
    return inOpMath(given, [&](const Value& input) {
        const c10::ScalarType dtype = floating(input);
        const std::int64_t height = spatialSize(input, 0), width = spatialSize(input, 1);
        const Value stepY = scaleOf(height, size[0], corners, scales[0]);
        const Value stepX = scaleOf(width, size[1], corners, scales[1]);
        const Value i = converted(counted(size[0], input), dtype);
        const Value j = converted(counted(size[1], input), dtype);
        const Value xAt = sourceIndex(stepX, j, corners);
        const Value yAt = aten("unsqueeze", {sourceIndex(stepY, i, corners), -1});
        Value x = aten("floor", {xAt}), y = aten("floor", {yAt});
        const Value yPart = aten("clamp", {yAt - y, 0.0, 1.0});
        const Value xPart = aten("clamp", {xAt - x, 0.0, 1.0});
        x = converted(x, at::kLong);
        y = converted(y, at::kLong);
        const std::array<Value, 4> ys = around(y), xs = around(x);
        const std::array<Value, 4> weightsX = cubicWeights(xPart), weightsY = cubicWeights(yPart);
        const auto row = [&](const Value& at) {
            std::array<Value, 4> values;
            for (std::size_t k = 0; k < xs.size(); ++k)
                values[k] = unsafeIndex(
                    input, {aten("clamp", {at, 0, height - 1}), aten("clamp", {xs[k], 0, width - 1})});
            return weighted(values, weightsX);
        };
        return inFormatOf(weighted({row(ys[0]), row(ys[1]), row(ys[2]), row(ys[3])}, weightsY), input);
    });
}

Value cubicVec(const Arguments& a) {
    const Sizes size = outputSize(a);
    return cubic(a["input"], size, a["align_corners"].flag(), factors(a, size.size()));
}

Value cubicSized(const Arguments& a) {
    return cubic(a["input"], a["output_size"].integers(), a["align_corners"].flag(), lastScales(a, 2));
}

constexpr std::string_view vec = "input, output_size, scale_factors";
constexpr std::string_view smoothVec = "input, output_size, align_corners, scale_factors";
constexpr std::string_view sized1 = "input, output_size, scales";
constexpr std::string_view sized2 = "input, output_size, scales_h, scales_w";
constexpr std::string_view sized3 = "input, output_size, scales_d, scales_h, scales_w";
constexpr std::string_view smooth2 = "input, output_size, align_corners, scales_h, scales_w";

constexpr std::array table{
    Entry{"upsample_nearest1d.vec", vec, nearestVec<false>},
    Entry{"upsample_nearest2d.vec", vec, nearestVec<false>},
    Entry{"upsample_nearest3d.vec", vec, nearestVec<false>},
    Entry{"_upsample_nearest_exact1d.vec", vec, nearestVec<true>},
    Entry{"_upsample_nearest_exact2d.vec", vec, nearestVec<true>},
    Entry{"_upsample_nearest_exact3d.vec", vec, nearestVec<true>},
    Entry{"upsample_nearest1d", sized1, nearestSized<false>},
    Entry{"upsample_nearest2d", sized2, nearestSized<false>},
    Entry{"upsample_nearest3d", sized3, nearestSized<false>},
    Entry{"_upsample_nearest_exact1d", sized1, nearestSized<true>},
    Entry{"_upsample_nearest_exact2d", sized2, nearestSized<true>},
    Entry{"_upsample_nearest_exact3d", sized3, nearestSized<true>},
    Entry{"upsample_linear1d.vec", smoothVec, linearVec},
    Entry{"upsample_bilinear2d.vec", smoothVec, linearVec},
    Entry{"upsample_trilinear3d.vec", smoothVec, linearVec},
    Entry{"upsample_bilinear2d", smooth2, linearSized},
    Entry{"upsample_bicubic2d.vec", smoothVec, cubicVec},
    Entry{"upsample_bicubic2d", smooth2, cubicSized},
};

} // namespace

std::span<const Entry> upsampleKernels() {
    return table;
}

} // namespace dynascope::engine::python_side
