// SPDX-License-Identifier: BSD-3-Clause
#include "views/lessons/lesson_run.h"

#include "core/base/text.h"
#include "views/workspace/labels.h"

#include <algorithm>

namespace dynascope::views {

namespace {
const QString stepKey = QStringLiteral("step"), doneKey = QStringLiteral("done"),
              taskTag = QStringLiteral("lesson");
} // namespace

LessonRun::LessonRun(TaskRunner& tasks, QObject* parent)
    : QObject(parent)
    , m_tasks(tasks) {}

void LessonRun::open(lessons::Lesson lesson, const QVariantMap& progress) {
    m_tasks.cancel(taskTag);
    m_lesson = std::move(lesson);
    m_states.assign(m_lesson->steps.size(), {});
    m_index = std::clamp(progress.value(stepKey).toInt(), 0, stepCount() - 1);
    for (const QVariant& done : progress.value(doneKey).toList())
        if (const int step = done.toInt(); step >= 0 && step < stepCount())
            m_states[std::size_t(step)].done = true;
    emit lessonChanged();
    emit placeWanted();
}

void LessonRun::close() {
    m_tasks.cancel(taskTag);
    m_lesson.reset();
    m_states.clear();
    m_index = 0;
    emit lessonChanged();
}

const lessons::Call* LessonRun::place() const {
    const bool answered = step().question && step().question->then &&
                          ((state().verdict && state().verdict->right) || state().shown);
    if (answered) return &*step().question->then;
    return step().open ? &*step().open : nullptr;
}

QVariantMap LessonRun::progress() const {
    QVariantList done;
    for (int i = 0; i < stepCount(); ++i)
        if (isDone(i)) done << i;
    return {{stepKey, m_index}, {doneKey, done}};
}

void LessonRun::goTo(int step) {
    if (step < 0 || step >= stepCount() || step == m_index) return;
    m_tasks.cancel(taskTag);
    // A step without a question is done once it was read.
    if (!this->step().question && step > m_index) own().done = true;
    m_index = step;
    emit stepChanged();
    emit progressed();
    emit placeWanted();
}

void LessonRun::setAnswer(std::vector<std::string> answer) {
    std::sort(answer.begin(), answer.end());
    if (answer == state().answer) return;
    StepState& now = own();
    now.answer = std::move(answer);
    now.verdict.reset();
    now.hint.clear();
    now.trouble.clear();
    now.shown = false;
    emit changed();
}

void LessonRun::check() {
    if (!step().question || !m_facts) return;
    const lessons::JudgedFacts facts = m_facts();
    const lessons::Question question = *step().question;
    if (facts.functional) { // it lives as long as the stepper shows it
        take(judge(question, state().answer, facts));
        return;
    }
    m_tasks.run<Result<lessons::Judgement>>(
        taskTag, this,
        [question, facts, answer = state().answer](const TaskContext&) {
            return judge(question, answer, facts);
        },
        [this](const Result<lessons::Judgement>& verdict) { take(verdict); });
}

void LessonRun::take(const Result<lessons::Judgement>& verdict) {
    StepState& now = own();
    now.hint.clear();
    now.trouble.clear();
    now.verdict.reset();
    if (!verdict) {
        now.trouble = toQString(verdict.error().message);
        emit changed();
        return;
    }
    now.verdict = *verdict;
    now.hint = toQString(hintFor(*step().question, now.answer, *verdict));
    const bool first = verdict->right && !now.done;
    now.done = now.done || verdict->right;
    emit changed();
    if (first) emit progressed();
    if (verdict->right && step().question->then) emit placeWanted();
}

void LessonRun::showAnswer() {
    if (!step().question) return;
    StepState& now = own();
    now.shown = true;
    now.hint.clear();
    now.trouble.clear();
    if (step().question->kind != lessons::Question::Kind::Capture) {
        const auto found = m_facts ? findAnswer(*step().question, m_facts())
                                   : Result<lessons::FoundAnswer>(failure("nothing is open"));
        if (!found) {
            now.shown = false;
            now.trouble = toQString(found.error().message);
        } else {
            now.answer = found->keys;
            now.verdict = lessons::Judgement{true, *found};
        }
    }
    emit changed();
    if (now.shown && step().question->then) emit placeWanted();
}

void LessonRun::nextHint() {
    if (!step().question || state().hints >= int(step().question->hints.size())) return;
    ++own().hints;
    emit changed();
}

} // namespace dynascope::views
