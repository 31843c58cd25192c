// SPDX-License-Identifier: BSD-3-Clause
//
// Every capture of tests/data/captures, against what was read from the logs by hand.
#include "core/capture/open.h"
#include "tests/support/captures.h"

#include <QDir>
#include <QFileInfo>
#include <QtTest>

using namespace dynascope;
using session::Status;

namespace {

session::SessionPtr openCapture(const QString& name) {
    const auto session = capture::open(test::capture(name).toStdString());
    return session ? *session : nullptr;
}

QStringList summary(const session::Compile& compile) {
    QStringList out;
    for (const session::StagePtr& stage : compile.stages)
        out.append(QString::fromStdString(stage->label()) + ' ' + QString::number(stage->nodeCount()));
    return out;
}

} // namespace

class TestCaptureCorpus : public QObject {
    Q_OBJECT

private slots:
    void everyLog_data() {
        QTest::addColumn<QString>("path");
        const QStringList logs = test::traceLogs();
        QVERIFY(logs.size() >= 25);
        for (const QString& path : logs)
            QTest::newRow(qPrintable(QFileInfo(path).dir().dirName() + ' ' + QFileInfo(path).fileName()))
                << path;
    }
    void everyLog() {
        QFETCH(QString, path);
        const auto opened = capture::open(path.toStdString());
        QVERIFY(opened);
        const session::Session& session = **opened;
        for (const session::Warning& warning : session.warnings)
            QFAIL(warning.error.toString().c_str());
        QCOMPARE(session.kind, session::Kind::TorchTrace);
        QVERIFY(session.torchVersion.starts_with("2.13.0"));
        for (const session::Record& record : session.records)
            QVERIFY2(record.known, record.type.c_str());
        std::size_t grouped = 0;
        for (const session::Frame& frame : session.frames)
            grouped += frame.compiles.size();
        QCOMPARE(grouped, session.compiles.size());
        for (const session::Compile& compile : session.compiles) {
            QVERIFY(compile.status != Status::Incomplete);
            for (const session::StagePtr& stage : compile.stages) {
                if (stage->content == session::Stage::Content::Code) continue;
                const auto graph = stage->graph();
                QVERIFY2(graph, graph ? "" : (stage->label() + ": " + graph.error().toString()).c_str());
                QVERIFY((*graph)->size() >= 2);
                QVERIFY((*graph)->missing().empty());
            }
            for (const session::TensorInput& input : compile.inputs)
                QVERIFY(!input.meta.dtype.empty() && input.meta.strides);
            for (const session::GraphBreak& item : compile.breaks)
                QVERIFY(!item.title.empty() && item.location() && item.location()->line > 0);
        }
        for (const session::TimingEvent& event : session.timings)
            QVERIFY(!event.open && event.durationUs >= 0 && event.startUs >= 0 && event.depth < 64);
    }

    void training() {
        const session::SessionPtr session = openCapture("trace_inductor/train");
        QVERIFY(session);
        QCOMPARE(session->compiles.size(), std::size_t(1));
        QCOMPARE(summary(session->compiles.front()),
                 QStringList({"dynamo_output_graph 54", "before_pre_grad_graph 54", "after_pre_grad_graph 54",
                              "aot_joint_graph 382", "aot_forward_graph 156", "aot_backward_graph 231",
                              "before_post_grad_graph 156", "inductor_post_grad_graph 156",
                              "inductor_output_code 0", "before_post_grad_graph#1 231",
                              "inductor_post_grad_graph#1 231", "inductor_output_code#1 0"}));
        QVERIFY(session->compiles.front().backwardSeconds > 7);
        QCOMPARE(session->compiles.front().inputs.size(), std::size_t(25));
        QVERIFY(session->compiles.front().guards.size() > 376);
    }

    void graphBreaks() {
        const session::SessionPtr session = openCapture("trace_inductor/graph_breaks");
        QVERIFY(session);
        QCOMPARE(session->compiles.size(), std::size_t(20));
        std::size_t breaks = 0, recompiles = 0;
        for (const session::Compile& compile : session->compiles) {
            breaks += compile.finalBreaks().size();
            recompiles += compile.isRecompile ? 1 : 0;
        }
        QCOMPARE(breaks, std::size_t(16));
        QCOMPARE(recompiles, std::size_t(10));
        QCOMPARE(session->frames.size(), std::size_t(2));
        QCOMPARE(session->frames[0].compiles.size(), std::size_t(16));
        const session::Compile* nested = session->find(0, "4/0");
        QVERIFY(nested && nested->status == Status::GraphBreak && nested->stages.empty());
        QCOMPARE(nested->breaks.front().userStack.size(), std::size_t(3));
        QCOMPARE(nested->breaks.front().location()->function, std::string("helper"));
        QCOMPARE(session->find(0, "0/1")->recompileReasons.front(),
                 std::string("0/0: tensor 'x' size mismatch at index 0. expected 8, actual 4"));
        QCOMPARE(session->find(0, "6/0")->status, Status::Compiled);
        QCOMPARE(session->recordCounts.at("artifact:dynamo_graph_break_reason"), std::size_t(16));
    }

    void failures() {
        const session::SessionPtr fail = openCapture("trace_inductor/fail");
        QCOMPARE(fail->compiles.front().status, Status::Failed);
        QCOMPARE(fail->compiles.front().failType, std::string("TorchRuntimeError"));
        QCOMPARE(fail->compiles.front().failAt.line, 62u);
        QVERIFY(fail->compiles.front().failReason.find("shape '[7]' is invalid") != std::string::npos);
        const session::SessionPtr cond = openCapture("trace_aot_eager/cond_side_effect");
        QCOMPARE(cond->compiles.front().failType, std::string("UncapturedHigherOrderOpError"));
    }

    void ranks() {
        const auto opened = capture::open((test::captures() + "/ranks_aot_eager/ddp").toStdString());
        QVERIFY(opened);
        const session::Session& session = **opened;
        QCOMPARE(session.ranks, (std::vector<int>{0, 1}));
        QCOMPARE(session.compiles.size(), std::size_t(8));
        for (int rank = 0; rank < 2; ++rank) {
            QCOMPARE(session.find(rank, "0/0")->status, Status::GraphBreak);
            QCOMPARE(session.find(rank, "3/0")->status, Status::Skipped);
        }
    }

    void aliasing() {
        const session::SessionPtr session = openCapture("trace_aot_eager/alias_overlap");
        const session::Compile& compile = session->compiles.front();
        const auto input = [&](const char* source) {
            for (const session::TensorInput& item : compile.inputs)
                if (item.source == source) return item;
            return session::TensorInput{};
        };
        QVERIFY(input("L['a']").isView);
        QCOMPARE(input("L['a']").storage, input("L['b']").storage);
        QCOMPARE(input("L['a']").base, input("L['b']").base);
        QCOMPARE(input("L['b']").storageOffset, std::string("4"));
        QVERIFY(input("L['c']").storage != input("L['a']").storage);
    }

    void savedTensorHooks() {
        const session::SessionPtr session = openCapture("trace_aot_eager/saved_hooks");
        std::size_t hooks = 0;
        for (const session::StagePtr& stage : session->compiles.front().stages)
            hooks += stage->phase == session::Phase::Hooks ? 1 : 0;
        QCOMPARE(hooks, std::size_t(10));
        QCOMPARE(session->compiles.front().findStage("aot_saved_tensors_hooks_unpack", 1)->detail,
                 std::string("detach_1"));
    }

    void graphFiles_data() {
        QTest::addColumn<QString>("path");
        QTest::addColumn<bool>("fx");
        const QDir folder(test::captures() + "/text");
        for (const QString& name : folder.entryList({"*.txt"}, QDir::Files))
            QTest::newRow(qPrintable(name)) << folder.filePath(name) << name.contains(".graph.");
    }
    void graphFiles() {
        QFETCH(QString, path);
        QFETCH(bool, fx);
        const auto opened = capture::open(path.toStdString());
        QVERIFY(opened);
        const session::Session& session = **opened;
        QCOMPARE(session.kind, fx ? session::Kind::FxText : session::Kind::ReadableText);
        QCOMPARE(session.compiles.size(), std::size_t(1));
        QCOMPARE(session.compiles.front().id.toString(), std::string("-"));
        QCOMPARE(session.compiles.front().stages.size(), std::size_t(1));
        QVERIFY(session.compiles.front().stages.front()->nodeCount() >= 6);
        QVERIFY(!session.compiles.front().stages.front()->payload.text().empty());
        QVERIFY(session.warnings.empty());
    }

    void logsOfTheConsole() {
        const auto opened = capture::open((test::captures() + "/torch_logs/graph_breaks.log").toStdString());
        QVERIFY(opened);
        QCOMPARE((*opened)->kind, session::Kind::TorchLogs);
        std::size_t stages = 0, breaks = 0;
        for (const session::Compile& compile : (*opened)->compiles) {
            stages += compile.stages.size();
            breaks += compile.breaks.size();
        }
        QVERIFY(stages > 20);
        QVERIFY(breaks > 5);
    }
};

QTEST_GUILESS_MAIN(TestCaptureCorpus)
#include "tst_capture_corpus.moc"
