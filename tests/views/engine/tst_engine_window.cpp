// SPDX-License-Identifier: BSD-3-Clause
//
// The window with an engine, offscreen: layouts, verdicts, an engine that dies, is slow or is not there.
#include "app/gui/chrome.h"
#include "app/gui/engine_actions.h"
#include "app/gui/op_transport.h"
#include "app/gui/stages_page.h"
#include "app/gui/window_docks.h"
#include "tests/support/key_conflicts.h"
#include "tests/support/message_bar.h"
#include "tests/support/parts.h"
#include "tests/support/patience.h"
#include "tests/views/engine/engine_window.h"
#include "views/base/row_table.h"
#include "views/engine/engine_status.h"
#include "views/engine/plugins_dialog.h"
#include "views/engine/rederivations.h"
#include "views/functionalize/functionalize_page.h"
#include "views/functionalize/scorecard_view.h"
#include "views/palette/palette.h"
#include "views/palette/palette_model.h"
#include "views/timeline/timeline_view.h"

#include <QApplication>
#include <QClipboard>
#include <QLabel>
#include <QPushButton>
#include <csignal>

using namespace dynascope;
using namespace dynascope::app;
using namespace dynascope::test;
using namespace dynascope::views;

class TestEngineWindow : public QObject {
    Q_OBJECT

    struct Opened : EngineWindow {
        explicit Opened(std::vector<std::string> engine)
            : EngineWindow(std::move(engine)) {
            addCase(workspace);
        }
        void functionalize() {
            window.actionRegistry().trigger(QStringLiteral("engine.run.functionalize"));
            QTRY_VERIFY_WITH_TIMEOUT(window.engineActions().stepper().recording(), test::patience);
            QTRY_VERIFY_WITH_TIMEOUT(!window.engineActions().engine().isBusy(), test::patience);
        }
        [[nodiscard]] EngineStatus& status() { return *window.findChild<EngineStatus*>(); }
    };

private slots:
    /// Without a tracer the joint graph is declined; forward and backward need only the partitioner.
    void badgesOfDerivedGraphs() {
        Opened w(cannedEngine());
        addCapture(w.workspace, DYNASCOPE_SOURCE_DIR "/resources/samples/encoder_train.log");
        QTRY_VERIFY_WITH_TIMEOUT(w.window.isSettled(), test::patience);
        TimelineView* timeline = w.window.page<StagesPage>().timeline();
        QVERIFY(timeline->badgeRect(2).isEmpty());
        w.window.actionRegistry().trigger(QStringLiteral("engine.rederive"));
        QTRY_VERIFY_WITH_TIMEOUT(test::messageBar(w.window).text().contains("2 isomorphic"), test::patience);
        QCOMPARE(timeline->verdictText(0), QString()); // nothing is derived of Dynamo's own
        QCOMPARE(timeline->verdictText(1), QStringLiteral("declined"));
        QCOMPARE(timeline->verdictText(2), QStringLiteral("isomorphic"));
        QVERIFY(w.window.engineActions()
                    .rederived()
                    .text(w.workspace.stageAt(1).get())
                    .contains("no method 'aot'"));
        QTest::mouseClick(timeline->viewport(), Qt::LeftButton, {}, timeline->badgeRect(2).center());
        QTRY_VERIFY_WITH_TIMEOUT(w.window.isSettled(), test::patience);
        QCOMPARE(w.workspace.place().stageA, 2);
        QVERIFY(w.workspace.isComputed(w.workspace.place().stageB));
        QCOMPARE(timeline->verdictText(w.workspace.place().stageB), QStringLiteral("isomorphic"));
        // Shown once, however often it is asked for.
        const int shown = w.workspace.place().stageB;
        QTest::mouseClick(timeline->viewport(), Qt::LeftButton, {}, timeline->badgeRect(2).center());
        QCOMPARE(w.workspace.place().stageB, shown);
        // Badges stand beside the names and the discs, in a low timeline too.
        w.workspace.selectStages(shown, shown);
        for (const bool compact : {false, true}) {
            timeline->setCompact(compact);
            for (int i = 0; i < w.workspace.stageCount(); ++i)
                for (int k = 0; k < w.workspace.stageCount(); ++k) {
                    const QRect name = timeline->nameRect(k);
                    const QByteArray which = QStringLiteral("%1 %2 %3").arg(compact).arg(i).arg(k).toUtf8();
                    QVERIFY2(!timeline->badgeRect(i).intersects(name), which);
                    QVERIFY2(!timeline->metadataRect(i).intersects(name), which);
                    QVERIFY2(i == k || !timeline->metadataRect(i).intersects(timeline->badgeRect(k)), which);
                }
            const QPoint middle = timeline->stagePoint(shown);
            QVERIFY(timeline->badgeRect(shown).left() >
                    middle.x() + 18); // two discs of 9 pixels, B at the right
        }
    }

    void listsThePlugins() {
        Opened w(cannedEngine());
        w.window.actionRegistry().trigger(QStringLiteral("engine.plugins"));
        auto* dialog = w.window.findChild<PluginsDialog*>();
        QVERIFY(dialog);
        QTRY_COMPARE_WITH_TIMEOUT(test::part<RowTable>(*dialog, "plugins.table")->rows().rowCount(), 3,
                                  test::patience);
        QStringList cells;
        for (const TableRow& row : test::part<RowTable>(*dialog, "plugins.table")->rows().rows())
            cells << row[0].text + ": " + row[2].text + " (" + row[3].text + ')';
        QCOMPARE(cells, QStringList({"polish: loaded: polish, shine (ada)",
                                     "strange: not loaded: it belongs to another user (eve)",
                                     "cuda: not loaded: is not there ()"}));
        QVERIFY(test::part<QLabel>(*dialog, "plugins.note")->text().contains("/opt/plugins"));
        dialog->copyAll();
        QVERIFY(QApplication::clipboard()->text().contains(
            "/opt/plugins/polish.so (passes, of ada, built for PyTorch 2.13.0): loaded: polish, shine\n"));
        dialog->close();
    }

    void aComputedStageIsAStage() {
        Opened w(cannedEngine());
        QCOMPARE(w.status().text(), QStringLiteral("Engine not started"));
        QCOMPARE(w.workspace.stageCount(), 4);
        w.functionalize();
        // This one does not say that it is confined.
        QCOMPARE(w.status().text(), QStringLiteral("Engine ready, LibTorch 2.13.0+canned, not confined"));
        QVERIFY2(w.status().toolTip().contains("a graph that takes it over could write your files, read your "
                                               "files, use the network, start programs."),
                 qPrintable(w.status().toolTip()));
        QCOMPARE(w.workspace.stageCount(), 5);
        QCOMPARE(w.workspace.place().stageA, 0);
        QCOMPARE(w.workspace.place().stageB, 4);
        QVERIFY(w.workspace.diff());
        QVERIFY(w.workspace.diff()->added > 0);
        TimelineView* timeline = w.window.page<StagesPage>().timeline();
        QTRY_VERIFY(timeline->isSettled());
        QCOMPARE(timeline->verdictText(4), QStringLiteral("isomorphic"));
        // Searched like any other.
        w.workspace.selectStages(1, 2);
        w.window.palette().open(QStringLiteral("@select_scatter_3"));
        QTRY_VERIFY(w.window.palette().model().hit(1));
        w.window.palette().dismiss();
        w.workspace.selectStages(0, 4);
        w.window.palette().open(QStringLiteral("@mul_"));
        QTRY_VERIFY(w.window.palette().model().hit(1));
        w.window.palette().dismiss();
        // A click on it and on a captured stage, and the keys that step.
        QTest::mouseClick(timeline->viewport(), Qt::LeftButton, {}, timeline->stagePoint(1));
        QCOMPARE(w.workspace.place().stageB, 1);
        QTest::mouseClick(timeline->viewport(), Qt::LeftButton, {}, timeline->stagePoint(4));
        QCOMPARE(w.workspace.place().stageB, 4);
        w.window.actionRegistry().trigger(QStringLiteral("go.previousStage"));
        QCOMPARE(w.workspace.place().stageB, 3);
        // Again: takes the place of the first result.
        w.workspace.selectStages(0, 1);
        w.functionalize();
        QCOMPARE(w.workspace.stageCount(), 5);
        // The passes that the engine lists came into the menu.
        QVERIFY(w.window.actionRegistry().find(QStringLiteral("engine.run.dce")));
        QVERIFY(test::keyConflicts(w.window.actionRegistry()).isEmpty());
        w.workspace.close(0);
        QCOMPARE(w.workspace.stageCount(), 0);
        QVERIFY(!w.window.engineActions().stepper().recording());
    }

    void itsNodesLinkByWhatThePassRecorded() {
        Opened w(cannedEngine());
        w.functionalize();
        const auto diff = w.workspace.diff();
        QVERIFY(diff);
        QCOMPARE(diff->removed, 0U);
        const ir::Graph& a = *w.workspace.stage(Side::A).graph;
        const ir::Graph& b = *w.workspace.stage(Side::B).graph;
        QCOMPARE(diff->partnerOfA[a.find("mul_")], b.find("mul_1"));
        w.workspace.selectNode({Side::A, a.find("mul_")});
        QStringList became;
        for (const ir::NodeIndex node : w.workspace.related())
            became << QString::fromStdString(b.node(node).name);
        QCOMPARE(became.join(u' '), QStringLiteral("select_3 mul_1 select_scatter_1 select_4"));
    }

    void aComputedStageGoesAndComesBack() {
        Opened w(cannedEngine());
        w.functionalize();
        TimelineView* timeline = w.window.page<StagesPage>().timeline();
        const session::StagePtr stage = w.workspace.stageAt(4);
        QVERIFY(w.window.engineActions().stepper().recording());
        timeline->setFocus();
        QTest::keyClick(timeline, Qt::Key_Delete);
        QVERIFY(!w.workspace.stageAt(4));
        QCOMPARE(w.workspace.stageCount(), 4);
        QVERIFY(!w.window.engineActions().stepper().recording());
        QVERIFY(test::messageBar(w.window).text().contains(QStringLiteral("functionalize was removed")));
        QTest::keyClick(timeline, Qt::Key_Delete); // captured stages stay
        QCOMPARE(w.workspace.stageCount(), 4);
        w.window.actionRegistry().trigger(QStringLiteral("go.back"));
        QCOMPARE(w.workspace.stageAt(4), stage);
        QVERIFY(w.window.engineActions().stepper().recording());
        QCOMPARE(timeline->verdictText(4), QStringLiteral("isomorphic"));
        // Again, on the same graph: a new result in the old place, also after it was removed.
        w.window.engineActions().passes().recompute(4);
        QTRY_VERIFY_WITH_TIMEOUT(w.workspace.stageAt(4) != stage, test::patience);
        QTRY_VERIFY_WITH_TIMEOUT(!w.window.engineActions().engine().isBusy(), test::patience);
        QCOMPARE(w.workspace.stageCount(), 5);
        w.workspace.removeComputed(4);
        w.workspace.selectStages(0, 1);
        w.functionalize();
        QCOMPARE(w.workspace.stageCount(), 5);
        QCOMPARE(w.workspace.stageAt(4)->label(), std::string("functionalize"));
    }

    void theFunctionalizeLayout() {
        Opened w(cannedEngine());
        w.window.actionRegistry().trigger(QStringLiteral("go.functionalize"));
        QTRY_VERIFY_WITH_TIMEOUT(w.window.engineActions().stepper().recording(), test::patience);
        QTRY_VERIFY(w.window.isSettled());
        QCOMPARE(w.workspace.place().page, Page::Functionalize);
        QVERIFY(w.window.page<FunctionalizePage>().isVisible());
        auto* transport = w.window.findChild<OpTransport*>();
        QVERIFY(transport->isVisible());
        QVERIFY(!w.window.docks().find(PanelId::Capture)->isVisible());
        const QString before = transport->text();
        QTest::keyClick(&w.window, Qt::Key_F11);
        QVERIFY(transport->text() != before);
        QTest::keyClick(&w.window, Qt::Key_F10);
        QCOMPARE(w.window.engineActions().stepper().op(), 5);
        QTest::keyClick(&w.window, Qt::Key_F5);
        QCOMPARE(w.window.engineActions().stepper().op(), 7);
        QTest::keyClick(&w.window, Qt::Key_F5, Qt::ShiftModifier);
        QCOMPARE(w.window.engineActions().stepper().op(), 5);
        // The source node of the step is the selected one: the inspector follows.
        QCOMPARE(w.workspace.selectedNode()->name, std::string("mul_"));
        w.window.actionRegistry().trigger(QStringLiteral("go.stages"));
        QVERIFY(!transport->isVisible());
        QVERIFY(w.window.docks().find(PanelId::Capture)->isVisible());
    }

    void aRedBadgeOpensTheFirstDifference() {
        Opened w(cannedEngine("different"));
        w.functionalize();
        TimelineView* timeline = w.window.page<StagesPage>().timeline();
        QTRY_COMPARE(timeline->verdictText(4), QStringLiteral("different"));
        w.workspace.selectStages(1, 2);
        QSignalSpy sought(&w.workspace, &Workspace::nodeSought);
        QTest::mouseClick(timeline->viewport(), Qt::LeftButton, {}, timeline->badgeRect(4).center());
        QCOMPARE(sought.size(), 1);
        QCOMPARE(w.workspace.place().stageA, 0);
        QCOMPARE(w.workspace.place().stageB, 4);
        QVERIFY(w.workspace.selectedNode());
        QCOMPARE(w.workspace.selectedNode()->name, std::string("select_scatter_3"));
        const QString message = test::messageBar(w.window).text();
        QVERIFY2(message.contains(QStringLiteral("different")), qPrintable(message));
        QVERIFY2(message.contains(QStringLiteral("First at select_scatter_3: 7, eager 11")),
                 qPrintable(message));
        // It is of the stages that are shown.
        Place place = w.workspace.place();
        place.page = Page::Answers;
        w.workspace.go(place);
        QVERIFY(!test::messageBar(w.window).isVisible());
    }

    void verifies() {
        Opened w(cannedEngine());
        QVERIFY(!w.window.actionRegistry().find(QStringLiteral("engine.verify"))->isEnabled());
        w.functionalize();
        const session::StagePtr stage = w.workspace.stageAt(4);
        w.workspace.setVerdict(stage, {});
        QTest::keyClick(&w.window, Qt::Key_F6);
        QTRY_COMPARE(w.workspace.verdict(stage.get()).kind, computed::StageVerdict::Kind::Equal);
    }

    void nothingIsLostWhenTheEngineDies() {
        Opened w(cannedEngine());
        w.window.actionRegistry().trigger(QStringLiteral("go.functionalize"));
        QTRY_VERIFY_WITH_TIMEOUT(w.window.engineActions().stepper().recording(), test::patience);
        QTRY_VERIFY(!w.window.engineActions().engine().isBusy());
        w.window.engineActions().stepper().goTo(5, 2);
        const QString card =
            test::part<ScorecardView>(w.window.page<FunctionalizePage>(), "scorecard")->plainText();
        QVERIFY(w.window.engineActions().engine().processId() > 0);
        ::kill(pid_t(w.window.engineActions().engine().processId()), SIGKILL);
        QTRY_COMPARE_WITH_TIMEOUT(w.window.engineActions().engine().state(), Engine::State::Stopped,
                                  test::patience);
        QCOMPARE(test::part<ScorecardView>(w.window.page<FunctionalizePage>(), "scorecard")->plainText(),
                 card);
        QCOMPARE(w.workspace.stageCount(), 5);
        QVERIFY(test::messageBar(w.window).text().contains(QStringLiteral("Nothing shown is lost")));
        w.window.engineActions().stepper().stepOp(1); // all of it is here
        QCOMPARE(w.window.engineActions().stepper().op(), 6);
        QVERIFY(test::part<QPushButton>(w.status(), "engine.button")->isVisible());
        QTest::mouseClick(test::part<QPushButton>(w.status(), "engine.button"), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(w.window.engineActions().engine().state(), Engine::State::Ready,
                                  test::patience);
        QVERIFY(!test::messageBar(w.window).isVisible()); // what it was about is over
    }

    /// It says nothing of a graph when it dies: no badge, and what was known before stays.
    void anEngineThatDiesLeavesNoVerdict() {
        Opened w(cannedEngine("dies"));
        addCapture(w.workspace, DYNASCOPE_SOURCE_DIR "/resources/samples/encoder_train.log");
        QTRY_VERIFY_WITH_TIMEOUT(w.window.isSettled(), test::patience);
        TimelineView* timeline = w.window.page<StagesPage>().timeline();
        w.window.actionRegistry().trigger(QStringLiteral("engine.rederive"));
        QTRY_COMPARE_WITH_TIMEOUT(w.window.engineActions().engine().state(), Engine::State::Stopped,
                                  test::patience);
        QTRY_VERIFY(test::messageBar(w.window).isVisible());
        for (int stage = 0; stage < w.workspace.stageCount(); ++stage)
            QCOMPARE(timeline->verdictText(stage), QString());
        QVERIFY2(!test::messageBar(w.window).text().contains(QStringLiteral("declined")),
                 qPrintable(test::messageBar(w.window).text()));
        w.window.engineActions().engine().start();
        QTRY_COMPARE_WITH_TIMEOUT(w.window.engineActions().engine().state(), Engine::State::Ready,
                                  test::patience);
        QVERIFY(!test::messageBar(w.window).isVisible());
    }

    void cancels() {
        Opened w(cannedEngine("slow"));
        w.window.actionRegistry().trigger(QStringLiteral("engine.run.functionalize"));
        QTRY_VERIFY_WITH_TIMEOUT(w.status().text().startsWith(QStringLiteral("Functionalizing, ")),
                                 test::patience);
        QCOMPARE(test::part<QPushButton>(w.status(), "engine.button")->text(), QStringLiteral("Cancel"));
        QTest::mouseClick(test::part<QPushButton>(w.status(), "engine.button"), Qt::LeftButton);
        QVERIFY(!w.window.engineActions().engine().isBusy());
        QCOMPARE(w.workspace.stageCount(), 4);
        // It goes on working: the slow engine stopped when it was told to.
        w.window.actionRegistry().trigger(QStringLiteral("engine.run.functionalize"));
        QTRY_VERIFY_WITH_TIMEOUT(w.status().text().startsWith(QStringLiteral("Functionalizing, ")),
                                 test::patience);
        w.window.engineActions().engine().cancel();
    }

    void refusalsNameTheNode() {
        Opened w(cannedEngine());
        w.window.engineActions().passes().run(QStringLiteral("shapes"), 0);
        QTRY_VERIFY_WITH_TIMEOUT(!test::messageBar(w.window).text().isEmpty(), test::patience);
        QVERIFY2(test::messageBar(w.window).text().contains(
                     QStringLiteral("at node mul_: aten.special_op has no rule")),
                 qPrintable(test::messageBar(w.window).text()));
        QCOMPARE(w.workspace.stageCount(), 4);
    }

    void withoutAnEngine() {
        Opened w({"/nowhere/dynascope-engine"});
        QCOMPARE(w.status().text(), QStringLiteral("No engine"));
        QVERIFY(!w.window.actionRegistry().find(QStringLiteral("engine.run.functionalize"))->isEnabled());
        w.window.actionRegistry().trigger(QStringLiteral("go.functionalize"));
        QVERIFY(w.window.page<FunctionalizePage>().message().contains(QStringLiteral("./run builds it")));
    }
};

QTEST_MAIN(TestEngineWindow)
#include "tst_engine_window.moc"
