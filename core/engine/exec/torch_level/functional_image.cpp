// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/exec/torch_level/functional.h"
#include "core/engine/exec/torch_level/overloads.h"

#include <array>
#include <cmath>

namespace dynascope::engine::torch_level {

namespace {

/// What interpolate was asked for: one of the two, or scale factors turned into a size.
struct Target {
    Value size;   ///< list or None
    Value scales; ///< list or None
};

Target targetOf(const Arguments& a, const at::Tensor& input) {
    const auto rank = static_cast<std::size_t>(std::max<std::int64_t>(input.dim() - 2, 0));
    const auto spread = [&](const Value& value) {
        if (!value.isSequence()) return Value::list(std::vector<Value>(rank, value));
        TORCH_CHECK_VALUE(value.items().size() == rank,
                          "Input and size or scale_factor must have the same number of spatial dimensions");
        return value;
    };
    const Value &size = a["size"], &scale = a["scale_factor"];
    TORCH_CHECK_VALUE(size.isNone() != scale.isNone(), "one of size and scale_factor should be defined");
    Target out{size.isNone() ? Value() : spread(size), scale.isNone() ? Value() : spread(scale)};
    const bool recompute = (!a["recompute_scale_factor"].isNone() && a["recompute_scale_factor"].flag()) ||
                           (a["mode"].text() == "area" && size.isNone());
    if (!recompute || scale.isNone()) return out;
    std::vector<std::int64_t> sizes;
    for (std::size_t i = 0; i < rank; ++i)
        sizes.push_back(static_cast<std::int64_t>(
            std::trunc(static_cast<double>(input.size(static_cast<std::int64_t>(i) + 2)) *
                       out.scales.items()[i].real())));
    return {Value(sizes), Value()};
}

Value interpolate(const Arguments& a) {
    const at::Tensor& input = a["input"].tensor();
    const std::string& mode = a["mode"].text();
    const bool nearest = mode == "nearest" || mode == "nearest-exact";
    TORCH_CHECK_VALUE(
        !(nearest || mode == "area") || a["align_corners"].isNone(),
        "align_corners option can only be set with the interpolating modes: linear | bilinear | "
        "bicubic | trilinear");
    const bool corners = !a["align_corners"].isNone() && a["align_corners"].flag();
    const Target target = targetOf(a, input);
    const std::int64_t rank = input.dim() - 2;
    TORCH_CHECK_NOT_IMPLEMENTED(rank >= 1 && rank <= 3,
                                "Input Error: Only 3D, 4D and 5D input Tensors supported");
    const std::string suffix = std::to_string(rank) + 'd';
    if (nearest) {
        const std::string name = mode == "nearest" ? "upsample_nearest" : "_upsample_nearest_exact";
        return aten(name + suffix, {a["input"], target.size, target.scales});
    }
    if (mode == "area") return aten("adaptive_avg_pool" + suffix, {a["input"], target.size});
    const bool fits = (mode == "linear" && rank == 1) || (mode == "trilinear" && rank == 3) ||
                      ((mode == "bilinear" || mode == "bicubic" || mode == "lanczos") && rank == 2);
    TORCH_CHECK_NOT_IMPLEMENTED(fits, "Got ", input.dim(), "D input, which mode ", mode, " does not take");
    std::string name = "upsample_" + mode + suffix;
    if (a["antialias"].flag()) {
        TORCH_CHECK_VALUE(rank == 2,
                          "Anti-alias option is restricted to bilinear and bicubic modes and requires "
                          "a 4-D tensor as input");
        name = '_' + name + "_aa";
    }
    return aten(name, {a["input"], target.size, corners, target.scales});
}

std::int64_t gridMode(const std::string& mode) {
    if (mode == "bilinear") return 0;
    if (mode == "nearest") return 1;
    TORCH_CHECK_VALUE(mode == "bicubic", "expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: '",
                      mode, "'");
    return 2;
}

std::int64_t gridPadding(const std::string& mode) {
    if (mode == "zeros") return 0;
    if (mode == "border") return 1;
    TORCH_CHECK_VALUE(mode == "reflection",
                      "expected padding_mode to be 'zeros', 'border', or 'reflection', but got: '", mode,
                      "'");
    return 2;
}

bool alignsCorners(const Arguments& a) {
    return !a["align_corners"].isNone() && a["align_corners"].flag();
}

Value spreadPair(const Value& value) {
    return value.isSequence() ? value : Value::list({value, value});
}

Value unfold(const Arguments& a) {
    return aten("im2col", {a["input"], spreadPair(a["kernel_size"]), spreadPair(a["dilation"]),
                           spreadPair(a["padding"]), spreadPair(a["stride"])});
}

Value fold(const Arguments& a) {
    return aten("col2im", {a["input"], spreadPair(a["output_size"]), spreadPair(a["kernel_size"]),
                           spreadPair(a["dilation"]), spreadPair(a["padding"]), spreadPair(a["stride"])});
}

constexpr std::string_view interpolateSignature =
    "input, size=None, scale_factor=None, mode='nearest', align_corners=None, recompute_scale_factor=None, "
    "antialias=False";

constexpr std::array table{
    Entry{"interpolate", interpolateSignature, interpolate},
    Entry{"upsample", interpolateSignature, interpolate},
    Entry{"upsample_nearest", interpolateSignature, interpolate},
    Entry{"upsample_bilinear",
          "input, size=None, scale_factor=None, mode='bilinear', align_corners=True, "
          "recompute_scale_factor=None, antialias=False",
          interpolate},
    Entry{"pad", "input, pad, mode='constant', value=None",
          [](const Arguments& a) {
              return aten("pad", {a["input"], a["pad"], a["mode"], a["value"]});
          }},
    Entry{"grid_sample", "input, grid, mode='bilinear', padding_mode='zeros', align_corners=None",
          [](const Arguments& a) {
              return aten("grid_sampler", {a["input"], a["grid"], gridMode(a["mode"].text()),
                                           gridPadding(a["padding_mode"].text()), alignsCorners(a)});
          }},
    Entry{"affine_grid", "theta, size, align_corners=None",
          [](const Arguments& a) {
              return aten("affine_grid_generator", {a["theta"], a["size"], alignsCorners(a)});
          }},
    Entry{"unfold", "input, kernel_size, dilation=1, padding=0, stride=1", unfold},
    Entry{"fold", "input, output_size, kernel_size, dilation=1, padding=0, stride=1", fold},
};

} // namespace

std::span<const Entry> imageFunctions() {
    return table;
}

} // namespace dynascope::engine::torch_level
