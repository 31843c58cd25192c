// SPDX-License-Identifier: BSD-3-Clause
//
// Inlining of saved-tensors hooks with hooks that were traced by hand; tests/engine/tst_engine_oracle.cpp
// holds it against PyTorch's.
#include "core/ir/text.h"
#include "core/passes/hooks/saved_tensors_hooks.h"

#include <QTest>

using namespace dynascope;
using namespace dynascope::passes::hooks;

namespace {

ir::GraphPtr graph(const std::string& nodes, const std::string& result) {
    return ir::readGraph("graph():\n" + nodes + "    return " + result).value();
}

std::string input(const std::string& name) {
    return "    %" + name + " : [num_users=1] = placeholder[target=" + name + "]\n";
}

std::string call(const std::string& name, const std::string& target, const std::string& args) {
    return "    %" + name + " : [num_users=1] = call_function[target=" + target + "](args = (" + args +
           "), kwargs = {})\n";
}

/// exp(x), saved for backward as an intermediate; x is saved as well.
Request request(Filter filter) {
    Request out;
    out.forward = graph(input("primals_1") + call("exp", "torch.ops.aten.exp.default", "%primals_1,") +
                            call("sin", "torch.ops.aten.sin.default", "%exp,"),
                        "(sin, primals_1, exp)");
    out.backward = graph(input("primals_1") + input("exp") + input("tangents_1") +
                             call("mul", "torch.ops.aten.mul.Tensor", "%tangents_1, %exp") +
                             call("mul_1", "torch.ops.aten.mul.Tensor", "%mul, %primals_1"),
                         "(mul_1,)");
    out.functionOutputs = 1;
    out.filter = filter;
    return out;
}

/// Halves, and returns a number beside it.
Result<ir::GraphPtr> packHalf(const std::string&) {
    return graph(input("x") + call("mul", "torch.ops.aten.mul.Tensor", "%x, 0.5"), "(mul, 2)");
}

Result<ir::GraphPtr> unpackHalf(const std::string&) {
    return graph(input("a") + input("factor") + call("mul", "torch.ops.aten.mul.Tensor", "%a, %factor"),
                 "mul");
}

Result<ir::GraphPtr> identity(const std::string&) {
    return graph(input("x"), "x");
}

std::string names(const ir::Graph& of) {
    std::string out;
    for (const ir::NodePtr& node : of.nodes())
        (out += out.empty() ? "" : " ") += node->name;
    return out;
}

} // namespace

class TestHooks : public QObject {
    Q_OBJECT
private slots:
    void numbersBecomeConstantsOfBackward() {
        const auto got = inlineHooks(request(Filter::All), packHalf, unpackHalf);
        QVERIFY2(got.has_value(), got ? "" : got.error().message.c_str());
        QCOMPARE(names(*got->forward), std::string("primals_1 exp sin primals_1_hook_0 exp_hook_0 output"));
        QCOMPARE(names(*got->backward),
                 std::string("primals_1_hook_0 exp_hook_0 tangents_1 mul_3 mul_2 mul mul_1 output"));
        const ir::Node& unpacked = got->backward->node(got->backward->find("mul_3"));
        QCOMPARE(unpacked.args[0].text, std::string("exp_hook_0"));
        QCOMPARE(unpacked.args[1].text, std::string("2"));
        QCOMPARE(got->packed.size(), 2U);
        QCOMPARE(got->packed[1].saved, std::string("exp"));
    }

    void onlyWhatNobodyElseHoldsIsDonated() {
        const auto got = inlineHooks(request(Filter::Donated), packHalf, unpackHalf);
        QVERIFY(got.has_value());
        QCOMPARE(got->packed.size(), 1U);
        QCOMPARE(names(*got->backward),
                 std::string("primals_1 exp_hook_0 tangents_1 mul_2 mul mul_1 output"));
    }

    /// The new version of an input is a tensor of its own.
    void functionalWritesAreDonated() {
        Request written = request(Filter::Donated);
        written.forward = graph(
            input("primals_1") + call("exp", "torch.ops.aten.select_scatter.default", "%primals_1, 0, 0, 0") +
                call("sin", "torch.ops.aten.sin.default", "%exp,"),
            "(sin, primals_1, exp)");
        const auto got = inlineHooks(written, packHalf, unpackHalf);
        QVERIFY(got.has_value());
        QCOMPARE(got->packed.size(), 1U);
    }

    void staticInputsAreLeftAlone() {
        Request parameters = request(Filter::NoStatic);
        parameters.staticInputs = {0, 99};
        const auto got = inlineHooks(parameters, packHalf, unpackHalf);
        QVERIFY(got.has_value());
        QCOMPARE(got->packed.size(), 1U);
    }

    void nothingToPackLeavesTheGraphsAlone() {
        Request none = request(Filter::Donated);
        none.forward = graph(input("primals_1") + call("sin", "torch.ops.aten.sin.default", "%primals_1,"),
                             "(sin, primals_1)");
        none.backward = graph(input("primals_1") + input("tangents_1"), "(tangents_1,)");
        const auto got = inlineHooks(none, packHalf, unpackHalf);
        QVERIFY(got.has_value());
        QVERIFY(got->forward == none.forward);
        QVERIFY(got->backward == none.backward);
    }

    void whatAHookReturnsUnchangedKeepsItsNameOnlyIfItIsAnInput() {
        const auto got = inlineHooks(request(Filter::All), identity, identity);
        QVERIFY(got.has_value());
        QCOMPARE(names(*got->forward), std::string("primals_1 exp_hook_0 sin output"));
        QCOMPARE(names(*got->backward), std::string("primals_1 exp_hook_0 tangents_1 mul mul_1 output"));
    }

    void failures_data() {
        QTest::addColumn<QString>("packed");
        QTest::addColumn<QString>("unpacked");
        QTest::addColumn<QString>("message");
        QTest::newRow("pack takes two")
            << "graph():\n    %x : [num_users=1] = placeholder[target=x]\n    %y : "
               "[num_users=1] = placeholder[target=y]\n    return x"
            << ""
            << "exactly 1 pack_g_input";
        QTest::newRow("pack returns nothing") << "graph():\n    %x : [num_users=0] = placeholder[target=x]\n"
                                                 "    return None"
                                              << ""
                                              << "returns nothing";
        QTest::newRow("unpack returns two") << ""
                                            << "graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
                                               "    return (x, x)"
                                            << "exactly 1 leaf";
    }
    void failures() {
        QFETCH(QString, packed);
        QFETCH(QString, unpacked);
        QFETCH(QString, message);
        const auto hook = [](const QString& text) {
            return [text](const std::string& saved) -> Result<ir::GraphPtr> {
                return text.isEmpty() ? identity(saved) : ir::readGraph(text.toStdString());
            };
        };
        const auto got = inlineHooks(request(Filter::All), hook(packed), hook(unpacked));
        QVERIFY(!got.has_value());
        QVERIFY2(got.error().message.find(message.toStdString()) != std::string::npos,
                 got.error().message.c_str());
    }

    void tuplesAreTakenApart() {
        const auto pair = graph(input("p") + call("getitem", "operator.getitem", "%p, 0") +
                                    call("getitem_1", "operator.getitem", "%p, 1") +
                                    call("mul", "operator.mul", "%getitem, %getitem_1"),
                                "mul");
        const auto apart = withTupleTakenApart(pair, 2);
        QVERIFY(apart.has_value());
        QCOMPARE(names(**apart), std::string("p_1 p_2 mul output"));
        QVERIFY(!withTupleTakenApart(pair, 1).has_value());
        const auto whole = identity("x").value();
        QVERIFY(withTupleTakenApart(whole, 1).value() == whole);
        QVERIFY(!withTupleTakenApart(whole, 2).has_value());
    }
};

QTEST_GUILESS_MAIN(TestHooks)
#include "tst_hooks.moc"
