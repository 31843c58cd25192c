// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/trace/python_tables.h"

#include <ATen/core/Tensor.h>
#include <array>

namespace dynascope::engine::python_side {

namespace {

std::int64_t integerOr(const Value& value, std::int64_t otherwise) {
    return value.isNone() ? otherwise : value.integer();
}

Value norm(const Arguments& a) {
    return a["normalized"].flag() ? Value("ortho") : Value();
}

/// Padded to the size of the transform on both sides.
Value centred(const Value& window, std::int64_t from, std::int64_t to) {
    const std::int64_t left = (to - from) / 2;
    return aten("constant_pad_nd", {window, Value::ints({left, to - from - left})});
}

Value ones(std::int64_t count, c10::ScalarType dtype, const at::Tensor& like) {
    return aten("ones", {count}, {{"dtype", dtype}, {"device", like.device()}});
}

Value padded(Value input, std::int64_t amount, const Value& mode) {
    const at::IntArrayRef sizes = input.tensor().sizes();
    std::vector<std::int64_t> extended(static_cast<std::size_t>(3 - input.tensor().dim()), 1);
    const auto extra = static_cast<std::ptrdiff_t>(extended.size());
    extended.insert(extended.end(), sizes.begin(), sizes.end());
    input = aten("pad", {aten("view", {input, Value(extended)}), Value::ints({amount, amount}), mode});
    const at::IntArrayRef wider = input.tensor().sizes();
    return aten("view", {input, Value(std::vector<std::int64_t>(wider.begin() + extra, wider.end()))});
}

Value stft(const Arguments& a) {
    Value input = a["self"], window = a["window"];
    const at::Tensor given = input.tensor();
    TORCH_CHECK(given.dim() == 1 || given.dim() == 2, "stft expected a 1D or 2D tensor");
    const std::int64_t size = a["n_fft"].integer(), hop = integerOr(a["hop_length"], size / 4),
                       length = integerOr(a["win_length"], size);
    const auto isComplex = [](const Value& value) { return value.isTensor() && value.tensor().is_complex(); };
    const bool complex = isComplex(input) || isComplex(window);
    const bool center = a["center"].flag();
    if (given.dim() == 1) input = aten("unsqueeze", {input, 0});
    if (center) input = padded(input, size / 2, a["pad_mode"]);
    if (length < size) {
        if (window.isNone()) window = ones(length, given.scalar_type(), given);
        window = centred(window, length, size);
    }
    if (!center && !a["align_to_window"].isNone() && a["align_to_window"].flag()) {
        const std::int64_t amount = (size - length) / 2;
        input = aten("pad", {input, Value::ints({amount, amount}), a["pad_mode"]});
    }
    input = aten("unfold", {input, -1, size, hop});
    if (!window.isNone()) input = input * window;
    const bool transformsComplex = isComplex(input);
    const bool onesided = a["onesided"].isNone() ? !transformsComplex : a["onesided"].flag();
    const Value out = aten(onesided ? "fft_rfft" : "fft_fft", {input, {}, -1, norm(a)});
    Value result = aten("transpose_", {out, 1, 2});
    if (given.dim() == 1) result = aten("squeeze_", {result, 0});
    const bool asComplex = a["return_complex"].isNone() ? complex : a["return_complex"].flag();
    return asComplex ? result : aten("view_as_real", {result});
}

Value istft(const Arguments& a) {
    Value input = a["self"];
    const at::Tensor given = input.tensor();
    TORCH_CHECK(given.dim() == 2 || given.dim() == 3,
                "istft expected a tensor with 2 or 3 dimensions, but got ", given.dim());
    const std::int64_t size = a["n_fft"].integer(), hop = integerOr(a["hop_length"], size / 4),
                       window = integerOr(a["win_length"], size);
    const std::int64_t frames = given.size(-1), whole = size + hop * (frames - 1);
    const bool onesided = a["onesided"].isNone() ? given.size(-2) != size : a["onesided"].flag();
    Value shape = a["window"];
    if (shape.isNone()) shape = ones(window, c10::toRealValueType(given.scalar_type()), given);
    if (window != size) shape = centred(shape, window, size);
    if (given.dim() == 2) input = aten("unsqueeze", {input, 0});
    input = aten("transpose", {input, 1, 2});
    if (a["return_complex"].flag()) {
        input = aten("fft_ifft", {input, {}, -1, norm(a)});
    } else {
        if (!onesided) input = aten("narrow", {input, -1, 0, size / 2 + 1});
        input = aten("fft_irfft", {input, {}, -1, norm(a)});
    }
    const Value parts = input * aten("view", {shape, Value::ints({1, 1, size})});
    const Value target = Value::ints({parts.tensor().size(0), whole});
    const auto summed = [&](const Value& pieces) {
        return aten("unfold_backward", {pieces, target, 1, size, hop});
    };
    Value out = summed(parts);
    Value envelope = summed(aten("expand", {aten("pow", {shape, 2}), Value::ints({1, frames, size})}));
    const bool center = a["center"].flag();
    const std::int64_t start = center ? size / 2 : 0;
    const std::int64_t end = !a["length"].isNone() ? start + a["length"].integer()
                             : center              ? whole - size / 2
                                                   : whole;
    out = aten("slice", {out, 1, start, end, 1});
    envelope = aten("slice", {envelope, 1, start, end, 1});
    out = out / envelope;
    if (given.dim() == 2) out = aten("squeeze", {out, 0});
    return end > whole ? aten("constant_pad_nd", {out, Value::ints({0, end - whole}), 0}) : out;
}

constexpr std::array table{
    Entry{"stft.center",
          "self, n_fft, hop_length, win_length, window, center, pad_mode, normalized, onesided, "
          "return_complex, align_to_window",
          stft},
    Entry{"istft",
          "self, n_fft, hop_length, win_length, window, center, normalized, onesided, length, "
          "return_complex",
          istft},
};

} // namespace

std::span<const Entry> spectralKernels() {
    return table;
}

} // namespace dynascope::engine::python_side
