// SPDX-License-Identifier: BSD-3-Clause
//
// Tensors from an oracle case's `inputs` and `before_attrs`, and descriptions of tensors in the form of its
// `eager` (oracle/README.md has both).
#pragma once

#include "core/base/result.h"
#include "core/engine/exec/interpreter.h"
#include "core/engine/wire/execute.h"

#include <ATen/core/Tensor.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

namespace dynascope::engine {

struct CaseInputs {
    std::vector<c10::IValue> values;  ///< tensors, numbers, None
    std::vector<at::Tensor> tensors;  ///< the same; undefined where an input is no tensor
    std::vector<at::Tensor> storages; ///< flat, one per storage of the case
    bool anyRequiresGrad = false;     ///< whether the case says so of an input
};

/// How inputs are made.
struct InputChoice {
    /// An input that is the same object as an earlier one becomes a second tensor on the same storage, as in
    /// a traced graph.
    bool splitDuplicates = false;
    bool requiresGrad = false; ///< set requires_grad where the case says so
    bool isWide = false; ///< the same numbers in the widest dtype of their kind; storages have one dtype each
};

/// Besides a case's storages with their data takes such as are made from a seed (seeded_values.h), {dtype,
/// size, seed, ...}, and an input that requires grad may say `is_leaf`: false, for one that other code
/// computed; an input with `base` is a view of that one of `bases` (graph_inputs.h), or it; `conj` and `neg`
/// have it conjugated or negated lazily. Fails on anything else, a tensor that reaches past its storage
/// included.
[[nodiscard]] Result<CaseInputs> makeInputs(const nlohmann::json& spec, const InputChoice& choice);
/// The same inputs, a number that is written {kind: scalar, value} as the number alone.
[[nodiscard]] nlohmann::json withPlainScalars(nlohmann::json inputs);
/// The same inputs with the elements of seeded storages written out.
[[nodiscard]] Result<nlohmann::json> withData(nlohmann::json inputs);
/// {name: {dtype, shape, data}}, in the place of data also {seed, low, high}.
[[nodiscard]] Result<Attributes> makeAttributes(const nlohmann::json& spec);
/// The widest dtype of the same kind: float64, complex128, or the type itself.
[[nodiscard]] at::ScalarType widest(at::ScalarType type);
/// One dimension of seeded elements, as makeInputs makes them: in [-1, 1), integers in [0, 4).
[[nodiscard]] at::Tensor seededTensor(c10::ScalarType type, std::int64_t count, std::uint64_t seed);

inline constexpr std::int64_t allElements = std::numeric_limits<std::int64_t>::max();

/// With at most the first `most` elements; none where that is 0.
[[nodiscard]] wire::RunTensor describedTensor(const at::Tensor& tensor, std::int64_t most = allElements);
/// The same as JSON, as constants have it.
[[nodiscard]] nlohmann::json describe(const at::Tensor& tensor, std::int64_t most = allElements);

/// Outputs, and what the caller's memory holds, after `results` were computed from `inputs`. `storagesBefore`
/// are the inputs' storages as they were made, which set_ may have changed.
[[nodiscard]] wire::ExecuteReply describeRun(const std::vector<c10::IValue>& results,
                                             const CaseInputs& inputs,
                                             const std::vector<const void*>& storagesBefore,
                                             std::int64_t most = allElements);
[[nodiscard]] std::vector<const void*> storageKeys(const std::vector<at::Tensor>& tensors);

} // namespace dynascope::engine
