// SPDX-License-Identifier: BSD-3-Clause
#include "core/dynamo/step_commands.h"

#include "core/dynamo/cursor.h"

namespace dynascope::dynamo {

StepIndex stepAfter(const Recording& recording, StepIndex at, StepCommand command) {
    const auto direction = leadsBack(command) ? Direction::Back : Direction::Forward;
    switch (command) {
    case StepCommand::First:
        return 0;
    case StepCommand::Last:
        return StepIndex(recording.steps().size() - 1);
    case StepCommand::Over:
    case StepCommand::BackOver:
        return stepOver(recording, at, direction);
    case StepCommand::In:
    case StepCommand::BackIn:
        return stepIn(recording, at, direction);
    case StepCommand::Out:
    case StepCommand::BackOut:
        return stepOut(recording, at, direction);
    case StepCommand::Line:
    case StepCommand::BackLine:
        return stepLine(recording, at, direction);
    case StepCommand::Run:
    case StepCommand::BackRun:
        return runTo(recording, at, Happening::GraphBreak, direction);
    }
    return noStep;
}

std::optional<LiveCommand> liveCommandFor(StepCommand command) {
    switch (command) {
    case StepCommand::Over:
        return LiveCommand::Next;
    case StepCommand::In:
        return LiveCommand::Step;
    case StepCommand::Out:
        return LiveCommand::Out;
    case StepCommand::Line:
        return LiveCommand::Line;
    case StepCommand::Run:
        return LiveCommand::Continue;
    default:
        return {};
    }
}

} // namespace dynascope::dynamo
