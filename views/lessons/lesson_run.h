// SPDX-License-Identifier: BSD-3-Clause
//
// The lesson that is open, the step the reader is at, and what was answered. Widgets show it and change it; who knows
// the window opens the places that steps name.
#pragma once

#include "core/lessons/judge.h"
#include "views/workspace/task_runner.h"

#include <QObject>
#include <QString>
#include <QVariantMap>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace dynascope::views {

/// What became of a step's question.
struct StepState {
    std::vector<std::string> answer; ///< keys or names, sorted; a number as one
    std::optional<lessons::Judgement>
        verdict;     ///< nothing until it is checked, and again once the answer is another one
    QString hint;    ///< of a wrong answer
    QString trouble; ///< why it cannot be judged now
    int hints = 0;   ///< of Question::hints, given so far
    bool done = false, shown = false; ///< answered rightly at some time; told by the program
};

/// GUI thread only. Owned by the window.
class LessonRun : public QObject {
    Q_OBJECT
public:
    explicit LessonRun(TaskRunner& tasks, QObject* parent = nullptr);

    /// Begins where `progress` says, which progress() had said.
    void open(lessons::Lesson lesson, const QVariantMap& progress);
    void close();
    [[nodiscard]] bool isOpen() const { return m_lesson.has_value(); }
    [[nodiscard]] const lessons::Lesson& lesson() const { return *m_lesson; } ///< must be open
    [[nodiscard]] int index() const { return m_index; }
    [[nodiscard]] int stepCount() const { return isOpen() ? int(m_lesson->steps.size()) : 0; }
    [[nodiscard]] const lessons::Step& step() const { return m_lesson->steps[std::size_t(m_index)]; }
    [[nodiscard]] const StepState& state() const { return m_states[std::size_t(m_index)]; }
    [[nodiscard]] bool isDone(int step) const { return m_states[std::size_t(step)].done; }
    /// Where the step is to be seen: Question::then once it is answered. Null where the step names none.
    [[nodiscard]] const lessons::Call* place() const;
    [[nodiscard]] QVariantMap progress() const;

    /// Who says what judges may look at.
    void setFacts(std::function<lessons::JudgedFacts()> facts) { m_facts = std::move(facts); }

    void goTo(int step);
    void goToPlace() { emit placeWanted(); }
    void setAnswer(std::vector<std::string> answer);
    void check();
    /// Puts the right answer there. Of a recording: says what would be right.
    void showAnswer();
    void nextHint();

signals:
    void lessonChanged();
    void stepChanged();
    void changed(); ///< of the step's state
    void placeWanted();
    void progressed();
    void recordWanted(); ///< the reader is to record a program

private:
    void take(const Result<lessons::Judgement>& verdict);
    [[nodiscard]] StepState& own() { return m_states[std::size_t(m_index)]; }

    TaskRunner& m_tasks;
    std::function<lessons::JudgedFacts()> m_facts;
    std::optional<lessons::Lesson> m_lesson;
    std::vector<StepState> m_states;
    int m_index = 0;
};

} // namespace dynascope::views
