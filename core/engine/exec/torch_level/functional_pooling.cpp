// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/exec/torch_level/functional.h"
#include "core/engine/exec/torch_level/overloads.h"

#include <array>
#include <cmath>

namespace dynascope::engine::torch_level {

namespace {

constexpr std::string_view maxPoolSignature =
    "input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False";

template <int Rank>
Value maxPool(const Arguments& a, bool indices) {
    const std::string name = "max_pool" + std::to_string(Rank) + (indices ? "d_with_indices" : "d");
    const Value stride = a["stride"].isNone() ? Value::list({}) : a["stride"];
    return aten(name, {a["input"], a["kernel_size"], stride, a["padding"], a["dilation"], a["ceil_mode"]});
}
template <int Rank>
Value maxPoolEither(const Arguments& a) {
    return maxPool<Rank>(a, a["return_indices"].flag());
}
template <int Rank>
Value maxPoolIndices(const Arguments& a) {
    return maxPool<Rank>(a, true);
}

/// An output size with None for sizes that stay.
Value sizesOf(const Arguments& a) {
    const Value& given = a["output_size"];
    if (!given.isSequence()) return given;
    const at::Tensor& input = a["input"].tensor();
    const auto rank = static_cast<std::int64_t>(given.items().size());
    std::vector<Value> sizes;
    for (std::int64_t i = 0; i < rank; ++i) {
        const Value& one = given.items()[static_cast<std::size_t>(i)];
        sizes.push_back(one.isNone() ? Value(input.size(i - rank)) : one);
    }
    return Value::list(std::move(sizes));
}

template <int Rank>
Value adaptiveMaxPool(const Arguments& a) {
    const Value both = aten("adaptive_max_pool" + std::to_string(Rank) + 'd', {a["input"], sizesOf(a)});
    return a["return_indices"].flag() ? both : both.items()[0];
}
template <int Rank>
Value adaptiveMaxPoolIndices(const Arguments& a) {
    return aten("adaptive_max_pool" + std::to_string(Rank) + 'd', {a["input"], sizesOf(a)});
}
template <int Rank>
Value adaptiveAvgPool(const Arguments& a) {
    return aten("adaptive_avg_pool" + std::to_string(Rank) + 'd', {a["input"], sizesOf(a)});
}

Value spread(const Value& value, std::size_t count) {
    return value.isSequence() ? value : Value::list(std::vector<Value>(count, value));
}

template <int Rank>
Value lpPool(const Arguments& a) {
    const std::string suffix = std::to_string(Rank) + 'd';
    const double norm = a["norm_type"].real();
    const Value stride = a["stride"].isNone() ? Value::list({}) : a["stride"];
    if (std::isinf(norm)) {
        Value input = aten("abs", {a["input"]});
        if (norm < 0) input = aten("neg", {input});
        const Value out = aten("max_pool" + suffix, {input, a["kernel_size"], stride, 0, 1, a["ceil_mode"]});
        return norm < 0 ? aten("neg", {out}) : out;
    }
    const Value mean = aten("avg_pool" + suffix, {aten("pow", {a["input"], a["norm_type"]}), a["kernel_size"],
                                                  stride, 0, a["ceil_mode"]});
    std::int64_t count = 1;
    const Value kernel = spread(a["kernel_size"], Rank);
    for (const Value& one : kernel.items())
        count *= one.integer();
    const Value sign = aten("mul", {aten("sign", {mean}), aten("relu", {aten("abs", {mean})})});
    return aten("pow", {aten("mul", {sign, count}), 1.0 / norm});
}

template <int Rank>
Value maxUnpool(const Arguments& a) {
    const std::vector<std::int64_t> kernel = spread(a["kernel_size"], Rank).integers();
    const Value stride = a["stride"].isNone() ? Value(kernel) : spread(a["stride"], Rank);
    const Value padding = spread(a["padding"], Rank);
    const at::Tensor& input = a["input"].tensor();
    std::vector<std::int64_t> sizes;
    if (!a["output_size"].isNone()) {
        sizes = a["output_size"].integers();
        if (sizes.size() == Rank + 2) sizes.erase(sizes.begin(), sizes.begin() + 2);
        TORCH_CHECK_VALUE(sizes.size() == Rank, "output_size should have ", Rank, " or ", Rank + 2,
                          " elements");
    } else {
        for (std::size_t i = 0; i < Rank; ++i)
            sizes.push_back((input.size(static_cast<std::int64_t>(i) - Rank) - 1) *
                                stride.items()[i].integer() +
                            kernel[i] - 2 * padding.items()[i].integer());
    }
    if constexpr (Rank == 1) {
        sizes.push_back(1);
        return aten("squeeze", {aten("max_unpool2d", {aten("unsqueeze", {a["input"], -1}),
                                                      aten("unsqueeze", {a["indices"], -1}), Value(sizes)}),
                                -1});
    }
    if constexpr (Rank == 3)
        return aten("max_unpool3d", {a["input"], a["indices"], Value(sizes), stride, padding});
    return aten("max_unpool2d", {a["input"], a["indices"], Value(sizes)});
}

template <int Rank>
Value fractionalMaxPool(const Arguments& a, bool indices) {
    const at::Tensor& input = a["input"].tensor();
    Value sizes = a["output_size"];
    if (sizes.isNone()) {
        std::vector<Value> out;
        const Value ratio = spread(a["output_ratio"], Rank);
        for (int i = 0; i < Rank; ++i)
            out.emplace_back(static_cast<std::int64_t>(static_cast<double>(input.size(i - Rank)) *
                                                       ratio.items()[static_cast<std::size_t>(i)].real()));
        sizes = Value::list(std::move(out));
    }
    Value samples = a["_random_samples"];
    if (samples.isNone()) {
        const std::int64_t batch = input.dim() == Rank + 1 ? 1 : input.size(0);
        samples = aten("rand", {Value::ints({batch, input.size(-Rank - 1), Rank})},
                       {{"dtype", input.scalar_type()}});
    }
    const Value both = aten("fractional_max_pool" + std::to_string(Rank) + 'd',
                            {a["input"], a["kernel_size"], sizes, samples});
    return indices ? both : both.items()[0];
}
template <int Rank>
Value fractionalEither(const Arguments& a) {
    return fractionalMaxPool<Rank>(a, a["return_indices"].flag());
}
template <int Rank>
Value fractionalIndices(const Arguments& a) {
    return fractionalMaxPool<Rank>(a, true);
}

constexpr std::string_view adaptiveSignature = "input, output_size, return_indices=False";
constexpr std::string_view fractionalSignature =
    "input, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None";
constexpr std::string_view lpSignature = "input, norm_type, kernel_size, stride=None, ceil_mode=False";
constexpr std::string_view unpoolSignature =
    "input, indices, kernel_size, stride=None, padding=0, output_size=None";

constexpr std::array table{
    Entry{"max_pool1d", maxPoolSignature, maxPoolEither<1>},
    Entry{"max_pool2d", maxPoolSignature, maxPoolEither<2>},
    Entry{"max_pool3d", maxPoolSignature, maxPoolEither<3>},
    Entry{"_max_pool1d", maxPoolSignature, [](const Arguments& a) { return maxPool<1>(a, false); }},
    Entry{"_max_pool2d", maxPoolSignature, [](const Arguments& a) { return maxPool<2>(a, false); }},
    Entry{"_max_pool3d", maxPoolSignature, [](const Arguments& a) { return maxPool<3>(a, false); }},
    Entry{"max_pool1d_with_indices", maxPoolSignature, maxPoolIndices<1>},
    Entry{"max_pool2d_with_indices", maxPoolSignature, maxPoolIndices<2>},
    Entry{"max_pool3d_with_indices", maxPoolSignature, maxPoolIndices<3>},
    Entry{"adaptive_avg_pool2d", "input, output_size", adaptiveAvgPool<2>},
    Entry{"adaptive_avg_pool3d", "input, output_size", adaptiveAvgPool<3>},
    Entry{"adaptive_max_pool1d", adaptiveSignature, adaptiveMaxPool<1>},
    Entry{"adaptive_max_pool2d", adaptiveSignature, adaptiveMaxPool<2>},
    Entry{"adaptive_max_pool3d", adaptiveSignature, adaptiveMaxPool<3>},
    Entry{"adaptive_max_pool1d_with_indices", adaptiveSignature, adaptiveMaxPoolIndices<1>},
    Entry{"adaptive_max_pool2d_with_indices", adaptiveSignature, adaptiveMaxPoolIndices<2>},
    Entry{"adaptive_max_pool3d_with_indices", adaptiveSignature, adaptiveMaxPoolIndices<3>},
    Entry{"fractional_max_pool2d", fractionalSignature, fractionalEither<2>},
    Entry{"fractional_max_pool3d", fractionalSignature, fractionalEither<3>},
    Entry{"fractional_max_pool2d_with_indices", fractionalSignature, fractionalIndices<2>},
    Entry{"fractional_max_pool3d_with_indices", fractionalSignature, fractionalIndices<3>},
    Entry{"lp_pool1d", lpSignature, lpPool<1>},
    Entry{"lp_pool2d", lpSignature, lpPool<2>},
    Entry{"lp_pool3d", lpSignature, lpPool<3>},
    Entry{"max_unpool1d", unpoolSignature, maxUnpool<1>},
    Entry{"max_unpool2d", unpoolSignature, maxUnpool<2>},
    Entry{"max_unpool3d", unpoolSignature, maxUnpool<3>},
};

} // namespace

std::span<const Entry> poolingFunctions() {
    return table;
}

} // namespace dynascope::engine::torch_level
