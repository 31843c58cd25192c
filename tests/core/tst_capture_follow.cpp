// SPDX-License-Identifier: BSD-3-Clause
//
// Logs that change while they are open: what is told of the change, and what stays the same object.
#include "core/capture/follow.h"
#include "core/session/growing_source.h"
#include "tests/support/trace_text.h"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

using namespace dynascope;
using capture::Again;
using capture::DiskChange;

namespace {

test::TraceText compile(int frame, int ops = 1) {
    test::TraceText text;
    text.at(frame, 0).start("f" + std::to_string(frame));
    text.add("\"dynamo_output_graph\": {}", test::readableGraph(ops)).metrics();
    return text;
}

} // namespace

class TestCaptureFollow : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<QTemporaryDir> m_folder;
    std::string m_path;

    void write(const std::string& text, QIODevice::OpenMode how = QIODevice::Truncate) {
        QFile file(QString::fromStdString(m_path));
        QVERIFY(file.open(QIODevice::WriteOnly | how));
        QCOMPARE(file.write(text.data(), qint64(text.size())), qint64(text.size()));
    }
    void append(const std::string& text) { write(text, QIODevice::Append); }
    session::SessionPtr again(const session::Session& before, Again how = Again::SoFar) {
        auto read = capture::readAgain(before, how);
        return read ? *read : nullptr;
    }

private slots:
    void init() {
        m_folder = std::make_unique<QTemporaryDir>();
        m_path = m_folder->filePath("train.log").toStdString();
    }

    void whatItHeldStaysTheSame() {
        write(compile(0).text());
        const auto first = capture::open(m_path);
        QVERIFY(first);
        const session::SessionPtr second = again(**first);
        QVERIFY(second);
        const session::StagePtr stage = second->compiles[0].stages[0];
        QVERIFY(stage->sharesReadingWith(*(*first)->compiles[0].stages[0]));
        const char* const begin = second->inputs.files[0].source->bytes().data();
        append(compile(1, 3).text());
        const session::SessionPtr third = again(*second);
        QVERIFY(third);
        QCOMPARE(third->compiles.size(), 2U);
        QCOMPARE(third->compiles[0].stages[0].get(), stage.get());
        QCOMPARE(third->compiles[1].stages[0]->nodeCount(), 5U);
        // Nothing was read or kept twice.
        QVERIFY(third->inputs.files[0].source->bytes().data() == begin);
    }

    void aRecordInTheMakingIsNoWarning() {
        const std::string whole = compile(0).text(), next = compile(1).text();
        QCOMPARE(capture::completeLength(whole), whole.size());
        write(whole);
        session::SessionPtr session = *capture::open(m_path);
        // At every cut: only what is complete is there, and nothing is complained about.
        for (std::size_t cut = 1; cut < next.size(); cut += 7) {
            write(whole + next.substr(0, cut));
            const std::uint64_t length = capture::completeLength(whole + next.substr(0, cut));
            QVERIFY(length >= whole.size() && length <= whole.size() + cut);
            session = again(*session);
            QVERIFY(session);
            QVERIFY2(session->warnings.empty(),
                     session->warnings.empty() ? "" : session->warnings[0].error.toString().c_str());
        }
        // Read as a whole it is one.
        write(whole + next.substr(0, next.size() / 2));
        QVERIFY(!again(*session, Again::Whole)->warnings.empty());
        write(whole + next);
        QCOMPARE(again(*session)->compiles.size(), 2U);
    }

    void nothingYetIsSaid() {
        write("V1121 01:29:50.6080");
        session::Session none;
        none.inputs.path = m_path;
        const auto read = capture::readAgain(none, Again::SoFar);
        QVERIFY(!read);
        QVERIFY(read.error().code == Error::Code::NothingToRead);
    }

    void tellsChangesApart() {
        write(compile(0).text());
        const capture::DiskStamp before = capture::stampOf(m_path);
        QCOMPARE(capture::changedSince(before, capture::stampOf(m_path)).change, DiskChange::None);
        append(compile(1).text());
        const capture::Changed grew = capture::changedSince(before, capture::stampOf(m_path));
        QCOMPARE(grew.change, DiskChange::Grew);
        QCOMPARE(capture::changeWords(grew), std::string("train.log grew"));
        write("V");
        QCOMPARE(capture::changedSince(before, capture::stampOf(m_path)).change, DiskChange::Truncated);
        const QString other = m_folder->filePath("other");
        QVERIFY(QFile::copy(QString::fromStdString(m_path), other));
        QVERIFY(QFile::remove(QString::fromStdString(m_path)));
        QCOMPARE(capture::changedSince(before, capture::stampOf(m_path)).change, DiskChange::Gone);
        QVERIFY(QFile::rename(other, QString::fromStdString(m_path)));
        const capture::Changed replaced = capture::changedSince(before, capture::stampOf(m_path));
        QCOMPARE(replaced.change, DiskChange::Replaced);
        QCOMPARE(capture::changeWords(replaced), std::string("train.log was replaced by another file"));
    }

    void aFileWrittenInPlaceIsRead() {
        write(compile(0).text());
        session::SessionPtr session = again(**capture::open(m_path));
        const capture::DiskStamp before = capture::stampOf(m_path);
        std::string other = compile(0, 2).text();
        while (other.size() < compile(0).text().size())
            other += '\n';
        QTest::qSleep(20); // the clock of the file system ticks
        write(other);
        const DiskChange change = capture::changedSince(before, capture::stampOf(m_path)).change;
        QVERIFY(change == DiskChange::Rewritten || change == DiskChange::Grew);
        session = again(*session);
        QVERIFY(session);
        QCOMPARE(session->compiles[0].stages[0]->nodeCount(), 4U);
    }

    void aNewRankComesIn() {
        const auto ranked = [this](int rank, const std::string& text) {
            m_path = m_folder->filePath(QString("x_rank_%1_y.log").arg(rank)).toStdString();
            write(text);
        };
        ranked(0, compile(0).text());
        const std::string folder = m_folder->path().toStdString();
        session::SessionPtr session = again(**capture::open(folder));
        QVERIFY(session);
        QCOMPARE(session->ranks.size(), 1U);
        const capture::DiskStamp before = capture::stampOf(folder);
        ranked(1, compile(0, 2).text());
        QCOMPARE(capture::changedSince(before, capture::stampOf(folder)).change, DiskChange::Grew);
        session = again(*session);
        QCOMPARE(session->ranks.size(), 2U);
        // Records of rank 1 move when rank 0 writes; its graph is still the one that was read.
        const session::StagePtr stage = session->compiles[1].stages[0];
        const auto graph = *stage->graph();
        ranked(0, compile(0).text() + compile(1).text());
        session = again(*session);
        QCOMPARE(session->compiles.size(), 3U);
        QVERIFY(session->compiles[2].stages[0]->sharesReadingWith(*stage));
        // Another object, and the same stage: what is known of it is found by its id.
        QVERIFY(session->compiles[2].stages[0] != stage);
        QVERIFY(session->compiles[2].stages[0]->id() == stage->id());
        QVERIFY(session->compiles[0].stages[0]->id() != stage->id());
        QVERIFY(session->compiles[1].stages[0]->id() != stage->id());
        QVERIFY(session::idOf(nullptr) == session::StageId::None && stage->id() != session::StageId::None);
        QCOMPARE((*session->compiles[2].stages[0]->graph()).get(), graph.get());
        QVERIFY(session->compiles[2].stages[0]->record > stage->record);
    }

    void aLargeFileIsMappedOnce() {
        // Above the 16 MiB that are copied.
        std::string text = compile(0).text();
        text += "V1121 01:29:50.608000 10733 torch/_dynamo/utils.py:2350] {\"artifact\": {\"name\": \"big\", "
                "\"encoding\": \"string\"}, \"frame_id\": 0, \"frame_compile_id\": 0, \"attempt\": 0, "
                "\"has_payload\": \"x\"}\n\t" +
                std::string(17U << 20U, 'x') + '\n' + compile(1).text();
        write(text);
        const auto first = session::openGrowing(m_path, nullptr);
        QVERIFY(first);
        append(compile(2).text());
        const auto second = session::openGrowing(m_path, *first);
        QVERIFY(second);
        QVERIFY((*second)->bytes().data() == (*first)->bytes().data());
        QCOMPARE((*first)->bytes().size(), text.size());
        QCOMPARE((*second)->bytes().substr(text.size()), std::string_view(compile(2).text()));
        QCOMPARE(session::firstBytes(*second, 10)->bytes().size(), 10U);
        // Another beginning is another file, whatever its size.
        text[3] = '3';
        write(text + compile(2).text() + compile(3).text());
        const auto third = session::openGrowing(m_path, *second);
        QVERIFY((*third)->bytes().data() != (*second)->bytes().data());
    }
};

QTEST_GUILESS_MAIN(TestCaptureFollow)
#include "tst_capture_follow.moc"
