// SPDX-License-Identifier: BSD-3-Clause
//
// From the text of a profile to its events, in the order of the text: the first half of read() (profile.h).
#pragma once

#include "core/profile/profile.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dynascope::profile {

/// One end of an arrow ("ac2g") from a launch to what it launched.
struct Flow {
    std::int64_t id = 0, time = 0;
    std::uint32_t track = 0;
    bool starts = false;
};

/// What was read, before it is sorted and nested. Times of events are on the profile's own clock.
struct Scanned {
    Profile profile;
    std::vector<Flow> flows;
    std::map<std::string, std::size_t> phases; ///< events that are none of these, by "ph"
    /// Events of Kind::Other by category: the first of them, and the rest as "...".
    std::map<std::string, std::size_t, std::less<>> unknown;
    std::vector<std::string> deviceKinds;      ///< categories of runtimes: "cuda_runtime"
    std::map<std::string, std::string> models; ///< of devices, by their number as written
};

/// By an event's "cat".
[[nodiscard]] Kind kindOf(std::string_view category);

/// An Error where the text has no list of events, or the task was cancelled.
[[nodiscard]] Result<Scanned> scanEvents(std::string_view text, const std::string& path,
                                         const TaskContext& task);

/// The second half: order, nesting, self times, launches, steps.
void arrange(Scanned& scanned);

} // namespace dynascope::profile
