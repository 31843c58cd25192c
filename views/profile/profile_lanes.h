// SPDX-License-Identifier: BSD-3-Clause
//
// What LanesView draws, and what it says of it; made on a worker.
#pragma once

#include "core/profile/lanes.h"
#include "views/profile/profile_rows.h"

#include <memory>
#include <vector>

namespace dynascope::views {

struct ProfileLanes {
    profile::JoinedPtr joined;
    std::vector<profile::Lane> lanes;
    std::vector<QString>
        nodes; ///< by row of `joined`: the nodes that it computes; empty where that is not known
    std::vector<profile::Spent> spent; ///< by row of `joined`
    std::vector<QString> words; ///< by row of `joined`: what it is of, and how that is known; several lines
    struct Break {
        std::int64_t time = 0; ///< at which the graph before it had run
        int compile = -1;      ///< that it ended
        QString place;         ///< "cap.py:31"
    };
    std::vector<Break> breaks; ///< by time
};
using ProfileLanesPtr = std::shared_ptr<const ProfileLanes>;

/// `profile` is joined, and locked by who calls. Null where the task was cancelled.
[[nodiscard]] ProfileLanesPtr profileLanes(JoinedProfile& profile, const TaskContext& task);

[[nodiscard]] QString laneTitle(const ProfileLanes& lanes, const profile::Lane& lane);

/// The tone of what time was spent on, the same in figures, legend and lanes.
[[nodiscard]] QColor spentColour(profile::Spent spent, const Colours& colours);
[[nodiscard]] QString spentName(profile::Spent spent);

} // namespace dynascope::views
