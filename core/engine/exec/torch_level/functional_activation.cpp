// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/exec/torch_level/functional.h"
#include "core/engine/exec/torch_level/overloads.h"

#include <array>

namespace dynascope::engine::torch_level {

namespace {

/// The dimension that softmax takes where none is named.
Value softmaxDim(const Arguments& a) {
    if (!a["dim"].isNone()) return a["dim"];
    const std::int64_t rank = a["input"].tensor().dim();
    return rank == 0 || rank == 1 || rank == 3 ? 0 : 1;
}

Value softmaxOf(std::string_view name, const Value& input, const Arguments& a) {
    if (a["dtype"].isNone()) return aten(name, {input, softmaxDim(a)});
    return aten(name, {input, softmaxDim(a)}, {{"dtype", a["dtype"]}});
}

Value gumbelSoftmax(const Arguments& a) {
    const Value noise =
        aten("neg", {aten("log", {aten("exponential_", {aten("empty_like", {a["logits"]})})})});
    Value soft = aten("softmax", {aten("div", {aten("add", {a["logits"], noise}), a["tau"]}), a["dim"]});
    if (!a["hard"].flag()) return soft;
    const Value index = aten("max", {soft, a["dim"], true}).items()[1];
    const Value hard = aten("scatter_", {aten("zeros_like", {a["logits"]}), a["dim"], index, 1.0});
    return aten("add", {aten("sub", {hard, aten("detach", {soft})}), soft});
}

/// dropout1d and its kin drop whole channels; a sample without a batch gets one for the time being.
Value channelDropout(const Arguments& a, std::int64_t unbatched) {
    Value input = a["input"];
    const bool inPlace = a["inplace"].flag();
    const bool batched = input.tensor().dim() != unbatched;
    if (!batched) input = aten(inPlace ? "unsqueeze_" : "unsqueeze", {input, 0});
    const Value out = aten(inPlace ? "feature_dropout_" : "feature_dropout", {input, a["p"], a["training"]});
    return batched ? out : aten(inPlace ? "squeeze_" : "squeeze", {out, 0});
}

constexpr std::string_view softmaxSignature = "input, dim=None, _stacklevel=3, dtype=None";
constexpr std::string_view dropoutSignature = "input, p=0.5, training=True, inplace=False";

constexpr std::array table{
    Entry{"softmax", softmaxSignature,
          [](const Arguments& a) { return softmaxOf("softmax", a["input"], a); }},
    Entry{"log_softmax", softmaxSignature,
          [](const Arguments& a) { return softmaxOf("log_softmax", a["input"], a); }},
    Entry{"softmin", softmaxSignature,
          [](const Arguments& a) { return softmaxOf("softmax", aten("neg", {a["input"]}), a); }},
    Entry{"gumbel_softmax", "logits, tau=1, hard=False, eps=1e-10, dim=-1", gumbelSoftmax},
    Entry{"sigmoid", "input", [](const Arguments& a) { return aten("sigmoid", {a["input"]}); }},
    Entry{"tanh", "input", [](const Arguments& a) { return aten("tanh", {a["input"]}); }},
    Entry{"logsigmoid", "input", [](const Arguments& a) { return aten("log_sigmoid", {a["input"]}); }},
    Entry{"softsign", "input",
          [](const Arguments& a) {
              return aten("div", {a["input"], aten("add", {aten("abs", {a["input"]}), 1})});
          }},
    Entry{"tanhshrink", "input",
          [](const Arguments& a) {
              return aten("sub", {a["input"], aten("tanh", {a["input"]})});
          }},
    Entry{"dropout1d", dropoutSignature, [](const Arguments& a) { return channelDropout(a, 2); }},
    // A sample of two dimensions and channels is taken for a batch of one dimension.
    Entry{"dropout2d", dropoutSignature, [](const Arguments& a) { return channelDropout(a, -1); }},
    Entry{"dropout3d", dropoutSignature, [](const Arguments& a) { return channelDropout(a, 4); }},
};

} // namespace

std::span<const Entry> activationFunctions() {
    return table;
}

} // namespace dynascope::engine::torch_level
