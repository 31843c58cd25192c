// SPDX-License-Identifier: BSD-3-Clause
#include "views/workspace/break_place.h"

#include <algorithm>

namespace dynascope::views {

void BreakPlace::complete(const Place& place, const OpenCapture& capture) {
    const auto& groups = capture.breaks.groups;
    if (group < 0 || std::size_t(group) >= groups.size())
        group = place.page == Page::Breaks && !groups.empty() ? 0 : -1;
}

void BreakPlace::move(const OpenCapture& before, const OpenCapture& now) {
    if (group < 0 || std::size_t(group) >= before.breaks.groups.size()) {
        group = -1;
        return;
    }
    const session::BreakGroup& was = before.breaks.groups[std::size_t(group)];
    const auto& is = now.breaks.groups;
    const auto found = std::find_if(is.begin(), is.end(), [&](const session::BreakGroup& other) {
        return other.reason == was.reason && other.location.file == was.location.file &&
               other.location.line == was.location.line;
    });
    group = found == is.end() ? -1 : int(found - is.begin());
}

ir::Address breakAddress(const OpenCapture& capture, int group) {
    const session::BreakOccurrence& first = capture.breaks.groups[std::size_t(group)].occurrences.front();
    const session::Compile& broken = capture.session->compiles[first.compile];
    ir::Address out;
    out.rank = broken.rank;
    out.compileId = broken.id.toString();
    out.attempt = broken.breaks[first.index].attempt;
    out.stage = breakStage;
    out.k = int(first.index);
    return out;
}

int breakGroupOf(const OpenCapture& capture, std::size_t compile, std::size_t index) {
    const auto& groups = capture.breaks.groups;
    for (std::size_t g = 0; g < groups.size(); ++g)
        for (const session::BreakOccurrence& at : groups[g].occurrences)
            if (at.compile == compile && at.index == index) return int(g);
    return -1;
}

int breakGroupAt(const OpenCapture& capture, const ir::Address& address) {
    const session::Session& session = *capture.session;
    const session::Compile* compile = session.find(address.rank, address.compileId);
    if (!compile || address.k < 0) return -1;
    return breakGroupOf(capture, std::size_t(compile - session.compiles.data()), std::size_t(address.k));
}

} // namespace dynascope::views
