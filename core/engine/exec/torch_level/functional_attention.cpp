// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/exec/torch_level/functional.h"
#include "core/engine/exec/torch_level/overloads.h"

#include <array>
#include <cmath>
#include <limits>

namespace dynascope::engine::torch_level {

namespace {

Value linear(const Value& x, const Value& weight, const Value& bias) {
    return aten("linear", {x, weight, bias});
}

/// A boolean mask becomes one that is added.
Value additiveMask(const Value& mask, c10::ScalarType type) {
    if (mask.isNone()) return mask;
    const at::Tensor& tensor = mask.tensor();
    if (tensor.is_floating_point()) return mask;
    TORCH_CHECK(tensor.scalar_type() == at::kBool, "only bool and floating types of masks are supported");
    return aten("masked_fill_", {aten("zeros_like", {mask}, {{"dtype", Value(type)}}), mask,
                                 -std::numeric_limits<double>::infinity()});
}

/// proj of `count` parts side by side in its last dimension, as that many tensors.
std::vector<Value> parts(const Value& projected, std::int64_t count, std::int64_t width) {
    Value x = aten("unflatten", {projected, -1, Value::ints({count, width})});
    x = aten("transpose", {aten("unsqueeze", {x, 0}), 0, -2});
    x = aten("contiguous", {aten("squeeze", {x, -2})});
    std::vector<Value> out;
    for (std::int64_t i = 0; i < count; ++i)
        out.push_back(aten("select", {x, 0, i}));
    return out;
}

bool same(const Value& a, const Value& b) {
    return a.tensor().is_same(b.tensor());
}

/// Queries, keys and values from one packed weight.
std::vector<Value> packedProjection(const Value& q, const Value& k, const Value& v, const Value& weight,
                                    const Value& bias) {
    const std::int64_t width = q.tensor().size(-1);
    if (same(k, v) && same(q, k)) return parts(linear(q, weight, bias), 3, width);
    const auto divided = [&](std::string_view how, const Value& by) {
        const Value weights = aten(how, {weight, by});
        const std::size_t count = weights.items().size();
        const Value biases = bias.isNone() ? Value::list(std::vector<Value>(count)) : aten(how, {bias, by});
        return std::pair(weights.items(), biases.items());
    };
    if (same(k, v)) {
        const auto [weights, biases] = divided("split", Value::ints({width, 2 * width}));
        std::vector<Value> out{linear(q, weights[0], biases[0])};
        for (Value& part : parts(linear(k, weights[1], biases[1]), 2, width))
            out.push_back(std::move(part));
        return out;
    }
    const auto [weights, biases] = divided("chunk", 3);
    return {linear(q, weights[0], biases[0]), linear(k, weights[1], biases[1]),
            linear(v, weights[2], biases[2])};
}

std::vector<Value> projections(const Value& q, const Value& k, const Value& v, const Arguments& a) {
    if (!a["use_separate_proj_weight"].flag())
        return packedProjection(q, k, v, a["in_proj_weight"], a["in_proj_bias"]);
    std::vector<Value> biases(3);
    if (!a["in_proj_bias"].isNone()) biases = aten("chunk", {a["in_proj_bias"], 3}).items();
    return {linear(q, a["q_proj_weight"], biases[0]), linear(k, a["k_proj_weight"], biases[1]),
            linear(v, a["v_proj_weight"], biases[2])};
}

/// The scaled dot product of one call, weights and all.
struct MultiHead {
    const Arguments& a;

    Value run() {
        prepare();
        project();
        extend();
        combineMasks();
        dropout = a["training"].flag() ? a["dropout_p"].real() : 0;
        return a["need_weights"].flag() ? withWeights() : fused();
    }

    void prepare() {
        query = a["query"];
        key = a["key"];
        value = a["value"];
        padding = a["key_padding_mask"];
        batched = query.tensor().dim() == 3;
        TORCH_CHECK(batched || query.tensor().dim() == 2,
                    "query should be unbatched 2D or batched 3D tensor but received ", query.tensor().dim(),
                    "-D query tensor");
        if (!batched) {
            query = aten("unsqueeze", {query, 1});
            key = aten("unsqueeze", {key, 1});
            value = aten("unsqueeze", {value, 1});
            if (!padding.isNone()) padding = aten("unsqueeze", {padding, 0});
        }
        length = query.tensor().size(0);
        batch = query.tensor().size(1);
        width = query.tensor().size(2);
        heads = a["num_heads"].integer();
        TORCH_CHECK(heads > 0 && width % heads == 0, "embed_dim ", width, " not divisible by num_heads ",
                    heads);
        TORCH_CHECK(width == a["embed_dim_to_check"].integer(), "was expecting embedding dimension of ",
                    a["embed_dim_to_check"].integer(), ", but got ", width);
        const c10::ScalarType type = query.tensor().scalar_type();
        padding = additiveMask(padding, type);
        causal = a["is_causal"].flag();
        mask = a["attn_mask"];
        TORCH_CHECK(!causal || !mask.isNone(), "Need attn_mask if specifying the is_causal hint.");
        if (causal && padding.isNone() && !a["need_weights"].flag()) {
            mask = Value();
        } else {
            mask = additiveMask(mask, type);
            if (!padding.isNone()) causal = false;
        }
    }

    void project() {
        const std::vector<Value> projected = projections(query, key, value, a);
        q = projected[0];
        k = projected[1];
        v = projected[2];
        if (!mask.isNone() && mask.tensor().dim() == 2) mask = aten("unsqueeze", {mask, 0});
    }

    /// Extra keys and values: learned biases, zeros.
    void extend() {
        if (!a["bias_k"].isNone() && !a["bias_v"].isNone()) {
            k = aten("cat", {Value::list({k, aten("repeat", {a["bias_k"], 1, batch, 1})})});
            v = aten("cat", {Value::list({v, aten("repeat", {a["bias_v"], 1, batch, 1})})});
            padMasks();
        }
        const std::int64_t head = width / heads;
        const auto split = [&](const Value& x, std::int64_t count) {
            return aten("transpose", {aten("view", {x, Value::ints({count, batch * heads, head})}), 0, 1});
        };
        q = split(q, length);
        k = a["static_k"].isNone() ? split(k, k.tensor().size(0)) : a["static_k"];
        v = a["static_v"].isNone() ? split(v, v.tensor().size(0)) : a["static_v"];
        if (a["add_zero_attn"].flag()) {
            const auto withZero = [&](const Value& x) {
                const Value zeros = aten("zeros", {Value::ints({batch * heads, 1, head})},
                                         {{"dtype", Value(x.tensor().scalar_type())}});
                return aten("cat", {Value::list({x, zeros}), 1});
            };
            k = withZero(k);
            v = withZero(v);
            padMasks();
        }
        sources = k.tensor().size(1);
    }

    void padMasks() {
        if (!mask.isNone()) mask = aten("pad", {mask, Value::ints({0, 1})});
        if (!padding.isNone()) padding = aten("pad", {padding, Value::ints({0, 1})});
    }

    void combineMasks() {
        if (padding.isNone()) return;
        Value x = aten("view", {padding, Value::ints({batch, 1, 1, sources})});
        x = aten("expand", {x, Value::ints({-1, heads, -1, -1})});
        x = aten("reshape", {x, Value::ints({batch * heads, 1, sources})});
        mask = mask.isNone() ? x : aten("add", {mask, x});
    }

    Value joined(const Value& attended) {
        const Value out = linear(attended, a["out_proj_weight"], a["out_proj_bias"]);
        return aten("view", {out, Value::ints({length, batch, out.tensor().size(1)})});
    }

    Value withWeights() {
        TORCH_CHECK(!causal || !mask.isNone(), "is_causal not implemented for need_weights");
        const double head = static_cast<double>(q.tensor().size(2));
        const Value scaled = aten("mul", {q, std::sqrt(1.0 / head)});
        const Value turned = aten("transpose", {k, -2, -1});
        Value weights =
            mask.isNone() ? aten("bmm", {scaled, turned}) : aten("baddbmm", {mask, scaled, turned});
        weights = aten("softmax", {weights, -1});
        if (dropout > 0) weights = aten("dropout", {weights, dropout, true});
        Value out = aten("transpose", {aten("bmm", {weights, v}), 0, 1});
        out = joined(aten("reshape", {out, Value::ints({length * batch, width})}));
        weights = aten("view", {weights, Value::ints({batch, heads, length, sources})});
        if (a["average_attn_weights"].flag()) weights = aten("mean", {weights, Value::ints({1})});
        if (!batched) {
            out = aten("squeeze", {out, 1});
            weights = aten("squeeze", {weights, 0});
        }
        return Value::tuple({out, weights});
    }

    Value fused() {
        if (!mask.isNone())
            mask = mask.tensor().size(0) == 1 && mask.tensor().dim() == 3
                       ? aten("unsqueeze", {mask, 0})
                       : aten("view", {mask, Value::ints({batch, heads, -1, sources})});
        const std::int64_t head = width / heads;
        const Value q4 = aten("view", {q, Value::ints({batch, heads, length, head})});
        const Value k4 = aten("view", {k, Value::ints({batch, heads, sources, head})});
        const Value v4 = aten("view", {v, Value::ints({batch, heads, sources, head})});
        Value out = aten("scaled_dot_product_attention", {q4, k4, v4, mask, dropout, causal});
        out = aten("permute", {out, Value::ints({2, 0, 1, 3})});
        out = joined(aten("reshape", {out, Value::ints({batch * length, width})}));
        if (!batched) out = aten("squeeze", {out, 1});
        return Value::tuple({out, Value()});
    }

    Value query{}, key{}, value{}, padding{}, mask{}, q{}, k{}, v{};
    bool batched = true, causal = false;
    std::int64_t length = 0, batch = 0, width = 0, heads = 0, sources = 0;
    double dropout = 0;
};

constexpr std::array table{
    Entry{"multi_head_attention_forward",
          "query, key, value, embed_dim_to_check, num_heads, in_proj_weight, in_proj_bias, bias_k, bias_v, "
          "add_zero_attn, dropout_p, out_proj_weight, out_proj_bias, training=True, key_padding_mask=None, "
          "need_weights=True, attn_mask=None, use_separate_proj_weight=False, q_proj_weight=None, "
          "k_proj_weight=None, v_proj_weight=None, static_k=None, static_v=None, average_attn_weights=True, "
          "is_causal=False",
          [](const Arguments& a) { return MultiHead{a}.run(); }},
    Entry{"grouped_mm", "mat_a, mat_b, *, offs=None, bias=None, out_dtype=None",
          [](const Arguments& a) {
              return aten("_grouped_mm", {a["mat_a"], a["mat_b"]},
                          {{"offs", a["offs"]}, {"bias", a["bias"]}, {"out_dtype", a["out_dtype"]}});
          }},
};

} // namespace

std::span<const Entry> attentionFunctions() {
    return table;
}

} // namespace dynascope::engine::torch_level
