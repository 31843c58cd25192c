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
};

QTEST_GUILESS_MAIN(TestEngineCoverage)
#include "tst_engine_coverage.moc"
