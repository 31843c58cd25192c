// SPDX-License-Identifier: BSD-3-Clause
//
// When panels refresh: one after another, and after those that took a while together the event loop turns
// first. What many panels do when something is chosen would be one stall of the window.
#pragma once

#include <QObject>
#include <QPointer>
#include <QTimer>
#include <deque>

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
    /// No panel waits.
    [[nodiscard]] bool isIdle() const { return m_waiting.empty(); }

private:
    explicit PanelTurns(Workspace& workspace);
    void run();

    std::deque<QPointer<Panel>> m_waiting;
    QTimer m_timer;
};

} // namespace dynascope::views
