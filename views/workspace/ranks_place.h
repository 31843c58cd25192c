// SPDX-License-Identifier: BSD-3-Clause
//
// Which reason the reader is at: the own place of the page Ranks. The answers and the window lead there too, so it is
// with the workspace and not with the page.
#pragma once

#include "views/workspace/workspace.h"

#include <string>

namespace dynascope::views {

/// What the ranks are found to be is worked out later, so a place names it by words, not by numbers.
struct RanksPlace {
    static constexpr Page page = Page::Ranks;
    std::string compile; ///< "1/0"; empty for none
    std::string reason;  ///< its text; empty for the first one of the compile, or of all
    /// Folder of flight-recorder dumps that the reader attached; empty for those beside the capture.
    std::string flight;
    std::string flightOf; ///< Session::path of the capture that they were attached to

    void complete(const Place& place, const OpenCapture& capture);
    friend bool operator==(const RanksPlace&, const RanksPlace&) = default;
};

/// Leads a place to a compile of all ranks, "1/0", and a reason of it.
inline void setRanks(Place& place, std::string compile = {}, std::string reason = {}) {
    place.page = Page::Ranks;
    RanksPlace own = place.own.of<RanksPlace>();
    own.compile = std::move(compile);
    own.reason = std::move(reason);
    place.own.set(std::move(own));
}

/// Leads a place to the same with dumps of a folder, or of one file.
inline void attachFlight(Place& place, const OpenCapture& capture, std::string flight) {
    place.page = Page::Ranks;
    RanksPlace own = place.own.of<RanksPlace>();
    own.flight = std::move(flight);
    own.flightOf = capture.session->path;
    place.own.set(std::move(own));
}

} // namespace dynascope::views
