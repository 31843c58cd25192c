// SPDX-License-Identifier: BSD-3-Clause
//
// What a reader asks of a recording: the comptime console, search, breakpoints.
#pragma once

#include "core/dynamo/recording.h"

#include <QTabWidget>

namespace dynascope::views {

class BreakpointsModel;
class BreakpointsView;
class ConsoleView;
class RecordingQuestions;
class SearchView;
class Theme;

/// GUI thread only.
class StepTools : public QTabWidget {
    Q_OBJECT
public:
    StepTools(Theme& theme, RecordingQuestions& questions, QWidget* parent = nullptr);

    [[nodiscard]] BreakpointsModel& breakpoints() const;
    void show(dynamo::RecordingPtr recording, dynamo::StepIndex step);
    /// What was found in the recording that was shown before.
    void forget();
    void search(const QString& text);
    /// To the next or previous hit; looks for the text where nothing was found yet.
    void searchOn(const QString& text, bool back);
    /// What was asked in the console, the latest last.
    [[nodiscard]] const QStringList& asked() const;
    void setAsked(const QStringList& asked);
    void restyle();

signals:
    void stepChosen(dynascope::dynamo::StepIndex step);

private:
    RecordingQuestions& m_questions;
    ConsoleView* m_console;
    SearchView* m_search;
    BreakpointsView* m_breakpoints;
    dynamo::RecordingPtr m_recording;
    dynamo::StepIndex m_step = dynamo::noStep;
};

} // namespace dynascope::views
