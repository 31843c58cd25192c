// SPDX-License-Identifier: BSD-3-Clause
//
// The page Dynamo and the programs that wait in a recording: what they are told, and when.
#pragma once

#include "core/dynamo/live.h"

#include <QObject>
#include <optional>

namespace dynascope::views {

class BreakpointsModel;
class LiveBar;
class LiveSession;
class RecordingWatch;

/// GUI thread only. Keeps breakpoints and programs in step, and has a recording read on when a program stops
/// in it.
class LiveControl : public QObject {
    Q_OBJECT
public:
    LiveControl(LiveBar& bar, RecordingWatch& watch, BreakpointsModel& breakpoints, QObject* parent);

    /// Null for none. The caller keeps it.
    void setSession(LiveSession* session);
    /// Whether the program that waits does so in the recording that is watched.
    [[nodiscard]] bool waitsHere() const;
    /// If it does so at a step, that is waited for: true then.
    bool awaitStep();
    void send(dynamo::LiveCommand command);

signals:
    void stopped(); ///< a program, wherever; in the recording that is watched that is then read on
    void stoppedElsewhere(const QString& recording); ///< in one that is not watched
    void changed();

private:
    void tellBreakpoints();

    LiveBar& m_bar;
    RecordingWatch& m_watch;
    BreakpointsModel& m_breakpoints;
};

} // namespace dynascope::views
