// SPDX-License-Identifier: BSD-3-Clause
//
// Compares two runs of a program in the form of an oracle case's `eager`: {outputs, post: {storages,
// inputs}, grads}.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::engine {

/// The questions that a case's matches_eager answers, and three more.
enum class Aspect {
    OutputValues, ///< number, shapes and data of the outputs
    OutputStrides,
    OutputAliasing, ///< which inputs and earlier outputs an output shares storage with, or is
    OutputLayout,   ///< dtypes and storage offsets
    Storages,       ///< content of every storage after the call
    InputValues,    ///< shapes and data of the inputs after the call
    InputStrides,   ///< strides and offsets of the inputs after the call
    InputIdentity,  ///< dtypes of the inputs after the call, and whether each still has a storage of the case
    Gradients,      ///< of the inputs that require grad
};
/// As in matches_eager: "output_values".
[[nodiscard]] std::string_view aspectName(Aspect aspect);

struct Difference {
    Aspect aspect = Aspect::OutputValues;
    std::string text; ///< "output 1: data[3] is 2, expected 4"
};

/// At most one Difference for each aspect; none means equal. Numbers compare within 1e-5, absolute below 1
/// and relative above.
[[nodiscard]] std::vector<Difference> compareRuns(const nlohmann::json& expected, const nlohmann::json& got);

/// Where two trees of lists, numbers and words part ("data[3] is 2, expected 4"), within the same tolerance.
/// Empty if they do not.
[[nodiscard]] std::string dataDifference(const nlohmann::json& expected, const nlohmann::json& got);

/// Whether outputs, storages and inputs hold the same values; strides and aliasing of outputs may differ, as
/// they do after functionalization.
[[nodiscard]] bool sameValues(const std::vector<Difference>& differences);

} // namespace dynascope::engine
