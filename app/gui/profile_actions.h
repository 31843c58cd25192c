// SPDX-License-Identifier: BSD-3-Clause
//
// Profiles that are attached to the capture that is shown: chosen, or dropped on the window.
#pragma once

#include "app/gui/window_part.h"

#include <QStringList>
#include <deque>

namespace dynascope::app {

/// Reads on the TaskRunner (tag "attach"), one profile after the other.
class ProfileActions : public WindowPart {
    Q_OBJECT
public:
    explicit ProfileActions(const Shared& shared);

    void addActions();
    void updateActions();
    /// Attaches what is a profile where a capture is shown that it could be of; the rest, and all where there is none,
    /// is pathsLeft().
    void takeDropped(const QStringList& paths);
    void attach(const QString& path);

signals:
    void pathsLeft(const QStringList& paths);

private:
    struct Request {
        QString path;
        session::SessionPtr session; ///< that was shown when it was asked for
    };
    struct Read;
    void ask();
    void startNext();
    void take(const Request& request, const Read& read);

    std::deque<Request> m_queue;
};

} // namespace dynascope::app
