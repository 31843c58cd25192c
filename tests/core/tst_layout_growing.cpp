// SPDX-License-Identifier: BSD-3-Clause
//
// The layout of a graph that grows: what stands stays, and nothing covers anything.
#include "core/layout/growing.h"

#include <QtTest>
#include <cmath>
#include <numeric>
#include <random>
#include <set>

using namespace dynascope::layout;

namespace {

/// A graph of `size` boxes, each reading some of those before it.
LayoutInput randomGraph(std::uint32_t size, unsigned seed) {
    std::mt19937 random(seed);
    LayoutInput out;
    out.boxes.resize(size);
    for (std::uint32_t to = 1; to < size; ++to)
        for (unsigned k = random() % 4; k > 0; --k)
            out.edges.push_back({to - 1 - std::uint32_t(random() % std::min(to, 30U)), to});
    return out;
}

std::vector<std::uint32_t> inOrder(std::size_t size) {
    std::vector<std::uint32_t> out(size);
    std::iota(out.begin(), out.end(), 0U);
    return out;
}

} // namespace

class TestLayoutGrowing : public QObject {
    Q_OBJECT

private slots:
    void whatStandsStays() {
        const LayoutInput whole = randomGraph(300, 7);
        const LayoutResult last = layoutGrowing(whole, inOrder(300));
        for (const std::uint32_t size : {1U, 2U, 40U, 299U}) {
            LayoutInput part;
            part.boxes.resize(size);
            for (const Edge& edge : whole.edges)
                if (edge.to < size) part.edges.push_back(edge);
            const LayoutResult then = layoutGrowing(part, inOrder(size));
            for (std::size_t i = 0; i < size; ++i)
                QVERIFY(then.boxes[i] == last.boxes[i]);
        }
    }

    void nothingIsCovered() {
        const LayoutInput graph = randomGraph(400, 3);
        const LayoutResult out = layoutGrowing(graph, inOrder(400));
        std::set<std::pair<double, double>> places;
        for (const Point& point : out.boxes) {
            QVERIFY(places.emplace(point.x, point.y).second);
            QVERIFY(point.x >= 0 && point.x + 208 <= out.width);
            QVERIFY(point.y >= 0 && point.y + 56 <= out.height);
            QCOMPARE(std::fmod(point.x, 208 + 17), 0.0);
            QCOMPARE(std::fmod(point.y, 56 + 34), 0.0);
        }
        // Data flows down, and a path ends where its boxes are.
        for (std::size_t i = 0; i < graph.edges.size(); ++i) {
            const Edge& edge = graph.edges[i];
            QVERIFY(out.boxes[edge.from].y < out.boxes[edge.to].y);
            const auto& points = out.edges[i].points;
            QCOMPARE(points.size() % 3, std::size_t(1));
            QCOMPARE(points.front().y, out.boxes[edge.from].y + 56);
            QCOMPARE(points.back().y, out.boxes[edge.to].y);
            // What passes rows by runs between columns there.
            if (points.size() == 10) QCOMPARE(std::fmod(points[3].x + 17.0 / 2, 208 + 17), 0.0);
        }
    }

    void inputsStandBesideTheNewest() {
        LayoutInput graph;
        graph.boxes.resize(5);
        graph.edges = {{0, 1}, {1, 3}, {2, 3}};
        const LayoutResult out = layoutGrowing(graph, inOrder(5));
        QCOMPARE(out.boxes[2].y, out.boxes[1].y);
        QVERIFY(out.boxes[2].x > out.boxes[1].x);
        QCOMPARE(out.boxes[3].x, out.boxes[1].x);
        QCOMPARE(out.boxes[4].y, out.boxes[3].y);
    }

    /// One box that all others read: each of them stands below it, in rows that are full one after the other.
    void manyReadersOfOne() {
        constexpr std::uint32_t count = 200'000;
        LayoutInput graph;
        graph.boxes.resize(count);
        for (std::uint32_t to = 1; to < count; ++to)
            graph.edges.push_back({0, to});
        const LayoutResult out = layoutGrowing(graph, inOrder(count), 4);
        for (std::uint32_t i = 1; i < count; ++i)
            QCOMPARE(out.boxes[i].y, (1 + (i - 1) / 4) * (56.0 + 34));
    }

    void rowsAreOnlySoWide() {
        LayoutInput graph;
        graph.boxes.resize(100);
        const LayoutResult out = layoutGrowing(graph, inOrder(100), 4);
        QCOMPARE(out.width, 4 * 208.0 + 3 * 17);
        QCOMPARE(out.height, 25 * 56.0 + 24 * 34);
        QCOMPARE(layoutGrowing({}, {}).width, 0.0);
        // What is not named takes no room.
        QCOMPARE(layoutGrowing(graph, inOrder(2)).boxes.size(), std::size_t(100));
        QCOMPARE(layoutGrowing(graph, inOrder(2)).height, 56.0);
    }
};

QTEST_GUILESS_MAIN(TestLayoutGrowing)
#include "tst_layout_growing.moc"
