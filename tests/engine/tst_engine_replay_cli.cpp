// SPDX-License-Identifier: BSD-3-Clause
//
// dynascope-cli replay on whole captures and single graphs.
#include "core/base/sanitizers.h"
#include "core/capture/open.h"
#include "core/rederive/tree_workload.h"
#include "core/rederive/workload.h"
#include "core/replay/replay_export.h"
#include "core/store/session_file.h"
#include "tests/support/captures.h"
#include "tests/support/programs.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

using namespace dynascope;
using nlohmann::json;

namespace {

struct Run {
    int exit = -1;
    QByteArray out, err;
};

Run cli(const QStringList& arguments) {
    QProcess process;
    process.start(test::program("dynascope-cli"), arguments);
    if (!process.waitForFinished(120000) || process.exitStatus() != QProcess::NormalExit) return {};
    return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
}

QString ranksOf(const QString& capture) {
    return DYNASCOPE_SOURCE_DIR "/tests/data/ranks/" + capture;
}

/// The Python whose PyTorch the engine is built with; empty where it cannot load this build.
QString pythonOfEngine() {
    const QString python = DYNASCOPE_SOURCE_DIR "/.venv/bin/python";
    return QFile::exists(python) && !addressSanitized && !threadSanitized ? python : QString();
}

QByteArray content(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// Of a document; none is left where `version` is none.
void setVersion(const QString& path, std::optional<int> version) {
    json document = json::parse(content(path));
    document.erase("version");
    if (version) document["version"] = *version;
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QByteArray::fromStdString(document.dump()));
}

} // namespace

class TestEngineReplayCli : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { QVERIFY(m_folder.isValid()); }

    /// Backward reads what forward saved, in the same memory, and the parameters are the same tensors.
    void aTrainingStep() {
        const QString log = test::capture("trace_aot_eager/encoder_train");
        const auto session = capture::open(log.toStdString());
        QVERIFY(session);
        const engine::Workload workload = engine::workloadOf(**session);
        QCOMPARE(workload.graphs.size(), 2U);
        QCOMPARE(workload.graphs[0].name, std::string("0/0 forward"));
        QCOMPARE(workload.graphs[1].name, std::string("0/0 backward"));
        QVERIFY(!workload.graphs[0].kept.empty());
        QVERIFY(workload.graphs[1].wires.size() > 10);

        const Run run = cli({"replay", log, "--iterations", "20", "--verify", "10", "--node-iterations", "5",
                             "--json", "--trace", path("trace.json"), "--csv", path("nodes.csv")});
        QCOMPARE(run.err, QByteArray());
        QCOMPARE(run.exit, 0);
        const json document = json::parse(run.out.toStdString());
        QCOMPARE(document["allocator_calls"], json(0));
        QCOMPARE(document["verified"], json(4));
        QCOMPARE(document["different"], json(0));
        QCOMPARE(document["left_out"], json::array());
        QVERIFY(document["median_us"].get<double>() > 0 && document["eager_median_us"].get<double>() > 0);
        QVERIFY(json::parse(content(path("trace.json")).toStdString())["traceEvents"].size() > 100);
        QVERIFY(content(path("nodes.csv")).count('\n') > 50);
    }

    void runsAreKeptAndCompared() {
        const QString log = test::capture("trace_aot_eager/view_mutation"), file = path("kept.dynascope");
        const QStringList arguments{"replay", log, "--iterations", "50", "--keep", file};
        const Run first = cli(arguments);
        QVERIFY2(first.exit == 0, first.err);
        QVERIFY(!first.out.contains("as before") && !first.out.contains("slower"));
        const Run second = cli(arguments);
        QVERIFY2(second.exit == 0 || second.exit == 1, second.err);
        QVERIFY2(second.out.contains("as before: ") || second.out.contains("slower: ") ||
                     second.out.contains("faster: "),
                 second.out);

        // A run that was a hundred times as fast: the next one is slower, and says so, unless its own times
        // are too far apart to tell. What counts as slower is judged on made-up times in
        // tst_replay_recording.
        auto opened = capture::openSaved(file.toStdString());
        QVERIFY(opened && opened->saved);
        store::SessionContents contents = *opened->saved;
        contents.inputs = opened->session->inputs;
        QCOMPARE(contents.replays.size(), 2U);
        auto kept = replay::keptRunFromJson(json::parse(contents.replays.back().result));
        QVERIFY(kept);
        QVERIFY(kept->seconds > 1'700'000'000);
        for (replay::TotalTime* time : {&kept->run.replay, &kept->run.graphs.front().replay})
            *time = {{time->us.min / 100, time->us.median / 100, time->us.p99 / 100}, 0};
        contents.replays.back().result = replay::toJson(*kept).dump();
        QVERIFY(store::saveSession(file.toStdString(), contents));
        const Run third = cli(arguments);
        QVERIFY2(third.out.contains("slower: ") || third.out.contains("as before: "), third.out);
        QCOMPARE(third.exit, third.out.contains("slower: ") ? 1 : 0);
    }

    void allRanksTogether_data() {
        QTest::addColumn<QString>("capture");
        QTest::addColumn<int>("collectives");
        QTest::newRow("mixture of experts") << "moe" << 5;
        QTest::newRow("tensor parallel, forward and backward") << "tp" << 5;
    }

    void allRanksTogether() {
        QFETCH(QString, capture);
        QFETCH(int, collectives);
        const Run run = cli({"replay", ranksOf(capture), "--ranks", "simulated", "--iterations", "4",
                             "--verify", "2", "--node-iterations", "3", "--json"});
        QCOMPARE(run.err, QByteArray());
        QCOMPARE(run.exit, 0);
        const json document = json::parse(run.out.toStdString());
        QCOMPARE(document["failure"], json());
        QCOMPARE(document["left_out"], json::array());
        QCOMPARE(document["groups"], json::array({{{"name", "0"}, {"ranks", {0, 1}}}}));
        QCOMPARE(document["ranks"].size(), 2U);
        for (const json& rank : document["ranks"]) {
            QCOMPARE(rank["collectives"].get<int>(), collectives);
            QCOMPARE(rank["verified"].get<std::size_t>(), 2 * rank["graphs"].size());
            QCOMPARE(rank["different"].get<int>(), 0);
            QVERIFY(rank["computing_us"].get<double>() > 0);
            QVERIFY(rank["bytes_given"].get<int>() > 1000);
        }
        QVERIFY(document["meetings"].get<int>() >= collectives * 9);
    }

    /// The same on PyTorch's own process groups, each rank a process.
    void ranksAsProcesses() {
        const QString python = pythonOfEngine();
        if (python.isEmpty()) QSKIP("there is no .venv, or its Python cannot load what has sanitizers");
        const Run run = cli({"replay", ranksOf("tp"), "--ranks", "2", "--python", python, "--iterations", "4",
                             "--verify", "2", "--node-iterations", "3", "--json"});
        QCOMPARE(run.err, QByteArray());
        QCOMPARE(run.exit, 0);
        const json document = json::parse(run.out.toStdString());
        QCOMPARE(document["collectives"].size(), 5U);
        for (const json& call : document["collectives"]) {
            QCOMPARE(call["bytes"].get<int>(), 1024);
            QVERIFY(call["fastest_us"].get<double>() > 0);
            QVERIFY(call["slowest_us"].get<double>() >= call["fastest_us"].get<double>());
        }
        for (const json& rank : document["ranks"]) {
            QCOMPARE(rank["verified"].get<int>(), 4);
            QCOMPARE(rank["different"].get<int>(), 0);
            QVERIFY(rank["eager_median_us"].get<double>() > 0);
        }
        QCOMPARE(document["against_simulation"]["compared"].get<int>(), 48);
        QCOMPARE(document["against_simulation"]["different"].get<int>(), 0);
    }

    /// A launcher of one's own between two calls; here torchrun itself.
    void ranksStartedElsewhere() {
        const QStringList two{"replay", ranksOf("moe"), "--ranks", "2", "--iterations", "2"};
        const Run prepared = cli(QStringList(two) << "--prepare" << path("elsewhere"));
        QCOMPARE(prepared.err, QByteArray());
        QVERIFY2(prepared.out.contains("torchrun --nproc-per-node 2 -m dynascope_capture.ranks ") &&
                     prepared.out.contains("/elsewhere/request.json --library "),
                 prepared.out);
        const QStringList collect = QStringList(two) << "--collect" << path("elsewhere");
        QVERIFY2(cli(collect).err.contains("no rank has left a result"), cli(collect).err);
        const QString request = path("elsewhere/request.json"), result = path("elsewhere/rank_1.json");
        const QByteArray newer = ": it was written by a newer version of Dynascope\n";
        QCOMPARE(json::parse(content(request))["version"], json(1));
        setVersion(request, 2);
        const Run refused = cli(collect);
        QVERIFY2(refused.exit == 2 && refused.err.endsWith(request.toUtf8() + newer), refused.err);
        const QString python = pythonOfEngine();
        if (python.isEmpty()) QSKIP("there is no .venv, or its Python cannot load what has sanitizers");
        QStringList words{"-m", "torch.distributed.run", "--master_addr=127.0.0.1", "--local_addr=127.0.0.1",
                          "--nproc_per_node=2"};
        words += QString::fromUtf8(prepared.out.split('\n').at(1)).simplified().split(' ').mid(3);
        QProcess launcher;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("PYTHONPATH", DYNASCOPE_SOURCE_DIR "/plugins/capture");
        environment.insert("GLOO_SOCKET_IFNAME", "lo");
        launcher.setProcessEnvironment(environment);
        launcher.start(python, words.mid(words.lastIndexOf("-m")));
        QVERIFY(launcher.waitForFinished(120000));
        const QByteArray said = launcher.readAllStandardError(); // behind PyTorch's own warnings
        QVERIFY2(said.endsWith("dynascope_capture.ranks: " + request.toUtf8() + newer), said);
        setVersion(request, {}); // as before there were versions
        launcher.start(python, words);
        QVERIFY(launcher.waitForFinished(120000));
        QVERIFY2(launcher.exitCode() == 0, launcher.readAllStandardError());
        const Run collected = cli(collect);
        QCOMPARE(collected.exit, 0);
        QVERIFY2(
            collected.out.startsWith("2 ranks started elsewhere; ") &&
                collected.out.contains("compared with the simulation in one process: the same bit by bit"),
            collected.out);
        QVERIFY(cli({"replay", ranksOf("tp"), "--ranks", "2", "--collect", path("elsewhere")})
                    .err.contains("of other graphs than this capture's"));
        QCOMPARE(json::parse(content(result))["version"], json(1));
        setVersion(result, 2);
        const Run refusedResult = cli(collect);
        QVERIFY2(refusedResult.exit == 2 && refusedResult.err.endsWith(result.toUtf8() + newer),
                 refusedResult.err);
        setVersion(result, {});
        QCOMPARE(cli(collect).out, collected.out);
    }

    /// Nobody sends what the others wait for: the time limit ends it, and says who waited where.
    void processesThatHang() {
        const QString python = pythonOfEngine();
        if (python.isEmpty()) QSKIP("there is no .venv, or its Python cannot load what has sanitizers");
        const Run run = cli({"replay", ranksOf("diverge"), "--ranks", "4", "--python", python, "--iterations",
                             "2", "--timeout", "3"});
        QCOMPARE(run.exit, 1);
        for (const char* rank : {"rank 0 ", "rank 1 ", "rank 2 ", "rank 3 "})
            QVERIFY2(run.out.contains(QByteArray(rank) + "ended in 1/0 graph, node tensor: "), run.out);
        QVERIFY2(run.out.contains("in one process the ranks do not fit together\n"), run.out);
        const Run frame = cli({"replay", ranksOf("tp"), "--ranks", "simulated", "--frame", "0/0"});
        QCOMPARE(frame.exit, 2);
        QVERIFY2(frame.err.contains("all graphs of a capture; --frame is not for it"), frame.err);
        const Run number = cli({"replay", ranksOf("diverge"), "--ranks", "3", "--python", python});
        QCOMPARE(number.exit, 2);
        QVERIFY2(number.err.contains("compiled for 4 ranks, and have no others to meet"), number.err);
    }

    /// The first to reach its time limit must not end the others, by its leaving, before they say where they waited.
    void aRankThatComesLateSaysWhereItEnded() {
        const QString python = pythonOfEngine();
        if (python.isEmpty()) QSKIP("there is no .venv, or its Python cannot load what has sanitizers");
        QVERIFY(QDir(m_folder.path()).mkpath("late"));
        QFile late(path("late/sitecustomize.py"));
        QVERIFY(late.open(QIODevice::WriteOnly));
        late.write("import ctypes, os, time\n"
                   "load = ctypes.CDLL\n"
                   "def CDLL(name, *more, **named):\n"
                   "    if os.environ.get('RANK') == '2' and 'dynascope-ranks' in str(name): time.sleep(5)\n"
                   "    return load(name, *more, **named)\n"
                   "ctypes.CDLL = CDLL\n");
        late.close();
        const QByteArray before = qgetenv("PYTHONPATH");
        qputenv("PYTHONPATH", path("late").toUtf8());
        const Run run = cli({"replay", ranksOf("diverge"), "--ranks", "4", "--python", python, "--iterations",
                             "2", "--timeout", "2"});
        before.isEmpty() ? qunsetenv("PYTHONPATH") : qputenv("PYTHONPATH", before);
        QCOMPARE(run.exit, 1);
        for (const char* rank : {"rank 0 ", "rank 1 ", "rank 2 ", "rank 3 "})
            QVERIFY2(run.out.contains(QByteArray(rank) + "ended in 1/0 graph, node tensor: "), run.out);
    }

    void processesWithoutAGpu() {
        const Run turns = cli({"replay", ranksOf("tp"), "--ranks", "simulated", "--backend", "cuda"});
        QCOMPARE(turns.exit, 2);
        QVERIFY2(
            turns.err.contains("take turns in one process run on its CPU; --backend cuda takes --ranks N"),
            turns.err);
        const Run one = cli({"replay", ranksOf("tp"), "--ranks", "2", "--backend", "cuda:1"});
        QCOMPARE(one.exit, 2);
        QVERIFY2(one.err.contains("all graphs of a capture; --backend cuda:N is not for it"), one.err);
        const QString python = pythonOfEngine();
        if (python.isEmpty()) QSKIP("there is no .venv, or its Python cannot load what has sanitizers");
        if (QFileInfo::exists("/dev/nvidia0")) QSKIP("there is a GPU");
        const Run run =
            cli({"replay", ranksOf("tp"), "--ranks", "2", "--backend", "cuda", "--python", python});
        QCOMPARE(run.exit, 2);
        QVERIFY2(run.err.contains("no GPU for rank 0 of this machine: 0 here") ||
                     run.err.contains("no GPU for rank 1 of this machine: 0 here"),
                 run.err);
    }

    /// Rank 3 swaps two collectives; rank 2 compiled once more, which calls none.
    void ranksThatDoNotFit() {
        const Run run = cli({"replay", ranksOf("diverge"), "--ranks", "simulated", "--iterations", "2"});
        QCOMPARE(run.exit, 1);
        QVERIFY2(run.out.contains(
                     "the ranks do not fit together\n"
                     "  rank 0 waits in all_reduce sum of group '0', Float[4] (1/0 graph, node tensor)\n"),
                 run.out);
        QVERIFY2(run.out.contains(
                     "  rank 3 waits in all_gather_into_tensor of group '0', Float[1, 4] (1/0 graph, node "
                     "tensor)\n"),
                 run.out);
    }

    void ranksThatAreNotThere() {
        const QDir from(ranksOf("moe"));
        const QStringList logs = from.entryList({"*.log"}, QDir::Files, QDir::Name);
        QCOMPARE(logs.size(), 2);
        QVERIFY(QDir(m_folder.path()).mkpath("one") && QDir(m_folder.path()).mkpath("other"));
        QVERIFY(QFile::copy(from.filePath(logs[0]), path("one/" + logs[0])));
        const Run one = cli({"replay", path("one"), "--ranks", "simulated"});
        QCOMPARE(one.exit, 1);
        QVERIFY2(one.err.contains("group '0' has 2 ranks, and rank 0 of the capture calls it"), one.err);
        // The other rank compiled another frame: nobody knows what it did meanwhile.
        QVERIFY(QFile::copy(from.filePath(logs[0]), path("other/" + logs[0])));
        QByteArray text = content(from.filePath(logs[1]));
        text.replace("\"frame_id\": 0", "\"frame_id\": 7");
        QFile changed(path("other/" + logs[1]));
        QVERIFY(changed.open(QIODevice::WriteOnly) && changed.write(text) == text.size());
        changed.close();
        const Run other = cli({"replay", path("other"), "--ranks", "simulated"});
        QCOMPARE(other.exit, 1);
        QVERIFY2(other.err.contains("0/0 inference: calls group '0', and rank 1 compiled no such graph"),
                 other.err);
        const Run word = cli({"replay", path("other"), "--ranks", "four"});
        QCOMPARE(word.exit, 2);
        QVERIFY2(word.err.contains(
                     "--ranks is 'simulated', all ranks in one process, or their number, not 'four'"),
                 word.err);
    }

    void oneGraph() {
        const QString log = test::capture("trace_aot_eager/view_mutation");
        const Run run =
            cli({"replay", log, "--frame", "0/0", "--stage", "dynamo_output_graph", "--iterations", "5"});
        QCOMPARE(run.err, QByteArray());
        QCOMPARE(run.exit, 0);
        QVERIFY2(run.out.contains("0/0 dynamo_output_graph: ") && run.out.contains("median us"), run.out);
        QCOMPARE(cli({"replay", log, "--frame", "7/7"}).exit, 2);
        QCOMPARE(cli({"replay", log, "--symbol", "s0"}).exit, 2);
        QCOMPARE(cli({"replay", log, "--iterations", "5", "--csv", "/nowhere/at/all.csv"}).exit, 2);
    }

    /// The same run step by step, as the window has it.
    void underTreesStepByStep() {
        const auto session = capture::open(test::capture("trace_aot_eager/encoder_train").toStdString());
        QVERIFY(session);
        const engine::Workload workload = engine::workloadOf(**session);
        engine::TreeWorkloadOptions options;
        options.iterations = 5;
        options.moveParameters = 3;
        engine::Client client({test::engineProgram()});
        const auto whole = engine::runTree(client, workload, options);
        QVERIFY(whole);
        auto live = engine::LiveTree::begin(client, workload, options);
        QVERIFY(live);
        std::vector<replay::TreeFunction> functions;
        for (const replay::SimulatedFunction& function : live->program().functions)
            functions.push_back(function.function);
        QCOMPARE(functions.size(), std::size_t(2));
        QCOMPARE(functions[0].name, std::string("0/0 forward"));
        replay::TreeLog log(std::move(functions));
        for (bool end = false; !end;) {
            auto part = live->next(1);
            QVERIFY(part);
            end = part->end;
            QVERIFY(log.append(std::move(*part)));
        }
        QCOMPARE(log.steps().size(), whole->steps.size());
        std::uint64_t verified = 0;
        for (std::size_t i = 0; i < log.steps().size(); ++i) {
            const replay::StepMeasure* measure = log.measure(i);
            QVERIFY(measure);
            QCOMPARE(measure->difference, std::string());
            verified += measure->verified ? 1 : 0;
            if (log.steps()[i].event != replay::TreeStep::Event::Call) continue;
            QCOMPARE(std::string(replay::actionName(log.steps()[i].action)), whole->steps[i].action);
            QCOMPARE(log.steps()[i].node, whole->steps[i].node);
            QVERIFY(measure->poolBytes > 0);
            // What a recording leaves alive lies in blocks; a replay asks the allocator for nothing.
            if (log.steps()[i].action == replay::TreeStep::Action::Record)
                QVERIFY(!measure->blocks.empty() && measure->blocks.front().bytes > 0);
        }
        QCOMPARE(verified, whole->verified);
        QCOMPARE(log.nodes().size(), whole->nodes);
        live->drop();
        QVERIFY(!live->next(1));
    }

    /// A training step under CUDA-graph trees, over the CPU's pool: what each call was, and why.
    void underTrees() {
        const QString log = test::capture("trace_aot_eager/encoder_train");
        const Run run = cli({"replay", log, "--trees", "6", "--move-parameters", "4", "--json"});
        QCOMPARE(run.err, QByteArray());
        QCOMPARE(run.exit, 0);
        const auto report = replay::treeReportFromJson(json::parse(run.out.toStdString()));
        QVERIFY(report);
        QCOMPARE(report->backend, std::string("cpu"));
        QCOMPARE(report->verified, 12U);
        QCOMPARE(report->different, 0U);
        // Forward and backward: warmed up, recorded, replayed twice, recorded at other addresses, replayed.
        QCOMPARE(report->count("warmup"), 2U);
        QCOMPARE(report->count("record"), 4U);
        QCOMPARE(report->count("replay"), 6U);
        QCOMPARE(report->rerecords(), 1U);
        const auto again = std::find_if(report->steps.begin(), report->steps.end(),
                                        [](const auto& step) { return step.again; });
        QVERIFY2(again->why.find("static input data pointer changed (") != std::string::npos,
                 again->why.c_str());

        const Run text = cli({"replay", log, "--trees", "3", "--hold", "1"});
        QCOMPARE(text.exit, 0);
        QVERIFY2(text.out.contains("2 warm-ups, ") && text.out.contains(" verified, 0 different\n") &&
                     text.out.contains("0/0 forward"),
                 text.out);
        QCOMPARE(cli({"replay", log, "--trees", "2", "--backend", "tpu"}).exit, 2);
    }

    void graphsRecordedAnew() {
        const QString log = test::capture("trace_aot_eager/encoder_train");
        const Run run = cli({"replay", log, "--rerecord", "2", "--iterations", "4", "--verify", "1"});
        QCOMPARE(run.err, QByteArray());
        QCOMPARE(run.exit, 0);
        QCOMPARE(run.out.count("  re-recorded in "), 4);
        QVERIFY2(run.out.contains("8 results verified, 0 different"), run.out);
        const Run times = cli({"replay", log, "--times", "sometimes", "--iterations", "1"});
        QCOMPARE(times.exit, 2);
        QVERIFY2(times.err.contains("times are of nodes, launch or both"), times.err);
        // The CPU has no launches that a device could time.
        const Run launch = cli({"replay", log, "--times", "launch", "--iterations", "1"});
        QCOMPARE(launch.exit, 0);
        QVERIFY2(!launch.out.contains("on the device"), launch.out);
    }

    void backendsThatAreNotThere() {
        const QString log = test::capture("trace_aot_eager/view_mutation");
        const Run unknown = cli({"replay", log, "--backend", "tpu", "--iterations", "2"});
        QCOMPARE(unknown.exit, 2);
        QVERIFY2(unknown.err.endsWith("there is no backend 'tpu': cpu, cuda or cuda:N\n"), unknown.err);
        const Run cuda = cli({"replay", log, "--backend", "cuda", "--iterations", "2"});
        if (cuda.exit == 0) QSKIP("this machine has a GPU");
        QCOMPARE(cuda.exit, 2);
        QVERIFY2(cuda.err.contains(": no CUDA backend: "), cuda.err);
        QCOMPARE(cuda.err.count('\n'), 1);
        QVERIFY(cuda.out.isEmpty());
    }

private:
    [[nodiscard]] QString path(const QString& name) const { return m_folder.filePath(name); }
    QTemporaryDir m_folder;
};

QTEST_GUILESS_MAIN(TestEngineReplayCli)
#include "tst_engine_replay_cli.moc"
