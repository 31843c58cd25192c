// SPDX-License-Identifier: BSD-3-Clause
//
// Hands the times of a capture's profile to who shows graphs, once somebody wants them.
#pragma once

#include "views/profile/profile_rows.h"
#include "views/workspace/workspace.h"

#include <QObject>
#include <memory>

namespace dynascope::views {

/// GUI thread only. Joins on the TaskRunner (tag "profile.times"). Graphs that a run of ours has timed keep those times.
class ProfileTimes : public QObject {
    Q_OBJECT
public:
    explicit ProfileTimes(Workspace& workspace, QObject* parent = nullptr);

private:
    void ask();

    Workspace& m_workspace;
    bool m_wanted = false;
    std::weak_ptr<const session::Session> m_asked; ///< whose times were asked for last
};

} // namespace dynascope::views
