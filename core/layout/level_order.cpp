// SPDX-License-Identifier: BSD-3-Clause
#include "core/layout/level.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace dynascope::layout::detail {

namespace {

constexpr int maxSweeps = 24;
constexpr int patience = 4; // sweeps without fewer crossings before giving up
constexpr int maxTransposeRounds = 8;
constexpr std::size_t maxPairWork = 4'000'000; // neighbour comparisons that transposition may spend a round

class Orderer {
public:
    explicit Orderer(Layers& layers)
        : m_layers(layers)
        , m_key(layers.vertices.size(), 0) {}

    bool run(const TaskContext& task) {
        orderByDataflow();
        auto best = m_layers.ranks;
        std::uint64_t fewest = crossings();
        int idle = 0;
        for (int sweep = 0; sweep < maxSweeps && idle < patience && fewest > 0; ++sweep) {
            if (task.cancelled()) return false;
            task.report("Laying out", static_cast<std::uint64_t>(sweep), maxSweeps);
            this->sweep(sweep % 2 == 0);
            transpose(task);
            const std::uint64_t now = crossings();
            ++idle;
            if (now < fewest) {
                fewest = now;
                best = m_layers.ranks;
                idle = 0;
            }
        }
        m_layers.ranks = std::move(best);
        number();
        return !task.cancelled();
    }

private:
    using Segment = Layers::Segment;

    /// First order: a walk from the last items up along their inputs keeps operands in reading order.
    void orderByDataflow() {
        const auto count = static_cast<std::uint32_t>(m_layers.vertices.size());
        for (auto& rank : m_layers.ranks)
            rank.clear();
        std::vector<bool> seen(count, false);
        std::vector<std::pair<std::uint32_t, std::uint32_t>> stack;
        const auto walk = [&](std::uint32_t start) {
            if (seen[start]) return;
            seen[start] = true;
            stack.emplace_back(start, m_layers.upStart[start]);
            while (!stack.empty()) {
                auto& [v, next] = stack.back();
                if (next == m_layers.upStart[v + 1]) {
                    m_layers.ranks[m_layers.vertices[v].rank].push_back(v);
                    stack.pop_back();
                    continue;
                }
                const std::uint32_t u = m_layers.segments[m_layers.up[next++]].upper;
                if (seen[u]) continue;
                seen[u] = true;
                stack.emplace_back(u, m_layers.upStart[u]);
            }
        };
        for (std::uint32_t v = 0; v < count; ++v)
            if (m_layers.downDegree(v) == 0) walk(v);
        for (std::uint32_t v = 0; v < count; ++v)
            walk(v);
        number();
    }

    void number() {
        for (const auto& rank : m_layers.ranks)
            for (std::uint32_t i = 0; i < rank.size(); ++i)
                m_layers.vertices[rank[i]].position = i;
    }

    /// Where a segment ends, in positions: lanes of one frame differ by less than one.
    [[nodiscard]] double place(std::uint32_t v, double offset) const {
        const auto& vertex = m_layers.vertices[v];
        return vertex.position + (vertex.width > 0 ? 0.9 * offset / vertex.width : 0.0);
    }

    void sweep(bool downwards) {
        const std::size_t count = m_layers.ranks.size();
        for (std::size_t i = 1; i < count; ++i) {
            auto& rank = m_layers.ranks[downwards ? i : count - 1 - i];
            for (const std::uint32_t v : rank) {
                double sum = 0;
                double weight = 0;
                if (downwards) {
                    for (std::uint32_t s = m_layers.upStart[v]; s < m_layers.upStart[v + 1]; ++s) {
                        const Segment& segment = m_layers.segments[m_layers.up[s]];
                        sum += segment.weight *
                               (place(segment.upper, segment.upperOffset) - shareOf(v, segment.lowerOffset));
                        weight += segment.weight;
                    }
                } else {
                    for (std::uint32_t s = m_layers.downStart[v]; s < m_layers.downStart[v + 1]; ++s) {
                        const Segment& segment = m_layers.segments[m_layers.down[s]];
                        sum += segment.weight *
                               (place(segment.lower, segment.lowerOffset) - shareOf(v, segment.upperOffset));
                        weight += segment.weight;
                    }
                }
                m_key[v] = weight > 0 ? sum / weight : m_layers.vertices[v].position;
            }
            std::stable_sort(rank.begin(), rank.end(),
                             [this](std::uint32_t a, std::uint32_t b) { return m_key[a] < m_key[b]; });
            for (std::uint32_t p = 0; p < rank.size(); ++p)
                m_layers.vertices[rank[p]].position = p;
        }
    }

    [[nodiscard]] double shareOf(std::uint32_t v, double offset) const {
        const double width = m_layers.vertices[v].width;
        return width > 0 ? 0.9 * offset / width : 0.0;
    }

    /// Crossings of all neighbouring ranks, by counting inversions with a Fenwick tree.
    [[nodiscard]] std::uint64_t crossings() {
        std::uint64_t total = 0;
        for (std::size_t r = 0; r + 1 < m_layers.ranks.size(); ++r) {
            m_fenwick.assign(m_layers.ranks[r + 1].size() + 1, 0);
            std::uint64_t placed = 0;
            for (const std::uint32_t u : m_layers.ranks[r]) {
                m_ends.clear();
                for (std::uint32_t s = m_layers.downStart[u]; s < m_layers.downStart[u + 1]; ++s)
                    m_ends.push_back(m_layers.vertices[m_layers.segments[m_layers.down[s]].lower].position);
                for (const std::uint32_t end : m_ends) {
                    std::uint64_t upTo = 0;
                    for (std::uint32_t i = end + 1; i > 0; i &= i - 1)
                        upTo += m_fenwick[i];
                    total += placed - upTo;
                }
                for (const std::uint32_t end : m_ends) {
                    ++placed;
                    for (std::uint32_t i = end + 1; i < m_fenwick.size(); i += i & (~i + 1))
                        ++m_fenwick[i];
                }
            }
        }
        return total;
    }

    /// Swaps neighbours of a rank while that takes crossings away.
    void transpose(const TaskContext& task) {
        for (int round = 0; round < maxTransposeRounds && !task.cancelled(); ++round) {
            std::size_t work = 0;
            bool better = false;
            for (auto& rank : m_layers.ranks) {
                for (std::size_t i = 0; i + 1 < rank.size() && work < maxPairWork; ++i) {
                    const std::uint32_t v = rank[i];
                    const std::uint32_t w = rank[i + 1];
                    work += m_layers.upDegree(v) + m_layers.upDegree(w) + m_layers.downDegree(v) +
                            m_layers.downDegree(w);
                    neighbours(v, m_upV, m_downV);
                    neighbours(w, m_upW, m_downW);
                    const std::uint64_t now = pairCrossings(m_upV, m_upW) + pairCrossings(m_downV, m_downW);
                    const std::uint64_t swapped =
                        pairCrossings(m_upW, m_upV) + pairCrossings(m_downW, m_downV);
                    if (swapped >= now) continue;
                    std::swap(rank[i], rank[i + 1]);
                    std::swap(m_layers.vertices[v].position, m_layers.vertices[w].position);
                    better = true;
                }
            }
            if (!better) return;
        }
    }

    void neighbours(std::uint32_t v, std::vector<double>& up, std::vector<double>& down) const {
        up.clear();
        down.clear();
        for (std::uint32_t s = m_layers.upStart[v]; s < m_layers.upStart[v + 1]; ++s) {
            const Segment& segment = m_layers.segments[m_layers.up[s]];
            up.push_back(place(segment.upper, segment.upperOffset));
        }
        for (std::uint32_t s = m_layers.downStart[v]; s < m_layers.downStart[v + 1]; ++s) {
            const Segment& segment = m_layers.segments[m_layers.down[s]];
            down.push_back(place(segment.lower, segment.lowerOffset));
        }
        std::sort(up.begin(), up.end());
        std::sort(down.begin(), down.end());
    }

    /// Pairs (l, r) with l > r, of sorted ends of a left and a right vertex.
    static std::uint64_t pairCrossings(const std::vector<double>& left, const std::vector<double>& right) {
        std::uint64_t total = 0;
        std::size_t below = 0;
        for (const double l : left) {
            while (below < right.size() && right[below] < l)
                ++below;
            total += below;
        }
        return total;
    }

    Layers& m_layers;
    std::vector<double> m_key;
    std::vector<std::uint32_t> m_fenwick, m_ends;
    std::vector<double> m_upV, m_downV, m_upW, m_downW;
};

} // namespace

void Layers::index() {
    const std::size_t count = vertices.size();
    upStart.assign(count + 1, 0);
    downStart.assign(count + 1, 0);
    up.resize(segments.size());
    down.resize(segments.size());
    for (const Segment& s : segments) {
        ++upStart[s.lower + 1];
        ++downStart[s.upper + 1];
    }
    std::partial_sum(upStart.begin(), upStart.end(), upStart.begin());
    std::partial_sum(downStart.begin(), downStart.end(), downStart.begin());
    std::vector<std::uint32_t> nextUp(upStart.begin(), upStart.end() - 1);
    std::vector<std::uint32_t> nextDown(downStart.begin(), downStart.end() - 1);
    for (std::uint32_t i = 0; i < segments.size(); ++i) {
        up[nextUp[segments[i].lower]++] = i;
        down[nextDown[segments[i].upper]++] = i;
    }
}

bool orderLayers(Layers& layers, const TaskContext& task) {
    return Orderer(layers).run(task);
}

} // namespace dynascope::layout::detail
