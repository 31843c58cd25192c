// SPDX-License-Identifier: BSD-3-Clause
#include "core/diff/merged_graph.h"
#include "tests/core/diff_graphs.h"

#include <QTest>

using namespace dynascope;
using diff::Change;

class TestMergedGraph : public QObject {
    Q_OBJECT
private slots:
    void mergedGraphHoldsBoth() {
        const ir::GraphPtr a = test::read(R"(graph():
    %x : [num_users=1] = placeholder[target=x]
    %y : [num_users=2] = placeholder[target=y]
    %getitem : [num_users=1] = call_function[target=operator.getitem](args = (%x, (slice(None, None, None), 0)), kwargs = {})
    %setitem : [num_users=0] = call_function[target=operator.setitem](args = (%y, (slice(None, None, None), 0), %getitem), kwargs = {})
    return (y,))");
        const ir::GraphPtr b = test::read(R"(graph():
    %x : [num_users=1] = placeholder[target=x]
    %y_1 : [num_users=2] = placeholder[target=y_1]
    %select : [num_users=1] = call_function[target=torch.ops.aten.select.int](args = (%x, 1, 0), kwargs = {})
    %select_1 : [num_users=1] = call_function[target=torch.ops.aten.select.int](args = (%y_1, 1, 0), kwargs = {})
    %copy : [num_users=1] = call_function[target=torch.ops.aten.copy.default](args = (%select_1, %select), kwargs = {})
    %setitem : [num_users=1] = call_function[target=torch.ops.aten.select_scatter.default](args = (%y_1, %copy, 1, 0), kwargs = {})
    return (setitem,))");
        const diff::GraphDiff diff = diff::diffGraphs(*a, *b);
        const diff::MergedGraph merged = diff::mergeGraphs(*a, *b, diff);
        QCOMPARE(merged.graph->size(), b->size() + diff.removed);
        QVERIFY(merged.graph->missing().empty());
        for (ir::NodeIndex n = 0; n < b->size(); ++n)
            QCOMPARE(merged.graph->nodes()[merged.fromB[n]].get(), b->nodes()[n].get()); // shared, not copied
        // B has another node of that name.
        const ir::NodeIndex kept = merged.fromA[a->find("setitem")];
        QCOMPARE(QString::fromStdString(merged.graph->node(kept).name), QString("setitem (A)"));
        QCOMPARE(merged.changes[kept], Change::Removed);
        // It reads what its argument became.
        QCOMPARE(QString::fromStdString(merged.graph->node(kept).args[0].text), QString("y_1"));
    }
};

QTEST_APPLESS_MAIN(TestMergedGraph)
#include "tst_merged_graph.moc"
