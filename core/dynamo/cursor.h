// SPDX-License-Identifier: BSD-3-Clause
//
// Going through a recording, in both directions. Every function answers the step to go to, or noStep where
// there is none in that direction; nothing is changed.
#pragma once

#include "core/dynamo/breakpoint.h"
#include "core/dynamo/recording.h"

#include <span>
#include <string_view>

namespace dynascope::dynamo {

enum class Direction { Forward, Back };

/// The next instruction that was traced, in whatever frame; back, the one before.
[[nodiscard]] StepIndex stepIn(const Recording& recording, StepIndex from, Direction direction);
/// The next instruction that is not inside of a call from this frame.
[[nodiscard]] StepIndex stepOver(const Recording& recording, StepIndex from, Direction direction);
/// The caller's next instruction; back, the one that called. From a root frame it leaves the attempt.
[[nodiscard]] StepIndex stepOut(const Recording& recording, StepIndex from, Direction direction);
/// As stepOver, to the next instruction of another source line.
[[nodiscard]] StepIndex stepLine(const Recording& recording, StepIndex from, Direction direction);

/// The next step in the course of which it happened.
[[nodiscard]] StepIndex runTo(const Recording& recording, StepIndex from, Happening what,
                              Direction direction);
/// The next step at which a source line begins anew. A `file` without folders matches any with that name;
/// empty is any file.
[[nodiscard]] StepIndex runToLine(const Recording& recording, StepIndex from, std::string_view file,
                                  std::uint32_t line, Direction direction);
/// The next step of an instruction: its index in a code object.
[[nodiscard]] StepIndex runToInstruction(const Recording& recording, StepIndex from, std::uint32_t code,
                                         std::uint32_t instruction, Direction direction);
/// The step that made a node which at its attempt's end, or when it was made, has that name.
[[nodiscard]] StepIndex runToNode(const Recording& recording, StepIndex from, std::string_view name,
                                  Direction direction);
/// The step that added a guard on a source: "L['x']".
[[nodiscard]] StepIndex runToGuard(const Recording& recording, StepIndex from, std::string_view source,
                                   Direction direction);
/// The next step at which a condition holds that did not hold at the step before it in the attempt.
/// The error says isCancelled() if the task was.
[[nodiscard]] Result<StepIndex> runUntil(const Recording& recording, StepIndex from,
                                         const Condition& condition, Direction direction,
                                         const TaskContext& task = {});

/// Where a run came to a halt.
struct Halt {
    StepIndex step = noStep;
    std::size_t breakpoint = 0; ///< of those that were given
};
/// The next step at which any of the breakpoints halts: a line begins anew, a condition comes to hold, or a
/// graph break or an exception came in its course.
/// The error says isCancelled() if the task was.
[[nodiscard]] Result<Halt> runToBreakpoint(const Recording& recording, StepIndex from,
                                           std::span<const Breakpoint> breakpoints, Direction direction,
                                           const TaskContext& task = {});

} // namespace dynascope::dynamo
