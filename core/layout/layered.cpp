// SPDX-License-Identifier: BSD-3-Clause
//
// The layered layout, in plain words.
//
// Clusters first. Frames must hold exactly their own boxes, so every cluster is a level with a drawing of its
// own: its boxes, and each child cluster as one large box. Levels are laid out from the innermost outwards,
// because a frame's size is known only when its inside is. An edge that leaves a cluster gets a lane in it:
// an Exit vertex on the lower border (or an Entry on the upper one) that takes part in the inside like any
// node, so that no box stands in the way. On the level outside, the lane's x is the port at which the edge
// meets the frame.
//
// One level then goes through K. Sugiyama's steps:
//   1. level_rank.cpp: cycles are broken at the back edges of a depth-first walk; a box's rank is its
//      longest path from the top; boxes that weigh more on their users (parameters, constants) move down to
//      just above them; many sources in one rank wrap into rows.
//   2. level.cpp: all edges of one box share a trunk with one dummy vertex in every rank that it passes.
//      This keeps fan-outs tidy and the number of dummies small; a budget caps it, and edges beyond it are
//      drawn directly.
//   3. level_order.cpp: barycentre sweeps with transposition lower the number of crossings.
//   4. level_place.cpp: Brandes-Koepf placement makes columns and straight trunks.
//   5. level.cpp: ranks are stacked, ports spread, and each edge is a list of points.
//
// Finally levels are put together, from the outside in, and points become vertical cubic Beziers.
#include "core/layout/layout.h"

#include "core/layout/input_fault.h"
#include "core/layout/level.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <utility>

namespace dynascope::layout {

namespace {

using detail::LevelInput;
using detail::LevelItem;
using detail::LevelResult;

constexpr double minClusterWidth = 160;

class Composer {
public:
    Composer(const LayoutInput& input, const TaskContext& task)
        : m_input(input)
        , m_task(task) {}

    Result<LayoutResult> run() {
        if (auto fault = detail::inputFault(m_input)) return tl::unexpected(std::move(*fault));
        measureDepths();
        collectItems();
        collectNets();
        if (!solveLevels()) return cancellation();
        placeLevels();
        drawEdges();
        fitToOrigin();
        m_result.engine = "layered";
        return std::move(m_result);
    }

private:
    /// Where a net of one level meets a frame: at a lane of the level inside it.
    struct Lane {
        std::uint32_t net = 0, head = 0, inner = 0, item = 0;
    };
    struct Level {
        LevelInput input;
        LevelResult result;
        Point origin;     // of the drawing inside the frame, absolute
        double inset = 0; // of the drawing from the frame's left side
        std::vector<Lane> tailLanes, headLanes;
    };
    /// One step of an edge: a net and head of a level.
    struct Leg {
        std::uint32_t level = 0, net = 0, head = 0;
    };

    [[nodiscard]] std::size_t levelOfCluster(int cluster) const {
        return static_cast<std::size_t>(cluster) + 1; // of -1, the graph itself, 0
    }

    void measureDepths() {
        for (const Cluster& cluster : m_input.clusters) {
            int depth = 1;
            for (int p = cluster.parent; p != -1; p = m_input.clusters[static_cast<std::size_t>(p)].parent)
                ++depth;
            m_depth.push_back(depth);
        }
    }

    void collectItems() {
        m_levels.resize(m_input.clusters.size() + 1);
        for (Level& level : m_levels) {
            level.input.rankGap = m_input.rankGap;
            level.input.boxGap = m_input.boxGap;
        }
        for (const Box& box : m_input.boxes) {
            auto& items = m_levels[levelOfCluster(box.cluster)].input.items;
            m_itemOfBox.push_back(static_cast<std::uint32_t>(items.size()));
            items.push_back({LevelItem::Kind::Box, box.width, box.height, true});
        }
        for (const Cluster& cluster : m_input.clusters) {
            auto& items = m_levels[levelOfCluster(cluster.parent)].input.items;
            m_itemOfCluster.push_back(static_cast<std::uint32_t>(items.size()));
            items.push_back({LevelItem::Kind::Box, 0, 0, false});
        }
    }

    [[nodiscard]] int parentOf(int cluster) const {
        return m_input.clusters[static_cast<std::size_t>(cluster)].parent;
    }
    [[nodiscard]] int depthOf(int cluster) const {
        return cluster < 0 ? 0 : m_depth[static_cast<std::size_t>(cluster)];
    }

    /// Splits every edge into its legs, with one net a source box and level.
    void collectNets() {
        m_legs.resize(m_input.edges.size());
        std::vector<std::vector<std::uint32_t>> edgesOfBox(m_input.boxes.size());
        for (std::uint32_t e = 0; e < m_input.edges.size(); ++e)
            if (m_input.edges[e].from != m_input.edges[e].to) edgesOfBox[m_input.edges[e].from].push_back(e);
        for (std::uint32_t box = 0; box < m_input.boxes.size(); ++box) {
            m_netOf.clear();
            m_exitOf.clear();
            m_headOf.clear();
            for (const std::uint32_t e : edgesOfBox[box])
                addEdge(e);
        }
    }

    void addEdge(std::uint32_t e) {
        const Edge& edge = m_input.edges[e];
        const double weight = std::isfinite(edge.weight) ? std::clamp(edge.weight, 0.01, 1e4) : 1;
        int from = m_input.boxes[edge.from].cluster;
        int to = m_input.boxes[edge.to].cluster;
        std::uint32_t net = netIn(from, [&](Level&, std::uint32_t) { return m_itemOfBox[edge.from]; });
        std::uint32_t toItem = m_itemOfBox[edge.to];
        std::vector<std::pair<int, std::uint32_t>>
            entered; // clusters to go into, innermost first, and the item to reach there
        while (from != to) {
            if (depthOf(from) < depthOf(to)) {
                entered.emplace_back(to, toItem);
                toItem = m_itemOfCluster[static_cast<std::size_t>(to)];
                to = parentOf(to);
                continue;
            }
            const std::uint32_t exit = exitOf(from);
            addLeg(e, from, net, exit, weight);
            const auto inner = static_cast<std::uint32_t>(levelOfCluster(from));
            const std::uint32_t frame = m_itemOfCluster[static_cast<std::size_t>(from)];
            from = parentOf(from);
            net = netIn(from, [&](Level& level, std::uint32_t fresh) {
                level.tailLanes.push_back({fresh, 0, inner, exit});
                return frame;
            });
        }
        bool fresh = addLeg(e, from, net, toItem, weight);
        for (auto it = entered.rbegin(); it != entered.rend(); ++it) {
            const Leg outer = m_legs[e].back();
            net = netIn(it->first, [](Level& level, std::uint32_t) {
                level.input.items.push_back({LevelItem::Kind::Entry, 0, 0, false});
                return static_cast<std::uint32_t>(level.input.items.size() - 1);
            });
            const auto inner = static_cast<std::uint32_t>(levelOfCluster(it->first));
            if (fresh)
                m_levels[outer.level].headLanes.push_back(
                    {outer.net, outer.head, inner, m_levels[inner].input.nets[net].tail});
            fresh = addLeg(e, it->first, net, it->second, weight);
        }
    }

    /// The net of the box in hand on a level. `tailOf(level, net)` gives its tail when it is new.
    template <typename TailOf>
    std::uint32_t netIn(int cluster, TailOf&& tailOf) {
        Level& level = m_levels[levelOfCluster(cluster)];
        const auto [it, isNew] =
            m_netOf.try_emplace(cluster, static_cast<std::uint32_t>(level.input.nets.size()));
        if (isNew) level.input.nets.push_back({tailOf(level, it->second), 0, {}});
        return it->second;
    }

    /// The lane by which the box in hand leaves a cluster.
    std::uint32_t exitOf(int cluster) {
        auto& items = m_levels[levelOfCluster(cluster)].input.items;
        const auto [it, isNew] = m_exitOf.try_emplace(cluster, static_cast<std::uint32_t>(items.size()));
        if (isNew) items.push_back({LevelItem::Kind::Exit, 0, 0, false});
        return it->second;
    }

    /// True if the net did not reach that item before.
    bool addLeg(std::uint32_t e, int cluster, std::uint32_t net, std::uint32_t item, double weight) {
        const auto index = static_cast<std::uint32_t>(levelOfCluster(cluster));
        auto& heads = m_levels[index].input.nets[net].heads;
        const std::uint64_t key = (std::uint64_t{index} << 32) | item;
        const auto [it, isNew] = m_headOf.try_emplace(key, static_cast<std::uint32_t>(heads.size()));
        if (isNew)
            heads.push_back({item, 0, weight});
        else
            heads[it->second].weight += weight;
        m_legs[e].push_back({index, net, it->second});
        return isNew;
    }

    bool solveLevels() {
        m_order.resize(m_input.clusters.size());
        for (std::size_t i = 0; i < m_order.size(); ++i)
            m_order[i] = static_cast<int>(i);
        std::stable_sort(m_order.begin(), m_order.end(),
                         [this](int a, int b) { return depthOf(a) > depthOf(b); });
        m_order.push_back(-1);
        for (const int cluster : m_order) {
            Level& level = m_levels[levelOfCluster(cluster)];
            for (const Lane& lane : level.tailLanes)
                level.input.nets[lane.net].offset = portOf(lane);
            for (const Lane& lane : level.headLanes)
                level.input.nets[lane.net].heads[lane.head].offset = portOf(lane);
            auto result = detail::layoutLevel(level.input, m_task);
            if (!result) return false;
            level.result = std::move(*result);
            if (cluster < 0) continue;
            const Cluster& c = m_input.clusters[static_cast<std::size_t>(cluster)];
            LevelItem& item = frameItem(cluster);
            item.width = std::max(minClusterWidth, level.result.width + 2 * c.padding);
            item.height = level.result.height + 2 * c.padding + c.titleHeight;
            level.inset = (item.width - level.result.width) / 2;
        }
        return true;
    }

    [[nodiscard]] LevelItem& frameItem(int cluster) {
        return m_levels[levelOfCluster(parentOf(cluster))]
            .input.items[m_itemOfCluster[static_cast<std::size_t>(cluster)]];
    }

    /// x of an inner level's lane relative to the centre of its frame.
    [[nodiscard]] double portOf(const Lane& lane) const {
        const LevelResult& inner = m_levels[lane.inner].result;
        return inner.items[lane.item].x - inner.width / 2;
    }

    void placeLevels() {
        m_result.clusters.resize(m_input.clusters.size());
        for (auto it = m_order.rbegin() + 1; it != m_order.rend(); ++it) {
            const auto index = static_cast<std::size_t>(*it);
            const Cluster& c = m_input.clusters[index];
            const Level& outer = m_levels[levelOfCluster(c.parent)];
            const Point at = outer.result.items[m_itemOfCluster[index]];
            const LevelItem& item = frameItem(*it);
            Level& level = m_levels[levelOfCluster(*it)];
            const double x = outer.origin.x + at.x;
            const double y = outer.origin.y + at.y;
            level.origin = {x + level.inset, y + c.titleHeight + c.padding};
            m_result.clusters[index] = {x, y, item.width, item.height};
        }
        for (std::size_t b = 0; b < m_input.boxes.size(); ++b) {
            const Level& level = m_levels[levelOfCluster(m_input.boxes[b].cluster)];
            const Point at = level.result.items[m_itemOfBox[b]];
            m_result.boxes.push_back({level.origin.x + at.x, level.origin.y + at.y});
        }
    }

    void drawEdges() {
        std::vector<Point> way;
        for (std::uint32_t e = 0; e < m_input.edges.size(); ++e) {
            way.clear();
            bool whole = !m_legs[e].empty();
            for (const Leg& leg : m_legs[e]) {
                const Level& level = m_levels[leg.level];
                const auto& route = level.result.routes[leg.net][leg.head];
                whole = whole && !route.empty();
                for (const Point& p : route)
                    way.push_back({level.origin.x + p.x, level.origin.y + p.y});
            }
            m_result.edges.push_back({whole ? smooth(way) : direct(m_input.edges[e])});
        }
    }

    /// Straight where two points lie above each other, else a curve that starts and ends vertically.
    static std::vector<Point> smooth(const std::vector<Point>& way) {
        std::vector<Point> points{way.front()};
        for (std::size_t i = 1; i < way.size(); ++i) {
            const bool vertical = std::abs(way[i].x - points.back().x) < 0.01;
            while (vertical && i + 1 < way.size() && std::abs(way[i + 1].x - way[i].x) < 0.01)
                ++i;
            curve(points, way[i], vertical ? 1.0 / 3 : 0.5);
        }
        return points;
    }

    static void curve(std::vector<Point>& points, Point to, double share) {
        const Point from = points.back();
        const double reach = (to.y - from.y) * share;
        points.push_back({from.x, from.y + reach});
        points.push_back({to.x, to.y - reach});
        points.push_back(to);
    }

    /// An edge without a lane: straight down, or, where it closes a cycle, round the right side.
    [[nodiscard]] std::vector<Point> direct(const Edge& edge) const {
        const Box& a = m_input.boxes[edge.from];
        const Box& b = m_input.boxes[edge.to];
        const Point from{m_result.boxes[edge.from].x + a.width / 2, m_result.boxes[edge.from].y + a.height};
        const Point to{m_result.boxes[edge.to].x + b.width / 2, m_result.boxes[edge.to].y};
        std::vector<Point> points{from};
        if (to.y > from.y) {
            const double reach = std::min((to.y - from.y) / 2, 4 * m_input.rankGap);
            points.push_back({from.x, from.y + reach});
            points.push_back({to.x, to.y - reach});
            points.push_back(to);
            return points;
        }
        const double side = std::max(from.x + a.width / 2, to.x + b.width / 2) + 2 * m_input.boxGap;
        const double reach = m_input.rankGap;
        const Point middle{side, (from.y + to.y) / 2};
        points.insert(points.end(), {{from.x, from.y + reach},
                                     {side, from.y + reach},
                                     middle,
                                     {side, to.y - reach},
                                     {to.x, to.y - reach},
                                     to});
        return points;
    }

    void fitToOrigin() {
        Point least{0, 0};
        Point greatest{m_levels[0].result.width, m_levels[0].result.height};
        for (const EdgePath& path : m_result.edges) {
            for (const Point& p : path.points) {
                least = {std::min(least.x, p.x), std::min(least.y, p.y)};
                greatest = {std::max(greatest.x, p.x), std::max(greatest.y, p.y)};
            }
        }
        m_result.width = greatest.x - least.x;
        m_result.height = greatest.y - least.y;
        if (least == Point{0, 0}) return;
        const auto shift = [least](auto& at) {
            at.x -= least.x;
            at.y -= least.y;
        };
        for (Point& p : m_result.boxes)
            shift(p);
        for (Rect& r : m_result.clusters)
            shift(r);
        for (EdgePath& path : m_result.edges)
            for (Point& p : path.points)
                shift(p);
    }

    const LayoutInput& m_input;
    const TaskContext& m_task;
    std::vector<Level> m_levels; // 0 is the whole, c + 1 is cluster c
    std::vector<int> m_depth, m_order;
    std::vector<std::uint32_t> m_itemOfBox, m_itemOfCluster;
    std::vector<std::vector<Leg>> m_legs;
    // Of the box in hand, while nets are collected:
    std::unordered_map<int, std::uint32_t> m_netOf, m_exitOf;
    std::unordered_map<std::uint64_t, std::uint32_t> m_headOf;
    LayoutResult m_result;
};

} // namespace

Result<LayoutResult> layoutLayered(const LayoutInput& input, const TaskContext& task) {
    const auto start = std::chrono::steady_clock::now();
    Result<LayoutResult> result = Composer(input, task).run();
    if (result)
        result->milliseconds =
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return result;
}

} // namespace dynascope::layout
