// SPDX-License-Identifier: BSD-3-Clause
//
// The page of a recording of Dynamo: from a graph break back to where the value on the stack was made.
#include "core/capture/open.h"
#include "core/dynamo/cursor.h"
#include "tests/support/recordings.h"
#include "tests/views/panel_test.h"
#include "views/dynamo/console_view.h"
#include "views/dynamo/dynamo_page.h"
#include "views/dynamo/state_model.h"
#include "views/dynamo/steps_strip.h"
#include "views/text/code_view.h"

#include <QAction>
#include <QLineEdit>
#include <QTreeView>
#include <QtTest>

using namespace dynascope;
using namespace dynascope::views;

namespace {

struct Shown : test::Fixture {
    std::unique_ptr<DynamoPage> page;

    Shown() {
        const Result<session::SessionPtr> session =
            capture::openText(test::oracleRecordings().at("gb24_dynamic_output_op"), "gb24");
        if (!session) qFatal("%s", session.error().toString().c_str());
        workspace.addCapture({*session, session::summarizeBreaks(**session)});
        page = show<DynamoPage>(1200, 700);
    }
    [[nodiscard]] const dynamo::Recording& recording() const {
        return *workspace.session()->recordings.front();
    }
    /// "Locals: x = TensorVariable f32[4] l_x_".
    [[nodiscard]] QStringList rows() const {
        QStringList out;
        const QAbstractItemModel& model = *page->state()->model();
        for (int section = 0; section < model.rowCount(); ++section) {
            const QModelIndex parent = model.index(section, 0);
            for (int row = 0; row < model.rowCount(parent); ++row)
                out << parent.data().toString() + QStringLiteral(": ") +
                           model.index(row, StateModel::Name, parent).data().toString() +
                           QStringLiteral(" = ") +
                           model.index(row, StateModel::Kind, parent).data().toString() + u' ' +
                           model.index(row, StateModel::Text, parent).data().toString();
        }
        return out;
    }
    [[nodiscard]] QString codeLine(CodeView* view) const {
        const std::set<int>& lines = view->selectedLines(0);
        return lines.empty() ? QString()
                             : view->document(0)->lines[std::size_t(*lines.begin())].text.simplified();
    }
    void until(const char* condition) {
        page->condition()->setText(QLatin1String(condition));
        QTest::keyClick(page->condition(), Qt::Key_Return);
        QTRY_VERIFY((QCoreApplication::processEvents(), !tasks.isRunning("dynamo.until")));
        QCoreApplication::processEvents();
    }
};

} // namespace

class TestDynamoPage : public QObject {
    Q_OBJECT

private slots:
    void recordingsGoToTheirPage() {
        Shown s;
        QCOMPARE(s.workspace.place().page, Page::Dynamo);
        QCOMPARE(s.page->message(), QString());
    }

    void startsAtTheFirstGraphBreak() {
        Shown s;
        const QAbstractItemModelTester tester(s.page->state()->model(),
                                              QAbstractItemModelTester::FailureReportingMode::Fatal);
        QVERIFY(s.recording().steps()[s.page->step()].has(dynamo::Happening::GraphBreak));
        QVERIFY2(s.page->caption().contains("graph break: "), qPrintable(s.page->caption()));
        QVERIFY2(s.codeLine(s.page->source()).contains("torch.nonzero(y > 1)"),
                 qPrintable(s.codeLine(s.page->source())));
        QVERIFY2(s.codeLine(s.page->bytecode()).contains("CALL 1"),
                 qPrintable(s.codeLine(s.page->bytecode())));
        QVERIFY2(s.rows().filter("Value stack: ").join(u'\n').contains("TensorVariable"),
                 qPrintable(s.rows().join(u'\n')));
        QVERIFY(s.page->graph()->document(0)->text().contains("operator.gt"));
    }

    /// Step to a break, go back to where the value was made, and read it.
    void backToWhereTheValueWasMade() {
        Shown s;
        const dynamo::StepIndex broken = s.page->step();
        const dynamo::StepIndex made =
            dynamo::runToNode(s.recording(), broken, "gt", dynamo::Direction::Back);
        QVERIFY(made < broken);
        while (s.page->step() > made)
            QTest::keyClick(s.page->strip(), Qt::Key_Left);
        QVERIFY2(s.page->caption().startsWith("COMPARE_OP"), qPrintable(s.page->caption()));
        QVERIFY(s.page->caption().contains("adds to the graph"));
        QVERIFY2(s.rows().contains("Locals: y = TensorVariable f32[4] y"), qPrintable(s.rows().join(u'\n')));
        QVERIFY(!s.page->graph()->document(0)->text().contains("operator.gt"));
    }

    void stepsByKey() {
        Shown s;
        s.page->goToStep(0);
        QTest::keyClick(s.page->strip(), Qt::Key_Right);
        QCOMPARE(s.page->step(), dynamo::StepIndex(1));
        QTest::keyClick(s.page->strip(), Qt::Key_End);
        QCOMPARE(std::size_t(s.page->step()) + 1, s.recording().steps().size());
        QTest::keyClick(s.page->strip(), Qt::Key_Home);
        QCOMPARE(s.page->step(), dynamo::StepIndex(0));
        s.page->activateWindow();
        for (QAction* action : s.page->actions())
            if (action->shortcut() == QKeySequence("F10")) action->trigger();
        QCOMPARE(s.page->step(), dynamo::stepOver(s.recording(), 0, dynamo::Direction::Forward));
    }

    void clicksGoToSteps() {
        Shown s;
        QTest::mouseClick(s.page->strip(), Qt::LeftButton, {}, s.page->strip()->positionOf(3));
        QCOMPARE(s.page->step(), dynamo::StepIndex(3));
    }

    void conditions() {
        Shown s;
        s.page->goToStep(0);
        s.until("nodes > 2");
        QVERIFY(s.page->step() > 0);
        const dynamo::State* state = s.recording().stateAt(s.page->step());
        QCOMPARE(state->currentGraph()->nodes, 3U);
        const dynamo::StepIndex at = s.page->step();
        s.until("nodes > ");
        QCOMPARE(s.page->step(), at);
    }

    void theConsoleAnswersOnTheStep() {
        Shown s;
        ConsoleView* console = s.page->console();
        QTest::keyClicks(console->input(), "get_local(\"y");
        QTest::keyClick(console->input(), Qt::Key_Tab);
        QCOMPARE(console->input()->text(), QString("get_local(\"y\")"));
        QTest::keyClick(console->input(), Qt::Key_Return);
        QVERIFY2(console->log().contains("TensorVariable f32[4] y"), qPrintable(console->log()));
        s.page->goToStep(0);
        QTest::keyClick(console->input(), Qt::Key_Up);
        QTest::keyClick(console->input(), Qt::Key_Return);
        QVERIFY2(console->log().contains("error: no local is called \"y\""), qPrintable(console->log()));
    }

    /// What the step before did is marked.
    void marksWhatChanged() {
        Shown s;
        bool added = false, changed = false;
        for (dynamo::StepIndex step = 0; step < s.recording().steps().size(); ++step) {
            s.page->goToStep(step);
            for (const QString& row : s.rows()) {
                added = added || row.contains(": + ");
                changed = changed || row.contains(": ~ ");
            }
        }
        QVERIFY(added);
        QVERIFY(changed);
    }

    void otherCapturesSayHowToRecord() {
        test::Fixture f;
        test::addSample(f.workspace, "graph_breaks");
        const auto page = f.show<DynamoPage>(900, 500);
        QVERIFY(page->message().contains("dynascope-cli capture"));
    }
};

QTEST_MAIN(TestDynamoPage)
#include "tst_dynamo_page.moc"
