// SPDX-License-Identifier: BSD-3-Clause
#include "views/canvas/spatial_index.h"

#include <algorithm>
#include <cmath>

namespace dynascope::views::canvas {

namespace {

constexpr std::size_t fanOut = 16;

/// Unlike QRectF::intersects() this counts rectangles without width or height, such as straight edges.
bool touches(const QRectF& a, const QRectF& b) {
    return a.left() <= b.right() && b.left() <= a.right() && a.top() <= b.bottom() && b.top() <= a.bottom();
}

QRectF hull(const QRectF& a, const QRectF& b) {
    const QPointF topLeft(std::min(a.left(), b.left()), std::min(a.top(), b.top()));
    const QPointF bottomRight(std::max(a.right(), b.right()), std::max(a.bottom(), b.bottom()));
    return {topLeft, bottomRight};
}

} // namespace

SpatialIndex::SpatialIndex(std::vector<Entry> entries)
    : m_entries(std::move(entries)) {
    if (m_entries.empty()) return;
    const std::size_t leaves = (m_entries.size() + fanOut - 1) / fanOut;
    const auto slices = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(leaves))));
    const std::size_t perSlice = slices * fanOut;
    std::sort(m_entries.begin(), m_entries.end(),
              [](const Entry& a, const Entry& b) { return a.rect.center().x() < b.rect.center().x(); });
    for (std::size_t from = 0; from < m_entries.size(); from += perSlice) {
        const std::size_t to = std::min(from + perSlice, m_entries.size());
        std::sort(m_entries.begin() + static_cast<std::ptrdiff_t>(from),
                  m_entries.begin() + static_cast<std::ptrdiff_t>(to),
                  [](const Entry& a, const Entry& b) { return a.rect.center().y() < b.rect.center().y(); });
    }
    const auto pack = [this](std::size_t count, const auto& rectOf) {
        std::vector<Branch> level;
        for (std::size_t from = 0; from < count; from += fanOut) {
            const std::size_t to = std::min(from + fanOut, count);
            Branch branch{rectOf(from), static_cast<std::uint32_t>(from),
                          static_cast<std::uint32_t>(to - from)};
            for (std::size_t i = from + 1; i < to; ++i)
                branch.rect = hull(branch.rect, rectOf(i));
            level.push_back(branch);
        }
        m_levels.push_back(std::move(level));
    };
    pack(m_entries.size(), [this](std::size_t i) { return m_entries[i].rect; });
    while (m_levels.back().size() > 1) {
        const std::vector<Branch> below = m_levels.back();
        pack(below.size(), [&below](std::size_t i) { return below[i].rect; });
    }
}

template <typename Each>
void SpatialIndex::visit(const QRectF& area, Each each) const {
    if (m_levels.empty()) return;
    std::vector<std::pair<std::size_t, std::uint32_t>> open{{m_levels.size() - 1, 0}};
    while (!open.empty()) {
        const auto [level, index] = open.back();
        open.pop_back();
        const Branch& branch = m_levels[level][index];
        if (!touches(branch.rect, area)) continue;
        for (std::uint32_t i = branch.first; i < branch.first + branch.count; ++i) {
            if (level > 0)
                open.emplace_back(level - 1, i);
            else if (touches(m_entries[i].rect, area) && !each(m_entries[i]))
                return;
        }
    }
}

std::vector<std::uint32_t> SpatialIndex::query(const QRectF& area) const {
    std::vector<std::uint32_t> found;
    visit(area, [&found](const Entry& entry) {
        found.push_back(entry.id);
        return true;
    });
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

bool SpatialIndex::touchesAny(const QRectF& area) const {
    bool any = false;
    visit(area, [&any](const Entry&) {
        any = true;
        return false;
    });
    return any;
}

} // namespace dynascope::views::canvas
