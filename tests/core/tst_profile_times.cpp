// SPDX-License-Identifier: BSD-3-Clause
//
// Times of nodes out of a profile, on real profiles of tests/data.
#include "core/profile/grouped.h"
#include "core/profile/node_times.h"
#include "tests/support/profiles.h"

#include <QtTest>

using namespace dynascope;
using namespace dynascope::profile;

class TestProfileTimes : public QObject {
    Q_OBJECT

private slots:
    void nodesThatRunOneByOne() {
        Facts facts(test::joinedFolder("mlp_aot"));
        const std::vector<StageTimes> stages = stageTimes(facts);
        QCOMPARE(stages.size(), std::size_t(2)); // forward and backward
        for (const StageTimes& of : stages) {
            QVERIFY(!of.inParts);
            QVERIFY2(of.share() > 0.9 && of.share() <= 1.0, qPrintable(QString::number(of.share())));
            const auto graph = facts.joined()
                                   ->session->compiles[std::size_t(of.compile)]
                                   .stages[std::size_t(of.stage)]
                                   ->graph();
            QVERIFY(graph);
            for (const auto& [name, time] : of.nodes) {
                QVERIFY2((*graph)->find(name) != ir::npos, name.c_str());
                QVERIFY(time >= 0);
            }
        }
        // The same figure as the table has.
        for (const GroupedRow& row : grouped(facts, By::Node))
            if (row.key == "gelu") {
                const auto known = std::ranges::find_if(
                    stages, [](const StageTimes& of) { return of.nodes.contains("gelu"); });
                QVERIFY(known != stages.end());
                QVERIFY(std::abs(known->nodes.at("gelu") - row.median.value_or(-1)) < 1);
                return;
            }
        QFAIL("no gelu");
    }

    void kernelsOfSeveralNodes() {
        Facts facts(test::joinedFolder("breaks"));
        const std::vector<StageTimes> stages = stageTimes(facts);
        QVERIFY(stages.size() >= 3);
        QVERIFY(std::ranges::any_of(stages, &StageTimes::inParts));
        double joined = 0, all = 0, inRows = 0;
        for (const StageTimes& of : stages) {
            joined += of.joined;
            all += of.all;
        }
        for (const Row& row : facts.joined()->rows)
            if (row.part == Part::Kernel || row.part == Part::Node || row.part == Part::InGraph)
                inRows += row.self;
        QVERIFY(joined > 0 && joined <= all && all <= inRows);
        // An equal part each: the nodes of a kernel that only it computes have one time.
        for (std::size_t i = 0; i < facts.joined()->rows.size(); ++i) {
            const RowFacts& of = facts.of(i);
            if (facts.joined()->rows[i].part != Part::Kernel || of.nodeNames.size() < 2 || !of.computesAll)
                continue;
            const auto stage = std::ranges::find_if(stages, [&](const StageTimes& one) {
                return one.compile == facts.joined()->rows[i].compile && one.stage == of.nodeStage;
            });
            QVERIFY(stage != stages.end());
            for (const std::string& name : of.nodeNames)
                QVERIFY(stage->nodes.contains(name));
            return;
        }
        QFAIL("no kernel of several nodes");
    }

    void nothingWithoutACapture() {
        const JoinedPtr whole = test::joinedFolder("breaks");
        Facts facts(join(nullptr, whole->profile).value_or(nullptr));
        QVERIFY(stageTimes(facts).empty());
    }
};

QTEST_GUILESS_MAIN(TestProfileTimes)
#include "tst_profile_times.moc"
