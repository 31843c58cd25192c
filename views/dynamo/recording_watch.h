// SPDX-License-Identifier: BSD-3-Clause
//
// A recording that is read on while a program writes it.
#pragma once

#include "core/dynamo/recording.h"
#include "views/workspace/workspace.h"

#include <QObject>
#include <QStringList>
#include <functional>

class QTimer;

namespace dynascope::views {

/// GUI thread only; files are read on the TaskRunner (tag "dynamo.grow").
class RecordingWatch : public QObject {
    Q_OBJECT
public:
    /// Where `isSeen` says that nobody looks, a file is left alone, but for a step that is waited for.
    RecordingWatch(TaskRunner& tasks, std::function<bool()> isSeen, QObject* parent);

    /// From now on this recording of a capture; null for none. What a session file holds does not grow.
    void watch(const OpenCapture* capture, int recording);
    /// Whether a file is what the recording was read from.
    [[nodiscard]] bool isOf(const QString& path) const;
    /// A program writes it, as far as is known.
    [[nodiscard]] bool isGrowing() const { return m_growing; }
    /// The next look reads the file even if it has not changed.
    void lookAgain() { m_signature = 0; }
    /// Waits for a step that is still to be read.
    void await(dynamo::StepIndex step) { m_awaited = step; }
    /// Looks at the file, now or in so many milliseconds.
    void look();
    void lookIn(int milliseconds);
    /// The step that is waited for, which is then waited for no more.
    [[nodiscard]] dynamo::StepIndex takeAwaited() { return std::exchange(m_awaited, dynamo::noStep); }

signals:
    /// What the file holds now.
    void read(const dynascope::dynamo::RecordingPtr& recording);

private:
    TaskRunner& m_tasks;
    std::function<bool()> m_isSeen;
    QTimer* m_timer;
    QStringList m_paths; ///< of the capture's recordings; empty where they cannot grow
    int m_index = -1;
    std::size_t m_signature = 0; ///< of what was read last
    bool m_growing = false, m_reading = false;
    dynamo::StepIndex m_awaited = dynamo::noStep;
};

} // namespace dynascope::views
