// SPDX-License-Identifier: BSD-3-Clause
//
// Source and bytecode of the frame that a step is in: what was traced shaded, where the frame stands marked,
// breakpoints and happenings in the gutter.
#pragma once

#include "core/dynamo/coverage.h"
#include "core/dynamo/recording.h"

#include <QObject>
#include <map>

class QLabel;
class QMenu;
class QWidget;

namespace dynascope::views {

class BreakpointsModel;
class CodeView;
class RecordingQuestions;
class Theme;

/// GUI thread only. The two panes are to be laid out by the caller, who then owns them. A click on a line or
/// an instruction asks for the step that traced it first. Object names "dynamo.source", "dynamo.bytecode".
class CodePanes : public QObject {
    Q_OBJECT
public:
    CodePanes(Theme& theme, BreakpointsModel& breakpoints, const RecordingQuestions& questions,
              QObject* parent);

    [[nodiscard]] QWidget* sourcePane() const { return m_sourcePane; }
    [[nodiscard]] QWidget* bytecodePane() const { return m_bytecodePane; }
    /// `level` frames out of the innermost one; `end` is the step at which the graph ends, or noStep.
    void show(dynamo::RecordingPtr recording, dynamo::StepIndex step, std::size_t level,
              dynamo::StepIndex end);
    /// What was made for the recording that was shown before.
    void forget();
    /// Of the line that the source pane's caret is in.
    void toggleBreakpoint();

signals:
    void stepChosen(dynascope::dynamo::StepIndex step);

private:
    [[nodiscard]] const dynamo::Code* frame(std::size_t level, std::uint32_t& code,
                                            std::uint32_t& instruction) const;
    void showSource(const dynamo::Code* code, std::uint32_t instruction);
    void showSourceMarks();
    void showBytecode(const dynamo::Code* code, std::uint32_t id, std::uint32_t instruction);
    [[nodiscard]] bool canAsk() const;
    void extendSourceMenu(QMenu& menu, int line);
    void extendBytecodeMenu(QMenu& menu, int line);

    BreakpointsModel& m_breakpoints;
    const RecordingQuestions& m_questions;
    CodeView *m_source, *m_bytecode;
    QWidget *m_sourcePane, *m_bytecodePane;
    QLabel *m_sourceTitle, *m_codeTitle, *m_codeNote;
    dynamo::RecordingPtr m_recording;
    dynamo::StepIndex m_step = dynamo::noStep, m_end = dynamo::noStep;
    std::map<std::uint32_t, dynamo::StepCoverage> m_coverage; ///< of the attempts that were looked at
    const dynamo::StepCoverage* m_covered = nullptr;          ///< of the one that is shown
    const dynamo::Source* m_shownSource = nullptr;
    std::uint32_t m_shownCode = UINT32_MAX;
};

} // namespace dynascope::views
