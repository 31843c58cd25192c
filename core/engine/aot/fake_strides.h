// SPDX-License-Identifier: BSD-3-Clause
//
// Where results of PyTorch's fake tensors lie otherwise than those of the CPU's kernels. What is traced
// follows strides (view or clone?), so a trace on real tensors gives results the strides of fake ones.
#pragma once

#include <ATen/core/ivalue.h>
#include <span>
#include <string_view>

namespace dynascope::engine {

struct StrideRule;

/// The rule of an operator whose fake results torch/_decomp/decompositions.py lays out otherwise than the
/// CPU's kernel, else null. `name` has neither namespace nor overload: "native_layer_norm_backward". Which
/// these are was found by running many operators of PyTorch 2.13 on every permutation of their inputs'
/// dimensions both ways.
[[nodiscard]] const StrideRule* strideRule(std::string_view name);

/// Copies results that lie otherwise to where the rule says. All tensors are real ones.
void layOutAsFake(const StrideRule& rule, c10::ArrayRef<c10::IValue> arguments,
                  std::span<c10::IValue> results);

} // namespace dynascope::engine
