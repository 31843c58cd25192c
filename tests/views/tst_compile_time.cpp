// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/parts.h"
#include "tests/support/trace_pairs.h"
#include "tests/views/panel_test.h"
#include "views/base/code_view.h"
#include "views/base/nothing_matches.h"
#include "views/compile_time/column_chooser.h"
#include "views/compile_time/compile_time_panel.h"
#include "views/compile_time/flame_chart.h"
#include "views/compile_time/flame_legend.h"
#include "views/compile_time/metrics_view.h"
#include "views/compile_time/record_model.h"
#include "views/compile_time/records_panel.h"
#include "views/compile_time/slowest_model.h"
#include "views/compile_time/timing_model.h"
#include "views/workspace/labels.h"

#include <QCheckBox>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QPushButton>
#include <QTableView>
#include <QToolButton>
#include <QTreeView>

using namespace dynascope;
using namespace dynascope::views;

namespace {

session::TimingEvent timing(const char* name, double start, double duration, int compile = 0) {
    session::TimingEvent e;
    e.name = name;
    e.startUs = start;
    e.durationUs = duration;
    e.compile = compile;
    return e;
}

/// dynamo holds tracing and a pass twice; a second compile follows.
session::SessionPtr small() {
    session::Session session;
    session.kind = session::Kind::TorchTrace;
    session.compiles.resize(2);
    session.compiles[1].id = {0, 1, -1};
    session.timings = {timing("dynamo", 0, 1000), timing("bytecode_tracing", 100, 200),
                       timing("pass.x.first", 400, 100), timing("pass.x.first", 600, 300),
                       timing("dynamo", 2000, 500, 1)};
    return std::make_shared<const session::Session>(std::move(session));
}

void click(FlameChart& chart, int span, Qt::KeyboardModifiers modifiers = {}) {
    QTest::mouseClick(chart.viewport(), Qt::LeftButton, modifiers, chart.spanRect(span).center().toPoint());
}

/// What stands in an empty list; empty where rows do.
QString wordIn(const QWidget& list) {
    const auto* word = list.findChild<EmptyMessage*>();
    return word && !word->isHidden() ? word->text() : QString();
}

} // namespace

class TestCompileTime : public QObject {
    Q_OBJECT
private slots:
    void modelsHold();
    void treeAddsUp();
    void slowestSaysWhat();
    void chartZoomsAndPans();
    void chartSelects();
    void chartSearches();
    void chartDrawsEachPixelOnce();
    void legendCountsNoMomentTwice();
    void clickShowsTheStage();
    void scopes();
    void slowestSelectsInTheChart();
    void metricsTable();
    void filters();
    void filtersSayWhatTheyDoNotFind();
    void comparesTwoLookups();
    void saysWhatIsMissing();
};

void TestCompileTime::modelsHold() {
    test::Fixture f;
    test::addSample(f.workspace, "graph_breaks");
    const session::SessionPtr session = f.workspace.capture()->session;
    const session::SpanTree tree = session::makeSpans(*session);
    const auto metrics = std::make_shared<const session::MetricTable>(session::readMetrics(*session));
    using Tester = QAbstractItemModelTester;
    TimingModel timing;
    Tester timingTester(&timing, Tester::FailureReportingMode::QtTest);
    timing.set(session::mergedSpans(tree));
    QVERIFY(timing.rowCount() > 0);
    timing.set({});
    timing.set(session::mergedSpans(tree));
    timing.clear();
    QCOMPARE(timing.rowCount(), 0);

    SlowestModel slow;
    Tester slowTester(&slow, Tester::FailureReportingMode::QtTest);
    SlowestFilter slowFilter;
    Tester slowFilterTester(&slowFilter, Tester::FailureReportingMode::QtTest);
    slowFilter.setSourceModel(&slow);
    slow.set(tree, {{"triton_a", 5, 0, 0, {"add"}}});
    slowFilter.setKind(SlowestModel::Pass);
    slow.set({}, {});
    QCOMPARE(slow.rowCount({}), 0);

    MetricsModel table;
    Tester tableTester(&table, Tester::FailureReportingMode::QtTest);
    MetricsFilter tableFilter;
    Tester tableFilterTester(&tableFilter, Tester::FailureReportingMode::QtTest);
    tableFilter.setSourceModel(&table);
    table.set(session, metrics);
    QCOMPARE(table.rowCount({}), int(metrics->rows.size()));
    tableFilter.setText("0/0", {});
    QVERIFY(tableFilter.rowCount() < table.rowCount({}));
    table.set(nullptr, std::make_shared<const session::MetricTable>());
}

void TestCompileTime::treeAddsUp() {
    TimingModel model;
    model.set(session::mergedSpans(session::makeSpans(*small())));
    QCOMPARE(model.rowCount(), 1);
    const QModelIndex dynamo = model.index(0, 0);
    QCOMPARE(dynamo.siblingAtColumn(TimingModel::Count).data().toInt(), 2);
    QCOMPARE(model.totalUs(), 1500.0);
    const QModelIndex pass = model.index(0, 0, dynamo);
    QCOMPARE(pass.data().toString(), QStringLiteral("pass.x.first"));
    QCOMPARE(pass.siblingAtColumn(TimingModel::Total).data(TimingModel::SortRole).toDouble(), 400.0);
    QCOMPARE(dynamo.siblingAtColumn(TimingModel::Self).data(TimingModel::SortRole).toDouble(), 900.0);
}

void TestCompileTime::slowestSaysWhat() {
    SlowestModel model;
    SlowestFilter filter;
    filter.setSourceModel(&model);
    model.set(session::makeSpans(*small()), {{"triton_a", 5, 0, 0, {"add_1", "relu"}}});
    filter.sort(SlowestModel::Self, Qt::DescendingOrder);
    QCOMPARE(filter.rowCount(), 4);
    QCOMPARE(filter.index(0, SlowestModel::Name).data().toString(), QStringLiteral("dynamo"));
    filter.setKind(SlowestModel::Pass);
    QCOMPARE(filter.rowCount(), 1);
    QCOMPARE(filter.index(0, SlowestModel::Name).data().toString(), QStringLiteral("x.first"));
    QCOMPARE(filter.index(0, SlowestModel::Total).data().toString(), QStringLiteral("400 µs"));
    filter.setKind(SlowestModel::Kernel);
    QCOMPARE(filter.index(0, SlowestModel::Kind).data().toString(), QStringLiteral("add_1, relu"));
    filter.setKind(-1);
    filter.setText("relu");
    QCOMPARE(filter.rowCount(), 1); // by the nodes of a kernel
}

void TestCompileTime::chartZoomsAndPans() {
    Theme theme;
    FlameChart chart(theme);
    chart.resize(1000, 200);
    chart.show();
    const session::SessionPtr session = small();
    chart.setTree(session, std::make_shared<const session::SpanTree>(session::makeSpans(*session)), false);
    QCOMPARE(chart.leftUs(), 0.0);
    QVERIFY(std::abs(chart.rightUs() - 2500) < 1);
    // The time under the mouse stays where it is.
    const QPointF at(400, 50);
    const double before = chart.leftUs() + at.x() / 1000 * (chart.rightUs() - chart.leftUs());
    QWheelEvent in(at, chart.mapToGlobal(at), {}, {0, 240}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase,
                   false);
    QCoreApplication::sendEvent(chart.viewport(), &in);
    const double width = chart.viewport()->width();
    QVERIFY(std::abs(chart.leftUs() + at.x() / width * (chart.rightUs() - chart.leftUs()) - before) < 2);
    QVERIFY(chart.rightUs() - chart.leftUs() < 2000);
    const double left = chart.leftUs();
    QTest::keyClick(&chart, Qt::Key_D);
    QVERIFY(chart.leftUs() > left);
    QTest::keyClick(&chart, Qt::Key_A);
    QVERIFY(std::abs(chart.leftUs() - left) < 1);
    const double wide = chart.rightUs() - chart.leftUs();
    QTest::keyClick(&chart, Qt::Key_W);
    QVERIFY(chart.rightUs() - chart.leftUs() < wide);
    QTest::keyClick(&chart, Qt::Key_S);
    QVERIFY(std::abs(chart.rightUs() - chart.leftUs() - wide) < 1);
    // Dragging moves what is under the mouse along.
    QTest::mousePress(chart.viewport(), Qt::LeftButton, {}, {500, 60});
    QTest::mouseMove(chart.viewport(), {450, 60});
    QTest::mouseMove(chart.viewport(), {400, 60});
    QTest::mouseRelease(chart.viewport(), Qt::LeftButton, {}, {400, 60});
    QVERIFY(chart.leftUs() > left);
    QCOMPARE(chart.selected(), -1); // a drag selects nothing
    QTest::keyClick(&chart, Qt::Key_0);
    QCOMPARE(chart.leftUs(), 0.0);
    QTest::mouseDClick(chart.viewport(), Qt::LeftButton, {}, chart.spanRect(1).center().toPoint());
    QVERIFY(chart.leftUs() > 50 && chart.rightUs() < 350);
    for (int i = 0; i < 200; ++i)
        QTest::keyClick(&chart, Qt::Key_W);
    QVERIFY(chart.rightUs() - chart.leftUs() >= 0.99); // no deeper than clocks go
    chart.grab();
    for (int i = 0; i < 200; ++i)
        QTest::keyClick(&chart, Qt::Key_S);
    QVERIFY(std::abs(chart.rightUs() - 2500) < 1);
}

void TestCompileTime::chartSelects() {
    Theme theme;
    FlameChart chart(theme);
    chart.resize(1000, 200);
    chart.show();
    const session::SessionPtr session = small();
    chart.setTree(session, std::make_shared<const session::SpanTree>(session::makeSpans(*session)), false);
    QSignalSpy activated(&chart, &FlameChart::activated), selected(&chart, &FlameChart::selectionChanged);
    click(chart, 2);
    QCOMPARE(chart.selected(), 2);
    QCOMPARE(activated.size(), 1);
    QVERIFY(
        chart.description(2).startsWith("pass.x.first\n100 µs in all, 100 µs of its own\n10.0 % of dynamo"));
    QTest::keyClick(&chart, Qt::Key_Right);
    QCOMPARE(chart.selected(), 3);
    QTest::keyClick(&chart, Qt::Key_Left);
    QTest::keyClick(&chart, Qt::Key_Left);
    QCOMPARE(chart.selected(), 1);
    QTest::keyClick(&chart, Qt::Key_Left);
    QCOMPARE(chart.selected(), 1); // there is none
    QTest::keyClick(&chart, Qt::Key_Up);
    QCOMPARE(chart.selected(), 0);
    QTest::keyClick(&chart, Qt::Key_Down);
    QCOMPARE(chart.selected(), 3); // the longest inside
    QCOMPARE(activated.size(), 1);
    QTest::keyClick(&chart, Qt::Key_Return);
    QCOMPARE(activated.size(), 2);
    QTest::keyClick(&chart, Qt::Key_Escape);
    QCOMPARE(chart.selected(), -1);
    click(chart, 2);
    QTest::mouseClick(chart.viewport(), Qt::LeftButton, {}, {990, 190}); // beside everything
    QCOMPARE(chart.selected(), -1);
    QVERIFY(selected.size() >= 8);
    // Far in, a span out of view is brought into it.
    for (int i = 0; i < 60; ++i)
        chart.zoomBy(1.3, 0);
    chart.select(4, true);
    QVERIFY(chart.spanRect(4).intersects(chart.viewport()->rect()));
    // A context menu offers what there is to do.
    QContextMenuEvent menu(QContextMenuEvent::Keyboard, {10, 40}, chart.mapToGlobal(QPoint(10, 40)));
    QCoreApplication::sendEvent(chart.viewport(), &menu);
    const QList<QMenu*> menus = chart.findChildren<QMenu*>();
    QCOMPARE(menus.size(), 1);
    QCOMPARE(menus.front()->actions().front()->text(), QStringLiteral("Show its stage"));
    menus.front()->close();
}

void TestCompileTime::chartSearches() {
    Theme theme;
    FlameChart chart(theme);
    chart.resize(800, 200);
    const session::SessionPtr session = small();
    chart.setTree(session, std::make_shared<const session::SpanTree>(session::makeSpans(*session)), false);
    const QImage plain = chart.grab().toImage();
    chart.setSearch("PASS");
    QCOMPARE(chart.matchCount(), std::size_t(2));
    QVERIFY(chart.grab().toImage() != plain);
    chart.stepMatch(1);
    QCOMPARE(chart.selected(), 2);
    chart.stepMatch(1);
    QCOMPARE(chart.selected(), 3);
    chart.stepMatch(1);
    QCOMPARE(chart.selected(), 2);
    chart.stepMatch(-1);
    QCOMPARE(chart.selected(), 3);
    chart.setSearch("nothing of that name");
    chart.stepMatch(1);
    QCOMPARE(chart.selected(), 3);
    chart.select(-1);
    chart.setSearch({});
    chart.zoomAll(); // a match may have been too narrow to be seen
    QCOMPARE(chart.grab().toImage(), plain);
    const SpanTreePtr merged = std::make_shared<const session::SpanTree>(session::mergedSpans(*chart.tree()));
    chart.setTree(session, merged, true);
    chart.setSearch("pass");
    QCOMPARE(chart.matchCount(), std::size_t(2)); // events, not boxes
    QVERIFY(chart.description(1).contains("2 events, the longest 300 µs"));
}

/// However many spans there are, what is drawn is bounded by the pixels.
void TestCompileTime::chartDrawsEachPixelOnce() {
    session::Session session;
    session.compiles.resize(1);
    for (int i = 0; i < 20000; ++i)
        session.timings.push_back(timing(i % 2 ? "one" : "two", i * 10.0, 9));
    session.timings.push_back(timing("outer", 0, 200000));
    const auto shared = std::make_shared<const session::Session>(std::move(session));
    Theme theme;
    FlameChart chart(theme);
    chart.resize(600, 160);
    chart.setTree(shared, std::make_shared<const session::SpanTree>(session::makeSpans(*shared)), false);
    chart.grab();
    QVERIFY(chart.drawnBoxes() > 300);
    QVERIFY(chart.drawnBoxes() <= 2 * 602);
    chart.zoomTo(500);
    chart.grab();
    QVERIFY(chart.drawnBoxes() < 10);
}

/// Two workers compile at once while Dynamo's span is open: 80 ms of kernels in 100, not 150.
void TestCompileTime::legendCountsNoMomentTwice() {
    session::Session session;
    session.compiles.resize(1);
    session.timings = {timing("dynamo", 0, 100'000), timing("compile_file", 10'000, 75'000),
                       timing("compile_file", 15'000, 75'000)};
    Theme theme;
    FlameLegend legend(theme);
    legend.setTree(session::makeSpans(session));
    QCOMPARE(legend.accessibleDescription(),
             QStringLiteral("kernels %1, Dynamo %2").arg(durationText(80'000), durationText(20'000)));
}

void TestCompileTime::clickShowsTheStage() {
    test::Fixture f;
    test::addSample(f.workspace, "graph_breaks");
    auto panel = f.show<CompileTimePanel>(1200, 400);
    panel->setScope(CompileTimePanel::Scope::Capture);
    f.settle();
    FlameChart& chart = *test::part<FlameChart>(*panel, "flameChart");
    const session::Session& session = *f.workspace.session();
    const auto find = [&](const char* name, const char* compile) {
        for (std::size_t i = 0; i < chart.tree()->spans.size(); ++i) {
            const session::Span& span = chart.tree()->spans[i];
            const int of = session.timings[span.event].compile;
            if (chart.tree()->nameOf(span) == name && of >= 0 &&
                session.compiles[std::size_t(of)].id.toString() == compile)
                return int(i);
        }
        return -1;
    };
    const int run = find("GraphLowering.run", "1/0");
    QVERIFY(run >= 0);
    chart.zoomTo(run);
    click(chart, run);
    QCOMPARE(f.workspace.compile()->id.toString(), std::string("1/0"));
    QCOMPARE(f.workspace.stage(Side::B).stage->name, std::string("inductor_output_code"));
    QVERIFY(test::part<FlameLegend>(*panel)->note().startsWith("GraphLowering.run"));
    QCOMPARE(chart.boxName(run), QString("GraphLowering.run"));
    QCOMPARE(chart.boxName(find("dynamo", "1/0")), QString("1/0 dynamo"));
    const int tracing = find("bytecode_tracing", "3/0");
    chart.zoomTo(tracing);
    click(chart, tracing);
    QCOMPARE(f.workspace.compile()->id.toString(), std::string("3/0"));
    QCOMPARE(f.workspace.stage(Side::B).stage->name, std::string("dynamo_output_graph"));
    f.workspace.goBack();
    QCOMPARE(f.workspace.compile()->id.toString(), std::string("1/0"));
}

void TestCompileTime::scopes() {
    test::Fixture f;
    test::addSample(f.workspace, "graph_breaks");
    auto panel = f.show<CompileTimePanel>(1200, 400);
    QVERIFY(panel->message().isEmpty());
    const auto spans = [&] { return test::part<FlameChart>(*panel, "flameChart")->tree()->spans.size(); };
    const std::size_t one = spans();
    QVERIFY(one > 0);
    QToolButton* frame = nullptr;
    for (QToolButton* button : panel->findChildren<QToolButton*>())
        if (button->text() == "This frame") frame = button;
    QVERIFY(frame);
    QTest::mouseClick(frame, Qt::LeftButton);
    f.settle();
    const std::size_t ofFrame = spans();
    QVERIFY(ofFrame > one);
    panel->setScope(CompileTimePanel::Scope::Capture);
    f.settle();
    QVERIFY(spans() >= ofFrame);
    QCOMPARE(spans(), f.workspace.session()->timings.size());
    panel->setView(CompileTimePanel::View::LeftHeavy);
    QVERIFY(spans() < f.workspace.session()->timings.size() / 4);
    panel->setView(CompileTimePanel::View::Flame);
    QCOMPARE(spans(), f.workspace.session()->timings.size());
}

void TestCompileTime::slowestSelectsInTheChart() {
    test::Fixture f;
    test::addSample(f.workspace, "graph_breaks");
    auto panel = f.show<CompileTimePanel>(1200, 400);
    QTableView& table = *test::part<QTableView>(*panel, "compileTime.slowest");
    QVERIFY(table.model()->rowCount() > 5);
    double before = 1e18;
    for (int row = 0; row < 5; ++row) {
        const double self =
            table.model()->index(row, SlowestModel::Self).data(SlowestModel::SortRole).toDouble();
        QVERIFY(self <= before);
        before = self;
    }
    QTest::mouseClick(table.viewport(), Qt::LeftButton, {},
                      table.visualRect(table.model()->index(2, SlowestModel::Self)).center());
    const int selected = test::part<FlameChart>(*panel, "flameChart")->selected();
    QVERIFY(selected >= 0);
    const SpanTreePtr& tree = test::part<FlameChart>(*panel, "flameChart")->tree();
    QCOMPARE(int(tree->spans[std::size_t(selected)].name),
             table.model()->index(2, 0).data(SlowestModel::SpanNameRole).toInt());
}

void TestCompileTime::metricsTable() {
    test::Fixture f;
    test::addSample(f.workspace, "graph_breaks");
    auto panel = f.show<CompileTimePanel>(1200, 400);
    panel->setView(CompileTimePanel::View::Metrics);
    f.settle();
    MetricsView& view = *test::part<MetricsView>(*panel);
    QCOMPARE(view.model()->rowCount(), 20);
    QVERIFY(view.isVisible() && view.columnsButton()->isVisible());
    const auto header = [&](int column) {
        return view.model()->headerData(column, Qt::Horizontal).toString();
    };
    const auto columnOf = [&](const char* name) {
        for (int i = 0; i < view.model()->columnCount(); ++i)
            if (header(i) == name) return i;
        return -1;
    };
    QVERIFY(!view.isColumnHidden(columnOf("graph_node_count")));
    QVERIFY(view.isColumnHidden(columnOf("python_version"))); // the same for all
    QVERIFY(view.isColumnHidden(columnOf("start_time_us")));
    QVERIFY(columnOf("graph_node_count") < columnOf("python_version"));

    // Sorted by numbers, not by their texts.
    view.sortByColumn(columnOf("guard_count"), Qt::DescendingOrder);
    double before = 1e18;
    for (int row = 0; row < view.model()->rowCount(); ++row) {
        const QVariant value = view.model()->index(row, columnOf("guard_count")).data(MetricsModel::SortRole);
        if (!value.isValid()) continue;
        QVERIFY(value.toDouble() <= before);
        before = value.toDouble();
    }
    // A row can be copied and leads to its compile.
    view.selectRow(0);
    for (QAction* action : view.actions())
        if (action->shortcut() == QKeySequence::Copy) action->trigger();
    QCOMPARE(QGuiApplication::clipboard()->text(), view.rowText(view.model()->index(0, 0)));
    const int compile = view.model()->index(0, 0).data(MetricsModel::CompileRole).toInt();
    emit view.activated(view.model()->index(0, 0));
    QCOMPARE(f.workspace.place().compile, compile);

    // The choice of columns.
    QTest::mouseClick(view.columnsButton(), Qt::LeftButton);
    ColumnChooser& chooser = *test::part<ColumnChooser>(view);
    QVERIFY(chooser.isVisible());
    test::part<QLineEdit>(chooser, "columns.filter")->setText("python_version");
    QAbstractItemModel* names = test::part<QListView>(chooser, "columns.list")->model();
    QCOMPARE(names->rowCount(), 1);
    names->setData(names->index(0, 0), Qt::Checked, Qt::CheckStateRole);
    QVERIFY(!view.isColumnHidden(columnOf("python_version")));
    chooser.reset();
    QVERIFY(view.isColumnHidden(columnOf("python_version")));
    chooser.close();
}

void TestCompileTime::filters() {
    test::Fixture f;
    test::addSample(f.workspace, "graph_breaks");
    auto panel = f.show<CompileTimePanel>(1200, 400);
    QTest::keyClick(test::part<FlameChart>(*panel, "flameChart"), Qt::Key_Slash);
    auto* field = panel->findChild<QLineEdit*>();
    QVERIFY(field->hasFocus());
    QTest::keyClicks(field, "entire_frame");
    QCOMPARE(test::part<FlameChart>(*panel, "flameChart")->matchCount(), std::size_t(1));
    QTest::keyClick(field, Qt::Key_Return);
    QVERIFY(test::part<FlameChart>(*panel, "flameChart")->selected() >= 0);
    panel->setView(CompileTimePanel::View::Tree);
    QVERIFY(test::part<QTreeView>(*panel, "compileTime.tree")->model()->rowCount() >= 1);
    field->setText("no such phase");
    QCOMPARE(test::part<QTreeView>(*panel, "compileTime.tree")->model()->rowCount(), 0);
    QCOMPARE(test::part<QTableView>(*panel, "compileTime.slowest")->model()->rowCount(), 0);
}

void TestCompileTime::filtersSayWhatTheyDoNotFind() {
    test::Fixture f;
    test::addSample(f.workspace, "graph_breaks");
    auto panel = f.show<CompileTimePanel>(1200, 400);
    auto* field = panel->findChild<QLineEdit*>();
    QVERIFY(wordIn(*test::part<QTableView>(*panel, "compileTime.slowest")).isEmpty());
    field->setText("zzz");
    QCOMPARE(wordIn(*test::part<QTableView>(*panel, "compileTime.slowest")),
             QString("Nothing in this list matches zzz."));
    QCOMPARE(wordIn(*test::part<QTreeView>(*panel, "compileTime.tree")), QString("No phase matches zzz."));
    panel->setView(CompileTimePanel::View::Metrics);
    f.settle();
    MetricsView& metrics = *panel->findChild<MetricsView*>();
    QCOMPARE(wordIn(metrics), QString("No compile matches zzz in the columns that are shown."));
    metrics.findChild<EmptyMessage*>()->findChild<QPushButton*>()->click();
    QVERIFY(field->text().isEmpty());
    for (const QWidget* list : {static_cast<QWidget*>(&metrics),
                                static_cast<QWidget*>(test::part<QTreeView>(*panel, "compileTime.tree")),
                                static_cast<QWidget*>(test::part<QTableView>(*panel, "compileTime.slowest"))})
        QVERIFY2(wordIn(*list).isEmpty(), qPrintable(wordIn(*list)));
    // No pass was timed, and nobody typed anything.
    test::Fixture without;
    session::Session passless(*small());
    passless.timings.resize(2);
    without.workspace.addCapture(test::captureOf(std::move(passless)), true);
    auto bare = without.show<CompileTimePanel>(1200, 400);
    for (QToolButton* chip : bare->findChildren<QToolButton*>())
        if (chip->text() == "Passes") chip->click();
    QCOMPARE(test::part<QTableView>(*bare, "compileTime.slowest")->model()->rowCount(), 0);
    QCOMPARE(wordIn(*test::part<QTableView>(*bare, "compileTime.slowest")),
             QString("No pass was timed here."));

    auto* chooser = metrics.findChild<ColumnChooser*>();
    chooser->refill();
    test::part<QLineEdit>(*chooser, "columns.filter")->setText("zzz");
    QCOMPARE(wordIn(*chooser->findChild<QListView*>()), QString("No column has zzz in its name."));

    auto records = f.show<RecordsPanel>();
    QTreeView& list = *records->findChild<QTreeView*>();
    QLineEdit* type = nullptr;
    for (QLineEdit* edit : records->findChildren<QLineEdit*>())
        if (edit->placeholderText() == "Filter by type") type = edit;
    QVERIFY(type && list.model()->rowCount() > 0);
    type->setText("zzz");
    QCOMPARE(wordIn(list), QString("No record is of a type with zzz."));
    for (QCheckBox* box : records->findChildren<QCheckBox*>())
        if (box->text() == "This compile only") box->setChecked(true);
    QCOMPARE(wordIn(list), QString("No record of this compile is of a type with zzz."));
    list.findChild<EmptyMessage*>()->findChild<QPushButton*>()->click();
    QVERIFY(type->text().isEmpty() && wordIn(list).isEmpty());
    // A list that nobody filters says nothing of filters.
    RecordModel none;
    RecordFilter filter;
    filter.setSourceModel(&none);
    QTreeView empty;
    empty.setModel(&filter);
    QLineEdit typed("zzz");
    const NothingMatches nothing(f.theme, empty, typed, "No record matches %1.");
    QVERIFY(nothing.isHidden());
}

void TestCompileTime::comparesTwoLookups() {
    test::TraceText text = test::traceOf();
    for (int i = 0; i < 3; ++i) {
        text.at(i, 0).start();
        text.artifact("fx_graph_cache_miss", R"({"key": "k)" + std::to_string(i) +
                                                 R"(", "components": ["[a] gm: one", "[b] size: )" +
                                                 std::to_string(i) + R"("]})");
        text.metrics();
    }
    test::Fixture f;
    f.workspace.addCapture(test::captureOf(session::Session(*test::openTrace(text))), true);
    f.workspace.selectCompile(0, 1);
    auto panel = f.show<RecordsPanel>();
    const auto* button = test::part<QToolButton>(*panel, "compareLookup");
    panel->findChild<QTreeView*>()->setCurrentIndex(panel->findChild<QTreeView*>()->model()->index(0, 0));
    QVERIFY(button->isHidden()); // no lookup
    panel->offerLookups();
    QVERIFY(!button->isHidden() && button->menu()->isVisible());
    const QList<QAction*> others = button->menu()->actions();
    QCOMPARE(others.size(), 2);
    QVERIFY2(others[1]->text().startsWith("2/0 miss, line "), qPrintable(others[1]->text()));
    others[1]->trigger();
    button->menu()->close();
    for (const char* said : {"A  1/0 miss", "B  2/0 miss", "      A  1", "      B  2"})
        QVERIFY2(test::part<CodeView>(*panel, "records.text")->find(said) > 0, said);
    // And back to the record.
    panel->findChild<QCheckBox*>("indentJson")->toggle();
    QCOMPARE(test::part<CodeView>(*panel, "records.text")->find("B  2/0"), 0);
}

void TestCompileTime::saysWhatIsMissing() {
    test::Fixture f;
    auto panel = f.show<CompileTimePanel>();
    QVERIFY(panel->message().contains("Ctrl+O"));
    session::Session session;
    session.compiles.resize(1);
    session.kind = session::Kind::FxText;
    f.workspace.addCapture(test::captureOf(std::move(session)), true);
    f.settle();
    QVERIFY(panel->message().contains("TORCH_TRACE"));
}

QTEST_MAIN(TestCompileTime)
#include "tst_compile_time.moc"
