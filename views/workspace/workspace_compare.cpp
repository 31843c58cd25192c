// SPDX-License-Identifier: BSD-3-Clause
#include "views/workspace/workspace.h"

#include <algorithm>

namespace dynascope::views {

void Workspace::compare(ComparisonRequest request) {
    const auto indexOf = [this](const session::SessionPtr& session) {
        const auto at = std::find_if(m_captures.begin(), m_captures.end(),
                                     [&](const Capture& c) { return c.session == session; });
        return at == m_captures.end() ? -1 : int(at - m_captures.begin());
    };
    if (request.what == ComparisonRequest::What::Ranks) request.b = request.a;
    Place place;
    place.capture = indexOf(request.a);
    if (place.capture < 0 || indexOf(request.b) < 0) return;
    place.page = Page::Compare;
    if (place.capture == m_place.capture) {
        place.compile = m_place.compile;
        place.stageA = m_place.stageA;
        place.stageB = m_place.stageB;
    }
    auto at = std::find(m_comparisons.begin(), m_comparisons.end(), request);
    if (at == m_comparisons.end()) at = m_comparisons.insert(at, std::move(request));
    place.comparison = int(at - m_comparisons.begin());
    go(place);
}

const ComparisonRequest* Workspace::comparison() const {
    return m_place.comparison < 0 ? nullptr : &m_comparisons[std::size_t(m_place.comparison)];
}

void Workspace::dropComparisons(const session::SessionPtr& session) {
    for (ComparisonRequest& request : m_comparisons)
        if (request.a == session || request.b == session) request = {};
    const auto isGone = [this](const Place& place) {
        return place.page == Page::Compare && !m_comparisons[std::size_t(place.comparison)].isOpen();
    };
    for (std::vector<Visit>* history : {&m_back, &m_forward})
        std::erase_if(*history, [&](const Visit& visit) { return isGone(visit.place); });
    if (!isGone(m_place)) return;
    // The other side's capture stays open; its stages come in the place of the comparison.
    Place next = m_place;
    next.page = Page::Stages;
    setPlace(completed(next));
}

void Workspace::completeComparison(Place& place) const {
    const bool known = place.comparison >= 0 && std::size_t(place.comparison) < m_comparisons.size() &&
                       m_comparisons[std::size_t(place.comparison)].isOpen();
    if (place.page == Page::Compare && !known) place.page = Page::Stages;
    if (place.page != Page::Compare) place.comparison = -1;
}

} // namespace dynascope::views
