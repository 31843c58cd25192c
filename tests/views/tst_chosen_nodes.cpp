// SPDX-License-Identifier: BSD-3-Clause
//
// Several nodes at once on the canvases: choosing them with mouse, keys and menu, and drawing them alone.
#include "tests/views/shown_canvases.h"
#include "views/canvas/chosen_nodes.h"
#include "views/canvas/pane_header.h"

#include <QMenu>
#include <QPushButton>

using namespace dynascope;
using namespace dynascope::views;
using canvas::ChosenNodes;
using canvas::GraphCanvas;

class TestChosenNodes : public QObject, private test::ShownCanvases {
    Q_OBJECT
private slots:
    void init() { enter({1300, 900}); }
    void cleanup() { leave(); }
    void ctrlClickAddsAndTakesAway();
    void shiftClickTakesAllBetween();
    void clickingElsewhereEndsIt();
    void menuChooses();
    void drawnAlone();
    void drawnAloneMerged();
    void soughtNodeBringsAllBack();
    void steppingOnEndsIt();
    void blocksCountAsAllTheirNodes();

private:
    [[nodiscard]] QStringList chosen() const; ///< names, in graph order
    [[nodiscard]] static QStringList items(const GraphCanvas& canvas);
};

QStringList TestChosenNodes::chosen() const {
    const ChosenNodes::Of part = m_workspace->place().own.of<ChosenNodes>().chosen;
    const Side side = part.stage == m_workspace->place().stageB ? Side::B : Side::A;
    QStringList out;
    for (const ir::NodeIndex node : part.nodes)
        out << QString::fromStdString(m_workspace->stage(side).graph->node(node).name);
    return out;
}

QStringList TestChosenNodes::items(const GraphCanvas& canvas) {
    QStringList out;
    for (const canvas::SceneItem& item : canvas.scene()->items)
        out << item.name;
    out.sort();
    return out;
}

void TestChosenNodes::ctrlClickAddsAndTakesAway() {
    open("view_mutation");
    click(a(), "y");
    QVERIFY(chosen().isEmpty());
    click(a(), "setitem", Qt::ControlModifier);
    QCOMPARE(chosen(), QStringList({"y", "setitem"})); // the one that was selected counts
    QCOMPARE(a().chosen().size(), std::size_t(2));
    QVERIFY(b().chosen().empty());
    QCOMPARE(m_workspace->selectedNode()->name, std::string("setitem"));
    click(a(), "y", Qt::ControlModifier);
    QCOMPARE(chosen(), QStringList({"setitem"}));
    // The other stage's nodes are another choice.
    click(b(), "copy", Qt::ControlModifier);
    QCOMPARE(chosen(), QStringList({"copy"}));
    QVERIFY(a().chosen().empty());
    b().setFocus();
    QTest::keyClick(&b(), Qt::Key_Space, Qt::ControlModifier);
    QVERIFY(chosen().isEmpty());
}

void TestChosenNodes::shiftClickTakesAllBetween() {
    open("view_mutation");
    click(b(), "add");
    click(b(), "select_scatter", Qt::ShiftModifier);
    const QStringList all = chosen();
    QVERIFY2(all.contains("add") && all.contains("select_scatter"), qPrintable(all.join(u' ')));
    const ir::Graph& graph = *m_workspace->stage(Side::B).graph;
    QCOMPARE(m_workspace->place().own.of<ChosenNodes>().chosen.nodes,
             ir::nodesBetween(graph, ir::nodeSet({graph.find("add"), graph.find("select_scatter")})));
}

void TestChosenNodes::clickingElsewhereEndsIt() {
    open("view_mutation");
    click(a(), "y");
    click(a(), "setitem", Qt::ControlModifier);
    click(a(), "y"); // one of them: it stays, as for a menu
    QCOMPARE(chosen().size(), 2);
    click(a(), "l_x_");
    QVERIFY(chosen().isEmpty());
    QVERIFY(a().chosen().empty());
    click(a(), "setitem", Qt::ControlModifier);
    QCOMPARE(chosen().size(), 2);
    a().setFocus();
    QTest::keyClick(&a(), Qt::Key_Escape);
    QVERIFY(chosen().isEmpty());
}

void TestChosenNodes::menuChooses() {
    open("encoder_train");
    const ir::Graph& graph = *m_workspace->stage(Side::B).graph;
    ir::NodeIndex node = ir::npos;
    for (ir::NodeIndex i = 0; i < graph.size(); ++i)
        if (graph.node(i).op == ir::Op::CallFunction && ir::withTargetOf(graph, i).size() > 1) node = i;
    QVERIFY(node != ir::npos);
    m_workspace->selectNode({Side::B, node});
    m_workspace->seekNode();
    settle();
    const int item = b().scene()->itemOf(node);
    QMenu menu;
    emit b().choiceMenuAboutToShow(&menu, item);
    const auto trigger = [](const QMenu& in, const QString& begin) {
        for (QAction* action : in.actions())
            if (action->text().startsWith(begin)) {
                action->trigger();
                return true;
            }
        return false;
    };
    QMenu* choose = menu.findChild<QMenu*>();
    QVERIFY(choose);
    QVERIFY(trigger(*choose, "The same target ("));
    QCOMPARE(m_workspace->place().own.of<ChosenNodes>().chosen.nodes, ir::withTargetOf(graph, node));
    QVERIFY(trigger(*choose, "The same module, "));
    const ir::NodeSet module = m_workspace->place().own.of<ChosenNodes>().chosen.nodes;
    QVERIFY(ir::contains(module, node) && module.size() < graph.size());
    QVERIFY(trigger(*choose, "All that they are computed from ("));
    QVERIFY(chosen().size() > 1);
    QVERIFY(trigger(menu, "Draw only these\t"));
    settle();
    QCOMPARE(m_workspace->place().own.of<ChosenNodes>().drawn.nodes,
             m_workspace->place().own.of<ChosenNodes>().chosen.nodes);
}

void TestChosenNodes::drawnAlone() {
    open("view_mutation");
    const QStringList wholeA = items(a()), wholeB = items(b());
    click(a(), "setitem");
    a().setFocus();
    QTest::keyClick(&a(), Qt::Key_I);
    settle();
    QCOMPARE(items(a()), QStringList({"setitem"}));
    QCOMPARE(items(b()), QStringList({"copy", "select_1", "select_scatter"})); // what it became
    auto* header = m_view->findChild<canvas::PaneHeader*>();
    auto* all = header->findChildren<QPushButton*>().back();
    QCOMPARE(all->text(), QString("Show all"));
    QVERIFY(all->isVisible());
    QTest::keyClick(&a(), Qt::Key_N);
    settle();
    QVERIFY(items(a()).contains("y") && items(a()).contains("setitem"));
    QVERIFY(items(a()).size() < wholeA.size());
    m_workspace->goBack();
    settle();
    QCOMPARE(items(a()), QStringList({"setitem"}));
    m_workspace->goBack();
    settle();
    QCOMPARE(items(a()), wholeA);
    QVERIFY(!all->isVisible());
    m_workspace->goForward();
    settle();
    QCOMPARE(items(a()), QStringList({"setitem"}));
    QTest::mouseClick(all, Qt::LeftButton);
    settle();
    QCOMPARE(items(a()), wholeA);
    QCOMPARE(items(b()), wholeB);
}

void TestChosenNodes::drawnAloneMerged() {
    open("view_mutation");
    click(a(), "setitem");
    m_view->setMode(CompareView::Mode::Merged);
    settle();
    m_view->drawChosen(false);
    settle();
    // What is gone from A, and what of B came from it.
    QCOMPARE(items(merged()).size(), 4);
    QVERIFY(items(merged()).contains("select_scatter"));
    m_view->drawAll();
    settle();
    QVERIFY(items(merged()).size() > 4);
}

void TestChosenNodes::soughtNodeBringsAllBack() {
    open("view_mutation");
    const QStringList whole = items(a());
    click(a(), "setitem");
    m_view->drawChosen(false);
    settle();
    QCOMPARE(items(a()).size(), 1);
    m_workspace->selectNode({Side::A, m_workspace->stage(Side::A).graph->find("l_x_")});
    m_workspace->seekNode();
    settle();
    QCOMPARE(items(a()), whole);
    QVERIFY(a().selected() != canvas::noItem);
}

void TestChosenNodes::steppingOnEndsIt() {
    open("view_mutation");
    click(a(), "y");
    click(a(), "setitem", Qt::ControlModifier);
    m_view->drawChosen(false);
    settle();
    m_workspace->selectStages(1, 2);
    settle();
    QVERIFY(m_workspace->place().own.of<ChosenNodes>() == ChosenNodes());
    QVERIFY(a().scene()->items.size() > 2);
    m_workspace->goBack();
    settle();
    QCOMPARE(items(a()), QStringList({"setitem", "y"}));
}

void TestChosenNodes::blocksCountAsAllTheirNodes() {
    open("encoder_train");
    m_view->closeAll();
    settle();
    const auto& items = b().scene()->items;
    const auto block =
        std::ranges::find_if(items, [](const canvas::SceneItem& i) { return !i.isNode() && !i.isInputs; });
    QVERIFY(block != items.end());
    const std::size_t nodes = block->nodes;
    emit b().itemToggled(int(block - items.begin()));
    QCOMPARE(std::size_t(chosen().size()), nodes);
    m_view->drawChosen(false);
    settle();
    std::size_t drawn = 0;
    for (const int item : b().scene()->itemOfNode)
        drawn += item != canvas::noItem;
    QCOMPARE(drawn, nodes);
}

QTEST_MAIN(TestChosenNodes)
#include "tst_chosen_nodes.moc"
