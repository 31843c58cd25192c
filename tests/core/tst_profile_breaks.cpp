// SPDX-License-Identifier: BSD-3-Clause
//
// What graph breaks cost at run time, on a real profile of tests/data.
#include "core/profile/break_costs.h"
#include "core/profile/grouped.h"
#include "tests/support/profiles.h"

#include <QtTest>

using namespace dynascope;
using namespace dynascope::profile;

class TestProfileBreaks : public QObject {
    Q_OBJECT

private slots:
    void asTheTableHasIt() {
        const JoinedPtr joined = test::joinedFolder("breaks");
        Facts facts(joined);
        const std::vector<BreakCost> costs = breakCosts(*joined);
        QCOMPARE(costs.size(), std::size_t(2));
        double eager = 0, guards = 0;
        for (const BreakCost& cost : costs) {
            const session::GraphBreak& of =
                joined->session->compiles[std::size_t(cost.compile)].breaks[cost.graphBreak];
            QVERIFY(of.location());
            const std::string key = "graph break at profiles.py:" + std::to_string(of.location()->line);
            double median = 0;
            for (const GroupedRow& row : grouped(facts, By::Break))
                if (row.key == key) median += row.median.value_or(0);
            QVERIFY2(cost.inAStep > 0 && std::abs(cost.inAStep - median) < 1, key.c_str());
            QVERIFY(cost.frame > 0);
            eager += cost.eager;
            guards += cost.guards;
            // Medians of parts are near the parts of the median.
            QVERIFY(std::abs(cost.eager + cost.frame + cost.guards - cost.inAStep) < 0.2 * cost.inAStep);
            QCOMPARE(cost.turns, joined->profile->steps.size());
        }
        QVERIFY2(eager > 0 && guards > 0, qPrintable(QString("%1 %2").arg(eager).arg(guards)));
    }

    void nothingBrokeNothingCosts() { QVERIFY(breakCosts(*test::joinedFolder("mlp_aot")).empty()); }
};

QTEST_GUILESS_MAIN(TestProfileBreaks)
#include "tst_profile_breaks.moc"
