// SPDX-License-Identifier: BSD-3-Clause
//
// The engine runs every graph of every capture.
#include "core/capture/open.h"
#include "core/ir/text.h"
#include "tests/engine/service_runner.h"
#include "tests/support/captures.h"

#include <QtTest>

using namespace dynascope;
using nlohmann::json;

class TestEngineCoverage : public QObject {
    Q_OBJECT

private slots:
    void everyGraphOfTheCapturesRuns_data() {
        QTest::addColumn<QString>("path");
        for (const QString& log : test::traceLogs())
            QTest::newRow(qPrintable(log.section('/', -3))) << log;
        QVERIFY(test::traceLogs().size() > 15);
    }

    void everyGraphOfTheCapturesRuns() {
        QFETCH(QString, path);
        const auto session = capture::open(path.toStdString());
        QVERIFY2(session, session ? "" : session.error().toString().c_str());
        test::ServiceRunner engine;
        for (const session::Compile& compile : (*session)->compiles) {
            for (const session::StagePtr& stage : compile.stages) {
                if (stage->content != session::Stage::Content::Graph) continue;
                const auto graph = stage->graph();
                QVERIFY(graph);
                const std::string hash = engine.load(ir::printReadable(**graph).text);
                QVERIFY2(!hash.empty(), engine.lastError().c_str());
                const json reply = engine.call("coverage", {{"graph", hash}});
                QVERIFY2(reply.is_object(), engine.lastError().c_str());
                QCOMPARE(reply["unsupported"].dump(), std::string("[]"));
            }
        }
    }

    void obstaclesAreNamed_data() {
        QTest::addColumn<QString>("target");
        QTest::addColumn<QString>("obstacle");
        QTest::newRow("collective") << "torch.ops._c10d_functional.all_reduce.default"
                                    << "collective";
        QTest::newRow("hardware") << "torch.ops.higher_order.triton_kernel_wrapper_mutation"
                                  << "hardware";
        QTest::newRow("hook") << "torch.ops.profiler._record_function_enter_new.default"
                              << "hook";
        QTest::newRow("file") << "torch.ops.aten.from_file.default"
                              << "refused";
        QTest::newRow("torch-level file") << "torch.from_file"
                                          << "refused";
        QTest::newRow("load") << "torch.load"
                              << "refused";
        QTest::newRow("process") << "os.system"
                                 << "refused";
        QTest::newRow("eval") << "builtins.eval"
                              << "refused";
        QTest::newRow("unknown") << "torch.nn.functional.no_such_thing"
                                 << "unknown";
    }

    void obstaclesAreNamed() {
        QFETCH(QString, target);
        QFETCH(QString, obstacle);
        const std::string text =
            "graph():\n    %x : [num_users=1] = placeholder[target=x]\n    %y : [num_users=1] = "
            "call_function[target=" +
            target.toStdString() + "](args = (%x,), kwargs = {})\n    return (y,)\n";
        test::ServiceRunner engine;
        const json reply = engine.call("coverage", {{"graph", engine.load(text)}});
        QVERIFY2(reply.is_object() && reply["unsupported"].size() == 1, reply.dump().c_str());
        QCOMPARE(reply["unsupported"][0]["obstacle"].get<std::string>(), obstacle.toStdString());
        QCOMPARE(reply["unsupported"][0]["node"].get<std::string>(), std::string("y"));
    }
};

QTEST_GUILESS_MAIN(TestEngineCoverage)
#include "tst_engine_coverage.moc"
