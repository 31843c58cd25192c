// SPDX-License-Identifier: BSD-3-Clause
#include "core/ir/storage.h"
#include "core/ir/text.h"

#include <QtTest>

using namespace dynascope::ir;

class TestIrStorage : public QObject {
    Q_OBJECT
private slots:
    void followsViewsAndWrites();
    void stepsThroughWrites();
    void survivesOddGraphs();
};

namespace {

constexpr auto text = R"(graph():
    %x : [num_users=2] = placeholder[target=x]
    %y : [num_users=2] = placeholder[target=y]
    %v : [num_users=2] = call_method[target=view](args = (%x, -1), kwargs = {})
    %row : [num_users=1] = call_function[target=torch.ops.aten.select.int](args = (%v, 0, 0), kwargs = {})
    %add_ : [num_users=0] = call_function[target=torch.ops.aten.add_.Tensor](args = (%row, 1), kwargs = {})
    %z : [num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%x, %y), kwargs = {})
    %copy_ : [num_users=0] = call_function[target=torch.ops.aten.copy_.default](args = (%x, %z), kwargs = {})
    %zero_ : [num_users=0] = call_method[target=zero_](args = (%y,), kwargs = {})
    return (z, v)
)";

GraphPtr graphOf(std::string_view written) {
    auto graph = readGraph(written);
    if (!graph) qFatal("%s", graph.error().toString().c_str());
    return *graph;
}

} // namespace

void TestIrStorage::followsViewsAndWrites() {
    const GraphPtr graph = graphOf(text);
    const std::vector<NodeIndex> roots = storageRoots(*graph);
    const auto root = [&](const char* name) { return graph->node(roots[graph->find(name)]).name; };
    QCOMPARE(root("row"), std::string("x"));
    QCOMPARE(root("add_"), std::string("x"));
    QCOMPARE(root("copy_"), std::string("x"));
    QCOMPARE(root("zero_"), std::string("y"));
    QCOMPARE(root("z"), std::string("z")); // a new tensor
}

void TestIrStorage::stepsThroughWrites() {
    const GraphPtr graph = graphOf(text);
    const auto around = [&](const char* name) { return writesAround(*graph, graph->find(name)); };
    QCOMPARE(around("x").previous, npos);
    QCOMPARE(around("x").next, graph->find("add_"));
    QCOMPARE(around("x").writes, std::size_t(2));
    QCOMPARE(around("v").previous, graph->find("x"));
    QCOMPARE(around("add_").previous, graph->find("x"));
    QCOMPARE(around("add_").next, graph->find("copy_"));
    QCOMPARE(around("copy_").previous, graph->find("add_"));
    QCOMPARE(around("copy_").next, npos);
    QCOMPARE(around("z").writes, std::size_t(0));
}

void TestIrStorage::survivesOddGraphs() {
    const GraphPtr graph =
        graphOf("graph():\n    %a : [num_users=1] = call_method[target=view](args = (%b, -1), "
                "kwargs = {})\n    %b : [num_users=1] = call_method[target=add_](args = (%a, 1), "
                "kwargs = {})\n    %c : [num_users=0] = call_method[target=add_](args = (%gone, "
                "1), kwargs = {})\n    return b");
    const std::vector<NodeIndex> roots = storageRoots(*graph);
    QCOMPARE(roots[graph->find("a")], graph->find("a")); // its base comes after it
    QCOMPARE(roots[graph->find("b")], graph->find("a"));
    QCOMPARE(roots[graph->find("c")], graph->find("c"));
    QCOMPARE(writesAround(*graph, 99).root, npos);
}

QTEST_APPLESS_MAIN(TestIrStorage)
#include "tst_ir_storage.moc"
