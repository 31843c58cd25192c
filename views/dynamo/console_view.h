// SPDX-License-Identifier: BSD-3-Clause
//
// The comptime console: calls and their answers, each on the state of the step it was asked at.
#pragma once

#include "core/dynamo/recording.h"

#include <QStringList>
#include <QWidget>

class QLineEdit;
class QPlainTextEdit;
class QStringListModel;

namespace dynascope::views {

class Theme;

/// GUI thread only. Up and Down go through what was asked; Tab completes.
class ConsoleView : public QWidget {
    Q_OBJECT
public:
    explicit ConsoleView(Theme& theme, QWidget* parent = nullptr);

    /// What was asked, the latest last.
    [[nodiscard]] const QStringList& history() const { return m_history; }
    void setHistory(const QStringList& history);
    void setPlace(dynamo::RecordingPtr recording, dynamo::StepIndex step);
    [[nodiscard]] QString log() const;
    void restyle();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void ask();
    void complete();
    void recall(int direction);

    Theme& m_theme;
    QPlainTextEdit* m_log;
    QLineEdit* m_input;
    QStringListModel* m_completions;
    dynamo::RecordingPtr m_recording;
    dynamo::StepIndex m_step = dynamo::noStep;
    QStringList m_history;
    qsizetype m_recalled = 0; ///< index into the history; its size for the line being written
};

} // namespace dynascope::views
