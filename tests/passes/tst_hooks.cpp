// SPDX-License-Identifier: BSD-3-Clause
//
// Inlining of saved-tensors hooks with hooks that were traced by hand; tests/engine/tst_engine_oracle.cpp
// holds it against PyTorch's.
#include "core/ir/text.h"
#include "core/passes/hooks/inline_hooks.h"
#include "core/passes/hooks/saved_tensors_hooks.h"
#include "core/passes/recording_json.h"

#include <QTest>
#include <algorithm>
#include <map>

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

using HookSettings = std::map<std::string, std::string, std::less<>>;

/// The pass on one half of `of`; the other half and both hooks given as text.
passes::PassResult<passes::StepRecording> inlined(const Request& of, bool forward, HookSettings more,
                                                  const std::vector<std::string>& without = {}) {
    passes::PassContext context;
    context.options = {{"partner", ir::printFx(forward ? *of.backward : *of.forward)},
                       {"pack", ir::printFx(**packHalf({}))},
                       {"unpack", ir::printFx(**unpackHalf({}))}};
    for (auto& [name, value] : more)
        context.options[name] = value;
    for (const std::string& name : without)
        context.options.erase(name);
    return passes::record(InlineHooks(), {forward ? of.forward : of.backward, nullptr, nullptr, {}}, context);
}

std::string whys(const passes::StepRecording& recording) {
    std::string out;
    for (const passes::Step& step : recording.steps)
        if (!step.why.empty()) out += step.why + '\n';
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

    /// Both halves of a pasted graph, each with the other one given.
    void asAPass() {
        const Request both = request(Filter::Donated);
        const auto forward = inlined(both, true, {}), backward = inlined(both, false, {});
        QVERIFY2(forward && backward, forward ? "" : forward.error().message.c_str());
        const auto want = inlineHooks(both, packHalf, unpackHalf);
        QCOMPARE(ir::printFx(*forward->after.graph), ir::printFx(*want->forward));
        QCOMPARE(ir::printFx(*backward->after.graph), ir::printFx(*want->backward));
        QCOMPARE(whys(*forward),
                 std::string("saved for backward: the hooks leave it as it is: filter 'donated' (PyTorch's "
                             "default saved_tensors_hooks_filtering_mode) packs only memory that nobody but "
                             "backward holds, and this is or shares that of an input, an output or a "
                             "gradient\n"
                             "saved for backward: the hook packs it into exp_hook_0 of unknown shape\n"
                             "returns what the hooks made of what is saved\n"));
        QVERIFY2(whys(*backward).ends_with(
                     "the unpack hook makes 'mul_2' in its place\nreads what was unpacked\n"),
                 whys(*backward).c_str());
        for (const passes::StepRecording* recording : {&*forward, &*backward}) {
            QCOMPARE(std::size_t(recording->steps.back().end), recording->after.graph->size());
            QVERIFY(recording->after.notes.empty());
        }
        // What the hook made goes back to what was saved, also in backward.
        const auto pairs = backward->provenance();
        const auto exp = both.backward->find("exp");
        QVERIFY(std::find(pairs.begin(), pairs.end(),
                          std::pair(exp, backward->after.graph->find("exp_hook_0"))) != pairs.end());
        QVERIFY(std::find(pairs.begin(), pairs.end(), std::pair(exp, backward->after.graph->find("mul_2"))) !=
                pairs.end());
    }

    void aPassThatPacksNothingSaysSo() {
        const auto got = inlined(request(Filter::NoStatic), true, {{"filter", "no_static"}, {"static", "0"}});
        QVERIFY(got && got->after.notes.empty());
        Request none = request(Filter::Donated);
        none.forward = graph(input("primals_1") + call("sin", "torch.ops.aten.sin.default", "%primals_1,"),
                             "(sin, primals_1)");
        none.backward = graph(input("primals_1") + input("tangents_1"), "(tangents_1,)");
        const auto left = inlined(none, true, {}, {"pack", "unpack"});
        QVERIFY(left && left->after.graph == none.forward);
        QCOMPARE(left->after.notes.size(), 1U);
        QVERIFY2(left->after.notes.front().starts_with(
                     "saved-tensors hooks are on, and leave everything that is saved (1) as it is: filter "
                     "'donated' (PyTorch's default saved_tensors_hooks_filtering_mode)"),
                 left->after.notes.front().c_str());
    }

    void whatAPassLacksIsNamed_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("message");
        QTest::newRow("everything")
            << "partner pack unpack"
            << ""
            << "the other half is missing: give a forward's backward, or a backward's "
               "forward, as partner; so are the hooks: give them as pack and unpack";
        QTest::newRow("a hook") << "unpack"
                                << ""
                                << "unpack is missing for exp: give the hook's graph as unpack, or as it was "
                                   "traced on one saved tensor as unpack:NAME";
        QTest::newRow("filter") << "filter"
                                << "some"
                                << "filter is donated, no_static or all, not 'some'";
        QTest::newRow("static")
            << "filter"
            << "no_static"
            << "filter no_static leaves out parameters and buffers, and which those are is "
               "missing: give their positions among forward's inputs as static, or nothing "
               "where there are none";
        QTest::newRow("another shape")
            << "pack"
            << "class GraphModule(torch.nn.Module):\n    def forward(self, x: \"f32[4][1]cpu\"):\n        "
               "neg: "
               "\"f32[4][1]cpu\" = torch.ops.aten.neg.default(x)\n        return neg\n"
            << "";
    }
    void whatAPassLacksIsNamed() {
        QFETCH(QString, name);
        QFETCH(QString, value);
        QFETCH(QString, message);
        std::vector<std::string> without;
        HookSettings more;
        for (const QString& one : name.split(' '))
            if (value.isEmpty())
                without.push_back(one.toStdString());
            else
                more[one.toStdString()] = value.toStdString();
        if (message.isEmpty()) more["unpack"] = ir::printFx(**identity({}));
        const auto got = inlined(request(Filter::Donated), true, more, without);
        if (message.isEmpty()) {
            // Nobody knows here what is saved; the shapes that the hook was traced at are not said of it.
            QVERIFY(got.has_value());
            const ir::GraphPtr& made = got->after.graph;
            QVERIFY(!made->node(made->find("exp_hook_0")).meta);
            return;
        }
        QVERIFY(!got.has_value());
        QCOMPARE(got.error().message, message.toStdString());
    }

    /// A hook that was traced on one tensor is not that of one of another shape.
    void hooksOfOtherShapesAreRefused() {
        Request shaped = request(Filter::Donated);
        shaped.forward =
            ir::readGraph("class GraphModule(torch.nn.Module):\n    def forward(self, primals_1: "
                          "\"f32[8][1]cpu\"):\n        exp: \"f32[8][1]cpu\" = "
                          "torch.ops.aten.exp.default(primals_1)\n        sin: \"f32[8][1]cpu\" = "
                          "torch.ops.aten.sin.default(exp)\n        return (sin, primals_1, exp)\n")
                .value();
        const auto hookFor = [](const std::string& size) {
            const std::string type = "\"f32[" + size + "][1]cpu\"";
            return "class GraphModule(torch.nn.Module):\n    def forward(self, x: " + type +
                   "):\n        half: " + "\"f16[" + size +
                   "][1]cpu\" = torch.ops.aten._to_copy.default(x, dtype = torch.float16)\n" +
                   "        return half\n";
        };
        const HookSettings unpack{{"unpack", ir::printFx(**identity({}))}};
        HookSettings four = unpack, eight = unpack;
        four["pack"] = hookFor("4");
        eight["pack"] = hookFor("8");
        const auto refused = inlined(shaped, true, four);
        QVERIFY(!refused);
        QCOMPARE(
            refused.error().message,
            std::string("the pack hook is of f32[4], and 'exp' is f32[8]: give the one that was traced on it "
                        "as pack:exp"));
        const auto packed = inlined(shaped, true, eight);
        QVERIFY2(packed.has_value(), packed ? "" : packed.error().message.c_str());
        QVERIFY2(whys(*packed).find("packs it into exp_hook_0 f16[8], 16 bytes instead of 32") !=
                     std::string::npos,
                 whys(*packed).c_str());
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
