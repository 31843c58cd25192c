// SPDX-License-Identifier: BSD-3-Clause
//
// Where step commands lead in a recording of Dynamo.
#pragma once

#include "core/base/step_command.h"
#include "core/dynamo/live.h"
#include "core/dynamo/recording.h"

#include <optional>

namespace dynascope::dynamo {

/// Where a command leads from a step; noStep for nowhere. Of Run and BackRun to the graph break: who knows
/// the breakpoints looks for those. The recording has a step.
[[nodiscard]] StepIndex stepAfter(const Recording& recording, StepIndex at, StepCommand command);
/// What a program that is being traced is told instead, where the reader is at the end of what it recorded.
[[nodiscard]] std::optional<LiveCommand> liveCommandFor(StepCommand command);

} // namespace dynascope::dynamo
