// SPDX-License-Identifier: BSD-3-Clause
//
// Every graph of every capture that runs, replayed: bit for bit what an eager run gives.
#include "core/capture/open.h"
#include "core/engine/cases/graph_inputs.h"
#include "core/ir/text.h"
#include "core/replay/recording.h"
#include "tests/engine/service_runner.h"
#include "tests/support/captures.h"

#include <QtTest>
#include <set>

using namespace dynascope;
using nlohmann::json;

class TestEngineReplayCaptures : public QObject {
    Q_OBJECT

private slots:
    void everyGraphThatRunsReplays_data() {
        QTest::addColumn<QString>("path");
        const QByteArray folder = qgetenv("DYNASCOPE_CAPTURES"); // other captures, by hand
        QStringList logs = test::traceLogs();
        if (!folder.isEmpty()) {
            logs.clear();
            QDirIterator files(QString::fromLocal8Bit(folder),
                               {QStringLiteral("*.log"), QStringLiteral("*.pt2"), QStringLiteral("*.txt")},
                               QDir::Files, QDirIterator::Subdirectories);
            while (files.hasNext())
                logs << files.next();
        }
        for (const QString& log : logs)
            QTest::newRow(qPrintable(log.section('/', -3))) << log;
        QVERIFY(!logs.empty());
    }

    void everyGraphThatRunsReplays() {
        QFETCH(QString, path);
        const auto session = capture::open(path.toStdString());
        QVERIFY2(session, session ? "" : session.error().toString().c_str());
        std::set<std::string> seen;
        for (const session::Compile& compile : (*session)->compiles) {
            for (const session::StagePtr& stage : compile.stages) {
                if (stage->content != session::Stage::Content::Graph) continue;
                const auto graph = stage->graph();
                QVERIFY(graph);
                const std::string text = ir::printReadable(**graph).text;
                if (!seen.insert(text).second) continue;
                check(compile.id.toString() + ' ' + stage->label(), compile, **graph, text);
            }
        }
    }

    void cleanupTestCase() {
        qInfo("%d graphs replayed at planned addresses, %d of them with a node that allocates elsewhere; %d "
              "do not run",
              m_replayed, m_calling, m_notRun);
        qInfo("%zu nodes: %zu inputs, %zu prebuilt, %zu planned, %zu called, %zu eager",
              m_nodes[0] + m_nodes[1] + m_nodes[2] + m_nodes[3] + m_nodes[4], m_nodes[0], m_nodes[1],
              m_nodes[2], m_nodes[3], m_nodes[4]);
        QVERIFY(m_replayed > 0);
    }

private:
    void check(const std::string& place, const session::Compile& compile, const ir::Graph& graph,
               const std::string& text) {
        test::ServiceRunner engine;
        const std::string hash = engine.load(text);
        QVERIFY2(!hash.empty(), engine.lastError().c_str());
        const Result<json> inputs = engine::inputsOfCapture(compile, graph);
        json params{{"graph", hash}};
        if (inputs) params["inputs"] = *inputs;
        json quiet = params;
        quiet["data"] = false;
        if (!engine.call("execute", quiet).is_object()) {
            qInfo("%s does not run: %s", place.c_str(), engine.lastError().c_str());
            ++m_notRun;
            return;
        }
        const json recorded = engine.call("record", params);
        QVERIFY2(recorded.is_object(), (place + ": " + engine.lastError()).c_str());
        const auto recording = replay::recordingFromJson(recorded["recording"]);
        QVERIFY(recording);
        QVERIFY(recording->arenaBytes >= recording->peakBytes);
        if (recording->peakBytes > 1 << 16)
            QVERIFY2(double(recording->arenaBytes) <= 1.05 * double(recording->peakBytes), place.c_str());
        const json reply = engine.call(
            "replay", {{"plans", {recorded["plan"]}}, {"iterations", 3}, {"verify", 1}, {"eager", false}});
        QVERIFY2(reply.is_object(), (place + ": " + engine.lastError()).c_str());
        const auto run = replay::replayRunFromJson(reply["run"]);
        QVERIFY(run);
        QCOMPARE(run->verified, 3U);
        QVERIFY2(run->different == 0, (place + ": " + run->difference).c_str());
        for (const replay::Divergence& row : run->graphs[0].divergences)
            qInfo("%s: %s: %s", place.c_str(), recording->nodes[row.node].name.c_str(), row.why.c_str());
        ++m_replayed;
        m_calling += run->allocatorCalls > 0 ? 1 : 0;
        if (run->allocatorCalls > 0)
            qInfo("%s: %llu allocator calls", place.c_str(), (unsigned long long)run->allocatorCalls);
        for (const replay::RecordedNode& node : recording->nodes)
            ++m_nodes[static_cast<std::size_t>(node.mode)];
    }

    int m_replayed = 0, m_calling = 0, m_notRun = 0;
    std::size_t m_nodes[5] = {};
};

QTEST_GUILESS_MAIN(TestEngineReplayCaptures)
#include "tst_engine_replay_captures.moc"
