// SPDX-License-Identifier: BSD-3-Clause
//
// The page Answers with the real engine: stages are checked by themselves, and whoever asks comes first.
#include "app/gui/engine_actions.h"
#include "app/gui/main_window.h"
#include "tests/support/patience.h"
#include "tests/support/programs.h"
#include "views/answers/answer_card.h"
#include "views/answers/answers_page.h"
#include "views/answers/stage_checker.h"
#include "views/engine/engine.h"
#include "views/engine/passes.h"

#include <QToolButton>
#include <QtTest>

using namespace dynascope;
using namespace dynascope::views;
using answers::Question;
using answers::Standing;

class TestStageChecker : public QObject {
    Q_OBJECT

    struct Opened {
        Theme theme;
        app::Settings settings{QString()};
        TaskRunner tasks;
        Workspace workspace{tasks};
        std::unique_ptr<app::MainWindow> window;

        explicit Opened(bool automatic) {
            settings.setChecksStages(automatic);
            window = std::make_unique<app::MainWindow>(workspace, theme, settings, nullptr,
                                                       std::vector<std::string>{test::engineProgram()});
            window->resize(1280, 800);
            window->show();
        }
        [[nodiscard]] bool open(const char* sample) {
            window->openPaths(
                {QStringLiteral(DYNASCOPE_TEST_DATA "/../../resources/samples/") + QLatin1String(sample)});
            return QTest::qWaitFor([&] { return workspace.place().page == Page::Answers; }, test::patience);
        }
        [[nodiscard]] bool settles() {
            return QTest::qWaitFor([&] { return window->isSettled(); }, 120000);
        }
        AnswersPage& page() { return window->page<AnswersPage>(); }
        AnswerCard& stages() { return *page().card(Question::Stages); }
        QToolButton& button() { return *stages().findChild<QToolButton*>(QStringLiteral("answer.button")); }
    };

private slots:
    void checksByItself() {
        Opened o(true);
        QSignalSpy toSave(&o.window->engineActions().rederived(), &Rederivations::derived);
        QVERIFY(o.open("encoder_train.log"));
        QVERIFY(QTest::qWaitFor([&] { return o.stages().answer().standing == Standing::Checking; },
                                test::patience));
        QVERIFY(o.settles());
        const answers::StageChecks checks = o.page().checker().checks();
        QCOMPARE(checks.stages, std::size_t(3));
        QCOMPARE(checks.isomorphic, std::size_t(3));
        QCOMPARE(o.stages().answer().standing, Standing::InOrder);
        QCOMPARE(o.stages().answer().figure, std::string("3"));
        QCOMPARE(o.stages().answer().items.size(), std::size_t(3));
        QVERIFY(o.button().isHidden()); // nothing is left to check
        QVERIFY(toSave.isEmpty());      // nobody is asked to save what nobody asked for
    }

    void onlyWhereItIsWanted() {
        Opened o(false);
        QVERIFY(o.open("encoder_train.log"));
        QVERIFY(o.settles());
        QVERIFY(!o.page().checker().isRunning());
        QCOMPARE(o.stages().answer().standing, Standing::NotHere);
        QVERIFY(o.button().isVisible());
        o.button().click();
        QVERIFY(o.page().checker().isRunning());
        QVERIFY(o.settles());
        QCOMPARE(o.stages().answer().standing, Standing::InOrder);
    }

    void stops() {
        Opened o(true);
        QVERIFY(o.open("graph_breaks.log"));
        QVERIFY(QTest::qWaitFor([&] { return o.page().checker().isRunning(); }, test::patience));
        o.window->actionRegistry().trigger(QStringLiteral("engine.checkStages"));
        QVERIFY(!o.page().checker().isRunning());
        QVERIFY(!o.settings.checksStages());
        QVERIFY(o.settles());
        QVERIFY(o.page().checker().checks().checked() < 16);
    }

    /// Somebody who asks the engine for something does not wait for all stages, and the check goes on after.
    void whoAsksComesFirst() {
        Opened o(true);
        QVERIFY(o.open("graph_breaks.log"));
        QVERIFY(QTest::qWaitFor([&] { return o.window->engineActions().rederived().isQuiet(); }, 60000));
        QSignalSpy computed(&o.window->engineActions().passes(), &Passes::computed);
        QSignalSpy failed(&o.window->engineActions().passes(), &Passes::failed);
        o.window->engineActions().passes().run(QStringLiteral("functionalize"), 0);
        QVERIFY(QTest::qWaitFor([&] { return !computed.isEmpty() || !failed.isEmpty(); }, 60000));
        QVERIFY(o.page().checker().checks().checked() < 16);
        // The new stage is shown elsewhere; the check, once begun, goes on behind it.
        QVERIFY(QTest::qWaitFor([&] { return !o.page().checker().isRunning(); }, 240000));
        const answers::StageChecks checks = o.page().checker().checks();
        QCOMPARE(checks.checked(), checks.stages);
        QCOMPARE(checks.different, std::size_t(0));
    }

    /// Cancelling what the engine runs ends the check as well: it does not begin again by itself.
    void cancelEndsIt() {
        Opened o(true);
        QVERIFY(o.open("graph_breaks.log"));
        QVERIFY(QTest::qWaitFor([&] { return o.window->engineActions().rederived().isQuiet(); }, 60000));
        o.window->engineActions().engine().cancel();
        QVERIFY(QTest::qWaitFor([&] { return !o.page().checker().isRunning(); }, test::patience));
        QTest::qWait(600); // twice its pause
        QVERIFY(!o.page().checker().isRunning());
        QVERIFY(o.button().isVisible());
    }
};

QTEST_MAIN(TestStageChecker)
#include "tst_stage_checker.moc"
