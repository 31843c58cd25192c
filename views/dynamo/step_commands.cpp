// SPDX-License-Identifier: BSD-3-Clause
#include "views/dynamo/step_commands.h"

namespace dynascope::views {

dynamo::StepIndex stepAfter(const dynamo::Recording& recording, dynamo::StepIndex at, StepCommand command) {
    const auto direction = leadsBack(command) ? dynamo::Direction::Back : dynamo::Direction::Forward;
    switch (command) {
    case StepCommand::First:
        return 0;
    case StepCommand::Last:
        return dynamo::StepIndex(recording.steps().size() - 1);
    case StepCommand::Over:
    case StepCommand::BackOver:
        return dynamo::stepOver(recording, at, direction);
    case StepCommand::In:
    case StepCommand::BackIn:
        return dynamo::stepIn(recording, at, direction);
    case StepCommand::Out:
    case StepCommand::BackOut:
        return dynamo::stepOut(recording, at, direction);
    case StepCommand::Line:
    case StepCommand::BackLine:
        return dynamo::stepLine(recording, at, direction);
    case StepCommand::Run:
    case StepCommand::BackRun:
        return dynamo::runTo(recording, at, dynamo::Happening::GraphBreak, direction);
    }
    return dynamo::noStep;
}

bool leadsBack(StepCommand command) {
    switch (command) {
    case StepCommand::First:
    case StepCommand::BackOver:
    case StepCommand::BackIn:
    case StepCommand::BackOut:
    case StepCommand::BackLine:
    case StepCommand::BackRun:
        return true;
    default:
        return false;
    }
}

std::optional<dynamo::LiveCommand> liveCommandFor(StepCommand command) {
    switch (command) {
    case StepCommand::Over:
        return dynamo::LiveCommand::Next;
    case StepCommand::In:
        return dynamo::LiveCommand::Step;
    case StepCommand::Out:
        return dynamo::LiveCommand::Out;
    case StepCommand::Line:
        return dynamo::LiveCommand::Line;
    case StepCommand::Run:
        return dynamo::LiveCommand::Continue;
    default:
        return {};
    }
}

} // namespace dynascope::views
