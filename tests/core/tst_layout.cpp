// SPDX-License-Identifier: BSD-3-Clause
#include "core/layout/layout.h"
#include "tests/core/layout_checks.h"

#include <QElapsedTimer>
#include <QTest>

#include <random>
#include <thread>

using namespace dynascope;
using namespace dynascope::layout;

namespace {

LayoutInput graph(std::size_t boxes, std::vector<Edge> edges) {
    LayoutInput input;
    input.boxes.resize(boxes);
    input.edges = std::move(edges);
    return input;
}

double centre(const LayoutInput& in, const LayoutResult& out, std::size_t box) {
    return out.boxes[box].x + in.boxes[box].width / 2;
}

LayoutResult laidOut(const LayoutInput& input) {
    auto result = layoutLayered(input);
    if (!result) qFatal("%s", result.error().message.c_str());
    return *result;
}

/// A graph as FX graphs are: mostly local edges, some skips, a few parameters.
LayoutInput randomGraph(std::mt19937& random, std::size_t boxes, int clusters) {
    LayoutInput input;
    input.boxes.resize(boxes);
    for (int c = 0; c < clusters; ++c)
        input.clusters.push_back(
            {c == 0 ? -1 : static_cast<int>(random() % static_cast<unsigned>(c + 1)) - 1, 28, 12});
    for (std::size_t i = 0; i < boxes; ++i) {
        if (clusters > 0)
            input.boxes[i].cluster = static_cast<int>(random() % static_cast<unsigned>(clusters + 1)) - 1;
        if (random() % 4 == 0) input.boxes[i].height = 24;
        if (i == 0) continue;
        for (unsigned k = 0, n = random() % 3; k < n; ++k) {
            const std::size_t reach = random() % 10 == 0 ? i : std::min<std::size_t>(i, 6);
            input.edges.push_back(
                {static_cast<std::uint32_t>(i - 1 - random() % reach), static_cast<std::uint32_t>(i), 1});
        }
    }
    return input;
}

} // namespace

class TestLayout : public QObject {
    Q_OBJECT

private slots:
    void nothing() {
        const LayoutResult out = laidOut({});
        QCOMPARE(out.width, 0.0);
        QCOMPARE(out.height, 0.0);
        QCOMPARE(out.engine, std::string("layered"));
    }

    void chainIsOneColumn() {
        const LayoutInput in = graph(4, {{0, 1, 1}, {1, 2, 1}, {2, 3, 1}});
        const LayoutResult out = laidOut(in);
        QCOMPARE(check::layout(in, out), std::string());
        for (std::size_t i = 1; i < 4; ++i) {
            QCOMPARE(centre(in, out, i), centre(in, out, 0));
            QCOMPARE(out.boxes[i].y - out.boxes[i - 1].y, 56.0 + in.rankGap);
        }
        for (const EdgePath& e : out.edges)
            for (const Point& p : e.points)
                QCOMPARE(p.x, centre(in, out, 0));
        QCOMPARE(out.width, 208.0);
    }

    void longEdgeStaysStraight() {
        // 0 feeds 1 and, past the chain, 4.
        const LayoutInput in = graph(5, {{0, 1, 1}, {1, 2, 1}, {2, 3, 1}, {3, 4, 1}, {0, 4, 1}});
        const LayoutResult out = laidOut(in);
        QCOMPARE(check::layout(in, out), std::string());
        const auto& skip = out.edges[4].points;
        QCOMPARE(skip.size(), 10U); // out of the column, down in one piece, back in
        QCOMPARE(skip[3].x, skip[6].x);
        QCOMPARE(centre(in, out, 1), centre(in, out, 3));
    }

    void operandsKeepTheirOrder() {
        const LayoutInput in = graph(3, {{0, 2, 1}, {1, 2, 1}});
        const LayoutResult out = laidOut(in);
        QVERIFY(out.boxes[0].x < out.boxes[1].x);
        QCOMPARE(out.boxes[0].y, out.boxes[1].y);
    }

    void parameterStandsAboveItsUser() {
        // Box 0 is a parameter that only the last of the chain 1..5 reads.
        const LayoutInput in = graph(6, {{1, 2, 1}, {2, 3, 1}, {3, 4, 1}, {4, 5, 1}, {0, 5, 1}});
        const LayoutResult out = laidOut(in);
        QCOMPARE(out.boxes[0].y, out.boxes[4].y);
    }

    void constantChainHangsAboveItsUser() {
        // arange (0) -> unsqueeze (1) -> user (6) of the chain 2..6.
        const LayoutInput in = graph(7, {{0, 1, 1}, {1, 6, 1}, {2, 3, 1}, {3, 4, 1}, {4, 5, 1}, {5, 6, 1}});
        const LayoutResult out = laidOut(in);
        QCOMPARE(out.boxes[1].y, out.boxes[5].y);
        QCOMPARE(out.boxes[0].y, out.boxes[4].y);
    }

    void manyParametersWrap() {
        LayoutInput in = graph(49, {});
        for (std::uint32_t i = 0; i < 48; ++i)
            in.edges.push_back({i, 48, 1});
        const LayoutResult out = laidOut(in);
        QCOMPARE(check::layout(in, out), std::string());
        QVERIFY2(out.width < 16 * (208 + 17), qPrintable(QString::number(out.width)));
    }

    void unusedPlaceholdersMakeAGrid() {
        const LayoutInput in = graph(100, {});
        const LayoutResult out = laidOut(in);
        QCOMPARE(check::layout(in, out), std::string());
        QVERIFY(out.width < 5 * out.height && out.height < 5 * out.width);
    }

    void loopsAndDuplicates() {
        const LayoutInput in = graph(3, {{0, 1, 1}, {0, 1, 2}, {1, 1, 1}, {1, 2, 1}, {2, 0, 1}});
        const LayoutResult out = laidOut(in);
        QCOMPARE(check::layout(in, out), std::string());
        QVERIFY(out.boxes[0].y < out.boxes[1].y && out.boxes[1].y < out.boxes[2].y);
        QCOMPARE(out.edges[0].points, out.edges[1].points);
    }

    void framesHoldTheirBoxesOnly() {
        LayoutInput in = graph(6, {{0, 1, 1}, {1, 2, 1}, {2, 3, 1}, {0, 4, 1}, {4, 5, 1}, {5, 3, 1}});
        in.clusters = {{-1, 28, 12}, {0, 28, 12}};
        in.boxes[1].cluster = 0;
        in.boxes[2].cluster = 1;
        const LayoutResult out = laidOut(in);
        QCOMPARE(check::layout(in, out), std::string());
        QVERIFY(out.boxes[1].y - out.clusters[0].y >= 28 + 12);
        QVERIFY(out.boxes[2].y - out.clusters[1].y >= 28 + 12);
    }

    void anEdgeThroughAFrameHasALane() {
        // Frame 0 holds the chain 1 -> 2 -> 3; 1 also feeds 4 outside: its lane must not cross boxes 2 and 3.
        LayoutInput in = graph(5, {{0, 1, 1}, {1, 2, 1}, {2, 3, 1}, {3, 4, 1}, {1, 4, 1}});
        in.clusters = {{-1, 28, 12}};
        in.boxes[1].cluster = in.boxes[2].cluster = in.boxes[3].cluster = 0;
        const LayoutResult out = laidOut(in);
        QCOMPARE(check::layout(in, out), std::string());
        const auto& points = out.edges[4].points;
        for (std::size_t p = 0; p < points.size(); p += 3) {
            for (const std::size_t box : {2U, 3U}) {
                const bool across = points[p].x > out.boxes[box].x && points[p].x < out.boxes[box].x + 208 &&
                                    points[p].y > out.boxes[box].y && points[p].y < out.boxes[box].y + 56;
                QVERIFY(!across);
            }
        }
    }

    void randomGraphsKeepTheRules() {
        std::mt19937 random(3);
        for (int round = 0; round < 150; ++round) {
            const LayoutInput in = randomGraph(random, 1 + random() % 80, static_cast<int>(random() % 8));
            QCOMPARE(check::layout(in, laidOut(in)), std::string());
        }
    }

    void equalInputGivesEqualOutput() {
        std::mt19937 random(5);
        const LayoutInput in = randomGraph(random, 120, 5);
        LayoutResult a = laidOut(in);
        LayoutResult b = laidOut(in);
        a.milliseconds = b.milliseconds = 0;
        QCOMPARE(toJson(a), toJson(b));
    }

    void tenThousandBoxes() {
        std::mt19937 random(9);
        const LayoutInput in = randomGraph(random, 10000, 0);
        const LayoutResult out = laidOut(in);
        QCOMPARE(out.boxes.size(), 10000U);
    }

    void allEdgesToOneBox() {
        LayoutInput in = graph(5000, {});
        for (std::uint32_t i = 0; i + 1 < 5000; ++i) {
            in.edges.push_back({i, 4999, 1});
            in.edges.push_back({i, i + 1, 1});
        }
        QCOMPARE(laidOut(in).boxes.size(), 5000U);
    }

    void errorsNameTheCause() {
        QCOMPARE(layoutLayered(graph(1, {{0, 1, 1}})).error().message,
                 std::string("an edge names a box that does not exist"));
        LayoutInput in = graph(1, {});
        in.boxes[0].cluster = 0;
        QCOMPARE(layoutLayered(in).error().message, std::string("a box names a cluster that does not exist"));
        in.clusters = {{0, 28, 12}};
        QCOMPARE(layoutLayered(in).error().message,
                 std::string("clusters are nested too deeply or in a circle"));
        QCOMPARE(layoutDot(in).error().message, std::string("clusters are nested too deeply or in a circle"));
    }

    void cancels() {
        std::stop_source stop;
        stop.request_stop();
        std::mt19937 random(1);
        const auto result = layoutLayered(randomGraph(random, 300, 0), {stop.get_token(), {}});
        QVERIFY(!result);
        QVERIFY(result.error().isCancelled());
    }

    void dotKeepsTheRules() {
        std::mt19937 random(13);
        for (int round = 0; round < 10; ++round) {
            const LayoutInput in = randomGraph(random, 1 + random() % 30, round % 2 == 0 ? 0 : 3);
            const auto out = layoutDot(in);
            QVERIFY(out.has_value());
            QCOMPARE(out->engine, std::string("dot"));
            QCOMPARE(check::layout(in, *out), std::string());
        }
    }

    void dotFromTwoThreads() {
        std::mt19937 random(17);
        const LayoutInput in = randomGraph(random, 40, 0);
        std::size_t done = 0;
        {
            std::jthread other([&] { done += layoutDot(in)->boxes.size(); });
            QCOMPARE(layoutDot(in)->boxes.size(), 40U);
        }
        QCOMPARE(done, 40U);
    }

    void jsonBothWays() {
        std::mt19937 random(19);
        const LayoutInput in = randomGraph(random, 50, 4);
        const auto readIn = inputFromJson(toJson(in));
        QVERIFY(readIn.has_value());
        QCOMPARE(toJson(*readIn), toJson(in));
        const LayoutResult out = laidOut(in);
        const auto readOut = resultFromJson(toJson(out));
        QVERIFY(readOut.has_value());
        QCOMPARE(toJson(*readOut), toJson(out));
    }

    void badJsonIsAnError_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("empty") << QByteArray("");
        QTest::newRow("not json") << QByteArray("boxes");
        QTest::newRow("list") << QByteArray("[]");
        QTest::newRow("boxes not a list") << QByteArray(R"({"boxes": 3})");
        QTest::newRow("box not an object") << QByteArray(R"({"boxes": [1]})");
        QTest::newRow("edge out of range")
            << QByteArray(R"({"boxes": [{}], "edges": [{"from": 0, "to": 1}]})");
        QTest::newRow("edge without end") << QByteArray(R"({"boxes": [{}], "edges": [{"from": 0}]})");
        QTest::newRow("huge number") << QByteArray(R"({"boxes": [{"width": 1e300}]})");
        QTest::newRow("fraction as index") << QByteArray(R"({"boxes": [{"cluster": 0.5}]})");
        QTest::newRow("cluster out of range") << QByteArray(R"({"boxes": [{"cluster": 0}]})");
        QTest::newRow("deep") << QByteArray(100000, '[');
    }
    void badJsonIsAnError() {
        QFETCH(QByteArray, text);
        const auto input = inputFromJson({text.data(), static_cast<std::size_t>(text.size())});
        QVERIFY(!input);
        QVERIFY(!input.error().message.empty());
    }

    void badResultJsonIsAnError_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("point of three") << QByteArray(R"({"boxes": [[1, 2, 3]]})");
        QTest::newRow("short path") << QByteArray(R"({"edges": [[[1, 2], [3, 4]]]})");
        QTest::newRow("rectangle of two") << QByteArray(R"({"clusters": [[1, 2]]})");
        QTest::newRow("text for a number") << QByteArray(R"({"width": "a"})");
    }
    void badResultJsonIsAnError() {
        QFETCH(QByteArray, text);
        QVERIFY(!resultFromJson({text.data(), static_cast<std::size_t>(text.size())}));
    }
};

QTEST_APPLESS_MAIN(TestLayout)
#include "tst_layout.moc"
