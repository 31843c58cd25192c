// SPDX-License-Identifier: BSD-3-Clause
//
// The card of a step's question: what is asked, what can be answered, and what the judge said.
#pragma once

#include "views/lessons/lesson_run.h"
#include "views/workspace/workspace.h"

#include <QFrame>
#include <vector>

class QAbstractButton;
class QButtonGroup;
class QLabel;
class QLineEdit;
class QPushButton;
class QVBoxLayout;

namespace dynascope::views {

class Theme;

/// GUI thread only.
class QuestionBox : public QFrame {
    Q_OBJECT
public:
    QuestionBox(Workspace& workspace, LessonRun& run, Theme& theme, QWidget* parent = nullptr);
    /// The step is another one: other controls.
    void rebuild();
    /// Brings what was answered and judged up to date.
    void refresh();

private:
    void addChoices(const lessons::Question& question);
    void addField(const lessons::Question& question);
    void addRecorder();
    void takeChoices();
    void takeNode();
    void refreshHints();

    Workspace& m_workspace;
    LessonRun& m_run;
    Theme& m_theme;
    QVBoxLayout* m_answers;
    QWidget* m_controls = nullptr;
    QLabel *m_ask, *m_how, *m_standing, *m_verdict, *m_hints;
    QPushButton *m_check, *m_show, *m_hint;
    QLineEdit* m_field = nullptr;
    std::vector<QAbstractButton*> m_choices;
};

} // namespace dynascope::views
