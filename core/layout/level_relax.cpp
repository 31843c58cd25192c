// SPDX-License-Identifier: BSD-3-Clause
//
// A second way to place vertices, for levels where rigid columns would make a wide drawing: rows start
// packed, then every row in turn moves to the weighted medians of its neighbours. Keeping the order and the
// gaps makes this isotonic regression, solved by pooling adjacent violators. Medians rather than means, since
// they bring neighbours to equal x: straight edges.
#include "core/layout/level.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace dynascope::layout::detail {

namespace {

constexpr int sweeps = 24;
constexpr std::size_t maxMedian = 128; // a pool of more vertices takes the mean of its wishes

struct Wish {
    double x = 0, weight = 0;
};

double medianOf(std::vector<Wish>& wishes) {
    std::sort(wishes.begin(), wishes.end(), [](const Wish& a, const Wish& b) { return a.x < b.x; });
    double total = 0;
    for (const Wish& w : wishes)
        total += w.weight;
    double sum = 0;
    for (const Wish& w : wishes) {
        sum += w.weight;
        if (2 * sum >= total) return w.x;
    }
    return wishes.empty() ? 0 : wishes.back().x;
}

double meanOf(const std::vector<Wish>& wishes) {
    double sum = 0;
    double total = 0;
    for (const Wish& w : wishes) {
        sum += w.weight * w.x;
        total += w.weight;
    }
    return total > 0 ? sum / total : 0;
}

class Relaxer {
public:
    Relaxer(const Layers& layers, double boxGap)
        : m_layers(layers)
        , m_boxGap(boxGap)
        , m_x(layers.vertices.size(), 0) {}

    std::vector<double> run() {
        pack();
        for (int sweep = 0; sweep < sweeps; ++sweep) {
            // The last sweeps look both ways, so that straight pieces grow together.
            const bool both = sweep >= sweeps / 2;
            const std::size_t count = m_layers.ranks.size();
            for (std::size_t i = 0; i < count; ++i)
                moveRow(m_layers.ranks[sweep % 2 == 0 ? i : count - 1 - i], sweep % 2 == 0 || both,
                        sweep % 2 == 1 || both);
        }
        return std::move(m_x);
    }

private:
    /// Rows as narrow as they can be, around one axis.
    void pack() {
        for (const auto& rank : m_layers.ranks) {
            double x = 0;
            for (std::size_t i = 0; i < rank.size(); ++i) {
                if (i > 0) x += vertexGap(m_layers, m_boxGap, rank[i - 1], rank[i]);
                m_x[rank[i]] = x;
            }
            for (const std::uint32_t v : rank)
                m_x[v] -= x / 2;
        }
    }

    [[nodiscard]] double weightOf(const Layers::Segment& s) const {
        const bool laneAbove = m_layers.vertices[s.upper].lane;
        const bool laneBelow = m_layers.vertices[s.lower].lane;
        if (laneAbove && laneBelow) return 8 * s.weight;
        return (laneAbove || laneBelow ? 1 : 4) * s.weight;
    }

    void collect(std::uint32_t v, bool up, bool down) {
        m_wishes.clear();
        if (up || m_layers.downDegree(v) == 0) {
            for (std::uint32_t s = m_layers.upStart[v]; s < m_layers.upStart[v + 1]; ++s) {
                const Layers::Segment& segment = m_layers.segments[m_layers.up[s]];
                m_wishes.push_back(
                    {m_x[segment.upper] + segment.upperOffset - segment.lowerOffset, weightOf(segment)});
            }
        }
        if (down || m_layers.upDegree(v) == 0) {
            for (std::uint32_t s = m_layers.downStart[v]; s < m_layers.downStart[v + 1]; ++s) {
                const Layers::Segment& segment = m_layers.segments[m_layers.down[s]];
                m_wishes.push_back(
                    {m_x[segment.lower] + segment.lowerOffset - segment.upperOffset, weightOf(segment)});
            }
        }
    }

    void moveRow(const std::vector<std::uint32_t>& rank, bool up, bool down) {
        struct Pool {
            std::vector<Wish> wishes;
            double x = 0;
            std::size_t count = 0;
        };
        std::vector<Pool> pools;
        m_shift.resize(rank.size());
        for (std::size_t i = 0; i < rank.size(); ++i) {
            m_shift[i] = i == 0 ? 0 : m_shift[i - 1] + vertexGap(m_layers, m_boxGap, rank[i - 1], rank[i]);
            collect(rank[i], up, down);
            Wish wish{m_x[rank[i]], 0.01};
            if (!m_wishes.empty()) {
                wish.weight = std::accumulate(m_wishes.begin(), m_wishes.end(), 0.0,
                                              [](double sum, const Wish& w) { return sum + w.weight; });
                wish.x = medianOf(m_wishes);
            }
            wish.x -= m_shift[i];
            pools.push_back({{wish}, wish.x, 1});
            while (pools.size() > 1 && pools[pools.size() - 2].x > pools.back().x) {
                Pool last = std::move(pools.back());
                pools.pop_back();
                Pool& into = pools.back();
                into.count += last.count;
                into.wishes.insert(into.wishes.end(), last.wishes.begin(), last.wishes.end());
                if (into.wishes.size() > maxMedian) {
                    into.x = meanOf(into.wishes);
                    const double weight =
                        std::accumulate(into.wishes.begin(), into.wishes.end(), 0.0,
                                        [](double sum, const Wish& w) { return sum + w.weight; });
                    into.wishes = {{into.x, weight}};
                } else {
                    into.x = medianOf(into.wishes);
                }
            }
        }
        std::size_t i = 0;
        for (const Pool& pool : pools)
            for (std::size_t k = 0; k < pool.count; ++k, ++i)
                m_x[rank[i]] = pool.x + m_shift[i];
    }

    const Layers& m_layers;
    double m_boxGap;
    std::vector<double> m_x, m_shift;
    std::vector<Wish> m_wishes;
};

} // namespace

double vertexGap(const Layers& layers, double boxGap, std::uint32_t left, std::uint32_t right) {
    const auto& a = layers.vertices[left];
    const auto& b = layers.vertices[right];
    return (a.width + b.width) / 2 + (a.lane && b.lane ? 0.6 * boxGap : boxGap);
}

std::vector<double> relaxLayers(const Layers& layers, double boxGap) {
    return Relaxer(layers, boxGap).run();
}

} // namespace dynascope::layout::detail
