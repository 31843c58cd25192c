// SPDX-License-Identifier: BSD-3-Clause
#include "core/layout/align.h"

#include <QTest>
#include <cmath>

using namespace dynascope::layout;

class TestLayoutAlign : public QObject {
    Q_OBJECT
private slots:
    void followGoesBothWays() {
        const Anchors anchors{{0, 0}, {100, 300}, {200, 400}};
        QCOMPARE(follow(anchors, 50, true), 150.0);
        QCOMPARE(follow(anchors, 150, false), 50.0);
        QCOMPARE(follow(anchors, 150, true), 350.0);
        QCOMPARE(follow(anchors, 250, true), 450.0); // past the end it keeps the distance
        QCOMPARE(follow(anchors, -10, true), -10.0);
        QCOMPARE(follow({}, 12, true), 12.0);
    }
    void heldAnchorsGoBothWays() {
        const Anchors plain{{0, 0}, {100, 100}, {500, 600}, {2000, 2100}, {5000, 5100}, {9000, 9000}};
        for (const double there : {200.0, 2500.0, 8000.0}) {
            const Anchors held = heldAt(plain, 2500, there, 300);
            QCOMPARE(follow(held, 2500, true), there);
            QCOMPARE(follow(held, 2500 + 250, true), there + 250);
            QCOMPARE(follow(held, 2500 - 250, true), there - 250);
            double before = -1e9;
            for (double y = -500; y < 9500; y += 50) {
                const double other = follow(held, y, true);
                QVERIFY(other > before);
                // Nowhere does one pane race while the other creeps.
                QVERIFY2(before < -1e8 || other - before < 50 * 2.5, qPrintable(QString::number(y)));
                QVERIFY(std::abs(follow(held, other, false) - y) < 0.01);
                before = other;
            }
        }
        // Far off, the panes are where they would have been.
        const Anchors held = heldAt(plain, 600, 700, 100);
        QCOMPARE(follow(held, 7000, true), follow(plain, 7000, true));
    }
};

QTEST_APPLESS_MAIN(TestLayoutAlign)
#include "tst_layout_align.moc"
