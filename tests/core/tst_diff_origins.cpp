// SPDX-License-Identifier: BSD-3-Clause
//
// Which node became which: as a pass recorded it, or found where nobody did.
#include "tests/core/diff_graphs.h"

#include <QTest>

#include <algorithm>
#include <random>
#include <set>

using namespace dynascope;
using namespace dynascope::test;
using diff::Change;
using diff::Evidence;
using diff::GraphDiff;
using diff::Link;
using diff::Origins;
using ir::Argument;
using ir::NodeIndex;
using ir::npos;

namespace {

ir::GraphPtr ofX(const std::string& body) {
    return read("class m(torch.nn.Module):\n    def forward(self, x):\n" + body);
}

ir::GraphPtr inPlace() {
    return ofX("        mul_ = torch.ops.aten.mul_.Tensor(x, 2)\n"
               "        add = torch.ops.aten.add.Tensor(x, 1)\n"
               "        return (add,)\n");
}

ir::GraphPtr functional() {
    return ofX("        mul = torch.ops.aten.mul.Tensor(x, 2)\n"
               "        add = torch.ops.aten.add.Tensor(mul, 1)\n"
               "        copy_ = torch.ops.aten.copy_.default(x, mul)\n"
               "        return (add,)\n");
}

/// By name, so that a test reads like a recording.
Origins origins(const ir::Graph& a, const ir::Graph& b,
                const std::vector<std::pair<std::string, std::string>>& names) {
    Origins out;
    for (const auto& [from, to] : names) {
        if (a.find(from) == npos || b.find(to) == npos) qFatal("%s, %s", from.c_str(), to.c_str());
        out.emplace_back(a.find(from), b.find(to));
    }
    return out;
}

std::vector<std::string> becameNames(const ir::Graph& a, const ir::Graph& b, const GraphDiff& d,
                                     const std::string& name) {
    std::vector<std::string> out;
    for (const NodeIndex j : d.linksFromA(a.find(name)))
        out.push_back(b.node(j).name);
    return out;
}

using Names = std::vector<std::string>;

} // namespace

class TestDiffOrigins : public QObject {
    Q_OBJECT

private slots:
    void anInPlaceOpIsChangedNotRemoved() {
        const auto a = inPlace(), b = functional();
        const Origins known = origins(*a, *b,
                                      {{"x", "x"},
                                       {"mul_", "mul"},
                                       {"mul_", "copy_"},
                                       {"add", "add"},
                                       {"output", "copy_"},
                                       {"output", "output"}});
        const GraphDiff d = diff::diffGraphs(*a, *b, known);
        QCOMPARE(d.removed, 0U);
        QCOMPARE(d.added, 1U);
        const NodeIndex mul = a->find("mul_");
        QVERIFY(d.a[mul] == Change::Changed);
        QCOMPARE(d.partnerOfA[mul], b->find("mul"));
        QCOMPARE(d.detail(mul)->front().field, std::string("target"));
        QCOMPARE(becameNames(*a, *b, d, "mul_"), (Names{"mul", "copy_"}));
        QVERIFY(d.b[b->find("copy_")] == Change::Added);
        QCOMPARE(d.partnerOfA[a->find("output")], b->find("output"));
        for (const diff::Link& link : d.links)
            QVERIFY(link.evidence == Evidence::Recorded);
        QCOMPARE(std::string(diff::evidenceName(Evidence::Recorded)), std::string("recorded"));
        // The other way round.
        const GraphDiff back = diff::diffGraphs(*b, *a, diff::inverted(known));
        QCOMPARE(back.added, 0U);
        QCOMPARE(back.removed, 1U);
        QCOMPARE(back.partnerOfB[mul], b->find("mul"));
    }

    void aWriteThatIsItselfACopy() {
        const auto a = ofX("        copy_ = torch.ops.aten.copy_.default(x, 3)\n        return (x,)\n");
        const auto b = ofX("        copy = torch.ops.aten.copy.default(x, 3)\n"
                           "        copy_ = torch.ops.aten.copy_.default(x, copy)\n"
                           "        return (copy,)\n");
        const GraphDiff d =
            diff::diffGraphs(*a, *b, origins(*a, *b, {{"copy_", "copy"}, {"copy_", "copy_"}}));
        // Its functional form, not the write-back of the same name.
        QCOMPARE(d.partnerOfA[a->find("copy_")], b->find("copy"));
        QVERIFY(d.b[b->find("copy_")] == Change::Added);
    }

    void theLastOfSeveralCarriesTheValue() {
        const auto a = ofX("        setitem = operator.setitem(x, 0, 5)\n        return (x,)\n");
        const auto b = ofX("        select = torch.ops.aten.select.int(x, 0, 0)\n"
                           "        fill = torch.ops.aten.fill.Scalar(select, 5)\n"
                           "        scatter = torch.ops.aten.select_scatter.default(x, fill, 0, 0)\n"
                           "        copy_ = torch.ops.aten.copy_.default(x, scatter)\n"
                           "        return (scatter,)\n");
        const GraphDiff d = diff::diffGraphs(*a, *b,
                                             origins(*a, *b,
                                                     {{"setitem", "select"},
                                                      {"setitem", "fill"},
                                                      {"setitem", "scatter"},
                                                      {"setitem", "copy_"},
                                                      {"output", "copy_"},
                                                      {"output", "output"}}));
        // copy_ is the output's as well, so it is not what stands for the write.
        QCOMPARE(d.partnerOfA[a->find("setitem")], b->find("scatter"));
        QCOMPARE(d.added, 3U);
    }

    void whatNobodyRecordedIsAligned() {
        const auto a = inPlace(), b = functional();
        const GraphDiff d = diff::diffGraphs(*a, *b, origins(*a, *b, {{"mul_", "mul"}}));
        QCOMPARE(d.partnerOfA[a->find("x")], b->find("x"));
        QCOMPARE(d.partnerOfA[a->find("add")], b->find("add"));
        QCOMPARE(becameNames(*a, *b, d, "mul_"), Names{"mul"});
        // Nothing known is the diff without.
        QCOMPARE(diff::printDiffJson(*a, *b, diff::diffGraphs(*a, *b, Origins())),
                 diff::printDiffJson(*a, *b, diff::diffGraphs(*a, *b)));
    }

    void mergedNodesShareOneResult() {
        const auto a = ofX("        p = torch.ops.aten.add.Tensor(x, 1)\n"
                           "        q = torch.ops.aten.add.Tensor(x, 1)\n"
                           "        r = torch.ops.aten.mul.Tensor(p, q)\n"
                           "        return (r,)\n");
        const auto b = ofX("        p = torch.ops.aten.add.Tensor(x, 1)\n"
                           "        r = torch.ops.aten.mul.Tensor(p, p)\n"
                           "        return (r,)\n");
        const GraphDiff d = diff::diffGraphs(
            *a, *b, origins(*a, *b, {{"x", "x"}, {"p", "p"}, {"q", "p"}, {"r", "r"}, {"output", "output"}}));
        QVERIFY(d.a[a->find("q")] == Change::Removed);
        QCOMPARE(becameNames(*a, *b, d, "q"), Names{"p"});
        QCOMPARE(d.partnerOfA[a->find("p")], b->find("p"));
    }

    void composes() {
        QCOMPARE(diff::composed({{0, 1}, {0, 2}, {3, 2}}, {{2, 7}, {1, 5}, {2, 5}, {9, 9}}),
                 (Origins{{0, 5}, {0, 7}, {3, 5}, {3, 7}}));
        QCOMPARE(diff::composed({}, {{0, 0}}), Origins());
        QCOMPARE(diff::inverted({{0, 5}, {4, 1}, {0, 5}}), (Origins{{1, 4}, {5, 0}}));
        // All to one, one to all: too much to say anything.
        Origins in, out;
        for (NodeIndex i = 0; i < 2000; ++i) {
            in.emplace_back(i, 0);
            out.emplace_back(0, i);
        }
        QVERIFY(diff::composed(in, out).empty());
        QCOMPARE(diff::composed(in, {{0, 3}}).size(), in.size());
    }

    void anyOriginsGiveAWholeDiff() {
        const auto a = inPlace(), b = functional();
        std::mt19937 random(7);
        for (int round = 0; round < 500; ++round) {
            Origins known;
            for (unsigned i = random() % 12; i-- > 0;)
                known.emplace_back(NodeIndex(random() % 6), random() % 9 == 0 ? npos : random() % 7);
            const GraphDiff d = diff::diffGraphs(*a, *b, known);
            std::size_t ofA = 0, ofB = 0;
            for (const diff::Row& row : d.rows) {
                ofA += row.a != npos;
                ofB += row.b != npos;
                if (row.a != npos && row.b != npos) QCOMPARE(d.partnerOfA[row.a], row.b);
            }
            QCOMPARE(ofA, a->size());
            QCOMPARE(ofB, b->size());
            for (NodeIndex i = 0; i < a->size(); ++i) {
                if (d.partnerOfA[i] == npos) continue;
                QCOMPARE(d.partnerOfB[d.partnerOfA[i]], i);
                const auto links = d.linksFromA(i);
                QVERIFY(std::find(links.begin(), links.end(), d.partnerOfA[i]) != links.end());
            }
        }
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
};

QTEST_APPLESS_MAIN(TestDiffOrigins)
#include "tst_diff_origins.moc"
