// SPDX-License-Identifier: BSD-3-Clause
//
// Times of nodes out of a profile, on real profiles of tests/data.
#include "core/profile/compile_runs.h"
#include "core/profile/grouped.h"
#include "core/profile/line_times.h"
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

    void passedOnToStagesAbove() {
        Facts facts(test::joinedFolder("encoder_inductor"));
        const session::SessionPtr session = facts.joined()->session;
        const std::vector<StageTimes> measured = stageTimes(facts);
        const std::vector<StageTimes> passed = passedOn(session, measured, {});
        QStringList names;
        for (const StageTimes& of : passed) {
            const session::Compile& compile = session->compiles[std::size_t(of.compile)];
            const session::Stage& stage = *compile.stages[std::size_t(of.stage)];
            names.push_back(QString::fromStdString(stage.shortLabel()));
            QVERIFY(!of.passedOnFrom.empty());
            QVERIFY2(of.share() > 0 && of.share() <= 1, qPrintable(QString::number(of.share())));
            double most = 0, sum = 0;
            for (const StageTimes& from : measured) {
                QVERIFY(from.compile != of.compile ||
                        from.stage != of.stage); // measured goes before passed on
                if (from.compile != of.compile || !std::ranges::count(of.passedOnFrom, from.stage)) continue;
                QVERIFY(from.stage > of.stage && from.passedOnFrom.empty());
                for (const auto& [name, time] : from.nodes)
                    most += time;
            }
            for (const auto& [name, time] : of.nodes) {
                QVERIFY2((*stage.graph())->find(name) != ir::npos, name.c_str());
                sum += time;
            }
            QVERIFY2(sum > 0 && sum <= most * (1 + 1e-9), qPrintable(QString::number(sum / most)));
        }
        QVERIFY2(names.contains("dynamo_output"), qPrintable(names.join(' ')));
        const TaskContext task = [] {
            std::stop_source stop;
            stop.request_stop();
            return TaskContext{stop.get_token(), {}};
        }();
        QVERIFY(passedOn(session, measured, task).empty());
    }

    /// A node that is measured alone gives all of its time, in equal parts, or nothing.
    void nodesPassOnEqualParts() {
        std::size_t shared = 0, whole = 0;
        for (const char* const name : {"encoder_inductor", "breaks", "recompiles"}) {
            Facts facts(test::joinedFolder(name));
            const session::SessionPtr session = facts.joined()->session;
            std::size_t tried = 0; // each is aligned anew
            for (const StageTimes& of : stageTimes(facts))
                for (const auto& [node, time] : of.nodes) {
                    if (++tried > 40) break;
                    StageTimes alone;
                    alone.compile = of.compile;
                    alone.stage = of.stage;
                    alone.nodes = {{node, 8}};
                    alone.joined = alone.all = 80;
                    for (const StageTimes& above : passedOn(session, {alone}, {})) {
                        const double part = above.nodes.begin()->second;
                        QVERIFY(std::ranges::all_of(above.nodes,
                                                    [&](const auto& n) { return n.second == part; }));
                        QVERIFY(std::abs(part * double(above.nodes.size()) - 8) < 1e-9);
                        QCOMPARE(above.share(), 1.0);
                        QCOMPARE(above.inParts, above.nodes.size() > 1);
                        ++(above.nodes.size() > 1 ? shared : whole);
                    }
                }
        }
        QVERIFY2(whole + shared > 100, qPrintable(QStringLiteral("%1 %2").arg(whole).arg(shared)));
    }

    void entriesThatRan() {
        const JoinedPtr joined = test::joinedFolder("recompiles");
        const std::vector<CompileRun> runs = compileRuns(*joined);
        QCOMPARE(runs.size(), std::size_t(3));
        QCOMPARE(runs[0].runs, std::size_t(6)); // twice in each of three steps
        QCOMPARE(runs[1].runs, std::size_t(0));
        QCOMPARE(runs[2].runs, std::size_t(3));
        QVERIFY(runs[1].all == 0 && runs[1].inAStep == 0);
        // As the table by compile has it.
        Facts facts(joined);
        for (const GroupedRow& row : grouped(facts, By::Compile)) {
            if (row.key != "0/0" && row.key != "0/2") continue;
            const CompileRun& run = runs[row.key == "0/0" ? 0 : 2];
            QVERIFY(std::abs(run.all - row.self) < 1);
            QVERIFY(run.inAStep && row.median && std::abs(*run.inAStep - *row.median) < 1);
        }
        QVERIFY(compileRuns(*join(nullptr, joined->profile).value()).empty());
    }

    void linesOfTheProgram() {
        Facts facts(test::joinedFolder("breaks"));
        const LineTimes times = lineTimes(facts);
        QVERIFY2(times.share() > 0.9 && times.share() <= 1, qPrintable(QString::number(times.share())));
        QCOMPARE(times.files.size(), std::size_t(1));
        const auto& lines = times.files.begin()->second;
        // What is after a break is what the table by break has.
        double broken = 0, inTable = 0;
        for (const auto& [number, line] : lines)
            broken += line.broken;
        for (const GroupedRow& row : grouped(facts, By::Break))
            if (row.key.starts_with("graph break at ")) inTable += row.median.value_or(0);
        QVERIFY(lines.at(16).broken > 0 && lines.at(17).broken > 0);
        QVERIFY2(std::abs(broken - inTable) < 5, qPrintable(QString::number(broken - inTable)));
        // A kernel of several lines is shared: nothing is lost, nothing counts twice.
        double known = 0, pieces = 0;
        for (const Row& row : facts.joined()->rows)
            if (row.part == Part::Kernel || row.part == Part::Node) known += row.self;
        QVERIFY(std::abs(known - times.computed) < 1);
        for (const auto& [number, line] : lines) {
            QVERIFY(!line.pieces.empty() && line.all > 0);
            for (const LineTime::Piece& piece : line.pieces)
                if (!piece.what.starts_with("after the break")) pieces += piece.time;
        }
        double medians = 0;
        for (std::size_t i = 0; i < facts.joined()->rows.size(); ++i) {
            const Row& row = facts.joined()->rows[i];
            if (row.part != Part::Kernel || facts.of(i).lines.empty()) continue;
            std::vector<double> steps(3, 0);
            addSteps(row, 1, steps);
            medians += medianOf(steps);
        }
        QVERIFY2(std::abs(pieces - medians) < 0.02 * medians, qPrintable(QString::number(pieces / medians)));
    }

    void nothingWithoutACapture() {
        const JoinedPtr whole = test::joinedFolder("breaks");
        Facts facts(join(nullptr, whole->profile).value_or(nullptr));
        QVERIFY(stageTimes(facts).empty());
        QVERIFY(lineTimes(facts).files.empty());
    }
};

QTEST_GUILESS_MAIN(TestProfileTimes)
#include "tst_profile_times.moc"
