// SPDX-License-Identifier: BSD-3-Clause
//
// print_readable() text: what each form means, and that it prints back.
#include "core/ir/text.h"

#include <QTest>

using namespace dynascope;
using namespace dynascope::ir;

namespace {

GraphPtr read(const QString& text) {
    const Result<GraphPtr> graph = readGraph(text.toStdString());
    if (!graph) qWarning("%s", graph.error().toString().c_str());
    return graph.value_or(nullptr);
}

QString print(const Graph& graph, const ReadableOptions& options = {}) {
    return QString::fromStdString(printReadable(graph, options).text);
}

/// A module whose parameters are x, y and w and whose body is one statement.
QString withStatement(const QString& statement, const QString& returned = "n") {
    return "class GraphModule(torch.nn.Module):\n    def forward(self, x, y, w):\n        " + statement +
           "\n        return (x, y, w, " + returned + ")\n";
}

} // namespace

class TestIrReadable : public QObject {
    Q_OBJECT
private slots:
    void statements_data();
    void statements();
    void mutations();
    void signatures_data();
    void signatures();
    void renames();
    void sourceComments();
    void annotations();
    void nestedModules();
    void wrappedFunctions();
    void joint();
    void exportedShuffle();
    void unknownExpression();
    void withoutClass();
    void options();
    void linesOfNodes();
    void builtGraph();
};

void TestIrReadable::statements_data() {
    QTest::addColumn<QString>("code");
    QTest::addColumn<Op>("op");
    QTest::addColumn<QString>("target");
    QTest::addColumn<QString>("args"); // as FX prints them
    const auto row = [](const char* code, Op op, const char* target, const char* args) {
        QTest::newRow(code) << QString(code) << op << QString(target) << QString(args);
    };
    row("x + 3", Op::CallFunction, "operator.add", "%x, 3");
    row("0.5 * x", Op::CallFunction, "operator.mul", "0.5, %x");
    row("x - -1", Op::CallFunction, "operator.sub", "%x, -1");
    row("x @ w", Op::CallFunction, "operator.matmul", "%x, %w");
    row("x // y", Op::CallFunction, "operator.floordiv", "%x, %y");
    row("x ** 2", Op::CallFunction, "operator.pow", "%x, 2");
    row("x >= y", Op::CallFunction, "operator.ge", "%x, %y");
    row("x > 0", Op::CallFunction, "operator.gt", "%x, 0");
    row("x << 1", Op::CallFunction, "operator.lshift", "%x, 1");
    row("x & y", Op::CallFunction, "operator.and_", "%x, %y");
    row("(x, 1) + y", Op::CallFunction, "operator.add", "(%x, 1), %y");
    row("-x", Op::CallFunction, "operator.neg", "%x");
    row("~x", Op::CallFunction, "operator.invert", "%x");
    row("+x", Op::CallFunction, "operator.pos", "%x");
    // PyTorch writes operator.neg(0.5) so.
    row("-0.5", Op::CallFunction, "operator.neg", "0.5");
    row("--0.5", Op::CallFunction, "operator.neg", "-0.5");
    row("-inf", Op::CallFunction, "operator.neg", "inf");
    row("~3", Op::CallFunction, "operator.invert", "3");
    row("-0.5 + 1", Op::CallFunction, "operator.add", "-0.5, 1");
    row("x[0]", Op::CallFunction, "operator.getitem", "%x, 0");
    row("x[(slice(None, None, None), 0)]", Op::CallFunction, "operator.getitem",
        "%x, (slice(None, None, None), 0)");
    row("x[Ellipsis]", Op::CallFunction, "operator.getitem", "%x, Ellipsis");
    row("x[(y, w)]", Op::CallFunction, "operator.getitem", "%x, (%y, %w)");
    row("x.shape", Op::CallFunction, "builtins.getattr", "%x, shape");
    row("getattr(x, 'a', None)", Op::CallFunction, "builtins.getattr", "%x, a, None");
    row("x.view(-1, 6)", Op::CallMethod, "view", "%x, -1, 6");
    row("x.to(torch.bfloat16)", Op::CallMethod, "to", "%x, torch.bfloat16");
    row("torch.ops.aten.add.Tensor(x, 3)", Op::CallFunction, "torch.ops.aten.add.Tensor", "%x, 3");
    row("torch._C._nn.linear(x, w, None)", Op::CallFunction, "torch._C._nn.linear", "%x, %w, None");
    row("_operator_abs(x)", Op::CallFunction, "operator.abs", "%x");
    row("max(x, y)", Op::CallFunction, "builtins.max", "%x, %y");
    row("math_sqrt(x)", Op::CallFunction, "math_sqrt", "%x");
    row("self.weight", Op::GetAttr, "weight", "");
    row("self.layers.fc.weight", Op::GetAttr, "layers.fc.weight", "");
    row("getattr(self.layers, \"0\").weight", Op::GetAttr, "layers.0.weight", "");
    row("self.fc(x)", Op::CallModule, "fc", "%x");
    row("getattr(self.layers, \"0\")(x, y)", Op::CallModule, "layers.0", "%x, %y");
    row("getattr(getattr(self.a, \"0\").b, \"1\")(x)", Op::CallModule, "a.0.b.1", "%x");
    row("torch.ops.higher_order.cond(x, y, w, (x, [y]))", Op::CallFunction, "torch.ops.higher_order.cond",
        "%x, %y, %w, (%x, [%y])");
    row("torch.full((2,), inf)", Op::CallFunction, "torch.full", "(2,), inf");
    row("torch.ones(device(type='cuda', index=1))", Op::CallFunction, "torch.ones", "cuda:1");
    row("torch.f('a\\'b\"', \"it's\", {'k': x}, 1e-05, 2j)", Op::CallFunction, "torch.f",
        "a'b\", it's, {k: %x}, 1e-05, 2j");
}

void TestIrReadable::statements() {
    QFETCH(QString, code);
    QFETCH(Op, op);
    QFETCH(QString, target);
    QFETCH(QString, args);
    const QString text = withStatement("n = " + code);
    const GraphPtr graph = read(text);
    QVERIFY(graph);
    const Node& node = graph->node(3);
    QCOMPARE(QString::fromStdString(node.name), QString("n"));
    QCOMPARE(node.op, op);
    QCOMPARE(QString::fromStdString(node.target), target);
    QStringList found;
    for (const Argument& arg : node.args)
        found << QString::fromStdString(arg.toString("%"));
    QCOMPARE(found.join(", "), args);
    QVERIFY(graph->missing().empty());
    QCOMPARE(print(*graph), text);
}

void TestIrReadable::mutations() {
    const QString text = "class GraphModule(torch.nn.Module):\n    def forward(self, x, y):\n"
                         "        x[(slice(None, None, None), 0)] = y;  setitem = x;  setitem = None\n"
                         "        x += y;  iadd: \"f32[4]\" = x;  y = None\n"
                         "        iadd **= 2;  ipow = iadd;  iadd = None\n"
                         "        copy_ = x.copy_(ipow);  x = copy_ = None\n        return (ipow,)\n";
    const GraphPtr graph = read(text);
    QVERIFY(graph);
    QCOMPARE(graph->size(), std::size_t(7));
    QCOMPARE(graph->node(2).target, std::string("operator.setitem"));
    QCOMPARE(graph->node(2).args.size(), std::size_t(3));
    QCOMPARE(graph->node(3).target, std::string("operator.iadd"));
    QCOMPARE(graph->node(3).meta->tensor->sizes.at(0), std::string("4"));
    QCOMPARE(graph->node(4).target, std::string("operator.ipow"));
    for (NodeIndex i = 2; i < 6; ++i)
        QCOMPARE(opKind(graph->node(i)), OpKind::Write);
    QCOMPARE(print(*graph), text);
}

void TestIrReadable::signatures_data() {
    QTest::addColumn<QString>("signature");
    QTest::addColumn<int>("placeholders");
    QTest::newRow("none") << "def forward(self):" << 0;
    QTest::newRow("annotated") << "def forward(self, x: \"f32[s0, 4][4, 1]cuda:0\", s0: \"Sym(s0)\"):" << 2;
    QTest::newRow("typed")
        << "def forward(self, x : torch.Tensor, y : typing.List[int] = None) -> torch.Tensor:" << 2;
    QTest::newRow("stars") << "def forward(self, x, *args, k = 'a, b', **kw):" << 4;
    QTest::newRow("one a line")
        << "def forward(\n        self,\n        x: \"f32[2]\",  # PlainAOTInput(idx=0)\n"
           "        y: \"f32[4, 5]\",\n    ):"
        << 2;
}

void TestIrReadable::signatures() {
    QFETCH(QString, signature);
    QFETCH(int, placeholders);
    const QString text = "class <lambda>(torch.nn.Module):\n    " + signature + "\n        return (1,)\n";
    const GraphPtr graph = read(text);
    QVERIFY(graph);
    QCOMPARE(static_cast<int>(graph->size()), placeholders + 1);
    QCOMPARE(print(*graph), text);
}

void TestIrReadable::renames() {
    const QString text =
        "class GraphModule(torch.nn.Module):\n    def forward(self, L_y_, s77, *args):\n"
        "        l_y_ = L_y_\n        args_1 = args\n        add = l_y_ + s77;  l_y_ = s77 = None\n"
        "        return (add, args_1)\n";
    const GraphPtr graph = read(text);
    QVERIFY(graph);
    QCOMPARE(graph->node(0).name, std::string("l_y_"));
    QCOMPARE(graph->node(0).target, std::string("L_y_"));
    QCOMPARE(graph->node(0).sourceLine, 3U);
    QCOMPARE(graph->node(1).name, std::string("s77")); // a node, though it looks like a symbol
    QCOMPARE(graph->node(2).target, std::string("*args"));
    QCOMPARE(graph->users(1).size(), std::size_t(1));
    QCOMPARE(print(*graph), text);
}

void TestIrReadable::sourceComments() {
    const QString text =
        "class GraphModule(torch.nn.Module):\n    def forward(self, x):\n"
        "        # File: /home/user/m.py:14 in f, code: y=x+3; d={1: 2}, code: x\n"
        "        a = x + 3;  x = None\n        b = a * 2;  a = None\n\n"
        "        # No stacktrace found for following nodes\n        c = b * 2;  b = None\n\n"
        "        # Annotation: {'a': 1} recompute: MUST_SAVE File: C:\\m.py:7 in <lambda>, code: z\n"
        "        d = c * 2;  c = None\n\n"
        "        # ac_graph_id: 2 - PREFER_RECOMPUTE No stacktrace found for following nodes\n"
        "        e = d * 2;  d = None\n        return e\n";
    const GraphPtr graph = read(text);
    QVERIFY(graph);
    const SourceLocation* place = graph->node(1).location();
    QVERIFY(place != nullptr);
    QCOMPARE(place->file, std::string("/home/user/m.py"));
    QCOMPARE(place->line, 14U);
    QCOMPARE(place->function, std::string("f"));
    QCOMPARE(place->code, std::string("y=x+3; d={1: 2}, code: x"));
    QCOMPARE(graph->node(1).stack.get(), graph->node(2).stack.get()); // shared
    QVERIFY(graph->node(3).location() == nullptr);
    QCOMPARE(graph->node(4).location()->line, 7U);
    QCOMPARE(graph->node(4).note, std::string("Annotation: {'a': 1} recompute: MUST_SAVE"));
    QCOMPARE(graph->node(5).note, std::string("ac_graph_id: 2 - PREFER_RECOMPUTE"));
    QCOMPARE(print(*graph), text);
    // Versions before 2.1 left the function out.
    const GraphPtr old =
        read("class M(torch.nn.Module):\n    def forward(self, x):\n        # File: m.py:3, code: y\n"
             "        y = x.relu()\n        return y\n");
    QVERIFY(old);
    QCOMPARE(old->node(1).location()->line, 3U);
    QVERIFY(old->node(1).location()->function.empty());
    QVERIFY(
        print(*old).contains("# File: m.py:3, code: y\n        y = x.relu()\n")); // and nothing is cleared
}

void TestIrReadable::annotations() {
    const GraphPtr graph = read(withStatement("n: \"f32[2*s77, 6][Max(6, s0), 1]cuda:0\" = torch.relu(x)"));
    QVERIFY(graph);
    const TensorMeta& meta = *graph->node(3).meta->tensor;
    QCOMPARE(meta.dtype, std::string("f32"));
    QCOMPARE(meta.sizes, (std::vector<std::string>{"2*s77", "6"}));
    QCOMPARE(*meta.strides, (std::vector<std::string>{"Max(6, s0)", "1"}));
    QCOMPARE(meta.device, std::string("cuda:0"));
    const GraphPtr other = read(withStatement("n: \"DTensor(f32[4][1]cpu, S(0))\" = torch.relu(x)"));
    QVERIFY(other);
    QVERIFY(!other->node(3).meta->tensor);
    QCOMPARE(other->node(3).meta->raw, std::string("DTensor(f32[4][1]cpu, S(0))"));
}

void TestIrReadable::nestedModules() {
    const QString text =
        "class GraphModule(torch.nn.Module):\n    def forward(self, x):\n"
        "        true_0 = self.true_0\n        a_false = self.a_false\n"
        "        cond = torch.ops.higher_order.cond(x, true_0, a_false, ());  x = true_0 = a_false = None\n"
        "        return (cond,)\n\n    class true_0(torch.nn.Module):\n        def forward(self, y):\n"
        "            inner = self.inner\n            return (inner,)\n\n"
        "        class inner(torch.nn.Module):\n            def forward(self):\n                return "
        "None\n\n"
        "    class a_false(torch.nn.Module):\n        def forward(self, y):\n            return (y,)\n";
    const GraphPtr graph = read(text);
    QVERIFY(graph);
    QCOMPARE(graph->subgraphOrder(), (std::vector<std::string>{"true_0", "a_false"}));
    QCOMPARE(graph->subgraphs().find("true_0")->second->subgraphs().size(), std::size_t(1));
    QCOMPARE(graph->totalNodes(), std::size_t(5 + 3 + 1 + 2));
    QCOMPARE(opKind(graph->node(3)), OpKind::HigherOrder);
    QCOMPARE(print(*graph), text);
}

/// As torch.fx 2.13 prints functions that torch.fx.wrap() kept as leaves, in a module and in one within it.
void TestIrReadable::wrappedFunctions() {
    const QString text = "class GraphModule(torch.nn.Module):\n"
                         "    torch.fx._symbolic_trace.wrap(\"__main___helper\")\n"
                         "    torch.fx._symbolic_trace.wrap(\"__main___other\")\n"
                         "\n"
                         "    def forward(self, x):\n"
                         "        helper = __main___helper(x);  x = None\n"
                         "        sub = self.sub(helper);  helper = None\n"
                         "        return sub\n"
                         "\n"
                         "    class sub(torch.nn.Module):\n"
                         "        torch.fx._symbolic_trace.wrap(\"__main___helper\")\n"
                         "\n"
                         "        def forward(self, x):\n"
                         "            helper = __main___helper(x);  x = None\n"
                         "            mul = helper * 2;  helper = None\n"
                         "            return mul\n";
    const GraphPtr graph = read(text);
    QVERIFY(graph);
    QCOMPARE(graph->size(), std::size_t(4));
    QCOMPARE(graph->style().wraps.size(), std::size_t(2));
    QCOMPARE(graph->subgraphs().find("sub")->second->size(), std::size_t(4));
    QCOMPARE(print(*graph), text);
    // gm.code has them in front, and an excerpt may have them before the class.
    const QString body =
        "def forward(self, x):\n    helper = __main___helper(x);  x = None\n    return helper";
    for (const char* before : {"\ntorch.fx._symbolic_trace.wrap(\"__main___helper\")\n\n",
                               "torch.fx._symbolic_trace.wrap(\"__main___helper\")\n\n\n"}) {
        const GraphPtr code = read(QLatin1String(before) + body);
        QVERIFY(code);
        QCOMPARE(code->size(), std::size_t(3));
    }
    const GraphPtr above = read("torch.fx._symbolic_trace.wrap(\"__main___helper\")\n" + text);
    QVERIFY(above);
    QCOMPARE(above->style().wraps.size(), std::size_t(3));
}

void TestIrReadable::joint() {
    const QString text =
        "class inner_f(torch.nn.Module):\n    def forward(\n        self,\n        primals,\n        "
        "tangents,\n    ):\n"
        "        primals_1: \"f32[2][1]cpu\"  # PlainAOTInput(idx=0)\n"
        "        tangents_1: \"f32[2][1]cpu\"  # TangentAOTInput(output=PlainAOTOutput(idx=0))\n"
        "        primals_1, extra, tangents_1, = fx_pytree.tree_flatten_spec([primals, tangents], "
        "self._in_spec)\n"
        "        mul: \"f32[2][1]cpu\" = torch.ops.aten.mul.Tensor(primals_1, tangents_1);  primals_1 = "
        "tangents_1 = None\n"
        "        return pytree.tree_unflatten([\n            mul,  # PlainAOTOutput(idx=0)\n"
        "            None,  # None\n        ], self._out_spec)\n";
    const GraphPtr graph = read(text);
    QVERIFY(graph);
    QCOMPARE(graph->size(), std::size_t(5));
    QCOMPARE(graph->node(0).comment, std::string("PlainAOTInput(idx=0)"));
    QCOMPARE(graph->node(1).name, std::string("extra"));
    QVERIFY(!graph->node(1).meta);
    QCOMPARE(graph->node(2).meta->annotation(), std::string("f32[2][1]cpu"));
    QCOMPARE(graph->node(4).args[0].items.size(), std::size_t(2));
    QCOMPARE(graph->node(4).comment, std::string("PlainAOTOutput(idx=0)\nNone"));
    QCOMPARE(print(*graph), text);
}

void TestIrReadable::exportedShuffle() {
    const QString text =
        "class GraphModule(torch.nn.Module):\n    def forward(self, x):\n"
        "        x, = pytree.tree_leaves((self, x,))\n        arg0_1, arg1_1, = self._in_shuffle_graph(x)\n"
        "        add = arg0_1 + arg1_1;  arg0_1 = arg1_1 = None\n"
        "        return pytree.tree_unflatten(self._out_shuffle_graph(x, add), self._out_spec)\n";
    const GraphPtr graph = read(text);
    QVERIFY(graph);
    QCOMPARE(graph->size(), std::size_t(4));
    QCOMPARE(graph->node(0).name, std::string("arg0_1"));
    QCOMPARE(graph->users(2).size(), std::size_t(1));
    QCOMPARE(print(*graph), text);
}

void TestIrReadable::unknownExpression() {
    const QString text = withStatement("n = x.a.b(y)[0].c if w else lambda: {1}");
    const GraphPtr graph = read(text);
    QVERIFY(graph);
    QCOMPARE(graph->size(), std::size_t(5));
    QCOMPARE(graph->node(3).args.at(0).kind, Argument::Kind::Raw);
    QCOMPARE(print(*graph), text);
}

void TestIrReadable::withoutClass() {
    const GraphPtr graph = read("\n\n\nimport torch\nfrom torch import device\ndef forward(self, x):\n    "
                                "add = x + 1;  x = None\n    return add\n    ");
    QVERIFY(graph);
    QCOMPARE(graph->size(), std::size_t(3));
    QCOMPARE(print(*graph),
             QString("def forward(self, x):\n    add = x + 1;  x = None\n    return add\n    "));
}

void TestIrReadable::options() {
    const GraphPtr graph = read(
        "class M(torch.nn.Module):\n    def forward(self, x: \"f32[4, 5][5, 1]cpu\"):\n"
        "        # File: m.py:1 in f, code: y\n"
        "        y: \"f32[4][5]cpu\" = torch.ops.aten.select.int(x, 1, 0);  x = None\n        return (y,)\n");
    QVERIFY(graph);
    const QString head = "class M(torch.nn.Module):\n    def forward(self, x";
    const QString tail = "        return (y,)\n";
    QCOMPARE(print(*graph, {.annotations = false,
                            .strides = true,
                            .sourceComments = false,
                            .clears = false,
                            .shortTargets = true}),
             head + "):\n        y = aten.select.int(x, 1, 0)\n" + tail);
    QCOMPARE(
        print(*graph, {.annotations = true,
                       .strides = false,
                       .sourceComments = false,
                       .clears = true,
                       .shortTargets = false}),
        head + ": \"f32[4, 5]\"):\n        y: \"f32[4]\" = torch.ops.aten.select.int(x, 1, 0);  x = None\n" +
            tail);
    QCOMPARE(QString::fromStdString(printNode(graph->node(1))),
             QString("y: \"f32[4][5]cpu\" = torch.ops.aten.select.int(x, 1, 0)"));
    QCOMPARE(QString::fromStdString(printNode(graph->node(0))), QString("x: \"f32[4, 5][5, 1]cpu\""));
    QCOMPARE(QString::fromStdString(printNode(graph->node(2))), QString("return (y,)"));
}

void TestIrReadable::linesOfNodes() {
    const GraphPtr graph = read(
        "class M(torch.nn.Module):\n    def forward(self, L_x_, y):\n        l_x_ = L_x_\n\n"
        "        # File: m.py:1 in f, code: y\n        s = self.s\n        a = l_x_ + y;  l_x_ = y = None\n"
        "        return (a, s)\n\n    class s(torch.nn.Module):\n        def forward(self, z):\n            "
        "return z\n");
    QVERIFY(graph);
    const ReadableText text = printReadable(*graph);
    QCOMPARE(text.nodeOfLine,
             (std::vector<NodeIndex>{npos, npos, 0, npos, npos, 2, 3, 4, npos, npos, npos, npos}));
}

void TestIrReadable::builtGraph() {
    // A graph that no text was read for prints as PyTorch would.
    GraphBuilder builder;
    Node x;
    x.name = x.target = "x";
    x.op = Op::Placeholder;
    x.meta = parseAnnotation("f32[2]");
    Node add;
    add.name = "add";
    add.target = "torch.ops.aten.add.Tensor";
    add.args = {Argument::node("x"), Argument::integer(1)};
    add.kwargs = {{"alpha", Argument::string("a")}};
    Node out;
    out.name = out.target = "output";
    out.op = Op::Output;
    out.args = {Argument::tuple({Argument::node("add")})};
    const GraphPtr graph = builder.add(x).add(add).add(out).build();
    QCOMPARE(print(*graph),
             QString("class GraphModule(torch.nn.Module):\n    def forward(self, x: \"f32[2]\"):\n"
                     "        add = torch.ops.aten.add.Tensor(x, 1, alpha = 'a');  x = None\n        return "
                     "(add,)\n"));
    QCOMPARE(QString::fromStdString(printFx(*graph)),
             QString("graph():\n    %x : [num_users=1] = placeholder[target=x]\n    %add : [num_users=1] = "
                     "call_function[target=torch.ops.aten.add.Tensor](args = (%x, 1), kwargs = {alpha: a})\n "
                     "   return (add,)"));
    QCOMPARE(builder.size(), std::size_t(0));
}

QTEST_APPLESS_MAIN(TestIrReadable)
#include "tst_ir_readable.moc"
