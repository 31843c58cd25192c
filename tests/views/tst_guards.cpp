// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/parts.h"
#include "tests/views/panel_test.h"
#include "views/base/nothing_matches.h"
#include "views/guards/guards_model.h"
#include "views/guards/guards_panel.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QLineEdit>
#include <QPushButton>
#include <QTreeView>

using namespace dynascope;
using namespace dynascope::views;

class TestGuards : public QObject {
    Q_OBJECT
private slots:
    void modelHolds();
    void matchesReasons();
    void groupsAmbientChecks();
    void marksTheGuardThatFailed();
    void filtersAndGoesToTheLine();
    void filtersByModule();
    void longChecksHaveLines();
    void aFailedCheckIsWhole();
    void deepTreesDoNotRecurse();
    void saysWhatIsMissing();
};

void TestGuards::modelHolds() {
    test::Fixture f;
    test::addSample(f.workspace, "graph_breaks");
    GuardsModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    const session::SessionPtr session = f.workspace.capture()->session;
    for (std::size_t i = 0; i < session->compiles.size(); ++i)
        model.setGuards(session, i);
    model.clear();
    QCOMPARE(model.rowCount(), 0);
}

void TestGuards::matchesReasons() {
    session::Guard tensor{2, "TENSOR_MATCH", "check_tensor(L['x'], Tensor, ...)", "L['x']", {}, {}};
    QVERIFY(guardMatchesReason(tensor, "0/0: tensor 'x' size mismatch at index 0. expected 8, actual 4"));
    QVERIFY(!guardMatchesReason(tensor, "0/0: tensor 'xy' size mismatch at index 0. expected 8, actual 4"));
    session::Guard value{2, "EQUALS_MATCH", "L['n'] == 3", "L['n']", {}, {}};
    QVERIFY(guardMatchesReason(value, "0/0: L['n'] == 3  # cap.py:3 in f"));
    QVERIFY(!guardMatchesReason(value, "0/0: L['m'] == 3"));
    session::Guard manager{1, "GuardManager", "L['n'] == 3", "L['n']", {}, {}};
    QVERIFY(!guardMatchesReason(manager, "0/0: L['n'] == 3"));
    QVERIFY(!guardMatchesReason(value, ""));
}

void TestGuards::groupsAmbientChecks() {
    session::Session session;
    session.compiles.resize(1);
    session.compiles[0].guards = {{0, "RootGuardManager", "", "", {}, {}},
                                  {1, "GLOBAL_STATE", "___check_global_state()", "", {}, {}},
                                  {1, "GuardManager", "source=L['x']", "L['x']", {}, {}},
                                  {2, "TENSOR_MATCH", "check_tensor(...)", "L['x']", {}, {}}};
    GuardsModel model;
    model.setGuards(std::make_shared<const session::Session>(session), 0);
    QCOMPARE(model.rowCount(), 2);
    QCOMPARE(model.index(1, 0).data().toString(), QStringLiteral("Checks of every frame"));
    QCOMPARE(model.rowCount(model.index(1, 0)), 1);
    const QModelIndex x = model.index(0, 0, model.index(0, 0));
    QCOMPARE(x.data().toString(), QStringLiteral("L['x']"));
    QCOMPARE(model.rowCount(x), 1);
    QCOMPARE(model.checkCount(), 2);
}

void TestGuards::marksTheGuardThatFailed() {
    test::Fixture f;
    test::addSample(f.workspace, "graph_breaks");
    GuardsModel model;
    model.setGuards(f.workspace.capture()->session, std::size_t(f.compileIndex("1/0")));
    QVERIFY(model.failedCount() >= 1);
    QCOMPARE(model.failedCount() < model.checkCount(), true);
}

void TestGuards::filtersAndGoesToTheLine() {
    test::Fixture f;
    test::addSample(f.workspace, "graph_breaks");
    f.workspace.selectCompile(0, f.compileIndex("1/0"));
    auto panel = f.show<GuardsPanel>(420, 500);
    QVERIFY(panel->message().isEmpty());
    QSignalSpy source(&f.workspace, &Workspace::sourceRequested);
    test::part<QLineEdit>(*panel, "guards.filter")->setText("TENSOR_MATCH");
    QTreeView* tree = test::part<QTreeView>(*panel, "guards.tree");
    QModelIndex leaf = tree->model()->index(0, 0);
    while (tree->model()->rowCount(leaf) > 0)
        leaf = tree->model()->index(0, 0, leaf);
    // Narrow: the check above its kind, the place at the end of the last line.
    QVERIFY(tree->isColumnHidden(GuardsModel::Check));
    const QRect row = tree->visualRect(leaf);
    QVERIFY2(row.width() > 300, "the guard has the width of the panel");
    QVERIFY(row.height() >= 2 * tree->fontMetrics().height());
    QTest::mouseClick(tree->viewport(), Qt::LeftButton, {}, row.topRight() + QPoint(-14, 8));
    QCOMPARE(source.size(), 0);
    QTest::mouseClick(tree->viewport(), Qt::LeftButton, {}, row.bottomRight() + QPoint(-14, -8));
    QCOMPARE(source.size(), 1);
    QVERIFY(source[0][1].toInt() > 0);
    panel->resize(900, 500);
    QVERIFY(!tree->isColumnHidden(GuardsModel::Check));
    QVERIFY(tree->visualRect(leaf).height() < row.height());
    const QRect cell = tree->visualRect(leaf.siblingAtColumn(GuardsModel::AddedBy));
    QTest::mouseClick(tree->viewport(), Qt::LeftButton, {}, cell.center());
    QCOMPARE(source.size(), 2);
    test::part<QLineEdit>(*panel, "guards.filter")->setText("no such guard");
    QCOMPARE(tree->model()->rowCount(), 0);
}

void TestGuards::filtersByModule() {
    session::Session session;
    session.compiles.resize(1);
    std::vector<session::Guard> guards;
    for (int layer = 0; layer < 24; ++layer) {
        const std::string source = "L['self']._modules['layers']._modules['" + std::to_string(layer) +
                                   "']._modules['q_proj']._parameters['weight']";
        guards.push_back({1, "GuardManager", "source=" + source, source, {}, {}});
        guards.push_back({2, "TENSOR_MATCH", "check_tensor(" + source + ", Parameter)", source, {}, {}});
    }
    session.compiles[0].guards = std::move(guards);
    test::Fixture f;
    f.workspace.addCapture(test::captureOf(std::move(session)), true);
    auto panel = f.show<GuardsPanel>(900, 500);
    const QAbstractItemModel& rows = *test::part<QTreeView>(*panel, "guards.tree")->model();
    for (const char* typed :
         {"layers.12.q_proj", "layers.12.q_proj.weight", "module:layers.12", "_modules['12']"}) {
        test::part<QLineEdit>(*panel, "guards.filter")->setText(typed);
        QCOMPARE(rows.rowCount(), 1);
        QCOMPARE(rows.index(0, 0).data().toString(), QString("layers.12.q_proj.weight"));
    }
    const QModelIndex check = rows.index(0, GuardsModel::Check, rows.index(0, 0));
    QCOMPARE(check.data().toString(), QString("check_tensor(layers.12.q_proj.weight, Parameter)"));
    test::part<QTreeView>(*panel, "guards.tree")->setCurrentIndex(check.siblingAtColumn(0));
    test::part<QTreeView>(*panel, "guards.tree")->actions().front()->trigger(); // Copy
    QVERIFY(QApplication::clipboard()->text().contains(
        "check_tensor(L['self']._modules['layers']._modules['12']"));
    test::part<QLineEdit>(*panel, "guards.filter")->setText("module:TENSOR_MATCH");
    const auto* word = test::part<QTreeView>(*panel, "guards.tree")->findChild<NothingMatches*>();
    QVERIFY(word && word->isVisible());
    QCOMPARE(word->text(), QString("No guard matches module:TENSOR_MATCH."));
    word->findChild<QPushButton*>()->click();
    QCOMPARE(rows.rowCount(), 24);
    QVERIFY(!word->isVisible());
}

void TestGuards::longChecksHaveLines() {
    session::Session session;
    session.compiles.resize(1);
    session.compiles[0].guards = {{1, "GuardManager", "source=L['x']", "L['x']", {}, {}},
                                  {2, "TYPE_MATCH", "short", "L['x']", {}, {}},
                                  {2,
                                   "TENSOR_MATCH",
                                   "check_tensor(L['x'], Tensor, torch.float32, device=None, size=[2, 16])",
                                   "L['x']",
                                   {},
                                   {}},
                                  {2, "EQUALS_MATCH", std::string(100000, 'x'), "L['x']", {}, {}}};
    test::Fixture f;
    f.workspace.addCapture(test::captureOf(std::move(session)), true);
    auto panel = f.show<GuardsPanel>(264, 500);
    const QTreeView& tree = *test::part<QTreeView>(*panel, "guards.tree");
    const auto height = [&](int row) {
        return tree.visualRect(tree.model()->index(row, 0, tree.model()->index(0, 0))).height();
    };
    const int line = f.theme.scaled(16);
    QCOMPARE(height(1) - height(0), line);     // the check needs two lines
    QCOMPARE(height(2) - height(0), 2 * line); // and no check has more than three
    panel->resize(500, 500);
    f.settle();
    QCOMPARE(height(1), height(0));
}

/// What differs, such as a size, is the last that a tensor's check says.
void TestGuards::aFailedCheckIsWhole() {
    const std::string check =
        "check_tensor(L['x'], Tensor, DispatchKeySet(CPU, BackendSelect, ADInplaceOrView, "
        "AutogradCPU), torch.float32, device=None, requires_grad=False, size=[2, 3, 32, 32])";
    session::Session session;
    session.compiles.resize(2);
    session.compiles[0].id = {0, 0, -1};
    session.compiles[0].guards = {{1, "GuardManager", "source=L['x']", "L['x']", {}, {}},
                                  {2, "TENSOR_MATCH", check, "L['x']", {}, {}}};
    session.compiles[1].id = {0, 1, -1};
    session.compiles[1].isRecompile = true;
    test::Fixture f;
    f.workspace.addCapture(test::captureOf(session), true);
    auto panel = f.show<GuardsPanel>(264, 500);
    const QTreeView& tree = *test::part<QTreeView>(*panel, "guards.tree");
    const auto height = [&] {
        return tree.visualRect(tree.model()->index(0, 0, tree.model()->index(0, 0))).height();
    };
    const int line = f.theme.scaled(16), some = height();
    session.compiles[1].recompileReasons = {
        "0/0: tensor 'x' size mismatch at index 2. expected 32, actual 48"};
    f.workspace.addCapture(test::captureOf(std::move(session)), true);
    f.settle();
    QVERIFY2(height() >= some + 2 * line, qPrintable(QStringLiteral("%1, %2").arg(some).arg(height())));
}

void TestGuards::deepTreesDoNotRecurse() {
    session::Session session;
    session.compiles.resize(1);
    for (int depth = 0; depth < 20000; ++depth)
        session.compiles[0].guards.push_back({depth, "GuardManager", {}, "L['x']", {}, {}});
    GuardsModel model;
    model.setGuards(std::make_shared<const session::Session>(std::move(session)), 0);
    int deep = 0;
    for (QModelIndex at = model.index(0, 0); at.isValid(); at = model.index(0, 0, at))
        ++deep;
    QVERIFY(deep <= 200);
}

void TestGuards::saysWhatIsMissing() {
    test::Fixture f;
    auto panel = f.show<GuardsPanel>(300, 400);
    QVERIFY(panel->message().contains("Ctrl+O"));
    session::Session session;
    session.compiles.resize(1);
    f.workspace.addCapture(test::captureOf(std::move(session)), true);
    f.settle();
    QVERIFY(panel->message().startsWith("No guards"));
}

QTEST_MAIN(TestGuards)
#include "tst_guards.moc"
