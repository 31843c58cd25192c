// SPDX-License-Identifier: BSD-3-Clause
//
// Finding in many captures: what a row says of nodes, breaks, guards and kernels, and an index that follows its folder.
#include "core/capture/open.h"
#include "core/find/index.h"
#include "core/find/query.h"
#include "tests/support/trace_text.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace dynascope;

namespace {

const QString samples = QStringLiteral(DYNASCOPE_SOURCE_DIR "/resources/samples/");

session::Filter filterOf(const std::string& text) {
    auto filter = session::Filter::parse(text);
    if (!filter) qFatal("%s", filter.error().message.c_str());
    return *filter;
}

/// "PATH: COMPILE KIND NAME STATUS", a row a line.
struct Answer {
    QStringList rows;
    find::Searched searched;
};
Answer ask(const QString& path, const std::string& filter) {
    Answer out;
    const auto searched = find::search(path.toStdString(), filterOf(filter), [&out](const find::FoundIn& in) {
        for (const std::size_t i : in.rows) {
            const find::Entry& row = in.entries.rows[i];
            out.rows.push_back(QString::fromStdString(in.path + ": " + in.entries.compiles[row.compile].name +
                                                      ' ' + std::string(kindName(row.kind)) + ' ' +
                                                      in.entries.of(row.name) + ' ' +
                                                      in.entries.of(row.status)));
        }
    });
    if (!searched) qFatal("%s", searched.error().toString().c_str());
    out.searched = *searched;
    return out;
}

void write(const QString& path, const QByteArray& bytes) {
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size()) qFatal("cannot write");
}

} // namespace

class TestFind : public QObject {
    Q_OBJECT
private slots:
    void rowsSayWhatTheWindowSays_data() {
        QTest::addColumn<QString>("filter");
        QTest::addColumn<QStringList>("rows");
        const auto row = [](const char* name, const char* filter, const QStringList& rows) {
            QTest::newRow(name) << QString(filter) << rows;
        };
        row("removed", "status:removed op:setitem", {"0/0 node setitem removed"});
        row("added", "status:added op:aten.select_scatter stage:aot_inference",
            {"0/0 node select_scatter added"});
        row("place", "name:setitem file:cap.py:43 stage:dynamo", {"0/0 node setitem "});
        row("another line", "name:setitem file:cap.py:44", {});
        row("shape and dtype", "stage:dynamo shape:[4,*] dtype:f32 op:placeholder",
            {"0/0 node l_y_ ", "0/0 node l_x_ "});
        row("size", "stage:dynamo numel<5", {"0/0 node getitem "});
        row("kernel", "kernel:cpp", {"0/0 kernel cpp_fused_add_copy_select_0 "});
        row("not", "stage:dynamo -op:placeholder -op:output -name:getitem",
            {"0/0 node y ", "0/0 node setitem "});
        row("words of a guard", "\"tensor_match\" or (TENSOR_MATCH)", {});
        row("id", "id:9/9", {});
    }

    void rowsSayWhatTheWindowSays() {
        QFETCH(QString, filter);
        QFETCH(QStringList, rows);
        QStringList got = ask(samples + "view_mutation.log", filter.toStdString()).rows;
        for (QString& row : got)
            row.remove(0, row.indexOf(": ") + 2);
        if (QString(QTest::currentDataTag()) == "words of a guard") {
            QVERIFY(!got.isEmpty());
            for (const QString& row : got)
                QVERIFY2(row.contains(" guard TENSOR_MATCH"), qPrintable(row));
            return;
        }
        if (QString(QTest::currentDataTag()) == "kernel") {
            QCOMPARE(got.size(), 1);
            QVERIFY2(got.front().startsWith("0/0 kernel cpp_fused"), qPrintable(got.front()));
            return;
        }
        QCOMPARE(got, rows);
    }

    void breaksAndRecompiles() {
        const QStringList breaks = ask(samples + "graph_breaks.log", "status:break file:cap.py:30").rows;
        QVERIFY(breaks.join('\n').contains(" 0/0 break Failed to trace builtin operator break"));
        const auto is = [](const QStringList& rows, const char* kind) {
            return std::all_of(rows.begin(), rows.end(),
                               [kind](const QString& row) { return row.contains(kind); });
        };
        const QStringList recompiles = ask(samples + "graph_breaks.log", "\"size mismatch\"").rows;
        QVERIFY(recompiles.size() == 10 && is(recompiles, " recompile "));
        QVERIFY(ask(samples + "graph_breaks.log", "status:break dtype:f32").rows.isEmpty());
    }

    /// Of texts that say the same, the same is said, whether they come from the capture or from the index.
    void entriesArePacked() {
        const auto session = capture::open((samples + "graph_breaks.log").toStdString());
        QVERIFY(session.has_value());
        const find::Entries entries = find::entriesOf(**session);
        QVERIFY(entries.rows.size() > 500);
        const std::string bytes = packEntries(entries);
        const auto again = find::unpackEntries(bytes);
        QVERIFY(again.has_value());
        QVERIFY(again->rows == entries.rows && again->texts == entries.texts);
        QCOMPARE(packEntries(*again), bytes);
        for (std::size_t cut = 0; cut < bytes.size(); cut += 1 + bytes.size() / 500)
            QVERIFY(!find::unpackEntries(std::string_view(bytes).substr(0, cut)));
        find::Entries wrong = entries;
        wrong.rows.back().name = static_cast<find::TextId>(wrong.texts.size());
        QVERIFY(!find::unpackEntries(packEntries(wrong)));
        wrong.rows.back() = {};
        wrong.rows.back().compile = 1U << 30U;
        QVERIFY(!find::unpackEntries(packEntries(wrong)));
        const ir::StackTrace places{{"a.py", 3, "f", "x = 1"}, {"b.py", 0, "", ""}};
        QVERIFY(find::unpackPlaces(find::packPlaces(places)) == places);
    }

    void theIndexFollowsItsFolder() {
        const QTemporaryDir folder;
        QVERIFY(QDir(folder.path()).mkpath("run1/deep") && QDir(folder.path()).mkpath(".hidden"));
        const QString first = folder.filePath("run1/deep/a.log"), second = folder.filePath("b.log");
        QVERIFY(QFile::copy(samples + "view_mutation.log", first));
        QVERIFY(QFile::copy(samples + "view_mutation.log", folder.filePath(".hidden/c.log")));
        const std::string filter = "status:removed op:setitem";
        Answer answer = ask(folder.path(), filter);
        QCOMPARE(answer.rows, QStringList{"run1/deep/a.log: 0/0 node setitem removed"});
        QCOMPARE(answer.searched.read, 1U);
        QVERIFY2(answer.searched.notKept.empty(), answer.searched.notKept.c_str());
        const QString index = folder.filePath(".dynascope-find.sqlite");
        QVERIFY(QFile::exists(index));

        answer = ask(folder.path(), filter);
        QVERIFY(answer.rows.size() == 1 && answer.searched.read == 0);
        // One more, one that is none, one that changed, one that is gone.
        QVERIFY(QFile::copy(samples + "view_mutation.log", second));
        write(folder.filePath("notes.log"), "nothing of PyTorch's\n");
        answer = ask(folder.path(), filter);
        QCOMPARE(answer.rows, (QStringList{"b.log: 0/0 node setitem removed",
                                           "run1/deep/a.log: 0/0 node setitem removed"}));
        QVERIFY(answer.searched.read == 2 && answer.searched.problems.size() == 1 &&
                answer.searched.captures == 2);
        QVERIFY(QFile::remove(second));
        test::TraceText other;
        other.string(1, "cap.py").start("other").metrics("\"fail_type\": null", "other");
        write(second, QByteArray::fromStdString(other.text()));
        QVERIFY(QFile::remove(first));
        answer = ask(folder.path(), filter);
        QVERIFY(answer.rows.isEmpty() && answer.searched.read == 1 && answer.searched.problems.size() == 1);
        QCOMPARE(ask(folder.path(), "function:other").rows, QStringList{"b.log: 0/0 compile other skipped"});

        // A damaged index is made anew, whichever byte it is.
        QFile file(index);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray whole = file.readAll();
        file.close();
        for (const qsizetype at :
             {qsizetype(3), qsizetype(60), qsizetype(1100), whole.size() / 2, whole.size() - 40}) {
            QByteArray damaged = whole;
            damaged[at] = static_cast<char>(damaged[at] ^ 0x5a);
            write(index, damaged);
            const QStringList rows = ask(folder.path(), "function:other").rows;
            QCOMPARE(rows, QStringList{"b.log: 0/0 compile other skipped"});
        }
        write(index, whole.left(whole.size() / 2));
        QCOMPARE(ask(folder.path(), "function:other").rows.size(), 1);
        write(index, "no database");
        QCOMPARE(ask(folder.path(), "function:other").rows.size(), 1);
        QCOMPARE(ask(folder.path(), "function:other").searched.read, 0U);
    }

    void refusals() {
        const QTemporaryDir empty;
        const auto nothing = [](const find::FoundIn&) {};
        const auto none = find::search(empty.path().toStdString(), filterOf("x"), nothing);
        QVERIFY(!none && none.error().message.find("holds no capture") == 0);
        QVERIFY(!find::search(empty.filePath("missing.log").toStdString(), filterOf("x"), nothing));
        std::stop_source stop;
        stop.request_stop();
        const auto cancelled =
            find::search(samples.toStdString(), filterOf("x"), nothing, TaskContext{stop.get_token(), {}});
        QVERIFY(!cancelled && cancelled.error().isCancelled());
    }
};

QTEST_GUILESS_MAIN(TestFind)
#include "tst_find.moc"
