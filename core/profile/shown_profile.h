// SPDX-License-Identifier: BSD-3-Clause
//
// Which of a capture's profiles is shown where only one can be.
#pragma once

#include "core/profile/profile.h"

namespace dynascope::profile {

/// Into Session::profiles: the last one where it was attached, else the first; -1 where there is none.
[[nodiscard]] inline int shownProfile(const session::Session& session) {
    const int count = static_cast<int>(session.profiles.size());
    if (count == 0) return -1;
    const auto last = session::attachedAs<Profile>(session.profiles.back());
    const bool attached =
        last && !session.inputs.files.empty() && session.inputs.files.back().name == last->path;
    return attached ? count - 1 : 0;
}

} // namespace dynascope::profile
