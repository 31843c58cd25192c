// SPDX-License-Identifier: BSD-3-Clause
#include "core/capture/open.h"
#include "core/ir/storage.h"
#include "core/ir/text.h"

#include <QtTest>

using namespace dynascope::ir;

class TestIrStorage : public QObject {
    Q_OBJECT
private slots:
    void followsViewsAndWrites();
    void stepsThroughWrites();
    void torchLevel();
    void functionalForms();
    void partsOfTuples();
    void capturedViewMutation();
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

/// setitem, augmented assignment, out=, lists of tensors and views by attribute, as Dynamo writes them.
void TestIrStorage::torchLevel() {
    const GraphPtr graph = graphOf(R"(graph():
    %x : [num_users=5] = placeholder[target=L_x_]
    %y : [num_users=2] = placeholder[target=L_y_]
    %t : [num_users=1] = call_function[target=builtins.getattr](args = (%x, T), kwargs = {})
    %row : [num_users=1] = call_function[target=operator.getitem](args = (%t, 0), kwargs = {})
    %setitem : [num_users=0] = call_function[target=operator.setitem](args = (%row, (slice(None, None, None),), %y), kwargs = {})
    %x_1 : [num_users=1] = call_function[target=operator.iadd](args = (%x, 1), kwargs = {})
    %add : [num_users=0] = call_function[target=torch.add](args = (%y, 1), kwargs = {out: %x_1})
    %_foreach_mul_ : [num_users=0] = call_function[target=torch._foreach_mul_](args = ([%y, %x], 2), kwargs = {})
    %relu : [num_users=0] = call_function[target=torch.nn.functional.relu](args = (%y,), kwargs = {inplace: True})
    return (x_1,)
)");
    const auto names = [&](const char* node) {
        QStringList out;
        for (const NodeIndex i : valuesWritten(*graph, graph->find(node)))
            out << QString::fromStdString(graph->node(i).name);
        return out;
    };
    QCOMPARE(names("setitem"), QStringList({"row"}));
    QCOMPARE(names("x_1"), QStringList({"x"}));
    QCOMPARE(names("add"), QStringList({"x_1"})); // not y, which it only reads
    QCOMPARE(names("_foreach_mul_"), QStringList({"y", "x"}));
    QCOMPARE(names("relu"), QStringList({"y"}));
    QCOMPARE(names("t"), QStringList());
    QStringList ofX;
    for (NodeIndex at = graph->find("x"); (at = writesAround(*graph, at).next) != npos;)
        ofX << QString::fromStdString(graph->node(at).name);
    // What writes several storages goes on with the first, here y's.
    QCOMPARE(ofX, QStringList({"setitem", "x_1", "add", "_foreach_mul_", "relu"}));
    QCOMPARE(writesAround(*graph, graph->find("x")).writes, std::size_t(4));
    const WritesAround y = writesAround(*graph, graph->find("y"));
    QCOMPARE(y.next, graph->find("_foreach_mul_"));
    QCOMPARE(y.writes, std::size_t(2));
}

/// What functionalization made of `y[:, 0] = x; y.add_(1)` and of a write back to an input.
void TestIrStorage::functionalForms() {
    const GraphPtr graph = graphOf(R"(graph():
    %y : [num_users=3] = placeholder[target=arg0_1]
    %x : [num_users=1] = placeholder[target=arg1_1]
    %select : [num_users=1] = call_function[target=torch.ops.aten.select.int](args = (%y, 1, 0), kwargs = {})
    %copy : [num_users=1] = call_function[target=torch.ops.aten.copy.default](args = (%select, %x), kwargs = {})
    %select_scatter : [num_users=1] = call_function[target=torch.ops.aten.select_scatter.default](args = (%y, %copy, 1, 0), kwargs = {})
    %fill : [num_users=1] = call_function[target=torch.ops.aten.masked_fill.Scalar](args = (%select_scatter, %x, 0), kwargs = {})
    %copy_ : [num_users=0] = call_function[target=torch.ops.aten.copy_.default](args = (%y, %select_scatter), kwargs = {})
    return (fill,)
)");
    QStringList ofY;
    for (NodeIndex at = graph->find("y"); (at = writesAround(*graph, at).next) != npos;)
        ofY << QString::fromStdString(graph->node(at).name);
    QCOMPARE(ofY, QStringList({"copy", "select_scatter", "copy_"}));
    QCOMPARE(writesAround(*graph, graph->find("copy_")).previous, graph->find("select_scatter"));
    // A program may call masked_fill itself: it makes a tensor of its own.
    QCOMPARE(writesAround(*graph, graph->find("fill")).writes, std::size_t(0));
    // So may it call torch.index_put, which only the aten spelling of functionalization counts.
    const GraphPtr eager = graphOf("graph():\n    %x : [num_users=1] = placeholder[target=x]\n    %p : "
                                   "[num_users=1] = call_function[target=torch.index_put](args = (%x, [], "
                                   "1), kwargs = {})\n    return (p,)\n");
    QCOMPARE(writesAround(*eager, 0).writes, std::size_t(0));
}

void TestIrStorage::partsOfTuples() {
    const GraphPtr graph = graphOf(R"(class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[4, 4]"):
        split = torch.ops.aten.split.Tensor(x, 2)
        a: "f32[2, 4]" = split[0];  split = None
        add_: "f32[2, 4]" = torch.ops.aten.add_.Tensor(a, 1)
        native = torch.ops.aten.native_layer_norm.default(x, [4], None, None, 1e-05)
        out: "f32[4, 4]" = native[0]
        mean: "f32[4, 1]" = native[1];  native = None
        mul_: "f32[4, 1]" = torch.ops.aten.mul_.Tensor(mean, 2)
        return (add_, out, mul_)
)");
    const std::vector<NodeIndex> roots = storageRoots(*graph);
    const auto root = [&](const char* name) { return graph->node(roots[graph->find(name)]).name; };
    QCOMPARE(root("add_"), std::string("x")); // split cuts x into views
    QCOMPARE(writesAround(*graph, graph->find("x")).next, graph->find("add_"));
    QCOMPARE(root("mean"), std::string("mean"));
    QCOMPARE(writesAround(*graph, graph->find("out")).writes, std::size_t(0));
    QCOMPARE(writesAround(*graph, graph->find("mean")).next, graph->find("mul_"));
    const GraphPtr cond = graphOf(R"(graph():
    %p : [num_users=1] = placeholder[target=p]
    %cond : [num_users=2] = call_function[target=torch.ops.higher_order.cond](args = (%p,), kwargs = {})
    %one : [num_users=0] = call_function[target=operator.getitem](args = (%cond, 0), kwargs = {})
    %two : [num_users=1] = call_function[target=operator.getitem](args = (%cond, 1), kwargs = {})
    %add_ : [num_users=1] = call_method[target=add_](args = (%two, 1), kwargs = {})
    return (add_,)
)");
    QCOMPARE(writesAround(*cond, cond->find("one")).writes, std::size_t(0));
    QCOMPARE(writesAround(*cond, cond->find("two")).next, cond->find("add_"));
}

/// The bundled sample, torch level and aten level: y[:, 0] = x[:, 0].
void TestIrStorage::capturedViewMutation() {
    const auto session =
        dynascope::capture::open(DYNASCOPE_SOURCE_DIR "/resources/samples/view_mutation.log");
    QVERIFY(session);
    const auto graphNamed = [&](const char* stage) {
        return *(*session)->compiles.front().findStage(stage)->graph();
    };
    const GraphPtr dynamo = graphNamed("dynamo_output_graph");
    QCOMPARE(writesAround(*dynamo, dynamo->find("y")).next, dynamo->find("setitem"));
    const GraphPtr aten = graphNamed("aot_inference_graph");
    const NodeIndex copy = writesAround(*aten, aten->find("add")).next;
    QCOMPARE(aten->node(copy).name, std::string("copy"));
    QCOMPARE(writesAround(*aten, copy).next, aten->find("select_scatter"));
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
