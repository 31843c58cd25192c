// SPDX-License-Identifier: BSD-3-Clause
//
// Logs that grow are read on from where they were read to: at any cut, what comes out is what reading them
// from the beginning gives.
#include "core/capture/follow.h"
#include "core/capture/log_memory.h"
#include "tests/support/captures.h"
#include "tests/support/told_session.h"
#include "tests/support/trace_text.h"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>
#include <fstream>
#include <random>

using namespace dynascope;
using capture::Again;
using capture::LogMemory;

namespace {

test::TraceText compile(int frame, int attempt = 0) {
    test::TraceText text;
    text.at(frame, 0, attempt).start("f" + std::to_string(frame));
    text.add("\"dynamo_output_graph\": {}", test::readableGraph(2));
    text.add("\"aot_backward_graph\": {}", test::readableGraph(1)).metrics();
    return text;
}

} // namespace

class TestCaptureReadOn : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<QTemporaryDir> m_folder;

    [[nodiscard]] std::string file(const std::string& name) const {
        return m_folder->filePath(QString::fromStdString(name)).toStdString();
    }
    /// Adds to a file, as a program that writes a log does.
    static void append(const std::string& path, std::string_view text) {
        std::ofstream(path, std::ios::app | std::ios::binary)
            .write(text.data(), std::streamsize(text.size()));
    }
    /// Reads on and anew; both are to say the same, of the log or folder as it is.
    void compareWithAnew(const std::string& path, bool isFolder, Again how, session::SessionPtr& before,
                         const std::shared_ptr<LogMemory>& memory) {
        if (!before) {
            auto none = std::make_shared<session::Session>();
            none->inputs.path = path;
            none->inputs.isFolder = isFolder;
            before = std::move(none);
        }
        session::Session none;
        none.inputs.path = path;
        none.inputs.isFolder = isFolder;
        const auto anew = capture::readAgain(none, how);
        const auto now = capture::readAgain(*before, how, {}, memory);
        QCOMPARE(bool(now), bool(anew));
        if (!now) return;
        const std::string found = test::difference(test::told(**now), test::told(**anew));
        QVERIFY2(found.empty(), found.c_str());
        before = *now;
    }
    /// Lets a log grow by pieces that end anywhere.
    void grow(const std::string& text, int pieces, unsigned seed, Again how) {
        std::mt19937 random(seed);
        std::vector<std::size_t> cuts{text.size()};
        for (int i = 1; i < pieces; ++i)
            cuts.push_back(random() % text.size());
        std::sort(cuts.begin(), cuts.end());
        const std::string path =
            file("train" + std::to_string(seed) + (how == Again::Whole ? "w" : "s") + ".log");
        const auto memory = std::make_shared<LogMemory>();
        session::SessionPtr session;
        std::size_t at = 0;
        std::uint64_t known = 0;
        for (const std::size_t cut : cuts) {
            append(path, std::string_view(text).substr(at, cut - at));
            at = cut;
            compareWithAnew(path, false, how, session, memory);
            if (QTest::currentTestFailed()) return;
            known = std::max(known, memory->known());
        }
        // Not all of it was read anew with every piece.
        QVERIFY2(known > text.size() / 20, std::to_string(known).c_str());
    }

private slots:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void realLogs_data() {
        QTest::addColumn<QString>("path");
        for (const QString& path : test::traceLogs())
            if (const qint64 size = QFileInfo(path).size(); size > 100'000 && size < 700'000)
                QTest::newRow(qPrintable(path.section('/', -2))) << path;
    }
    void realLogs() {
        QFETCH(QString, path);
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const std::string text = file.readAll().toStdString();
        // By name: the folder that the logs are unpacked into is another one each time.
        const auto seed = unsigned(std::hash<std::string>()(path.section('/', -1).toStdString()));
        grow(text, 7, seed, Again::SoFar);
        grow(text, 7, seed + 1, Again::Whole);
    }

    /// What comes later says where records before it belong.
    void whatComesLaterMovesWhatWasRead() {
        std::string text = compile(0).text() + compile(1).text() + "stray line\n";
        text += compile(0).text();                                // ids begin again
        text += compile(2, 1).text() + "another\n\twith a tab\n"; // a restart
        std::string ranked = compile(3).text();
        for (std::size_t at = 0; (at = ranked.find("V1121", at)) != std::string::npos; at += 12)
            ranked.insert(at, "[rank1]: ");
        text += ranked;
        for (std::size_t at = 0; (at = ranked.find("[rank1]", at)) != std::string::npos; ++at)
            ranked[at + 5] = '0';
        text += ranked + compile(0).text() + "V1121 01:29:50.608000 999 torch/x.py:1] {\"bad\": \n" +
                compile(4).text();
        for (unsigned seed = 0; seed < 6; ++seed) {
            grow(text, 25, seed, seed % 2 == 0 ? Again::SoFar : Again::Whole);
            if (QTest::currentTestFailed()) return;
        }
    }

    /// Only the log that comes last is read on; one before it that grew is read anew, with all of them.
    void ranksGrowInTurn() {
        const auto memory = std::make_shared<LogMemory>();
        session::SessionPtr session;
        for (int i = 0; i < 6; ++i) {
            for (const int rank : {1, 1, 0}) {
                append(file("x_rank_" + std::to_string(rank) + "_y.log"), compile(i, rank).text());
                compareWithAnew(m_folder->path().toStdString(), true, Again::SoFar, session, memory);
                if (QTest::currentTestFailed()) return;
            }
        }
        QCOMPARE(session->ranks.size(), 2U);
    }

    void anotherLogIsReadAnew() {
        const std::string path = file("train.log");
        const auto memory = std::make_shared<LogMemory>();
        session::SessionPtr session;
        append(path, compile(0).text() + compile(1).text());
        compareWithAnew(path, false, Again::SoFar, session, memory);
        QCOMPARE(memory->known(), 0U);
        append(path, compile(2).text());
        compareWithAnew(path, false, Again::SoFar, session, memory);
        QVERIFY(memory->known() > compile(0).text().size());
        QVERIFY(QFile::remove(QString::fromStdString(path)));
        append(path, compile(5).text() + compile(6).text() + compile(7).text() + compile(8).text());
        compareWithAnew(path, false, Again::SoFar, session, memory);
        QCOMPARE(memory->known(), 0U);
        QCOMPARE(session->compiles.size(), 4U);
    }
};

QTEST_GUILESS_MAIN(TestCaptureReadOn)
#include "tst_capture_read_on.moc"
