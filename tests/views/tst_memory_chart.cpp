// SPDX-License-Identifier: BSD-3-Clause
//
// The chart of memory against time: what is found of it, where its axis begins, and that a moved picture is
// the one that would be drawn anew.
#include "core/session/life_index.h"
#include "views/memory/memory_chart.h"
#include "views/theme/theme.h"

#include <QWheelEvent>
#include <QtTest>
#include <random>

using namespace dynascope;
using namespace dynascope::views;

namespace {

MemoryChart::Content contentOf(std::size_t blocks) {
    auto timeline = std::make_shared<session::MemoryTimeline>();
    MemoryChart::Content content;
    std::mt19937 random(5);
    for (std::size_t i = 0; i < blocks; ++i) {
        const std::uint64_t place = random() % 400 * 4096;
        timeline->lives.push_back({place, 4096, place, i, i + 1 + random() % 40, 0, false, false});
        content.looks.push_back({int(i % Colours::memoryCount), i % 4 == 0, diff::Change::Same});
    }
    timeline->height = 401 * 4096;
    timeline->ranges = {{0, timeline->height, 0}};
    timeline->allocated.assign(blocks + 41, 4096);
    timeline->reserved.assign(blocks + 41, timeline->height);
    content.timeline = std::move(timeline);
    content.tip = [](std::size_t) { return QString(); };
    content.momentName = [](std::size_t moment) { return QString::number(moment); };
    return content;
}

struct Shown {
    Theme theme;
    MemoryChart chart{theme};

    explicit Shown(MemoryChart::Content content) {
        theme.setScheme(ColourScheme::Dark);
        chart.resize(900, 600);
        chart.show();
        chart.setContent(std::move(content));
    }
    void wheel(int turns, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
        QWheelEvent event({450, 200}, chart.mapToGlobal(QPointF(450, 200)), {}, {0, 120 * turns},
                          Qt::NoButton, modifiers, Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(&chart, &event);
    }
    void drag(QPoint by) {
        QTest::mousePress(&chart, Qt::LeftButton, {}, {450, 200});
        QTest::mouseMove(&chart, QPoint(450, 200) + by / 2);
        QMouseEvent move(QEvent::MouseMove, QPointF(QPoint(450, 200) + by),
                         chart.mapToGlobal(QPointF(QPoint(450, 200) + by)), Qt::NoButton, Qt::LeftButton,
                         Qt::NoModifier);
        QCoreApplication::sendEvent(&chart, &move);
        QTest::mouseRelease(&chart, Qt::LeftButton, {}, QPoint(450, 200) + by);
    }
    QImage picture() { return chart.grab().toImage(); }
    /// Nothing of the last picture is used again.
    QImage anew() {
        chart.resize(901, 600);
        chart.resize(900, 600);
        return picture();
    }
};

} // namespace

class TestMemoryChart : public QObject {
    Q_OBJECT

private slots:
    void findsWhatIsAlive() {
        std::mt19937 random(3);
        for (const std::size_t count : {0U, 1U, 2U, 7U, 300U}) {
            std::vector<session::MemoryLife> lives(count);
            for (session::MemoryLife& life : lives) {
                life.begin = random() % 200;
                life.end = life.begin + random() % 50;
            }
            const session::LifeIndex index(lives);
            for (int round = 0; round < 200; ++round) {
                const std::size_t from = random() % 260, to = from + random() % 20;
                std::vector<std::size_t> found, wanted;
                index.forEach(from, to, [&](std::size_t life) { found.push_back(life); });
                for (std::size_t i = 0; i < count; ++i)
                    if (lives[i].begin < to && std::max(lives[i].end, lives[i].begin + 1) > from)
                        wanted.push_back(i);
                std::sort(found.begin(), found.end());
                QCOMPARE(found, wanted);
            }
        }
    }

    void movedIsAsDrawnAnew() {
        Shown s(contentOf(3000));
        s.wheel(12);
        (void)s.picture();
        s.drag({-37, 0});
        QCOMPARE(s.picture(), s.anew());
        s.drag({61, 0});
        QCOMPARE(s.picture(), s.anew());
        s.wheel(-1, Qt::ShiftModifier);
        QCOMPARE(s.picture(), s.anew());
        s.drag({4000, 0}); // beyond the beginning
        QCOMPARE(s.picture(), s.anew());
    }

    void axisBeginsWhereSomethingHappens() {
        MemoryChart::Content content = contentOf(50);
        for (std::size_t i = 0; i <= content.timeline->moments(); ++i)
            content.positions.push_back(100 + double(i));
        Shown s(content);
        const double left = s.chart.rectOf(0).left();
        QVERIFY2(left < 100, qPrintable(QString::number(left))); // at the edge, not in the middle
        QVERIFY(s.chart.lifeAt(s.chart.rectOf(10).center()) != SIZE_MAX);
        s.drag({300, 0}); // nothing lies before it
        QCOMPARE(s.chart.rectOf(0).left(), left);
        QTest::keyClick(&s.chart, Qt::Key_Plus);
        QTest::keyClick(&s.chart, Qt::Key_0);
        QCOMPARE(s.chart.rectOf(0).left(), left);
    }

    void manyTinyBlocksAreOnePixelEach() {
        MemoryChart::Content content = contentOf(0);
        auto timeline = std::make_shared<session::MemoryTimeline>();
        for (std::size_t i = 0; i < 20'000; ++i) {
            timeline->lives.push_back({0, 1, i % 7, i, i + 1, 0, false, false});
            content.looks.push_back({0, false, diff::Change::Same});
        }
        timeline->height = 1 << 20;
        timeline->allocated.assign(20'001, 1);
        timeline->reserved.assign(20'001, 1 << 20);
        content.timeline = timeline;
        Shown s(content);
        const QRectF box = s.chart.rectOf(10'000);
        const QColor drawn = s.picture().pixelColor(box.center().toPoint());
        QVERIFY(drawn != s.theme.colours().bg0);
    }
};

QTEST_MAIN(TestMemoryChart)
#include "tst_memory_chart.moc"
