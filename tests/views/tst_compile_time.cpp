// SPDX-License-Identifier: BSD-3-Clause
#include "tests/views/panel_test.h"
#include "views/records/compile_time_panel.h"
#include "views/records/timing_model.h"

#include <QLineEdit>
#include <QTreeView>

using namespace dynascope;
using namespace dynascope::views;

class TestCompileTime : public QObject {
    Q_OBJECT
private slots:
    void nestsByTime();
    void modelHolds();
    void oneCompileOrAll();
    void filters();
    void saysWhatIsMissing();
};

void TestCompileTime::nestsByTime() {
    session::Session session;
    const auto event = [](const char* name, double start, double duration, int compile = 0) {
        session::TimingEvent e;
        e.name = name;
        e.startUs = start;
        e.durationUs = duration;
        e.compile = compile;
        return e;
    };
    session.timings = {event("inner", 10, 20), event("outer", 0, 100), event("inner", 40, 30),
                       event("next", 100, 50), event("other", 0, 1, 1)};
    TimingModel model;
    model.setEvents(session, 0);
    QCOMPARE(model.rowCount(), 2);
    const QModelIndex outer = model.index(0, 0);
    QCOMPARE(outer.data().toString(), QStringLiteral("outer"));
    QCOMPARE(model.rowCount(outer), 1);
    const QModelIndex inner = model.index(0, 0, outer);
    QCOMPARE(inner.siblingAtColumn(TimingModel::Count).data().toInt(), 2);
    QCOMPARE(inner.siblingAtColumn(TimingModel::Total).data(TimingModel::SortRole).toDouble(), 50.0);
    QCOMPARE(outer.siblingAtColumn(TimingModel::Self).data(TimingModel::SortRole).toDouble(), 50.0);
    QCOMPARE(model.totalUs(), 150.0);
    model.setEvents(session, -1);
    QCOMPARE(model.totalUs(), 150.0); // "other" lies within outer: one thread
    QCOMPARE(model.rowCount(model.index(0, 0)), 2);
}

void TestCompileTime::modelHolds() {
    test::Fixture f;
    test::addSample(f.workspace, "graph_breaks");
    TimingModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setEvents(*f.workspace.session(), -1);
    QVERIFY(model.rowCount() > 0);
    model.setEvents(*f.workspace.session(), 1);
    model.clear();
    QCOMPARE(model.rowCount(), 0);
}

void TestCompileTime::oneCompileOrAll() {
    test::Fixture f;
    test::addSample(f.workspace, "graph_breaks");
    auto panel = f.show<CompileTimePanel>();
    QVERIFY(panel->message().isEmpty());
    const auto total = [&] {
        double sum = 0;
        for (int row = 0; row < panel->tree()->model()->rowCount(); ++row)
            sum +=
                panel->tree()->model()->index(row, TimingModel::Total).data(TimingModel::SortRole).toDouble();
        return sum;
    };
    const double one = total();
    QVERIFY(one > 0);
    panel->setWholeSession(true);
    f.settle();
    QVERIFY(total() > one);
}

void TestCompileTime::filters() {
    test::Fixture f;
    test::addSample(f.workspace, "graph_breaks");
    auto panel = f.show<CompileTimePanel>();
    panel->focusFilter();
    auto* field = panel->findChild<QLineEdit*>();
    field->setText("entire_frame_compile");
    QVERIFY(panel->tree()->model()->rowCount() >= 1);
    field->setText("no such phase");
    QCOMPARE(panel->tree()->model()->rowCount(), 0);
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
