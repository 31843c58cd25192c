// SPDX-License-Identifier: BSD-3-Clause
//
// The session file: what is saved comes back, whatever is done to the file gives one line, and a kill leaves
// a whole file.
#include "core/capture/open.h"
#include "core/session/byte_source.h"
#include "core/store/schema.h"
#include "core/store/session_file.h"
#include "tests/support/archive.h"
#include "tests/support/captures.h"
#include "tests/support/session_contents.h"
#include "tests/support/trace_text.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>
#include <chrono>
#include <csignal>
#include <random>
#include <sqlite3.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace dynascope;
using store::SessionContents;

namespace {

QByteArray bytesOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

void writeBytes(const QString& path, const QByteArray& bytes) {
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(file.write(bytes), bytes.size());
}

Result<SessionContents> readBytes(const QByteArray& bytes, const store::SessionLimits& limits = {}) {
    return store::readSession(*session::makeByteSource(bytes.toStdString()), "s.dynascope", {}, limits);
}

/// The error's line; empty where it opened.
QString lineOf(const Result<SessionContents>& read) {
    return read ? QString() : QString::fromStdString(read.error().toString());
}

/// The file after SQL was run on it by somebody who may do anything.
QByteArray changed(const QString& path, const char* sql) {
    const QString copy = path + ".changed";
    QFile::remove(copy);
    QFile::copy(path, copy);
    sqlite3* database = nullptr;
    sqlite3_open(copy.toUtf8().constData(), &database);
    char* why = nullptr;
    if (sqlite3_exec(database, sql, nullptr, nullptr, &why) != SQLITE_OK) qFatal("%s", why);
    sqlite3_close(database);
    return bytesOf(copy);
}

void compareContents(const SessionContents& actual, const SessionContents& expected) {
    QCOMPARE(actual.inputs.path, expected.inputs.path);
    QCOMPARE(actual.inputs.isFolder, expected.inputs.isFolder);
    QCOMPARE(actual.inputs.files.size(), expected.inputs.files.size());
    for (std::size_t i = 0; i < expected.inputs.files.size(); ++i) {
        QCOMPARE(actual.inputs.files[i].name, expected.inputs.files[i].name);
        QVERIFY(actual.inputs.files[i].source->bytes() == expected.inputs.files[i].source->bytes());
    }
    QVERIFY(actual.notes == expected.notes);
    QVERIFY(actual.bookmarks == expected.bookmarks);
    QVERIFY(actual.stages == expected.stages);
    QVERIFY(actual.replays == expected.replays);
    QVERIFY(actual.layout == expected.layout);
}

/// What a file of this version can hold of everything().
SessionContents asOf(int version) {
    SessionContents contents = test::everything();
    if (version < 2) {
        contents.layout.clear();
        for (store::Note& note : contents.notes)
            note.changed = 0;
    }
    return contents;
}

SessionContents contentsOf(const session::Session& session) {
    SessionContents contents;
    contents.inputs = session.inputs;
    return contents;
}

} // namespace

class TestStore : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    [[nodiscard]] QString path(const char* name) const { return m_folder.filePath(QLatin1String(name)); }
    QString saved(const char* name, const SessionContents& contents = test::everything()) {
        const auto id = store::saveSession(path(name).toStdString(), contents);
        if (!id) qFatal("%s", id.error().toString().c_str());
        return path(name);
    }

private slots:
    void givesBackWhatWasSaved() {
        const QString file = saved("all.dynascope");
        const auto read = readBytes(bytesOf(file));
        QVERIFY2(read, qPrintable(lineOf(read)));
        compareContents(*read, test::everything());
        QCOMPARE(read->captureId.size(), std::size_t(32));
        QCOMPARE(QDir(m_folder.path()).entryList({"*"}, QDir::Files | QDir::Hidden),
                 QStringList{"all.dynascope"}); // no journal, no remains
        // How the fixtures of tests/data/store are made.
        if (const QString fixture = qEnvironmentVariable("DYNASCOPE_WRITE_FIXTURE"); !fixture.isEmpty())
            QVERIFY(QFile::copy(file, fixture));
    }

    void opensAsACapture() {
        const auto opened = capture::openSaved(saved("open.dynascope").toStdString());
        QVERIFY2(opened, opened ? "" : opened.error().toString().c_str());
        QVERIFY(opened->saved);
        QCOMPARE(opened->session->title, std::string("relu.txt"));
        QCOMPARE(opened->session->path, path("open.dynascope").toStdString());
        QCOMPARE(opened->session->inputs.path, std::string("/home/u/relu.txt"));
        QCOMPARE((*opened->session->compiles.at(0).stages.at(0)->graph())->size(), std::size_t(3));
        QCOMPARE(opened->saved->notes.size(), std::size_t(2));
        // By way of a pipe as well.
        const auto text = capture::openText(bytesOf(path("open.dynascope")).toStdString());
        QVERIFY(text);
        QCOMPARE((*text)->compiles.size(), std::size_t(1));
    }

    /// All kinds of input come back as the session that they were, without the input.
    void keepsEveryInput_data() {
        QTest::addColumn<QString>("input");
        QTest::newRow("log") << test::capture("trace_inductor/train");
        QTest::newRow("ranks") << test::captures() + "/ranks_aot_eager/ddp";
        for (const test::ArchiveFile& file :
             test::readArchive(DYNASCOPE_TEST_DATA "/export/archives.tar.xz")) {
            if (!file.path.ends_with(".pt2")) continue;
            const QString program = m_folder.filePath("program.pt2");
            writeBytes(program, QByteArray::fromStdString(file.content));
            QTest::newRow("export") << program;
            break;
        }
        const QString gz = m_folder.filePath("train.log.gz");
        const QByteArray log = bytesOf(test::capture("trace_inductor/train"));
        QVERIFY(test::writeArchive(gz.toStdString(), {{"train.log", log.toStdString()}}, "raw", "gzip"));
        QTest::newRow("gzip") << gz;
        QTest::newRow("case") << QStringLiteral(DYNASCOPE_SOURCE_DIR "/resources/samples/sibling_views.json");
    }
    void keepsEveryInput() {
        QFETCH(QString, input);
        const auto first = capture::open(input.toStdString());
        QVERIFY2(first, first ? "" : first.error().toString().c_str());
        const QString file = saved("input.dynascope", contentsOf(**first));
        const auto second = capture::open(file.toStdString());
        QVERIFY2(second, second ? "" : second.error().toString().c_str());
        QCOMPARE((*second)->title, (*first)->title);
        QCOMPARE((*second)->kind, (*first)->kind);
        QCOMPARE((*second)->ranks, (*first)->ranks);
        QCOMPARE((*second)->records.size(), (*first)->records.size());
        QCOMPARE((*second)->warnings.size(), (*first)->warnings.size());
        QCOMPARE((*second)->compiles.size(), (*first)->compiles.size());
        for (std::size_t i = 0; i < (*first)->compiles.size(); ++i) {
            const session::Compile &a = (*first)->compiles[i], &b = (*second)->compiles[i];
            QCOMPARE(b.id, a.id);
            QCOMPARE(b.stages.size(), a.stages.size());
            for (std::size_t s = 0; s < a.stages.size(); ++s)
                QCOMPARE(b.stages[s]->payload.text(), a.stages[s]->payload.text());
        }
    }

    void isNoLargerThanACompressedLog() {
        const QString log = test::capture("trace_inductor/train");
        const QByteArray text = bytesOf(log);
        const QString gz = m_folder.filePath("size.log.gz");
        QVERIFY(test::writeArchive(gz.toStdString(), {{"train.log", text.toStdString()}}, "raw", "gzip"));
        const auto session = capture::open(log.toStdString());
        QVERIFY(session);
        const QString file = saved("size.dynascope", contentsOf(**session));
        QVERIFY2(QFileInfo(file).size() <= QFileInfo(gz).size(),
                 qPrintable(QStringLiteral("%1 > %2").arg(QFileInfo(file).size()).arg(QFileInfo(gz).size())));
    }

    /// A second save of the same capture copies its bytes and replaces the rest.
    void savesNotesWithoutTheCapture() {
        SessionContents contents = test::everything();
        const QString file = path("notes.dynascope");
        const auto id = store::saveSession(file.toStdString(), contents);
        QVERIFY(id);
        contents.captureId = *id;
        contents.notes = {{contents.notes.at(0).address, "another", 5}};
        contents.layout = {{"page", ""}};
        contents.bookmarks.clear();
        contents.stages.pop_back();
        // What is not read again is not written either.
        contents.inputs.files.front().source = session::makeByteSource("not the capture");
        QCOMPARE(store::saveSession(file.toStdString(), contents).value(), *id);
        const auto read = readBytes(bytesOf(file));
        QVERIFY2(read, qPrintable(lineOf(read)));
        contents.inputs.files.front().source = session::makeByteSource(test::capturedGraph());
        compareContents(*read, contents);

        // Another capture, or a file that is none, is replaced as a whole.
        contents.captureId = std::string(32, 'x');
        contents.inputs.files.front().source = session::makeByteSource("other");
        QVERIFY(store::saveSession(file.toStdString(), contents));
        compareContents(readBytes(bytesOf(file)).value(), contents);
        writeBytes(file, "SQLite format 3, or so");
        QVERIFY(store::saveSession(file.toStdString(), contents));
        compareContents(readBytes(bytesOf(file)).value(), contents);
    }

    void savesThroughALinkAndKeepsPermissions() {
        const QString file = saved("real.dynascope");
        QVERIFY(QFile::setPermissions(file, QFile::ReadOwner | QFile::WriteOwner));
        QVERIFY(QFile::link(file, path("link.dynascope")));
        saved("link.dynascope");
        QVERIFY(QFileInfo(path("link.dynascope")).isSymLink());
        QCOMPARE(QFile::permissions(file) & (QFile::ReadGroup | QFile::ReadOther), QFile::Permissions());
    }

    void saysWhyItCannotSave() {
        const auto contents = test::everything();
        for (const QString& bad :
             {m_folder.filePath("none/x.dynascope"), m_folder.path(), QString("/proc/x")}) {
            const auto result = store::saveSession(bad.toStdString(), contents);
            QVERIFY(!result);
            QVERIFY2(result.error().toString().find("cannot be written: ") != std::string::npos,
                     result.error().toString().c_str());
        }
        std::stop_source stop;
        stop.request_stop();
        TaskContext task;
        task.stop = stop.get_token();
        const QString file = saved("stopped.dynascope");
        const QByteArray before = bytesOf(file);
        const auto stopped = store::saveSession(file.toStdString(), contents, task);
        QVERIFY(!stopped);
        QVERIFY(stopped.error().isCancelled());
        QCOMPARE(bytesOf(file), before);
        const auto unread = capture::open(file.toStdString(), task);
        QVERIFY(!unread);
        QVERIFY(unread.error().isCancelled());
    }

    void refusesWhatIsNoSession_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("line");
        const QString file = saved("good.dynascope");
        const QByteArray good = bytesOf(file);
        QTest::newRow("another application") << changed(file, "PRAGMA application_id = 7")
                                             << "s.dynascope: is a database, but no session of Dynascope";
        QTest::newRow("newer")
            << changed(file, "PRAGMA user_version = 99")
            << "s.dynascope: was saved by a newer Dynascope (format 99; this one reads up to ";
        QTest::newRow("version 0")
            << changed(file, "PRAGMA user_version = 0")
            << "s.dynascope: session file is damaged: its tables are not those of a session";
        const QString tables = "s.dynascope: session file is damaged: its tables are not those of a session";
        QTest::newRow("a trigger")
            << changed(file, "CREATE TRIGGER t AFTER DELETE ON note BEGIN DELETE FROM piece; END") << tables;
        QTest::newRow("a view") << changed(file,
                                           "DROP TABLE note; CREATE VIEW note AS SELECT id, '0:-:0::' AS "
                                           "address, randomblob(9) AS text FROM input")
                                << tables;
        QTest::newRow("an index") << changed(file, "CREATE INDEX i ON note(text)") << tables;
        QTest::newRow("a table less") << changed(file, "DROP TABLE replay") << tables;
        QTest::newRow("no capture") << changed(file, "DELETE FROM capture")
                                    << "s.dynascope: session file is damaged: holds no capture";
        QTest::newRow("a piece less") << changed(file, "DELETE FROM piece")
                                      << "s.dynascope: session file is damaged: a piece is missing";
        QTest::newRow("a loose piece") << changed(file, "INSERT INTO piece(input, data) VALUES (9, x'00')")
                                       << "s.dynascope: session file is damaged: a piece belongs nowhere";
        QTest::newRow("another length")
            << changed(file, "UPDATE input SET bytes = bytes - 1")
            << "s.dynascope: session file is damaged: the capture has another length than it should";
        QTest::newRow("too long") << changed(file, "UPDATE input SET bytes = 9223372036854775807")
                                  << "s.dynascope: holds more than ";
        QTest::newRow("negative") << changed(file, "UPDATE input SET bytes = -1")
                                  << "s.dynascope: holds more than ";
        QTest::newRow("no packed bytes") << changed(file, "UPDATE piece SET data = x'0123456789'")
                                         << "s.dynascope: session file is damaged: ";
        QTest::newRow("a parent that comes later")
            << changed(file, "UPDATE stage SET parent = 1")
            << "s.dynascope: session file is damaged: a stage has no parent";
        QTest::newRow("an older one with another table")
            << changed(file, "PRAGMA user_version = 1")
            << "s.dynascope: session file is damaged: its tables are not those of a session";
        QTest::newRow("an address") << changed(file, "UPDATE note SET address = 'x'")
                                    << "s.dynascope: session file is damaged: an address cannot be read";
        QTest::newRow("truncated") << good.left(good.size() / 2) << "s.dynascope: session file";
        QTest::newRow("the header alone") << good.left(100) << "s.dynascope: session file";
        QTest::newRow("sixteen bytes") << good.left(16) << "s.dynascope: ";
        QTest::newRow("empty") << QByteArray() << "s.dynascope: ";
        QTest::newRow("text") << QByteArray("SQLite format 3\0 is a fine thing", 33) << "s.dynascope: ";
        QByteArray zeroed = good;
        std::fill(zeroed.begin() + 1024, zeroed.begin() + 4096, '\0');
        QTest::newRow("zeroed pages") << zeroed << "s.dynascope: session file is damaged: ";
        QByteArray wal = good;
        wal[18] = wal[19] = 2;
        QTest::newRow("write-ahead log") << wal << "s.dynascope: session file";
    }
    void refusesWhatIsNoSession() {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, line);
        const auto read = readBytes(bytes);
        QVERIFY(!read);
        QVERIFY2(lineOf(read).startsWith(line), qPrintable(lineOf(read)));
        QVERIFY(!lineOf(read).contains('\n'));
    }

    void keepsToItsLimits() {
        const QByteArray good = bytesOf(saved("limits.dynascope"));
        store::SessionLimits limits;
        limits.bytes = test::capturedGraph().size();
        QVERIFY(readBytes(good, limits));
        --limits.bytes;
        QVERIFY(lineOf(readBytes(good, limits)).contains("holds more than"));
        limits = {};
        limits.texts = 100;
        QVERIFY(lineOf(readBytes(good, limits)).contains("a text that is too long"));
    }

    /// What cannot be read again is not written, and the file stays what it was.
    void savesNothingAboveItsLimits() {
        const QString file = saved("above.dynascope");
        const QByteArray before = bytesOf(file);
        SessionContents contents = test::everything();
        contents.stages.front().name = "the large one";
        contents.stages.front().recording.assign(5000, 'r');
        const auto refusal = [&](const store::SessionLimits& limits) {
            const auto again = store::saveSession(file.toStdString(), contents, {}, limits);
            return again ? QString() : QString::fromStdString(again.error().toString());
        };
        store::SessionLimits limits;
        limits.texts = 4000;
        QVERIFY2(refusal(limits).contains(
                     "a session holds at most 4000; the largest is stage 'the large one' of "),
                 qPrintable(refusal(limits)));
        limits = {};
        limits.bytes = 10;
        QVERIFY2(refusal(limits).contains("the capture's files take "), qPrintable(refusal(limits)));
        limits = {};
        limits.rows = contents.notes.size() - 1;
        QVERIFY2(refusal(limits).contains("cannot be saved: "), qPrintable(refusal(limits)));
        QCOMPARE(bytesOf(file), before);
        QCOMPARE(refusal({}), QString());
        QVERIFY(bytesOf(file) != before);
    }

    /// A byte changed anywhere: it opens, or it gives one line. It never crashes.
    void survivesDamage() {
        const QByteArray good = bytesOf(saved("damage.dynascope"));
        std::mt19937 random(1);
        int refused = 0;
        for (int i = 0; i < 3000; ++i) {
            QByteArray bad = good;
            for (int n = int(random() % 4); n >= 0; --n)
                bad[int(random() % unsigned(bad.size()))] = char(random());
            const auto read = readBytes(bad);
            refused += !read;
            QVERIFY(!lineOf(read).contains('\n'));
            if (!read) QVERIFY(!read.error().message.empty());
        }
        QVERIFY(refused > 0);
    }

    /// A child saves again and again and is killed at random moments, every third time right behind its first save:
    /// the file is always one of the two.
    void aKillLeavesAWholeFile() {
        SessionContents a = test::everything(), b = test::everything();
        std::string long1(300'000, '\0'), long2(200'000, '\0');
        std::mt19937 random(2);
        for (char& c : long1)
            c = char(random());
        for (char& c : long2)
            c = char(random());
        a.inputs.files.front().source = session::makeByteSource(long1);
        a.notes.resize(1);
        b.inputs.files.front().source = session::makeByteSource(long2);
        b.bookmarks.clear();
        const std::string file = path("killed.dynascope").toStdString();
        QElapsedTimer one;
        one.start();
        QVERIFY(store::saveSession(file, a));
        const auto span = unsigned(one.nsecsElapsed() / 1000 * 4); // time for the first, the second and more
        int kills = 0, first = 0;
        for (int i = 0; i < 60; ++i) {
            int saved[2];
            QCOMPARE(::pipe(saved), 0);
            const pid_t child = ::fork();
            if (child == 0) {
                for (int n = i;; ++n) { // by turns, so that either may be the one that is whole
                    if (!store::saveSession(file, n % 2 == 0 ? b : a)) ::_exit(1);
                    if (n == i && ::write(saved[1], "", 1) != 1) ::_exit(1);
                }
            }
            QVERIFY(child > 0);
            char byte = 0;
            if (i % 3 == 0)
                QCOMPARE(::read(saved[0], &byte, 1), ssize_t(1));
            else
                std::this_thread::sleep_for(std::chrono::microseconds(random() % span));
            for (const int end : saved)
                ::close(end);
            ::kill(child, SIGKILL);
            int status = 0;
            QCOMPARE(::waitpid(child, &status, 0), child);
            QVERIFY(WIFSIGNALED(status));
            ++kills;
            const auto read = readBytes(bytesOf(QString::fromStdString(file)));
            QVERIFY2(read, qPrintable(lineOf(read)));
            const bool isFirst = read->inputs.files.front().source->bytes() == long1;
            first += isFirst;
            compareContents(*read, isFirst ? a : b);
        }
        QVERIFY2(first > 0 && first < kills, qPrintable(QString::number(first)));
        // What the killed left is cleared away by the next save.
        QVERIFY(store::saveSession(file, a));
        QCOMPARE(QDir(m_folder.path()).entryList({".killed*"}, QDir::Files | QDir::Hidden), QStringList());
    }

    /// Every version that was ever written opens, with all that it holds.
    void opensEveryVersion_data() {
        QTest::addColumn<int>("version");
        for (int version = 1; version <= store::newestVersion; ++version)
            QTest::addRow("version %d", version) << version;
    }
    void opensEveryVersion() {
        QFETCH(int, version);
        const QString file = QStringLiteral(DYNASCOPE_TEST_DATA "/store/version%1.dynascope").arg(version);
        const QByteArray bytes = bytesOf(file);
        QVERIFY(!bytes.isEmpty());
        const auto read = readBytes(bytes);
        QVERIFY2(read, qPrintable(lineOf(read)));
        compareContents(*read, asOf(version));
        // Saved again it is of the newest version, and nothing is lost.
        const QString copy = path("migrated.dynascope");
        QFile::remove(copy);
        QVERIFY(QFile::copy(file, copy));
        QCOMPARE(store::saveSession(copy.toStdString(), *read).value(), read->captureId);
        const QByteArray newest = bytesOf(copy);
        QCOMPARE(int(newest[63]), store::newestVersion); // the last byte of user_version
        compareContents(readBytes(newest).value(), asOf(version));
    }
};

QTEST_GUILESS_MAIN(TestStore)
#include "tst_store.moc"
