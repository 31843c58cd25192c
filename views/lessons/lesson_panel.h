// SPDX-License-Identifier: BSD-3-Clause
//
// The lesson beside the live program: the text of the step, its question, all steps, back and next.
#pragma once

#include "views/base/panel.h"
#include "views/lessons/lesson_run.h"

class QLabel;
class QPushButton;
class QScrollArea;
class QTreeWidget;

namespace dynascope::views {

class LessonText;
class QuestionBox;

class LessonPanel : public Panel {
    Q_OBJECT
public:
    LessonPanel(Workspace& workspace, LessonRun& run, Theme& theme, QWidget* parent = nullptr);
    [[nodiscard]] QSize sizeHint() const override;

protected:
    void refresh() override;
    void restyle() override;

private:
    class Progress; ///< a segment a step
    [[nodiscard]] QWidget* makeReader();
    [[nodiscard]] QWidget* makeFoot();
    void showStep();
    void fillSteps();
    void copyCode();

    LessonRun& m_run;
    QLabel *m_title, *m_count, *m_lesson;
    Progress* m_progress;
    LessonText* m_text;
    QuestionBox* m_question;
    QPushButton *m_copy, *m_back, *m_next, *m_place;
    QTreeWidget* m_steps;
    QScrollArea* m_scroll;
    int m_shown = -1; ///< the step that is shown
};

} // namespace dynascope::views
