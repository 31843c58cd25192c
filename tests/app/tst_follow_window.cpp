// SPDX-License-Identifier: BSD-3-Clause
//
// The window on a log that somebody writes: what comes in appears, and the reader keeps the place.
#include "app/gui/action_registry.h"
#include "app/gui/chrome.h"
#include "app/gui/stages_page.h"
#include "app/gui/window_docks.h"
#include "tests/support/message_bar.h"
#include "tests/support/open_window.h"
#include "tests/support/parts.h"
#include "tests/support/trace_text.h"
#include "views/canvas/compare_view.h"
#include "views/capture/capture_model.h"
#include "views/capture/capture_panel.h"
#include "views/notes/notebook.h"
#include "views/workspace/follower.h"

#include <QAbstractItemModelTester>
#include <QFile>
#include <QLabel>
#include <QScrollBar>
#include <QSignalSpy>
#include <QSortFilterProxyModel>
#include <QTemporaryDir>
#include <QTreeView>
#include <cstdio>

using namespace dynascope;
using namespace dynascope::app;
using namespace dynascope::views;

namespace {

std::string compileText(int frame, int ops = 3) {
    test::TraceText text;
    text.at(frame, 0).start("f" + std::to_string(frame), 10 * (frame + 1));
    text.add("\"dynamo_output_graph\": {}", test::readableGraph(ops));
    text.artifact("before_post_grad_graph", test::readableGraph(ops + 1));
    return text.metrics("\"fail_type\": null", "f" + std::to_string(frame), 10 * (frame + 1)).text();
}

} // namespace

class TestFollowWindow : public QObject, private test::OpenWindow {
    Q_OBJECT

private:
    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_log;

    void write(const std::string& text, QIODevice::OpenMode how = QIODevice::Truncate) {
        QFile file(m_log);
        QVERIFY(file.open(QIODevice::WriteOnly | how));
        QCOMPARE(file.write(text.data(), qint64(text.size())), qint64(text.size()));
    }
    void append(const std::string& text) { write(text, QIODevice::Append); }
    QString followingText() { return test::part<QLabel>(window(), "status.following")->text(); }
    void open(const QString& path) {
        window().follower().setInterval(std::chrono::milliseconds(20));
        window().openPaths({path});
        QTRY_COMPARE(workspace().captures().size(), 1U);
        QVERIFY(settles());
    }
    QAction* action(const char* id) { return window().actionRegistry().find(QLatin1String(id)); }
    std::size_t compiles() { return workspace().captures()[0].session->compiles.size(); }
    QTreeView* tree() { return window().docks().capturePanel().tree(); }
    QStringList compileRows(const QModelIndex& parent = {}) {
        QStringList out;
        for (int i = 0; i < tree()->model()->rowCount(parent); ++i) {
            const QModelIndex at = tree()->model()->index(i, 0, parent);
            if (at.data(CaptureModel::KindRole).toInt() == int(CaptureModel::Kind::Compile))
                out << at.data(CaptureModel::StrongRole).toString();
            out << compileRows(at);
        }
        return out;
    }

private slots:
    void init() {
        m_folder = std::make_unique<QTemporaryDir>();
        m_log = m_folder->filePath("train.log");
        QVERIFY(show());
    }
    void cleanup() { close(); }

    /// As `run --follow` opens the window.
    void whatIsOpenedIsFollowed() {
        write(compileText(0));
        window().followAll();
        open(m_log);
        QTRY_VERIFY(window().follower().isFollowing(0));
        append(compileText(1));
        QTRY_COMPARE(compiles(), 2U);
    }

    void whatComesInAppearsAndThePlaceStays() {
        std::string text;
        for (int frame = 0; frame < 40; ++frame)
            text += compileText(frame);
        write(text);
        open(m_log);
        auto* proxy = qobject_cast<QSortFilterProxyModel*>(tree()->model());
        QVERIFY(proxy);
        const QAbstractItemModelTester tester(proxy->sourceModel(),
                                              QAbstractItemModelTester::FailureReportingMode::QtTest);
        const QAbstractItemModelTester proxyTester(proxy,
                                                   QAbstractItemModelTester::FailureReportingMode::QtTest);
        QVERIFY(action("capture.follow")->isEnabled() && !action("capture.follow")->isChecked());
        action("capture.follow")->trigger();
        QVERIFY(action("capture.follow")->isChecked());
        QVERIFY(window().follower().isFollowing(0));
        QTRY_VERIFY2(followingText().startsWith("Following train.log"), qPrintable(followingText()));

        // The reader's place: a compile in the middle, a node, a note, a closed frame, a scrolled tree.
        workspace().selectCompile(0, 20);
        QVERIFY(settles());
        const session::StagePtr stage = workspace().stage(Side::B).stage;
        const ir::GraphPtr graph = workspace().stage(Side::B).graph;
        QVERIFY(graph);
        const ir::NodeIndex node = graph->find("add_1");
        workspace().selectNode({Side::B, node});
        const session::Compile& shown = *workspace().compile();
        const ir::Address address{shown.rank, shown.id.toString(), stage->attempt, stage->name, stage->k,
                                  "add_1"};
        window().notebook().setNote(0, address, "look here");
        const QModelIndex closed = proxy->index(2, 0, proxy->index(0, 0));
        const QString closedName = closed.data(CaptureModel::StrongRole).toString();
        tree()->collapse(closed);
        const QString current = tree()->currentIndex().data(CaptureModel::StrongRole).toString();
        QCOMPARE(current, QString::fromStdString(shown.id.toString()));
        const int scroll = tree()->verticalScrollBar()->value();
        QVERIFY(scroll > 0);
        QVERIFY(settles());
        const auto view = window().page<StagesPage>().compare()->view();
        const Place place = workspace().place();
        QSignalSpy stages(&workspace(), &Workspace::stagesChanged);

        append(compileText(40) + compileText(41));
        QTRY_COMPARE(compiles(), 42U);
        QVERIFY(settles());
        QCOMPARE(compileRows().size(), 42);
        QVERIFY(compileRows().contains("41/0"));
        QCOMPARE(workspace().place(), place);
        QCOMPARE(workspace().stage(Side::B).stage.get(), stage.get());
        QCOMPARE(workspace().stage(Side::B).graph.get(), graph.get());
        QCOMPARE(stages.size(), 0); // the canvas is not even asked to draw anew
        const auto after = window().page<StagesPage>().compare()->view();
        QVERIFY(after.zoom == view.zoom && after.a == view.a && after.b == view.b);
        QCOMPARE(window().notebook().note(0, address), QString("look here"));
        QCOMPARE(tree()->currentIndex().data(CaptureModel::StrongRole).toString(), current);
        QCOMPARE(tree()->verticalScrollBar()->value(), scroll);
        const QModelIndex still = proxy->index(2, 0, proxy->index(0, 0));
        QCOMPARE(still.data(CaptureModel::StrongRole).toString(), closedName);
        QVERIFY(!tree()->isExpanded(still));
        QVERIFY(followingText().contains("grew "));

        // Steps to undo go on with the capture that took its place.
        window().notebook().undoStack().undo();
        QCOMPARE(window().notebook().note(0, address), QString());
    }

    void halfARecordIsNoProblem() {
        write(compileText(0));
        open(m_log);
        action("capture.follow")->trigger();
        const std::string next = compileText(1);
        append(next.substr(0, next.size() / 2));
        QTest::qWait(200); // some looks at it
        QVERIFY(settles());
        QVERIFY(workspace().captures()[0].session->warnings.empty());
        append(next.substr(next.size() / 2));
        QTRY_COMPARE(compiles(), 2U);
        QTRY_COMPARE(workspace().captures()[0].session->compiles[1].stages.size(), 2U);
        QVERIFY(workspace().captures()[0].session->warnings.empty());
        // Not followed any more, what the file ends with is told.
        append(next.substr(0, next.size() / 2));
        QTest::qWait(200);
        action("capture.follow")->trigger();
        QVERIFY(!window().follower().isFollowing(0));
        QTRY_VERIFY(!workspace().captures()[0].session->warnings.empty());
    }

    void truncationAndReplacementAreSaid() {
        write(compileText(0) + compileText(1));
        open(m_log);
        action("capture.follow")->trigger();
        write(compileText(5));
        QTRY_VERIFY2(test::messageBar(window()).text().contains("was truncated: opened again") ||
                         test::messageBar(window()).text().contains("was written to in place: opened again"),
                     qPrintable(test::messageBar(window()).text()));
        QCOMPARE(compiles(), 1U);
        QCOMPARE(compileRows(), QStringList{"5/0"});
        const QString other = m_folder->filePath("other");
        const QString log = std::exchange(m_log, other);
        write(compileText(6) + compileText(7) + compileText(8));
        m_log = log;
        QCOMPARE(std::rename(other.toLocal8Bit().constData(), log.toLocal8Bit().constData()), 0);
        QTRY_COMPARE(test::messageBar(window()).text(),
                     QString("train.log was replaced by another file: opened again"));
        QCOMPARE(compileRows(), QStringList({"6/0", "7/0", "8/0"}));
        QVERIFY(QFile::remove(m_log));
        QTRY_COMPARE(test::messageBar(window()).text(), QString("train.log is gone"));
        QCOMPARE(compiles(), 3U); // what was read stays
        write(compileText(9));
        QTRY_COMPARE(compileRows(), QStringList{"9/0"});
    }

    void aNewRankOfAFolderAppears() {
        const auto ranked = [this](int rank) {
            return m_folder->filePath(QStringLiteral("dedicated_log_torch_trace_rank_%1_x.log").arg(rank));
        };
        m_log = ranked(0);
        write(compileText(0));
        open(m_folder->path());
        action("capture.follow")->trigger();
        m_log = ranked(1);
        write(compileText(0) + compileText(1));
        QTRY_COMPARE(workspace().captures()[0].session->ranks.size(), 2U);
        QTRY_COMPARE(compileRows().size(), 3);
        m_log = ranked(0);
        append(compileText(2));
        QTRY_COMPARE(compileRows().size(), 4);
    }

    void anotherFileOnDiskIsOfferedToBeReloaded() {
        write(compileText(0) + compileText(1));
        open(m_log);
        workspace().selectCompile(0, 1);
        const session::Compile& shown = *workspace().compile();
        const ir::Address address{shown.rank, shown.id.toString(), 0, "dynamo_output_graph", 0, {}};
        window().notebook().setNote(0, address, "mine");
        append(compileText(2));
        QTRY_COMPARE(test::messageBar(window()).text(),
                     QString("train.log grew since it was read. What is shown is what it held then."));
        QVERIFY(test::part<QAbstractButton>(test::messageBar(window()), "messageBar.offer")->isVisible());
        QCOMPARE(compiles(), 2U); // not before somebody says so
        test::part<QAbstractButton>(test::messageBar(window()), "messageBar.offer")->click();
        QTRY_COMPARE(compiles(), 3U);
        QVERIFY(!test::messageBar(window()).isVisible());
        QCOMPARE(workspace().place().compile, 1);
        QCOMPARE(window().notebook().note(0, address), QString("mine"));

        write(compileText(0));
        QTRY_VERIFY(test::messageBar(window()).text().startsWith("train.log was truncated since"));
        action("capture.reload")->trigger();
        QTRY_COMPARE(compiles(), 1U);
        QCOMPARE(workspace().place().compile, 0);                        // the other one is gone
        QCOMPARE(window().notebook().note(0, address), QString("mine")); // and its note waits
    }

    void saysWhyACaptureIsNotFollowed_data() {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("why");
        QTest::newRow("packed") << DYNASCOPE_TEST_DATA "/captures/write_before_break.log.gz"
                                << "A packed log is not followed: open the log that it is packed from";
        QTest::newRow("no log") << DYNASCOPE_SOURCE_DIR "/resources/samples/sibling_views.json"
                                << "Only logs are followed, and this is none: oracle case";
        QTest::newRow("recording") << DYNASCOPE_SOURCE_DIR "/resources/samples/early_exit.dsteps"
                                   << "A recording that grows is read on by the page Dynamo, without this";
    }
    void saysWhyACaptureIsNotFollowed() {
        QFETCH(QString, path);
        QFETCH(QString, why);
        QCOMPARE(window().follower().whyNotFollowed(0), QString("Open a log first"));
        open(path);
        QCOMPARE(window().follower().whyNotFollowed(0), why);
        QVERIFY(!action("capture.follow")->isEnabled());
        QVERIFY2(action("capture.follow")->toolTip().endsWith(why),
                 qPrintable(action("capture.follow")->toolTip()));
    }

    void isFollowedAgainWhenItIsOpenedAgain() {
        write(compileText(0));
        open(m_log);
        action("capture.follow")->trigger();
        workspace().close(0);
        QVERIFY(!action("capture.follow")->isChecked() && !action("capture.follow")->isEnabled());
        QCOMPARE(followingText(), QString());
        open(m_log);
        QTRY_VERIFY(window().follower().isFollowing(0));
        QVERIFY(action("capture.follow")->isChecked());
        QCOMPARE(proxyRight(), QString("following"));
        action("capture.follow")->trigger();
        QVERIFY(proxyRight() != QString("following"));
        append(compileText(1));
        QTRY_VERIFY(test::part<QAbstractButton>(test::messageBar(window()), "messageBar.offer")->isVisible());
        QCOMPARE(compiles(), 1U);
    }

private:
    QString proxyRight() { return tree()->model()->index(0, 0).data(CaptureModel::RightRole).toString(); }
};

QTEST_MAIN(TestFollowWindow)
#include "tst_follow_window.moc"
