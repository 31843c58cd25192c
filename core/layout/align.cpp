// SPDX-License-Identifier: BSD-3-Clause
//
// Two layouts side by side are easier to compare when what belongs together stands at one height. Each layout
// is a list of levels (boxes with one centre height). Partner boxes vote for pairs of levels; the longest run
// of pairs that does not cross is kept (patience sorting, O(n log n)), and each kept pair is brought to one
// height by moving the higher of the two, and all below it, down. Frames and edges follow.
#include "core/layout/align.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace dynascope::layout {

namespace {

constexpr double sameLevel = 6;   // pixels between centres
constexpr double widestGap = 420; // pixels that one pair may open; more would only be empty canvas

/// Moves one layout by a shift for each level, with what lies between two levels in proportion.
class Shifter {
public:
    Shifter(const Pane& pane, LayoutResult& result, const Levels& levels, std::vector<double> shifts)
        : m_pane(pane)
        , m_result(result)
        , m_levels(levels)
        , m_shifts(std::move(shifts)) {}

    void apply() {
        const std::vector<Point> before = m_result.boxes;
        for (std::size_t i = 0; i < m_levels.ofBox.size(); ++i)
            m_result.boxes[i].y += m_shifts[m_levels.ofBox[i]];
        moveFrames(before);
        for (std::size_t e = 0; e < m_result.edges.size(); ++e)
            moveEdge(m_pane.input.edges[e], m_result.edges[e], before);
        m_result.height += m_shifts.empty() ? 0 : m_shifts.back();
    }

private:
    [[nodiscard]] double shiftAt(double y) const {
        const auto& centre = m_levels.centre;
        const auto next = std::lower_bound(centre.begin(), centre.end(), y);
        const auto i = static_cast<std::size_t>(next - centre.begin());
        if (i == 0) return m_shifts.front();
        if (i == centre.size()) return m_shifts.back();
        const double share = (y - centre[i - 1]) / (centre[i] - centre[i - 1]);
        return m_shifts[i - 1] + share * (m_shifts[i] - m_shifts[i - 1]);
    }

    /// A frame keeps its margins around what is in it.
    void moveFrames(const std::vector<Point>& before) {
        struct Span {
            double top = 1e300, bottom = -1e300;
        };
        std::vector<Span> was(m_result.clusters.size());
        std::vector<Span> now(m_result.clusters.size());
        for (std::size_t i = 0; i < m_levels.ofBox.size(); ++i) {
            const double height = m_pane.input.boxes[i].height;
            for (int c = m_pane.input.boxes[i].cluster; c >= 0;
                 c = m_pane.input.clusters[static_cast<std::size_t>(c)].parent) {
                const auto k = static_cast<std::size_t>(c);
                was[k].top = std::min(was[k].top, before[i].y);
                was[k].bottom = std::max(was[k].bottom, before[i].y + height);
                now[k].top = std::min(now[k].top, m_result.boxes[i].y);
                now[k].bottom = std::max(now[k].bottom, m_result.boxes[i].y + height);
            }
        }
        for (std::size_t k = 0; k < was.size(); ++k) {
            if (was[k].top > was[k].bottom) continue;
            Rect& frame = m_result.clusters[k];
            const double top = frame.y + (now[k].top - was[k].top);
            const double bottom = frame.y + frame.height + (now[k].bottom - was[k].bottom);
            frame.y = top;
            frame.height = bottom - top;
        }
    }

    void moveEdge(const Edge& edge, EdgePath& path, const std::vector<Point>& before) {
        if (path.points.empty()) return;
        const double start = m_result.boxes[edge.from].y - before[edge.from].y;
        const double end = m_result.boxes[edge.to].y - before[edge.to].y;
        for (std::size_t i = 1; i + 1 < path.points.size(); ++i)
            path.points[i].y += shiftAt(path.points[i].y);
        path.points.front().y += start;
        path.points.back().y += end;
    }

    const Pane& m_pane;
    LayoutResult& m_result;
    const Levels& m_levels;
    std::vector<double> m_shifts;
};

using LevelPair = std::pair<std::uint32_t, std::uint32_t>;

/// The longest strictly rising run of second members among pairs sorted by the first.
std::vector<LevelPair> longestRun(std::vector<LevelPair> pairs) {
    // Equal first members fall, so that no two of them can be in one run.
    std::sort(pairs.begin(), pairs.end(), [](const LevelPair& x, const LevelPair& y) {
        return x.first != y.first ? x.first < y.first : x.second > y.second;
    });
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    std::vector<std::size_t> tails;
    std::vector<std::size_t> previous(pairs.size(), SIZE_MAX);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const auto at = std::lower_bound(tails.begin(), tails.end(), pairs[i].second,
                                         [&](std::size_t t, std::uint32_t v) { return pairs[t].second < v; });
        if (at != tails.begin()) previous[i] = *std::prev(at);
        if (at == tails.end())
            tails.push_back(i);
        else
            *at = i;
    }
    std::vector<LevelPair> run;
    for (std::size_t i = tails.empty() ? SIZE_MAX : tails.back(); i != SIZE_MAX; i = previous[i])
        run.push_back(pairs[i]);
    std::reverse(run.begin(), run.end());
    return run;
}

void mirror(const Pane& pane, LayoutResult& result) {
    for (std::size_t i = 0; i < result.boxes.size(); ++i)
        result.boxes[i].x = result.width - result.boxes[i].x - pane.input.boxes[i].width;
    for (Rect& frame : result.clusters)
        frame.x = result.width - frame.x - frame.width;
    for (EdgePath& path : result.edges)
        for (Point& point : path.points)
            point.x = result.width - point.x;
}

/// Sum over all boxes of one level of how far partners keep the order of A; negative where the mirror image
/// fits better.
double orderAgreement(const LayoutResult& a, const LayoutResult& b,
                      const std::vector<std::pair<std::uint32_t, std::uint32_t>>& partners) {
    double meanA = 0;
    double meanB = 0;
    for (const auto& [i, k] : partners) {
        meanA += a.boxes[i].x;
        meanB += b.boxes[k].x;
    }
    const auto n = static_cast<double>(std::max<std::size_t>(1, partners.size()));
    meanA /= n;
    meanB /= n;
    double sum = 0;
    for (const auto& [i, k] : partners)
        sum += (a.boxes[i].x - meanA) * (b.boxes[k].x - meanB);
    return sum;
}

} // namespace

void putFirstInputLeft(const Pane& pane, LayoutResult& result) {
    int rising = 0;
    std::size_t last = SIZE_MAX;
    for (std::size_t i = 0; i < pane.folded.items.size(); ++i) {
        const VisibleItem& item = pane.folded.items[i];
        if (item.kind != VisibleItem::Kind::Node || pane.graph->node(item.node).op != ir::Op::Placeholder)
            continue;
        if (last != SIZE_MAX) rising += result.boxes[i].x > result.boxes[last].x ? 1 : -1;
        last = i;
    }
    if (rising < 0) mirror(pane, result);
}

void cropTop(const Pane& pane, LayoutResult& result) {
    double top = 1e300;
    for (std::size_t i = 0; i < pane.folded.items.size(); ++i)
        top = std::min(top, result.boxes[i].y);
    for (const Rect& frame : result.clusters)
        top = std::min(top, frame.y);
    if (pane.folded.items.empty() || top <= 0) return;
    for (Point& box : result.boxes)
        box.y -= top;
    for (Rect& frame : result.clusters)
        frame.y -= top;
    for (EdgePath& path : result.edges)
        for (Point& point : path.points)
            point.y -= top;
    result.height -= top;
}

Levels findLevels(const Pane& pane, const LayoutResult& result) {
    Levels levels;
    const std::size_t n = pane.folded.items.size();
    levels.ofBox.assign(n, 0);
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0U);
    const auto centre = [&](std::uint32_t i) { return result.boxes[i].y + pane.input.boxes[i].height / 2; };
    std::sort(order.begin(), order.end(),
              [&](std::uint32_t x, std::uint32_t y) { return centre(x) < centre(y); });
    for (const std::uint32_t i : order) {
        if (levels.centre.empty() || centre(i) > levels.centre.back() + sameLevel)
            levels.centre.push_back(centre(i));
        levels.ofBox[i] = static_cast<std::uint32_t>(levels.centre.size() - 1);
    }
    return levels;
}

Anchors alignLayouts(const Pane& paneA, LayoutResult& a, const Pane& paneB, LayoutResult& b,
                     const std::vector<std::pair<std::uint32_t, std::uint32_t>>& partners, bool gaps) {
    if (paneA.folded.items.empty() || paneB.folded.items.empty()) return {};
    Anchors anchors{{0, 0}};
    if (orderAgreement(a, b, partners) < 0) mirror(paneB, b);
    const Levels levelsA = findLevels(paneA, a);
    const Levels levelsB = findLevels(paneB, b);
    std::vector<LevelPair> pairs;
    pairs.reserve(partners.size());
    for (const auto& [i, k] : partners)
        pairs.emplace_back(levelsA.ofBox[i], levelsB.ofBox[k]);
    const std::vector<LevelPair> run = longestRun(std::move(pairs));

    std::vector<double> shiftA(levelsA.centre.size(), 0);
    std::vector<double> shiftB(levelsB.centre.size(), 0);
    double addA = 0;
    double addB = 0;
    std::size_t nextA = 0;
    std::size_t nextB = 0;
    for (const auto& [i, k] : run) {
        for (; nextA < i; ++nextA)
            shiftA[nextA] = addA;
        for (; nextB < k; ++nextB)
            shiftB[nextB] = addB;
        const double atA = levelsA.centre[i] + addA;
        const double atB = levelsB.centre[k] + addB;
        if (gaps && std::abs(atB - atA) <= widestGap) {
            addA += std::max(0.0, atB - atA);
            addB += std::max(0.0, atA - atB);
        }
        anchors.emplace_back(levelsA.centre[i] + addA, levelsB.centre[k] + addB);
    }
    for (; nextA < shiftA.size(); ++nextA)
        shiftA[nextA] = addA;
    for (; nextB < shiftB.size(); ++nextB)
        shiftB[nextB] = addB;
    Shifter(paneA, a, levelsA, std::move(shiftA)).apply();
    Shifter(paneB, b, levelsB, std::move(shiftB)).apply();
    anchors.emplace_back(a.height, b.height);
    return anchors;
}

double follow(const Anchors& anchors, double y, bool fromA) {
    const auto own = [fromA](const std::pair<double, double>& p) { return fromA ? p.first : p.second; };
    const auto other = [fromA](const std::pair<double, double>& p) { return fromA ? p.second : p.first; };
    if (anchors.empty()) return y;
    const auto next = std::lower_bound(anchors.begin(), anchors.end(), y,
                                       [&own](const auto& p, double at) { return own(p) < at; });
    if (next == anchors.begin()) return other(*next) + y - own(*next);
    const auto& before = *std::prev(next);
    if (next == anchors.end()) return other(before) + y - own(before);
    const double length = own(*next) - own(before);
    const double share = length > 0 ? (y - own(before)) / length : 0;
    return other(before) + share * (other(*next) - other(before));
}

Anchors heldAt(const Anchors& anchors, double a, double b, double reach) {
    // Twice the way that B is off leaves room to make it up at half to one and a half times the speed.
    const double room = reach + 2 * std::abs(b - follow(anchors, a, true));
    Anchors held;
    for (const auto& [atA, atB] : anchors)
        if (atA < a - room && atB < b - reach) held.emplace_back(atA, atB);
    held.emplace_back(a - reach, b - reach);
    held.emplace_back(a + reach, b + reach);
    for (const auto& [atA, atB] : anchors)
        if (atA > a + room && atB > b + reach) held.emplace_back(atA, atB);
    return held;
}

} // namespace dynascope::layout
