// SPDX-License-Identifier: BSD-3-Clause
//
// Why the graphs of a recording ended where they did: breaks and failed frames by cause and line, with what
// they cost as far as the recording says. Compile times are in the trace (core/session/breaks.h).
#pragma once

#include "core/dynamo/recording.h"
#include "core/session/breaks.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dynascope::dynamo {

struct RecordedBreak {
    std::string reason;       ///< short: "Builtin print cannot be traced"
    bool failed = false;      ///< the frame was not compiled: skipped, or the exception went to the program
    session::GraphBreak told; ///< as PyTorch tells it
    ir::SourceLocation place; ///< the innermost user frame; line 0 where unknown
    std::vector<session::WayOut> waysOut; ///< best first; empty for a break that the live bar asked for

    struct Occurrence {
        StepIndex step = noStep;
        std::uint32_t attempt = 0; ///< index into Recording::attempts(): in which it was told first
        std::string compile;       ///< "3/0"
        std::uint32_t nodes = 0;   ///< of the graph that ended
        /// Tensors on the stack of the frame that breaks, and in locals that are read after it, in bytes: an
        /// upper bound of what is handed to the rest of the function, as operands of the instruction count
        /// as well. Symbols count by their hints.
        std::uint64_t bytes = 0;
    };
    std::vector<Occurrence> occurrences; ///< by step
};

/// Those that occur most come first. A compile counts once for each cause and line, however often it was
/// attempted. Reads the state at each break: on the recording's thread. The error says isCancelled() if the
/// task was.
[[nodiscard]] Result<std::vector<RecordedBreak>> recordedBreaks(const Recording& recording,
                                                                const TaskContext& task = {});

/// Whether it is an exception that the attempt ended by: nothing was traced after it. One that Dynamo itself
/// caught, as hasattr() does with that of a missing attribute, is not.
[[nodiscard]] bool endsFrame(const Recording& recording, const EventInfo& event);

/// What ends the graph of an attempt in the course of a step: the break with its text rather than the
/// exception that carried it. Null where nothing does.
[[nodiscard]] const EventInfo* endToldAt(const Recording& recording, StepIndex step);
/// The step, from `step` on, at which the graph of its attempt ends: by a break, an exception that leaves the
/// attempt, or because the frame returns. noStep where the recording ends before.
[[nodiscard]] StepIndex endOfGraph(const Recording& recording, StepIndex step);

/// A break or exception of a recording as the capture's readers have breaks.
[[nodiscard]] session::GraphBreak breakOf(const EventInfo& event);

/// Bytes of a tensor's elements: of dtype "f32" and shape "[2, s0]", with hints for symbols. 0 where unknown.
[[nodiscard]] std::uint64_t tensorBytes(const Recording& recording, const State& state,
                                        const ValueInfo& value);

} // namespace dynascope::dynamo
