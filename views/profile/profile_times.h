// SPDX-License-Identifier: BSD-3-Clause
//
// Hands the times of a capture's profile to who shows graphs, once somebody wants them.
#pragma once

#include "views/profile/profile_rows.h"
#include "views/workspace/workspace.h"

#include <QObject>
#include <memory>

namespace dynascope::views {

/// GUI thread only. Reads graphs on the TaskRunner (tag "profile.times"). Those that a run of ours has timed keep those times.
class ProfileTimes : public QObject {
    Q_OBJECT
public:
    explicit ProfileTimes(Workspace& workspace, QObject* parent = nullptr);

private:
    void ask();
    void find(const JoinedProfilePtr& profile);

    Workspace& m_workspace;
    bool m_wanted = false;
    std::weak_ptr<const session::Session> m_asked; ///< whose times were asked for last
};

} // namespace dynascope::views
