// SPDX-License-Identifier: BSD-3-Clause
//
// Symbolic floats that become tensors; whole graphs of PyTorch's are tst_engine_rederive's.
#include "core/ir/text.h"
#include "core/passes/aot/symbol_tree.h"
#include "core/passes/aot/tensorify.h"

#include <QTest>

using namespace dynascope;
using passes::aot::parseSymbolTree;
using passes::aot::tensorifyScalars;

namespace {

std::string jointWith(const std::string& calls, const std::string& result) {
    return "class joint(torch.nn.Module):\n"
           "    def forward(self, x: \"f32[4][1]cpu\", s: \"f64[][]cpu\", n: \"Sym(s0)\"):\n"
           "        f: \"Sym(zf1)\" = torch.ops.aten._local_scalar_dense.default(s)\n" +
           calls + "        return (" + result + ",)\n";
}

} // namespace

class TestTensorify : public QObject {
    Q_OBJECT
private slots:
    void expressionsAreTakenApart_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("key");
        QTest::newRow("symbol") << "zf1"
                                << "zf1";
        QTest::newRow("number first") << "2.0*zf1 + 1.0"
                                      << "Add(1.0,Mul(2.0,zf1))";
        QTest::newRow("difference") << "1.0 - zf1"
                                    << "Add(1.0,Mul(-1,zf1))";
        QTest::newRow("negative factor") << "s0 - 2.0*zf1"
                                         << "Add(s0,Mul(-2.0,zf1))";
        QTest::newRow("by name") << "zf2*zf12"
                                 << "Mul(zf12,zf2)";
        QTest::newRow("functions last") << "ToFloat(s0)*zf1**2"
                                        << "Mul(Pow(zf1,2),ToFloat(s0))";
        QTest::newRow("call") << "FloatTrueDiv(1.0, ToFloat(s77))"
                              << "FloatTrueDiv(1.0,ToFloat(s77))";
        QTest::newRow("order not known") << "2.0*zf1 + 3.0*zf2"
                                         << "";
        QTest::newRow("comparison") << "zf1 < 2"
                                    << "";
        QTest::newRow("division") << "s0//2"
                                  << "";
        QTest::newRow("cut off") << "ToFloat(s0"
                                 << "";
        QTest::newRow("deep") << QString(100000, '(') << "";
    }
    void expressionsAreTakenApart() {
        QFETCH(QString, text);
        QFETCH(QString, key);
        const auto tree = parseSymbolTree(text.toStdString());
        QCOMPARE(QString::fromStdString(tree ? tree->key() : std::string()), key);
    }

    void whatReadsAFloatReadsATensor() {
        const auto graph =
            ir::readGraph(jointWith("        a: \"f32[4][1]cpu\" = torch.ops.aten.mul.Tensor(x, f)\n", "a"));
        QVERIFY(graph);
        const auto made = tensorifyScalars(**graph, {});
        QVERIFY2(made.has_value(), made ? "" : made.error().message.c_str());
        std::string targets;
        for (const ir::NodePtr& node : (*made)->nodes())
            if (node->op == ir::Op::CallFunction) targets += node->name + ' ';
        QCOMPARE(targets,
                 std::string("convert_element_type_default convert_element_type_default_1 mul_tensor "));
        QVERIFY((*made)->missing().empty());
    }

    void whatStaysAFloatIsAConstant() {
        const auto graph = ir::readGraph(
            jointWith("        a: \"f32[4][1]cpu\" = torch.ops.aten.leaky_relu.default(x, f)\n", "a"));
        QVERIFY(graph);
        const auto made = tensorifyScalars(**graph, {{"zf1", 0.25}});
        QVERIFY(made);
        const ir::NodeIndex relu = (*made)->find("a");
        QVERIFY(relu != ir::npos);
        QCOMPARE((*made)->node(relu).args[1].text, std::string("0.25"));
        QVERIFY((*made)->find("f") == ir::npos);
        const auto unknown = tensorifyScalars(**graph, {});
        QVERIFY(!unknown);
        QCOMPARE(unknown.error().message, std::string("'f' is zf1, which has no value"));
        QVERIFY(!tensorifyScalars(**graph, {{"zf1", 1.0 / 3}})); // printed with 15 digits
    }

    void whatIsNotKnownIsRefused() {
        for (const char* expression : {"zf1 % 2.0", "OpaqueUnaryFn_sqrt(zf1)", "2.0*zf1 + 3.0*zf2"}) {
            const auto graph = ir::readGraph(jointWith(
                std::string("        g: \"Sym(") + expression +
                    ")\" = f * 2.0\n        a: \"f32[4][1]cpu\" = torch.ops.aten.mul.Tensor(x, g)\n",
                "a"));
            QVERIFY(graph);
            const auto made = tensorifyScalars(**graph, {});
            QVERIFY(!made);
            QVERIFY2(made.error().message.find("as PyTorch takes it apart") != std::string::npos,
                     made.error().message.c_str());
        }
    }
};

QTEST_GUILESS_MAIN(TestTensorify)
#include "tst_tensorify.moc"
