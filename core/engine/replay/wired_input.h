// SPDX-License-Identifier: BSD-3-Clause
//
// Graphs that follow each other: an input of one lies in the memory of another.
#pragma once

#include "core/engine/replay/backend.h"

#include <optional>
#include <string>

namespace dynascope::engine {

/// Puts output `output` of a recorded graph, or its input `source`, in the place of `inputs[input]`. Empty, or why it
/// cannot.
[[nodiscard]] inline std::string wireInput(std::vector<c10::IValue>& inputs, std::uint64_t input,
                                           const RecordedGraph& from, std::optional<std::uint64_t> output,
                                           std::optional<std::uint64_t> source) {
    const std::uint64_t item = source ? *source : output.value_or(0);
    const std::vector<c10::IValue> values = source ? from.inputs() : from.outputs();
    if (input >= inputs.size() || item >= values.size()) return "a wire leads nowhere";
    const c10::IValue &wanted = inputs[input], &given = values[item];
    const bool fits = isDefinedTensor(wanted) && isDefinedTensor(given) &&
                      wanted.toTensor().sizes() == given.toTensor().sizes() &&
                      wanted.toTensor().dtype() == given.toTensor().dtype();
    if (!fits)
        return "input " + std::to_string(input) + " is of another shape or dtype than what it is wired to";
    inputs[input] = given;
    return {};
}

} // namespace dynascope::engine
