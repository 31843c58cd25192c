// SPDX-License-Identifier: BSD-3-Clause
//
// States in words: values as comptime prints them, graphs as FX prints them.
#pragma once

#include "core/dynamo/recording.h"

#include <string>
#include <vector>

namespace dynascope::dynamo {

/// A value with what is inside of a realized lazy tracker in its place.
[[nodiscard]] ValueInfo unwrapped(const Recording& recording, const State& state, ValueId id);

/// The object of a subclass of a container whose items that list or dict holds; 0 for any other value. Dynamo
/// tracks the object, and marks what is inside of it as changed.
[[nodiscard]] ValueId holderOf(const Recording& recording, const State& state, ValueId inner);

/// A changed container in a line, and whose it is where an object holds it.
[[nodiscard]] std::string changedText(const Recording& recording, const State& state, ValueId id);

/// One line: "TensorVariable f32[2, 3] h", "ConstantVariable 5", "LazyVariableTracker L['x']: Tensor, not
/// realized", "CellVariable -> TensorVariable ...".
[[nodiscard]] std::string valueText(const Recording& recording, const State& state, ValueId id);

/// What comptime's print_locals and print_value_stack say of a value:
/// "Tensor(shape=(2,), dtype=torch.float32)", "'low'", "CellVariable()".
[[nodiscard]] std::string comptimeText(const Recording& recording, const State& state, ValueId id);

/// A line of a graph's text; node 0 is the head.
struct GraphLine {
    std::uint32_t node = 0;
    std::string text;
    std::string_view value = {}; ///< what the node makes, "f32[4]"; owned by the recording
};
/// The lines of graphText().
[[nodiscard]] std::vector<GraphLine> graphLines(const Recording& recording, const State& state,
                                                std::uint32_t graph);
/// A graph as str(graph) prints it, or the current one where `graph` is not given.
[[nodiscard]] std::string graphText(const Recording& recording, const State& state);
[[nodiscard]] std::string graphText(const Recording& recording, const State& state, std::uint32_t graph);

/// "local L['x'] TENSOR_MATCH".
[[nodiscard]] std::string guardText(const Recording& recording, const GuardState& guard);

/// "FUNCTION FILE:LINE" of a frame at that state.
[[nodiscard]] std::uint32_t lineOf(const Recording& recording, const FrameState& frame);

/// The frames from the innermost to the root.
[[nodiscard]] std::vector<const FrameState*> callStack(const State& state);

/// The value of a local by name; 0 without one.
[[nodiscard]] ValueId localNamed(const Recording& recording, const FrameState& frame, std::string_view name);

/// What a cell holds at that state; 0 where it is unbound or no cell.
[[nodiscard]] ValueId cellContents(const Recording& recording, const State& state, ValueId cell);

} // namespace dynascope::dynamo
