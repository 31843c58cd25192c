// SPDX-License-Identifier: BSD-3-Clause
//
// Tensors from an oracle case's `inputs` and `before_attrs`, and descriptions of tensors in the form of its
// `eager` (oracle/README.md has both).
#pragma once

#include "core/base/result.h"
#include "core/engine/interpreter.h"

#include <ATen/core/Tensor.h>
#include <nlohmann/json.hpp>
#include <vector>

namespace dynascope::engine {

struct CaseInputs {
    std::vector<at::Tensor> tensors;
    std::vector<at::Tensor> storages; ///< flat, one per storage of the case
    bool anyRequiresGrad = false;     ///< whether the case says so of an input
};

/// How inputs are made.
struct InputChoice {
    /// An input that is the same object as an earlier one becomes a second tensor on the same storage, as in
    /// a traced graph.
    bool splitDuplicates = false;
    bool requiresGrad = false; ///< set requires_grad where the case says so
};

/// Fails on anything that is not a case's inputs, a tensor that reaches past its storage included.
[[nodiscard]] Result<CaseInputs> makeInputs(const nlohmann::json& spec, const InputChoice& choice);
[[nodiscard]] Result<Attributes> makeAttributes(const nlohmann::json& spec);

/// Values for a graph's placeholders by their own metadata (print_readable has it, FX text does not), in the
/// form of a case's inputs: each its own storage, the same values every time.
[[nodiscard]] Result<nlohmann::json> seededInputs(const ir::Graph& graph);

/// {shape, stride, dtype, storage_offset, data}: data is in logical order; NaN and infinities are strings.
[[nodiscard]] nlohmann::json describe(const at::Tensor& tensor);

/// {outputs, post: {storages, inputs}} after `results` were computed from `inputs`. `storagesBefore` are the
/// inputs' storages as they were made, which set_ may have changed.
[[nodiscard]] nlohmann::json describeRun(const std::vector<c10::IValue>& results, const CaseInputs& inputs,
                                         const std::vector<const void*>& storagesBefore);
[[nodiscard]] std::vector<const void*> storageKeys(const std::vector<at::Tensor>& tensors);

} // namespace dynascope::engine
