// SPDX-License-Identifier: BSD-3-Clause
//
// The window's end of live mode (core/dynamo/live_socket.h): what each program said last, and commands for
// them.
#pragma once

#include "core/dynamo/live_socket.h"

#include <QObject>
#include <QString>
#include <memory>
#include <vector>

class QSocketNotifier;

namespace dynascope::views {

/// GUI thread only. Breakpoints are set as soon as a program says hello, and kept equal to setBreakpoints()
/// from then on. A program that cannot be written to, or that sends nonsense, is let go.
class LiveSession : public QObject {
    Q_OBJECT
public:
    /// Listens on a socket in a folder of its own, which only this user can enter.
    [[nodiscard]] static Result<std::unique_ptr<LiveSession>> listen();
    ~LiveSession() override;

    /// For DYNASCOPE_LIVE.
    [[nodiscard]] const QString& path() const { return m_path; }
    void setBreakpoints(std::vector<dynamo::LiveBreakpoint> breakpoints);
    /// Whether programs wait before anything is traced, rather than run to the first breakpoint.
    void setStopsAtStart(bool stops) { m_stopsAtStart = stops; }

    struct Program {
        int id = 0;
        dynamo::LiveEvent hello;
        dynamo::LiveEvent last; ///< Stopped or Running
        QString error;          ///< of the last command, empty where there was none
        [[nodiscard]] bool isStopped() const { return last.kind == dynamo::LiveEvent::Kind::Stopped; }
        /// Path of what it records. At the start only hello has told of it, and it is empty so far.
        [[nodiscard]] const std::string& recording() const {
            return last.recording.empty() ? hello.recording : last.recording;
        }
    };
    [[nodiscard]] std::vector<Program> programs() const;
    /// Null for one that is gone.
    [[nodiscard]] const Program* program(int id) const;
    void send(int id, dynamo::LiveCommand command);

signals:
    void programChanged(int id); ///< said hello, stopped, ran on, or told of an error
    void programGone(int id);

private:
    struct Connection;
    explicit LiveSession(dynamo::LiveListener listener);
    void accept();
    void read(int id);
    void take(Connection& connection, const dynamo::LiveEvent& event);
    void sync(Connection& connection);
    void write(Connection& connection, const std::string& text);
    void drop(int id);
    [[nodiscard]] Connection* find(int id) const;

    dynamo::LiveListener m_listener;
    QString m_path;
    std::unique_ptr<QSocketNotifier> m_notifier;
    std::vector<std::unique_ptr<Connection>> m_connections;
    std::vector<dynamo::LiveBreakpoint> m_breakpoints;
    bool m_stopsAtStart = false;
    int m_nextId = 1;
};

} // namespace dynascope::views
