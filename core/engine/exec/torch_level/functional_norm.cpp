// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/exec/torch_level/functional.h"
#include "core/engine/exec/torch_level/overloads.h"

#include <array>

namespace dynascope::engine::torch_level {

namespace {

Value batchNorm(const Arguments& a) {
    return aten("batch_norm", {a["input"], a["weight"], a["bias"], a["running_mean"], a["running_var"],
                               a["training"], a["momentum"], a["eps"], true});
}

Value instanceNorm(const Arguments& a) {
    return aten("instance_norm", {a["input"], a["weight"], a["bias"], a["running_mean"], a["running_var"],
                                  a["use_input_stats"], a["momentum"], a["eps"], true});
}

Value localResponseNorm(const Arguments& a) {
    const Value& input = a["input"];
    const at::Tensor& tensor = input.tensor();
    TORCH_CHECK_VALUE(tensor.dim() >= 3, "Expected 3D or higher dimensionality input (got ", tensor.dim(),
                      " dimensions)");
    if (tensor.numel() == 0) return input;
    const std::int64_t size = a["size"].integer();
    Value square = aten("mul", {input, input});
    const std::vector<std::int64_t> sizes = tensor.sizes().vec();
    if (tensor.dim() == 3) {
        square = aten("pad", {aten("unsqueeze", {square, 1}), Value::ints({0, 0, size / 2, (size - 1) / 2})});
        square = aten("squeeze", {aten("avg_pool2d", {square, Value::ints({size, 1}), 1}), 1});
    } else {
        square = aten("view", {square, Value::ints({sizes[0], 1, sizes[1], sizes[2], -1})});
        square = aten("pad", {square, Value::ints({0, 0, 0, 0, size / 2, (size - 1) / 2})});
        square = aten("squeeze", {aten("avg_pool3d", {square, Value::ints({size, 1, 1}), 1}), 1});
        square = aten("view", {square, Value(sizes)});
    }
    const Value scaled = aten("add", {aten("mul", {square, a["alpha"]}), a["k"]});
    return aten("div", {input, aten("pow", {scaled, a["beta"]})});
}

Value normalize(const Arguments& a) {
    const Value dim = a["dim"].isSequence() ? a["dim"] : Value::list({a["dim"]});
    Value length = aten("linalg_vector_norm", {a["input"], a["p"], dim, true});
    length = aten("expand_as", {aten("clamp_min", {length, a["eps"]}), a["input"]});
    if (a["out"].isNone()) return aten("div", {a["input"], length});
    return aten("div", {a["input"], length}, {{"out", a["out"]}});
}

constexpr std::array table{
    Entry{"layer_norm", "input, normalized_shape, weight=None, bias=None, eps=1e-05",
          [](const Arguments& a) {
              return aten("layer_norm",
                          {a["input"], a["normalized_shape"], a["weight"], a["bias"], a["eps"], true});
          }},
    Entry{"rms_norm", "input, normalized_shape, weight=None, eps=None",
          [](const Arguments& a) {
              return aten("rms_norm", {a["input"], a["normalized_shape"], a["weight"], a["eps"]});
          }},
    Entry{
        "group_norm", "input, num_groups, weight=None, bias=None, eps=1e-05",
        [](const Arguments& a) {
            return aten("group_norm", {a["input"], a["num_groups"], a["weight"], a["bias"], a["eps"], true});
        }},
    Entry{"batch_norm",
          "input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-05",
          batchNorm},
    Entry{"instance_norm",
          "input, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True, "
          "momentum=0.1, eps=1e-05",
          instanceNorm},
    Entry{"local_response_norm", "input, size, alpha=0.0001, beta=0.75, k=1.0", localResponseNorm},
    Entry{"normalize", "input, p=2.0, dim=1, eps=1e-12, out=None", normalize},
};

} // namespace

std::span<const Entry> normFunctions() {
    return table;
}

} // namespace dynascope::engine::torch_level
