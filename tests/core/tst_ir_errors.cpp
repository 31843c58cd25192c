// SPDX-License-Identifier: BSD-3-Clause
//
// Broken graph text: every error has a place and says what was expected there.
#include "core/ir/text.h"

#include <QTest>

using namespace dynascope::ir;

class TestIrErrors : public QObject {
    Q_OBJECT
private slots:
    void errors_data();
    void errors();
    void columnsCountCharacters();
    void deepNesting();
    void manyLevelsOfModules();
};

void TestIrErrors::errors_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("error");
    const auto fx = [](const char* name, const QString& line, const char* error) {
        QTest::newRow(name) << "graph():\n" + line + "\n    return (x,)" << QString(error);
    };
    const auto code = [](const char* name, const QString& line, const char* error) {
        QTest::newRow(name) << "class M(torch.nn.Module):\n    def forward(self, x):\n        " + line +
                                   "\n        return (x,)\n"
                            << QString(error);
    };
    QTest::newRow("nothing") << ""
                             << "The text holds no graph";
    QTest::newRow("only comments") << "\n# a\n\n"
                                   << "The text holds no graph";
    QTest::newRow("prose") << "\n  hello"
                           << "2:3: Expected 'graph():' or 'class GraphModule(torch.nn.Module):'";
    QTest::newRow("text after") << "graph():\n    return None\nmore"
                                << "3:1: Expected the end of the text after the graph";
    QTest::newRow("prose inside") << "graph():\n    %x = placeholder[target=x]\n  so\n"
                                  << "3:3: Expected '%name = ...' or 'return'";
    fx("no name", "    % : [num_users=1] = placeholder[target=x]",
       "2:6: Expected the name of a node after '%'");
    fx("no op", "    %x : [num_users=1] = [target=x]",
       "2:26: Expected an op such as call_function, found ''");
    fx("wrong op", "    %x : [num_users=1] = call_fn[target=x]",
       "2:26: Expected an op such as call_function, found 'call_fn'");
    fx("no users", "    %x : [num_users=] = placeholder[target=x]", "2:21: Expected the number of users");
    fx("no target", "    %x : [num_users=1] = placeholder", "2:37: Expected '[target=' after the op");
    fx("open target", "    %x : [num_users=1] = placeholder[target=x",
       "2:45: Expected ']' to close the target");
    fx("no args", "    %x = call_function[target=f]", "2:33: Expected '(args = ' after the target");
    fx("open args", "    %x = call_function[target=f](args = (%a, 1, kwargs = {})",
       "2:49: Expected ')' to close args");
    fx("open list", "    %x = call_function[target=f](args = (%a, [1, 2), kwargs = {})",
       "2:51: Expected ']' to close the list");
    fx("no kwargs", "    %x = call_function[target=f](args = (%a,))",
       "2:46: Expected ', kwargs = {' after args");
    fx("open kwargs", "    %x = call_function[target=f](args = (), kwargs = {a: 1",
       "2:59: Expected '}' to close kwargs");
    fx("keyword", "    %x = call_function[target=f](args = (), kwargs = {a = 1})",
       "2:56: Expected ':' after the keyword 'a'");
    fx("after kwargs", "    %x = call_function[target=f](args = (), kwargs = {}) x",
       "2:58: Expected the end of the line after the node");
    QTest::newRow("return") << "graph():\n    return (x, [y)"
                            << "2:18: Expected ']' to close the list";
    QTest::newRow("no def") << "class M(torch.nn.Module):\n    x = 1"
                            << "2:5: Expected 'def forward(self, ...):'";
    QTest::newRow("class alone") << "class M(torch.nn.Module):"
                                 << "1:1: Expected 'def forward(self, ...):' after this";
    QTest::newRow("import alone") << "from torch import device"
                                  << "1:1: Expected 'def forward(self, ...):' after this";
    QTest::newRow("open signature") << "class M(torch.nn.Module):\n    def forward(self, x"
                                    << "2:24: Expected ')' to close the signature";
    QTest::newRow("no colon") << "class M(torch.nn.Module):\n    def forward(self, x)\n        return x"
                              << "2:25: Expected ':' after the signature";
    QTest::newRow("open outputs")
        << "class M(torch.nn.Module):\n    def forward(self, x):\n        return (\n            x,  # a"
        << "4:20: Expected ')' to close the outputs";
    code("open call", "a = torch.add(x, 1", "3:27: Expected ')' to close the call");
    code("extra bracket", "a = torch.add(x))", "3:25: Unexpected ')'");
    code("open string", "a = torch.add(x, 'b)", "3:26: Expected a closing quote");
    code("open annotation", "a: \"f32[2] = x + 1", "3:12: Expected a closing quote");
    code("no expression", "a = ", "3:13: Expected an expression after '='");
    code("no statement", "a b", "3:11: Expected '=' after 'a'");
    code("not a name", "3 = x", "3:9: Expected a statement of the form 'name = ...'");
    code("bad clear", "a = x + 1;  3", "3:21: Expected 'name = None' after ';'");
    code("mutation without a name", "x[0] = 1",
         "3:17: Expected ';' and the name of the node after an assignment in place");
}

void TestIrErrors::errors() {
    QFETCH(QString, text);
    QFETCH(QString, error);
    const auto graph = readGraph(text.toStdString());
    QVERIFY(!graph);
    QCOMPARE(QString::fromStdString(graph.error().toString()), error);
}

void TestIrErrors::columnsCountCharacters() {
    const auto graph =
        readGraph("graph():\n    %x = call_function[target=f](args = (größe, %a, kwargs = {})");
    QVERIFY(!graph);
    QCOMPARE(graph.error().column, std::size_t(53)); // 55 bytes
}

void TestIrErrors::deepNesting() {
    const auto nested = [](std::size_t depth, const char* open, const char* close) {
        std::string text = "graph():\n    return ";
        for (std::size_t i = 0; i < depth; ++i)
            text += open;
        text += "1";
        for (std::size_t i = 0; i < depth; ++i)
            text += close;
        return text;
    };
    QVERIFY(readGraph(nested(150, "[", "]")));
    const auto deep = readGraph(nested(100'000, "[", "]"));
    QVERIFY(!deep);
    QCOMPARE(QString::fromStdString(deep.error().message),
             QString("Expected at most 200 levels of brackets"));
    QVERIFY(readGraph(nested(5000, "f(", ")"))); // kept as it is written
    QVERIFY(!readGraph(nested(5000, "(", ")")));
    QVERIFY(!readGraph(nested(5000, "{1: ", "}")));
    QVERIFY(!readGraph(nested(5000, "{", "}")));
}

void TestIrErrors::manyLevelsOfModules() {
    std::string text;
    for (std::size_t i = 0; i < 300; ++i) {
        const std::string indent(i * 4, ' ');
        text += indent + "class M(torch.nn.Module):\n" + indent + "    def forward(self):\n" + indent +
                "        return None\n\n";
    }
    const auto graph = readGraph(text);
    QVERIFY(!graph);
    QCOMPARE(QString::fromStdString(graph.error().message),
             QString("Expected at most 100 levels of nested modules"));
}

QTEST_APPLESS_MAIN(TestIrErrors)
#include "tst_ir_errors.moc"
