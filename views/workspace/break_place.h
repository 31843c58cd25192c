// SPDX-License-Identifier: BSD-3-Clause
//
// Which graph break the reader is at: the own place of the page Graph breaks. Tree, palette, problems and
// notes lead there, so it is with the workspace and not with the page.
#pragma once

#include "views/workspace/workspace.h"

namespace dynascope::views {

struct BreakPlace {
    static constexpr Page page = Page::Breaks;
    int group = -1; ///< into BreakSummary::groups; -1 for none

    void complete(const Place& place, const OpenCapture& capture);
    void move(const OpenCapture& before, const OpenCapture& now);
    friend bool operator==(const BreakPlace&, const BreakPlace&) = default;
};

/// The group of breaks that is shown, or was last, at a place; -1 for none.
[[nodiscard]] inline int breakGroup(const Place& place) {
    return place.own.of<BreakPlace>().group;
}
/// Leads a place to a graph break.
inline void setBreak(Place& place, int group) {
    place.page = Page::Breaks;
    place.own.set(BreakPlace{group});
}

/// The stage's name in the address of a graph break; `k` is its index in Compile::breaks.
inline constexpr const char* breakStage = "graph_break";
/// Of the first break of a group; the group must be there and hold one.
[[nodiscard]] ir::Address breakAddress(const OpenCapture& capture, int group);
/// The group of a compile's break, by its index in Compile::breaks; -1 where it is in none.
[[nodiscard]] int breakGroupOf(const OpenCapture& capture, std::size_t compile, std::size_t index);
/// The group that the break at an address belongs to, or -1.
[[nodiscard]] int breakGroupAt(const OpenCapture& capture, const ir::Address& address);

} // namespace dynascope::views
