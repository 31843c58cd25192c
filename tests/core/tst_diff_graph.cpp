// SPDX-License-Identifier: BSD-3-Clause
#include "core/diff/canonical.h"
#include "tests/core/diff_graphs.h"

#include <QTest>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <random>
#include <set>

using namespace dynascope;
using namespace dynascope::test;
using diff::Change;
using diff::GraphDiff;
using ir::Argument;
using ir::NodeIndex;

namespace {

/// Placeholders and calls of a few operations with one or two inputs and a constant.
std::vector<ir::Node> randomNodes(std::mt19937& random, std::size_t count) {
    const std::vector<std::string> targets{"torch.ops.aten.add.Tensor", "torch.ops.aten.mul.Tensor",
                                           "torch.ops.aten.relu.default", "torch.ops.aten.view.default",
                                           "torch.ops.aten.mm.default"};
    std::vector<ir::Node> nodes{placeholder("x"), placeholder("y")};
    while (nodes.size() + 1 < count) {
        const auto pick = [&] {
            const std::size_t reach = std::min<std::size_t>(nodes.size(), 8);
            return Argument::node(nodes[nodes.size() - 1 - random() % reach].name);
        };
        nodes.push_back(call("n" + std::to_string(nodes.size()), targets[random() % targets.size()],
                             {pick(), pick(), Argument::integer(static_cast<int>(random() % 1000))}));
    }
    nodes.push_back(output(nodes.back().name));
    return nodes;
}

void renameIn(Argument& a, const std::string& from, const std::string& to) {
    if (a.isNode() && a.text == from) a.text = to;
    for (Argument& item : a.items)
        renameIn(item, from, to);
}

const char* const viewMutationText =
    "  l_y_: \"f32[4, 5]\" = L_y_\n"
    "  l_x_: \"f32[4, 5]\" = L_x_\n"
    "≈ y: \"f32[4, 5]\" = l_y_ + 3  ->  add: \"f32[4, 5]\" = aten.add.Tensor(arg0_1, 3)\n"
    "≈ getitem: \"f32[4]\" = l_x_[(slice(None, None, None), 0)]  ->  select: \"f32[4]\" = "
    "aten.select.int(arg1_1, 1, 0)\n"
    "- y[(slice(None, None, None), 0)] = getitem;  setitem = y\n"
    "      became select_1, copy, select_scatter\n"
    "+ select_1: \"f32[4]\" = aten.select.int(add, 1, 0)\n"
    "+ copy: \"f32[4]\" = aten.copy.default(select_1, select)\n"
    "+ select_scatter: \"f32[4, 5]\" = aten.select_scatter.default(add, copy, 1, 0)\n"
    "~ return (y,)  ->  return (select_scatter,)\n"
    "      args[0][0]: y -> select_scatter\n"
    "+3 -1 ~1 moved 0, 2 respelled, 2 same\n";

const char* const beforeText =
    "class m(torch.nn.Module):\n"
    "    def forward(self, x: \"f32[4][1]cpu\"):\n"
    "        a: \"f32[4][1]cpu\" = torch.ops.aten.mul.Tensor(x, 2)\n"
    "        b: \"f32[4][1]cpu\" = torch.ops.aten.relu.default(a)\n"
    "        c: \"f32[4][1]cpu\" = torch.ops.aten.sum.dim_IntList(b, [0], keepdim = True)\n"
    "        return (c,)\n";

const char* const afterText =
    "class m(torch.nn.Module):\n"
    "    def forward(self, x: \"f32[4][1]cpu\"):\n"
    "        a: \"f16[4][1]cpu\" = torch.ops.aten.mul.Tensor(x, 3)\n"
    "        b: \"f32[4][1]cpu\" = torch.ops.aten.gelu.default(a)\n"
    "        c: \"f32[4][1]cpu\" = torch.ops.aten.sum.dim_IntList(b, [0], keepdim = False)\n"
    "        return (c,)\n";

std::set<std::string> names(const ir::Graph& graph, const std::vector<Change>& changes, Change wanted) {
    std::set<std::string> result;
    for (NodeIndex i = 0; i < graph.size(); ++i)
        if (changes[i] == wanted) result.insert(graph.node(i).name);
    return result;
}

} // namespace

class TestGraphDiff : public QObject {
    Q_OBJECT

private slots:
    void canonicalTargets_data() {
        QTest::addColumn<QString>("target");
        QTest::addColumn<QString>("canonical");
        QTest::newRow("operator") << "operator.add"
                                  << "add";
        QTest::newRow("in place") << "operator.iadd"
                                  << "add_";
        QTest::newRow("aten in place") << "torch.ops.aten.add_.Tensor"
                                       << "add_";
        QTest::newRow("torch") << "torch.add"
                               << "add";
        QTest::newRow("aten") << "torch.ops.aten.add.Tensor"
                              << "add";
        QTest::newRow("short aten") << "aten.add.Tensor"
                                    << "add";
        QTest::newRow("functional") << "torch.nn.functional.relu"
                                    << "relu";
        QTest::newRow("C") << "torch._C._nn.linear"
                           << "linear";
        QTest::newRow("other namespace") << "torch.ops.prims.convert_element_type.default"
                                         << "convert_element_type";
        QTest::newRow("division") << "operator.truediv"
                                  << "div";
        QTest::newRow("method") << "view"
                                << "view";
        QTest::newRow("empty") << ""
                               << "";
    }
    void canonicalTargets() {
        QFETCH(QString, target);
        QFETCH(QString, canonical);
        QCOMPARE(QString::fromStdString(diff::detail::canonicalTarget(call("n", target.toStdString(), {}))),
                 canonical);
    }

    void viewMutation() {
        const auto a = captured("view_mutation.dynamo_output.txt");
        const auto b = captured("view_mutation.aot_inference.txt");
        const GraphDiff d = diff::diffGraphs(*a, *b);
        QCOMPARE(problem(*a, *b, d), std::string());
        QCOMPARE(QString::fromStdString(diff::printDiff(*a, *b, d)), QString::fromUtf8(viewMutationText));
    }

    void json() {
        const auto a = captured("view_mutation.dynamo_output.txt");
        const auto b = captured("view_mutation.aot_inference.txt");
        const auto document = nlohmann::json::parse(diff::printDiffJson(*a, *b, diff::diffGraphs(*a, *b)));
        QCOMPARE(document["summary"]["added"].get<int>(), 3);
        QCOMPARE(document["rows"].size(), 9U);
        QCOMPARE(document["rows"][0]["a"].get<std::string>(), std::string("l_y_"));
        QCOMPARE(document["rows"][8]["fields"][0]["field"].get<std::string>(), std::string("args[0][0]"));
        QVERIFY(document["rows"][5]["a"].is_null());
        QCOMPARE(document["links"].size(), 8U);
    }

    void changedArgumentTargetAndMeta() {
        const auto a = read(beforeText);
        const auto b = read(afterText);
        const GraphDiff d = diff::diffGraphs(*a, *b);
        QCOMPARE(problem(*a, *b, d), std::string());
        QCOMPARE(d.changed, 3U);
        QCOMPARE(d.added + d.removed, 0U);
        const auto* mul = d.detail(1);
        QVERIFY(mul != nullptr);
        QCOMPARE(mul->size(), 2U);
        QCOMPARE((*mul)[0].field, std::string("args[1]"));
        QCOMPARE((*mul)[0].a, std::string("2"));
        QCOMPARE((*mul)[0].b, std::string("3"));
        QCOMPARE((*mul)[1].field, std::string("dtype"));
        QCOMPARE((*d.detail(2))[0].field, std::string("target"));
        QCOMPARE((*d.detail(3))[0].field, std::string("kwargs[keepdim]"));
        QCOMPARE(d.detail(4), nullptr);

        diff::DiffOptions options;
        options.ignoreMeta = true;
        QCOMPARE(diff::diffGraphs(*a, *b, options).detail(1)->size(), 1U);
    }

    void strides() {
        const auto a = read("graph():\n    %x : [num_users=1] = placeholder[target=x]\n    return x");
        ir::Node x = a->node(0);
        x.meta = ir::parseAnnotation("f32[2, 3][3, 1]cpu");
        ir::Node y = x;
        y.meta = ir::parseAnnotation("f32[2, 3][1, 2]cpu");
        const auto p = build({x, output("x")});
        const auto q = build({y, output("x")});
        const GraphDiff d = diff::diffGraphs(*p, *q);
        QCOMPARE(d.changed, 1U);
        QCOMPARE((*d.detail(0))[0].field, std::string("stride"));
        diff::DiffOptions options;
        options.ignoreStrides = true;
        QVERIFY(diff::diffGraphs(*p, *q, options).identical());
    }

    void sharedNodesAreTheSame() {
        std::mt19937 random(1);
        const auto a = build(randomNodes(random, 50));
        ir::GraphBuilder builder;
        for (const ir::NodePtr& node : a->nodes())
            builder.add(node);
        const auto b = builder.build();
        const GraphDiff d = diff::diffGraphs(*a, *b);
        QCOMPARE(d.same, 50U);
        for (const diff::Link& link : d.links)
            QVERIFY(link.evidence == diff::Evidence::SharedNode);
    }

    void sameGraph() {
        std::mt19937 random(2);
        for (int round = 0; round < 50; ++round) {
            const auto nodes = randomNodes(random, 3 + random() % 200);
            const auto a = build(nodes);
            const auto b = build(nodes);
            const GraphDiff d = diff::diffGraphs(*a, *b);
            QCOMPARE(problem(*a, *b, d), std::string());
            QCOMPARE(d.same, a->size());
        }
    }

    void renamedGraph() {
        std::mt19937 random(3);
        for (int round = 0; round < 50; ++round) {
            auto nodes = randomNodes(random, 3 + random() % 200);
            const auto a = build(nodes);
            const auto rename = [](std::string& name) {
                name = "renamed_" + std::to_string(std::hash<std::string>{}(name));
            };
            for (ir::Node& node : nodes) {
                if (node.op != ir::Op::Output) rename(node.name);
                for (Argument& arg : node.args) {
                    if (arg.isNode()) rename(arg.text);
                    for (Argument& item : arg.items)
                        if (item.isNode()) rename(item.text);
                }
            }
            const auto b = build(nodes);
            const GraphDiff d = diff::diffGraphs(*a, *b);
            QCOMPARE(problem(*a, *b, d), std::string());
            QCOMPARE(d.same + d.respelled, a->size());
            diff::DiffOptions options;
            options.ignoreNames = false;
            QVERIFY(diff::diffGraphs(*a, *b, options).changed + 1 >= a->size());
        }
    }

    void removedNodes() {
        std::mt19937 random(4);
        for (int round = 0; round < 50; ++round) {
            auto nodes = randomNodes(random, 30 + random() % 200);
            const auto a = build(nodes);
            std::set<std::string> removed;
            for (unsigned k = 1 + random() % 5; k > 0; --k) {
                const std::size_t victim = 2 + random() % (nodes.size() - 3);
                const std::string name = nodes[victim].name;
                const std::string input = nodes[victim].args[0].text;
                nodes.erase(nodes.begin() + static_cast<std::ptrdiff_t>(victim));
                for (ir::Node& node : nodes)
                    for (Argument& arg : node.args)
                        renameIn(arg, name, input);
                removed.insert(name);
            }
            const auto b = build(nodes);
            const GraphDiff d = diff::diffGraphs(*a, *b);
            QCOMPARE(problem(*a, *b, d), std::string());
            QVERIFY(names(*a, d.a, Change::Removed) == removed);
            QCOMPARE(d.added, 0U);
            const GraphDiff back = diff::diffGraphs(*b, *a);
            QVERIFY(names(*a, back.b, Change::Added) == removed);
        }
    }

    /// What backward computes is no node of a graph that has no backward, even where nothing else has its operation.
    void gradientsHaveNoPartner() {
        const auto a = ir::readGraph("def forward(self, L_x_: \"f32[4]\"):\n"
                                     "    l_x_ = L_x_\n"
                                     "    zeros: \"f32[4]\" = torch.zeros_like(l_x_)\n"
                                     "    mul: \"f32[4]\" = l_x_ * zeros\n"
                                     "    sin: \"f32[4]\" = torch.sin(mul)\n"
                                     "    return (sin,)\n");
        const auto b =
            ir::readGraph("def forward(self, primals_1: \"f32[4]\", tangents_1: \"f32[4]\"):\n"
                          "    zeros_like: \"f32[4]\" = torch.ops.aten.zeros_like.default(primals_1)\n"
                          "    neg: \"f32[4]\" = torch.ops.aten.neg.default(zeros_like)\n"
                          "    sin: \"f32[4]\" = torch.ops.aten.sin.default(neg)\n"
                          "    cos: \"f32[4]\" = torch.ops.aten.cos.default(neg)\n"
                          "    mul_1: \"f32[4]\" = torch.ops.aten.mul.Tensor(tangents_1, cos)\n"
                          "    mul_2: \"f32[4]\" = torch.ops.aten.mul.Tensor(mul_1, zeros_like)\n"
                          "    return (sin, mul_2)\n");
        QVERIFY(a && b);
        const diff::GraphDiff diff = diff::diffGraphs(**a, **b);
        QCOMPARE(diff.partnerOfA[(*a)->find("zeros")], (*b)->find("zeros_like"));
        QCOMPARE(diff.partnerOfB[(*b)->find("mul_2")], ir::npos);
        QCOMPARE(diff.b[(*b)->find("mul_2")], diff::Change::Added);
        QCOMPARE(diff.b[(*b)->find("tangents_1")], diff::Change::Added);
        QCOMPARE(diff.partnerOfA[(*a)->find("l_x_")], (*b)->find("primals_1"));
    }

    /// An integer has no gradient: what its line's backward computes is that of the others.
    void gradientsAreNotOfIntegers() {
        const std::string line = "    # File: /p/m.py:3 in forward, code: return self.emb(i.long())\n";
        const auto a = ir::readGraph("def forward(self, L_i_: \"i32[4]\", L_w_: \"f32[8, 2]\"):\n"
                                     "    l_i_ = L_i_\n"
                                     "    l_w_ = L_w_\n" +
                                     line +
                                     "    long: \"i64[4]\" = l_i_.long()\n"
                                     "    y: \"f32[4, 2]\" = torch.nn.functional.embedding(long, l_w_)\n"
                                     "    return (y,)\n");
        const auto b = ir::readGraph(
            "def forward(self, primals_1: \"i32[4]\", primals_2: \"f32[8, 2]\", tangents_1: \"f32[4, "
            "2]\"):\n" +
            line +
            "    _to_copy: \"i64[4]\" = torch.ops.aten._to_copy.default(primals_1, dtype = torch.int64)\n"
            "    embedding: \"f32[4, 2]\" = torch.ops.aten.embedding.default(primals_2, _to_copy)\n" +
            line +
            "    back: \"f32[8, 2]\" = torch.ops.aten.embedding_dense_backward.default(tangents_1, _to_copy, "
            "8, -1, "
            "False)\n"
            "    return (embedding, back)\n");
        QVERIFY(a && b);
        const diff::GraphDiff d = diff::diffGraphs(**a, **b);
        const auto leads = [&](const char* from) {
            const auto to = d.linksFromA((*a)->find(from));
            return std::ranges::find(to, (*b)->find("back")) != to.end();
        };
        QVERIFY(leads("y"));
        QVERIFY(!leads("long"));
    }

    void swappedNeighbours() {
        std::mt19937 random(5);
        int rounds = 0;
        while (rounds < 50) {
            auto nodes = randomNodes(random, 20 + random() % 100);
            const auto a = build(nodes);
            const std::size_t at = 2 + random() % (nodes.size() - 4);
            bool reads = false;
            nodes[at + 1].forEachInput(
                [&](const std::string& name) { reads = reads || name == nodes[at].name; });
            if (reads) continue;
            ++rounds;
            std::swap(nodes[at], nodes[at + 1]);
            const auto b = build(nodes);
            const GraphDiff d = diff::diffGraphs(*a, *b);
            QCOMPARE(problem(*a, *b, d), std::string());
            QVERIFY(d.moved >= 1 && d.moved <= 2);
            QCOMPARE(d.moved + d.same, a->size());
        }
    }

    void capturedPairs_data() {
        QTest::addColumn<QString>("a");
        QTest::addColumn<QString>("b");
        QTest::newRow("gpt2 joint") << "gpt2_train.dynamo_output.txt"
                                    << "gpt2_train.aot_joint.txt";
        QTest::newRow("gpt2 forward") << "gpt2_train.aot_joint.txt"
                                      << "gpt2_train.aot_forward.txt";
        QTest::newRow("gpt2 backward") << "gpt2_train.aot_joint.txt"
                                       << "gpt2_train.aot_backward.txt";
        QTest::newRow("encoder joint") << "encoder_train.dynamo_output.txt"
                                       << "encoder_train.aot_joint.txt";
        QTest::newRow("resnet inference") << "resnet.dynamo_output.txt"
                                          << "resnet.aot_inference.txt";
        QTest::newRow("unrelated") << "resnet.aot_inference.txt"
                                   << "gpt2_train.aot_joint.txt";
    }
    void capturedPairs() {
        QFETCH(QString, a);
        QFETCH(QString, b);
        const auto left = captured(a);
        const auto right = captured(b);
        QCOMPARE(problem(*left, *right, diff::diffGraphs(*left, *right)), std::string());
        QCOMPARE(problem(*right, *left, diff::diffGraphs(*right, *left)), std::string());
        QCOMPARE(diff::diffGraphs(*left, *left).same, left->size());
    }

    void hostileGraphsStayLinear_data() {
        QTest::addColumn<int>("kind");
        QTest::newRow("identical nodes") << 0;
        QTest::newRow("reversed") << 1;
        QTest::newRow("nothing in common") << 2;
        QTest::newRow("one hub") << 3;
        QTest::newRow("cycle") << 4;
    }
    void hostileGraphsStayLinear() {
        QFETCH(int, kind);
        constexpr int count = 10000;
        std::vector<ir::Node> nodes{placeholder("x")};
        std::vector<ir::Node> other;
        for (int i = 0; i < count; ++i) {
            const std::string name = "n" + std::to_string(i);
            const std::string before = i == 0 ? "x" : "n" + std::to_string(i - 1);
            switch (kind) {
            case 0:
                nodes.push_back(call(name, "torch.relu", {Argument::node("x")}));
                break;
            case 3:
                nodes.push_back(call(name, "torch.f" + std::to_string(i % 50),
                                     {Argument::node("x"), Argument::integer(i)}));
                break;
            case 4:
                nodes.push_back(
                    call(name, "torch.relu", {Argument::node("n" + std::to_string((i + 1) % count))}));
                break;
            default:
                nodes.push_back(call(name, "torch.f" + std::to_string(i), {Argument::node(before)}));
                break;
            }
        }
        other = nodes;
        if (kind == 0) other.resize(other.size() - 100);
        if (kind == 1) std::reverse(other.begin(), other.end());
        if (kind == 2 || kind == 3)
            for (std::size_t i = 1; i < other.size(); ++i) {
                other[i].name = "m" + std::to_string(i);
                if (kind == 2)
                    other[i].target = "torch.g" + std::to_string(i);
                else
                    other[i].args[1] = Argument::integer(-static_cast<int>(i));
                if (kind == 2 && i > 1) other[i].args[0] = Argument::node("m" + std::to_string(i - 1));
            }
        const auto a = build(nodes);
        const auto b = build(other);
        const GraphDiff d = diff::diffGraphs(*a, *b);
        QCOMPARE(problem(*a, *b, d), std::string());
        if (kind == 0) QCOMPARE(d.removed, 100U);
        if (kind == 1) QCOMPARE(d.same + d.moved, a->size());
    }

    void emptyGraphs() {
        const auto none = build({});
        const auto one = build({placeholder("x")});
        QVERIFY(diff::diffGraphs(*none, *none).identical());
        QCOMPARE(diff::diffGraphs(*none, *one).added, 1U);
        QCOMPARE(diff::diffGraphs(*one, *none).removed, 1U);
        QCOMPARE(diff::printDiff(*none, *none, diff::diffGraphs(*none, *none)),
                 std::string("+0 -0 ~0 moved 0, 0 respelled, 0 same\n"));
    }

    void undefinedNamesAndDuplicates() {
        const auto a = build(
            {call("a", "torch.f", {Argument::node("gone")}), call("a", "torch.f", {Argument::node("a")})});
        const auto b = build({call("a", "torch.f", {Argument::node("lost")})});
        QCOMPARE(problem(*a, *b, diff::diffGraphs(*a, *b)), std::string());
        QCOMPARE(diff::diffGraphs(*a, *a).same, 2U);
    }

    void deepArguments() {
        Argument deep = Argument::integer(1);
        for (int i = 0; i < 1000; ++i)
            deep = Argument::list({deep});
        const auto a = build({call("a", "torch.f", {deep})});
        QCOMPARE(problem(*a, *a, diff::diffGraphs(*a, *a)), std::string());
    }

    void spelledChanges_data() {
        QTest::addColumn<int>("change");
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("sign");
        QTest::newRow("same") << int(Change::Same) << "same"
                              << "=";
        QTest::newRow("respelled") << int(Change::Respelled) << "respelled"
                                   << "≈";
        QTest::newRow("changed") << int(Change::Changed) << "changed"
                                 << "~";
        QTest::newRow("moved") << int(Change::Moved) << "moved"
                               << "↕";
        QTest::newRow("added") << int(Change::Added) << "added"
                               << "+";
        QTest::newRow("removed") << int(Change::Removed) << "removed"
                                 << "−";
    }
    void spelledChanges() {
        QFETCH(int, change);
        QFETCH(QString, name);
        QFETCH(QString, sign);
        const auto c = static_cast<Change>(change);
        const char32_t code = diff::changeSign(c);
        QCOMPARE(QString::fromStdString(std::string(diff::changeName(c))), name);
        QCOMPARE(QString::fromUcs4(&code, 1), sign);
    }
};

QTEST_APPLESS_MAIN(TestGraphDiff)
#include "tst_diff_graph.moc"
