// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/exec/torch_level/functional.h"
#include "core/engine/exec/torch_level/overloads.h"

#include <ATen/core/grad_mode.h>
#include <array>
#include <cmath>
#include <numbers>

namespace dynascope::engine::torch_level {

namespace {

/// at::Reduction.
enum Reduction : std::int64_t { None = 0, Mean = 1, Sum = 2 };

std::int64_t reductionFrom(const std::string& word) {
    if (word == "none") return None;
    if (word == "mean") return Mean;
    TORCH_CHECK_VALUE(word == "sum", word, " is not a valid value for reduction");
    return Sum;
}

/// size_average and reduce, which older programs still pass, come before reduction.
std::int64_t legacyReduction(const Arguments& a) {
    const Value &average = a["size_average"], &reduce = a["reduce"];
    if (average.isNone() && reduce.isNone()) return reductionFrom(a["reduction"].text());
    if (!reduce.isNone() && !reduce.flag()) return None;
    return average.isNone() || average.flag() ? Mean : Sum;
}

Value reduced(const Value& loss, std::int64_t reduction) {
    if (reduction == None) return loss;
    return aten(reduction == Mean ? "mean" : "sum", {loss});
}

struct Pair {
    Value input, target;
};
Pair broadcast(const Arguments& a) {
    const Value both = aten("broadcast_tensors", {Value::list({a["input"], a["target"]})});
    return {both.items()[0], both.items()[1]};
}

/// The weighted form of l1_loss and mse_loss.
Value weighted(const Value& errors, const Value& weight, std::int64_t reduction) {
    Value product = aten("mul", {errors, weight});
    if (reduction == None) return product;
    const Value sum = aten("sum", {product});
    return reduction == Sum ? sum : aten("div", {sum, aten("sum", {weight})});
}

Value l1Loss(const Arguments& a) {
    const Pair p = broadcast(a);
    const std::int64_t reduction = legacyReduction(a);
    if (a["weight"].isNone()) return aten("l1_loss", {p.input, p.target, reduction});
    return weighted(aten("abs", {aten("sub", {p.input, p.target})}), a["weight"], reduction);
}

Value mseLoss(const Arguments& a) {
    const Pair p = broadcast(a);
    const std::int64_t reduction = legacyReduction(a);
    if (a["weight"].isNone()) return aten("mse_loss", {p.input, p.target, reduction});
    return weighted(aten("pow", {aten("sub", {p.input, p.target}), 2}), a["weight"], reduction);
}

Value smoothL1Loss(const Arguments& a) {
    const Pair p = broadcast(a);
    const std::int64_t reduction = legacyReduction(a);
    if (a["beta"].real() == 0) return aten("l1_loss", {p.input, p.target, reduction});
    return aten("smooth_l1_loss", {p.input, p.target, reduction, a["beta"]});
}

Value huberLoss(const Arguments& a) {
    const Pair p = broadcast(a);
    const std::int64_t reduction = reductionFrom(a["reduction"].text());
    if (a["weight"].isNone()) return aten("huber_loss", {p.input, p.target, reduction, a["delta"]});
    const Value loss = aten("huber_loss", {p.input, p.target, std::int64_t{None}, a["delta"]});
    return reduced(aten("mul", {loss, a["weight"]}), reduction);
}

Value binaryCrossEntropy(const Arguments& a) {
    Value weight = a["weight"];
    if (!weight.isNone()) {
        const Value both = aten("broadcast_tensors", {Value::list({a["target"], weight})});
        weight = aten("expand", {weight, Value(both.items()[0].tensor().sizes().vec())});
    }
    return aten("binary_cross_entropy", {a["input"], a["target"], weight, legacyReduction(a)});
}

Value klDiv(const Arguments& a) {
    const bool legacy = !a["size_average"].isNone() || !a["reduce"].isNone();
    const bool batchMean = !legacy && a["reduction"].text() == "batchmean";
    const std::int64_t reduction = batchMean ? std::int64_t{Sum} : legacyReduction(a);
    const Value loss =
        aten("kl_div", {a["input"], a["target"], reduction}, {{"log_target", a["log_target"]}});
    const at::Tensor& input = a["input"].tensor();
    return batchMean && input.dim() != 0 ? aten("div", {loss, input.size(0)}) : loss;
}

Value gaussianNllLoss(const Arguments& a) {
    const at::Tensor& input = a["input"].tensor();
    Value var = a["var"];
    if (!var.isTensor()) var = aten("mul", {aten("ones_like", {a["input"]}), var});
    if (var.tensor().sizes() != input.sizes() &&
        var.tensor().sizes() ==
            input.sizes().slice(0, static_cast<std::size_t>(std::max<std::int64_t>(input.dim() - 1, 0))))
        var = aten("unsqueeze", {var, -1});
    var = aten("clone", {var});
    {
        const at::AutoGradMode noGrad(false);
        static_cast<void>(aten("clamp_", {var}, {{"min", a["eps"]}}));
    }
    const Value error = aten("pow", {aten("sub", {a["input"], a["target"]}), 2});
    Value loss = aten("add", {aten("log", {var}), aten("div", {error, var})});
    loss = aten("mul", {loss, 0.5});
    if (a["full"].flag()) loss = aten("add_", {loss, 0.5 * std::log(2 * std::numbers::pi)});
    return reduced(loss, reductionFrom(a["reduction"].text()));
}

Value multilabelSoftMarginLoss(const Arguments& a) {
    const Value& x = a["input"];
    const Value positive = aten("mul", {a["target"], aten("log_sigmoid", {x})});
    const Value negative =
        aten("mul", {aten("rsub", {a["target"], 1}), aten("log_sigmoid", {aten("neg", {x})})});
    Value loss = aten("neg", {aten("add", {positive, negative})});
    if (!a["weight"].isNone()) loss = aten("mul", {loss, a["weight"]});
    const std::int64_t classes = x.tensor().dim() - 1;
    loss = aten("div", {aten("sum", {loss, Value::ints({classes})}), x.tensor().size(classes)});
    return reduced(loss, legacyReduction(a));
}

constexpr std::array table{
    Entry{"l1_loss", "input, target, size_average=None, reduce=None, reduction='mean', weight=None", l1Loss},
    Entry{"mse_loss", "input, target, size_average=None, reduce=None, reduction='mean', weight=None",
          mseLoss},
    Entry{"smooth_l1_loss", "input, target, size_average=None, reduce=None, reduction='mean', beta=1.0",
          smoothL1Loss},
    Entry{"huber_loss", "input, target, reduction='mean', delta=1.0, weight=None", huberLoss},
    Entry{"binary_cross_entropy",
          "input, target, weight=None, size_average=None, reduce=None, reduction='mean'", binaryCrossEntropy},
    Entry{"binary_cross_entropy_with_logits",
          "input, target, weight=None, size_average=None, reduce=None, reduction='mean', pos_weight=None",
          [](const Arguments& a) {
              return aten("binary_cross_entropy_with_logits",
                          {a["input"], a["target"], a["weight"], a["pos_weight"], legacyReduction(a)});
          }},
    Entry{"nll_loss",
          "input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction='mean'",
          [](const Arguments& a) {
              return aten("nll_loss_nd",
                          {a["input"], a["target"], a["weight"], legacyReduction(a), a["ignore_index"]});
          }},
    Entry{"cross_entropy",
          "input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction='mean', "
          "label_smoothing=0.0",
          [](const Arguments& a) {
              return aten("cross_entropy_loss", {a["input"], a["target"], a["weight"], legacyReduction(a),
                                                 a["ignore_index"], a["label_smoothing"]});
          }},
    Entry{"kl_div", "input, target, size_average=None, reduce=None, reduction='mean', log_target=False",
          klDiv},
    Entry{"ctc_loss",
          "log_probs, targets, input_lengths, target_lengths, blank=0, reduction='mean', zero_infinity=False",
          [](const Arguments& a) {
              return aten("ctc_loss", {a["log_probs"], a["targets"], a["input_lengths"], a["target_lengths"],
                                       a["blank"], reductionFrom(a["reduction"].text()), a["zero_infinity"]});
          }},
    Entry{"poisson_nll_loss",
          "input, target, log_input=True, full=False, size_average=None, eps=1e-08, reduce=None, "
          "reduction='mean'",
          [](const Arguments& a) {
              return aten("poisson_nll_loss",
                          {a["input"], a["target"], a["log_input"], a["full"], a["eps"], legacyReduction(a)});
          }},
    Entry{"gaussian_nll_loss", "input, target, var, full=False, eps=1e-06, reduction='mean'",
          gaussianNllLoss},
    Entry{"hinge_embedding_loss",
          "input, target, margin=1.0, size_average=None, reduce=None, reduction='mean'",
          [](const Arguments& a) {
              return aten("hinge_embedding_loss", {a["input"], a["target"], a["margin"], legacyReduction(a)});
          }},
    Entry{"margin_ranking_loss",
          "input1, input2, target, margin=0, size_average=None, reduce=None, reduction='mean'",
          [](const Arguments& a) {
              return aten("margin_ranking_loss",
                          {a["input1"], a["input2"], a["target"], a["margin"], legacyReduction(a)});
          }},
    Entry{"cosine_embedding_loss",
          "input1, input2, target, margin=0, size_average=None, reduce=None, reduction='mean'",
          [](const Arguments& a) {
              return aten("cosine_embedding_loss",
                          {a["input1"], a["input2"], a["target"], a["margin"], legacyReduction(a)});
          }},
    Entry{"multi_margin_loss",
          "input, target, p=1, margin=1.0, weight=None, size_average=None, reduce=None, reduction='mean'",
          [](const Arguments& a) {
              return aten("multi_margin_loss",
                          {a["input"], a["target"], a["p"], a["margin"], a["weight"], legacyReduction(a)});
          }},
    Entry{"multilabel_margin_loss", "input, target, size_average=None, reduce=None, reduction='mean'",
          [](const Arguments& a) {
              return aten("multilabel_margin_loss", {a["input"], a["target"], legacyReduction(a)});
          }},
    Entry{"multilabel_soft_margin_loss",
          "input, target, weight=None, size_average=None, reduce=None, reduction='mean'",
          multilabelSoftMarginLoss},
    Entry{"soft_margin_loss", "input, target, size_average=None, reduce=None, reduction='mean'",
          [](const Arguments& a) {
              return aten("soft_margin_loss", {a["input"], a["target"], legacyReduction(a)});
          }},
    Entry{
        "triplet_margin_loss",
        "anchor, positive, negative, margin=1.0, p=2, eps=1e-06, swap=False, size_average=None, reduce=None, "
        "reduction='mean'",
        [](const Arguments& a) {
            return aten("triplet_margin_loss", {a["anchor"], a["positive"], a["negative"], a["margin"],
                                                a["p"], a["eps"], a["swap"], legacyReduction(a)});
        }},
};

} // namespace

std::span<const Entry> lossFunctions() {
    return table;
}

} // namespace dynascope::engine::torch_level
