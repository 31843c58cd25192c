// SPDX-License-Identifier: BSD-3-Clause
//
// `dynascope-cli steps` and `dynascope-cli capture` as a user runs them.
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
#include <sys/types.h>

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

    void passesSignalsOn() {
        QProcess process;
        process.start(test::program("dynascope-cli"),
                      {"capture", "-o", m_folder.filePath("signals"), "--", "sh", "-c",
                       "trap 'exit 7' TERM; echo ready; while :; do sleep 0.05; done"});
        QVERIFY(process.waitForReadyRead(30000));
        QCOMPARE(::kill(static_cast<pid_t>(process.processId()), SIGTERM), 0);
        QVERIFY(process.waitForFinished(30000));
        QCOMPARE(process.exitCode(), 7);
    }
};

QTEST_GUILESS_MAIN(TestCliSteps)
#include "tst_cli_steps.moc"
