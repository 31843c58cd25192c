// SPDX-License-Identifier: BSD-3-Clause
//
// dynascope-cli as a user runs it: output, exit codes, errors.
#include "core/session/byte_source.h"
#include "core/session/mapping_guard.h"
#include "tests/support/archive.h"
#include "tests/support/captures.h"
#include "tests/support/other_machine.h"
#include "tests/support/patience.h"
#include "tests/support/programs.h"
#include "tests/support/trace_text.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <csignal>
#include <sys/types.h>

using namespace dynascope;

namespace {

struct Run {
    int exitCode = -1;
    QByteArray out, err;
};

Run cli(const QStringList& arguments, const QByteArray& input = {}, const QString& log = {}) {
    QProcess process;
    if (!log.isNull()) {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("DYNASCOPE_LOG", log);
        process.setProcessEnvironment(environment);
    }
    process.start(test::program("dynascope-cli"), arguments);
    process.write(input);
    process.closeWriteChannel();
    if (!process.waitForFinished(60000) || process.exitStatus() != QProcess::NormalExit) return {};
    return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
}

const QString fxText =
    QStringLiteral("graph():\n"
                   "    %x : [num_users=2] = placeholder[target=x]\n"
                   "    %add : [num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%x, "
                   "1), kwargs = {})\n"
                   "    return (add, x)\n");

} // namespace

class TestCli : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;

    QString file(const QString& name, const QByteArray& content) {
        QFile out(m_folder.filePath(name));
        return out.open(QIODevice::WriteOnly) && out.write(content) == content.size() ? out.fileName()
                                                                                      : QString();
    }

private slots:
    void followSaysWhatComesIn() {
        const auto compile = [](int frame) {
            test::TraceText text;
            text.at(frame, 0).start("f" + std::to_string(frame));
            text.add("\"dynamo_output_graph\": {}", test::readableGraph()).metrics();
            return QByteArray::fromStdString(text.text());
        };
        const QString log = file("follow.log", compile(0));
        QProcess process;
        process.start(test::program("dynascope-cli"), {"info", "--follow", log});
        QByteArray out, err;
        const auto says = [&](const QByteArray& line) {
            return QTest::qWaitFor(
                [&] {
                    out += process.readAllStandardOutput();
                    err += process.readAllStandardError();
                    return out.contains(line) || err.contains(line);
                },
                30000);
        };
        QVERIFY2(says("done        0/0       compiled, 1 graph, 0.50 s\n"), out + err);
        QVERIFY2(out.startsWith("compile     0/0       f"), out);
        QFile file(log);
        QVERIFY(file.open(QFile::Append));
        const qsizetype half = compile(1).indexOf('\n') / 2; // of its first record
        file.write(compile(1).left(half));
        file.flush();
        QTest::qWait(1500); // several looks at the file
        out += process.readAllStandardOutput();
        QVERIFY2(!out.contains("1/0"), out);
        file.write(compile(1).mid(half));
        file.flush();
        QVERIFY2(says("done        1/0"), out + err);
        QCOMPARE(out.count("done "), 2); // nothing is said twice
        QVERIFY(file.resize(0) && file.seek(0));
        file.write(compile(7).left(compile(0).size() - 1));
        file.flush();
        QVERIFY2(says("follow.log was truncated: beginning again"), out + err);
        file.write(compile(7).mid(compile(0).size() - 1));
        file.flush();
        QVERIFY2(says("done        7/0"), out + err);
        QCOMPARE(::kill(pid_t(process.processId()), SIGINT), 0);
        QVERIFY(process.waitForFinished(test::patience));
        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        QCOMPARE(process.exitCode(), 0);

        QCOMPARE(cli({"info", "--follow", m_folder.filePath("no such.log")}).exitCode, 2);
        QCOMPARE(cli({"info", "--follow", "--json", log}).exitCode, 2);
        QCOMPARE(cli({"info", "--follow", "-"}).exitCode, 2);
    }

    /// A recorder of another version is not talked to in words that it may understand otherwise.
    void captureLetsAnotherProtocolGo() {
        const QString script = file("stranger.py", R"(import os, socket, sys
program = socket.socket(socket.AF_UNIX)
program.connect(os.environ["DYNASCOPE_LIVE"])
program.sendall(b'{"event": "hello", "protocol": 2}\n{"event": "stopped", "reason": "start"}\n')
sys.exit(9 if program.recv(1) == b"" else 8)
)");
        const Run run = cli(
            {"capture", "-o", m_folder.filePath("stranger"), "--break", "a.py:1", "--", "python3", script});
        QVERIFY2(run.err.contains("runs on without us: it speaks protocol 2 of live mode, not 1"),
                 run.err.constData());
        QCOMPARE(run.exitCode, 9);
    }

    void logSaysWhatHappens() {
        const QString path = file("logged.txt", fxText.toUtf8());
        const Run quiet = cli({"info", path}), logged = cli({"info", path}, {}, "capture, motor");
        QCOMPARE(quiet.exitCode, 0);
        QCOMPARE(quiet.err, QByteArray());
        QCOMPARE(logged.out, quiet.out);
        const QList<QByteArray> lines = logged.err.split('\n');
        QVERIFY2(lines.size() == 4 && lines[3].isEmpty(), logged.err);
        QCOMPARE(lines[0], QByteArray("DYNASCOPE_LOG: no topic is called 'motor'; there are all, answers, "
                                      "capture, compare, computed, dynamo, engine, find, inductor, "
                                      "journal, layout, profile, ranks, rederive, remote, replay, report, "
                                      "store, tasks"));
        static const QRegularExpression read(
            "^\\[ *\\d+\\.\\d{3}\\] capture: .*logged\\.txt: \\d+ bytes, read as "),
            opened("^\\[ *\\d+\\.\\d{3}\\] capture: opened .*logged\\.txt as .* 1 files, .* 0 warnings$");
        QVERIFY2(read.match(lines[1]).hasMatch() && opened.match(lines[2]).hasMatch(), logged.err);
    }

    void logSaysWhatTheEngineDoes() {
        if (!QFile::exists(test::program("dynascope-engine"))) QSKIP("built without the engine");
        const Run quiet = cli({"passes"}), logged = cli({"passes"}, {}, "engine");
        QCOMPARE(quiet.exitCode, 0);
        QCOMPARE(logged.out, quiet.out);
        for (const char* part : {"engine: starting ", "engine: initialize begins", ", ready after ",
                                 "engine: passes begins", "engine: passes ended after ", " is gone: "})
            QVERIFY2(logged.err.contains(part) && !quiet.err.contains(part), logged.err);
    }

    void doctorSaysWhatWorks() {
        const Run run = cli({"doctor", "--json", "--python", "/no/such/python"});
        QCOMPARE(run.exitCode, 1); // no interpreter, no recorder
        const QJsonObject document = QJsonDocument::fromJson(run.out).object();
        QMap<QString, QJsonObject> rows;
        for (const QJsonValue& row : document["findings"].toArray())
            rows[row["what"].toString()] = row.toObject();
        QCOMPARE(rows["Graphviz"]["state"].toString(), "works");
        QCOMPARE(rows["recorder"]["state"].toString(), "missing");
        QVERIFY2(rows["recorder"]["text"].toString().contains("/no/such/python"), run.out);
        const bool window = QFile::exists(test::program("dynascope")),
                   engine = QFile::exists(test::program("dynascope-engine"));
        QCOMPARE(rows["window"]["state"].toString(), window ? "works" : "missing");
        if (window) QVERIFY2(rows["window"]["text"].toString().contains("platform offscreen"), run.out);
        QCOMPARE(rows["engine"]["state"].toString(), engine ? "works" : "missing");
        QVERIFY(engine == rows.contains("sandbox"));
        if (engine && rows["CUDA"]["state"].toString() == "missing") {
            const Run gpu = cli({"doctor", "--gpu"});
            QCOMPARE(gpu.exitCode, 2);
            QVERIFY2(gpu.err.startsWith("dynascope-cli: the GPU was not tried: "), gpu.err);
            QVERIFY(!rows["CUDA"]["text"].toString().isEmpty());
        }
    }

    void doctorReadsWhatItWrote() {
        const Run run = cli({"doctor", "--read", DYNASCOPE_TEST_DATA "/gpu/doctor.tar.xz"});
        QCOMPARE(run.exitCode, 0);
        QVERIFY2(run.out.contains("NVIDIA H100 80GB HBM3"), run.out);
        QVERIFY2(run.out.contains("10 replays, re-recorded 1; 16 verified, 0 different"), run.out);
        QVERIFY2(QRegularExpression("small_chain .* 192 +192/192 +2/2 .* 20/20").match(run.out).hasMatch(),
                 run.out);
        // A result that differs fails, with where.
        const auto files = test::readArchive(DYNASCOPE_TEST_DATA "/gpu/doctor.tar.xz");
        QByteArray text = QByteArray::fromStdString(files.at(0).content);
        QVERIFY(text.contains("\"different\":0"));
        const Run failed = cli(
            {"doctor", "--read", file("failed.json", text.replace("\"different\":0", "\"different\":1"))});
        QCOMPARE(failed.exitCode, 1);
        QVERIFY2(failed.out.contains("failed: encoder: differs from the eager run"), failed.out);
        for (const QByteArray& wrong :
             {QByteArray("{}"), QByteArray("no JSON"), QByteArray("{\"dynascope_doctor\":2}")}) {
            const Run refused = cli({"doctor", "--read", file("wrong.json", wrong)});
            QCOMPARE(refused.exitCode, 2);
            QVERIFY2(refused.err.contains("is no document of 'doctor -o'"), refused.err);
        }
    }

    /// A session file answers every command as the capture that it was made of.
    void savesSessions() {
        const QString log = test::capture("trace_inductor/graph_breaks");
        const QString saved = m_folder.filePath("graph_breaks.dynascope");
        const Run save = cli({"save", log, "-o", saved});
        QCOMPARE(save.exitCode, 0);
        QVERIFY(save.out.isEmpty() && save.err.isEmpty());
        // But for the commands that name the file.
        QCOMPARE(cli({"info", saved}).out.replace(saved.toUtf8(), log.toUtf8()), cli({"info", log}).out);
        QCOMPARE(cli({"print", saved}).out, cli({"print", log}).out);
        QFile file(saved);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray bytes = file.readAll();
        QCOMPARE(cli({"info", "-"}, bytes).exitCode, 0);

        const Run nowhere = cli({"save", log, "-o", m_folder.filePath("none/x.dynascope")});
        QCOMPARE(nowhere.exitCode, 2);
        QVERIFY(nowhere.err.contains("cannot be written: No such file or directory"));
        const QString broken = this->file("broken.dynascope", bytes.left(bytes.size() / 2));
        const Run damaged = cli({"info", broken});
        QCOMPARE(damaged.exitCode, 2);
        QCOMPARE(damaged.err.count('\n'), 1);
        QVERIFY2(damaged.err.contains("broken.dynascope: session file is damaged"), damaged.err);
    }

    void tellsWhatWouldBeCudaGraphs() {
        const QString log = test::capture("trace_aot_eager/relu_input_mutation");
        const Run text = cli({"cudagraphs", log});
        QCOMPARE(text.exitCode, 0);
        QVERIFY2(text.out.startsWith("0/0 inference: skipped; on a GPU: skipped   f  aot_inference_graph"),
                 text.out);
        QVERIFY2(text.out.contains("    on a GPU: skipping cudagraphs due to mutated inputs (1 instances)\n"),
                 text.out);
        QVERIFY2(text.out.contains("arg0_1 by copy_  aten.copy_.default  cap.py:64"), text.out);
        QVERIFY2(text.out.contains("1 compiled graph: 1 skipped; on a GPU: 1 skipped\n"), text.out);
        QVERIFY2(
            text.out.contains("\njudged as torch.compile(mode=\"reduce-overhead\") of PyTorch 2.13 does"),
            text.out);
        const Run json = cli({"cudagraphs", log, "--json", "--backend", "cudagraphs"});
        const QJsonObject document = QJsonDocument::fromJson(json.out).object();
        QCOMPARE(document["backend"].toString(), QString("cudagraphs"));
        QCOMPARE(document["verdicts"]["skipped"].toInt(), 1);
        const QJsonObject graph = document["graphs"][0].toObject();
        QCOMPARE(graph["problems"][0]["places"][0]["at"]["line"].toInt(), 64);
        QCOMPARE(graph["problems"][0]["prevents"].toBool(), true);
        QCOMPARE(cli({"cudagraphs", log, "--backend", "other"}).exitCode, 2);
        QCOMPARE(cli({"cudagraphs", m_folder.filePath("none")}).exitCode, 2);
        const Run folder = cli({"memory", m_folder.path()});
        QCOMPARE(folder.exitCode, 2);
        QVERIFY2(folder.err.contains("no memory snapshot is in this folder"), folder.err);
    }

    /// pickle.dumps({"segments": [], "device_traces": [[]], "allocator_settings": {}}, 4), of two ranks.
    void memoryOfAFolderIsThatOfEachSnapshot() {
        const QByteArray snapshot = QByteArray::fromHex("8004953e000000000000007d94288c087365676d656e7473945d"
                                                        "948c0d6465766963655f747261636573945d945d94618c12616c"
                                                        "6c6f6361746f725f73657474696e6773947d94752e");
        const QTemporaryDir run;
        for (const char* name : {"memory_snapshot_rank_0_7_a.pickle", "memory_snapshot_rank_1_8_b.pickle"}) {
            QFile file(run.filePath(name));
            QVERIFY(file.open(QIODevice::WriteOnly));
            QCOMPARE(file.write(snapshot), qint64(snapshot.size()));
        }
        const Run text = cli({"memory", run.path()});
        QCOMPARE(text.exitCode, 0);
        QVERIFY2(text.out.contains("memory, memory_snapshot_rank_1_8_b.pickle\nno segment and no event\n"),
                 text.out);
        const QJsonArray found = QJsonDocument::fromJson(cli({"memory", run.path(), "--json"}).out)
                                     .object()["snapshots"]
                                     .toArray();
        QCOMPARE(found.size(), 2);
        QCOMPARE(found[1].toObject()["rank"].toInt(), 1);
        QCOMPARE(found[1].toObject()["file"].toString(), QStringLiteral("memory_snapshot_rank_1_8_b.pickle"));
    }

    void budgetsFailAJob() {
        const QString broken = test::capture("trace_inductor/graph_breaks"),
                      whole = test::capture("trace_inductor/encoder");
        const QTemporaryDir folder;
        const QString sarif = folder.filePath("a.sarif"), junit = folder.filePath("a.xml"),
                      md = folder.filePath("a.md");
        const QStringList outputs{"-o", md, "--sarif", sarif, "--junit", junit, "--max-graph-breaks", "0"};
        const Run held = cli(QStringList{"report", whole} + outputs);
        QVERIFY2(held.exitCode == 0 && held.err.isEmpty(), held.err);
        const Run failed = cli(QStringList{"report", broken} + outputs); // the program has gained breaks
        QCOMPARE(failed.exitCode, 1);
        QVERIFY2(failed.err.count('\n') == 1 && failed.err.contains("--max-graph-breaks: ") &&
                     failed.err.contains("the limit is 0; first: "),
                 failed.err);
        for (const QString& file : {sarif, junit, md}) {
            QFile written(file);
            QVERIFY(written.open(QIODevice::ReadOnly));
            QVERIFY(written.readAll().contains("graph-breaks"));
        }
        const QString config = folder.filePath("dynascope.toml");
        QFile file(config);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("[budgets]\nmax-graph-breaks = 0\n");
        file.close();
        QCOMPARE(cli({"report", broken, "--config", config}).exitCode, 1);
        QCOMPARE(cli({"report", broken, "--config", config, "--max-graph-breaks", "1000"}).exitCode, 0);
        QVERIFY(cli({"report", broken}).out.startsWith("# "));
        QCOMPARE(cli({"report", broken, "--max-recompiles", "many"}).exitCode, 2);
        QCOMPARE(cli({"report", broken, "--baseline", "/no/such"}).exitCode, 2);
        QCOMPARE(cli({"report", broken, "--config", "/no/such"}).exitCode, 2);
        QCOMPARE(cli({"report", whole, "--max-nodes-growth", "0", "--baseline", whole}).exitCode, 0);
        QCOMPARE(cli({"report", whole, "--max-nodes-growth", "0", "--baseline", broken}).exitCode, 1);
    }

    void reportsAreOneFile() {
        const QString broken = test::capture("trace_inductor/graph_breaks");
        const QTemporaryDir folder;
        const auto written = [&](const QStringList& arguments, int status) {
            const Run run = cli(QStringList{"report", broken} + arguments);
            if (run.exitCode != status) qWarning("%d: %s", run.exitCode, run.err.constData());
            QFile file(arguments.last());
            return run.exitCode == status && file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
        };
        // By the name of the file, or as asked for; the budgets stand in it, and the status is theirs.
        const QByteArray named = written({"-o", folder.filePath("a.html")}, 0);
        QVERIFY(named.startsWith("<!DOCTYPE html>") && named.size() < 5'000'000);
        QCOMPARE(written({"--format", "html", "-o", folder.filePath("b.txt")}, 0), named);
        QCOMPARE(cli({"report", broken, "--format", "html"}).out, named);
        QVERIFY(written({"-o", folder.filePath("a.txt")}, 0).startsWith("# "));
        QVERIFY(written({"--format", "md", "-o", folder.filePath("c.html")}, 0).startsWith("# "));
        const QByteArray held = written({"--max-graph-breaks", "1", "-o", folder.filePath("d.html")}, 1);
        QVERIFY(held.contains("exceeded</span>") && !named.contains("exceeded</span>"));
        QCOMPARE(cli({"report", broken, "--format", "pdf"}).exitCode, 2);
        QCOMPARE(cli({"report", broken, "-o", folder.filePath("none/a.html")}).exitCode, 2);
    }

    void digestsTakeTheirLogsPlace() {
        const QString data = QStringLiteral(DYNASCOPE_TEST_DATA "/ranks/");
        const QTemporaryDir digests;
        const Run made = cli({"digest", data + "diverge", "-o", digests.path()});
        QVERIFY2(made.exitCode == 0 && made.out.count('\n') == 4, made.err);
        QVERIFY(QFile::exists(digests.filePath("dedicated_log_torch_trace_rank_3_x.log.zst")));
        // Of the same ranks the same, but for the host that a digest names.
        const auto ofRanks = [](const QString& path) {
            QByteArrayList lines = cli({"ranks", path}).out.split('\n');
            const auto clock = std::ranges::find_if(lines, [](const QByteArray& line) {
                return line.startsWith("  The clock is the system clock");
            });
            const QByteArray said = clock == lines.end() ? QByteArray() : lines.takeAt(clock - lines.begin());
            return std::pair(lines, said);
        };
        const auto [fromDigests, digestClock] = ofRanks(digests.path());
        const auto [fromLogs, logClock] = ofRanks(data + "diverge");
        QCOMPARE(fromDigests, fromLogs);
        QVERIFY2(digestClock.contains("All digests were made on host "), digestClock);
        QVERIFY2(logClock.contains("logs do not name their host"), logClock);
        const QString log = data + "moe/dedicated_log_torch_trace_rank_1_x.log",
                      one = digests.filePath("rank_1.log.zst");
        QCOMPARE(cli({"digest", log, "-o", one}).exitCode, 0);
        QVERIFY(cli({"info", one}).out.contains("a digest: nothing was left out"));
        const Run again = cli({"digest", one, "-o", digests.filePath("again.log.zst")});
        QVERIFY2(again.exitCode == 2 && again.err.contains("is a digest already"), again.err);
        QVERIFY(!QFile::exists(digests.filePath("again.log.zst")));
        QCOMPARE(cli({"digest", one, "-o", one}).exitCode, 2);
        QCOMPARE(cli({"digest", digests.path(), "-o", digests.path()}).exitCode, 2);
        QCOMPARE(cli({"digest", data + "flight_moe", "-o", digests.path()}).exitCode, 2);
        QCOMPARE(cli({"digest", "/no/such/log", "-o", digests.path()}).exitCode, 2);
    }

    void ranksSayWhoCameLast() {
        const Run run = cli({"ranks", QStringLiteral(DYNASCOPE_TEST_DATA "/ranks/late")});
        QCOMPARE(run.exitCode, 0);
        QVERIFY2(run.out.contains("Measured, by profiles of ranks 0 and 1; in a step, the median") &&
                     run.out.contains("  0/0 in all_reduce, late.py:19: rank 0 2") &&
                     run.out.contains("; rank 1 came last: it is in it the shortest\n"),
                 run.out);
        const QJsonObject measured =
            QJsonDocument::fromJson(
                cli({"ranks", QStringLiteral(DYNASCOPE_TEST_DATA "/ranks/late"), "--json"}).out)
                .object()["measured"]
                .toObject();
        QCOMPARE(measured["ranks"].toArray(), (QJsonArray{0, 1}));
        QCOMPARE(measured["collectives"].toArray()[0].toObject()["node"].toString(),
                 QStringLiteral("all_reduce"));
    }

    void capturesOfAnotherMachine() {
        const test::OtherMachine machine;
        QVERIFY(machine.isReady());
        const QString path = test::capture("trace_inductor/encoder");
        const Run far = cli({"info", test::OtherMachine::address(path)}), near = cli({"info", path});
        QCOMPARE(far.err, QByteArray());
        QCOMPARE(far.exitCode, 0);
        QCOMPARE(QByteArray(far.out).replace("ssh://there", ""), near.out);
        const Run none = cli({"info", "ssh://nowhere/x.log"});
        QCOMPARE(none.exitCode, 2);
        QCOMPARE(none.err,
                 QByteArray("dynascope-cli: ssh://nowhere/x.log: ssh ended by exit status 255: ssh: no "
                            "host nowhere\n"));
        const Run served = cli({"serve"}, "hello\r\n\r\n");
        QCOMPARE(served.exitCode, 1); // bytes that are no frame
    }

    void ranksSayWhatHurtsMost() {
        const QString data = QStringLiteral(DYNASCOPE_TEST_DATA "/ranks/");
        const Run diverge = cli({"ranks", data + "diverge", "--json"});
        QCOMPARE(diverge.exitCode, 1);
        const QJsonObject found = QJsonDocument::fromJson(diverge.out).object();
        QCOMPARE(found["verdict"].toString(), QStringLiteral("will hang"));
        QCOMPARE(found["ranks"].toArray().size(), 4);
        const QJsonObject reason = found["reasons"].toArray()[0].toObject();
        QCOMPARE(reason["ranks"].toArray(), QJsonArray{3});
        QCOMPARE(reason["line"].toInt(), 39);
        QCOMPARE(found["groups"].toObject()["collectives"].toArray().size(), 2);
        const QJsonObject times = found["compile_times"].toObject();
        QCOMPARE(times["zero"].toString(), QStringLiteral("2026-11-22 09:03:18.415 UTC"));
        QCOMPARE(times["last_to_end"].toInt(), 2);
        QCOMPARE(times["us"].toDouble(), 1672985.0);
        QCOMPARE(times["ranks"].toArray()[2].toObject()["compiles"].toArray().size(), 3);
        QVERIFY(!found.contains("estimate"));
        const Run moe = cli({"ranks", data + "moe", "--flight", data + "flight_moe", "--json"});
        QCOMPARE(moe.exitCode, 0);
        QCOMPARE(QJsonDocument::fromJson(moe.out).object()["verdict"].toString(), QStringLiteral("alike"));
        const Run text = cli({"ranks", data + "diverge"});
        QVERIFY(text.out.startsWith("Will hang: rank 3 calls "));
        QVERIFY2(
            text.out.contains(
                "Compile time of all ranks on one clock, 0 is 2026-11-22 09:03:18.415 UTC:\n") &&
                text.out.contains("  rank 2  from 0.45 s  1.19 s in 3 compiles  ready last, at 1.67 s\n"),
            text.out);
        const Run scaled = cli({"ranks", data + "moe", "--estimate", "4"});
        QVERIFY2(scaled.out.contains("Estimated for 4 in place of 2 ranks; nothing was run.") &&
                     scaled.out.contains(
                         "In all a rank sends at least, each time it runs: 832 B -> 864 B or 1.6 KiB"),
                 scaled.out);
        const QJsonObject estimate =
            QJsonDocument::fromJson(cli({"ranks", data + "moe", "--estimate", "4", "--json"}).out)
                .object()["estimate"]
                .toObject();
        QCOMPARE(estimate["is"].toString(), QStringLiteral("an estimate"));
        const QJsonObject sent = estimate["compiles"].toArray()[0].toObject()["sent_bytes"].toObject();
        QCOMPARE(sent["now"].toDouble(), 832.0);
        QCOMPARE(sent["whole_stays"].toDouble(), 864.0);
        QCOMPARE(sent["part_stays"].toDouble(), 1632.0);
        QCOMPARE(cli({"ranks", data + "moe", "--estimate", "0"}).exitCode, 2);
        QCOMPARE(cli({"ranks", data + "diverge/dedicated_log_torch_trace_rank_0_x.log"}).exitCode, 2);
        QCOMPARE(cli({"ranks", data + "moe", "--flight", data + "moe"}).exitCode, 2);
    }

    void comparesCaptures() {
        const QString a = test::capture("trace_inductor/graph_breaks");
        const Run same = cli({"compare", a, a});
        QCOMPARE(same.exitCode, 0);
        QVERIFY2(same.out.contains("20 compiles the same, 0 different, 0 only in A, 0 only in B"), same.out);
        const Run json = cli({"compare", a, test::capture("trace_inductor/train"), "--json"});
        QCOMPARE(json.exitCode, 1);
        const QJsonObject root = QJsonDocument::fromJson(json.out).object();
        QCOMPARE(root["verdict"].toString(), QStringLiteral("differs"));
        const QJsonArray compiles = root["compiles"].toArray();
        QCOMPARE(compiles.size(), root["same"].toInt() + root["differ"].toInt() + root["only_a"].toInt() +
                                      root["only_b"].toInt());
        QVERIFY(!compiles[0].toObject()["difference"].toString().isEmpty());

        // As `ranks` has it: a guard alone, on a batch of another size, makes no rank differ.
        const Run alike = cli({"compare", test::captures() + "/ranks_aot_eager/ddp"});
        QCOMPARE(alike.exitCode, 0);
        QVERIFY2(alike.out.contains("Both ranks compiled the same: 4 compile ids"), alike.out);
        const QString diverge = QStringLiteral(DYNASCOPE_TEST_DATA "/ranks/diverge");
        const Run ranks = cli({"compare", diverge, "--json"});
        QCOMPARE(ranks.exitCode, 1);
        const QJsonObject found = QJsonDocument::fromJson(ranks.out).object();
        QCOMPARE(found["first"].toString(), QStringLiteral("0/0"));
        QCOMPARE(found["ranks"].toArray().size(), 4);
        const Run text = cli({"compare", diverge});
        QVERIFY2(text.out.contains("first difference: 0/0, rank 1: dynamo_output_graph"), text.out);
        QVERIFY2(text.out.contains("rank 3 calls all_gather_into_tensor"), text.out); // the reason of `ranks`
        const Run pair = cli({"compare", a, "--from", "1/0", "--to", "1/1", "--json"});
        QCOMPARE(pair.exitCode, 1);
        const QJsonObject two = QJsonDocument::fromJson(pair.out).object();
        QCOMPARE(two["compiles"].toArray().size(), 1);
        QVERIFY(two["explanation"]["summary"].toString().startsWith("1/0 in A, 1/1 in B ("));
        QCOMPARE(cli({"compare", a, a, "--from", "1/0"}).exitCode, 0);
        QVERIFY(cli({"compare", a, "--from", "9/9"}).err.contains("has no compile 9/9"));
        QCOMPARE(cli({"compare", a, "--to", "1/0"}).exitCode, 2);
        const Run one = cli({"compare", a});
        QCOMPARE(one.exitCode, 2);
        QVERIFY(one.err.contains("has one rank"));
    }

    void infoJson() {
        const Run run = cli({"info", test::capture("trace_inductor/graph_breaks"), "--json"});
        QCOMPARE(run.exitCode, 0);
        QVERIFY(run.err.isEmpty());
        const QJsonObject root = QJsonDocument::fromJson(run.out).object();
        QCOMPARE(root["kind"].toString(), QStringLiteral("TORCH_TRACE"));
        QCOMPARE(root["records"]["artifact:dynamo_graph_break_reason"].toInt(), 16);
        QCOMPARE(root["records"]["dynamo_start"].toInt(), 20);
        QVERIFY(root["warnings"].toArray().isEmpty());
        const QJsonArray compiles = root["compiles"].toArray();
        QCOMPARE(compiles.size(), 20);
        const QJsonObject first = compiles[0].toObject();
        QCOMPARE(first["compile_id"].toString(), QStringLiteral("0/0"));
        QCOMPARE(first["rank"].toInt(), 0);
        QCOMPARE(first["status"].toString(), QStringLiteral("break"));
        QCOMPARE(first["attempts"].toInt(), 2);
        QVERIFY(first["recompile_reason"].isNull());
        const QJsonObject stage = first["stages"].toArray()[0].toObject();
        QCOMPARE(stage["name"].toString(), QStringLiteral("dynamo_output_graph"));
        QCOMPARE(stage["k"].toInt(), 0);
        QCOMPARE(stage["nodes"].toInt(), 4);
        const QJsonArray breaks = first["graph_breaks"].toArray();
        QCOMPARE(breaks.size(), 1);
        QVERIFY(breaks[0]["reason"].toString().startsWith("Failed to trace builtin operator"));
        QCOMPARE(breaks[0]["stack"].toArray().last().toObject()["line"].toInt(), 30);
        const QJsonObject recompile = compiles[10].toObject();
        QCOMPARE(recompile["recompile_reason"].toString(),
                 QStringLiteral("0/0: tensor 'x' size mismatch at index 0. expected 8, actual 4"));
        QCOMPARE(recompile["symbols"].toArray()[0].toObject()["symbol"].toString(), QStringLiteral("s77"));
        QCOMPARE(root["frames"].toArray().size(), 2);
    }

    void infoForPeople() {
        const Run run = cli({"info", test::capture("trace_inductor/graph_breaks")});
        QCOMPARE(run.exitCode, 0);
        QVERIFY(run.out.contains("10 frames, 20 compile ids, 10 recompiles, 16.00 s compile time"));
        QVERIFY(run.out.contains("16 graph breaks, 7 distinct reasons"));
        QVERIFY(run.out.contains("  4  Call to torch._dynamo.graph_break()"));
        QVERIFY(run.out.contains("break :30  f               cap.py:28  1.13 s   4 nodes  2 attempts  "
                                 "Builtin print cannot be traced\n"));
        for (const QByteArray& line : run.out.split('\n'))
            QVERIFY2(line.size() < 160 && !line.endsWith(' '), line.constData());
    }

    void infoListsWarningsAndUnknownRecords() {
        test::TraceText text;
        text.start().add("\"brand_new\": {}").metrics().raw("noise\n");
        const Run run = cli({"info", file("odd.log", QByteArray::fromStdString(text.text()))});
        QCOMPARE(run.exitCode, 0);
        QVERIFY(run.out.contains("1 warning\n"));
        QVERIFY(run.out.contains("odd.log:4: line is no record of a trace"));
        QVERIFY(run.out.contains("brand_new"));
    }

    void infoOfGraphTextFromStandardInput() {
        const Run run = cli({"info", "-", "--json"}, fxText.toUtf8());
        QCOMPARE(run.exitCode, 0);
        const QJsonObject root = QJsonDocument::fromJson(run.out).object();
        QCOMPARE(root["kind"].toString(), QStringLiteral("FX text"));
        QCOMPARE(root["compiles"][0]["compile_id"].toString(), QStringLiteral("-"));
        QCOMPARE(root["compiles"][0]["stages"][0]["nodes"].toInt(), 3);
    }

    void printFormats() {
        const QString path = file("a.txt", fxText.toUtf8());
        const Run fx = cli({"print", path, "--format", "fx"});
        QCOMPARE(fx.exitCode, 0);
        QCOMPARE(QString::fromUtf8(fx.out), fxText);
        QVERIFY(cli({"print", path}).out.contains("add = torch.ops.aten.add.Tensor(x, 1)"));
        QVERIFY(cli({"print", path, "--format", "dot"}).out.startsWith("digraph"));
        const QJsonObject root =
            QJsonDocument::fromJson(cli({"print", path, "--format", "json"}).out).object();
        QCOMPARE(root["nodes"].toArray().size(), 3);
    }

    void printStages() {
        const QString path = test::capture("trace_inductor/train");
        const Run backward =
            cli({"print", path, "--frame", "0/0", "--stage", "before_post_grad_graph#1", "--format", "fx"});
        QCOMPARE(backward.exitCode, 0);
        QCOMPARE(backward.out.count(" = placeholder["), 38);
        const Run code = cli({"print", path, "--stage", "inductor_output_code"});
        QCOMPARE(code.exitCode, 0);
        QVERIFY(code.out.contains("async_compile"));
        const Run asFx = cli({"print", path, "--stage", "inductor_output_code", "--format", "fx"});
        QCOMPARE(asFx.exitCode, 2);
    }

    /// Which inputs are written is in AOTAutograd's metadata; where a log has none, the commands say who
    /// knows.
    /// Attempts of one compile have stages of one name.
    void stagesOfSeveralAttempts() {
        test::TraceText text;
        for (const int attempt : {0, 1})
            text.at(0, 0, attempt)
                .start()
                .add("\"dynamo_output_graph\": {}", test::readableGraph(2 + attempt));
        const QString path = file("attempts.log", QByteArray::fromStdString(text.metrics().text()));
        const QByteArray info = cli({"info", path}).out;
        QVERIFY2(info.contains("dynamo_output_graph, attempt 0  "), info);
        QVERIFY2(info.contains("dynamo_output_graph, attempt 1  "), info);
        QVERIFY(!cli({"info", DYNASCOPE_SOURCE_DIR "/resources/samples/view_mutation.log"})
                     .out.contains(", attempt "));
    }

    void saysWhereWritesAreDerived() {
        QFile log(DYNASCOPE_SOURCE_DIR "/resources/samples/view_mutation.log");
        QVERIFY(log.open(QIODevice::ReadOnly));
        const QByteArray text = log.readAll();
        const QString with = file("with.log", text);
        const QString without =
            file("without.log", QByteArray(text).replace("aot_forward_graph_fw_metadata", "other_artifact"));
        QVERIFY(!cli({"info", with}).out.contains("AOTAutograd metadata"));
        QVERIFY(cli({"info", without})
                    .out.contains(
                        "\nNo AOTAutograd metadata of 1 compile id: `dynascope-cli rederive` derives whose "
                        "inputs are written, data or metadata\n"));
        const QStringList traced{"--stage", "aot_inference_graph"};
        const Run silent = cli(QStringList{"print", with} + traced);
        QCOMPARE(silent.err, QByteArray());
        const Run told = cli(QStringList{"print", without} + traced);
        QCOMPARE(told.exitCode, 0);
        QCOMPARE(told.out, silent.out);
        QVERIFY2(told.err.contains("rederive derives which inputs are written"), told.err.constData());
        QCOMPARE(cli({"print", without, "--stage", "dynamo_output_graph"}).err, QByteArray());
    }

    void diffExitCodes() {
        const QString a = file("a.txt", fxText.toUtf8());
        const QString b = file("b.txt", QString(fxText).replace("(%x, 1)", "(%x, 2)").toUtf8());
        const Run same = cli({"diff", a, a});
        QCOMPARE(same.exitCode, 0);
        const Run different = cli({"diff", a, b});
        QCOMPARE(different.exitCode, 1);
        QVERIFY(different.err.isEmpty() && !different.out.isEmpty());
        const Run json = cli({"diff", a, b, "--json"});
        QCOMPARE(json.exitCode, 1);
        QVERIFY(QJsonDocument::fromJson(json.out).object().contains("summary"));
        const Run stages = cli({"diff", test::capture("trace_inductor/view_mutation"), "--frame", "0/0",
                                "--from", "dynamo_output_graph", "--to", "aot_inference_graph"});
        QCOMPARE(stages.exitCode, 1);
        QCOMPARE(cli({"diff", a}).exitCode, 2);
    }

    void layoutChild() {
        const QString path = file("a.txt", fxText.toUtf8());
        const Run people = cli({"layout", path});
        QCOMPARE(people.exitCode, 0);
        QVERIFY(people.out.contains("3 nodes, 3 edges"));
        const Run json = cli({"layout", path, "--json", "--engine", "layered"});
        QCOMPARE(json.exitCode, 0);
        QCOMPARE(QJsonDocument::fromJson(json.out).object()["engine"].toString(), QStringLiteral("layered"));
        const Run bad = cli({"layout"}, "{\"boxes\": 3}");
        QCOMPARE(bad.exitCode, 2);
        QCOMPARE(bad.err.count('\n'), 1);
        const Run child = cli({"layout"}, R"({"boxes": [], "edges": [], "clusters": []})");
        QCOMPARE(child.exitCode, 0);
        QVERIFY(QJsonDocument::fromJson(child.out).object()["boxes"].toArray().isEmpty());
    }

    void layoutKeepsItsBudget() {
        // dot needs tens of seconds for this graph.
        const Run run =
            cli({"layout", test::capture("trace_aot_eager/resnet"), "--json", "--budget-ms", "1"});
        QCOMPARE(run.exitCode, 0);
        QCOMPARE(QJsonDocument::fromJson(run.out).object()["engine"].toString(), QStringLiteral("layered"));
    }

    void errors_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("cause");
        const QString good = file("good.txt", fxText.toUtf8());
        const QString prose = file("prose.txt", "Dear reader,\n");
        const QString empty = file("empty.log", "");
        QTest::newRow("no such file")
            << QStringList{"info", "/none/x.log"} << QByteArray("/none/x.log: cannot be read: No such file");
        QTest::newRow("prose") << QStringList{"info", prose}
                               << QByteArray("prose.txt: neither a TORCH_TRACE log nor graph text");
        QTest::newRow("empty") << QStringList{"print", empty} << QByteArray("empty.log: file is empty");
        QTest::newRow("stage") << QStringList{"print", good, "--stage", "none"}
                               << QByteArray("no stage 'none'");
        QTest::newRow("frame") << QStringList{"print", good, "--frame", "7/7"}
                               << QByteArray("no compile id '7/7'");
        QTest::newRow("format") << QStringList{"print", good, "--format", "xml"} << QByteArray("--format");
        QTest::newRow("no command") << QStringList{} << QByteArray("subcommand");
        QTest::newRow("unknown command") << QStringList{"frobnicate"} << QByteArray("frobnicate");
        QTest::newRow("diff of one") << QStringList{"diff", good, "--from", "a"}
                                     << QByteArray("--from and --to");
        QTest::newRow("engine") << QStringList{"layout", good, "--engine", "neato"} << QByteArray("--engine");
    }
    void errors() {
        QFETCH(QStringList, arguments);
        QFETCH(QByteArray, cause);
        const Run run = cli(arguments);
        QCOMPARE(run.exitCode, 2);
        QVERIFY(run.out.isEmpty());
        QVERIFY2(run.err.contains(cause), run.err.constData());
        QCOMPARE(run.err.count('\n'), 1);
        QVERIFY(run.err.startsWith("dynascope-cli: "));
    }

    void badGraphNamesTheLineOfTheLog() {
        test::TraceText text;
        std::string graph = test::readableGraph(2);
        graph.replace(graph.find("add_1: "), 7, "add_1: )");
        text.start().add("\"dynamo_output_graph\": {}", graph).metrics();
        const QString path = file("bad_graph.log", QByteArray::fromStdString(text.text()));
        const Run run = cli({"print", path, "--stage", "dynamo_output_graph"});
        QCOMPARE(run.exitCode, 2);
        QVERIFY2(run.err.contains("bad_graph.log:6:"), run.err.constData());
        const Run info = cli({"info", path});
        QCOMPARE(info.exitCode, 0);
        QVERIFY(info.out.contains("unreadable"));
        const QJsonObject root = QJsonDocument::fromJson(cli({"info", path, "--json"}).out).object();
        QVERIFY(!root["compiles"][0]["stages"][0]["error"].toString().isEmpty());
    }

    void outputThatIsNotWrittenIsAFailure_data() {
        QTest::addColumn<QString>("to");
        QTest::addColumn<QByteArray>("cause");
        QTest::newRow("full") << "> /dev/full" << QByteArray("No space left on device");
        QTest::newRow("closed") << ">&-" << QByteArray("Bad file descriptor");
    }
    void outputThatIsNotWrittenIsAFailure() {
        QFETCH(QString, to);
        QFETCH(QByteArray, cause);
        const QString graph = file("graph.txt", fxText.toUtf8());
        const QString commands[] = {"--help",
                                    "--version",
                                    "info " + graph,
                                    "print " + graph,
                                    "info --json " + graph,
                                    "layout " + graph,
                                    "diff " + graph + ' ' + graph,
                                    "doctor"};
        for (const QString& command : commands) {
            QProcess shell;
            shell.start("sh", {"-c", "exec \"$0\" " + command + ' ' + to, test::program("dynascope-cli")});
            QVERIFY(shell.waitForFinished(60000));
            const QByteArray error = shell.readAllStandardError();
            QVERIFY2(shell.exitCode() == 2, qPrintable(command + ": " + error));
            QVERIFY2(error.contains("dynascope-cli: standard output: " + cause),
                     qPrintable(command + ": " + error));
        }
    }
    void aFileThatIsCutShortWhileItIsOpen() {
        // Larger than what is copied, so mapped; the lines before the cut are read as they are.
        QFile log(m_folder.filePath("cut.log"));
        QVERIFY(log.open(QIODevice::WriteOnly));
        const QByteArray line = "V0101 00:00:00.000000 1 a.py:1] {\"no_such_record\": {\"text\": \"" +
                                QByteArray(4000, 'x') + "\"}}\n";
        while (log.size() < (qint64(48) << 20))
            log.write(line);
        log.close();
        const auto source = session::openByteSource(log.fileName().toStdString());
        QVERIFY(source.has_value());
        QVERIFY(session::lostFiles().empty());
        const std::string_view bytes = (*source)->bytes();
        QCOMPARE(bytes[0], 'V');
        QVERIFY(QFile::resize(log.fileName(), 1 << 20));
        QCOMPARE(bytes[std::size_t{1} << 19], 'x');
        QCOMPARE(bytes[bytes.size() - 1], '\0');
        QCOMPARE(bytes[std::size_t{32} << 20], '\0');
        QCOMPARE(session::lostFiles(), std::vector<std::string>{log.fileName().toStdString()});
    }
    void version() {
        const Run run = cli({"--version"});
        QCOMPARE(run.exitCode, 0);
        QVERIFY(run.out.startsWith("dynascope-cli "));
        QCOMPARE(cli({"--help"}).exitCode, 0);
    }
};

QTEST_GUILESS_MAIN(TestCli)
#include "tst_cli.moc"
