// SPDX-License-Identifier: BSD-3-Clause
#include "core/layout/level.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

namespace dynascope::layout::detail {

namespace {

constexpr double portGap = 14;    // between edges that enter one box
constexpr double portMargin = 12; // ports keep off the corners
constexpr double slantForGap =
    1200; // a rank gap grows by one rankGap for each so many pixels of the widest slant in it
constexpr double maxGapGrowth = 1.5;

class LevelLayout {
public:
    LevelLayout(const LevelInput& input, const TaskContext& task)
        : m_input(input)
        , m_task(task) {}

    std::optional<LevelResult> run() {
        m_ranking = rankItems(m_input);
        splitIsolated();
        chooseTrunks();
        buildLayers();
        if (!orderLayers(m_layers, m_task)) return std::nullopt;
        m_x = placeLayers(m_layers, m_input.boxGap);
        placeRanks();
        placeBoxes();
        placeIsolated();
        spreadPorts();
        route();
        return std::move(m_result);
    }

private:
    [[nodiscard]] bool isBack(std::size_t net, std::size_t head) const {
        return m_ranking.backEdge[net][head];
    }
    [[nodiscard]] std::uint32_t rankOf(std::uint32_t item) const { return m_ranking.rank[item]; }

    /// Items without edges do not take part in the ranks; they fill a grid beside the drawing.
    void splitIsolated() {
        std::vector<bool> touched(m_input.items.size(), false);
        for (const LevelNet& net : m_input.nets) {
            if (net.heads.empty()) continue;
            touched[net.tail] = true;
            for (const LevelNet::Head& head : net.heads)
                touched[head.item] = true;
        }
        m_isolated.resize(m_input.items.size());
        for (std::uint32_t v = 0; v < m_input.items.size(); ++v)
            m_isolated[v] = !touched[v];
    }

    /// A trunk has a dummy in each rank that it passes. Only so many dummies are afforded: the longest trunks
    /// go without, and their far heads get a direct curve.
    void chooseTrunks() {
        const std::size_t budget = std::max<std::size_t>(20'000, 3 * m_input.items.size());
        std::vector<std::size_t> trunksOfLength(m_ranking.count + 1, 0);
        for (std::size_t n = 0; n < m_input.nets.size(); ++n) {
            std::uint32_t length = 0;
            for (std::size_t h = 0; h < m_input.nets[n].heads.size(); ++h)
                if (!isBack(n, h))
                    length = std::max(length,
                                      rankOf(m_input.nets[n].heads[h].item) - rankOf(m_input.nets[n].tail));
            ++trunksOfLength[length];
        }
        // The dummies for length L are those of all trunks, each cut at L.
        std::size_t longer = m_input.nets.size() - trunksOfLength[0];
        std::size_t dummies = 0;
        m_longest = 1;
        for (std::uint32_t length = 1; length <= m_ranking.count; ++length) {
            if (length > 1) dummies += longer;
            if (dummies > budget) break;
            m_longest = length;
            longer -= trunksOfLength[length];
        }
    }

    [[nodiscard]] bool hasLane(std::size_t n, std::size_t h) const {
        const LevelNet& net = m_input.nets[n];
        return !isBack(n, h) && rankOf(net.heads[h].item) - rankOf(net.tail) <= m_longest;
    }

    void buildLayers() {
        m_layers.ranks.resize(m_ranking.count);
        m_layers.vertices.reserve(m_input.items.size());
        for (std::uint32_t v = 0; v < m_input.items.size(); ++v) {
            const LevelItem& item = m_input.items[v];
            m_layers.vertices.push_back({m_isolated[v] ? 0 : item.width, rankOf(v), 0,
                                         item.kind != LevelItem::Kind::Box || m_isolated[v]});
        }
        m_trunk.resize(m_input.nets.size());
        m_headSegment.resize(m_input.nets.size());
        for (std::size_t n = 0; n < m_input.nets.size(); ++n) {
            const LevelNet& net = m_input.nets[n];
            m_headSegment[n].assign(net.heads.size(), none);
            std::uint32_t last = rankOf(net.tail);
            std::uint32_t above = net.tail;
            for (std::size_t h = 0; h < net.heads.size(); ++h)
                if (hasLane(n, h)) last = std::max(last, rankOf(net.heads[h].item));
            for (std::uint32_t r = rankOf(net.tail) + 1; r < last; ++r) {
                const auto dummy = static_cast<std::uint32_t>(m_layers.vertices.size());
                m_layers.vertices.push_back({0, r, 0, true});
                m_trunk[n].push_back(dummy);
                m_layers.segments.push_back({above, dummy, above == net.tail ? net.offset : 0, 0, 1,
                                             above == net.tail && m_ranking.wrapped[above]});
                above = dummy;
            }
            for (std::size_t h = 0; h < net.heads.size(); ++h) {
                if (!hasLane(n, h)) continue;
                const LevelNet::Head& head = net.heads[h];
                const std::uint32_t length = rankOf(head.item) - rankOf(net.tail);
                const bool direct = length == 1;
                m_headSegment[n][h] = static_cast<std::uint32_t>(m_layers.segments.size());
                m_layers.segments.push_back({direct ? net.tail : m_trunk[n][length - 2], head.item,
                                             direct ? net.offset : 0, head.offset, head.weight, false});
            }
        }
        m_layers.index();
    }

    void placeRanks() {
        std::vector<double> height(m_ranking.count, 0);
        std::vector<double> slant(m_ranking.count, 0);
        for (std::uint32_t v = 0; v < m_input.items.size(); ++v)
            if (!m_isolated[v]) height[rankOf(v)] = std::max(height[rankOf(v)], m_input.items[v].height);
        for (const Layers::Segment& s : m_layers.segments) {
            double& widest = slant[m_layers.vertices[s.upper].rank];
            widest = std::max(widest, std::abs(m_x[s.upper] + s.upperOffset - m_x[s.lower] - s.lowerOffset));
        }
        m_top.resize(m_ranking.count);
        m_bottom.resize(m_ranking.count);
        double y = 0;
        for (std::uint32_t r = 0; r < m_ranking.count; ++r) {
            m_top[r] = y;
            m_bottom[r] = y + height[r];
            const double growth = std::min(maxGapGrowth, std::max(0.0, slant[r] - 300) / slantForGap);
            y = m_bottom[r] + m_input.rankGap * (1 + growth);
        }
        m_result.height = m_ranking.count == 0 ? 0 : m_bottom.back();
    }

    void placeBoxes() {
        double left = std::numeric_limits<double>::max();
        double right = std::numeric_limits<double>::lowest();
        for (std::uint32_t v = 0; v < m_x.size(); ++v) {
            if (v < m_isolated.size() && m_isolated[v]) continue;
            left = std::min(left, m_x[v] - m_layers.vertices[v].width / 2);
            right = std::max(right, m_x[v] + m_layers.vertices[v].width / 2);
        }
        m_result.width = std::max(0.0, right - left);
        m_result.items.resize(m_input.items.size());
        for (double& x : m_x)
            x -= left;
        for (std::uint32_t v = 0; v < m_input.items.size(); ++v) {
            const LevelItem& item = m_input.items[v];
            // A source stands on its users' side of the rank, all else hangs below its inputs.
            const bool source = m_layers.upDegree(v) == 0;
            m_result.items[v] = {m_x[v] - item.width / 2,
                                 source ? m_bottom[rankOf(v)] - item.height : m_top[rankOf(v)]};
        }
    }

    void placeIsolated() {
        std::vector<std::uint32_t> items;
        double area = 0;
        double widest = 0;
        for (std::uint32_t v = 0; v < m_isolated.size(); ++v) {
            if (!m_isolated[v]) continue;
            items.push_back(v);
            area += (m_input.items[v].width + m_input.boxGap) * (m_input.items[v].height + m_input.boxGap);
            widest = std::max(widest, m_input.items[v].width);
        }
        if (items.empty()) return;
        const bool alone = items.size() == m_input.items.size();
        const double left = alone ? 0 : m_result.width + 2 * m_input.boxGap;
        // As high as the drawing beside it, or else about twice as wide as high.
        const double width =
            std::max(widest, std::min(area / std::max(m_result.height, 1.0), 1.4 * std::sqrt(area)));
        double x = 0;
        double y = 0;
        double rowHeight = 0;
        for (const std::uint32_t v : items) {
            const LevelItem& item = m_input.items[v];
            if (x > 0 && x + item.width > width) {
                x = 0;
                y += rowHeight + m_input.boxGap;
                rowHeight = 0;
            }
            m_result.items[v] = {left + x, y};
            m_result.width = std::max(m_result.width, left + x + item.width);
            m_result.height = std::max(m_result.height, y + item.height);
            x += item.width + m_input.boxGap;
            rowHeight = std::max(rowHeight, item.height);
        }
    }

    /// Edges that enter a box side by side. One that comes straight down keeps to the centre.
    void spreadPorts() {
        m_portOffset.assign(m_layers.segments.size(), 0);
        for (std::uint32_t s = 0; s < m_layers.segments.size(); ++s)
            m_portOffset[s] = m_layers.segments[s].lowerOffset;
        std::vector<std::uint32_t> incoming;
        for (std::uint32_t v = 0; v < m_input.items.size(); ++v) {
            const LevelItem& item = m_input.items[v];
            if (!item.spreadPorts || m_layers.upDegree(v) < 2) continue;
            incoming.assign(m_layers.up.begin() + m_layers.upStart[v],
                            m_layers.up.begin() + m_layers.upStart[v + 1]);
            const auto from = [this](std::uint32_t s) {
                return m_x[m_layers.segments[s].upper] + m_layers.segments[s].upperOffset;
            };
            std::sort(incoming.begin(), incoming.end(), [&](std::uint32_t a, std::uint32_t b) {
                return std::tuple(from(a), a) < std::tuple(from(b), b);
            });
            double centre = static_cast<double>(incoming.size() - 1) / 2;
            for (std::size_t i = 0; i < incoming.size(); ++i)
                if (std::abs(from(incoming[i]) - m_x[v]) < 0.5) centre = static_cast<double>(i);
            const double room = std::max(0.0, item.width / 2 - portMargin);
            const double steps = std::max(centre, static_cast<double>(incoming.size() - 1) - centre);
            const double step = std::min(portGap, room / steps);
            for (std::size_t i = 0; i < incoming.size(); ++i)
                m_portOffset[incoming[i]] = (static_cast<double>(i) - centre) * step;
        }
    }

    void route() {
        m_result.routes.resize(m_input.nets.size());
        for (std::size_t n = 0; n < m_input.nets.size(); ++n) {
            const LevelNet& net = m_input.nets[n];
            m_result.routes[n].resize(net.heads.size());
            for (std::size_t h = 0; h < net.heads.size(); ++h) {
                if (!hasLane(n, h)) continue;
                const LevelNet::Head& head = net.heads[h];
                std::vector<Point>& points = m_result.routes[n][h];
                points.push_back({m_x[net.tail] + net.offset,
                                  m_result.items[net.tail].y + m_input.items[net.tail].height});
                const std::uint32_t passed = rankOf(head.item) - rankOf(net.tail) - 1;
                for (std::uint32_t i = 0; i < passed; ++i) {
                    const std::uint32_t dummy = m_trunk[n][i];
                    const std::uint32_t rank = m_layers.vertices[dummy].rank;
                    points.push_back({m_x[dummy], m_top[rank]});
                    points.push_back({m_x[dummy], m_bottom[rank]});
                }
                points.push_back(
                    {m_x[head.item] + m_portOffset[m_headSegment[n][h]], m_result.items[head.item].y});
            }
        }
    }

    const LevelInput& m_input;
    const TaskContext& m_task;
    Ranking m_ranking;
    std::vector<bool> m_isolated;
    std::uint32_t m_longest = 1; // ranks that a trunk may span
    Layers m_layers;
    std::vector<std::vector<std::uint32_t>> m_trunk;       // per net: dummies by rank
    std::vector<std::vector<std::uint32_t>> m_headSegment; // per net and head
    std::vector<double> m_x, m_top, m_bottom, m_portOffset;
    LevelResult m_result;
};

} // namespace

std::optional<LevelResult> layoutLevel(const LevelInput& input, const TaskContext& task) {
    return LevelLayout(input, task).run();
}

} // namespace dynascope::layout::detail
