// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/trace/python_tables.h"

#include <ATen/ExpandUtils.h>
#include <ATen/core/Reduction.h>
#include <algorithm>
#include <array>

namespace dynascope::engine::python_side {

namespace {

Value hardshrink(const Arguments& a) {
    const Value small = aten("le", {aten("abs", {a["self"]}), a["lambd"]});
    return aten("where", {small, 0, a["self"]});
}

Value softshrink(const Arguments& a) {
    const Value large = aten("gt", {aten("abs", {a["self"]}), a["lambd"]});
    const Value shrunk = a["self"] - aten("sign", {a["self"]}) * a["lambd"];
    return aten("where", {large, shrunk, a["self"] * Value(0)});
}

Value multiMarginLoss(const Arguments& a) {
    const Value input = aten("atleast_2d", {a["self"]});
    const std::int64_t classes = input.tensor().size(1);
    const Value target = aten("unsqueeze", {aten("atleast_1d", {a["target"]}), 1});
    Value loss = a["margin"] - aten("gather", {input, 1, target}) + input;
    loss = aten("clamp_min", {loss, 0});
    if (a["p"].real() != 1) loss = loss * loss;
    if (!a["weight"].isNone())
        loss = loss * aten("index", {aten("atleast_1d", {a["weight"]}), Value::list({target})});
    const Value others = aten("ne", {counted(classes, input), target});
    loss = aten("where", {others, loss, 0});
    const std::int64_t reduction = a["reduction"].integer();
    if (reduction == at::Reduction::Mean) return aten("mean", {loss});
    if (reduction == at::Reduction::Sum) return aten("sum", {loss}) / Value(loss.tensor().size(1));
    return aten("mean", {loss, Value::ints({1})});
}

Value multilabelMarginLoss(const Arguments& a) {
    const Value input = aten("atleast_2d", {a["self"]}), target = aten("atleast_2d", {a["target"]});
    const std::int64_t classes = input.tensor().size(1);
    const Value index = counted(classes, target);
    // Labels end before the first -1.
    const Value ends = aten("eq", {target, -1});
    const Value end = aten("amin", {aten("where", {ends, index, classes}), Value::ints({-1}), true});
    const Value labels = aten("lt", {index, end});
    const Value gathered = aten("gather", {input, -1, aten("where", {labels, target, 0})});
    const Value known = aten("unsqueeze", {aten("where", {labels, target, -1}), -1});
    const Value isTarget = aten("any", {aten("eq", {index, known}), 1});
    Value loss = Value(1.0) - aten("unsqueeze", {aten("numpy_T", {gathered}), -1}) + input;
    loss = aten("clamp_min", {loss, 0}) / Value(classes);
    loss = aten("where", {isTarget, 0, loss});
    const std::int64_t reduction = a["reduction"].integer();
    if (reduction == at::Reduction::Sum) {
        loss = aten("sum", {loss});
    } else {
        loss = aten("sum", {loss, Value::ints({0, -1})});
        if (reduction == at::Reduction::Mean) loss = aten("mean", {loss});
    }
    const Value flags = converted(isTarget, input.tensor().scalar_type());
    return Value::tuple({loss, aten("reshape", {flags, Value(a["target"].tensor().sizes().vec())})});
}

Value oneHot(const Arguments& a) {
    const Value &self = a["self"], &classes = a["num_classes"];
    TORCH_CHECK(classes.integer() != -1,
                "one_hot without a number of classes depends on the data: PyTorch does not trace it");
    (void)aten("_assert_async",
               {aten("all", {aten("ge", {self, 0})}), "one_hot: Class values must be non-negative."});
    (void)aten("_assert_async", {aten("all", {aten("lt", {self, classes})}),
                                 "one_hot: Class values must be smaller than num_classes."});
    const Value wide = aten("unsqueeze", {self, -1});
    const Value range = counted(classes.integer(), self, self.tensor().scalar_type());
    return converted(aten("eq", {wide, range}), at::kLong);
}

Value padSequence(const Arguments& a) {
    const std::vector<Value>& sequences = a["sequences"].items();
    TORCH_CHECK(!sequences.empty(), "received an empty list of sequences");
    const bool batchFirst = a["batch_first"].flag(), right = a["padding_side"].text() == "right";
    std::int64_t longest = 0;
    for (const Value& sequence : sequences)
        longest = std::max(longest, sequence.tensor().size(0));
    const at::IntArrayRef trailing = sequences[0].tensor().sizes().slice(1);
    std::vector<std::int64_t> sizes{static_cast<std::int64_t>(sequences.size()), longest};
    if (!batchFirst) std::swap(sizes[0], sizes[1]);
    sizes.insert(sizes.end(), trailing.begin(), trailing.end());
    Value out = aten("new_full", {sequences[0], Value(sizes), a["padding_value"]});
    for (std::size_t i = 0; i < sequences.size(); ++i) {
        const Value sequence = converted(sequences[i], out.tensor().scalar_type());
        std::vector<std::int64_t> padding(2 * trailing.size() + 2, 0);
        padding[padding.size() - (right ? 1 : 2)] = longest - sequence.tensor().size(0);
        const Value row = aten("constant_pad_nd", {sequence, Value(padding), a["padding_value"]});
        out = aten("select_scatter", {out, row, batchFirst ? 0 : 1, static_cast<std::int64_t>(i)});
    }
    return out;
}

/// At what a tensor says, whose numbers are read one by one.
Value tensorSplit(const Arguments& a) {
    const Value& at = a["tensor_indices_or_sections"];
    TORCH_CHECK(
        at.tensor().dim() <= 1 && at.tensor().scalar_type() == at::kLong,
        "tensor_split expected tensor_indices_or_sections to be a zero-dimensional or one-dimensional "
        "tensor of int64");
    if (at.tensor().dim() == 0)
        return aten("tensor_split", {a["self"], at.tensor().item<std::int64_t>(), a["dim"]});
    std::vector<std::int64_t> indices;
    const Value parts = aten("unbind", {at});
    for (const Value& part : parts.items())
        indices.push_back(part.tensor().item<std::int64_t>());
    return aten("tensor_split", {a["self"], Value(indices), a["dim"]});
}

/// Unlike the one in C++ it leaves alone what has the shape already.
Value broadcastTensors(const Arguments& a) {
    std::vector<std::int64_t> sizes;
    for (const Value& tensor : a["tensors"].items())
        sizes = at::infer_size(sizes, tensor.tensor().sizes());
    std::vector<Value> out;
    for (const Value& tensor : a["tensors"].items())
        out.push_back(tensor.tensor().sizes() == sizes ? tensor : aten("expand", {tensor, Value(sizes)}));
    return Value::list(std::move(out));
}

constexpr std::array table{
    Entry{"hardshrink", "self, lambd", hardshrink},
    Entry{"softshrink", "self, lambd", softshrink},
    Entry{"multi_margin_loss", "self, target, p, margin, weight, reduction", multiMarginLoss},
    Entry{"multilabel_margin_loss_forward", "self, target, reduction", multilabelMarginLoss},
    Entry{"one_hot", "self, num_classes", oneHot},
    Entry{"pad_sequence", "sequences, batch_first, padding_value, padding_side", padSequence},
    Entry{"broadcast_tensors", "tensors", broadcastTensors},
    Entry{"tensor_split.tensor_indices_or_sections", "self, tensor_indices_or_sections, dim", tensorSplit},
};

} // namespace

std::span<const Entry> lossKernels() {
    return table;
}

} // namespace dynascope::engine::python_side
