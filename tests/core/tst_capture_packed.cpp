// SPDX-License-Identifier: BSD-3-Clause
//
// Compressed captures and archives open as what is packed in them; damaged, empty and hostile ones say so.
#include "core/capture/open.h"
#include "core/capture/packed.h"
#include "tests/support/archive.h"
#include "tests/support/captures.h"
#include "tests/support/trace_text.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRandomGenerator>
#include <QTemporaryDir>
#include <QtTest>

using namespace dynascope;
using test::ArchiveFile;
using test::TraceText;

namespace {

std::string contentOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string();
}

std::string logOf(int frame) {
    TraceText text;
    text.string(1, "cap.py").at(frame, 0).start().metrics();
    return text.text();
}

/// What a reader of the session can tell apart.
QStringList outline(const session::Session& session) {
    QStringList lines;
    for (const session::Record& record : session.records)
        lines += QString("%1 %2 %3 %4")
                     .arg(QString::fromStdString(record.type))
                     .arg(record.rank)
                     .arg(record.line)
                     .arg(QString::fromStdString(record.payload.text()));
    return lines;
}

} // namespace

class TestCapturePacked : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { QVERIFY(m_folder.isValid()); }

    void openAsTheLogInThem_data() {
        QTest::addColumn<QString>("format");
        QTest::addColumn<QString>("filter");
        QTest::addColumn<QString>("name");
        QTest::newRow("gzip") << "raw"
                              << "gzip"
                              << "train.log.gz";
        QTest::newRow("zstd") << "raw"
                              << "zstd"
                              << "train.log.zst";
        QTest::newRow("xz") << "raw"
                            << "xz"
                            << "train.log.xz";
        QTest::newRow("bzip2") << "raw"
                               << "bzip2"
                               << "train.log.bz2";
        QTest::newRow("lz4") << "raw"
                             << "lz4"
                             << "train.log.lz4";
        QTest::newRow("no extension") << "raw"
                                      << "gzip"
                                      << "train";
        QTest::newRow("tar") << "tar"
                             << "none"
                             << "train.tar";
        QTest::newRow("tar.zst") << "tar"
                                 << "zstd"
                                 << "train.tar.zst";
        QTest::newRow("zip") << "zip"
                             << "none"
                             << "train.zip";
    }
    void openAsTheLogInThem() {
        QFETCH(QString, format);
        QFETCH(QString, filter);
        QFETCH(QString, name);
        const QString log = test::capture("trace_inductor/train");
        const QString path = m_folder.filePath(name);
        QVERIFY(test::writeArchive(path.toStdString(), {{"train.log", contentOf(log)}}, format.toStdString(),
                                   filter.toStdString()));
        const auto plain = capture::open(log.toStdString());
        const auto packed = capture::open(path.toStdString());
        QVERIFY2(packed.has_value(), packed ? "" : packed.error().toString().c_str());
        QCOMPARE((*packed)->title, std::string("train"));
        QCOMPARE((*packed)->path, path.toStdString());
        QVERIFY((*packed)->warnings.empty());
        QVERIFY((*plain)->records.size() > 100);
        QCOMPARE(outline(**packed), outline(**plain));
    }

    void readsTheRanksOfAnArchive() {
        const QString path = m_folder.filePath("ranks.tar.zst");
        QVERIFY(test::writeArchive(path.toStdString(),
                                   {{"run/log_rank_1_x.log", logOf(7)},
                                    {"run/notes.txt", "not a log"},
                                    {"run/log_rank_0_x.log", logOf(3)},
                                    {"run/other.log", "no record here"}},
                                   "tar", "zstd"));
        const auto opened = capture::open(path.toStdString());
        QVERIFY2(opened.has_value(), opened ? "" : opened.error().toString().c_str());
        QCOMPARE((*opened)->compiles.size(), std::size_t{2});
        QCOMPARE((*opened)->compiles[0].rank, 0);
        QCOMPARE((*opened)->compiles[0].id.frame, 3);
        QCOMPARE((*opened)->compiles[1].rank, 1);
        QCOMPARE((*opened)->warnings.size(), std::size_t{1});
        QCOMPARE((*opened)->warnings[0].error.file, path.toStdString() + "/run/other.log");
    }

    void readsCompressedLogsOfAFolder() {
        const QString folder = m_folder.filePath("mixed");
        QVERIFY(QDir().mkpath(folder));
        QVERIFY(test::writeArchive((folder + "/a_rank_1.log.gz").toStdString(), {{"x", logOf(7)}}, "raw",
                                   "gzip"));
        QFile file(folder + "/a_rank_0.log");
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray::fromStdString(logOf(3)));
        file.close();
        const auto opened = capture::open(folder.toStdString());
        QVERIFY2(opened.has_value(), opened ? "" : opened.error().toString().c_str());
        QCOMPARE((*opened)->compiles.size(), std::size_t{2});
        QCOMPARE((*opened)->compiles[1].rank, 1);
    }

    void keepsWhatCameBeforeTheDamage() {
        const QString path = m_folder.filePath("cut.log.gz");
        QVERIFY(test::writeArchive(path.toStdString(),
                                   {{"x", contentOf(test::capture("trace_inductor/train"))}}, "raw", "gzip"));
        QFile file(path);
        QVERIFY(file.resize(file.size() / 2));
        const auto opened = capture::open(path.toStdString());
        QVERIFY2(opened.has_value(), opened ? "" : opened.error().toString().c_str());
        QVERIFY((*opened)->records.size() > 50);
        QVERIFY((*opened)->warnings.front().error.message.starts_with("cannot be unpacked to its end"));
        QCOMPARE((*opened)->warnings.front().error.file, path.toStdString());
    }

    void namesOfEntriesAreNotPaths() {
        const QString path = m_folder.filePath("evil.tar");
        QVERIFY(test::writeArchive(path.toStdString(),
                                   {{"../escaped.log", logOf(1)}, {"/tmp/../abs.log", logOf(2)}}, "tar",
                                   "none"));
        const QStringList before = QDir(m_folder.path()).entryList(QDir::AllEntries);
        const auto opened = capture::open(path.toStdString());
        QVERIFY(opened.has_value());
        QCOMPARE((*opened)->compiles.size(), std::size_t{2});
        QCOMPARE(QDir(m_folder.path()).entryList(QDir::AllEntries), before);
        QVERIFY(!QFileInfo::exists(m_folder.path() + "/../escaped.log"));
    }

    void limitsWhatIsUnpacked() {
        const QString path = m_folder.filePath("bomb.log.gz");
        QVERIFY(test::writeArchive(path.toStdString(), {{"x", std::string(1U << 20U, 'x')}}, "raw", "gzip"));
        const std::string packed = contentOf(path);
        QVERIFY(packed.size() < 5000);
        const auto refused = capture::unpack(packed, "bomb", {}, {.bytes = 1U << 19U, .files = 10});
        QVERIFY(!refused);
        QCOMPARE(refused.error().message, std::string("holds more than 524288 bytes unpacked"));
        const auto taken = capture::unpack(packed, "bomb", {}, {.bytes = 1U << 20U, .files = 10});
        QVERIFY(taken.has_value());
        QCOMPARE(taken->files.front().source->bytes().size(), std::size_t{1} << 20U);

        const QString many = m_folder.filePath("many.tar");
        QVERIFY(test::writeArchive(many.toStdString(), {{"a", "1"}, {"b", "2"}, {"c", "3"}}, "tar", "none"));
        QCOMPARE(capture::unpack(contentOf(many), "many", {}, {.bytes = 100, .files = 2}).error().message,
                 std::string("archive holds more than 2 files"));
    }

    void canBeCancelled() {
        const QString path = m_folder.filePath("long.log.gz");
        QVERIFY(test::writeArchive(path.toStdString(), {{"x", std::string(1U << 20U, 'x')}}, "raw", "gzip"));
        std::stop_source stop;
        TaskContext task{stop.get_token(), [&](const Progress& progress) {
                             QCOMPARE(progress.phase, std::string_view("Unpacking"));
                             stop.request_stop();
                         }};
        const auto opened = capture::open(path.toStdString(), task);
        QVERIFY(!opened);
        QVERIFY(opened.error().isCancelled());
    }

    void foreignArchivesSaySo() {
        const QString empty = m_folder.filePath("empty.tar");
        QVERIFY(test::writeArchive(empty.toStdString(), {}, "tar", "gzip"));
        QCOMPARE(capture::open(empty.toStdString()).error().message, std::string("archive holds no file"));

        const QString other = m_folder.filePath("other.zip");
        QVERIFY(test::writeArchive(other.toStdString(), {{"a.txt", "1"}, {"b.txt", "2"}}, "zip", "none"));
        QCOMPARE(capture::open(other.toStdString()).error().message,
                 std::string("holds neither TORCH_TRACE nor TORCH_LOGS logs (*.log)"));
    }

    void noiseNeverCrashes() {
        const QString path = m_folder.filePath("noise.tar.zst");
        QVERIFY(test::writeArchive(path.toStdString(), {{"a.log", logOf(1)}, {"b.log", logOf(2)}}, "tar",
                                   "zstd"));
        const std::string good = contentOf(path);
        QRandomGenerator random(5);
        for (int round = 0; round < 300; ++round) {
            std::string bad = good;
            for (int i = 0; i < 4; ++i)
                bad[random.bounded(static_cast<quint32>(bad.size()))] =
                    static_cast<char>(random.bounded(256));
            const auto result = capture::unpack(bad, "noise");
            if (!result) QVERIFY(!result.error().message.empty());
        }
    }

private:
    QTemporaryDir m_folder;
};

QTEST_GUILESS_MAIN(TestCapturePacked)
#include "tst_capture_packed.moc"
