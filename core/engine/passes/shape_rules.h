// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/stack.h>
#include <optional>
#include <string>
#include <vector>

namespace dynascope::engine {

/// The results of an operator that has no C++ Meta kernel, as meta tensors, by the shape functions that
/// PyTorch ships for its lazy backends (torch::lazy::compute_shape_*). Nothing where there is none for it.
/// `name` is the schema's, "aten::relu"; throws what the function throws.
[[nodiscard]] std::optional<std::vector<at::Tensor>>
shapesByRule(const std::string& name, const std::string& overload, torch::jit::Stack arguments);

} // namespace dynascope::engine
