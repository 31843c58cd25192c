// SPDX-License-Identifier: BSD-3-Clause
#include "views/workspace/place.h"

#include <algorithm>

namespace dynascope::views {

void PagePlaces::start(Page page, const PagePlaces& starts) {
    if (const auto at = starts.m_held.find(page); at != starts.m_held.end()) m_held.insert(*at);
}

void PagePlaces::complete(const Place& place, const OpenCapture& capture) {
    for (auto& [page, held] : m_held)
        held = held->completed(place, capture);
    std::erase_if(m_held, [](const auto& entry) { return !entry.second; });
}

void PagePlaces::move(const OpenCapture& before, const OpenCapture& now) {
    for (auto& [page, held] : m_held)
        held = held->moved(before, now);
}

bool operator==(const PagePlaces& a, const PagePlaces& b) {
    return std::equal(a.m_held.begin(), a.m_held.end(), b.m_held.begin(), b.m_held.end(),
                      [](const auto& left, const auto& right) {
                          return left.first == right.first && left.second->equals(*right.second);
                      });
}

} // namespace dynascope::views
