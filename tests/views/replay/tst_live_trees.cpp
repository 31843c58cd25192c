// SPDX-License-Identifier: BSD-3-Clause
//
// Runs of a capture's graphs under CUDA-graph trees, call by call: started, paused, stepped and cancelled by
// clicks and keys, with an engine that simulates them.
#include "tests/support/live_tree_parts.h"
#include "tests/support/parts.h"
#include "tests/support/patience.h"
#include "tests/views/engine/engine_fixture.h"
#include "tests/views/panel_test.h"
#include "views/replay/live_tree_bar.h"
#include "views/replay/live_trees.h"
#include "views/replay/pool_strip.h"
#include "views/replay/tree_panel.h"
#include "views/replay/tree_picture.h"
#include "views/replay/tree_rows.h"

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QLabel>
#include <QSpinBox>
#include <QToolButton>

using namespace dynascope;
using namespace dynascope::test;
using namespace dynascope::views;
using State = LiveTrees::State;
using replay::TreeStep;

namespace {

struct Shown {
    TaskRunner tasks;
    Workspace workspace{tasks};
    Theme theme;
    Engine engine;
    LiveTrees live;
    TreePanel panel;

    explicit Shown(const char* mode = "")
        : Shown(cannedEngine(mode, "encoder_train_replay")) {}
    explicit Shown(std::vector<std::string> command)
        : engine(std::move(command))
        , live(workspace, engine)
        , panel(workspace, theme, &live) {
        theme.setScheme(ColourScheme::Dark);
        dynascope::test::addCapture(workspace,
                                    std::string(DYNASCOPE_SOURCE_DIR "/resources/samples/encoder_train.log"));
        panel.resize(1400, 900);
        panel.show();
        if (!QTest::qWaitForWindowExposed(&panel)) qFatal("no window");
        panel.activateWindow();
    }
    void click(QToolButton* button) const {
        QVERIFY2(button->isEnabled(), qPrintable(button->text()));
        QTest::mouseClick(button, Qt::LeftButton);
    }
    void waitFor(State state) const {
        QTRY_COMPARE_WITH_TIMEOUT(int(live.state()), int(state), test::patience);
    }
    [[nodiscard]] std::size_t size() const { return live.run() ? live.run()->size() : 0; }
};

} // namespace

class TestLiveTrees : public QObject {
    Q_OBJECT

private slots:
    void runsAtAClick() {
        Shown s;
        QTRY_VERIFY(test::part<LiveTreeBar>(s.panel)->isVisible());
        QVERIFY(!test::part<TreePicture>(s.panel, "treePicture")->isVisible()); // nothing ran yet
        const QAbstractItemModelTester events(test::part<RowTable>(s.panel, "tree.events")->model(),
                                              QAbstractItemModelTester::FailureReportingMode::Fatal);
        const QAbstractItemModelTester inputs(test::part<RowTable>(s.panel, "tree.inputs")->model(),
                                              QAbstractItemModelTester::FailureReportingMode::Fatal);
        test::in(*test::part<LiveTreeBar>(s.panel)).iterations()->setValue(5);
        test::in(*test::part<LiveTreeBar>(s.panel)).moves()->setValue(3);
        s.click(test::in(*test::part<LiveTreeBar>(s.panel)).startButton());
        s.waitFor(State::Ended);
        QTRY_COMPARE(s.panel.walk().position(), s.size());
        const replay::TreeRun& run = *s.live.run();
        // Five times a mark, forward, backward and what the program drops of both.
        QCOMPARE(run.size(), run.program().events.size());
        QCOMPARE(test::part<RowTable>(s.panel, "tree.events")->rows().rowCount(), int(run.size()));
        // Warmed up, recorded, replayed; then the parameters lie elsewhere.
        QCOMPARE(run.rerecords(run.size()), std::size_t(1));
        QCOMPARE(run.counted(run.size()), std::size_t(0));
        QVERIFY(test::part<TreePicture>(s.panel, "treePicture")->isVisible());
        QVERIFY(!test::part<TreePicture>(s.panel, "treePicture")->nodeRect(0).isEmpty());
        QVERIFY(test::part<TreePicture>(s.panel, "treePicture")->plainText().contains("0/0 forward"));
        QVERIFY(test::part<PoolStrip>(s.panel)->isVisible());
        QVERIFY2(test::part<PoolStrip>(s.panel)->text().startsWith("pool of 4"),
                 qPrintable(test::part<PoolStrip>(s.panel)->text()));
        // Nobody is named who writes what is not written.
        const RunCategories categories = runCategories(run, run.size());
        const std::vector<TableRow> rows = runInputRows(run, categories);
        QCOMPARE(rows.size(), categories.inputs.size());
        for (std::size_t i = 0; i < rows.size(); ++i)
            if (!categories.inputs[i].written) QCOMPARE(rows[i][8].text, QString());
        // The same decisions as the simulator's of the same program.
        const replay::TreeRun again(run.program(), TaskContext());
        QCOMPARE(again.size(), run.size());
        for (std::size_t i = 0; i < run.size(); ++i)
            QCOMPARE(int(again.step(i).action), int(run.step(i).action));
    }

    /// One call after the other, by button and by key; the tree grows with each.
    void stepsCalls() {
        Shown s;
        QTRY_VERIFY(test::part<LiveTreeBar>(s.panel)->isVisible());
        s.click(test::in(*test::part<LiveTreeBar>(s.panel))
                    .callButton()); // begins, and waits before the first event
        s.waitFor(State::Paused);
        QCOMPARE(s.size(), std::size_t(0));
        std::size_t calls = 0;
        for (; calls < 6; ++calls) {
            const std::size_t before = s.size();
            if (calls % 2 == 0)
                s.click(test::in(*test::part<LiveTreeBar>(s.panel)).callButton());
            else
                QTest::keyClick(test::part<TreePicture>(s.panel, "treePicture"), Qt::Key_F10,
                                Qt::ControlModifier);
            QTRY_VERIFY_WITH_TIMEOUT(s.live.state() == State::Paused && s.size() > before, test::patience);
            QVERIFY(s.live.run()->step(s.size() - 1).event == TreeStep::Event::Call);
            QTRY_COMPARE(s.panel.walk().position(), s.size());
            const RunCategories counted = runCategories(*s.live.run(), s.size());
            std::size_t checks = 0;
            for (const RunFunction& function : counted.functions)
                checks += function.slow + function.fast;
            QCOMPARE(checks, calls + 1); // each call asks once, slow or fast
        }
        // A reader who went back is not taken along, and F10's way forward is what is there already.
        s.panel.walk().moveTo(2);
        QTest::keyClick(test::part<TreePicture>(s.panel, "treePicture"), Qt::Key_F10, Qt::ControlModifier);
        s.waitFor(State::Paused);
        QTest::qWait(200);
        QCOMPARE(s.panel.walk().position(), std::size_t(2));
        s.panel.stepForward();
        QCOMPARE(s.panel.walk().position(), std::size_t(3));
        // At the end it has the engine go on.
        s.panel.walk().moveTo(SIZE_MAX);
        const std::size_t before = s.size();
        s.panel.stepForward();
        QTRY_VERIFY_WITH_TIMEOUT(s.live.state() != State::Running && s.size() > before, test::patience);
        // Go on to the end.
        QTest::keyClick(test::part<TreePicture>(s.panel, "treePicture"), Qt::Key_Space, Qt::ControlModifier);
        s.waitFor(State::Ended);
        QCOMPARE(s.size(), s.live.run()->program().events.size());
    }

    void runsToTheNextMark() {
        Shown s;
        QTRY_VERIFY(test::part<LiveTreeBar>(s.panel)->isVisible());
        test::in(*test::part<LiveTreeBar>(s.panel)).moves()->setValue(3);
        s.click(test::in(*test::part<LiveTreeBar>(s.panel)).callButton());
        s.waitFor(State::Paused);
        s.click(test::in(*test::part<LiveTreeBar>(s.panel)).markButton());
        QTRY_VERIFY_WITH_TIMEOUT(s.live.state() == State::Paused && s.size() > 1, test::patience);
        QVERIFY(rerecordCause(s.live.run()->step(s.size() - 1)));
        QCOMPARE(s.live.run()->marks().size(), std::size_t(1));
        QTest::keyClick(test::part<TreePicture>(s.panel, "treePicture"), Qt::Key_F5, Qt::ControlModifier);
        s.waitFor(State::Ended); // there is no other
    }

    void pausesAndIsCancelled() {
        Shown s("slow");
        QTRY_VERIFY(test::part<LiveTreeBar>(s.panel)->isVisible());
        test::in(*test::part<LiveTreeBar>(s.panel)).iterations()->setValue(200);
        QTest::keyClick(&s.panel, Qt::Key_Return, Qt::ControlModifier);
        QTRY_VERIFY_WITH_TIMEOUT(s.size() > 3, test::patience);
        QVERIFY(s.live.state() == State::Running);
        QVERIFY(!test::in(*test::part<LiveTreeBar>(s.panel)).startButton()->isEnabled());
        QVERIFY(!test::in(*test::part<LiveTreeBar>(s.panel)).iterations()->isEnabled());
        s.click(test::in(*test::part<LiveTreeBar>(s.panel)).pauseButton());
        s.waitFor(State::Paused);
        const std::size_t paused = s.size();
        QTest::qWait(150);
        QCOMPARE(s.size(), paused);
        QCOMPARE(test::in(*test::part<LiveTreeBar>(s.panel)).pauseButton()->text(), QString("Go on"));
        QVERIFY(test::in(*test::part<LiveTreeBar>(s.panel)).stateLabel()->text().startsWith("Paused after "));
        s.click(test::in(*test::part<LiveTreeBar>(s.panel)).pauseButton());
        QTRY_VERIFY_WITH_TIMEOUT(s.size() > paused, test::patience);
        s.click(test::in(*test::part<LiveTreeBar>(s.panel)).cancelButton());
        s.waitFor(State::Failed);
        QVERIFY(test::in(*test::part<LiveTreeBar>(s.panel)).stateLabel()->text().startsWith("Cancelled."));
        QVERIFY(s.size() > 0); // what ran until then is there
        QVERIFY(test::part<TreePicture>(s.panel, "treePicture")->isVisible());
        QVERIFY(test::in(*test::part<LiveTreeBar>(s.panel)).startButton()->isEnabled());
    }

    /// What a device needs is the engine's own line.
    void saysWhatCudaNeeds() {
        Shown s;
        QTRY_VERIFY(test::part<LiveTreeBar>(s.panel)->isVisible());
        test::in(*test::part<LiveTreeBar>(s.panel)).backend()->setCurrentIndex(1);
        s.click(test::in(*test::part<LiveTreeBar>(s.panel)).startButton());
        s.waitFor(State::Failed);
        QCOMPARE(test::in(*test::part<LiveTreeBar>(s.panel)).stateLabel()->text(),
                 QString("this machine has no NVIDIA driver"));
        test::in(*test::part<LiveTreeBar>(s.panel)).backend()->setCurrentIndex(0);
        s.click(test::in(*test::part<LiveTreeBar>(s.panel)).startButton());
        s.waitFor(State::Ended);
        QVERIFY(!test::in(*test::part<LiveTreeBar>(s.panel)).stateLabel()->isVisible());
    }

    /// Where there is a GPU: the same run for real, call by call and then to its end.
    void runsOnAGpu() {
        const QByteArray engine = qgetenv("DYNASCOPE_GPU_ENGINE");
        if (engine.isEmpty()) QSKIP("DYNASCOPE_GPU_ENGINE names no engine that has a GPU");
        Shown s(std::vector<std::string>{engine.toStdString()});
        LiveTreeBar& bar = *test::part<LiveTreeBar>(s.panel);
        QTRY_VERIFY(bar.isVisible());
        test::in(bar).backend()->setCurrentIndex(1);
        test::in(bar).iterations()->setValue(6);
        test::in(bar).moves()->setValue(3);
        s.click(test::in(bar).callButton());
        s.waitFor(State::Paused);
        for (int calls = 0; calls < 4; ++calls) {
            const std::size_t before = s.size();
            s.click(test::in(bar).callButton());
            QTRY_VERIFY2_WITH_TIMEOUT(s.live.state() == State::Paused && s.size() > before,
                                      qPrintable(test::in(bar).stateLabel()->text()), test::patience);
        }
        QTest::keyClick(test::part<TreePicture>(s.panel, "treePicture"), Qt::Key_Space, Qt::ControlModifier);
        s.waitFor(State::Ended);
        QTRY_COMPARE(s.panel.walk().position(), s.size());
        const replay::TreeRun& run = *s.live.run();
        QCOMPARE(run.size(), run.program().events.size());
        const replay::TreeRun simulated(run.program(), TaskContext());
        for (std::size_t i = 0; i < run.size(); ++i)
            QCOMPARE(int(run.step(i).action), int(simulated.step(i).action));
        QVERIFY2(test::part<PoolStrip>(s.panel)->text().startsWith("pool of "),
                 qPrintable(test::part<PoolStrip>(s.panel)->text()));
        if (const QByteArray picture = qgetenv("DYNASCOPE_GPU_PICTURE"); !picture.isEmpty())
            QVERIFY(s.panel.grab().save(QString::fromLocal8Bit(picture)));
    }
};

QTEST_MAIN(TestLiveTrees)
#include "tst_live_trees.moc"
