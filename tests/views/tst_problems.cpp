// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/open_captures.h"
#include "tests/support/parts.h"
#include "views/base/code_view.h"
#include "views/compile_time/records_panel.h"
#include "views/problems/problems_panel.h"
#include "views/workspace/break_place.h"
#include "views/workspace/labels.h"

#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QSignalSpy>
#include <QTreeView>

using namespace dynascope;
using namespace dynascope::views;

namespace {

Workspace::Capture damaged() {
    auto session = std::make_shared<session::Session>();
    session->title = "damaged";
    session::Record madeUp, string;
    madeUp.type = "made_up";
    madeUp.line = 4;
    string.type = "str";
    string.known = true;
    session->records.push_back(madeUp);
    session->records.push_back(string);
    session->recordCounts = {{"made_up", 1}, {"str", 1}};
    session::Compile failed;
    failed.id = {0, 0, -1};
    failed.status = session::Status::Failed;
    failed.failReason = "out of luck\nsecond line";
    failed.failAt = {"/src/cap.py", 12, "f", ""};
    session->compiles.push_back(failed);
    session->warnings.push_back({{"Payload is not UTF-8", "x.log", 812, 0}, 1});
    return {session, session::summarizeBreaks(*session)};
}

} // namespace

class TestProblems : public QObject {
    Q_OBJECT
private slots:
    void listsEverySortOfProblem();
    void modelFollowsTheCaptures();
    void stepsThroughThem();
    void recordsShowRawText();

private:
    Theme m_theme;
};

void TestProblems::listsEverySortOfProblem() {
    const std::vector<Problem> problems = collectProblems({damaged()});
    QCOMPARE(problems.size(), 3U);
    QCOMPARE(problems[0].severity, Problem::Severity::Error);
    QCOMPARE(problems[0].text, QString("0/0 failed: out of luck"));
    QCOMPARE(problems[0].place, QString("cap.py:12"));
    QCOMPARE(problems[1].text, QString("Payload is not UTF-8"));
    QCOMPARE(problems[1].place, QString("line 812"));
    QCOMPARE(problems[1].record, std::ptrdiff_t(1));
    QVERIFY(problems[2].text.contains("made_up"));
    QCOMPARE(problemsText(problems, {damaged()}),
             QString("1 failed compile, 1 warning, 1 unknown type of record"));
    QCOMPARE(problemsText({}, {}), QString());
    QCOMPARE(problems[2].record, std::ptrdiff_t(0));
}

void TestProblems::modelFollowsTheCaptures() {
    TaskRunner tasks;
    Workspace workspace(tasks);
    ProblemModel model(workspace);
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    test::addSample(workspace, "graph_breaks");
    QTRY_COMPARE(model.rowCount(), int(workspace.capture()->breaks.groups.size()));
    workspace.addCapture(damaged(), false); // its problems come in a turn of their own
    QTRY_COMPARE(model.rowCount(), int(workspace.captures()[0].breaks.groups.size()) + 3);
    workspace.close(0);
    QCOMPARE(model.rowCount(), 3);
}

void TestProblems::stepsThroughThem() {
    TaskRunner tasks;
    Workspace workspace(tasks);
    test::addSample(workspace, "graph_breaks");
    ProblemModel model(workspace);
    ProblemsPanel panel(workspace, m_theme, model);
    const int groups = int(workspace.capture()->breaks.groups.size());
    for (int i = 0; i < groups; ++i) {
        panel.step(1);
        QCOMPARE(workspace.place().page, Page::Breaks);
        QCOMPARE(breakGroup(workspace.place()), i);
    }
    panel.step(1); // round the end
    QCOMPARE(breakGroup(workspace.place()), 0);
    panel.step(-1);
    QCOMPARE(breakGroup(workspace.place()), groups - 1);
}

void TestProblems::recordsShowRawText() {
    TaskRunner tasks;
    Workspace workspace(tasks);
    test::addSample(workspace, "view_mutation");
    RecordsPanel panel(workspace, m_theme);
    panel.resize(900, 300);
    panel.show();
    QVERIFY(QTest::qWaitForWindowExposed(&panel));
    QAbstractItemModelTester tester(test::part<QTreeView>(panel, "records.list")->model(),
                                    QAbstractItemModelTester::FailureReportingMode::QtTest);
    const session::Session& session = *workspace.session();
    QCOMPARE(test::part<QTreeView>(panel, "records.list")->model()->rowCount(), int(session.records.size()));
    for (std::size_t i = 0; i < session.records.size(); ++i) {
        if (session.records[i].type != "dynamo_output_graph") continue;
        panel.showRecord(0, int(i));
        QVERIFY(
            test::part<CodeView>(panel, "records.text")->document(0)->text().contains("dynamo_output_graph"));
        QVERIFY(test::part<CodeView>(panel, "records.text")->document(0)->text().contains("def forward"));
    }
    // JSON on several lines, or as the file has it.
    auto* indent = panel.findChild<QCheckBox*>("indentJson");
    QVERIFY(indent && indent->isChecked());
    for (std::size_t i = 0; i < session.records.size(); ++i) {
        if (session.records[i].type != "compilation_metrics") continue;
        panel.showRecord(0, int(i));
        const std::size_t lines = test::part<CodeView>(panel, "records.text")->document(0)->lines.size();
        QVERIFY(lines > 20);
        indent->click();
        QVERIFY(test::part<CodeView>(panel, "records.text")->document(0)->lines.size() < lines);
        QCOMPARE(test::part<CodeView>(panel, "records.text")->document(0)->text().section('\n', 0, 0),
                 toQString(session.records[i].header.text()));
        indent->click();
    }
    panel.showRecord(0, -5);
    panel.showRecord(0, 1000000);
    workspace.close(0);
    QTRY_COMPARE(test::part<QTreeView>(panel, "records.list")->model()->rowCount(), 0);
}

QTEST_MAIN(TestProblems)
#include "tst_problems.moc"
