// SPDX-License-Identifier: BSD-3-Clause
//
// File > Runs: the list by mouse and keyboard, and what is opened, compared, followed and removed from it.
#include "app/gui/runs_dialog.h"
#include "tests/support/open_captures.h"
#include "tests/support/open_window.h"
#include "tests/support/parts.h"
#include "views/base/nothing_matches.h"
#include "views/workspace/follower.h"

#include <QAbstractItemModelTester>
#include <QDir>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>
#include <QSpinBox>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <memory>

using namespace dynascope;
using namespace dynascope::views;
using app::RunsDialog;
using app::RunsModel;
using test::part;

class TestRunsWindow : public QObject {
    Q_OBJECT
private slots:
    void init() {
        m_folder = std::make_unique<QTemporaryDir>();
        QVERIFY(m_open.show());
    }
    void cleanup() { m_open.close(); }

    void anEmptyFolderTeaches() {
        QVERIFY(ask());
        QCOMPARE(table().model()->rowCount(), 0);
        const QString said = part<EmptyMessage>(dialog(), "runs.empty")->text();
        QVERIFY2(part<EmptyMessage>(dialog(), "runs.empty")->isVisible(), qPrintable(said));
        QVERIFY2(said.contains("No run is in ") && said.contains("dynascope-cli run -- python train.py"),
                 qPrintable(said));
        for (const char* name : {"runs.open", "runs.compare", "runs.follow", "runs.remove"})
            QVERIFY2(!part<QPushButton>(dialog(), name)->isEnabled(), name);
        dialog().setFolder(m_folder->filePath("none"));
        QVERIFY(m_open.settles());
        QVERIFY(part<EmptyMessage>(dialog(), "runs.empty")->text().contains("No such file"));
    }

    void listsWhatThereIs() {
        makeRuns();
        QVERIFY(QDir().mkpath(m_folder->filePath("odd")));
        QFile odd(m_folder->filePath("odd/dynascope-run.json"));
        QVERIFY(odd.open(QIODevice::WriteOnly) && odd.write("{") == 1);
        odd.close();
        QVERIFY(ask());
        const QAbstractItemModelTester shown(table().model());
        const QAbstractItemModelTester listed(part<RunsModel>(dialog()));
        QCOMPARE(column(RunsModel::Name), (QStringList{"r2", "r1", "r0", "odd"})); // the newest first
        QCOMPARE(column(RunsModel::End),
                 (QStringList{"has not ended", "exit 1", "exit 0", "cannot be read"}));
        QCOMPARE(column(RunsModel::Command)[0], QString("python 'b c.py' --lr 0.1"));
        QVERIFY(column(RunsModel::Breaks)[0].toInt() > 0 && column(RunsModel::Compiles)[0].toInt() > 0);
        QCOMPARE(column(RunsModel::Breaks)[1], QString("0"));
        QCOMPARE(column(RunsModel::Holds)[1], QString("1 trace"));
        QCOMPARE(part<QLabel>(dialog(), "runs.note")->text(), QString("4 runs, 1 not ended"));
        // A change in the folder.
        QVERIFY(QDir(m_folder->filePath("r0")).removeRecursively());
        QTest::keyClick(&dialog(), Qt::Key_F5);
        QVERIFY(m_open.settles());
        QCOMPARE(column(RunsModel::Name), (QStringList{"r2", "r1", "odd"}));
    }

    void filtersAndOpensByKeys() {
        makeRuns();
        QVERIFY(ask());
        QTest::keyClick(&table(), Qt::Key_Slash);
        auto* filter = part<QLineEdit>(dialog(), "runs.filter");
        QTest::keyClicks(filter, "EXIT 1");
        QCOMPARE(column(RunsModel::Name), QStringList{"r1"});
        QTest::keyClicks(filter, "7");
        QVERIFY(part<NothingMatches>(dialog())->isVisible());
        QTest::keyClick(filter, Qt::Key_Backspace);
        QTest::keyClick(filter, Qt::Key_Down);
        QTest::keyClick(&table(), Qt::Key_Return);
        QVERIFY(m_open.settles());
        QVERIFY(!dialog().isVisible());
        QCOMPARE(m_open.workspace().captures().size(), std::size_t(1));
        QCOMPARE(m_open.workspace().session()->inputs.path, m_folder->filePath("r1").toStdString());
    }

    void beginsWhereTheShownRunLies() {
        makeRuns();
        m_open.workspace().open(m_folder->filePath("r1"));
        QVERIFY(m_open.settles());
        m_open.window().actionRegistry().trigger("file.runs");
        QVERIFY(m_open.settles());
        QCOMPARE(dialog().folder(), m_folder->path());
        QCOMPARE(column(RunsModel::Name), (QStringList{"r2", "r1", "r0"}));
    }

    void aDoubleClickOpens() {
        makeRuns();
        QVERIFY(ask());
        const QRect row = table().visualRect(table().model()->index(0, RunsModel::Command));
        QTest::mouseClick(table().viewport(), Qt::LeftButton, {}, row.center());
        QTest::mouseDClick(table().viewport(), Qt::LeftButton, {}, row.center());
        QVERIFY(m_open.settles());
        QCOMPARE(m_open.workspace().session()->inputs.path, m_folder->filePath("r2").toStdString());
    }

    void comparesTwo() {
        makeRuns();
        QVERIFY(ask());
        QTest::keyClick(&table(), Qt::Key_C); // one alone: nothing
        QVERIFY(dialog().isVisible());
        table().selectRow(0);
        QTest::keyClick(&table(), Qt::Key_Down, Qt::ShiftModifier);
        QVERIFY(!part<QPushButton>(dialog(), "runs.follow")->isEnabled());
        QTest::keyClick(&table(), Qt::Key_C);
        QVERIFY(m_open.settles());
        QCOMPARE(m_open.workspace().place().page, Page::Compare);
        QCOMPARE(m_open.workspace().comparison()->a->inputs.path, m_folder->filePath("r1").toStdString());
        QCOMPARE(m_open.workspace().comparison()->b->inputs.path, m_folder->filePath("r2").toStdString());
    }

    void followsWhatGoesOn() {
        makeRuns();
        QVERIFY(ask());
        table().selectRow(1);
        QVERIFY(!part<QPushButton>(dialog(), "runs.follow")->isEnabled()); // it has ended
        table().selectRow(0);
        QTest::mouseClick(part<QPushButton>(dialog(), "runs.follow"), Qt::LeftButton);
        QVERIFY(m_open.settles());
        QCOMPARE(m_open.workspace().session()->inputs.path, m_folder->filePath("r2/a.log").toStdString());
        QTRY_VERIFY(m_open.window().follower().isFollowing(0));
    }

    void removesAfterAQuestion() {
        makeRuns();
        QVERIFY(ask());
        auto* remove = part<QPushButton>(dialog(), "runs.remove");
        QVERIFY(!remove->isEnabled()); // twenty are kept
        part<QSpinBox>(dialog(), "runs.keep")->setValue(1);
        QVERIFY(remove->isEnabled());
        QTest::mouseClick(remove, Qt::LeftButton);
        auto* question = part<QMessageBox>(dialog(), "runs.question");
        QVERIFY2(question->text().startsWith("Remove 1 run, "), qPrintable(question->text()));
        QTest::keyClick(question, Qt::Key_Escape);
        QVERIFY(m_open.settles());
        QVERIFY(QDir(m_folder->filePath("r0")).exists());
        QTRY_VERIFY(!dialog().findChild<QMessageBox*>());
        QTest::mouseClick(remove, Qt::LeftButton);
        QTest::mouseClick(part<QPushButton>(*part<QMessageBox>(dialog(), "runs.question"), "runs.yes"),
                          Qt::LeftButton);
        QVERIFY(m_open.settles());
        QVERIFY(!QDir(m_folder->filePath("r0")).exists());
        QCOMPARE(column(RunsModel::Name), (QStringList{"r2", "r1"})); // r2 has not ended
        QVERIFY(!remove->isEnabled());
    }

private:
    /// r0 and r1 have ended, r2 goes on.
    void makeRuns() {
        for (int i = 0; i < 3; ++i) {
            runs::RunRecord record;
            record.command = {"python", i == 2 ? "b c.py" : "a.py", "--lr", "0.1"};
            record.started = 1700000000 + i;
            if (i < 2) {
                record.exitStatus = i;
                record.seconds = 1.5;
            }
            const QString path = m_folder->filePath(QString("r%1").arg(i));
            if (!QDir().mkpath(path) || !runs::writeRun(path.toStdString(), record) ||
                !QFile::copy(test::samplePath(i == 2 ? "graph_breaks" : "view_mutation"), path + "/a.log"))
                qFatal("cannot make a run");
        }
    }
    /// Opens the dialog on the folder; the captures in it were read then.
    [[nodiscard]] bool ask() {
        m_open.window().actionRegistry().trigger("file.runs");
        dialog().setFolder(m_folder->path());
        return QTest::qWaitForWindowActive(&dialog()) && m_open.settles();
    }
    [[nodiscard]] RunsDialog& dialog() { return *part<RunsDialog>(m_open.window()); }
    [[nodiscard]] QTableView& table() { return *part<QTableView>(dialog(), "runs.table"); }
    [[nodiscard]] QStringList column(int column) {
        QStringList out;
        for (int row = 0; row < table().model()->rowCount(); ++row)
            out << table().model()->index(row, column).data().toString();
        return out;
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    test::OpenWindow m_open;
};

QTEST_MAIN(TestRunsWindow)
#include "tst_runs_window.moc"
