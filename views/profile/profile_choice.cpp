// SPDX-License-Identifier: BSD-3-Clause
#include "views/profile/profile_choice.h"

#include "core/profile/profile.h"
#include "views/workspace/labels.h"

#include <algorithm>

namespace dynascope::views {

std::vector<ProfileChoice> otherProfiles(const Workspace& workspace, const ProfileChoice& but) {
    std::vector<ProfileChoice> out;
    for (const Workspace::Capture& capture : workspace.captures())
        for (std::size_t i = 0; i < capture.session->profiles.size(); ++i) {
            const auto profile = session::attachedAs<profile::Profile>(capture.session->profiles[i]);
            if (!profile) continue;
            ProfileChoice one{capture.session, int(i),
                              toQString(capture.session->title) + u' ' + fileName(profile->path)};
            if (!(one == but)) out.push_back(std::move(one));
        }
    return out;
}

int captureOf(const Workspace& workspace, const ProfileChoice& choice) {
    const auto& open = workspace.captures();
    const auto at = std::ranges::find(open, choice.session, &Workspace::Capture::session);
    return at == open.end() ? -1 : int(at - open.begin());
}

} // namespace dynascope::views
