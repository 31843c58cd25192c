// SPDX-License-Identifier: BSD-3-Clause
//
// torch.nn.functional: what each of its Python functions does, told in ATen calls. The calls are those that
// PyTorch's own functions make, in their order, so that a trace through here gives the same graph.
#pragma once

#include "core/engine/exec/torch_level/call.h"

#include <optional>
#include <span>
#include <string_view>

namespace dynascope::engine::torch_level {

/// The function of that name ("layer_norm"); nothing where it is no Python function of torch.nn.functional.
[[nodiscard]] std::optional<Function> functionalFunction(std::string_view name);

// The tables behind it.
[[nodiscard]] std::span<const Entry> activationFunctions();
[[nodiscard]] std::span<const Entry> attentionFunctions();
[[nodiscard]] std::span<const Entry> embeddingFunctions();
[[nodiscard]] std::span<const Entry> imageFunctions();
[[nodiscard]] std::span<const Entry> lossFunctions();
[[nodiscard]] std::span<const Entry> normFunctions();
[[nodiscard]] std::span<const Entry> poolingFunctions();

} // namespace dynascope::engine::torch_level
