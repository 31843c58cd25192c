// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/captures.h"
#include "tests/support/parts.h"
#include "tests/support/pass_recordings.h"
#include "tests/support/patience.h"
#include "tests/support/trace_pairs.h"
#include "tests/views/panel_test.h"
#include "views/base/nothing_matches.h"
#include "views/compare/compare_models.h"
#include "views/compare/compare_page.h"
#include "views/compare/compare_place.h"
#include "views/compare/pair_graphs.h"
#include "views/compare/pairs_model.h"
#include "views/inductor/pass_place.h"

#include <QCheckBox>
#include <QLineEdit>
#include <QPushButton>
#include <QSemaphore>
#include <QTabWidget>
#include <QTableView>
#include <QTemporaryDir>
#include <QToolButton>

using namespace dynascope;
using namespace dynascope::views;
using test::addCompile;
using test::openTrace;
using test::readableGraph;
using test::replaced;
using test::traceOf;
using test::TraceText;

namespace {

using What = ComparisonRequest::What;

int add(Workspace& workspace, const TraceText& text) {
    const session::SessionPtr session = openTrace(text);
    return workspace.addCapture({session, session::summarizeBreaks(*session)}, workspace.captures().empty());
}

/// f is the same in both, g has another constant, h is only in B.
void addRuns(Workspace& workspace) {
    TraceText a = traceOf(), b = traceOf();
    addCompile(a, 0, 0, "f", 10, readableGraph(2));
    addCompile(b, 0, 0, "f", 10, readableGraph(2));
    addCompile(a, 1, 0, "g", 20, readableGraph(3));
    addCompile(b, 1, 0, "g", 20, replaced(readableGraph(3), "(add_0, 1)", "(add_0, 2)"));
    addCompile(b, 2, 0, "h", 30, readableGraph(1));
    add(workspace, a);
    add(workspace, b);
}

ComparisonRequest captures(const Workspace& workspace) {
    ComparisonRequest out;
    out.a = workspace.captures()[0].session;
    out.b = workspace.captures()[1].session;
    return out;
}

void clickRow(QTableView& table, int row, int column = 0) {
    QTest::mouseClick(table.viewport(), Qt::LeftButton, {},
                      table.visualRect(table.model()->index(row, column)).center());
}

std::string selectedName(ComparePage& page) {
    const ir::Node* node = page.graphs()->pair().selectedNode();
    return node ? node->name : std::string();
}

} // namespace

class TestComparePage : public QObject {
    Q_OBJECT
private slots:
    void modelsHold();
    void explainsTwoCaptures();
    void differencesAreSeenInSmallWindows();
    void showsTheFirstDifference();
    void backAndForward();
    void showsWhatOnlyOneHas();
    void filters();
    void comparesRanks();
    void comparesCompiles();
    void listsInputsCachesAndTimes();
    void comparesPasses();
    void swaps();
    void canBeCancelled();
    void survivesClosing();
    void saysWhatIsMissing();

private:
    static void settle(test::Fixture& f, ComparePage& page) {
        f.settle();
        f.settle([&] { return page.isSettled(); });
    }
};

void TestComparePage::modelsHold() {
    test::Fixture f;
    addRuns(f.workspace);
    using Tester = QAbstractItemModelTester;
    PairsModel pairs;
    Tester pairsTester(&pairs, Tester::FailureReportingMode::QtTest);
    PairsFilter filter;
    Tester filterTester(&filter, Tester::FailureReportingMode::QtTest);
    filter.setSourceModel(&pairs);
    StagePairsModel stages;
    Tester stagesTester(&stages, Tester::FailureReportingMode::QtTest);
    ComparedValuesModel values;
    Tester valuesTester(&values, Tester::FailureReportingMode::QtTest);

    const ComparisonResultPtr result = runComparison(captures(f.workspace), {});
    pairs.set(result);
    QCOMPARE(pairs.rowCount({}), 3);
    filter.setDifferingOnly(true);
    QCOMPARE(filter.rowCount(), 2);
    filter.setText("g cap.py");
    QCOMPARE(filter.rowCount(), 1);
    stages.set(result->whole.compiles[1].stages);
    QCOMPARE(stages.rowCount({}), 1);
    values.set(guardRows({1, {"TENSOR_MATCH: a", "no colon"}, {"ID_MATCH: b"}}));
    QCOMPARE(values.rowCount({}), 3);
    QCOMPARE(values.index(0, ComparedValuesModel::Name).data().toString(), QStringLiteral("TENSOR_MATCH"));
    QCOMPARE(values.index(2, ComparedValuesModel::B).data().toString(), QStringLiteral("b"));
    values.set({});
    stages.set({});

    const auto ddp = capture::open((test::captures() + "/ranks_aot_eager/ddp").toStdString());
    QVERIFY(ddp);
    ComparisonRequest ranks{What::Ranks, *ddp, *ddp};
    filter.setText({});
    filter.setDifferingOnly(false);
    pairs.set(runComparison(ranks, {}));
    QCOMPARE(pairs.rowCount({}), 4);
    QCOMPARE(pairs.headerData(2, Qt::Horizontal, Qt::DisplayRole).toString(), QStringLiteral("Rank 1"));
    QCOMPARE(pairs.index(0, 2).data().toString(), QStringLiteral("0/0 a"));
    const auto diverge = capture::open(DYNASCOPE_TEST_DATA "/ranks/diverge");
    QVERIFY(diverge);
    pairs.set(runComparison({What::Ranks, *diverge, *diverge}, {}));
    QCOMPARE(pairs.index(0, 2).data().toString(), QStringLiteral("0/0 b"));
    pairs.set(nullptr);
    std::stop_source stop;
    stop.request_stop();
    QVERIFY(!runComparison(ranks, {stop.get_token(), {}}));
}

void TestComparePage::explainsTwoCaptures() {
    test::Fixture f;
    addRuns(f.workspace);
    ComparePage page(f.workspace, f.theme);
    page.resize(1400, 800);
    page.show();
    f.workspace.compare(captures(f.workspace));
    QCOMPARE(f.workspace.place().page, Page::Compare);
    settle(f, page);
    QVERIFY(page.message().isEmpty());
    QVERIFY2(page.summary().startsWith(
                 "1 of 3 compiles is the same. The first that differs is 1/0 (g cap.py:20): "
                 "dynamo_output_graph: add_1: args[1] 1 / 2.\nIn all, A → B: graph breaks 0, compiles 2 → 3, "
                 "recompiles 0, compile time 1.00 s → 1.50 s.\n·  Only in B: 2/0 (h cap.py:30)."),
             qPrintable(page.summary()));
    const QAbstractItemModel& model = *test::part<QTableView>(page, "compare.pairs")->model();
    QCOMPARE(model.rowCount(), 3);
    QCOMPARE(model.index(0, 0).data().toString(), QStringLiteral("same"));
    QCOMPARE(model.index(1, 0).data().toString(), QStringLiteral("differs"));
    QCOMPARE(model.index(2, 0).data().toString(), QStringLiteral("only in B"));
    QVERIFY(!page.grab().isNull());
}

void TestComparePage::differencesAreSeenInSmallWindows() {
    test::Fixture f;
    addRuns(f.workspace);
    f.workspace.compare(captures(f.workspace));
    for (const int width : {1280, 1600}) {
        ComparePage page(f.workspace, f.theme);
        page.resize(width, 740);
        page.show();
        settle(f, page);
        page.applyDefaultSizes(width);
        const auto* table = test::part<QTableView>(page, "compare.pairs");
        const auto* model = static_cast<const PairsModel*>(
            static_cast<const QAbstractProxyModel*>(table->model())->sourceModel());
        const int at = model->differenceColumn();
        QVERIFY2(table->columnViewportPosition(at) + table->columnWidth(at) <= table->viewport()->width(),
                 qPrintable(QStringLiteral("%1: %2 + %3 of %4")
                                .arg(width)
                                .arg(table->columnViewportPosition(at))
                                .arg(table->columnWidth(at))
                                .arg(table->viewport()->width())));
        QVERIFY(table->columnWidth(at) >= f.theme.scaled(190));
    }
}

void TestComparePage::showsTheFirstDifference() {
    test::Fixture f;
    addRuns(f.workspace);
    ComparePage page(f.workspace, f.theme);
    page.resize(1400, 800);
    page.show();
    f.workspace.compare(captures(f.workspace));
    settle(f, page);
    QCOMPARE(test::part<QTableView>(page, "compare.pairs")->currentIndex().row(), 1);
    QCOMPARE(test::part<QTableView>(page, "compare.stages")->currentIndex().row(), 0);
    Workspace& pair = page.graphs()->pair();
    QCOMPARE(pair.stage(Side::A).stage, f.workspace.captures()[0].session->compiles[1].stages[0]);
    QCOMPARE(pair.stage(Side::B).stage, f.workspace.captures()[1].session->compiles[1].stages[0]);
    QCOMPARE(selectedName(page), std::string("add_1"));
    // A row that is the same shows its graphs, with nothing to select.
    clickRow(*test::part<QTableView>(page, "compare.pairs"), 0);
    settle(f, page);
    QCOMPARE(f.workspace.place().own.of<ComparePlace>().pair, 0);
    QCOMPARE(pair.stage(Side::A).stage, f.workspace.captures()[0].session->compiles[0].stages[0]);
    QVERIFY(selectedName(page).empty());
}

void TestComparePage::backAndForward() {
    test::Fixture f;
    addRuns(f.workspace);
    ComparePage page(f.workspace, f.theme);
    page.resize(1400, 800);
    page.show();
    const Place stages = f.workspace.place();
    f.workspace.compare(captures(f.workspace));
    settle(f, page);
    clickRow(*test::part<QTableView>(page, "compare.pairs"), 0);
    settle(f, page);
    f.workspace.goBack();
    settle(f, page);
    QCOMPARE(f.workspace.place().page, Page::Compare);
    QCOMPARE(test::part<QTableView>(page, "compare.pairs")->currentIndex().row(), 1);
    QCOMPARE(selectedName(page), std::string("add_1"));
    f.workspace.goBack();
    QCOMPARE(f.workspace.place(), stages);
    f.workspace.goForward();
    f.workspace.goForward();
    settle(f, page);
    QCOMPARE(test::part<QTableView>(page, "compare.pairs")->currentIndex().row(), 0);
    // The same comparison again is no new one.
    f.workspace.compare(captures(f.workspace));
    QCOMPARE(f.workspace.comparisons().size(), std::size_t(1));
}

void TestComparePage::showsWhatOnlyOneHas() {
    test::Fixture f;
    addRuns(f.workspace);
    ComparePage page(f.workspace, f.theme);
    page.resize(1400, 800);
    page.show();
    f.workspace.compare(captures(f.workspace));
    settle(f, page);
    clickRow(*test::part<QTableView>(page, "compare.pairs"), 2);
    settle(f, page);
    QCOMPARE(test::part<QTableView>(page, "compare.stages")->model()->rowCount(), 1);
    QCOMPARE(test::part<QTableView>(page, "compare.stages")->model()->index(0, 0).data().toString(),
             QStringLiteral("only in B"));
    Workspace& pair = page.graphs()->pair();
    QCOMPARE(pair.stage(Side::A).stage, f.workspace.captures()[1].session->compiles[2].stages[0]);
    QCOMPARE(pair.stage(Side::A).stage, pair.stage(Side::B).stage);
    // Enter goes to the compile itself.
    emit test::part<QTableView>(page, "compare.pairs")
        ->activated(test::part<QTableView>(page, "compare.pairs")->currentIndex());
    QCOMPARE(f.workspace.place().page, Page::Stages);
    QCOMPARE(f.workspace.place().capture, 1);
    QCOMPARE(f.workspace.compile()->function, std::string("h"));
}

void TestComparePage::filters() {
    test::Fixture f;
    addRuns(f.workspace);
    ComparePage page(f.workspace, f.theme);
    page.resize(1400, 800);
    page.show();
    f.workspace.compare(captures(f.workspace));
    settle(f, page);
    page.findChild<QCheckBox*>()->click();
    QCOMPARE(test::part<QTableView>(page, "compare.pairs")->model()->rowCount(), 2);
    page.focusFilter();
    for (QLineEdit* field : page.findChildren<QLineEdit*>())
        if (field->placeholderText() == "Filter compiles") QTest::keyClicks(field, "only in");
    QCOMPARE(test::part<QTableView>(page, "compare.pairs")->model()->rowCount(), 1);
    const auto* word = test::part<QTableView>(page, "compare.pairs")->findChild<NothingMatches*>();
    QVERIFY(word && word->isHidden());
    for (QLineEdit* field : page.findChildren<QLineEdit*>())
        if (field->placeholderText() == "Filter compiles") field->setText("zzz");
    QVERIFY(!word->isHidden());
    QCOMPARE(word->text(), QString("No compile that differs matches zzz."));
    page.findChild<QCheckBox*>()->click();
    QCOMPARE(word->text(), QString("No compile matches zzz."));
    word->findChild<QPushButton*>()->click();
    QCOMPARE(test::part<QTableView>(page, "compare.pairs")->model()->rowCount(), 3);
    // A run beside itself.
    ComparisonRequest twice = captures(f.workspace);
    twice.b = twice.a;
    f.workspace.compare(twice);
    settle(f, page);
    page.findChild<QCheckBox*>()->click();
    QCOMPARE(word->text(), QString("No compile differs."));
    QVERIFY(!word->isHidden());
}

void TestComparePage::comparesRanks() {
    test::Fixture f;
    test::addCapture(f.workspace, QStringLiteral(DYNASCOPE_TEST_DATA "/ranks/diverge"));
    ComparePage page(f.workspace, f.theme);
    page.resize(1400, 800);
    page.show();
    const session::SessionPtr session = f.workspace.capture()->session;
    f.workspace.compare({What::Ranks, session, session});
    settle(f, page);
    QVERIFY2(page.summary().startsWith("0 of 3 compile ids are the same on 4 ranks."),
             qPrintable(page.summary()));
    QCOMPARE(test::part<QTableView>(page, "compare.pairs")->model()->rowCount(), 3);
    QCOMPARE(test::part<QTableView>(page, "compare.pairs")->currentIndex().row(), 0);
    QCOMPARE(test::part<QTableView>(page, "compare.pairs")->model()->index(0, 1).data().toString(),
             QStringLiteral("0/0 a"));
    QVERIFY(test::part<QTableView>(page, "compare.stages")->model()->rowCount() > 0);
    QVERIFY(page.graphs()->isVisible());
    clickRow(*test::part<QTableView>(page, "compare.pairs"), 1, 2);
    settle(f, page);
    QCOMPARE(f.workspace.place().own.of<ComparePlace>().rank, 1);
    QCOMPARE(test::part<QTableView>(page, "compare.pairs")->currentIndex().row(), 1);
}

void TestComparePage::comparesCompiles() {
    test::Fixture f;
    test::addSample(f.workspace, "graph_breaks");
    ComparePage page(f.workspace, f.theme);
    page.resize(1400, 800);
    page.show();
    const session::SessionPtr session = f.workspace.capture()->session;
    const int a = f.compileIndex("1/0"), b = f.compileIndex("1/1");
    f.workspace.compare({What::Compiles, session, session, -1, -1, a, b});
    settle(f, page);
    QVERIFY2(page.summary().startsWith("1/0 in A, 1/1 in B ("), qPrintable(page.summary()));
    QVERIFY(page.summary().contains("B is a recompile"));
    QCOMPARE(test::part<QTableView>(page, "compare.pairs")->model()->rowCount(), 1);
    clickRow(*test::part<QTableView>(page, "compare.stages"),
             test::part<QTableView>(page, "compare.stages")->model()->rowCount() - 1);
    settle(f, page);
    const session::StagePtr code = page.graphs()->pair().stage(Side::B).stage;
    QCOMPARE(code->content, session::Stage::Content::Code);
    QCOMPARE(page.graphs()->tabs()->currentIndex(), 1); // code has no graph
    QCOMPARE(f.workspace.place().own.of<ComparePlace>().stage,
             test::part<QTableView>(page, "compare.stages")->model()->rowCount() - 1);
}

void TestComparePage::listsInputsCachesAndTimes() {
    test::Fixture f;
    test::addSample(f.workspace, "graph_breaks");
    ComparePage page(f.workspace, f.theme);
    page.resize(1400, 800);
    page.show();
    const session::SessionPtr session = f.workspace.capture()->session;
    f.workspace.compare(
        {What::Compiles, session, session, -1, -1, f.compileIndex("0/0"), f.compileIndex("0/1")});
    settle(f, page);
    QTabWidget& tabs = *test::part<QTabWidget>(page, "compare.details");
    QCOMPARE(tabs.count(), 8);
    QVERIFY2(!tabs.isTabVisible(7), "neither side has a recording of passes");
    const auto tableOf = [&](int tab) { return tabs.widget(tab)->findChild<QTableView*>(); };
    QVERIFY2(tabs.tabText(1).startsWith("Inputs "), qPrintable(tabs.tabText(1)));
    QVERIFY(tableOf(1)->model()->rowCount() > 0);
    QVERIFY(tableOf(2)->model()->rowCount() > 0); // guards
    QVERIFY(tableOf(5)->model()->rowCount() > 5); // timings
    tabs.setCurrentIndex(5);
    tableOf(5)->sortByColumn(ComparedValuesModel::A, Qt::DescendingOrder);
    double before = 1e18;
    for (int row = 0; row < tableOf(5)->model()->rowCount(); ++row) {
        const double seconds =
            tableOf(5)->model()->index(row, ComparedValuesModel::A).data(CompareSortRole).toDouble();
        QVERIFY(seconds <= before);
        before = seconds;
    }
    tableOf(5)->selectRow(0);
    for (QAction* action : tableOf(5)->actions())
        if (action->shortcut() == QKeySequence::Copy) action->trigger();
    QVERIFY(QGuiApplication::clipboard()->text().contains(u'\t'));
    QCOMPARE(tabs.tabText(6), QStringLiteral("Settings")); // the same run
}

/// Recordings alone have no stages, and their passes are what there is to compare.
void TestComparePage::comparesPasses() {
    QTemporaryDir folder;
    test::Fixture f;
    int n = 0;
    for (const bool wrong : {false, true}) {
        const QString path = folder.filePath(QStringLiteral("%1.dpasses").arg(++n));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray::fromStdString(test::smallPasses({.wrong = wrong, .fused = !wrong})));
        file.close();
        test::addCapture(f.workspace, path);
    }
    ComparePage page(f.workspace, f.theme);
    page.resize(1400, 800);
    page.show();
    f.workspace.compare(
        {What::Captures, f.workspace.captures()[0].session, f.workspace.captures()[1].session});
    settle(f, page);
    QTabWidget& tabs = *test::part<QTabWidget>(page, "compare.details");
    QVERIFY(tabs.isTabVisible(7));
    QCOMPARE(tabs.currentIndex(), 7);
    QVERIFY2(tabs.tabText(7).startsWith("Passes "), qPrintable(tabs.tabText(7)));
    QStringList rows;
    const QAbstractItemModel* model = tabs.widget(7)->findChild<QTableView*>()->model();
    for (int row = 0; row < model->rowCount(); ++row) {
        QStringList cells;
        for (int column = 0; column < model->columnCount(); ++column)
            cells << model->index(row, column).data().toString();
        rows << cells.join(u'|');
    }
    const QString all = rows.join(u'\n');
    QVERIFY2(rows.front().startsWith("differs|custom_pass · post_grad, forward|nothing|+1 -1 ~1: "),
             qPrintable(all));
    QVERIFY2(
        all.contains("only in A|cpp_fused_add_mul_0 · forward|op0 op1|in cpp_fused_mul_0, cpp_fused_add_1") &&
            all.contains("fusion 1 · forward|op0 with op1|refused op0 with op1: no shared data"),
        qPrintable(all));
    QVERIFY2(page.summary().contains("custom_pass"), qPrintable(page.summary()));

    // Rows lead to the page Inductor: a pass of A, the fusion that A made.
    auto* table = tabs.widget(7)->findChild<QTableView*>();
    const auto open = [&](const QString& begin) {
        for (int row = 0; row < model->rowCount(); ++row)
            if (model->index(row, 1).data().toString().startsWith(begin))
                emit table->activated(model->index(row, 1));
        return f.workspace.place().own.of<PassPlace>();
    };
    const PassPlace pass = open("custom_pass");
    QCOMPARE(f.workspace.place().page, Page::Inductor);
    QCOMPARE(f.workspace.place().capture, 0);
    QVERIFY(pass.row == 1 && !pass.scheduler);
    const PassPlace fusion = open("fusion 1");
    QVERIFY(fusion.scheduler && fusion.schedule == 0 && fusion.fusions == 1);
}

void TestComparePage::swaps() {
    test::Fixture f;
    addRuns(f.workspace);
    ComparePage page(f.workspace, f.theme);
    page.resize(1400, 800);
    page.show();
    f.workspace.compare(captures(f.workspace));
    settle(f, page);
    for (QToolButton* button : page.findChildren<QToolButton*>())
        if (button->text() == "Swap") button->click();
    settle(f, page);
    QCOMPARE(f.workspace.comparisons().size(), std::size_t(2));
    QVERIFY(page.summary().contains("Only in A: 2/0 (h cap.py:30)"));
    QVERIFY(page.summary().contains("args[1] 2 / 1"));
}

void TestComparePage::canBeCancelled() {
    test::Fixture f;
    addRuns(f.workspace);
    // Every thread of the pool waits, so that the comparison cannot begin.
    QSemaphore gate;
    for (int i = 0; i < 64; ++i)
        f.tasks.run<int>(
            QStringLiteral("block%1").arg(i), &f.workspace,
            [&gate](const TaskContext&) {
                gate.acquire();
                return 0;
            },
            [](int) {});
    ComparePage page(f.workspace, f.theme);
    page.resize(1400, 800);
    page.show();
    f.workspace.compare(captures(f.workspace));
    QTRY_VERIFY(page.message().startsWith("Comparing "));
    const auto link = [&](const char* text) {
        for (QPushButton* button : page.findChildren<QPushButton*>())
            if (button->text() == text && button->isVisible()) return button;
        return static_cast<QPushButton*>(nullptr);
    };
    QVERIFY(link("Cancel"));
    link("Cancel")->click();
    QCOMPARE(page.message(), QStringLiteral("The comparison was stopped."));
    gate.release(64);
    QTRY_VERIFY(!f.tasks.isRunning("block63"));
    QCOMPARE(page.message(), QStringLiteral("The comparison was stopped."));
    QVERIFY(link("Compare again"));
    link("Compare again")->click();
    settle(f, page);
    QVERIFY(page.message().isEmpty());
}

void TestComparePage::survivesClosing() {
    test::Fixture f;
    addRuns(f.workspace);
    ComparePage page(f.workspace, f.theme);
    page.resize(1400, 800);
    page.show();
    f.workspace.compare(captures(f.workspace));
    settle(f, page);
    f.workspace.close(1);
    QCOMPARE(f.workspace.place().page, Page::Stages);
    QVERIFY(!f.workspace.comparisons()[0].isOpen());
    settle(f, page);
    QVERIFY(page.message().startsWith("Nothing is compared"));
    f.workspace.goBack();
    QCOMPARE(f.workspace.place().page, Page::Stages);
    // A comparison of what is gone is refused.
    f.workspace.compare({What::Captures, nullptr, f.workspace.captures()[0].session});
    QCOMPARE(f.workspace.place().page, Page::Stages);
    f.workspace.close(0);
    settle(f, page);
    QVERIFY(page.message().contains("Ctrl+O"));
}

void TestComparePage::saysWhatIsMissing() {
    test::Fixture f;
    auto page = f.show<ComparePage>();
    QVERIFY(page->message().contains("Ctrl+O"));
}

QTEST_MAIN(TestComparePage)
#include "tst_compare_page.moc"
