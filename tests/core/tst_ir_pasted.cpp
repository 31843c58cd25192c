// SPDX-License-Identifier: BSD-3-Clause
//
// Graph text as people paste it.
#include "core/ir/text.h"

#include <QTest>

using namespace dynascope::ir;

namespace {

const QString fx =
    "graph():\n    %x : [num_users=1] = placeholder[target=x]\n    %add : [num_users=1] = "
    "call_function[target=torch.ops.aten.add.Tensor](args = (%x, 1), kwargs = {})\n    return (add,)";
const QString code =
    "class GraphModule(torch.nn.Module):\n    def forward(self, x: \"f32[4]\"):\n"
    "        # File: /home/user/m.py:3 in f, code: return x + 1\n"
    "        add: \"f32[4]\" = torch.ops.aten.add.Tensor(x, 1);  x = None\n        return (add,)";

PastedGraphs read(const QString& text) {
    return readPasted(text.toStdString());
}

QString prefixed(const QString& text, const QString& prefix) {
    return prefix + QString(text).replace("\n", "\n" + prefix);
}

QString unindented(const QString& text) {
    QStringList lines = text.split('\n');
    for (QString& line : lines)
        line = line.trimmed();
    return lines.join('\n');
}

} // namespace

class TestIrPasted : public QObject {
    Q_OBJECT
private slots:
    void disguises_data();
    void disguises();
    void titlesAndLines();
    void nestedWithoutIndentation();
    void excerpt();
    void problems();
    void nothing();
};

void TestIrPasted::disguises_data() {
    QTest::addColumn<QString>("text");
    const QString log =
        "V1121 01:35:46.526000 13588 torch/_dynamo/output_graph.py:2835] [0/0] [__graph_code] ";
    for (const QString& graph : {fx, code}) {
        const QString form = graph == fx ? "FX, " : "code, ";
        const auto row = [&](const char* name, const QString& text) {
            QTest::newRow(qPrintable(form + name)) << text;
        };
        row("as it is", graph);
        row("no indentation", unindented(graph));
        row("Windows line ends", QString(graph).replace("\n", "\r\n"));
        row("byte order mark", QString(QChar(0xFEFF)) + graph);
        row("tabs", QString(graph).replace("    ", "\t"));
        row("indented as a whole", prefixed(graph, "      "));
        row("quoted", prefixed(graph, "> "));
        row("quoted twice", prefixed(graph, "> > "));
        row("quoted without a blank", prefixed(graph, ">"));
        row("log", prefixed(graph, log));
        row("log of a rank", prefixed(graph, "[rank3]:" + log));
        row("log, indentation lost", prefixed(unindented(graph), log));
        row("fenced", "It fails:\n\n```python\n" + graph + "\n```\nWhy is there (a copy) here?");
        row("prose around", "The graph is as follows:\n" + graph + "\nand then it stops.\nreturn to sender");
        row("label", "fw graph:" + graph);
        row("path", "/opt/venv/lib/torch/fx/_lazy_graph_module.py " + graph);
        row("header", "TRACED GRAPH\n ===== Forward graph 3 =====\n" + graph + "\n\n");
    }
    QTest::newRow("code, log with a path")
        << log + "TRACED GRAPH\n" + log + " ===== __compiled_fn_1 =====\n" + log +
               " /a/_lazy_graph_module.py " + QString(code).replace("\n", "\n" + log) + "\n" + log + "\n";
}

void TestIrPasted::disguises() {
    QFETCH(QString, text);
    const PastedGraphs found = read(text);
    QVERIFY2(found.problems.empty(), found.problems.empty() ? "" : found.problems[0].toString().c_str());
    QCOMPARE(found.graphs.size(), std::size_t(1));
    const Graph& graph = *found.graphs[0].graph;
    QCOMPARE(graph.size(), std::size_t(3));
    QVERIFY(graph.missing().empty());
    QCOMPARE(graph.node(1).target, std::string("torch.ops.aten.add.Tensor"));
    QCOMPARE(graph.node(2).op, Op::Output);
}

void TestIrPasted::titlesAndLines() {
    const QString text = "a\n===== Forward graph 3 =====\n" + fx + "\n\n" + code + "\n" +
                         QString(code).replace("GraphModule", "<lambda>") + "\nbw_graph:" + fx + "\n" + fx;
    const PastedGraphs found = read(text);
    QVERIFY(found.problems.empty());
    QStringList titles;
    QList<QPair<int, int>> lines;
    for (const FoundGraph& graph : found.graphs) {
        titles << QString::fromStdString(graph.title);
        lines << qMakePair(static_cast<int>(graph.firstLine), static_cast<int>(graph.lastLine));
    }
    QCOMPARE(titles, QStringList({"Forward graph 3", "GraphModule", "<lambda>", "bw_graph", "graph 5"}));
    QCOMPARE(lines, (QList<QPair<int, int>>{{3, 6}, {8, 12}, {13, 17}, {18, 21}, {22, 25}}));
    QCOMPARE(found.graphs[0].graph->node(1).sourceLine, 5U);
    QVERIFY(looksLikeGraph(text.section('\n', 1).toStdString()));
}

void TestIrPasted::nestedWithoutIndentation() {
    const QString text =
        "class GraphModule(torch.nn.Module):\ndef forward(self, x):\ntrue_0 = self.true_0\nfalse_0 = "
        "self.false_0\n"
        "cond = torch.ops.higher_order.cond(x, true_0, false_0, ())\nreturn (cond,)\n\n"
        "class true_0(torch.nn.Module):\ndef forward(self):\ninner = self.inner\nreturn (inner,)\n\n"
        "class inner(torch.nn.Module):\ndef forward(self):\nreturn None\n\n"
        "class false_0(torch.nn.Module):\ndef forward(self):\nreturn None\n\n"
        "class Other(torch.nn.Module):\ndef forward(self, y):\nreturn y\n";
    const PastedGraphs found = read(text);
    QVERIFY(found.problems.empty());
    QCOMPARE(found.graphs.size(), std::size_t(2));
    const Graph& graph = *found.graphs[0].graph;
    QCOMPARE(graph.subgraphOrder(), (std::vector<std::string>{"true_0", "false_0"}));
    QCOMPARE(graph.subgraphs().find("true_0")->second->subgraphs().size(), std::size_t(1));
    QCOMPARE(found.graphs[1].title, std::string("Other"));
}

void TestIrPasted::excerpt() {
    const PastedGraphs found =
        read("see\n%a : [num_users=1] = call_function[target=aten.mul](args = (%x, 2), kwargs = {})\n"
             "%b : [num_users=0] = call_function[target=aten.add](args = (%a, 1), kwargs = {})\n\nthere");
    QVERIFY(found.problems.empty());
    QCOMPARE(found.graphs.size(), std::size_t(1));
    QCOMPARE(found.graphs[0].graph->size(), std::size_t(2));
    QCOMPARE(found.graphs[0].graph->missing().size(), std::size_t(1));
    QCOMPARE(found.graphs[0].firstLine, std::size_t(2));
    QCOMPARE(found.graphs[0].lastLine, std::size_t(3));
}

void TestIrPasted::problems() {
    // The first is broken, the second is read all the same; the place is that of the text as given.
    const PastedGraphs found =
        read("> graph():\n>     %x : [num_users=1] = placeholder[goal=x]\n>     return x\n\n" + fx);
    QCOMPARE(found.graphs.size(), std::size_t(1));
    QCOMPARE(found.problems.size(), std::size_t(1));
    QCOMPARE(QString::fromStdString(found.problems[0].toString()),
             QString("2:39: Expected '[target=' after the op"));
}

void TestIrPasted::nothing() {
    for (const char* text :
         {"", "\n\n", "hello", "class Foo:\n    pass", "graph of x", "V1121 01:35:46.5 1 a.py:1] x"}) {
        const PastedGraphs found = readPasted(text);
        QVERIFY(found.graphs.empty());
        QVERIFY(!looksLikeGraph(text));
    }
    QVERIFY(looksLikeGraph(("\n# from a log\n\n" + code).toStdString()));
    QVERIFY(looksLikeGraph(fx.toStdString()));
    QVERIFY(!looksLikeGraph("import torch\nx = 1\n"));
}

QTEST_APPLESS_MAIN(TestIrPasted)
#include "tst_ir_pasted.moc"
