// SPDX-License-Identifier: BSD-3-Clause
//
// The rewriting tables of normalize_ir. Internal to the pass.
#pragma once

#include "core/ir/node.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace dynascope::engine {

struct Rewrite {
    std::string_view from, to;
};

template <std::size_t N>
[[nodiscard]] constexpr std::string_view rewritten(const std::array<Rewrite, N>& table,
                                                   std::string_view from) {
    for (const Rewrite& entry : table)
        if (entry.from == from) return entry.to;
    return {};
}

/// Tensor methods that become functions.
inline constexpr std::array methodFunctions = std::to_array<Rewrite>({
    {"add_", "operator.iadd"},
    {"mul_", "operator.imul"},
    {"exp", "torch.exp"},
    {"sum", "torch.sum"},
    {"t", "torch.t"},
    {"transpose", "torch.transpose"},
    {"unsqueeze", "torch.unsqueeze"},
    {"split", "torch.split"},
    {"chunk", "torch.chunk"},
    {"clone", "torch.clone"},
    {"clamp", "torch.clamp"},
    {"max", "torch.max"},
    {"mean", "torch.mean"},
    {"softmax", "torch.softmax"},
});

/// What torch.fx's NormalizeOperators turns two-argument functions into, without their keywords.
inline constexpr std::array binaryFunctions = std::to_array<Rewrite>({
    {"torch.add", "operator.add"},
    {"torch.sub", "operator.sub"},
    {"torch.mul", "operator.mul"},
    {"torch.div", "operator.truediv"},
    {"torch.floor_divide", "operator.floordiv"},
    {"torch.remainder", "operator.mod"},
    {"torch.eq", "operator.eq"},
    {"torch.ne", "operator.ne"},
    {"torch.lt", "operator.lt"},
    {"torch.le", "operator.le"},
    {"torch.gt", "operator.gt"},
    {"torch.ge", "operator.ge"},
});

/// In-place operators and what replaces them; a name without a dot is a method.
inline constexpr std::array inPlaceReplacements = std::to_array<Rewrite>({
    {"operator.iadd", "torch.add"},
    {"operator.isub", "torch.sub"},
    {"operator.imul", "torch.mul"},
    {"operator.itruediv", "torch.div"},
    {"operator.ifloordiv", "torch.div"},
    {"operator.ipow", "torch.pow"},
    {"operator.imatmul", "torch.matmul"},
    {"operator.iand", "torch.bitwise_and"},
    {"operator.ior", "torch.bitwise_or"},
    {"operator.ixor", "torch.bitwise_xor"},
    {"torch.relu_", "torch.relu"},
    {"torch.sigmoid_", "torch.sigmoid"},
    {"masked_fill_", "masked_fill"},
    {"scatter_", "scatter"},
    {"unsqueeze_", "unsqueeze"},
});

/// Functions that have a name in torch; only without keywords. operator.truediv is not among them.
inline constexpr std::array functionReplacements = std::to_array<Rewrite>({
    {"operator.add", "torch.add"},
    {"operator.sub", "torch.sub"},
    {"operator.mul", "torch.mul"},
    {"operator.neg", "torch.neg"},
    {"operator.lt", "torch.lt"},
    {"operator.le", "torch.le"},
    {"operator.eq", "torch.eq"},
    {"operator.ne", "torch.ne"},
    {"operator.ge", "torch.ge"},
    {"operator.gt", "torch.gt"},
    {"operator.abs", "torch.abs"},
    {"operator.mod", "torch.remainder"},
    {"operator.floordiv", "torch.div"},
    {"operator.pow", "torch.pow"},
    {"operator.and_", "torch.bitwise_and"},
    {"operator.or_", "torch.bitwise_or"},
    {"operator.xor", "torch.bitwise_xor"},
    {"operator.invert", "torch.bitwise_not"},
    {"operator.pos", "torch.positive"},
    {"operator.matmul", "torch.matmul"},
    {"torch.nn.functional.relu", "torch.relu"},
    {"torch.nn.functional.sigmoid", "torch.sigmoid"},
    {"torch.nn.functional.tanh", "torch.tanh"},
});

/// "_operator.iadd" and "operator.iadd" are one.
[[nodiscard]] inline std::string_view plainTarget(std::string_view target) {
    return target.starts_with("_operator.") ? target.substr(1) : target;
}

} // namespace dynascope::engine
