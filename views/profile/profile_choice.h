// SPDX-License-Identifier: BSD-3-Clause
//
// Profiles of what is open, to be chosen from.
#pragma once

#include "views/workspace/workspace.h"

#include <vector>

namespace dynascope::views {

/// A profile of an open capture.
struct ProfileChoice {
    session::SessionPtr session; ///< null for none
    int number = -1;             ///< into its profiles
    QString name;                ///< "breaks profile.json.gz"

    friend bool operator==(const ProfileChoice& a, const ProfileChoice& b) {
        return a.session == b.session && a.number == b.number;
    }
};

/// Of all open captures, but for one.
[[nodiscard]] std::vector<ProfileChoice> otherProfiles(const Workspace& workspace, const ProfileChoice& but);
/// The open capture that it is of; -1 where that was closed.
[[nodiscard]] int captureOf(const Workspace& workspace, const ProfileChoice& choice);

} // namespace dynascope::views
