// SPDX-License-Identifier: BSD-3-Clause
//
// Op kinds, metadata, addresses, and the JSON and DOT printers.
#include "core/ir/text.h"

#include <nlohmann/json.hpp>

#include <QTest>

using namespace dynascope::ir;

class TestIrNode : public QObject {
    Q_OBJECT
private slots:
    void kinds_data();
    void kinds();
    void parameters();
    void kindByArguments();
    void metadata();
    void bytes();
    void addresses();
    void badAddresses();
    void numbers();
    void json();
    void dot();
    void mermaid();
    void sharedNodes();
};

void TestIrNode::kinds_data() {
    QTest::addColumn<Op>("op");
    QTest::addColumn<QString>("target");
    QTest::addColumn<QString>("kind");
    const auto rows = [](Op op, const char* kind, std::initializer_list<const char*> targets) {
        for (const char* target : targets)
            QTest::newRow(target) << op << QString(target) << QString(kind);
    };
    rows(Op::CallFunction, "view",
         {"torch.ops.aten.view.default", "torch.ops.aten.select.int", "torch.ops.aten.slice.Tensor",
          "aten.permute.default", "torch.ops.aten.as_strided.default", "torch.ops.aten.detach.default",
          "torch.ops.aten.t.default", "torch.transpose", "torch.ops.aten.split.Tensor", "torch.chunk",
          "torch.ops.aten.unbind.int", "torch.ops.aten.squeeze.dims", "torch.ops.aten.expand.default",
          "torch.ops.aten.unsqueeze", "torch.ops.aten.alias.default"});
    rows(Op::CallFunction, "linear",
         {"torch.ops.aten.mm.default", "torch.ops.aten.addmm.default", "torch._C._nn.linear", "torch.conv2d",
          "torch.ops.aten.convolution.default", "torch.nn.functional.scaled_dot_product_attention",
          "torch.ops.aten._scaled_dot_product_flash_attention.default", "operator.matmul",
          "torch.ops.aten.bmm.default"});
    rows(Op::CallFunction, "writes in place",
         {"torch.ops.aten.add_.Tensor", "torch.ops.aten.copy_.default", "operator.setitem", "operator.iadd",
          "torch.ops.aten.add.out", "torch.ops.aten._foreach_add_.List", "torch.ops.aten.index_put_.default",
          "torch.relu_"});
    rows(Op::CallFunction, "functional write",
         {"torch.ops.aten.copy.default", "torch.ops.aten.select_scatter.default",
          "torch.ops.aten.slice_scatter.default", "torch.ops.aten.index_put.default",
          "torch.ops.aten.scatter.src", "torch.ops.aten.fill.Scalar"});
    rows(Op::CallFunction, "factory",
         {"torch.ops.aten.empty.memory_format", "torch.zeros", "torch.ops.aten.full.default",
          "torch.ops.aten.rand.default", "torch.ops.aten.arange.start_step", "torch.ones_like",
          "torch.ops.aten.randn_like.default", "torch.ops.prims.iota.default",
          "torch.ops.aten.scalar_tensor.default"});
    rows(Op::CallFunction, "higher-order",
         {"torch.ops.higher_order.cond", "torch.ops.higher_order.while_loop"});
    rows(Op::CallFunction, "compute",
         {"torch.ops.aten.add.Tensor", "operator.add", "operator.invert", "torch.nn.functional.relu",
          "user.fn", "", "torch.", "...", "torch.ops", "torch.ops.aten", "torch.ops.mylib.op.default",
          "torch.ops.aten.clone.default", "operator.index", "torch.ops.aten.sum.dim_IntList",
          "torch.ops.aten._local_scalar_dense.default", "_"});
    rows(Op::CallMethod, "view", {"transpose", "view", "unsqueeze"});
    rows(Op::CallMethod, "writes in place", {"add_", "zero_", "__setitem__", "__iadd__"});
    rows(Op::CallMethod, "factory", {"new_zeros"});
    rows(Op::CallMethod, "compute", {"sum", "__invert__", "add", "contiguous"});
    rows(Op::CallModule, "higher-order", {"layers.0"});
    rows(Op::GetAttr, "parameter or buffer", {"fc.weight"});
    rows(Op::Output, "input or output", {"output"});
}

void TestIrNode::kinds() {
    QFETCH(Op, op);
    QFETCH(QString, target);
    QFETCH(QString, kind);
    Node node;
    node.op = op;
    node.target = target.toStdString();
    QCOMPARE(QString::fromUtf8(opKindName(opKind(node)).data()), kind);
}

void TestIrNode::parameters() {
    const auto kind = [](const char* target) {
        Node node;
        node.op = Op::Placeholder;
        node.target = target;
        return opKind(node);
    };
    QCOMPARE(kind("L_self_modules_fc_parameters_weight_"), OpKind::Parameter);
    QCOMPARE(kind("L_s_buffers_k_"), OpKind::Parameter);
    QCOMPARE(kind("p_layers_0_linear1_weight"), OpKind::Parameter);
    QCOMPARE(kind("b_bn_running_mean"), OpKind::Parameter);
    QCOMPARE(kind("L_x_"), OpKind::InputOutput);
    QCOMPARE(kind("primals_1"), OpKind::InputOutput);
}

void TestIrNode::kindByArguments() {
    const auto kind = [](const char* line) {
        const auto graph = readGraph(
            std::string("class M(torch.nn.Module):\n    def forward(self, x, i, y):\n        n = ") + line +
            "\n        return n\n");
        return graph ? QString::fromUtf8(opKindName(opKind((*graph)->node(3))).data()) : QString("unread");
    };
    QCOMPARE(kind("x[0]"), QString("view"));
    QCOMPARE(kind("x[(slice(None, None, None), None, Ellipsis)]"), QString("view"));
    QCOMPARE(kind("x[i]"), QString("compute"));
    QCOMPARE(kind("x[(0, [1, 2])]"), QString("compute"));
    QCOMPARE(kind("torch.nn.functional.relu(x, inplace = True)"), QString("writes in place"));
    QCOMPARE(kind("torch.nn.functional.relu(x, inplace = False)"), QString("compute"));
    QCOMPARE(kind("torch.add(x, y, out = i)"), QString("writes in place"));
    QCOMPARE(kind("torch.add(x, y, out = None)"), QString("compute"));
    QCOMPARE(kind("x.T"), QString("view"));
    QCOMPARE(kind("x.shape"), QString("compute"));
}

void TestIrNode::metadata() {
    for (const char* text : {"f32[4, 5][5, 1]cuda:0", "f32[]", "f32[][]cpu", "b8[s0, 2*s1 + 1]",
                             "i64[Max(1, s0), 3][FloorDiv(s0, 2), 1]meta", "Sym(s77)", "Sym(Abs(zf2) + 1.0)",
                             "DTensor(f32[4], S(0))", "", "f32[", "f32[4", "f32[4,5]", "[4]", "f32[4]]"})
        QCOMPARE(QString::fromStdString(parseAnnotation(text).annotation()), QString(text));
    const ValueMeta meta = parseAnnotation("i64[Max(1, s0), 3][FloorDiv(s0, 2), 1]meta");
    QVERIFY(meta.tensor.has_value());
    QCOMPARE(meta.tensor->sizes, (std::vector<std::string>{"Max(1, s0)", "3"}));
    QCOMPARE(meta.shortForm(), std::string("i64[Max(1, s0), 3]"));
    QCOMPARE(meta.tensor->device, std::string("meta"));
    QVERIFY(!parseAnnotation("Sym(s77)").tensor);
    QVERIFY(!parseAnnotation("f32[4,5]").tensor); // not as PyTorch prints it, so it is kept as it is
    QVERIFY(parseAnnotation("f32[]").tensor->sizes.empty());
}

void TestIrNode::bytes() {
    const auto bytes = [](const char* text) { return parseAnnotation(text).tensor->bytes(); };
    QCOMPARE(bytes("f32[4, 5]"), std::optional<std::uint64_t>(80));
    QCOMPARE(bytes("bf16[]"), std::optional<std::uint64_t>(2));
    QCOMPARE(bytes("f8e4m3fn[0, 7]"), std::optional<std::uint64_t>(0));
    QCOMPARE(bytes("f32[s0]"), std::nullopt);
    QCOMPARE(bytes("what[3]"), std::nullopt);
    QCOMPARE(bytes("f64[9223372036854775807, 9]"), std::nullopt);
}

void TestIrNode::addresses() {
    const Address address{1, "0/0", 2, "before_post_grad_graph", 1, "add_3"};
    QCOMPARE(address.toString(), std::string("1:0/0:2:before_post_grad_graph#1:add_3"));
    QCOMPARE(Address::parse(address.toString()), std::optional(address));
    const Address whole{0, "-", 0, {}, 0, {}};
    QCOMPARE(Address::parse(whole.toString()), std::optional(whole));
    const Address odd{0, "!1/0", 0, "hooks: pack#a", 3, ""};
    QCOMPARE(Address::parse(odd.toString()), std::optional(odd));
    QCOMPARE(Address::parse("0:0/0:0:joint"), std::optional(Address{0, "0/0", 0, "joint", 0, {}}));
    QCOMPARE(Address::parse("0:0/0"), std::optional(Address{0, "0/0", 0, {}, 0, {}}));
}

void TestIrNode::badAddresses() {
    for (const char* text : {"", "x", ":0/0:0::", "0:0/0:x:joint#0:a", "0:0/0:0:joint#:a",
                             "0:0/0:0:joint#1x:a", "99999999999:0/0:0::"})
        QVERIFY2(!Address::parse(text), text);
}

void TestIrNode::numbers() {
    QCOMPARE((Argument{Argument::Kind::Int, "-3", {}, {}}.asInt()), std::optional<std::int64_t>(-3));
    QCOMPARE((Argument{Argument::Kind::Int, "99999999999999999999", {}, {}}.asInt()), std::nullopt);
    QCOMPARE((Argument{Argument::Kind::Float, "1e-05", {}, {}}.asDouble()), std::optional(1e-05));
    QVERIFY(*(Argument{Argument::Kind::Float, "-inf", {}, {}}.asDouble()) < 0);
    QCOMPARE(Argument::string("3").asInt(), std::nullopt);
    QCOMPARE(pythonRepr("it's"), std::string("\"it's\""));
    QCOMPARE(pythonRepr("\x01\n\\'\""), std::string("'\\x01\\n\\\\\\'\"'"));
}

void TestIrNode::json() {
    const auto graph = readGraph(
        "class M(torch.nn.Module):\n    def forward(self, x: \"f32[2, s0][s0, 1]cpu\"):\n"
        "        # File: m.py:3 in f, code: y\n        s = self.s\n"
        "        n = torch.f((x, 2, None), [inf, True, 'a\"<\\xff'], {'k': 1.5}, slice(0, s0, None), "
        "dtype = torch.int8);  x = s = None\n        return n\n\n    class s(torch.nn.Module):\n"
        "        def forward(self):\n            return None\n");
    QVERIFY(graph);
    const auto json = nlohmann::json::parse(printJson(**graph));
    QCOMPARE(json["name"].get<std::string>(), std::string("M"));
    QCOMPARE(json["nodes"].size(), std::size_t(4));
    QVERIFY(
        json["nodes"][0]["meta"] ==
        nlohmann::json::parse(R"({"dtype":"f32","sizes":["2","s0"],"strides":["s0","1"],"device":"cpu"})"));
    QVERIFY(json["nodes"][0]["users"] == nlohmann::json::parse(R"(["n"])"));
    const nlohmann::json& node = json["nodes"][2];
    QCOMPARE(node["op"].get<std::string>(), std::string("call_function"));
    QVERIFY(node["stack"][0]["line"] == 3);
    QVERIFY(node["args"][0] == nlohmann::json::parse(R"({"tuple":[{"node":"x"},2,null]})"));
    QVERIFY(node["args"][1][0] == nlohmann::json::parse(R"({"float":"inf"})"));
    QVERIFY(node["args"][1][1] == true);
    QVERIFY(node["args"][1][2].get<std::string>().starts_with("a\"<")); // and a byte that is no UTF-8
    QVERIFY(node["args"][2] == nlohmann::json::parse(R"({"dict":[["k",1.5]]})"));
    QVERIFY(node["args"][3] == nlohmann::json::parse(R"({"slice":[0,{"symbol":"s0"},null]})"));
    QVERIFY(node["kwargs"]["dtype"]["dtype"] == "torch.int8");
    QVERIFY(json["subgraphs"]["s"]["nodes"].size() == 1);
}

void TestIrNode::dot() {
    GraphBuilder inner;
    Node out;
    out.name = out.target = "output";
    out.op = Op::Output;
    inner.add(out);
    GraphBuilder builder;
    Node x;
    x.name = x.target = "x";
    x.op = Op::Placeholder;
    x.meta = parseAnnotation("f32[4][1]cpu");
    Node evil;
    evil.name = "n";
    evil.target = "torch.ops.a\"]; b\\l\n<script>";
    evil.args = {Argument::node("x")};
    const GraphPtr graph =
        builder.setName("G \"1\"").add(x).add(evil).addSubgraph("body", inner.build()).build();
    QCOMPARE(
        QString::fromStdString(printDot(*graph)),
        QString(
            "digraph \"G \\\"1\\\"\" {\n  node [shape=box];\n  n0 [label=\"x\\nf32[4]\", style=rounded];\n"
            "  n1 [label=\"n\\na\\\"]; b\\\\l\\n<script>\"];\n  n0 -> n1;\n  subgraph cluster_ns0_ {\n    "
            "label=\"body\";\n"
            "    ns0_0 [label=\"output\", style=rounded];\n  }\n}\n"));
}

void TestIrNode::mermaid() {
    GraphBuilder inner;
    Node out;
    out.name = out.target = "output";
    out.op = Op::Output;
    inner.add(out);
    GraphBuilder builder;
    Node x;
    x.name = x.target = "x";
    x.op = Op::Placeholder;
    x.meta = parseAnnotation("f32[4][1]cpu");
    Node evil;
    evil.name = "n";
    evil.target = "`a\"]; #35;\n<script>&";
    evil.args = {Argument::node("x")};
    const GraphPtr graph = builder.add(x).add(evil).addSubgraph("body", inner.build()).build();
    const MermaidText text = printMermaid(*graph);
    QCOMPARE(QString::fromStdString(text.text),
             QString("flowchart TD\n  n0(\"x<br/>f32[4]\")\n"
                     "  n1[\"n<br/>#96;a#quot;]#59; #35;35#59;<br/>#lt;script#gt;#amp;\"]\n  n0 --> n1\n"
                     "  subgraph ns0_[\"body\"]\n    ns0_0(\"output\")\n  end\n"));
    QVERIFY(text.tooLarge.empty());

    GraphBuilder chain;
    chain.add(x);
    for (int i = 0; i < 501; ++i) {
        Node next;
        next.name = "n" + std::to_string(i);
        next.target = "aten.neg.default";
        next.args = {Argument::node("x")};
        chain.add(next);
    }
    QVERIFY(QString::fromStdString(printMermaid(*chain.build()).tooLarge).startsWith("501 edges"));
}

void TestIrNode::sharedNodes() {
    const auto first = readGraph("graph():\n    %x : [num_users=2] = placeholder[target=x]\n    %a : "
                                 "[num_users=1] = call_method[target=sin]"
                                 "(args = (%x,), kwargs = {})\n    return (x, a)");
    QVERIFY(first);
    GraphBuilder builder;
    builder.setStyle((*first)->style()).add((*first)->nodes()[0]).add((*first)->nodes()[1]);
    const GraphPtr second = builder.build();
    QCOMPARE(second->nodes()[0].get(), (*first)->nodes()[0].get());
    // The number of users is that of the graph the node stands in.
    QVERIFY(printFx(*second).find("%x : [num_users=1]") != std::string::npos);
    QVERIFY(printFx(*second).find("%a : [num_users=0]") != std::string::npos);
}

QTEST_APPLESS_MAIN(TestIrNode)
#include "tst_ir_node.moc"
