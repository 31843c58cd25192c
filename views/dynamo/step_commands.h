// SPDX-License-Identifier: BSD-3-Clause
//
// What moves a reader of a recording to another step.
#pragma once

#include "core/dynamo/cursor.h"
#include "core/dynamo/live.h"
#include "core/dynamo/recording.h"

#include <optional>

namespace dynascope::views {

enum class StepCommand {
    First,
    Last,
    Over,
    BackOver,
    In,
    BackIn,
    Out,
    BackOut,
    Line,
    BackLine,
    Run,     ///< to the next breakpoint or graph break
    BackRun, ///< to the one before
};

/// Where a command leads from a step; noStep for nowhere. Of Run and BackRun to the graph break: who knows
/// the breakpoints looks for those. The recording has a step.
[[nodiscard]] dynamo::StepIndex stepAfter(const dynamo::Recording& recording, dynamo::StepIndex at,
                                          StepCommand command);
[[nodiscard]] bool leadsBack(StepCommand command);
/// What a program that is being traced is told instead, where the reader is at the end of what it recorded.
[[nodiscard]] std::optional<dynamo::LiveCommand> liveCommandFor(StepCommand command);

} // namespace dynascope::views
