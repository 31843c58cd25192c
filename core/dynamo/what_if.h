// SPDX-License-Identifier: BSD-3-Clause
//
// What would come of a graph break at a step, from what was recorded without it.
#pragma once

#include "core/dynamo/handover.h"

#include <optional>
#include <string>
#include <vector>

namespace dynascope::dynamo {

/// A graph broken before an instruction, as if comptime.graph_break() stood there.
struct BrokenGraph {
    StepIndex at = noStep; ///< the instruction in the compiled frame: the step's own, or the call around it
    bool inlined = false;  ///< the step lies in a function that was inlined: the call breaks as a whole
    std::string hindrance; ///< why there would be no resume function; empty if nothing hinders it
    std::vector<std::uint32_t> first;  ///< nodes of the graph before it
    std::vector<std::uint32_t> called; ///< of the functions that would not be inlined any more
    StepIndex resumesAt = noStep;      ///< where the resume function begins; noStep where it is not known
    Handover handover;                 ///< what it is handed
    std::vector<std::uint32_t> second; ///< nodes of the graph after it
    std::vector<std::uint32_t> taken;  ///< nodes of earlier parts that these read: inputs of the graph
    StepIndex ends = noStep;           ///< where the graph after it ends
};

/// `state` is that of `step`. Reads other states: on the recording's thread, and what stateAt() gave before
/// is gone. The nodes are those of the attempt's outermost graph, at its end.
[[nodiscard]] BrokenGraph breakGraphAt(const Recording& recording, StepIndex step, const State& state);

/// In words, as an answer of the console.
[[nodiscard]] std::string graphBreakText(const Recording& recording, StepIndex step, const State& state);

} // namespace dynascope::dynamo
