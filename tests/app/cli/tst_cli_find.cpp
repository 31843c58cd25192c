// SPDX-License-Identifier: BSD-3-Clause
//
// dynascope-cli find: what it prints, counts, and ends with.
#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

namespace {

const QString samples = QStringLiteral(DYNASCOPE_SOURCE_DIR "/resources/samples/");

struct Ran {
    int exitCode = -1;
    QByteArray out, err;
};
Ran look(const QStringList& arguments) {
    QProcess process;
    process.start(QCoreApplication::applicationDirPath() + "/../bin/dynascope-cli",
                  QStringList{"find"} + arguments);
    if (!process.waitForFinished(60'000)) qFatal("find does not end");
    return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
}

} // namespace

class TestCliFind : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        for (const char* name : {"graph_breaks.log", "view_mutation.log"})
            QVERIFY(QFile::copy(samples + name, m_folder.filePath(name)));
    }

    void printsRowsByCapture() {
        const Ran found = look({m_folder.path(), "status:removed op:setitem"});
        QCOMPARE(found.exitCode, 0);
        QVERIFY2(found.out.startsWith(
                     "view_mutation (view_mutation.log)\n  0/0  node  aot_inference_graph  removed  setitem"),
                 found.out);
        QVERIFY2(found.out.endsWith("  cap.py:43\n1 found in 1 of 2 captures\n"), found.out);
        QVERIFY(found.err.isEmpty());
    }

    void limitsAndCounts() {
        const Ran some = look({m_folder.path(), "status:break", "--kind", "break", "--limit", "3"});
        QVERIFY2(some.out.contains("... and 13 more: --limit 0 prints all\n16 found in 1 of 2 captures\n"),
                 some.out);
        QCOMPARE(some.out.count(" break "), 3);
        const Ran all = look({m_folder.path(), "status:break", "--kind", "break", "--limit", "0"});
        QCOMPARE(all.out.count("cap.py:"), 16);
        const Ran none = look({m_folder.path(), "status:break dtype:f32"});
        QCOMPARE(none.exitCode, 1);
        QCOMPARE(none.out, QByteArray("0 found in 0 of 2 captures\n"));
    }

    void saysItInJson() {
        const Ran found =
            look({m_folder.path(), "op:aten.copy or kernel:cpp_fused", "--json", "--limit", "1000"});
        const QJsonObject document = QJsonDocument::fromJson(found.out).object();
        const QJsonArray rows = document["rows"].toArray();
        QVERIFY2(rows.size() > 2 && document["found"].toInt() == rows.size(), found.out);
        QVERIFY(document["captures"].toInt() == 2 && document["left_out"].toInt() == 0);
        for (const QJsonValue& row : rows) {
            const bool kernel = row["kind"].toString() == "kernel";
            QVERIFY(kernel ? row["name"].toString().startsWith("cpp_fused")
                           : row["kind"].toString() == "node");
            QVERIFY(kernel || row["target"].toString().contains("aten.copy"));
        }
    }

    void whatCannotBeSearchedIsSaid() {
        QVERIFY(look({m_folder.path(), "op:"}).err.contains("filter, column 1: op: needs a value"));
        QCOMPARE(look({m_folder.path(), ""}).exitCode, 2);
        QCOMPARE(look({m_folder.path(), "colour:red"}).exitCode, 2);
        QVERIFY(look({m_folder.path(), "x", "--kind", "line"}).err.contains("there is no kind line"));
        QCOMPARE(look({m_folder.filePath("none"), "x"}).exitCode, 2);
        QFile stray(m_folder.filePath("stray.log"));
        QVERIFY(stray.open(QIODevice::WriteOnly) && stray.write("\x1b[31mnothing\n") > 0);
        stray.close();
        const Ran found = look({m_folder.path(), "op:setitem", "--kind", "node"});
        QCOMPARE(found.exitCode, 0);
        QVERIFY2(found.err.contains("stray.log") && !found.err.contains('\x1b'), found.err);
        QVERIFY(found.out.contains("of 2 captures"));
    }

    /// Where the folder cannot be written to, it is searched all the same.
    void anIndexThatCannotBeKeptIsSaid() {
        const QString index = m_folder.filePath(".dynascope-find.sqlite");
        QFile::remove(index);
        QVERIFY(QDir().mkpath(index)); // a folder stands in its place
        const Ran found = look({m_folder.path(), "status:removed op:setitem"});
        QCOMPARE(found.exitCode, 0);
        QVERIFY2(found.err.contains("the index is not kept: "), found.err);
        QVERIFY(found.out.contains("1 found in 1 of 2 captures"));
        QVERIFY(QDir().rmdir(index));
    }

private:
    QTemporaryDir m_folder;
};

QTEST_GUILESS_MAIN(TestCliFind)
#include "tst_cli_find.moc"
