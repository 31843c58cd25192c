// SPDX-License-Identifier: BSD-3-Clause
//
// Horizontal placement after U. Brandes and B. Koepf, "Fast and Simple Horizontal Coordinate Assignment"
// (2001): vertices are aligned into vertical blocks, once for each of the four corners of the drawing, and
// each alignment is compacted. Ports inside frames become a shift inside the block, and compaction is a
// longest path over the blocks followed by a pull to the other side, so that no class-by-class bookkeeping is
// needed.
#include "core/layout/level.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

namespace dynascope::layout::detail {

namespace {

constexpr double bentPenalty = 30; // what a bent segment costs, in pixels of slant
constexpr double widthPenalty = 1; // what a pixel of width costs in every rank

class Placer {
public:
    Placer(const Layers& layers, double boxGap)
        : m_layers(layers)
        , m_boxGap(boxGap) {
        markConflicts();
    }

    std::vector<double> run() {
        std::array<std::vector<double>, 4> candidates;
        std::size_t narrowest = 0;
        std::array<double, 4> left{};
        std::array<double, 4> right{};
        for (std::size_t i = 0; i < 4; ++i) {
            candidates[i] = place(i % 2 == 1, i / 2 == 1);
            left[i] = std::numeric_limits<double>::max();
            right[i] = std::numeric_limits<double>::lowest();
            for (std::size_t v = 0; v < candidates[i].size(); ++v) {
                const double half = m_layers.vertices[v].width / 2;
                left[i] = std::min(left[i], candidates[i][v] - half);
                right[i] = std::max(right[i], candidates[i][v] + half);
            }
            if (right[i] - left[i] < right[narrowest] - left[narrowest]) narrowest = i;
        }
        // Left-going drawings meet at their left sides, right-going ones at their right.
        for (std::size_t i = 0; i < 4; ++i) {
            const double shift = i % 2 == 0 ? left[narrowest] - left[i] : right[narrowest] - right[i];
            for (double& x : candidates[i])
                x += shift;
        }
        std::vector<double> balanced(m_layers.vertices.size());
        for (std::size_t v = 0; v < balanced.size(); ++v) {
            std::array<double, 4> x{candidates[0][v], candidates[1][v], candidates[2][v], candidates[3][v]};
            std::sort(x.begin(), x.end());
            balanced[v] = (x[1] + x[2]) / 2;
        }
        std::vector<double> relaxed = relaxLayers(m_layers, m_boxGap);
        std::vector<double>* best = &relaxed;
        double least = cost(relaxed);
        if (const double c = cost(balanced); c < least) {
            least = c;
            best = &balanced;
        }
        for (auto& candidate : candidates) {
            const double c = cost(candidate);
            if (c < least) {
                least = c;
                best = &candidate;
            }
        }
        return std::move(*best);
    }

private:
    using Segment = Layers::Segment;

    [[nodiscard]] double cost(const std::vector<double>& x) const {
        double sum = 0;
        for (const Segment& s : m_layers.segments) {
            const double slant = std::abs(x[s.upper] + s.upperOffset - x[s.lower] - s.lowerOffset);
            const int lanes =
                (m_layers.vertices[s.upper].lane ? 1 : 0) + (m_layers.vertices[s.lower].lane ? 1 : 0);
            // A trunk should be straight within, and a chain of boxes rather than a trunk's ends.
            const double worth = s.loose ? 0 : std::array{2.0, 1.0, 4.0}[static_cast<std::size_t>(lanes)];
            sum += s.weight * worth * (slant + (slant > 0.5 ? bentPenalty : 0));
        }
        const auto [least, greatest] = std::minmax_element(x.begin(), x.end());
        return x.empty()
                   ? 0
                   : sum + widthPenalty * (*greatest - *least) * static_cast<double>(m_layers.ranks.size());
    }

    [[nodiscard]] bool isInner(const Segment& s) const {
        return m_layers.vertices[s.upper].lane && m_layers.vertices[s.lower].lane;
    }

    /// Segments that must not be straight. Where a trunk leaves a box or ends at one, the box stays in line
    /// with the boxes that it is joined to: else every trunk of a long chain would push the rest of the chain
    /// aside. And a segment that crosses one between two lanes must not be straightened at that one's cost.
    void markConflicts() {
        std::vector<bool> boxAbove(m_layers.vertices.size(), false);
        std::vector<bool> boxBelow(m_layers.vertices.size(), false);
        for (const Segment& s : m_layers.segments) {
            if (m_layers.vertices[s.upper].lane || m_layers.vertices[s.lower].lane) continue;
            boxAbove[s.lower] = true;
            boxBelow[s.upper] = true;
        }
        m_conflict.resize(m_layers.segments.size());
        for (std::size_t i = 0; i < m_conflict.size(); ++i) {
            const Segment& s = m_layers.segments[i];
            const bool laneAbove = m_layers.vertices[s.upper].lane;
            const bool laneBelow = m_layers.vertices[s.lower].lane;
            m_conflict[i] = s.loose || (!laneAbove && laneBelow && boxBelow[s.upper]) ||
                            (laneAbove && !laneBelow && boxAbove[s.lower]);
        }
        for (std::size_t r = 1; r < m_layers.ranks.size(); ++r) {
            const auto& rank = m_layers.ranks[r];
            std::size_t scanned = 0;
            std::int64_t leftBound = -1;
            for (std::size_t i = 0; i < rank.size(); ++i) {
                std::int64_t rightBound = std::numeric_limits<std::int64_t>::max();
                bool inner = false;
                for (std::uint32_t s = m_layers.upStart[rank[i]]; s < m_layers.upStart[rank[i] + 1]; ++s) {
                    const Segment& segment = m_layers.segments[m_layers.up[s]];
                    if (!isInner(segment)) continue;
                    inner = true;
                    rightBound = m_layers.vertices[segment.upper].position;
                }
                if (!inner && i + 1 < rank.size()) continue;
                for (; scanned <= i; ++scanned) {
                    for (std::uint32_t s = m_layers.upStart[rank[scanned]];
                         s < m_layers.upStart[rank[scanned] + 1]; ++s) {
                        const Segment& segment = m_layers.segments[m_layers.up[s]];
                        const std::int64_t at = m_layers.vertices[segment.upper].position;
                        if (!isInner(segment) && (at < leftBound || at > rightBound))
                            m_conflict[m_layers.up[s]] = true;
                    }
                }
                if (inner) leftBound = rightBound;
            }
        }
    }

    /// One of the four drawings. `mirrored`: right to left; `upwards`: aligned with the lower neighbours.
    std::vector<double> place(bool mirrored, bool upwards) {
        align(mirrored, upwards);
        std::vector<double> x = compact(mirrored);
        if (mirrored)
            for (double& value : x)
                value = -value;
        return x;
    }

    struct Neighbour {
        std::int64_t position = 0;
        double offset = 0, ownOffset = 0;
        std::uint32_t vertex = 0, segment = 0;
    };

    void collect(std::uint32_t v, bool mirrored, bool upwards) {
        m_neighbours.clear();
        const auto& start = upwards ? m_layers.downStart : m_layers.upStart;
        const auto& list = upwards ? m_layers.down : m_layers.up;
        const double sign = mirrored ? -1 : 1;
        for (std::uint32_t s = start[v]; s < start[v + 1]; ++s) {
            const Segment& segment = m_layers.segments[list[s]];
            const std::uint32_t other = upwards ? segment.lower : segment.upper;
            const std::int64_t position = m_layers.vertices[other].position;
            m_neighbours.push_back({mirrored ? -position : position,
                                    sign * (upwards ? segment.lowerOffset : segment.upperOffset),
                                    sign * (upwards ? segment.upperOffset : segment.lowerOffset), other,
                                    list[s]});
        }
        std::sort(m_neighbours.begin(), m_neighbours.end(), [](const Neighbour& a, const Neighbour& b) {
            return std::tie(a.position, a.offset, a.segment) < std::tie(b.position, b.offset, b.segment);
        });
    }

    void align(bool mirrored, bool upwards) {
        const auto count = static_cast<std::uint32_t>(m_layers.vertices.size());
        m_root.resize(count);
        m_shift.assign(count, 0);
        for (std::uint32_t v = 0; v < count; ++v)
            m_root[v] = v;
        const std::size_t ranks = m_layers.ranks.size();
        for (std::size_t i = 1; i < ranks; ++i) {
            const auto& rank = m_layers.ranks[upwards ? ranks - 1 - i : i];
            std::int64_t taken = std::numeric_limits<std::int64_t>::min();
            for (std::size_t p = 0; p < rank.size(); ++p) {
                const std::uint32_t v = rank[mirrored ? rank.size() - 1 - p : p];
                collect(v, mirrored, upwards);
                if (m_neighbours.empty()) continue;
                const std::size_t size = m_neighbours.size();
                for (const std::size_t median : {(size - 1) / 2, size / 2}) {
                    const Neighbour& n = m_neighbours[median];
                    if (m_conflict[n.segment] || n.position <= taken) continue;
                    m_root[v] = m_root[n.vertex];
                    m_shift[v] = m_shift[n.vertex] + n.offset - n.ownOffset;
                    taken = n.position;
                    break;
                }
            }
        }
    }

    std::vector<double> compact(bool mirrored) {
        const auto count = static_cast<std::uint32_t>(m_layers.vertices.size());
        struct Apart {
            std::uint32_t left = 0, right = 0;
            double distance = 0;
        };
        std::vector<Apart> apart;
        for (const auto& rank : m_layers.ranks) {
            for (std::size_t p = 1; p < rank.size(); ++p) {
                const std::uint32_t a = mirrored ? rank[rank.size() - p] : rank[p - 1];
                const std::uint32_t b = mirrored ? rank[rank.size() - 1 - p] : rank[p];
                apart.push_back(
                    {m_root[a], m_root[b], vertexGap(m_layers, m_boxGap, a, b) + m_shift[a] - m_shift[b]});
            }
        }
        std::vector<std::uint32_t> start(count + 2, 0);
        std::vector<std::uint32_t> waiting(count, 0);
        for (const Apart& e : apart) {
            ++start[e.left + 2];
            ++waiting[e.right];
        }
        for (std::size_t v = 2; v < start.size(); ++v)
            start[v] += start[v - 1];
        std::vector<std::uint32_t> out(apart.size());
        for (std::uint32_t e = 0; e < apart.size(); ++e)
            out[start[apart[e].left + 1]++] = e;

        std::vector<std::uint32_t> order;
        for (std::uint32_t v = 0; v < count; ++v)
            if (m_root[v] == v && waiting[v] == 0) order.push_back(v);
        std::vector<double> block(count, 0);
        for (std::size_t i = 0; i < order.size(); ++i) {
            for (std::uint32_t s = start[order[i]]; s < start[order[i] + 1]; ++s) {
                const Apart& e = apart[out[s]];
                block[e.right] = std::max(block[e.right], block[e.left] + e.distance);
                if (--waiting[e.right] == 0) order.push_back(e.right);
            }
        }
        for (auto it = order.rbegin(); it != order.rend(); ++it) {
            double room = std::numeric_limits<double>::max();
            for (std::uint32_t s = start[*it]; s < start[*it + 1]; ++s)
                room = std::min(room, block[apart[out[s]].right] - apart[out[s]].distance);
            if (room != std::numeric_limits<double>::max()) block[*it] = std::max(block[*it], room);
        }
        std::vector<double> x(count);
        for (std::uint32_t v = 0; v < count; ++v)
            x[v] = block[m_root[v]] + m_shift[v];
        return x;
    }

    const Layers& m_layers;
    double m_boxGap;
    std::vector<bool> m_conflict;
    std::vector<std::uint32_t> m_root;
    std::vector<double> m_shift;
    std::vector<Neighbour> m_neighbours;
};

} // namespace

std::vector<double> placeLayers(const Layers& layers, double boxGap) {
    return Placer(layers, boxGap).run();
}

} // namespace dynascope::layout::detail
