// SPDX-License-Identifier: BSD-3-Clause
//
// `dynascope-cli steps` and `dynascope-cli capture` as a user runs them.
#include "tests/support/patience.h"
#include "tests/support/programs.h"
#include "tests/support/recordings.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <csignal>
#include <cstring>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>
#include <unistd.h>

using namespace dynascope;

namespace {

struct Run {
    int exitCode = -1;
    QString out, err;
};

Run cli(const QStringList& arguments) {
    QProcess process;
    process.start(test::program("dynascope-cli"), arguments);
    process.closeWriteChannel();
    if (!process.waitForFinished(60000) || process.exitStatus() != QProcess::NormalExit) return {};
    return {process.exitCode(), QString::fromUtf8(process.readAllStandardOutput()),
            QString::fromUtf8(process.readAllStandardError())};
}

QJsonObject object(const Run& run) {
    return QJsonDocument::fromJson(run.out.toUtf8()).object();
}

/// A program's end of live mode: what the recorder would say, and what it is told.
class FakeProgram {
public:
    explicit FakeProgram(const QByteArray& path)
        : m_socket(::socket(AF_UNIX, SOCK_STREAM, 0)) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::memcpy(address.sun_path, path.data(), static_cast<std::size_t>(path.size()));
        const timeval patience{30, 0};
        setsockopt(m_socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        connected = ::connect(m_socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    }
    ~FakeProgram() { ::close(m_socket); }
    FakeProgram(const FakeProgram&) = delete;
    FakeProgram& operator=(const FakeProgram&) = delete;

    bool say(const QByteArray& line) const {
        return ::send(m_socket, line.data(), static_cast<std::size_t>(line.size()), MSG_NOSIGNAL) ==
               line.size();
    }
    QString hear() const {
        QByteArray out;
        char byte = 0;
        while (::recv(m_socket, &byte, 1, 0) == 1 && byte != '\n')
            out += byte;
        return QString::fromUtf8(out);
    }

    bool connected = false;

private:
    int m_socket;
};

} // namespace

class TestCliSteps : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;
    QString m_recording;

private slots:
    void initTestCase() {
        const std::string file = test::oracleRecordings()["gb13_break_in_callee"];
        m_recording = m_folder.filePath("gb13.dsteps");
        QFile out(m_recording);
        QVERIFY(out.open(QIODevice::WriteOnly) && out.write(file.data(), qint64(file.size())) > 0);
    }

    void tellsWhatARecordingHolds() {
        const Run text = cli({"steps", m_recording});
        QCOMPARE(text.exitCode, 0);
        QVERIFY2(text.out.contains("103 steps, 9 attempts, 6 compiles"), qPrintable(text.out));
        const QJsonObject json = object(cli({"steps", m_folder.path(), "--json"}));
        QCOMPARE(json["steps"].toInt(), 103);
        QCOMPARE(json["compiles"].toArray().size(), 6);
        QCOMPARE(json["header"].toObject()["torch"].toString().left(4), "2.13");
    }

    /// Two recordings beside each other, on purpose one with itself.
    void comparesCacheKeys() {
        const Run alone = cli({"steps", m_recording, "--cache-keys"});
        const Run both = cli({"steps", m_recording, m_recording, "--cache-keys"});
        QCOMPARE(alone.exitCode, 0);
        QCOMPARE(both.exitCode, 0);
        if (alone.out.startsWith("nothing"))
            QVERIFY2(both.out.startsWith("nothing was looked up") && both.out.contains("either"),
                     qPrintable(both.out));
        else
            QVERIFY2(both.out.contains("same key") && both.out.contains("lookups have one key"),
                     qPrintable(both.out));
        const Run wrong = cli({"steps", m_recording, m_recording});
        QVERIFY(wrong.exitCode != 0);
        QVERIFY2(wrong.err.contains("--cache-keys"), qPrintable(wrong.err));
        const Run missing = cli({"steps", m_recording, "/no/such/file.dsteps", "--cache-keys"});
        QVERIFY(missing.exitCode != 0 && missing.err.contains("/no/such/file.dsteps"));
    }

    /// Long values that differ behind the place where a line is cut off.
    void showsWhereKeysDiffer() {
        QStringList paths;
        for (const char* last : {"one", "two"}) {
            test::RecordingWriter writer;
            writer.record('H', R"({"format":1})").numbers('s', {1}, "f a.py:1");
            writer.record(
                'c',
                R"({"id":1,"name":"f","file":"p.py","first_line":1,"instructions":{"op":["NOP"],"line":[1]}})");
            writer.record('A', R"({"id":1,"compile_id":"0/0","attempt":0,"code":1})");
            writer.numbers('f', {1, 0, 1, 0, 0}).step(1, {1});
            const QString part =
                QStringLiteral("[%1] gm: %2 %1").arg(QLatin1String(last), QString(400, u'x'));
            const QJsonObject key{
                {"key", QLatin1String(last)}, {"parts", QJsonArray{part}}, {"nodes", QJsonArray()}};
            writer.record('K', QJsonDocument(key).toJson(QJsonDocument::Compact).toStdString());
            writer.endBlock();
            paths << m_folder.filePath(QLatin1String(last) + ".dsteps");
            QFile out(paths.back());
            const std::string file = writer.file();
            QVERIFY(out.open(QIODevice::WriteOnly) && out.write(file.data(), qint64(file.size())) > 0);
        }
        const Run both = cli({"steps", paths[0], paths[1], "--cache-keys"});
        QCOMPARE(both.exitCode, 0);
        QVERIFY2(both.out.contains("gm\n    ...x") && both.out.contains("x one\n    ...x") &&
                     both.out.contains("x two\n0 of 1 lookups"),
                 qPrintable(both.out));
    }

    void listsSteps() {
        const Run text = cli({"steps", m_recording, "--list", "--from", "4", "--count", "3"});
        QCOMPARE(text.exitCode, 0);
        QVERIFY2(text.out.contains("BINARY_OP") || text.out.contains("STORE_FAST a"), qPrintable(text.out));
        QCOMPARE(QJsonDocument::fromJson(
                     cli({"steps", m_recording, "--from", "4", "--count", "3", "--json"}).out.toUtf8())
                     .array()
                     .size(),
                 3);
    }

    void goesToABreakAndBack() {
        const QJsonObject broke = object(cli({"steps", m_recording, "--to", "break", "--json"}));
        QCOMPARE(broke["op"].toString(), "CALL");
        QCOMPARE(broke["function"].toString(), "f");
        QVERIFY(!broke["events"].toArray().isEmpty());
        const QString at = QString::number(broke["step"].toInt());
        const QJsonObject made =
            object(cli({"steps", m_recording, "--from", at, "--back", "--node", "a", "--json"}));
        QCOMPARE(made["op"].toString(), "BINARY_OP");
        QVERIFY(made["step"].toInt() < broke["step"].toInt());
        const QJsonObject next =
            object(cli({"steps", m_recording, "--from", QString::number(made["step"].toInt()), "--step", "in",
                        "--json"}));
        QCOMPARE(next["stack"].toArray().last().toObject()["node"].toString(), "add");
        const QJsonObject nodes =
            object(cli({"steps", m_recording, "--until", "nodes > 1 and local a is tensor", "--json"}));
        QCOMPARE(nodes["locals"].toObject()["a"].toObject()["dtype"].toString(), "f32");
        QVERIFY(cli({"steps", m_recording, "--line", "gb13_break_in_callee.py:5"}).out.contains("low"));
    }

    void answersAsComptime() {
        const Run stack = cli({"steps", m_recording, "--to", "break", "--ask", "print_value_stack()"});
        QVERIFY2(stack.out.contains("- Tensor(shape="), qPrintable(stack.out + stack.err));
        const Run split = cli({"steps", m_recording, "--to", "break", "--ask", "graph_break()"});
        QVERIFY2(split.out.startsWith("what if comptime.graph_break() stood here"), qPrintable(split.out));
        QVERIFY(split.out.contains("graph 1, ") && split.out.contains("the resume function would be handed"));
        QVERIFY(cli({"steps", m_recording, "--at", "3", "--ask", "rm()"}).err.contains("help() lists them"));
        QCOMPARE(cli({"steps", m_recording, "--ask", "help()"}).exitCode, 2);
    }

    void goesToAnInstruction() {
        const QJsonObject broke = object(cli({"steps", m_recording, "--to", "break", "--json"}));
        const QString offset = QString::number(broke["offset"].toInt());
        const QString function = broke["function"].toString();
        const QJsonObject there =
            object(cli({"steps", m_recording, "--instruction", function + u':' + offset, "--json"}));
        QCOMPARE(there["op"].toString(), "CALL");
        QCOMPARE(there["offset"].toInt(), broke["offset"].toInt());
        QCOMPARE(there["function"].toString(), function);
        const QString at = QString::number(broke["step"].toInt());
        const QJsonObject again =
            object(cli({"steps", m_recording, "--from", at, "--instruction", offset, "--json"}));
        QCOMPARE(again["offset"].toInt(), broke["offset"].toInt()); // the next attempt comes there as well
        QVERIFY(again["step"].toInt() > broke["step"].toInt());
        QCOMPARE(cli({"steps", m_recording, "--instruction", offset}).exitCode, 2);
        QCOMPARE(cli({"steps", m_recording, "--instruction", "f:x"}).exitCode, 2);
        QCOMPARE(cli({"steps", m_recording, "--instruction", "nobody:0"}).exitCode, 1);
    }

    void saysWhatIsWrong() {
        QCOMPARE(cli({"steps", m_recording, "--node", "nothing"}).exitCode, 1);
        QCOMPARE(cli({"steps", m_recording, "--at", "103"}).exitCode, 2);
        QVERIFY(cli({"steps", m_recording, "--until", "nodes >"}).err.contains("condition"));
        QCOMPARE(cli({"steps", QDir::rootPath() + "nothing"}).exitCode, 2);
        QCOMPARE(cli({"steps", QStringLiteral(DYNASCOPE_SOURCE_DIR "/README.md")}).exitCode, 2);
    }

    void passesExitCodesAndArgumentsOn() {
        const QString folder = m_folder.filePath("out");
        const Run run = cli({"capture", "-o", folder, "--", "sh", "-c",
                             "echo $1 $DYNASCOPE_CAPTURE $TORCH_TRACE; exit 5", "x", "--json"});
        QCOMPARE(run.exitCode, 5);
        const QString whole = QDir(folder).canonicalPath();
        QCOMPARE(run.out, "--json " + whole + ' ' + whole + '\n');
        QVERIFY(run.err.contains("0 recordings"));
        QCOMPARE(cli({"capture", "-o", folder, "--", "sh", "-c", "kill -9 $$"}).exitCode, 128 + SIGKILL);
        QCOMPARE(cli({"capture", "-o", folder, "--", "no-such-program"}).exitCode, 2);
        QCOMPARE(cli({"capture", "-o", folder}).exitCode, 2);
    }

    void takesCommandsWhereAProgramStops() {
        QProcess process;
        process.start(
            test::program("dynascope-cli"),
            {"capture", "-o", m_folder.filePath("live"), "--break", "a.py:7 if nodes > 2", "--break",
             "graph break", "--", "sh", "-c",
             "echo $DYNASCOPE_LIVE; until rm $DYNASCOPE_LIVE.end 2>/dev/null; do sleep 0.02; done; exit 3"});
        QVERIFY(process.waitForReadyRead(30000));
        const QByteArray path = process.readAllStandardOutput().trimmed();
        {
            const FakeProgram program(path);
            QVERIFY(program.connected);
            QVERIFY(program.say(R"({"event":"hello","protocol":1,"rank":2})"
                                "\n"
                                R"({"event":"stopped","reason":"start"})"
                                "\n"));
            QCOMPARE(program.hear(), R"({"command":"break","condition":"nodes > 2","file":"a.py","line":7})");
            QVERIFY(program.say("{\"event\":\"breakpoint\",\"id\":1}\n"));
            QCOMPARE(program.hear(), R"({"command":"break","on":"graph break"})");
            QVERIFY(program.say("{\"event\":\"breakpoint\",\"id\":2}\n"));
            QCOMPARE(program.hear(), R"({"command":"continue"})");
            const QByteArray stop =
                "{\"event\":\"running\"}\n{\"event\":\"stopped\",\"reason\":\"breakpoint\","
                "\"breakpoint\":1,\"step\":60,\"file\":\"a.py\",\"line\":7,\"function\":\"f\","
                "\"recording\":\"" +
                m_recording.toUtf8() + "\"}\n";
            QVERIFY(program.say(stop));
            process.write("where\nprint\nn\n");
            QVERIFY(process.waitForBytesWritten(30000));
            QCOMPARE(program.hear(), R"({"command":"next"})");
            QVERIFY(program.say(stop));
            process.write("break graph\n");
            QVERIFY(process.waitForBytesWritten(30000));
            QCOMPARE(program.hear(), R"({"command":"graph_break"})");
            QVERIFY(program.say(stop));
            process.closeWriteChannel(); // and the program goes on alone
            QCOMPARE(program.hear(), R"({"command":"detach"})");
        }
        QFile end(QString::fromUtf8(path) + ".end");
        QVERIFY(end.open(QIODevice::WriteOnly));
        QVERIFY(process.waitForFinished(test::patience));
        QCOMPARE(process.exitCode(), 3);
        const QString said = QString::fromUtf8(process.readAllStandardError());
        for (const char* text : {"breakpoint 1: a.py:7 if nodes > 2", "rank 2: f at a.py:7, breakpoint 1",
                                 "call stack", "value stack, top first"})
            QVERIFY2(said.contains(text), qPrintable(said));
        QVERIFY(!QFile::exists(QString::fromUtf8(path)));
        QCOMPARE(cli({"capture", "--break", "nodes >", "--", "true"}).exitCode, 2);
        QCOMPARE(cli({"capture", "--break", "start", "--live", "x", "--", "true"}).exitCode, 2);
    }

    void passesSignalsOn() {
        QProcess process;
        process.start(test::program("dynascope-cli"),
                      {"capture", "-o", m_folder.filePath("signals"), "--", "sh", "-c",
                       "trap 'exit 7' TERM; echo ready; while :; do sleep 0.05; done"});
        QVERIFY(process.waitForReadyRead(30000));
        QCOMPARE(::kill(static_cast<pid_t>(process.processId()), SIGTERM), 0);
        QVERIFY(process.waitForFinished(test::patience));
        QCOMPARE(process.exitCode(), 7);
    }
};

QTEST_GUILESS_MAIN(TestCliSteps)
#include "tst_cli_steps.moc"
