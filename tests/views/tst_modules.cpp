// SPDX-License-Identifier: BSD-3-Clause
#include "tests/views/panel_test.h"
#include "views/base/nothing_matches.h"
#include "views/modules/module_model.h"
#include "views/modules/modules_panel.h"

#include <QAbstractItemModelTester>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTest>
#include <QTreeView>

using namespace dynascope;
using namespace dynascope::views;

namespace {

ir::Node makeNode(const std::string& name, ir::Op op, const std::string& target,
                  std::vector<std::string> inputs) {
    ir::Node node;
    node.name = name;
    node.op = op;
    node.target = target;
    for (std::string& input : inputs) {
        node.args.push_back(ir::Argument::node(std::move(input)));
    }
    return node;
}

/// x -> layers.0 { mm_0, relu_0 } -> layers.1 { mm_1, relu_1 } -> head { out_mm } -> output, the two layers
/// alike.
std::shared_ptr<const ModuleTree> sampleTree() {
    ir::GraphBuilder builder;
    builder.add(makeNode("x", ir::Op::Placeholder, "x", {}));
    builder.add(makeNode("mm_0", ir::Op::CallFunction, "torch.ops.aten.mm.default", {"x"}));
    builder.add(makeNode("relu_0", ir::Op::CallFunction, "torch.ops.aten.relu.default", {"mm_0"}));
    builder.add(makeNode("mm_1", ir::Op::CallFunction, "torch.ops.aten.mm.default", {"relu_0"}));
    builder.add(makeNode("relu_1", ir::Op::CallFunction, "torch.ops.aten.relu.default", {"mm_1"}));
    builder.add(makeNode("out_mm", ir::Op::CallFunction, "torch.ops.aten.mm.default", {"relu_1"}));
    builder.add(makeNode("output", ir::Op::Output, "output", {"out_mm"}));

    using Kind = layout::Group::Kind;
    auto tree = std::make_shared<ModuleTree>();
    tree->graph = builder.build();
    auto& groups = tree->groups.groups;
    groups.resize(4);
    groups[0] = {Kind::Root, "", "", "", layout::noGroup, {1, 2, 3}, {0, 6}, 7, 0, layout::noGroup};
    groups[1] = {Kind::Module, "layers.0", "layers.0", "Layer", 0, {}, {1, 2}, 2, 5, 1};
    groups[2] = {Kind::Module, "layers.1", "layers.1", "Layer", 0, {}, {3, 4}, 2, 5, 1};
    groups[3] = {Kind::Module, "head", "head", "Linear", 0, {}, {5}, 1, 9, layout::noGroup};
    tree->groups.groupOfNode = {0, 1, 1, 2, 2, 3, 0};
    tree->names = layout::moduleNames(tree->groups);
    return tree;
}

/// "name detail count" of every row, children indented by two blanks.
QString printed(const ModuleModel& model, const QModelIndex& parent = {}, int depth = 0) {
    QString out;
    for (int i = 0; i < model.rowCount(parent); ++i) {
        const QModelIndex index = model.index(i, 0, parent);
        QStringList parts{index.data().toString()};
        const QString detail = index.data(ModuleModel::DetailRole).toString();
        if (!detail.isEmpty()) parts << QStringLiteral("(%1)").arg(detail);
        const QVariant count = index.data(ModuleModel::CountRole);
        if (count.isValid()) parts << count.toString();
        out += QString(depth * 2, QLatin1Char(' ')) + parts.join(QLatin1Char(' ')) + QLatin1Char('\n');
        out += printed(model, index, depth + 1);
    }
    return out;
}

} // namespace

class TestModules : public QObject {
    Q_OBJECT
private slots:
    void listsModulesInGraphOrder();
    void aModuleOfOneCallHasItsName();
    void filterKeepsWhatHoldsAMatch();
    void findsTheRowOfANode();
    void staysConsistentThroughResets();
    void timesAddUpToModules();
    void saysThatNothingMatches();
    void timesDoNotWidenThePanel();
};

void TestModules::timesDoNotWidenThePanel() {
    test::Fixture f;
    test::addSample(f.workspace, "view_mutation");
    f.settle();
    auto panel = f.show<ModulesPanel>(260, 500);
    const int before = panel->minimumSizeHint().width();
    const session::StagePtr& stage = f.workspace.stage(Side::B).stage;
    NodeTimes times;
    times.us = {{"select", 3}};
    times.most = times.sum = 3;
    times.joined = 0.5;
    times.passedOnFrom = "aot_forward, aot_backward, post_grad, post_grad#1";
    f.workspace.setNodeTimes(stage, times);
    f.settle();
    const QList<QLabel*> labels = panel->findChildren<QLabel*>();
    QVERIFY(std::ranges::any_of(labels, [](const QLabel* label) {
        return label->text().endsWith("passed on from aot_forward, aot_backward, post_grad, post_grad#1");
    }));
    QCOMPARE(panel->minimumSizeHint().width(), before);
}

void TestModules::saysThatNothingMatches() {
    test::Fixture f;
    test::addSample(f.workspace, "view_mutation");
    f.settle();
    auto panel = f.show<ModulesPanel>(400, 500);
    auto& tree = *panel->findChild<QTreeView*>();
    QVERIFY(tree.model()->rowCount() > 0);
    const auto* word = tree.findChild<EmptyMessage*>();
    QVERIFY(word->isHidden());
    auto* filter = panel->findChild<QLineEdit*>();
    filter->setText("target:zzz");
    QTRY_VERIFY(word->isVisible());
    QCOMPARE(word->text(), QString("No node matches target:zzz."));
    word->findChild<QPushButton*>()->click();
    QVERIFY(tree.model()->rowCount() > 0 && word->isHidden());
}

void TestModules::timesAddUpToModules() {
    ModuleModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setTree(sampleTree());
    const QModelIndex relu = model.indexOf(2), layer = relu.parent(), both = layer.parent();
    QVERIFY(!relu.data(ModuleModel::TimeRole).isValid());
    auto times = std::make_shared<NodeTimes>();
    times->us = {{"mm_0", 3}, {"relu_0", 1}, {"out_mm", 4}};
    times->most = 4;
    times->sum = 8;
    model.setTimes(times);
    QCOMPARE(relu.data(ModuleModel::TimeRole).toDouble(), 1.0);
    QCOMPARE(layer.data(ModuleModel::TimeRole).toDouble(), 4.0);
    QCOMPARE(layer.data(ModuleModel::HeatRole).toDouble(), 0.5);
    QCOMPARE(both.data(ModuleModel::TimeRole).toDouble(), 4.0); // of the other layer nothing is known
    QVERIFY(!model.indexOf(4).data(ModuleModel::TimeRole).isValid());
    model.setTimes(nullptr);
    QVERIFY(!layer.data(ModuleModel::TimeRole).isValid());
}

void TestModules::listsModulesInGraphOrder() {
    ModuleModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setTree(sampleTree());
    QCOMPARE(printed(model), QStringLiteral("x (x)\n"
                                            "layers.0 \u2026 layers.1 (2 alike, 2 nodes each) 4\n"
                                            "  layers.0 (Layer) 2\n"
                                            "    mm_0 (aten.mm.default)\n"
                                            "    relu_0 (aten.relu.default)\n"
                                            "  layers.1 (Layer) 2\n"
                                            "    mm_1 (aten.mm.default)\n"
                                            "    relu_1 (aten.relu.default)\n"
                                            "head (Linear) 1\n"
                                            "  out_mm (aten.mm.default)\n"
                                            "output (output)\n"));
    QCOMPARE(model.shownNodes(), std::size_t(7));
}

void TestModules::aModuleOfOneCallHasItsName() {
    auto tree = std::make_shared<ModuleTree>(*sampleTree());
    tree->groups.loneModules.assign(7, {});
    tree->groups.loneModules[1] = "q_proj";
    tree->names = layout::moduleNames(tree->groups);
    ModuleModel model;
    model.setTree(tree);
    const QModelIndex row = model.indexOf(1);
    QCOMPARE(row.data().toString(), QStringLiteral("q_proj"));
    QCOMPARE(row.data(ModuleModel::DetailRole).toString(), QStringLiteral("mm_0 aten.mm.default"));
    model.setFilter(*session::Filter::parse("module:layers.0.q_proj"));
    QCOMPARE(model.shownNodes(), std::size_t(1));
}

void TestModules::filterKeepsWhatHoldsAMatch() {
    ModuleModel model;
    model.setTree(sampleTree());
    const auto filter = session::Filter::parse("target:aten.relu");
    QVERIFY(filter.has_value());
    model.setFilter(*filter);
    QCOMPARE(printed(model), QStringLiteral("layers.0 \u2026 layers.1 (2 alike, 2 nodes each) 2\n"
                                            "  layers.0 (Layer) 1\n"
                                            "    relu_0 (aten.relu.default)\n"
                                            "  layers.1 (Layer) 1\n"
                                            "    relu_1 (aten.relu.default)\n"));
    QVERIFY(!model.indexOf(1).isValid());
    QVERIFY(model.indexOf(2).isValid());
    for (const char* text : {"module:layers.1", "layers.1"}) {
        model.setFilter(*session::Filter::parse(text));
        QCOMPARE(printed(model), QStringLiteral("layers.0 \u2026 layers.1 (2 alike, 2 nodes each) 2\n"
                                                "  layers.1 (Layer) 2\n"
                                                "    mm_1 (aten.mm.default)\n"
                                                "    relu_1 (aten.relu.default)\n"));
    }
}

void TestModules::findsTheRowOfANode() {
    ModuleModel model;
    model.setTree(sampleTree());
    const QModelIndex index = model.indexOf(4);
    QCOMPARE(index.data().toString(), QStringLiteral("relu_1"));
    QCOMPARE(index.parent().data().toString(), QStringLiteral("layers.1"));
    QCOMPARE(model.firstNode(index.parent()), ir::NodeIndex(3));
    QCOMPARE(model.firstNode(index.parent().parent()), ir::NodeIndex(1));
    QVERIFY(!model.indexOf(700).isValid());
    QCOMPARE(model.firstNode({}), ir::npos);
}

void TestModules::staysConsistentThroughResets() {
    ModuleModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setTree(sampleTree());
    model.setFilter(*session::Filter::parse("nothing-has-this-name"));
    QCOMPARE(model.rowCount(), 0);
    model.setFilter({});
    QCOMPARE(model.rowCount(), 4);
    model.setTree(nullptr);
    QCOMPARE(model.rowCount(), 0);
    QVERIFY(!model.index(0, 0).isValid());
}

QTEST_MAIN(TestModules)
#include "tst_modules.moc"
