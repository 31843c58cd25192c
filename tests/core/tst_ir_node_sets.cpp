// SPDX-License-Identifier: BSD-3-Clause
#include "core/ir/node_sets.h"
#include "core/ir/text.h"
#include "core/layout/fold.h"

#include <QtTest>

using namespace dynascope;
using namespace dynascope::ir;

class TestIrNodeSets : public QObject {
    Q_OBJECT
private slots:
    void between();
    void around();
    void sameTarget();
    void survivesNodesThatAreNotThere();
    void foldsWhatIsKept();
};

namespace {

//      x   w
//     / \ /
//  relu  mm      mm reads x and w, add reads relu and mm, neg only add
//     \ / \ .
//     add  mm_1
constexpr auto text = R"(graph():
    %x : [num_users=2] = placeholder[target=x]
    %w : [num_users=2] = placeholder[target=w]
    %relu : [num_users=1] = call_function[target=torch.ops.aten.relu.default](args = (%x,), kwargs = {})
    %mm : [num_users=2] = call_function[target=torch.ops.aten.mm.default](args = (%x, %w), kwargs = {})
    %add : [num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%relu, %mm), kwargs = {})
    %mm_1 : [num_users=1] = call_function[target=torch.ops.aten.mm.default](args = (%mm, %w), kwargs = {})
    %neg : [num_users=1] = call_function[target=torch.ops.aten.neg.default](args = (%add,), kwargs = {})
    return (neg, mm_1)
)";

GraphPtr graphOf(std::string_view written) {
    auto graph = readGraph(written);
    if (!graph) qFatal("%s", graph.error().toString().c_str());
    return *graph;
}

NodeSet named(const Graph& graph, std::initializer_list<const char*> names) {
    NodeSet out;
    for (const char* name : names)
        out.push_back(graph.find(name));
    return nodeSet(std::move(out));
}

} // namespace

void TestIrNodeSets::between() {
    const GraphPtr graph = graphOf(text);
    QCOMPARE(nodesBetween(*graph, named(*graph, {"x", "add"})), named(*graph, {"x", "relu", "mm", "add"}));
    QCOMPARE(nodesBetween(*graph, named(*graph, {"w", "neg"})), named(*graph, {"w", "mm", "add", "neg"}));
    // No path leads from one to the other.
    QCOMPARE(nodesBetween(*graph, named(*graph, {"relu", "mm_1"})), named(*graph, {"relu", "mm_1"}));
    QCOMPARE(nodesBetween(*graph, named(*graph, {"mm"})), named(*graph, {"mm"}));
}

void TestIrNodeSets::around() {
    const GraphPtr graph = graphOf(text);
    QCOMPARE(withNeighbours(*graph, named(*graph, {"mm"})), named(*graph, {"x", "w", "mm", "add", "mm_1"}));
    QCOMPARE(withAncestors(*graph, named(*graph, {"add"})), named(*graph, {"x", "w", "relu", "mm", "add"}));
    NodeSet below = named(*graph, {"mm", "add", "mm_1", "neg"});
    below.push_back(NodeIndex(graph->size() - 1)); // the output
    QCOMPARE(withDescendants(*graph, named(*graph, {"mm"})), below);
}

void TestIrNodeSets::sameTarget() {
    const GraphPtr graph = graphOf(text);
    QCOMPARE(withTargetOf(*graph, graph->find("mm_1")), named(*graph, {"mm", "mm_1"}));
    QCOMPARE(withTargetOf(*graph, graph->find("w")), named(*graph, {"x", "w"}));
    QCOMPARE(withTargetOf(*graph, graph->find("neg")), named(*graph, {"neg"}));
}

void TestIrNodeSets::survivesNodesThatAreNotThere() {
    const GraphPtr graph = graphOf(text);
    const NodeSet odd{graph->find("mm"), NodeIndex(graph->size()), npos};
    QCOMPARE(nodesBetween(*graph, odd), named(*graph, {"mm"}));
    QCOMPARE(withNeighbours(*graph, {npos}), NodeSet());
    QCOMPARE(withAncestors(*graph, {npos}), NodeSet());
    QCOMPARE(withTargetOf(*graph, npos), NodeSet());
}

/// Blocks keep their ids; what was left out has no item, no edge and no block.
void TestIrNodeSets::foldsWhatIsKept() {
    const GraphPtr graph = graphOf(text);
    layout::GroupTree tree;
    layout::Group root, block, empty;
    root.nodes = named(*graph, {"x", "w", "neg"});
    root.nodes.push_back(NodeIndex(graph->size() - 1));
    root.children = {1, 2};
    root.totalNodes = graph->size();
    block.path = block.name = "block";
    block.parent = empty.parent = 0;
    block.nodes = named(*graph, {"relu", "mm", "add"});
    block.totalNodes = 3;
    block.alike = 1;
    empty.path = empty.name = "empty";
    empty.nodes = named(*graph, {"mm_1"});
    empty.totalNodes = 1;
    tree.groups = {root, block, empty};
    tree.groupOfNode.assign(graph->size(), 0);
    for (const NodeIndex node : block.nodes)
        tree.groupOfNode[node] = 1;
    tree.groupOfNode[graph->find("mm_1")] = 2;

    const layout::GroupTree part = layout::keepNodes(tree, named(*graph, {"x", "relu", "add", "neg"}));
    QCOMPARE(part.groups.size(), std::size_t(3));
    QCOMPARE(part.groups[0].children, std::vector<layout::GroupId>{1});
    QCOMPARE(part.groups[0].totalNodes, std::size_t(4));
    QCOMPARE(part.groups[1].alike, layout::noGroup);
    QCOMPARE(part.groupOfNode[graph->find("mm")], layout::noGroup);

    const layout::FoldedGraph open = layout::fold(*graph, part, {1});
    QCOMPARE(open.items.size(), std::size_t(4));
    QCOMPARE(open.itemOfNode[graph->find("mm")], npos);
    QCOMPARE(open.edges.size(), std::size_t(3)); // x-relu, relu-add, add-neg
    const layout::FoldedGraph closed = layout::fold(*graph, part, {});
    QCOMPARE(closed.items.size(), std::size_t(3));
    QCOMPARE(closed.edges.size(), std::size_t(2));
}

QTEST_APPLESS_MAIN(TestIrNodeSets)
#include "tst_ir_node_sets.moc"
