// SPDX-License-Identifier: BSD-3-Clause
#include "views/dynamo/breakpoint_run.h"

#include "views/dynamo/recording_questions.h"
#include "views/workspace/labels.h"

#include <algorithm>
#include <utility>

namespace dynascope::views {

using dynamo::Direction;
using dynamo::noStep;
using dynamo::StepIndex;

BreakpointRun::BreakpointRun(RecordingQuestions& questions, QObject* parent)
    : QObject(parent)
    , m_questions(questions) {}

void BreakpointRun::run(const dynamo::RecordingPtr& recording, StepIndex from,
                        std::vector<dynamo::Breakpoint> points, StepIndex orElse, Direction direction,
                        const QString& none) {
    emit said({});
    QStringList missing;
    for (const dynamo::Breakpoint& point : points)
        if (const dynamo::Condition* condition = point.condition())
            for (const std::string& name : condition->unknown(*recording))
                missing << tr("the recording has no %1").arg(toQString(name));
    missing.removeDuplicates();
    const QString nowhere = (QStringList(none) + missing).join(QLatin1String("; "));
    /// The nearer of what was found and the step that was known before.
    const auto arrive = [this, orElse, direction, nowhere](const dynamo::Halt& halt, const QString& where) {
        const bool known =
            orElse != noStep && (halt.step == noStep ||
                                 (direction == Direction::Forward ? orElse < halt.step : orElse > halt.step));
        const StepIndex step = known ? orElse : halt.step;
        if (step == noStep) return emit said(nowhere);
        emit arrived(step);
        if (!known) emit said(where);
    };
    const auto wordsOf = [](const std::vector<dynamo::Breakpoint>& of, const dynamo::Halt& halt) {
        return halt.step != noStep ? tr("halts at %1").arg(toQString(of[halt.breakpoint].text())) : QString();
    };
    const bool quick = std::none_of(points.begin(), points.end(), [](const dynamo::Breakpoint& point) {
        return point.condition() != nullptr;
    });
    if (quick) {
        const auto found = dynamo::runToBreakpoint(*recording, from, points, direction);
        return arrive(found.value_or(dynamo::Halt{}), found ? wordsOf(points, *found) : QString());
    }
    using Found = Result<dynamo::Halt>;
    m_questions.askAside<Found>(
        recording,
        [from, points, direction](const dynamo::Recording& asked, const TaskContext& task) {
            return dynamo::runToBreakpoint(asked, from, points, direction, task);
        },
        [this, arrive, wordsOf, points](Found found) {
            if (!found) return emit said(toQString(found.error().toString()));
            arrive(*found, wordsOf(points, *found));
        });
}

void BreakpointRun::runUntil(const dynamo::RecordingPtr& recording, StepIndex from, const QString& condition,
                             bool back) {
    if (condition.trimmed().isEmpty()) return;
    const Result<dynamo::Breakpoint> point = dynamo::Breakpoint::parse(condition.toStdString());
    if (!point) return emit said(toQString(point.error().toString()));
    run(recording, from, {*point}, noStep, back ? Direction::Back : Direction::Forward,
        back ? tr("at no step before this one") : tr("at no step after this one"));
}

} // namespace dynascope::views
