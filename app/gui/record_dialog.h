// SPDX-License-Identifier: BSD-3-Clause
//
// File > Record: what to run under the recorder, what it prints, and how far it is.
#pragma once

#include "app/gui/record_run.h"

#include <QDialog>
#include <QVariantMap>
#include <memory>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;

namespace dynascope::views {
class LiveSession;
class Theme;
} // namespace dynascope::views

namespace dynascope::app {

/// Does not block the window: a program in live mode is looked at while it runs. GUI thread only.
class RecordDialog : public QDialog {
    Q_OBJECT
public:
    explicit RecordDialog(views::Theme& theme, QWidget* parent = nullptr);
    ~RecordDialog() override;

    /// What is filled in, for Settings.
    [[nodiscard]] QVariantMap values() const;
    void setValues(const QVariantMap& values);
    /// For a trial: fills in what `capture`, a path, was recorded with where that is known, a folder of its own
    /// beside that one, and the setting, which may be empty. `note` says what the trial is for.
    void setTrial(const QString& capture, const QString& setting, const QString& note);
    void endTrial(); ///< without the note and the setting
    /// Said beside the box that switches live mode on.
    void setBreakpointCount(int count);

    [[nodiscard]] ProgramToRecord request() const;
    [[nodiscard]] RecordRun& run() const { return *m_run; }
    /// Of the program that runs or ran last; null where it was not asked to pause.
    [[nodiscard]] views::LiveSession* live() const { return m_live.get(); }

signals:
    void started();
    /// The folder of the recordings; `problem` as of RecordRun::finished.
    void ended(const QString& folder, const QString& problem);

private:
    /// What of values() belongs to one command.
    static constexpr const char* ofCommand[] = {"command", "working", "output", "variables"};

    void start();
    void finish(const QString& problem);
    void update();
    void restyle();
    void fillInterpreters();
    void browseScript();
    void rememberCommand();
    void showHistory();
    [[nodiscard]] QVariantMap filled() const;
    [[nodiscard]] QWidget* withBrowse(QLineEdit* field, const QString& title);

    views::Theme& m_theme;
    RecordRun* m_run;
    std::unique_ptr<views::LiveSession> m_live;
    QWidget* m_form;
    QComboBox* m_history;
    QPushButton *m_interpreter, *m_script;
    QVariantList m_past; ///< of filled(), the newest first
    QString m_untried;   ///< during a trial: the output folder without it, which is what is remembered
    QLineEdit *m_command, *m_working, *m_output, *m_settings;
    QPlainTextEdit *m_variables, *m_environment, *m_printed;
    QCheckBox *m_passes, *m_profiles, *m_memory, *m_values, *m_flight, *m_pauses, *m_atStart, *m_opens;
    QLabel *m_state, *m_liveNote, *m_trialNote;
    QPushButton *m_start, *m_cancel, *m_close;
};

} // namespace dynascope::app
