// SPDX-License-Identifier: BSD-3-Clause
//
// Questions about a whole recording: answered at once where it is short, else on the TaskRunner.
#pragma once

#include "core/dynamo/recording.h"
#include "views/workspace/task_runner.h"

#include <QObject>
#include <utility>

namespace dynascope::views {

/// A recording of up to this many steps answers while somebody types.
inline constexpr std::size_t answeredAtOnce = 50'000;

/// GUI thread only; tag "dynamo.run". One question at a time: while it is being answered the recording is in
/// use, and its steps may not be read here.
class RecordingQuestions : public QObject {
    Q_OBJECT
public:
    RecordingQuestions(TaskRunner& tasks, QObject* parent)
        : QObject(parent)
        , m_tasks(tasks) {}

    [[nodiscard]] bool isBusy() const { return m_busy; }
    /// `take` gets what `work`, which is given the recording and the task, answers. Nothing is asked while
    /// another question is open.
    template <typename Answer, typename Work, typename Take>
    void ask(const dynamo::RecordingPtr& recording, Work work, Take take) {
        if (!recording || m_busy) return;
        if (recording->steps().size() <= answeredAtOnce) return take(work(*recording, TaskContext()));
        askAside<Answer>(recording, std::move(work), std::move(take));
    }
    /// The same on the TaskRunner, however short the recording is.
    template <typename Answer, typename Work, typename Take>
    void askAside(const dynamo::RecordingPtr& recording, Work work, Take take) {
        if (!recording || m_busy) return;
        setBusy(true);
        m_tasks.run<Answer>(
            QStringLiteral("dynamo.run"), this,
            [recording, work](const TaskContext& task) { return work(*recording, task); },
            [this, take](Answer answer) {
                setBusy(false);
                take(std::move(answer));
            });
    }
    void cancel() {
        m_tasks.cancel(QStringLiteral("dynamo.run"));
        setBusy(false);
    }

signals:
    void busyChanged(bool busy);

private:
    void setBusy(bool busy) {
        m_busy = busy;
        emit busyChanged(busy);
    }

    TaskRunner& m_tasks;
    bool m_busy = false;
};

} // namespace dynascope::views
