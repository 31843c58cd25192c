// SPDX-License-Identifier: BSD-3-Clause
//
// File > Record with a real program and PyTorch's own compiler: it pauses at a breakpoint, is stepped, goes
// on to a graph break, and its recording is read while it waits and after it ended. Nothing here depends on
// how long any of it takes; the limits are those of a program that hangs.
#include "app/gui/action_registry.h"
#include "app/gui/record_dialog.h"
#include "core/dynamo/cursor.h"
#include "core/dynamo/describe.h"
#include "core/session/breaks.h"
#include "tests/support/dynamo_parts.h"
#include "tests/support/open_window.h"
#include "tests/support/patience.h"
#include "tests/support/record_parts.h"
#include "views/compare/compare_page.h"
#include "views/dynamo/breakpoints_model.h"
#include "views/dynamo/breakpoints_view.h"
#include "views/dynamo/console_view.h"
#include "views/dynamo/dynamo_page.h"
#include "views/dynamo/live_bar.h"
#include "views/dynamo/live_session.h"

#include <QCheckBox>
#include <QFile>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTemporaryDir>
#include <QtTest>

using namespace dynascope;
using namespace dynascope::app;
using namespace dynascope::views;

namespace {

constexpr int patience = 240'000; ///< ms; PyTorch alone takes many seconds to import on a busy machine

constexpr char scalarProgram[] = R"(import torch

@torch.compile(backend="eager")
def f(x):
    n = x.sum().item()
    return x * n

print("result", f(torch.ones(3)).sum().item())
)";

constexpr char program[] = R"(import torch

def helper(y):
    z = y.relu()
    return z + 1

@torch.compile(backend="eager")
def f(x):
    h = x * 2
    h = helper(h)
    torch._dynamo.graph_break()
    return h.sum()

print("result", f(torch.ones(3)).item())
)";

} // namespace

class TestRecordLive : public QObject, private test::OpenWindow {
    Q_OBJECT

    QTemporaryDir m_folder;

    DynamoPage& page() { return window().page<DynamoPage>(); }
    std::string say(const char* call) {
        test::in(page()).consoleInput()->setText(QLatin1String(call));
        QTest::keyClick(test::in(page()).consoleInput(), Qt::Key_Return);
        return test::in(page()).console()->log().section(QStringLiteral("\u203a"), -1).toStdString();
    }

private slots:
    void init() { QVERIFY(show()); }
    void cleanup() { close(); }

    /// "What if I fixed this break?": the way out that is a setting, recorded with it and compared.
    void triesAWayOut() {
        {
            QFile file(m_folder.filePath("scalar.py"));
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(scalarProgram);
        }
        window().actionRegistry().trigger("file.record");
        RecordDialog& dialog = *test::part<RecordDialog>(window());
        test::in(dialog).command()->setText(QStringLiteral(DYNASCOPE_TEST_PYTHON " scalar.py"));
        test::in(dialog).workingFolder()->setText(m_folder.path());
        test::in(dialog).outputFolder()->setText("scalar");
        test::in(dialog).pauses()->setChecked(false);
        QTest::mouseClick(test::in(dialog).startButton(), Qt::LeftButton);
        const auto told = [&] { return test::in(dialog).printed()->toPlainText(); };
        QTRY_VERIFY2_WITH_TIMEOUT(!workspace().captures().empty(), qPrintable(told()), patience);
        // Its page is what was recorded of Dynamo.
        QTRY_COMPARE_WITH_TIMEOUT(workspace().place().page, Page::Dynamo, patience);
        const session::BreakSummary& before = workspace().captures().front().breaks;
        QCOMPARE(before.breaks, std::size_t(1));
        QString setting;
        for (const session::WayOut& way : before.groups.front().waysOut)
            if (setting.isEmpty()) setting = QString::fromStdString(session::settingToTry(way));
        QCOMPARE(setting, QString("capture_scalar_outputs=True"));

        emit workspace().trialRequested(setting);
        QVERIFY(dialog.isVisible() && test::in(dialog).trialNote().contains("capture_scalar_outputs=True"));
        QCOMPARE(test::in(dialog).outputFolder()->text(), m_folder.filePath("scalar-trial"));
        QTest::mouseClick(test::in(dialog).startButton(), Qt::LeftButton);
        QTRY_VERIFY2_WITH_TIMEOUT(workspace().place().page == Page::Compare, qPrintable(told()), patience);
        QTRY_VERIFY_WITH_TIMEOUT(
            window().page<ComparePage>().summary().contains(QStringLiteral("graph breaks 1 → 0")), patience);
        QVERIFY2(told().contains("result 9.0"), qPrintable(told()));
        QVERIFY(!dialog.isVisible());
        // The next recording is none.
        window().actionRegistry().trigger("file.record");
        QCOMPARE(test::in(dialog).trialNote(), QString());
        QVERIFY(test::in(dialog).settings()->text().isEmpty());
    }

    void breakpointStepGraphBreakAndBack() {
        {
            QFile file(m_folder.filePath("program.py"));
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(program);
        }
        BreakpointsModel& breakpoints = test::in(page()).breakpoints()->model();
        QCOMPARE(breakpoints.add("program.py:4"), QString());
        window().actionRegistry().trigger("file.record");
        RecordDialog& dialog = *test::part<RecordDialog>(window());
        test::in(dialog).command()->setText(QStringLiteral(DYNASCOPE_TEST_PYTHON " program.py"));
        test::in(dialog).workingFolder()->setText(m_folder.path());
        test::in(dialog).outputFolder()->setText("out");
        test::in(dialog).pauses()->setChecked(true);
        test::in(dialog).stopsAtStart()->setChecked(false);
        QTest::mouseClick(test::in(dialog).startButton(), Qt::LeftButton);
        QVERIFY(dialog.live());
        const auto stopped = [&] {
            const auto programs = dialog.live()->programs();
            return !programs.empty() && programs.front().isStopped();
        };
        const auto shown = [&](dynamo::StepIndex after) {
            return stopped() && page().canStep() && page().recording() &&
                   std::size_t(page().step()) + 1 == page().recording()->steps().size() &&
                   (after == dynamo::noStep || page().step() > after);
        };
        const auto told = [&] { return test::in(dialog).printed()->toPlainText(); };

        // It waits where the line of a function that is inlined begins.
        QTRY_VERIFY2_WITH_TIMEOUT(shown(dynamo::noStep), qPrintable(told()), patience);
        QVERIFY2(test::in(page()).live()->text().contains("program.py:4"),
                 qPrintable(test::in(page()).live()->text()));
        QVERIFY(say("print_bt()").find("in helper\n        z = y.relu()") != std::string::npos);
        QVERIFY(say("get_local(\"y\")").find("f32[3] h") != std::string::npos);
        QVERIFY(say("get_local(\"x\", stacklevel=1)").find("f32[3] l_x_") != std::string::npos);
        // A step is the program's, which tells what it did.
        const dynamo::StepIndex first = page().step();
        page().run(StepCommand::Over);
        QTRY_VERIFY2_WITH_TIMEOUT(shown(first), qPrintable(told()), patience);
        QCOMPARE(page().step(), first + 1);

        // On to the graph break, and back to where the value was made.
        breakpoints.remove(0);
        QCOMPARE(breakpoints.add("graph break"), QString());
        const dynamo::StepIndex second = page().step();
        page().run(StepCommand::Run);
        QTRY_VERIFY2_WITH_TIMEOUT(shown(second), qPrintable(told()), patience);
        QVERIFY2(test::in(page()).live()->text().contains("graph break"),
                 qPrintable(test::in(page()).live()->text()));
        const dynamo::Recording& recording = *page().recording();
        const dynamo::StepIndex made =
            dynamo::runToNode(recording, page().step(), "z", dynamo::Direction::Back);
        QVERIFY(made != dynamo::noStep && made < page().step());
        page().goToStep(made);
        QVERIFY2(test::in(page()).caption().contains("adds to the graph"),
                 qPrintable(test::in(page()).caption()));
        QVERIFY(say("print_value_stack()").find("- ") != std::string::npos);
        page().goToStep(dynamo::StepIndex(recording.steps().size() - 1));
        QVERIFY(stopped());

        // To its end: the frame is traced once more, and the rest of it.
        breakpoints.remove(0);
        page().run(StepCommand::Run);
        QTRY_VERIFY2_WITH_TIMEOUT(!dialog.run().isRunning(), qPrintable(told()), patience);
        QVERIFY2(told().contains("result 9.0"), qPrintable(told()));
        QTRY_VERIFY_WITH_TIMEOUT(page().recording()->compiles().size() == 2, patience);
        QCOMPARE(page().recording()->compiles().back().status, std::string("compiled"));
        QVERIFY(page().recording()->attempts().size() == 3);
    }
};

QTEST_MAIN(TestRecordLive)
#include "tst_record_live.moc"
