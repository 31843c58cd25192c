// SPDX-License-Identifier: BSD-3-Clause
//
// Digests of the logs of real runs: what is said of ranks is said of their digests too.
#include "core/capture/digest_log.h"
#include "core/capture/flight_reader.h"
#include "core/capture/open.h"
#include "core/ranks/compile_times.h"
#include "core/ranks/flight.h"
#include "core/ranks/ranks.h"
#include "tests/support/trace_text.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace dynascope;

namespace {

std::string textOf(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) qFatal("cannot read %s", qPrintable(path));
    return file.readAll().toStdString();
}

/// All that a report says, a fact a line.
QStringList said(const ranks::Report& report) {
    QStringList out;
    const auto add = [&out](const std::string& text) { out.push_back(QString::fromStdString(text)); };
    add(summaryOf(report));
    for (const ranks::Reason& reason : report.reasons)
        add(std::string(verdictName(reason.verdict)) + '|' + ranks::rankWords(reason.ranks) + '|' +
            reason.compile + '|' + reason.node + '|' + reason.file + ':' + std::to_string(reason.line) + '|' +
            reason.text);
    for (const ranks::CompileRow& row : report.rows) {
        std::string line = row.id + ' ' + row.function;
        for (const int letter : row.letters)
            line += ' ' + std::to_string(letter);
        for (const ranks::Lane& lane : row.lanes)
            line += " | " + ranks::rankWords(lane.ranks) + ' ' + std::to_string(lane.calls.size()) + ' ' +
                    std::to_string(lane.mismatch);
        add(line);
    }
    for (const ranks::RankGroups& groups :
         {report.compiles, report.collectives, report.caches, report.tensorMeta, report.executionOrder}) {
        std::string line;
        for (const std::vector<int>& group : groups)
            line += ranks::rankWords(group) + "; ";
        add(line);
    }
    for (const ranks::Runtime& runtime : report.runtime)
        add(runtime.compile + ' ' + std::to_string(runtime.slowest) + ' ' + std::to_string(runtime.delta()));
    for (const std::string& note : report.notes)
        add(note);
    if (report.waiting)
        for (const ranks::Waiting& waiting : *report.waiting)
            add(waiting.text);
    return out;
}

QStringList saidOf(const QString& folder, const QString& flight) {
    const auto session = capture::open(folder.toStdString());
    if (!session) qFatal("%s", session.error().toString().c_str());
    auto report = ranks::examine(**session);
    if (!report) qFatal("%s", report.error().toString().c_str());
    if (!flight.isEmpty()) {
        const auto dumps = capture::readFlightFolder(flight.toStdString());
        if (!dumps) qFatal("%s", dumps.error().toString().c_str());
        ranks::addFlight(**session, dumps->dumps, *report);
    }
    QStringList out = said(*report);
    const ranks::CompileTimes times = ranks::compileTimes(**session, *report);
    for (const ranks::RankTime& rank : times.ranks)
        for (const ranks::CompileTime& one : rank.compiles)
            out.push_back(
                QStringLiteral("rank %1: %2 to %3").arg(rank.rank).arg(one.beginUs()).arg(one.endUs()));
    out.push_back(QString::fromStdString(times.clock));
    return out;
}

} // namespace

class TestCaptureDigest : public QObject {
    Q_OBJECT

private slots:
    void ranksAreJudgedByTheirDigests_data() {
        QTest::addColumn<QString>("flight");
        QTest::newRow("tp") << "flight_tp";
        QTest::newRow("moe") << "flight_moe";
        QTest::newRow("diverge") << "";
    }
    void ranksAreJudgedByTheirDigests() {
        QFETCH(QString, flight);
        const QDir logs(QStringLiteral(DYNASCOPE_TEST_DATA "/ranks/") + QTest::currentDataTag());
        const QTemporaryDir digests;
        for (const QString& name : logs.entryList(QDir::Files)) {
            const std::string text = textOf(logs.filePath(name));
            const auto digest = capture::makeDigest(text, name.toStdString());
            QVERIFY2(digest, digest ? "" : digest.error().toString().c_str());
            QCOMPARE(digest->bytes, std::uint64_t(text.size()));
            QVERIFY2(digest->packed.size() < text.size() / 3,
                     qPrintable(QString::number(digest->packed.size())));
            QFile file(digests.filePath(name + ".zst"));
            QVERIFY(file.open(QIODevice::WriteOnly));
            QCOMPARE(file.write(QByteArray::fromStdString(digest->packed)), qint64(digest->packed.size()));
        }
        const QString dumps =
            flight.isEmpty() ? QString() : QStringLiteral(DYNASCOPE_TEST_DATA "/ranks/") + flight;
        const QStringList expected = saidOf(logs.path(), dumps);
        QVERIFY(expected.size() > 5);
        QCOMPARE(saidOf(digests.path(), dumps), expected);
    }

    void saysWhatWasLeftOut() {
        test::TraceText text;
        text.start().artifact("fx_graph_runnable", "import torch");
        text.artifact("unheard_of", "kept");
        text.artifact("f_MODIFIED_BYTECODE", "LOAD_FAST x");
        text.metrics();
        const auto digest = capture::makeDigest("stray\n" + text.text(), "a.log");
        QVERIFY(digest);
        QCOMPARE(digest->records, std::size_t(3));
        QCOMPARE(digest->leftOut.size(), std::size_t(2));
        QCOMPARE(digest->leftOut.at("artifact:f_MODIFIED_BYTECODE"), std::size_t(1));
        const QTemporaryDir folder;
        QFile file(folder.filePath("a.log.zst"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray::fromStdString(digest->packed));
        file.close();
        const auto session = capture::open(file.fileName().toStdString());
        QVERIFY(session);
        QCOMPARE((*session)->compiles.size(), std::size_t(1));
        QCOMPARE((*session)->records.size(), std::size_t(4));
        bool told = false;
        for (const session::Warning& warning : (*session)->warnings)
            told = told ||
                   warning.error.message ==
                       "a digest: left out are 1 artifact:f_MODIFIED_BYTECODE, 1 artifact:fx_graph_runnable";
        QVERIFY(told);
        // Not a second time: what the first left out would be said to be there.
        test::TraceText again;
        again.artifact("dynascope_digest", "{}");
        QVERIFY(!capture::makeDigest(again.text(), "a.log"));
    }

    void whatIsNoLog() {
        QCOMPARE(capture::makeDigest("", "a.log").error().message,
                 std::string("has no record of a TORCH_TRACE log"));
        QVERIFY(!capture::makeDigest("nothing\nof that kind\n", "a.log"));
        QVERIFY(capture::digestWords("[]").empty());
        QVERIFY(capture::digestWords("{").empty());
        QCOMPARE(capture::digestWords(R"({"left_out": {"a": -1, "b": 2}})"),
                 std::string("a digest: left out are 2 b"));
        std::stop_source stop;
        stop.request_stop();
        test::TraceText text;
        text.start();
        QVERIFY(capture::makeDigest(text.text(), "a.log", {stop.get_token(), {}}).error().isCancelled());
    }
};

QTEST_GUILESS_MAIN(TestCaptureDigest)
#include "tst_capture_digest.moc"
