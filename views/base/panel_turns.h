// SPDX-License-Identifier: BSD-3-Clause
//
// When panels refresh, and models that nobody looks at yet are filled: one after another, and after those that took
// a while together the event loop turns first. What many of them do when something is chosen or opened would be one
// stall of the window.
#pragma once

#include <QObject>
#include <QPointer>
#include <QTimer>
#include <deque>
#include <functional>

namespace dynascope::views {

class Panel;
class Workspace;

/// One of a workspace, which owns it. GUI thread only.
class PanelTurns : public QObject {
    Q_OBJECT
public:
    static PanelTurns& of(Workspace& workspace);

    /// Refreshes the panel soon, if it is shown then and has something to refresh. Asking again changes nothing.
    void ask(Panel& panel);
    /// Calls `work` soon, unless `who` is gone by then. Where it waits already, nothing changes.
    void ask(QObject& who, std::function<void()> work);
    /// Nobody waits.
    [[nodiscard]] bool isIdle() const { return m_waiting.empty(); }

private:
    explicit PanelTurns(Workspace& workspace);
    void run();

    struct Waiting {
        QPointer<QObject> who;
        std::function<void()> work;
    };
    std::deque<Waiting> m_waiting;
    QTimer m_timer;
};

} // namespace dynascope::views
