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

/// Whether the rule may have a say with these arguments, all that the operator has. With most it has none.
[[nodiscard]] bool mayLieOtherwise(const StrideRule& rule, std::span<const c10::IValue> arguments);

/// Copies results that lie otherwise to where the rule says, and makes statistics of batch norm float32 that
/// fake tensors have so. All tensors are real ones.
void layOutAsFake(const StrideRule& rule, c10::ArrayRef<c10::IValue> arguments,
                  std::span<c10::IValue> results);

/// Where geometry is given in absolute terms: the storage of a fake tensor has no end that as_strided could
/// reach past, so it reads a longer one here, with zeros for what PyTorch does not say. as_strided_scatter of
/// a fake tensor goes by the number of its elements, and throws PyTorch's words. Other operators are left
/// alone.
void reachAsFake(std::string_view name, std::span<c10::IValue> arguments);

} // namespace dynascope::engine
