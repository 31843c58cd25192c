// SPDX-License-Identifier: BSD-3-Clause
//
// str(graph) text: every form reads, says what it means and prints back byte for byte.
#include "core/ir/text.h"

#include <QTest>

using namespace dynascope;
using namespace dynascope::ir;

namespace {

GraphPtr read(const std::string& text) {
    const Result<GraphPtr> graph = readGraph(text);
    if (!graph) qWarning("%s", graph.error().toString().c_str());
    return graph.value_or(nullptr);
}

/// The arguments of node n in `graph():\n %n : ... (args = ARGS, kwargs = {})`.
std::string withArgs(const std::string& args) {
    return "graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
           "    %n : [num_users=1] = call_function[target=torch.ops.aten.op.default](args = (" +
           args + "), kwargs = {})\n    return (n,)";
}

} // namespace

class TestIrFx : public QObject {
    Q_OBJECT
private slots:
    void prints_back_data();
    void prints_back();
    void nodes();
    void arguments_data();
    void arguments();
    void kwargs();
    void placeholdersInHeader();
    void usersOfExcerpt();
    void returns_data();
    void returns();
    void nodesInSlices();
};

void TestIrFx::prints_back_data() {
    QTest::addColumn<QString>("text");
    const QString body =
        "\n    %x : [num_users=1] = placeholder[target=x]\n    %w : [num_users=1] = "
        "get_attr[target=fc.weight]"
        "\n    %m : [num_users=1] = call_module[target=layers.0](args = (%x,), kwargs = {scale: 2})"
        "\n    %t : [num_users=1] = call_method[target=transpose](args = (%m, 0, 1), kwargs = {})"
        "\n    %add : [num_users=1] = call_function[target=operator.add](args = (%t, %w), kwargs = {})"
        "\n    return (add,)";
    QTest::newRow("six ops") << "graph():" + body;
    QTest::newRow("newline at the end") << "graph():" + body + "\n";
    QString old = body;
    QTest::newRow("old users") << "graph():" + old.replace("num_users", "#users");
    QTest::newRow("no users") << "graph():\n    %x = placeholder[target=x]\n    %y : torch.Tensor = "
                                 "call_function[target=torch.relu](args = (%x,), kwargs = {})\n    return y";
    QTest::newRow("typed")
        << "graph():\n    %l_x_ : torch.Tensor [num_users=1] = placeholder[target=L_x_]\n    return (l_x_,)";
    QTest::newRow("generic type") << "graph():\n    %x : typing.List[torch.Tensor] [num_users=1] = "
                                     "placeholder[target=x]\n    return (x,)";
    QTest::newRow("metadata")
        << "graph():\n    %x : [num_users=1] = placeholder[target=x]\n    %y : Tensor "
           "\"f32[4, 5][5, 1]cpu\"[num_users=1] = call_function[target=torch.ops.aten.relu.default]"
           "(args = (%x,), kwargs = {})\n    return (y,)";
    QTest::newRow("default")
        << "graph():\n    %x : [num_users=1] = placeholder[target=x](default=None)\n    return x";
    QTest::newRow("target without overload")
        << "graph():\n    %x : [num_users=1] = placeholder[target=x]\n    %y : [num_users=1] = "
           "call_function[target=torch.ops.aten.add](args = (%x, 1), kwargs = {})\n    return [y, None]";
    QTest::newRow("returns a type")
        << "graph() -> torch.Tensor:\n    %x : [num_users=1] = placeholder[target=x]\n    return x";
    QTest::newRow("placeholders in the header")
        << "graph(x, y):\n    %add : [#users=1] = call_function[target=operator.add](args = (%x, %y), kwargs "
           "= {})\n    return add";
    QTest::newRow("empty") << "graph():";
    QTest::newRow("not indented") << "graph():\n%x : [num_users=1] = placeholder[target=x]\nreturn (x,)";
}

void TestIrFx::prints_back() {
    QFETCH(QString, text);
    const GraphPtr graph = read(text.toStdString());
    QVERIFY(graph);
    QVERIFY(graph->missing().empty());
    QCOMPARE(QString::fromStdString(printFx(*graph)), text);
}

void TestIrFx::nodes() {
    const GraphPtr graph = read(
        "graph():\n    %l_x_ : torch.Tensor [num_users=2] = placeholder[target=L_x_]\n"
        "    %mul : [num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%l_x_, "
        "%l_x_), kwargs = {})\n    %add : [num_users=1] = call_function[target=torch.ops.aten.add.Tensor]"
        "(args = (%mul, %l_x_), kwargs = {alpha: 2})\n    return (add,)");
    QVERIFY(graph);
    QCOMPARE(graph->size(), std::size_t(4));
    const Node& placeholder = graph->node(0);
    QCOMPARE(placeholder.op, Op::Placeholder);
    QCOMPARE(placeholder.name, std::string("l_x_"));
    QCOMPARE(placeholder.target, std::string("L_x_"));
    QCOMPARE(placeholder.typeExpr, std::string("torch.Tensor"));
    QCOMPARE(placeholder.sourceLine, 2U);
    QCOMPARE(graph->find("add"), 2U);
    QCOMPARE(graph->find("sub"), npos);
    QCOMPARE(graph->inputs(1).size(), std::size_t(1)); // a node that is read twice is one input
    QCOMPARE(graph->users(0).size(), std::size_t(2));
    QCOMPARE(graph->users(0)[1], 2U);
    QCOMPARE(graph->node(2).kwargs.at(0).second.asInt(), std::optional<std::int64_t>(2));
    QCOMPARE(graph->node(3).op, Op::Output);
    QCOMPARE(graph->inputs(3)[0], 2U);
}

void TestIrFx::arguments_data() {
    using Kind = Argument::Kind;
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("kind");
    QTest::addColumn<QString>("value");
    const auto row = [](const char* text, Kind kind, const char* value) {
        QTest::newRow(text) << QString(text) << static_cast<int>(kind) << QString(value);
    };
    row("%x", Kind::NodeRef, "x");
    row("None", Kind::None, "");
    row("Ellipsis", Kind::Ellipsis, "");
    row("True", Kind::Bool, "True");
    row("-12", Kind::Int, "-12");
    row("9223372036854775808000", Kind::Int, "9223372036854775808000");
    row("1e-05", Kind::Float, "1e-05");
    row("-inf", Kind::Float, "-inf");
    row("nan", Kind::Float, "nan");
    row("2j", Kind::Complex, "2j");
    row("(1+2j)", Kind::Complex, "(1+2j)");
    row("tanh", Kind::String, "tanh");
    row("bld,eld->ble", Kind::String, "bld,eld->ble");
    row("Runtime assertion failed for expression Eq(Mod(u0, 4), 0) on node 'eq'", Kind::String,
        "Runtime assertion failed for expression Eq(Mod(u0, 4), 0) on node 'eq'");
    row("s77", Kind::Symbol, "s77");
    row("2*s77 + 1", Kind::Symbol, "2*s77 + 1");
    row("(s77//2)", Kind::Symbol, "(s77//2)");
    row("torch.float8_e4m3fn", Kind::Dtype, "torch.float8_e4m3fn");
    row("torch.bool", Kind::Dtype, "torch.bool");
    row("cuda:1", Kind::Device, "cuda:1");
    row("cpu", Kind::Device, "cpu");
    row("torch.strided", Kind::Layout, "torch.strided");
    row("torch.channels_last", Kind::MemoryFormat, "torch.channels_last");
    row("[1, [%x, (2,)], []]", Kind::List, "");
    row("(%x,)", Kind::Tuple, "");
    row("()", Kind::Tuple, "");
    row("{a: %x, b: [1, 2]}", Kind::Dict, "");
    row("{}", Kind::Dict, "");
    row("{1, 2}", Kind::Set, "");
    row("slice(None, 3, None)", Kind::Slice, "");
    row("(slice(None, None, None), 0)", Kind::Tuple, "");
    row("range(0, 4)", Kind::Call, "range");
    row("torch.Size([2, 3])", Kind::Call, "torch.Size");
    row("<function f at 0x7f, (a, b)>", Kind::Raw, "<function f at 0x7f, (a, b)>");
    row("torch.ops.aten.add.Tensor", Kind::Raw, "torch.ops.aten.add.Tensor");
}

void TestIrFx::arguments() {
    QFETCH(QString, text);
    QFETCH(int, kind);
    QFETCH(QString, value);
    // Alone, with a neighbour and inside a list.
    for (const QString& args : {text + ",", "%x, " + text, "[" + text + ", 1], 2", "0, {k: " + text + "}"}) {
        const std::string whole = withArgs(args.toStdString());
        const GraphPtr graph = read(whole);
        QVERIFY2(graph, qPrintable(args));
        QCOMPARE(QString::fromStdString(printFx(*graph)), QString::fromStdString(whole));
    }
    const GraphPtr graph = read(withArgs(text.toStdString() + ","));
    QVERIFY(graph);
    const std::vector<Argument>& args = graph->node(1).args;
    QCOMPARE(args.size(), std::size_t(1));
    QCOMPARE(static_cast<int>(args[0].kind), kind);
    QCOMPARE(QString::fromStdString(args[0].text), value);
}

void TestIrFx::kwargs() {
    const std::string text =
        "graph():\n    %empty : [num_users=0] = "
        "call_function[target=torch.ops.aten.empty.memory_format](args = ([4, "
        "5],), kwargs = {dtype: torch.float32, layout: torch.strided, device: cpu, pin_memory: False, "
        "memory_format: torch.contiguous_format})\n    return ()";
    const GraphPtr graph = read(text);
    QVERIFY(graph);
    QCOMPARE(graph->node(0).kwargs.size(), std::size_t(5));
    QCOMPARE(graph->node(0).kwargs[2].first, std::string("device"));
    QCOMPARE(graph->node(0).kwargs[2].second.kind, Argument::Kind::Device);
    QCOMPARE(graph->node(0).kwargs[2].second.toString(), std::string("device(type='cpu')"));
    QCOMPARE(printFx(*graph), text);
}

void TestIrFx::placeholdersInHeader() {
    const GraphPtr graph = read("graph(xx: torch.Tensor, y, %z : int):\n    %add : [#users=1] = "
                                "call_function[target=operator.add](args = "
                                "(%x, %y), kwargs = {})\n    return add");
    QVERIFY(graph);
    QCOMPARE(graph->size(), std::size_t(5));
    QCOMPARE(graph->node(0).name, std::string("x")); // old versions printed a typed name twice
    QCOMPARE(graph->node(0).typeExpr, std::string("torch.Tensor"));
    QCOMPARE(graph->node(2).typeExpr, std::string("int"));
    QVERIFY(graph->missing().empty());
}

void TestIrFx::usersOfExcerpt() {
    const std::string text = "graph():\n    %x : [num_users=7] = placeholder[target=x]\n    return (x, y)";
    const GraphPtr graph = read(text);
    QVERIFY(graph);
    QCOMPARE(graph->node(0).printedUsers, 7U);
    QCOMPARE(graph->missing().size(), std::size_t(1));
    QCOMPARE(graph->missing()[0].second, std::string("y"));
    QCOMPARE(printFx(*graph), text);
}

void TestIrFx::returns_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("inputs");
    QTest::newRow("tuple") << "(a, b)" << 2;
    QTest::newRow("node") << "a" << 1;
    QTest::newRow("list with None") << "[a, None]" << 1;
    QTest::newRow("dict") << "{'out': a, 'loss': b}" << 2;
    QTest::newRow("nested") << "((a,), (b, [a]))" << 2;
    QTest::newRow("number") << "(3, 1.5)" << 0;
    QTest::newRow("nothing") << "None" << 0;
    QTest::newRow("string") << "(a, 'it\\'s \"a\"')" << 1;
}

void TestIrFx::returns() {
    QFETCH(QString, text);
    QFETCH(int, inputs);
    const QString whole =
        "graph():\n    %a : [num_users=1] = placeholder[target=a]\n    %b : [num_users=1] = "
        "placeholder[target=b]\n    return " +
        text;
    const GraphPtr graph = read(whole.toStdString());
    QVERIFY(graph);
    QCOMPARE(static_cast<int>(graph->inputs(2).size()), inputs);
    QCOMPARE(QString::fromStdString(graph->node(2).args[0].toString()), text);
    QCOMPARE(QString::fromStdString(printFx(*graph)), whole);
}

void TestIrFx::nodesInSlices() {
    // str() of a slice shows the nodes in it without "%".
    const GraphPtr graph = read(withArgs("%x, slice(x, None, s0)"));
    QVERIFY(graph);
    const Argument& slice = graph->node(1).args[1];
    QCOMPARE(slice.items[0].kind, Argument::Kind::NodeRef);
    QCOMPARE(slice.items[2].kind, Argument::Kind::Symbol);
    QVERIFY(printFx(*graph).find("slice(x, None, s0)") != std::string::npos);
}

QTEST_APPLESS_MAIN(TestIrFx)
#include "tst_ir_fx.moc"
