// SPDX-License-Identifier: BSD-3-Clause
//
// dynascope-cli passes-of and fusions, and passes as stages, on the recording of tests/data/passes.
#include "tests/support/captures.h"
#include "tests/support/pass_recordings.h"
#include "tests/support/programs.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

using namespace dynascope;

namespace {

const QString folder = QStringLiteral(DYNASCOPE_TEST_DATA "/passes");

struct Run {
    int exitCode = -1;
    QByteArray out, err;
};

Run cli(const QStringList& arguments) {
    QProcess process;
    process.start(test::program("dynascope-cli"), arguments);
    process.closeWriteChannel();
    if (!process.waitForFinished(60000) || process.exitStatus() != QProcess::NormalExit) return {};
    return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
}

QJsonArray json(const QStringList& arguments) {
    const Run run = cli(arguments + QStringList{"--json"});
    return run.exitCode == 0 ? QJsonDocument::fromJson(run.out).array() : QJsonArray();
}

/// A file in a folder that is deleted with it.
class SmallRecording {
public:
    explicit SmallRecording(const test::SmallPasses& how)
        : m_path(m_folder.filePath("small.dpasses")) {
        QFile file(m_path);
        if (file.open(QIODevice::WriteOnly)) file.write(QByteArray::fromStdString(test::smallPasses(how)));
    }
    [[nodiscard]] const QString& path() const { return m_path; }

private:
    QTemporaryDir m_folder;
    QString m_path;
};

} // namespace

class TestCliPasses : public QObject {
    Q_OBJECT
private slots:
    void passesSayWhatTheyChanged() {
        const Run run = cli({"passes-of", folder});
        QVERIFY2(run.exitCode == 0, run.err);
        QVERIFY2(run.out.contains("pass_pattern_0") && run.out.contains("204 -> 169") &&
                     run.out.contains("+13 -48 ~4"),
                 run.out);
        QVERIFY(run.out.contains("changed nothing") && run.out.contains("did not run"));
        // What ran within a pass is in that pass's time, and not once more in that of those that changed nothing.
        QVERIFY2(run.out.contains("22 passes changed nothing  74.4 ms"),
                 run.out); // 77.2 ms with those within others
        const Run all = cli({"passes-of", folder, "--all", "--frame", "0/0"});
        QVERIFY(all.out.contains("did not run: config.") && !all.out.contains("0/1"));
    }

    void theirDocumentHasEveryPass() {
        const QJsonArray graphs = json({"passes-of", folder, "--frame", "0/0"});
        QStringList kinds;
        int changed = 0, matches = 0;
        for (const QJsonValue& graph : graphs) {
            QCOMPARE(graph["compile"].toString(), QStringLiteral("0/0"));
            kinds << graph["graph"].toString();
            for (const QJsonValue& pass : graph["passes"].toArray()) {
                QVERIFY(!pass["name"].toString().isEmpty());
                changed += pass["changed"].toBool() ? 1 : 0;
                matches += int(pass["matches"].toArray().size());
                if (pass["changed"].toBool())
                    QVERIFY2(pass["stage"].toString().contains(u'/'), qPrintable(pass["name"].toString()));
            }
        }
        for (const char* kind : {"dynamo", "joint", "forward", "backward"})
            QCOMPARE(kinds.count(QLatin1String(kind)), 1);
        QCOMPARE(QSet<QString>(kinds.begin(), kinds.end()).size(), kinds.size());
        QVERIFY(changed >= 8 && matches > 50);
    }

    void aPassIsAStage() {
        const Run printed = cli({"print", folder, "--stage", "joint/pass_pattern_0"});
        QVERIFY2(printed.exitCode == 0 && printed.out.contains("_scaled_dot_product_flash_attention_for_cpu"),
                 printed.err);
        const Run diffed = cli({"diff", folder, "--frame", "0/0", "--from", "joint/pattern_matcher", "--to",
                                "joint/pass_pattern_0"});
        QCOMPARE(diffed.exitCode, 1);
        QVERIFY(diffed.out.contains("_scaled_dot_product_flash_attention_for_cpu"));
        QCOMPARE(cli({"print", folder, "--stage", "joint/no_such_pass"}).exitCode, 2);
    }

    void aNodeHasItsHistory() {
        const Run run = cli({"passes-of", folder, "--frame", "0/0", "--node", "permute_default"});
        QVERIFY2(run.exitCode == 0 && run.out.contains("pattern_matcher") && run.out.contains("made"),
                 run.out);
        const Run none = cli({"passes-of", folder, "--node", "no_such_node"});
        QVERIFY(none.exitCode == 1 && none.out.contains("no pass met a node no_such_node"));
    }

    void fusionsAreCounted() {
        const QJsonArray graphs = json({"fusions", folder});
        QCOMPARE(graphs.size(), 3);
        for (const QJsonValue& graph : graphs) {
            QVERIFY(graph["questions"].toInt() > 0 &&
                    graph["fused"].toInt() == graph["fusions"].toArray().size());
            QSet<QString> operations;
            for (const QJsonValue& kernel : graph["kernels"].toArray()) {
                QVERIFY(!kernel["nodes"].toArray().isEmpty() && !kernel["origins"].toArray().isEmpty());
                for (const QJsonValue& node : kernel["nodes"].toArray()) {
                    QVERIFY2(!operations.contains(node.toString()), "an operation is in one kernel");
                    operations.insert(node.toString());
                }
            }
            for (const QJsonValue& refusal : graph["refusals"].toArray())
                QVERIFY(refusal["count"].toInt() > 0 && !refusal["reason"].toString().isEmpty());
        }
        const Run run = cli({"fusions", folder, "--frame", "0/0"});
        QVERIFY2(run.exitCode == 0 && run.out.contains("refused because") && run.out.contains("kernels"),
                 run.err);
    }

    void fallbacksAreRanked() {
        const Run run = cli({"fusions", folder, "--frame", "0/0", "--fallbacks"});
        QVERIFY2(run.exitCode == 0 && run.out.contains("block.py:") &&
                     run.out.contains("in the list of fallbacks"),
                 run.out);
        const QJsonArray all = json({"fusions", folder, "--frame", "0/0", "--fallbacks"});
        QCOMPARE(all.size(), 2);
        QVERIFY(all.at(0)["bytes_read"].toDouble() > all.at(1)["bytes_read"].toDouble());
        QVERIFY(all.at(0)["all_sizes_known"].toBool());
        SmallRecording small({});
        const Run none = cli({"fusions", small.path(), "--fallbacks"});
        QVERIFY2(none.exitCode == 0 && none.out.contains("code is generated for every node"), none.out);
    }

    void choicesThatWereTimed() {
        SmallRecording small({.tuned = true});
        const Run run = cli({"fusions", small.path()});
        QVERIFY2(run.out.contains("choices that were timed") &&
                     run.out.contains("0.5000 ms  template_0, the fastest") && run.out.contains("failed"),
                 run.out);
        const QJsonValue choices =
            json({"fusions", small.path()}).at(0)["autotuned"].toArray().at(0)["choices"];
        QCOMPARE(choices.toArray().size(), 3);
        QVERIFY(choices.toArray().at(2)["ms"].isNull());
    }

    void fusionsThatWereTimed() {
        SmallRecording slower({.timed = true, .fused = false});
        const Run run = cli({"fusions", slower.path()});
        QVERIFY2(run.out.contains("decided by timing") && run.out.contains("not fused  op0  with  op1") &&
                     run.out.contains("timed: fused 0.0210 ms, apart 0.0100 and 0.0040 ms"),
                 run.out);
        const Run why = cli({"fusions", slower.path(), "--why", "op0", "op1"});
        QVERIFY2(why.out.contains("not fused, timed: fused 0.0210 ms") &&
                     why.out.contains("to be fused: one kernel would have to be faster"),
                 why.out);
        const QJsonArray timed = json({"fusions", slower.path()}).at(0)["timed"].toArray();
        QCOMPARE(timed.size(), 2);
        QVERIFY(!timed.at(0)["fused"].toBool() && timed.at(0)["ms_fused"].toDouble() == 0.021);
        QVERIFY(timed.at(0)["ms_apart"].toArray().size() == 2 && timed.at(1)["ms_apart"].isNull());
        SmallRecording faster({.timed = true});
        QVERIFY(json({"fusions", faster.path()}).at(0)["timed"].toArray().at(0)["fused"].toBool());
    }

    void whyTwoWereNotFused() {
        const QJsonValue refusal = json({"fusions", folder}).at(0)["refusals"].toArray().at(0);
        const Run run = cli({"fusions", folder, "--why", refusal["a"].toString(), refusal["b"].toString()});
        QVERIFY2(run.exitCode == 0 && run.out.contains(refusal["reason"].toString().toUtf8()), run.out);
        QVERIFY(run.out.contains("they are in no kernel together") || run.out.contains("both are in"));
        const Run none = cli({"fusions", folder, "--why", "op9000", "op9001"});
        QVERIFY(none.exitCode == 1 && none.out.contains("asked nothing about"));
    }

    void twoRecordingsAreComparedPassByPass() {
        const SmallRecording a({}), b({.wrong = true, .fused = false});
        const Run run = cli({"compare", a.path(), b.path()});
        QVERIFY2(run.exitCode == 1, run.err);
        QVERIFY2(run.out.contains(
                     "passes: custom_pass, pass 2 of post_grad, forward: nothing in A, +1 -1 ~1 in B"),
                 run.out);
        QVERIFY2(
            run.out.contains("fusion 1 of A joined op0 with op1; B refused op0 with op1: no shared data"),
            run.out);
        const Run document = cli({"compare", a.path(), b.path(), "--json"});
        QCOMPARE(document.exitCode, 1);
        const QJsonValue passes = QJsonDocument::fromJson(document.out)["compiles"][0]["passes"];
        QCOMPARE(passes["verdict"].toString(), QStringLiteral("differs"));
        QStringList acting;
        for (const QJsonValue& pass : passes["phases"][0]["passes"].toArray())
            if (pass["acts_differently"].toBool()) acting << pass["name"].toString();
        QCOMPARE(acting, QStringList{"custom_pass"});
        QCOMPARE(passes["schedules"][0]["kernels"].toArray().size(), 3);
        const Run same = cli({"compare", folder, folder});
        QVERIFY2(same.exitCode == 0, same.out);
    }

    void aNodeIsTracedThroughPasses() {
        const Run run = cli({"trace-node", folder, "0:0/0:0:joint/pass_pattern_0:permute_default"});
        QVERIFY2(run.exitCode == 0, run.err);
        QVERIFY2(run.out.contains("joint/pass_pattern_0") && run.out.contains("selected") &&
                     run.out.contains("inductor_post_grad_graph") &&
                     run.out.contains("inductor/view_to_reshape"),
                 run.out);
        const Run line = cli({"trace-node", folder, "--line", "block.py:23", "--passes"});
        QVERIFY2(line.exitCode == 0 && line.out.contains("joint/remove_noop_ops"), line.err);
        const Run traced = cli({"trace-node", folder, "--line", "block.py:23"});
        QVERIFY(traced.exitCode == 0 && !traced.out.contains("joint/remove_noop_ops"));
        QCOMPARE(cli({"trace-node", folder, "0:0/0:0:joint/no_such_pass:add"}).exitCode, 2);
    }

    void aLineIsFollowedThroughEveryPass() {
        const SmallRecording recording({.wrong = true});
        const Run run = cli({"passes-of", recording.path(), "--line", "train.py:8"});
        QVERIFY2(run.exitCode == 0, run.err);
        QVERIFY2(run.out.contains("the graph at the beginning  1 node: add") &&
                     run.out.contains("made sub; removed add"),
                 run.out);
        const QJsonArray compiles = json({"passes-of", recording.path(), "--line", "train.py:7"});
        QCOMPARE(compiles[0]["steps"][0]["nodes"].toArray().size(), 2);
        QCOMPARE(compiles[0]["steps"][1]["removed"][0].toString(), QStringLiteral("alias"));
        const Run none = cli({"passes-of", recording.path(), "--line", "train.py:900"});
        QVERIFY(none.exitCode == 1 && none.out.contains("no node comes from train.py:900"));
        QCOMPARE(cli({"passes-of", recording.path(), "--line", "train.py"}).exitCode, 2);
    }

    void buffersHaveTheirLives() {
        const SmallRecording recording({.fused = false});
        const Run run = cli({"fusions", recording.path(), "--memory"});
        QVERIFY2(run.exitCode == 0, run.err);
        QVERIFY2(run.out.contains("2 buffers: 1 allocation, 1 reuse; at most 64 B live") &&
                     run.out.contains("in the memory of buf0"),
                 run.out);
        const QJsonValue memory = json({"fusions", recording.path()}).at(0)["memory"];
        QCOMPARE(memory["peak_bytes"].toInt(), 64);
        QCOMPARE(memory["estimate_of_pytorch"].toInt(), 256);
        const Run why = cli({"fusions", recording.path(), "--why", "op0", "op1"});
        QVERIFY2(why.out.contains("no shared data, 2 times") &&
                     why.out.contains("op1 reads buf0, which op0 writes") &&
                     why.out.contains("both read or write arg1_1 buf0"),
                 why.out);
    }

    void othersSayHowToMakeOne() {
        for (const char* command : {"passes-of", "fusions"}) {
            const Run run =
                cli({command, QStringLiteral(DYNASCOPE_SOURCE_DIR "/resources/samples/graph_breaks.log")});
            QVERIFY2(run.exitCode == 2 && run.err.contains("capture --passes") && run.err.count('\n') == 1,
                     run.err);
        }
    }
};

QTEST_GUILESS_MAIN(TestCliPasses)
#include "tst_cli_passes.moc"
