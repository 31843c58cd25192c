// SPDX-License-Identifier: BSD-3-Clause
//
// A run of CUDA-graph trees that is told part by part, as JSON: what a reader has at every step is what the
// manager had.
#include "core/replay/tree_log.h"
#include "core/replay/tree_simulator.h"
#include "tests/support/archive.h"

#include <QTest>

using namespace dynascope::replay;
using dynascope::test::oracleCases;

class TestReplayTreeLog : public QObject {
    Q_OBJECT

private slots:
    void grows() {
        std::size_t cases = 0, steps = 0, overwritten = 0;
        for (const auto& [name, text] : oracleCases()) {
            if (name.rfind("cg_tree_", 0) != 0) continue;
            const auto program = readTreeCase(text);
            QVERIFY2(program, name.c_str());
            TreeSimulation simulation(*program);
            TreeLogWriter writer(simulation.manager());
            std::vector<TreeFunction> functions;
            for (const SimulatedFunction& function : program->functions)
                functions.push_back(function.function);
            TreeLog log(functions);
            TreeCursor cursor(log.changes());
            for (std::size_t stride = 1; simulation.next(); stride = stride % 3 + 1) {
                for (std::size_t i = 1; i < stride && simulation.next(); ++i) {
                }
                const nlohmann::json sent = toJson(writer.next());
                auto part = treeLogPartFromJson(nlohmann::json::parse(sent.dump()));
                QVERIFY2(part, name.c_str());
                QCOMPARE(toJson(*part).dump(), sent.dump());
                QVERIFY(log.append(std::move(*part)));
                cursor.extend(log.changes());
                cursor.moveTo(log.steps().size());
                QVERIFY2(cursor.state() == simulation.manager().state(), name.c_str());
                QVERIFY(log.path(cursor.state().current) ==
                        simulation.manager().path(cursor.state().current));
            }
            const TreeManager& manager = simulation.manager();
            QCOMPARE(log.steps().size(), manager.steps().size());
            QCOMPARE(log.nodes().size(), manager.nodes().size());
            for (const TreeNode& node : manager.nodes()) {
                QVERIFY(log.find(node.id));
                QCOMPARE(log.find(node.id)->step, node.step);
                QVERIFY(log.find(node.id)->children == node.children);
            }
            for (const auto& [at, what] : manager.overwrittenOutputs())
                QVERIFY(log.isOverwritten(at.first, at.second));
            // All at once is the same.
            const TreeLog whole(manager);
            QCOMPARE(whole.steps().size(), log.steps().size());
            QCOMPARE(whole.nodes().size(), log.nodes().size());
            ++cases;
            steps += log.steps().size();
            overwritten += manager.overwrittenOutputs().size();
        }
        QVERIFY(cases > 20);
        QVERIFY(steps > 500);
        QVERIFY(overwritten > 0);
    }

    void refusesWhatDoesNotFollow() {
        TreeLog log(std::vector<TreeFunction>(1));
        TreeLogPart part;
        part.firstStep = 1;
        QVERIFY(!log.append(part));
        part.firstStep = 0;
        part.steps.resize(1);
        QVERIFY(!log.append(part)); // changes are missing
        part.changes.resize(1);
        part.steps[0].function = 7;
        QVERIFY(!log.append(part));
        part.steps[0].function = 0;
        TreeNode node;
        node.id = 0;
        node.parent = 5;
        part.nodes = {node};
        QVERIFY(!log.append(part)); // its parent is unknown
        part.nodes[0].parent = noNode;
        QVERIFY(log.append(part));
        QVERIFY(!log.append(part)); // twice
        QCOMPARE(log.steps().size(), std::size_t(1));
        for (const char* text : {"{}", "[]", "7", R"({"first_step":0,"first_node":0,"steps":[{}]})"})
            QVERIFY(!treeLogPartFromJson(nlohmann::json::parse(text)));
        nlohmann::json odd = toJson(part);
        odd["steps"][0]["action"] = 99;
        QCOMPARE(treeLogPartFromJson(odd).error().message,
                 std::string("part of a tree's run: steps[0].action: out of range: 99"));
    }
};

QTEST_APPLESS_MAIN(TestReplayTreeLog)
#include "tst_replay_tree_log.moc"
