// SPDX-License-Identifier: BSD-3-Clause
#include "core/diff/canonical.h"
#include "core/diff/graph_diff.h"
#include "core/ir/text.h"

#include <QFile>
#include <QTest>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <random>
#include <set>

using namespace dynascope;
using diff::Change;
using diff::Evidence;
using diff::GraphDiff;
using diff::Link;
using ir::Argument;
using ir::NodeIndex;
using ir::npos;

namespace {

ir::GraphPtr read(const std::string& text) {
    auto graph = ir::readGraph(text);
    if (!graph) qFatal("%s", graph.error().toString().c_str());
    return *graph;
}

ir::GraphPtr captured(const QString& name) {
    QFile file(QStringLiteral(DYNASCOPE_TEST_DATA "/graphs/") + name);
    if (!file.open(QIODevice::ReadOnly)) qFatal("%s is missing", qPrintable(file.fileName()));
    return read(file.readAll().toStdString());
}

ir::Node call(std::string name, std::string target, std::vector<Argument> args) {
    ir::Node node;
    node.name = std::move(name);
    node.target = std::move(target);
    node.args = std::move(args);
    return node;
}

ir::Node placeholder(std::string name) {
    ir::Node node = call(name, name, {});
    node.op = ir::Op::Placeholder;
    return node;
}

ir::Node output(const std::string& name) {
    ir::Node node = call("output", "output", {Argument::tuple({Argument::node(name)})});
    node.op = ir::Op::Output;
    return node;
}

ir::GraphPtr build(const std::vector<ir::Node>& nodes) {
    ir::GraphBuilder builder;
    for (const ir::Node& node : nodes)
        builder.add(node);
    return builder.build();
}

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

/// What holds of every diff. Empty when all is well.
std::string problem(const ir::Graph& a, const ir::Graph& b, const GraphDiff& d) {
    std::vector<int> seenA(a.size(), 0);
    std::vector<int> seenB(b.size(), 0);
    for (const diff::Row& row : d.rows) {
        if (row.a != npos) ++seenA[row.a];
        if (row.b != npos) ++seenB[row.b];
        if (row.a == npos && row.b == npos) return "an empty row";
        if ((row.change == Change::Removed) != (row.b == npos)) return "a removed row with a partner";
        if ((row.change == Change::Added) != (row.a == npos)) return "an added row with a partner";
        if (row.a != npos && d.a[row.a] != row.change) return "row and node differ";
        if (row.b != npos && d.b[row.b] != row.change) return "row and node differ";
        if (row.a != npos && row.b != npos && d.partnerOfA[row.a] != row.b) return "row and partner differ";
    }
    if (std::any_of(seenA.begin(), seenA.end(), [](int n) { return n != 1; }))
        return "a node of A is not in one row";
    if (std::any_of(seenB.begin(), seenB.end(), [](int n) { return n != 1; }))
        return "a node of B is not in one row";
    for (NodeIndex i = 0; i < a.size(); ++i) {
        if (d.partnerOfA[i] != npos && d.partnerOfB[d.partnerOfA[i]] != i) return "partners do not agree";
        if ((d.a[i] == Change::Changed) != (d.detail(i) != nullptr)) return "a change without detail";
    }
    for (std::size_t k = 0; k < d.links.size(); ++k) {
        if (d.links[k].a >= a.size() || d.links[k].b >= b.size()) return "a link out of range";
        if (k > 0 && std::pair(d.links[k - 1].a, d.links[k - 1].b) >= std::pair(d.links[k].a, d.links[k].b))
            return "links are not sorted";
    }
    for (NodeIndex i = 0; i < a.size(); ++i) {
        const auto links = d.linksFromA(i);
        if (d.partnerOfA[i] != npos && std::find(links.begin(), links.end(), d.partnerOfA[i]) == links.end())
            return "a pair is not linked";
    }
    if (d.same + d.respelled + d.changed + d.moved + d.added + d.removed != d.rows.size()) return "counts";
    return {};
}

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

    void originsWithoutSourceLines_data() {
        QTest::addColumn<QString>("node");     // of the Dynamo graph
        QTest::addColumn<QString>("became");   // first and last of its forward run in the joint graph
        QTest::addColumn<QString>("backward"); // nodes of backward that must be among its images
        const auto row = [](const char* node, const char* became, const char* backward) {
            QTest::newRow(node) << QString(node) << QString(became) << QString(backward);
        };
        row("query", "transpose transpose", "");
        row("multi_head_attention_forward", "t view_8",
            "mm_16 _scaled_dot_product_flash_attention_for_cpu_backward_1 mm_14");
        row("attn_output", "view_8 view_8", "");
        row("attn_output_1", "transpose_5 transpose_5", "");
        row("dropout", "clone_2 clone_2", "");
        row("add", "add_1 add_1", "");
        row("x", "native_layer_norm getitem_4", "native_layer_norm_backward_3 getitem_28 getitem_30");
        row("linear", "view_9 view_10", "t_28 mm_12 mm_13 sum_6");
        row("relu", "relu detach_1", "detach_6 threshold_backward_1");
        row("dropout_1", "clone_3 clone_3", "");
        row("x_1", "view_11 view_12", "view_37 t_24 mm_10 mm_11 sum_5 view_39");
        row("dropout_2", "clone_4 clone_4", "");
        row("add_1", "add_2 add_2", "");
        row("x_2", "native_layer_norm_1 getitem_7", "native_layer_norm_backward_2");
        row("query_1", "transpose_6 transpose_6", "");
        row("multi_head_attention_forward_1", "t_4 view_21",
            "mm_8 mm_9 _scaled_dot_product_flash_attention_for_cpu_backward");
        row("attn_output_3", "transpose_11 transpose_11", "");
        row("x_5", "native_layer_norm_3 getitem_15", "native_layer_norm_backward getitem_16");
    }
    /// encoder_train has no stack traces: parameters, order, shapes and families tell. Checked by hand
    /// against torch.nn's own code.
    void originsWithoutSourceLines() {
        QFETCH(QString, node);
        QFETCH(QString, became);
        QFETCH(QString, backward);
        const auto a = captured("encoder_train.dynamo_output.txt");
        const auto b = captured("encoder_train.aot_joint.txt");
        const GraphDiff d = diff::diffGraphs(*a, *b);
        const auto find = [](const ir::Graph& graph, const QString& name) {
            return graph.find(name.toStdString());
        };
        const ir::NodeIndex lastForward = find(*b, "getitem_15");
        std::set<ir::NodeIndex> forward;
        std::set<ir::NodeIndex> later;
        for (const ir::NodeIndex image : d.linksFromA(find(*a, node)))
            (image <= lastForward ? forward : later).insert(image);
        const QStringList ends = became.split(' ');
        std::set<ir::NodeIndex> expected;
        for (ir::NodeIndex i = find(*b, ends[0]); i <= find(*b, ends[1]); ++i)
            expected.insert(i);
        QVERIFY2(forward == expected, qPrintable(node));
        for (const QString& name : backward.split(' ', Qt::SkipEmptyParts))
            QVERIFY2(later.contains(find(*b, name)), qPrintable(name));
        QVERIFY2(!backward.isEmpty() || later.empty(), qPrintable(node));
        // What a sum of gradients, or the gradient of a transpose, comes from is not known.
        for (const char* name : {"add_6", "add_9", "add_10", "transpose_12", "transpose_17"})
            QVERIFY2(d.linksFromB(find(*b, name)).empty(), name);
        std::size_t linked = 0;
        for (const ir::NodeIndex i : d.partnerOfA)
            linked += i != ir::npos && b->node(i).op != ir::Op::Placeholder ? 1 : 0;
        QCOMPARE(linked,
                 std::size_t(11)); // two of each layer's transposes, adds and its relu, and the output
        // How sure: what reads the node's own parameter is certain, a reshape beside it is not.
        const auto evidence = [&](const char* from, const char* to) {
            const auto at = std::find_if(d.links.begin(), d.links.end(), [&](const Link& l) {
                return l.a == find(*a, from) && l.b == find(*b, to);
            });
            return at->evidence;
        };
        QCOMPARE(evidence("linear", "addmm_1"), Evidence::Structure);
        QCOMPARE(evidence("linear", "view_9"), Evidence::Neighbourhood);
    }

    /// Without parameters to hold on to, or against the order of the program, nothing is claimed.
    void originsNeedParameters() {
        const auto a = captured("encoder_train.dynamo_output.txt");
        const auto b = captured("resnet.aot_inference.txt");
        const GraphDiff d = diff::diffGraphs(*a, *b);
        for (const Link& link : d.links)
            QVERIFY(link.evidence != Evidence::Structure || a->node(link.a).op == ir::Op::Placeholder ||
                    a->node(link.a).op == ir::Op::Output || d.partnerOfA[link.a] == link.b);
    }

    void loweringIsQuiet_data() {
        QTest::addColumn<QString>("a");
        QTest::addColumn<QString>("b");
        QTest::newRow("scalar first") << "0.5 * x"
                                      << "torch.ops.aten.mul.Tensor(x, 0.5)";
        QTest::newRow("sizes") << "x.view(2, -1)"
                               << "torch.ops.aten.view.default(x, [2, -1])";
        QTest::newRow("keyword by position") << "x.split(64, dim = 2)"
                                             << "torch.ops.aten.split.Tensor(x, 64, 2)";
        QTest::newRow("default left out") << "torch.nn.functional.relu(x, inplace = False)"
                                          << "torch.ops.aten.relu.default(x)";
        QTest::newRow("tensor index") << "x[(y, y)]"
                                      << "torch.ops.aten.index.Tensor(x, [y, y])";
        QTest::newRow("slice") << "x[(slice(None, None, None), slice(None, 1, None))]"
                               << "torch.ops.aten.slice.Tensor(x, 1, 0, 1)";
        QTest::newRow("ellipsis") << "x[(Ellipsis, slice(None, 1, None))]"
                                  << "torch.ops.aten.slice.Tensor(x, 1, 0, 1)";
        QTest::newRow("one in a list") << "x.mean(1)"
                                       << "torch.ops.aten.mean.dim(x, [1])";
        QTest::newRow("embedding") << "torch.nn.functional.embedding(x, y, None, None, 2.0, False, False)"
                                   << "torch.ops.aten.embedding.default(y, x)";
        QTest::newRow("device")
            << "torch.ones(3, device = device(type='cpu'))"
            << "torch.ops.aten.ones.default(3, device = device(type='cpu'), pin_memory = False)";
    }
    void loweringIsQuiet() {
        QFETCH(QString, a);
        QFETCH(QString, b);
        const auto text = [](const QString& call) {
            return "class m(torch.nn.Module):\n    def forward(self, x: \"f32[4, 4]\", y: \"i64[4]\"):\n     "
                   "   r: \"f32[4]\" = " +
                   call.toStdString() + "\n        return (r,)\n";
        };
        const auto left = read(text(a));
        const auto right = read(text(b));
        const GraphDiff d = diff::diffGraphs(*left, *right);
        QVERIFY2(d.respelled == 1 && d.same == 3, diff::printDiff(*left, *right, d).c_str());
    }

    void differentConstantIsNotQuiet() {
        const auto left =
            build({placeholder("x"), call("r", "operator.mul", {Argument::raw("0.5"), Argument::node("x")}),
                   output("r")});
        const auto right =
            build({placeholder("x"),
                   call("r", "torch.ops.aten.mul.Tensor", {Argument::node("x"), Argument::raw("0.25")}),
                   output("r")});
        QCOMPARE(diff::diffGraphs(*left, *right).changed, 1U);
    }

    void usersOfWhatWasLoweredAreQuiet() {
        const auto a = captured("resnet.dynamo_output.txt");
        const auto b = captured("resnet.aot_inference.txt");
        const GraphDiff d = diff::diffGraphs(*a, *b);
        QCOMPARE(d.changed, 0U);
        const auto becomes = [&](const char* name) {
            std::string list;
            for (const NodeIndex j : d.linksFromA(a->find(name)))
                list += (list.empty() ? "" : " ") + b->node(j).name;
            return list;
        };
        QCOMPARE(becomes("input_1"), std::string("convolution"));
        QCOMPARE(becomes("input_2"), std::string("_native_batch_norm_legit_no_training getitem"));
    }

    void bypassedNodeIsLinked() {
        const auto a = build({placeholder("x"), call("p", "torch.relu", {Argument::node("x")}),
                              call("q", "torch.nn.functional.dropout", {Argument::node("p")}),
                              call("r", "torch.exp", {Argument::node("q")}), output("r")});
        const auto b = build({placeholder("x"), call("p", "torch.relu", {Argument::node("x")}),
                              call("r", "torch.exp", {Argument::node("p")}), output("r")});
        const GraphDiff d = diff::diffGraphs(*a, *b);
        QCOMPARE(d.removed, 1U);
        QCOMPARE(d.linksFromA(2), std::vector<NodeIndex>{1});
        QCOMPARE(d.linksFromB(1), (std::vector<NodeIndex>{1, 2}));
    }

    void linearOfALayerBecomesItsOwnNodes() {
        // c_attn of layer 1 shares its source line with every other Conv1D of the model.
        const auto a = captured("gpt2_train.dynamo_output.txt");
        const auto b = captured("gpt2_train.aot_joint.txt");
        const GraphDiff d = diff::diffGraphs(*a, *b);
        const NodeIndex first = b->find("addmm");
        const NodeIndex fifth = b->find("addmm_4");
        QVERIFY(first != npos && fifth != npos);
        QVERIFY(d.partnerOfB[first] != npos && d.partnerOfB[fifth] != npos);
        QVERIFY(d.partnerOfB[first] < d.partnerOfB[fifth]);
    }

    void linkingIsNotAllToAll() {
        // One line, 60 removed nodes in a chain, 60 added ones.
        const auto chain = [](const std::string& target) {
            auto stack = std::make_shared<const ir::StackTrace>(ir::StackTrace{{"m.py", 7, "f", "y = g(x)"}});
            std::vector<ir::Node> nodes{placeholder("x")};
            for (int i = 0; i < 60; ++i) {
                nodes.push_back(call(target + std::to_string(i), target + std::to_string(i % 7),
                                     {Argument::node(nodes.back().name)}));
                nodes.back().stack = stack;
            }
            nodes.push_back(output(nodes.back().name));
            return build(nodes);
        };
        const auto a = chain("torch.left");
        const auto b = chain("torch.ops.aten.right");
        const GraphDiff d = diff::diffGraphs(*a, *b);
        QCOMPARE(problem(*a, *b, d), std::string());
        QCOMPARE(d.removed, 60U);
        QVERIFY2(d.links.size() <= 62 + 60, qPrintable(QString::number(d.links.size())));
        for (NodeIndex i = 1; i <= 60; ++i)
            QVERIFY(!d.linksFromA(i).empty());
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
