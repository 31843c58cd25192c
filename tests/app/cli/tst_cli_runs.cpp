// SPDX-License-Identifier: BSD-3-Clause
//
// dynascope-cli run and runs, on programs of the shell that write what PyTorch would: folders, records, how they end.
#include "core/runs/run_record.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <memory>
#include <tuple>

using namespace dynascope;

namespace {

const QString sample = QStringLiteral(DYNASCOPE_SOURCE_DIR "/resources/samples/graph_breaks.log");

struct Ran {
    int exitCode = -1;
    QByteArray out, err;
};

} // namespace

class TestCliRuns : public QObject {
    Q_OBJECT
private slots:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void aRunHasAFolderAndARecord() {
        const Ran ran =
            cli({"run", "--into", runs(), "--", "sh", "-c",
                 "cp " + sample + " $TORCH_TRACE/dedicated_log_torch_trace_x.log; echo said; exit 3"},
                {"TORCH_LOGS=+dynamo", "TORCH_API_TOKEN=hidden", "HOME_OF=x"});
        QCOMPARE(ran.exitCode, 3);
        QCOMPARE(ran.out, QByteArray("said\n")); // the program's own, and nothing of ours
        QVERIFY2(ran.err.contains("Answers") && ran.err.contains("graph break"), ran.err);
        const QStringList names = QDir(runs()).entryList(QDir::Dirs | QDir::NoDotAndDotDot);
        QCOMPARE(names.size(), 1);
        QVERIFY2(QRegularExpression("^\\d{4}-\\d\\d-\\d\\d_\\d{6}_sh$").match(names[0]).hasMatch(),
                 qPrintable(names[0]));
        const auto record = runs::readRun((runs() + '/' + names[0]).toStdString());
        QVERIFY(record);
        QCOMPARE(record->command.size(), std::size_t(3));
        QVERIFY(record->exitStatus == 3 && record->seconds >= 0 && record->started > 1700000000);
        QCOMPARE(record->what, (std::vector<std::string>{"trace", "steps"}));
        QCOMPARE(record->environment.at("TORCH_LOGS"), std::string("+dynamo"));
        QVERIFY(!record->environment.contains("TORCH_API_TOKEN") && !record->environment.contains("HOME_OF"));
        const QJsonObject listed = json().at(0).toObject();
        QVERIFY(listed["graph_breaks"].toInt() > 0 && listed["compiles"].toInt() > 0);
        QCOMPARE(listed["exit_status"].toInt(), 3);
        const Ran list = cli({"runs", runs()});
        QVERIFY2(list.out.contains(names[0].toUtf8()) && list.out.contains("exit 3"), list.out);
    }

    void whatIsKeptIsAsked() {
        const QString variables =
            "echo ${DYNASCOPE_CAPTURE:-none} ${DYNASCOPE_PASSES:-none} ${DYNASCOPE_PROFILE:-none}";
        const auto of = [&](const QString& what) {
            return cli({"run", "--into", runs(), "--what", what, "--", "sh", "-c", variables}).out;
        };
        QCOMPARE(of("trace"), QByteArray("none none none\n"));
        QVERIFY(of("trace,steps").startsWith(runs().toUtf8()));
        QVERIFY(of("passes,profile").endsWith(" 1 5\n"));
        QCOMPARE(QDir(runs()).entryList(QDir::Dirs | QDir::NoDotAndDotDot).size(),
                 3); // of one second, it may be
        const Ran more = cli({"run", "--into", runs(), "--what", "memory,values", "--", "sh", "-c",
                              "echo ${DYNASCOPE_MEMORY:-none} ${DYNASCOPE_VALUES:-none}; "
                              "touch $DYNASCOPE_CAPTURE/values_1_ab_0-0.inputs.json"});
        QCOMPARE(more.out, QByteArray("1 1\n"));
        QVERIFY2(more.err.contains("values of 1 graph, ") && !more.err.contains("No values") &&
                     more.err.contains("No memory snapshot: no process used a GPU through PyTorch"),
                 more.err);
        const Ran other = cli({"run", "--into", runs(), "--what", "trace,all", "--", "true"});
        QVERIFY2(other.exitCode == 2 && other.err.contains("--what has no 'all'"), other.err);
        const Ran set = cli({"run", "--into", runs(), "--what", "trace", "--set", "a=1", "--", "true"});
        QVERIFY2(set.exitCode == 2 && set.err.contains("needs the recorder"), set.err);
        QCOMPARE(QDir(runs()).entryList(QDir::Dirs | QDir::NoDotAndDotDot).size(), 4);
    }

    /// Beside another window than ours, that only says how it was called.
    void theWindowFollows() {
        const QString bin = m_folder->filePath("bin"), said = m_folder->filePath("said");
        QVERIFY(QDir().mkpath(bin));
        QVERIFY(QFile::copy(QCoreApplication::applicationDirPath() + "/../bin/dynascope-cli",
                            bin + "/dynascope-cli"));
        QFile window(bin + "/dynascope");
        QVERIFY(window.open(QIODevice::WriteOnly));
        window.write("#!/bin/sh\necho \"$@\" $(grep SigBlk /proc/$$/status) >> " + said.toUtf8() + '\n');
        window.close();
        QVERIFY(window.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
        const auto ranBy = [&](const QString& script) {
            QProcess process;
            process.start(bin + "/dynascope-cli",
                          {"run", "--what", "trace", "--follow", "--into", runs(), "--", "sh", "-c", script});
            process.waitForFinished(60000);
            return process.exitCode();
        };
        QCOMPARE(ranBy("exit 4"), 4); // nothing was compiled, so there is nothing to show
        QVERIFY(!QFile::exists(said));
        // It goes on until the window was opened, while it runs.
        QCOMPARE(ranBy("cp " + sample + " $TORCH_TRACE/a.log; for i in $(seq 300); do test -s " + said +
                       " && exit 7; sleep 0.1; done"),
                 7);
        QFile file(said);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray line = file.readAll();
        QVERIFY2(line.startsWith(runs().toUtf8()) &&
                     line.endsWith("/a.log --follow SigBlk: 0000000000000000\n") && line.count('\n') == 1,
                 line);
    }

    void whatCannotStartLeavesNothing() {
        const Ran ran = cli({"run", "--into", runs(), "--", m_folder->filePath("no-such-program")});
        QVERIFY2(ran.exitCode == 2 && ran.err.contains("No such file"), ran.err);
        QVERIFY(QDir(runs()).isEmpty());
        const Ran signalled = cli({"run", "--into", runs(), "--", "sh", "-c", "kill -TERM $$"});
        QCOMPARE(signalled.exitCode, 128 + 15);
        QVERIFY2(signalled.err.contains("no trace was written"), signalled.err);
    }

    void tasksOfAJobShareAFolder() {
        for (const char* rank : {"1", "0"})
            QCOMPARE(
                cli({"run", "--into", runs(), "--", "sh", "-c", "true"},
                    {"SLURM_JOB_ID=77", "SLURM_STEP_ID=2", "SLURM_NTASKS=2", QString("SLURM_PROCID=") + rank})
                    .exitCode,
                0);
        QCOMPARE(QDir(runs()).entryList(QDir::Dirs | QDir::NoDotAndDotDot), QStringList{"job-77.2_sh"});
        QCOMPARE(json().size(), qsizetype(1));
        QCOMPARE(json().at(0).toObject()["environment"].toObject()["SLURM_PROCID"].toString(), QString("0"));
    }

    void runsAreComparedAndPruned() {
        for (int i = 0; i < 3; ++i) {
            runs::RunRecord record;
            record.command = {"python", i == 2 ? "b c.py" : "a.py", "--lr", "0.1", "-"};
            record.started = 1700000000 + i;
            if (i > 0) record.exitStatus = i;
            record.environment["CUDA_VISIBLE_DEVICES"] = i == 2 ? "1" : "0";
            QVERIFY(QDir().mkpath(runs() + QString("/r%1").arg(i)));
            QVERIFY(runs::writeRun((runs() + QString("/r%1").arg(i)).toStdString(), record));
        }
        QVERIFY(QFile::link(runs() + "/r1", runs() + "/link")); // no run: what it leads to is one
        QVERIFY(QDir().mkpath(runs() + "/stranger"));
        const Ran compared = cli({"runs", runs(), "--compare", "@last-1", "--compare", "@last"});
        QCOMPARE(compared.exitCode, 0);
        for (const char* part : {"r1", "r2", "python a.py --lr 0.1 -", "python 'b c.py' --lr 0.1 -",
                                 "CUDA_VISIBLE_DEVICES", "exit 2"})
            QVERIFY2(compared.out.contains(part), compared.out);
        QVERIFY2(!compared.out.contains("host") && !compared.out.contains("compiles"), compared.out); // alike
        for (const auto& [name, why] :
             {std::pair("r", "the beginning of 3 runs"), std::pair("x", "no run 'x'"),
              std::pair("@last-3", "no run '@last-3'"), std::pair("@lasting", "is no run")}) {
            const Ran ran = cli({"runs", runs(), "--compare", name, "--compare", "r1"});
            QVERIFY2(ran.exitCode == 2 && ran.err.contains(why), ran.err);
        }
        const Ran pruned = cli({"runs", runs(), "--keep", "1"});
        QVERIFY2(pruned.out.endsWith("1 run removed, 2 left\n"), pruned.out); // r0 has not ended
        QCOMPARE(QDir(runs()).entryList(QDir::Dirs | QDir::NoDotAndDotDot | QDir::NoSymLinks),
                 (QStringList{"r0", "r2", "stranger"}));
        QCOMPARE(cli({"runs", runs(), "--keep", "-1"}).exitCode, 2);
    }

    void recordsOfLiars() {
        const QString folder = runs() + "/x";
        QVERIFY(QDir().mkpath(folder));
        const auto written = [&](QByteArray text) { // ' stands for "
            text.replace('\'', '"');
            QFile file(folder + "/dynascope-run.json");
            if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size()) qFatal("cannot write");
            file.close();
            return runs::readRun(folder.toStdString());
        };
        for (const char* text : {"", "[]", "{", "{'command':['a']}", "\xff\xfe"})
            QVERIFY2(!written(text), text);
        const QByteArray whole =
            "{'format':1,'command':['a\\u001b[31m'],'folder':'/x','host':'h','started':5,'seconds':null,"
            "'exit_status':null,'what':['trace'],'settings':[],'environment':{'A':'b'}}";
        QVERIFY(written(whole));
        QCOMPARE(json().at(0).toObject()["exit_status"].type(), QJsonValue::Null);
        QVERIFY2(cli({"runs", runs()}).out.contains("has not ended"), cli({"runs", runs()}).out);
        for (const auto& [said, instead, why] :
             std::vector<std::tuple<const char*, const char*, const char*>>{
                 {"'format':1", "'format':2", "format: expected 1"},
                 {"['a\\u001b[31m']", "['a',null]", "command[1]: expected a string, not null"},
                 {"'folder':'/x',", "", "folder: is missing"},
                 {"'host':'h'", "'host':null", "host: expected a string, not null"},
                 {"'started':5", "'started':'now'", "started: expected a whole number, not a string"},
                 {"'seconds':null", "'seconds':[]", "seconds: expected a number, not a list"},
                 {"'exit_status':null", "'exit_status':1.5",
                  "exit_status: expected a whole number, not a number"},
                 {"['trace']", "7", "what: expected a list, not a number"},
                 {"'b'", "1", "environment.A: expected a string, not a number"}}) {
            QVERIFY2(whole.contains(said), said);
            const auto odd = written(QByteArray(whole).replace(said, instead));
            QVERIFY2(!odd, why);
            QCOMPARE(odd.error().message, std::string("no record of a run: ") + why);
        }
        written("{");
        QVERIFY2(cli({"runs", runs()}).out.contains("no record of a run"), cli({"runs", runs()}).out);
        QCOMPARE(cli({"runs", m_folder->filePath("none")}).exitCode, 2);
    }

    void isReadAsItWasWritten() {
        runs::RunRecord record{{"python", "a.py"}, "/work", "host",
                               1700000000,         2.5,     3,
                               {"trace", "steps"}, {"a=1"}, {{"TORCH_LOGS", "+dynamo"}}};
        const std::string folder = m_folder->path().toStdString();
        QVERIFY(runs::writeRun(folder, record));
        QVERIFY(runs::readRun(folder) == record);
        QFile file(m_folder->filePath("dynascope-run.json"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), QByteArray(R"({
  "command": [
    "python",
    "a.py"
  ],
  "environment": {
    "TORCH_LOGS": "+dynamo"
  },
  "exit_status": 3,
  "folder": "/work",
  "format": 1,
  "host": "host",
  "seconds": 2.5,
  "settings": [
    "a=1"
  ],
  "started": 1700000000,
  "what": [
    "trace",
    "steps"
  ]
}
)"));
        record.seconds.reset();
        record.exitStatus.reset();
        QVERIFY(runs::writeRun(folder, record));
        QVERIFY(runs::readRun(folder) == record);
    }

    void namesOfPrograms() {
        using runs::programName;
        QCOMPARE(programName({"python", "a/train step.py", "--x"}), std::string("train_step"));
        QCOMPARE(programName({"python", "-m", "pytest", "t.py"}), std::string("pytest"));
        QCOMPARE(programName({"/usr/bin/torchrun", "job"}), std::string("torchrun"));
        QCOMPARE(programName({"jupyter", "execute", "a/n.ipynb"}), std::string("n"));
        QCOMPARE(programName({}), std::string("program"));
    }

private:
    [[nodiscard]] QString runs() const { return m_folder->filePath("runs"); }
    [[nodiscard]] static Ran cli(const QStringList& arguments, const QStringList& variables = {}) {
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        for (const QString& variable : variables)
            environment.insert(variable.section('=', 0, 0), variable.section('=', 1));
        process.setProcessEnvironment(environment);
        process.start(QCoreApplication::applicationDirPath() + "/../bin/dynascope-cli", arguments);
        if (!process.waitForFinished(60'000)) qFatal("it does not end");
        return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
    }
    [[nodiscard]] QJsonArray json() const {
        return QJsonDocument::fromJson(cli({"runs", runs(), "--json"}).out).array();
    }
    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_GUILESS_MAIN(TestCliRuns)
#include "tst_cli_runs.moc"
