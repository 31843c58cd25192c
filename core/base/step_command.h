// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace dynascope {

/// What moves a reader of a recording to another step of it.
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

/// Whether it leads to an earlier step.
[[nodiscard]] constexpr bool leadsBack(StepCommand command) {
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

} // namespace dynascope
