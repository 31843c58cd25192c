// SPDX-License-Identifier: BSD-3-Clause
//
// One edge at a time, greedily: go straight down until a box is in the way; in the gap above it turn aside,
// to the nearest x from which the end can be reached straight down, else to the one that reaches farthest.
// Every line taken is remembered with the box it comes from, so that a later edge of another box keeps a few
// pixels off it.
#include "core/layout/orthogonal.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>

namespace dynascope::layout {

namespace {

constexpr double clearance = 6;       // pixels between a line and a box
constexpr double turnOff = 9;         // pixels below a box where a line turns first
constexpr double turnIn = 13;         // pixels above the end; an arrowhead is 7 long
constexpr double trackGap = 4;        // pixels between parallel lines
constexpr int tracks = 7;             // places tried for one line
constexpr double farAside = 700;      // pixels that an edge goes out of its way
constexpr double longDrop = 120;      // pixels; a shorter drop is left at its top
constexpr double turnCost = 60;       // what two more turns cost, in pixels of way
constexpr double cornerRadius = 8;    // pixels
constexpr double cornerReach = 0.552; // control points of a quarter circle, in radii
constexpr int maxTurns = 6;
constexpr std::size_t maxCandidates = 48;
constexpr std::size_t budget = 20'000'000; // comparisons for one layout: some tens of milliseconds
constexpr double nowhere = std::numeric_limits<double>::max();

/// A line along one axis that an edge has taken.
struct Taken {
    double at = 0, from = 0, to = 0;
    std::uint32_t source = 0;
};

class Router {
public:
    Router(const LayoutInput& input, const LayoutResult& result)
        : m_input(input)
        , m_result(result) {
        for (std::size_t i = 0; i < input.boxes.size(); ++i) {
            const Box& box = input.boxes[i];
            m_boxes.push_back({result.boxes[i].x, result.boxes[i].y, box.width, box.height});
            m_tallest = std::max(m_tallest, box.height);
        }
        std::sort(m_boxes.begin(), m_boxes.end(), [](const Rect& a, const Rect& b) { return a.y < b.y; });
    }

    EdgePath route(std::uint32_t edge) {
        const std::vector<Point>& old = m_result.edges[edge].points;
        if (old.size() < 4 || old.back().y - old.front().y < turnOff + turnIn) return {};
        m_source = m_input.edges[edge].from;
        m_start = old.front();
        m_end = old.back();
        m_hints.clear();
        for (std::size_t i = 3; i + 3 < old.size(); i += 3)
            m_hints.push_back(old[i].x);
        for (const bool aroundFrames : {true, false}) {
            if (m_work > budget) return {};
            collectObstacles(edge, aroundFrames);
            if (const auto way = findWay()) {
                take(*way);
                return rounded(*way);
            }
            if (!m_metFrames) break;
        }
        return {};
    }

private:
    void collectObstacles(std::uint32_t edge, bool aroundFrames) {
        m_obstacles.clear();
        m_metFrames = false;
        const double top = m_start.y + 1;
        const double bottom = m_end.y - 1;
        auto box = std::lower_bound(m_boxes.begin(), m_boxes.end(), top - m_tallest,
                                    [](const Rect& r, double y) { return r.y < y; });
        for (; box != m_boxes.end() && box->y < bottom; ++box) {
            ++m_work;
            if (box->y + box->height > top) m_obstacles.push_back(*box);
        }
        if (!aroundFrames) return;
        const auto holds = [this](int cluster, std::uint32_t of) {
            for (int c = m_input.boxes[of].cluster; c >= 0;
                 c = m_input.clusters[static_cast<std::size_t>(c)].parent)
                if (c == cluster) return true;
            return false;
        };
        for (std::size_t c = 0; c < m_result.clusters.size(); ++c) {
            const Rect& frame = m_result.clusters[c];
            if (frame.y >= bottom || frame.y + frame.height <= top) continue;
            const auto cluster = static_cast<int>(c);
            if (holds(cluster, m_input.edges[edge].from) || holds(cluster, m_input.edges[edge].to)) continue;
            m_obstacles.push_back(frame);
            m_metFrames = true;
        }
    }

    /// How far down a line at x gets from y: the top of the first obstacle, or `nowhere` if it gets past all.
    [[nodiscard]] double firstHit(double x, double y) {
        m_work += m_obstacles.size();
        double hit = nowhere;
        for (const Rect& r : m_obstacles)
            if (r.y < hit && r.y + r.height > y && r.x - clearance < x && x < r.x + r.width + clearance)
                hit = std::max(r.y, y);
        return hit > m_end.y - turnIn ? nowhere : hit;
    }

    [[nodiscard]] bool isFreeAcross(double y, double x1, double x2) {
        m_work += m_obstacles.size();
        const auto [left, right] = std::minmax(x1, x2);
        return std::none_of(m_obstacles.begin(), m_obstacles.end(), [&](const Rect& r) {
            return r.y - clearance / 2 < y && y < r.y + r.height + clearance / 2 && r.x - 1 < right &&
                   left < r.x + r.width + 1;
        });
    }

    [[nodiscard]] bool isTaken(const std::vector<Taken>& lines, double at, double from, double to) {
        m_work += lines.size();
        const auto [low, high] = std::minmax(from, to);
        return std::any_of(lines.begin(), lines.end(), [&](const Taken& line) {
            return line.source != m_source && std::abs(line.at - at) < trackGap - 0.5 && line.from < high &&
                   low < line.to;
        });
    }

    /// A height near `y`, going on by `step`, at which one can go across; the first choice if all are taken.
    [[nodiscard]] std::optional<double> heightFor(double y, double step, double low, double high, double x1,
                                                  double x2) {
        std::optional<double> first;
        for (int track = 0; track < tracks; ++track, y += step) {
            if (y < low || y > high) break;
            if (!isFreeAcross(y, x1, x2)) continue;
            if (!isTaken(m_across, y, x1, x2)) return y;
            if (!first) first = y;
        }
        return first;
    }

    struct Turn {
        double x = 0, y = 0, hit = 0;
    };

    /// Where to go from (x, y), with an obstacle at `hit`.
    [[nodiscard]] std::optional<Turn> findTurn(double x, double y, double hit, bool first) {
        std::vector<double> candidates = m_hints;
        candidates.push_back(m_end.x);
        for (const Rect& r : m_obstacles) {
            candidates.push_back(r.x - clearance);
            candidates.push_back(r.x + r.width + clearance);
        }
        const auto way = [&](double to) {
            return std::abs(to - x) + std::abs(to - m_end.x) + (to == m_end.x ? 0 : turnCost);
        };
        const double direct = std::abs(x - m_end.x);
        std::erase_if(candidates,
                      [&](double to) { return way(to) - direct > 2 * farAside || std::abs(to - x) < 1; });
        std::sort(candidates.begin(), candidates.end(),
                  [&](double a, double b) { return way(a) != way(b) ? way(a) < way(b) : a < b; });
        candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
        if (candidates.size() > maxCandidates) candidates.resize(maxCandidates);

        const bool atTop = first && hit - y < longDrop;
        const double at = atTop ? y + turnOff : hit - turnOff;
        std::optional<Turn> best;
        double bestScore = 0;
        for (const double candidate : candidates) {
            const auto height = heightFor(at, atTop ? trackGap : -trackGap, y + 1, hit - 2, x, candidate);
            if (!height) continue;
            const std::optional<double> line = lineFor(candidate, *height);
            if (!line || !isFreeAcross(*height, x, *line)) continue;
            const double reach = firstHit(*line, *height);
            if (reach == nowhere) return Turn{*line, *height, reach};
            // As far down as it gets; a pixel aside costs half as much as a pixel down gains.
            const double score = reach - hit - std::abs(*line - x) / 2;
            if (reach > hit + 2 * turnOff && (!best || score > bestScore)) {
                best = Turn{*line, *height, reach};
                bestScore = score;
            }
        }
        return best;
    }

    /// x or, where another edge runs there, a place beside it that reaches as far.
    [[nodiscard]] std::optional<double> lineFor(double x, double y) {
        const double reach = firstHit(x, y);
        if (reach < y + turnOff) return std::nullopt;
        const double to = std::min(reach, m_end.y);
        for (int track = 0; track < tracks; ++track) {
            // 0, then one to the left, one to the right, two to the left, ...
            const int steps = (track + 1) / 2 * (track % 2 == 0 ? 1 : -1);
            const double shifted = x + trackGap * steps;
            if (track > 0 && firstHit(shifted, y) < reach) continue;
            if (!isTaken(m_down, shifted, y, to)) return shifted;
        }
        return x;
    }

    [[nodiscard]] std::optional<std::vector<Point>> findWay() {
        std::vector<Point> way{m_start};
        double x = m_start.x;
        double y = m_start.y;
        for (int turns = 0; turns < maxTurns; ++turns) {
            const double hit = firstHit(x, y);
            if (hit == nowhere) {
                if (std::abs(x - m_end.x) < 1) {
                    way.push_back({x, m_end.y});
                    return way;
                }
                const auto across = heightFor(m_end.y - turnIn, -trackGap, y + 1, m_end.y, x, m_end.x);
                if (!across) return std::nullopt;
                way.insert(way.end(), {{x, *across}, {m_end.x, *across}, m_end});
                return way;
            }
            const auto turn = findTurn(x, y, hit, turns == 0);
            if (!turn) return std::nullopt;
            way.insert(way.end(), {{x, turn->y}, {turn->x, turn->y}});
            x = turn->x;
            y = turn->y;
        }
        return std::nullopt;
    }

    void take(const std::vector<Point>& way) {
        for (std::size_t i = 1; i < way.size(); ++i) {
            const Point& a = way[i - 1];
            const Point& b = way[i];
            if (a.x == b.x)
                m_down.push_back({a.x, std::min(a.y, b.y), std::max(a.y, b.y), m_source});
            else
                m_across.push_back({a.y, std::min(a.x, b.x), std::max(a.x, b.x), m_source});
        }
    }

    static void lineTo(std::vector<Point>& points, Point to) {
        const Point from = points.back();
        points.push_back({from.x + (to.x - from.x) / 3, from.y + (to.y - from.y) / 3});
        points.push_back({to.x - (to.x - from.x) / 3, to.y - (to.y - from.y) / 3});
        points.push_back(to);
    }

    static EdgePath rounded(std::span<const Point> way) {
        const auto length = [](const Point& a, const Point& b) { return std::hypot(b.x - a.x, b.y - a.y); };
        EdgePath path{{way.front()}};
        for (std::size_t i = 1; i + 1 < way.size(); ++i) {
            const Point& corner = way[i];
            const double before = length(way[i - 1], corner);
            const double after = length(corner, way[i + 1]);
            const double radius = std::min({cornerRadius, before / 2, after / 2});
            if (radius < 0.1) continue;
            const auto towards = [&](const Point& other, double distance, double whole) {
                return Point{corner.x + (other.x - corner.x) * distance / whole,
                             corner.y + (other.y - corner.y) * distance / whole};
            };
            lineTo(path.points, towards(way[i - 1], radius, before));
            path.points.push_back(towards(way[i - 1], radius * (1 - cornerReach), before));
            path.points.push_back(towards(way[i + 1], radius * (1 - cornerReach), after));
            path.points.push_back(towards(way[i + 1], radius, after));
        }
        lineTo(path.points, way.back());
        return path;
    }

    const LayoutInput& m_input;
    const LayoutResult& m_result;
    std::vector<Rect> m_boxes; // by top
    double m_tallest = 0;
    std::vector<Taken> m_down, m_across;
    std::size_t m_work = 0;
    // Of the edge in hand:
    std::uint32_t m_source = 0;
    Point m_start, m_end;
    std::vector<double> m_hints; // where the layout's own route runs
    std::vector<Rect> m_obstacles;
    bool m_metFrames = false;
};

} // namespace

std::vector<EdgePath> routeOrthogonally(const LayoutInput& input, const LayoutResult& result,
                                        const std::vector<std::uint32_t>& edges) {
    std::vector<EdgePath> paths(edges.size());
    if (result.boxes.size() != input.boxes.size() || result.edges.size() != input.edges.size()) return paths;
    // Short edges first: they are closest to the boxes, and long ones go round them.
    std::vector<std::size_t> order(edges.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        order[i] = i;
    const auto drop = [&](std::size_t i) {
        const auto& points = result.edges[edges[i]].points;
        return points.empty() ? 0.0 : points.back().y - points.front().y;
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return drop(a) < drop(b); });
    Router router(input, result);
    for (const std::size_t i : order)
        paths[i] = router.route(edges[i]);
    return paths;
}

} // namespace dynascope::layout
