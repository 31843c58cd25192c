// SPDX-License-Identifier: BSD-3-Clause
//
// The page of a memory snapshot: blocks by address and event, the cursor, and what was alive there.
#include "core/capture/memory_reader.h"
#include "tests/support/archive.h"
#include "tests/support/parts.h"
#include "tests/views/panel_test.h"
#include "views/memory/memory_chart.h"
#include "views/memory/memory_lines_model.h"
#include "views/memory/memory_page.h"

#include <QComboBox>
#include <QTableView>
#include <QtTest>

using namespace dynascope;
using namespace dynascope::views;

namespace {

session::Session snapshot() {
    for (const test::ArchiveFile& file :
         test::readArchive(DYNASCOPE_SOURCE_DIR "/tests/data/memory/snapshots.tar.xz")) {
        if (file.path != "training.4.pickle") continue;
        auto read = capture::readMemorySnapshot(file.content);
        if (!read) qFatal("%s", read.error().message.c_str());
        session::Session session;
        session.kind = session::Kind::MemorySnapshot;
        session.title = "training";
        session.memory = std::make_shared<const session::MemorySnapshot>(std::move(*read));
        return session;
    }
    qFatal("no training.4.pickle");
}

struct Shown : test::Fixture {
    std::unique_ptr<MemoryPage> page;

    Shown() {
        workspace.addCapture(test::captureOf(snapshot()));
        page = show<MemoryPage>(1100, 600);
        settle();
    }
    [[nodiscard]] QStringList rows() const {
        QStringList out;
        const QAbstractItemModel& model = *test::part<QTableView>(*page, "memory.table")->model();
        for (int row = 0; row < model.rowCount(); ++row)
            out << model.index(row, MemoryLinesModel::Bytes).data().toString() + u' ' +
                       model.index(row, MemoryLinesModel::Line).data().toString();
        return out;
    }
};

} // namespace

class TestMemoryPage : public QObject {
    Q_OBJECT

private slots:
    void snapshotsGoToTheirPage() {
        Shown s;
        QCOMPARE(s.workspace.place().page, Page::Memory);
        QCOMPARE(s.page->message(), QString());
    }

    void startsAtThePeak() {
        Shown s;
        const QAbstractItemModelTester tester(test::part<QTableView>(*s.page, "memory.table")->model(),
                                              QAbstractItemModelTester::FailureReportingMode::Fatal);
        QCOMPARE(test::part<MemoryChart>(*s.page)->moment(), std::size_t(5));
        QCOMPARE(s.rows(), (QStringList{"8.0 MiB train.py:12 in __init__", "8 MiB train.py:20 in forward",
                                        "1 KiB train.py:44 in step", "1 KiB stack not recorded"}));
        QTest::keyClick(test::part<MemoryChart>(*s.page), Qt::Key_End);
        s.settle();
        QCOMPARE(test::part<MemoryChart>(*s.page)->moment(), std::size_t(12));
        QCOMPARE(s.rows().size(), 2);
        QTest::keyClick(test::part<MemoryChart>(*s.page), Qt::Key_P);
        QTest::keyClick(test::part<MemoryChart>(*s.page), Qt::Key_Right);
        s.settle();
        QCOMPARE(test::part<MemoryChart>(*s.page)->moment(), std::size_t(6));
        QVERIFY2(s.rows().contains("4 MiB train.py:20 in forward"), qPrintable(s.rows().join(u'\n')));
    }

    void aClickSelectsABlockAndAMoment() {
        Shown s;
        MemoryChart* chart = test::part<MemoryChart>(*s.page);
        const std::size_t hidden = 3; // 4 MiB, events 3 to 6
        const QRectF box = chart->rectOf(hidden);
        QVERIFY2(box.height() > 20, "a block of 4 of 22 MiB is large enough to click on");
        QTest::mouseClick(chart, Qt::LeftButton, {}, box.center().toPoint());
        QCOMPARE(chart->selected(), hidden);
        QCOMPARE(chart->moment(), std::size_t(4));
        const auto shows = [&](const QString& text) {
            for (const QWidget* child : s.page->findChildren<QWidget*>())
                if (const QVariant shown = child->property("text"); shown.toString().contains(text))
                    return true;
            return false;
        };
        QVERIFY(shows("4 MiB"));
        QTest::keyClick(chart, Qt::Key_Escape);
        QCOMPARE(chart->selected(), SIZE_MAX);
    }

    void zoomsAboutThePointer() {
        Shown s;
        MemoryChart* chart = test::part<MemoryChart>(*s.page);
        const double before = chart->rectOf(3).width();
        QWheelEvent wheel(chart->rectOf(3).center(), chart->mapToGlobal(chart->rectOf(3).center()), {},
                          {0, 240}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(chart, &wheel);
        QVERIFY(chart->rectOf(3).width() > before * 1.4);
        QTest::keyClick(chart, Qt::Key_0);
        QCOMPARE(chart->rectOf(3).width(), before);
    }

    /// Blocks of one snapshot must not be asked of the next.
    void followsTheCapture() {
        Shown s;
        test::part<MemoryChart>(*s.page)->select(3);
        session::Session other = snapshot();
        auto one = std::make_shared<session::MemorySnapshot>(*other.memory);
        one->traces.clear();
        one->stacks.resize(1);
        one->segments = {
            {0, 4096, 2048, 0, "small", false, {{4096, 512, 512, session::MemoryBlock::State::Active, 0}}}};
        other.memory = std::move(one);
        s.workspace.addCapture(test::captureOf(std::move(other)));
        s.settle();
        QCOMPARE(s.rows(), QStringList{"512 B stack not recorded"});
        QCOMPARE(test::part<MemoryChart>(*s.page)->selected(), SIZE_MAX);
        s.workspace.addCapture(test::captureOf(session::Session{}));
        Place place = s.workspace.place();
        place.page = Page::Memory;
        s.workspace.go(place);
        s.settle();
        QVERIFY(s.rows().isEmpty());
        s.workspace.goBack();
        s.workspace.goBack();
        s.settle();
        QCOMPARE(s.rows(), QStringList{"512 B stack not recorded"});
    }

    /// Beside a trace there is one a rank; the device with most to show comes first.
    void ranksAreChosenFrom() {
        Shown s;
        session::Session both = snapshot();
        auto small = std::make_shared<session::MemorySnapshot>();
        small->segments = {
            {0, 4096, 2048, 0, "small", false, {{4096, 512, 512, session::MemoryBlock::State::Active, 0}}}};
        both.memories = {{0, "a.pickle", small}, {3, "b.pickle", both.memory}};
        both.memory = small;
        s.workspace.addCapture(test::captureOf(std::move(both)));
        s.settle();
        auto* devices = s.page->findChild<QComboBox*>();
        QVERIFY(devices->isVisibleTo(s.page.get()));
        QCOMPARE(devices->currentText(), QString("rank 3, device 0"));
        QCOMPARE(s.rows().size(), 4);
        devices->setCurrentIndex(0);
        emit devices->activated(0);
        s.settle();
        QCOMPARE(devices->currentText(), QString("rank 0, device 0"));
        QCOMPARE(s.rows(), QStringList{"512 B stack not recorded"});
    }

    void otherCapturesSayWhatIsMissing() {
        test::Fixture f;
        session::Session none;
        none.title = "none";
        f.workspace.addCapture(test::captureOf(std::move(none)));
        const auto page = f.show<MemoryPage>();
        QVERIFY2(page->message().contains("_dump_snapshot"), qPrintable(page->message()));
    }
};

QTEST_MAIN(TestMemoryPage)
#include "tst_memory_page.moc"
