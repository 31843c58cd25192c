// SPDX-License-Identifier: BSD-3-Clause
//
// Running through a recording to where breakpoints halt.
#pragma once

#include "core/dynamo/cursor.h"
#include "core/dynamo/recording.h"

#include <QObject>
#include <vector>

namespace dynascope::views {

class RecordingQuestions;

/// GUI thread only. Conditions are looked for on the TaskRunner.
class BreakpointRun : public QObject {
    Q_OBJECT
public:
    BreakpointRun(RecordingQuestions& questions, QObject* parent);

    /// From a step to the nearest halt of `points`, or to `orElse` if that is nearer; `none` is said where
    /// there is neither.
    void run(const dynamo::RecordingPtr& recording, dynamo::StepIndex from,
             std::vector<dynamo::Breakpoint> points, dynamo::StepIndex orElse, dynamo::Direction direction,
             const QString& none);
    /// To where a condition comes to hold.
    void runUntil(const dynamo::RecordingPtr& recording, dynamo::StepIndex from, const QString& condition,
                  bool back);

signals:
    void arrived(dynascope::dynamo::StepIndex step);
    void said(const QString& answer); ///< after arrived(), where there is more to say

private:
    RecordingQuestions& m_questions;
};

} // namespace dynascope::views
