// SPDX-License-Identifier: BSD-3-Clause
//
// What keeps a graph from being a CUDA graph: writes, devices, ops, symbols.
#include "core/ir/text.h"
#include "core/replay/mutation_check.h"
#include "core/replay/skip_check.h"
#include "core/replay/written_arguments.h"

#include <QtTest>

using namespace dynascope;
using namespace dynascope::replay;
using Kind = SkipReason::Kind;

namespace {

ir::GraphPtr read(const std::string& body) {
    const Result<ir::GraphPtr> graph = ir::readGraph(body);
    return graph ? *graph : nullptr;
}

/// print_readable text: annotations and places.
ReplayGraphFacts facts(const std::string& body) {
    return factsOf(read("class GraphModule(torch.nn.Module):\n    def forward(self, " + body));
}

std::vector<std::string> names(const ReplayGraphFacts& facts, const std::vector<ir::NodeIndex>& nodes) {
    std::vector<std::string> out;
    for (const ir::NodeIndex i : nodes)
        out.push_back(facts.graph->node(i).name);
    return out;
}

using Names = std::vector<std::string>;

ir::Node call(std::string target, std::vector<ir::Argument> args,
              std::vector<std::pair<std::string, ir::Argument>> kwargs = {}) {
    ir::Node node;
    node.name = "n";
    node.target = std::move(target);
    node.args = std::move(args);
    node.kwargs = std::move(kwargs);
    return node;
}

Names text(const std::vector<const ir::Argument*>& arguments) {
    Names out;
    for (const ir::Argument* argument : arguments)
        out.push_back(argument->toString());
    return out;
}

const ir::Argument a = ir::Argument::node("a"), b = ir::Argument::node("b"), c = ir::Argument::node("c"),
                   d = ir::Argument::node("d"), e = ir::Argument::node("e");

} // namespace

class TestReplayChecks : public QObject {
    Q_OBJECT

private slots:
    void writtenByMark() {
        QCOMPARE(text(writtenArguments(call("torch.ops.aten.add_.Tensor", {a, b})).marked), Names{"a"});
        QCOMPARE(text(writtenArguments(call("aten.add_.Tensor", {a, b})).marked), Names{"a"});
        QVERIFY(writtenArguments(call("torch.ops.aten.add.Tensor", {a, b})).empty());
        QCOMPARE(text(writtenArguments(call("torch.ops.aten.add.out", {a, b}, {{"out", c}})).marked),
                 Names{"c"});
        QCOMPARE(
            text(writtenArguments(call("torch.ops.aten.topk.values", {a, b}, {{"values", c}, {"indices", d}}))
                     .marked),
            (Names{"c", "d"}));
        QCOMPARE(text(writtenArguments(call("torch.ops.aten.rrelu_with_noise_.default", {a, b})).marked),
                 (Names{"a", "b"}));
        QCOMPARE(text(writtenArguments(call("torch.ops.aten._native_batch_norm_legit.default",
                                            {a, b, b, c, d, ir::Argument::boolean(true)}))
                          .marked),
                 (Names{"c", "d"}));
        QVERIFY(
            writtenArguments(call("torch.ops.aten._native_batch_norm_legit.no_stats", {a, b, b, c})).empty());
    }

    void writtenWithoutMark() {
        const auto norm = [](bool training) {
            return call("torch.ops.aten.native_batch_norm.default",
                        {a, b, c, d, e, ir::Argument::boolean(training)});
        };
        const ir::Node training = norm(true), inference = norm(false);
        QCOMPARE(text(writtenArguments(training).unmarked), (Names{"d", "e"}));
        QVERIFY(writtenArguments(training).marked.empty());
        QVERIFY(writtenArguments(inference).empty());
        const ir::Node collective = call("torch.ops.c10d.allreduce_.default", {a});
        QCOMPARE(text(writtenArguments(collective).unmarked), Names{"a"});
        QVERIFY(writtenArguments(collective).marked.empty());
    }

    /// PyTorch looks at schemas only; comparisons and constraints only look like writes.
    void notWritten() {
        QVERIFY(!hasSchema(call("operator.iadd", {a, b})));
        QVERIFY(!hasSchema(call("torch.ops.higher_order.cond", {a, b})));
        QVERIFY(writtenArguments(call("operator.iadd", {a, b})).empty());
        QVERIFY(writtenArguments(call("torch.ops.aten.__is__.default", {a, b})).empty());
        QVERIFY(
            writtenArguments(call("torch.ops.aten.sym_constrain_range.default", {a}, {{"min", b}})).empty());
        QVERIFY(
            writtenArguments(call("torch.ops.aten.segment_reduce.default", {a}, {{"indices", b}})).empty());
    }

    void mutationsReachInputsThroughViewsAndLists() {
        const ir::GraphPtr graph =
            read("graph():\n"
                 "    %a : [num_users=1] = placeholder[target=a]\n"
                 "    %b : [num_users=1] = placeholder[target=b]\n"
                 "    %c : [num_users=1] = placeholder[target=c]\n"
                 "    %d : [num_users=1] = placeholder[target=d]\n"
                 "    %v : [num_users=1] = call_function[target=torch.ops.aten.view.default](args = (%a, "
                 "[-1]), kwargs = {})\n"
                 "    %t : [num_users=1] = call_function[target=torch.ops.aten.add_.Tensor](args = (%v, 1), "
                 "kwargs = {})\n"
                 "    %f : [num_users=0] = call_function[target=torch.ops.aten._foreach_add_.Scalar](args = "
                 "([%b, %d], 1), kwargs = {})\n"
                 "    return (t,)\n");
        QVERIFY(graph);
        const InputMutations found = findInputMutations(factsOf(graph));
        QCOMPARE(found.inputs, (std::set<std::size_t>{0, 1, 3}));
        QCOMPARE(found.error->type, std::string("AttributeError"));
        QCOMPARE(found.writes.size(), 3U);
        QCOMPARE(graph->node(found.writes[0].node).name, std::string("t"));
        QCOMPARE(graph->node(found.writes[0].written).name, std::string("v"));
        // Inputs that are one storage are written together.
        const std::vector<std::vector<std::size_t>> groups{{2, 3}};
        QCOMPARE(findInputMutations(factsOf(graph, groups)).inputs, (std::set<std::size_t>{0, 1, 2, 3}));
    }

    /// The functional form of a write is a new tensor.
    void functionalFormsAreNotInputs() {
        const ReplayGraphFacts graph =
            facts("x: \"f32[2]cuda:0\", i: \"i64[1]cuda:0\"):\n"
                  "        put: \"f32[2]cuda:0\" = torch.ops.aten.index_put.default(x, [i], x)\n"
                  "        view: \"f32[2]cuda:0\" = torch.ops.aten.view.default(put, [2])\n"
                  "        add_: \"f32[2]cuda:0\" = torch.ops.aten.add_.Tensor(view, 1)\n"
                  "        return (add_,)\n");
        QVERIFY(findInputMutations(graph).inputs.empty());
    }

    void unmarkedWritesAreNamedButNotCounted() {
        const ReplayGraphFacts graph = facts(
            "x: \"f32[2, 3]cuda:0\", m: \"f32[3]cuda:0\", v: \"f32[3]cuda:0\"):\n"
            "        n = torch.ops.aten.native_batch_norm.default(x, None, None, m, v, True, 0.1, 1e-05)\n"
            "        getitem: \"f32[2, 3]cuda:0\" = n[0]\n"
            "        return (getitem,)\n");
        const InputMutations found = findInputMutations(graph);
        QVERIFY(found.inputs.empty());
        QCOMPARE(found.writes.size(), 2U);
        QCOMPARE(found.writes[0].input, 1U);
        QVERIFY(!found.writes[0].marked && !found.writes[1].marked);
        QVERIFY(!checkForSkip(graph, found).message);
    }

    void placesOfWrites() {
        const ReplayGraphFacts graph =
            facts("x: \"f32[2]cuda:0\"):\n"
                  "        # File: m.py:7 in f, code: x.add_(1)\n"
                  "        add: \"f32[2]cuda:0\" = torch.ops.aten.add.Tensor(x, 1)\n"
                  "        # File: m.py:8 in f, code: x.copy_(add)\n"
                  "        copy_: \"f32[2]cuda:0\" = torch.ops.aten.copy_.default(x, add)\n"
                  "        return (copy_,)\n");
        QCOMPARE(
            checkForSkip(graph, findInputMutations(graph)).message.value(),
            std::string("skipping cudagraphs due to mutated inputs (1 instances). Found from : \n   File "
                        "\"m.py\", line 8, in f\n    x.copy_(add)\n"));
        SkipOptions fixed;
        fixed.fixedInputs = 1;
        QVERIFY(!checkForSkip(graph, findInputMutations(graph), fixed).message);
    }

    /// PyTorch names the first reason; all of them are found.
    void everyReasonAtOnce() {
        const ReplayGraphFacts graph =
            facts("x: \"f32[2]cuda:0\", h: \"f32[2]cpu\", m: \"b8[2]cuda:0\", y: \"f32[2]cuda:1\"):\n"
                  "        copy_: \"f32[2]cuda:0\" = torch.ops.aten.copy_.default(x, x)\n"
                  "        put: \"f32[2]cuda:0\" = torch.ops.aten.index_put.default(x, [m], x)\n"
                  "        item: \"Sym(u0)\" = torch.ops.aten._local_scalar_dense.default(x)\n"
                  "        sparse: \"f32[2]cuda:0\" = torch.ops.aten.to_sparse.default(x)\n"
                  "        fq = torch.ops.aten._fused_moving_avg_obs_fq_helper.default(x)\n"
                  "        grown: \"f32[u0]cuda:0\" = torch.ops.aten.expand.default(x, [item])\n"
                  "        return (copy_, put, item, sparse, fq, grown)\n");
        const SkipCheck check = checkForSkip(graph, findInputMutations(graph));
        std::vector<std::pair<Kind, Names>> got;
        for (const SkipReason& reason : check.reasons)
            got.emplace_back(reason.kind, names(graph, reason.nodes));
        const std::vector<std::pair<Kind, Names>> expected{{Kind::MutatedInputs, {"x"}},
                                                           {Kind::CpuTensor, {"h"}},
                                                           {Kind::MultipleDevices, {"x", "y"}},
                                                           {Kind::BooleanIndex, {"put"}},
                                                           {Kind::UnbackedSymbol, {"item", "grown"}},
                                                           {Kind::SparseOutput, {"sparse"}},
                                                           {Kind::ForbiddenOp, {"fq"}}};
        QCOMPARE(got, expected);
        QCOMPARE(check.message.value(),
                 std::string("skipping cudagraphs due to mutated inputs (1 instances)"));
        QCOMPARE(check.reasons[1].message, std::string("skipping cudagraphs due to cpu device (h)"));
        QCOMPARE(check.reasons[2].message,
                 std::string("skipping cudagraphs due to multiple devices: device(type='cuda', index=0), "
                             "device(type='cuda', index=1)"));
        QCOMPARE(check.reasons[3].message, std::string("skipping cudagraphs due to incompatible op (put)"));
    }

    void topkOnRocm() {
        const ReplayGraphFacts graph = facts("x: \"f32[2]cuda:0\"):\n"
                                             "        topk = torch.ops.aten.topk.default(x, 1)\n"
                                             "        return (topk,)\n");
        SkipOptions rocm;
        rocm.rocm = true;
        QVERIFY(!checkForSkip(graph, {}).message);
        QCOMPARE(checkForSkip(graph, {}, rocm).message.value(),
                 std::string("skipping cudagraphs due to incompatible op (topk)"));
    }

    /// Meta tensors are no reason, but the device of the graph is that of its first tensor.
    void deviceOfMetaGraphs() {
        const ReplayGraphFacts graph = facts("m: \"f32[2]meta\", x: \"f32[2]cuda:3\"):\n"
                                             "        return (x, m)\n");
        QVERIFY(!checkForSkip(graph, {}).message);
        QCOMPARE(deviceIndex(graph).error->message, std::string("Expected CUDA device, got meta"));
        const ReplayGraphFacts other = facts("x: \"f32[2]xpu:0\"):\n        return (x,)\n");
        QCOMPARE(checkForSkip(other, {}).message.value(),
                 std::string("skipping cudagraphs due to multiple devices: device(type='xpu', index=0)"));
        QCOMPARE(deviceIndex(facts("x: \"f32[2]cuda:3\"):\n        return (x,)\n")).index.value(), 3);
        QVERIFY(!deviceIndex(facts("x: \"f32[2]cuda\"):\n        return (x,)\n")).index);
    }

    void symbols() {
        QVERIFY(hasUnbackedSymbol("2*u0 + s1"));
        QVERIFY(hasUnbackedSymbol("zuf3"));
        QVERIFY(!hasUnbackedSymbol("s77*4"));
        QVERIFY(!hasUnbackedSymbol("Mod(s0, 3)"));
        QVERIFY(hasSymbol("2*s0") && !hasSymbol("4") && !hasSymbol(""));
    }

    void categories() {
        MutationQuestion question;
        const std::vector<std::size_t> fixed{0}, written{0, 1, 2};
        const std::vector<std::string> uses{"zero", "", "two"};
        question.staticInputs = fixed;
        question.mutatedInputs = written;
        question.mutatingUses = uses;
        const auto recorded = [](std::size_t input) { return input == 1; };
        const MutationCheck check = checkForMutation(question, recorded);
        QCOMPARE(check.category, MutationCategory::Other);
        const std::vector<CategorizedInput> expected{
            {0, MutationCategory::Static}, {1, MutationCategory::Recorded}, {2, MutationCategory::Other}};
        QCOMPARE(check.inputs, expected);
        QCOMPARE(check.message.value(),
                 std::string("skipping cudagraphs due to mutated inputs (1 instances). Found from : \n two"));
        question.mutatedInputs = std::span(written).first(2);
        QCOMPARE(checkForMutation(question, recorded).category, MutationCategory::Recorded);
        QVERIFY(!checkForMutation(question, recorded).message);
        question.trees = false;
        QCOMPARE(
            checkForMutation(question, recorded).message.value(),
            std::string("skipping cudagraphs due to mutated inputs (2 instances). Found from : \n zero"));
        question.mutatedInputs = {};
        QCOMPARE(checkForMutation(question, recorded).category, MutationCategory::None);
        QVERIFY(!checkForMutation(question, recorded).message);
    }
};

QTEST_APPLESS_MAIN(TestReplayChecks)
#include "tst_replay_checks.moc"
