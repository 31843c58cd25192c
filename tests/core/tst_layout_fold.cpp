// SPDX-License-Identifier: BSD-3-Clause
#include "core/ir/text.h"
#include "core/layout/fold.h"
#include "core/layout/module_classes.h"
#include "core/layout/module_paths.h"
#include "core/session/input_sources.h"
#include "core/session/module_classes.h"

#include <QFile>
#include <QMap>
#include <QTest>
#include <algorithm>
#include <set>
#include <string>

using namespace dynascope;
using namespace dynascope::layout;

namespace {

QByteArray fileText(const QByteArray& name) {
    QFile file(QStringLiteral(DYNASCOPE_TEST_DATA "/graphs/") + QString::fromUtf8(name) + ".txt");
    if (!file.open(QIODevice::ReadOnly)) qFatal("%s is missing", name.constData());
    return file.readAll();
}

ir::GraphPtr parse(const std::string& text) {
    const auto graph = ir::readGraph(text);
    if (!graph) qFatal("%s", graph.error().toString().c_str());
    return *graph;
}

/// `layers` times a norm (its weight read on the third line of its function) and a linear with a residual
/// add, as Dynamo prints them, then a head.
std::string dynamoText(int layers) {
    std::string text =
        "class GraphModule(torch.nn.Module):\n    def forward(self, L_x_: \"f32[4, 8][8, 1]cpu\"";
    const auto weight = [](int layer, const char* module) {
        return "L_self_modules_layers_modules_" + std::to_string(layer) + "_modules_" + module +
               "_parameters_weight_";
    };
    const auto lower = [](std::string s) {
        s[0] = 'l';
        return s;
    };
    for (int i = 0; i < layers; ++i) {
        text +=
            ", " + weight(i, "norm") + ": \"f32[8][1]cpu\", " + weight(i, "fc") + ": \"f32[8, 8][8, 1]cpu\"";
    }
    text += ", L_self_modules_head_parameters_weight_: \"f32[2, 8][8, 1]cpu\"):\n        l_x_ = L_x_\n";
    for (int i = 0; i < layers; ++i) {
        text += "        " + lower(weight(i, "norm")) + " = " + weight(i, "norm") + "\n        " +
                lower(weight(i, "fc")) + " = " + weight(i, "fc") + "\n";
    }
    text += "        l_self_modules_head_parameters_weight_ = L_self_modules_head_parameters_weight_\n";
    std::string x = "l_x_";
    const std::string type = ": \"f32[4, 8][8, 1]cpu\" = ";
    for (int i = 0; i < layers; ++i) {
        const std::string n = std::to_string(i);
        text += "\n        # File: /m/model.py:10 in forward, code: v = x.pow(2)\n        pow_" + n + type +
                x + ".pow(2)\n";
        text += "\n        # File: /m/model.py:11 in forward, code: return v * self.weight\n        mul_" +
                n + type + "pow_" + n + " * " + lower(weight(i, "norm")) + "\n";
        text += "\n        # File: /m/model.py:40 in forward, code: h = self.fc(self.norm(x))\n        fc_" +
                n + type + "torch._C._nn.linear(mul_" + n + ", " + lower(weight(i, "fc")) + ", None)\n";
        text += "\n        # File: /m/model.py:41 in forward, code: h = h.relu()\n        relu_" + n + type +
                "fc_" + n + ".relu()\n";
        text += "\n        # File: /m/model.py:42 in forward, code: return x + h\n        add_" + n + type +
                x + " + relu_" + n + "\n";
        x = "add_" + n;
    }
    text += "\n        # File: /m/model.py:90 in forward, code: return self.head(x)\n        out: \"f32[4, "
            "2][2, 1]cpu\" = "
            "torch._C._nn.linear(" +
            x + ", l_self_modules_head_parameters_weight_, None)\n        return (out,)\n";
    return text;
}

/// "name(total) alike" of every group, children indented.
QString printed(const GroupTree& tree, GroupId id = 0, int depth = 0) {
    QString out;
    for (const GroupId child : tree.groups[id].children) {
        const Group& g = tree.groups[child];
        out += QString(depth * 2, QLatin1Char(' ')) +
               QStringLiteral("%1(%2)%3\n")
                   .arg(QString::fromStdString(g.name))
                   .arg(g.totalNodes)
                   .arg(g.alike == noGroup ? QString() : QStringLiteral(" alike"));
        out += printed(tree, child, depth + 1);
    }
    return out;
}

/// Kahn's algorithm; false when the folded picture has a cycle.
bool isAcyclic(const FoldedGraph& folded) {
    std::vector<int> in(folded.items.size(), 0);
    for (const VisibleEdge& e : folded.edges) {
        ++in[e.to];
    }
    std::vector<std::uint32_t> ready;
    for (std::uint32_t i = 0; i < in.size(); ++i) {
        if (in[i] == 0) ready.push_back(i);
    }
    std::size_t done = 0;
    while (!ready.empty()) {
        const std::uint32_t i = ready.back();
        ready.pop_back();
        ++done;
        for (const VisibleEdge& e : folded.edges) {
            if (e.from == i && --in[e.to] == 0) ready.push_back(e.to);
        }
    }
    return done == folded.items.size();
}

std::size_t edgesCrossing(const ir::Graph& graph, const FoldedGraph& folded) {
    std::size_t n = 0;
    for (ir::NodeIndex i = 0; i < graph.size(); ++i) {
        for (const ir::NodeIndex input : graph.inputs(i)) {
            n += folded.itemOfNode[i] != folded.itemOfNode[input];
        }
    }
    return n;
}

} // namespace

class TestLayoutFold : public QObject {
    Q_OBJECT
private slots:
    /// AOTAutograd numbers what the program passes; Dynamo's graph and its sources tell what it is.
    void namesOfInputs() {
        const auto read = [](const char* text) { return *ir::readGraph(text); };
        const ir::GraphPtr dynamo =
            read("class GraphModule(torch.nn.Module):\n"
                 "    def forward(self, s77: \"Sym(s77)\", L_x_: \"f32[s77, 4][4, 1]cpu\", "
                 "L_kwargs_ids_: \"i64[4][1]cpu\", L_a_b_: \"f32[4][1]cpu\", "
                 "L_n_: \"f32[2][1]cpu\"):\n"
                 "        l_x_ = L_x_\n"
                 "        l_kwargs_ids_ = L_kwargs_ids_\n"
                 "        l_a_b_ = L_a_b_\n"
                 "        l_n_ = L_n_\n"
                 "        return (l_x_, l_kwargs_ids_, l_a_b_, l_n_)\n");
        const ir::GraphPtr joint = read(
            "class inner_f(torch.nn.Module):\n"
            "    def forward(\n"
            "        self,\n"
            "        primals,\n"
            "        tangents,\n"
            "    ):\n"
            "        primals_1: \"Sym(s77)\"  # PlainAOTInput(idx=0)\n"
            "        primals_2: \"f32[s77, 4][4, 1]cpu\"  # PlainAOTInput(idx=1)\n"
            "        primals_3: \"i64[4][1]cpu\"  # PlainAOTInput(idx=2)\n"
            "        primals_4: \"f32[4][1]cpu\"  # PlainAOTInput(idx=3)\n"
            "        primals_5: \"f32[2][1]cpu\"  # PlainAOTInput(idx=4)\n"
            "        primals_6: \"f32[2][1]cpu\"  # ViewBaseAOTInput(base_of=PlainAOTInput(idx=4))\n"
            "        primals_7: \"f64[3, 3][3, 1]cpu\"  # PlainAOTInput(idx=1)\n"
            "        primals_8: \"f32[2][1]cpu\"  # PlainAOTInput(idx=99)\n"
            "        tangents_1: \"f32[4][1]cpu\"  # TangentAOTInput(output=PlainAOTOutput(idx=0))\n"
            "        primals_1, primals_2, primals_3, primals_4, primals_5, primals_6, primals_7, primals_8, "
            "tangents_1, = fx_pytree.tree_flatten_spec([primals, tangents], self._in_spec)\n"
            "        return (primals_2,)\n");
        const std::vector<std::string> sources{"L['x']", "L['kwargs']['ids']", "L['a'].b", "L['a_b']"};
        using Names = std::vector<std::string>;
        QCOMPARE(session::inputNames(*dynamo, nullptr, sources), (Names{"", "x", "kwargs['ids']", "", ""}));
        QCOMPARE(session::inputNames(*dynamo, dynamo.get(), sources),
                 (Names{"", "x", "kwargs['ids']", "", ""}));
        // No symbol, no base, no other tensor, and none of two that Dynamo spells alike; Dynamo's own name where no
        // source is described.
        QCOMPARE(session::inputNames(*joint, dynamo.get(), sources),
                 (Names{"", "x", "kwargs['ids']", "", "l_n_", "", "", "", ""}));
        QCOMPARE(session::inputNames(*joint, nullptr, sources), Names(9));
    }

    /// What guards on types say of modules; a name that has two classes has none.
    void classesOfGuards() {
        const auto guard = [](const char* source, const std::string& rest, const char* type = "TYPE_MATCH") {
            return session::Guard{2,      type, std::string("___check_type_id(") + source + ", 94), " + rest,
                                  source, {},   {}};
        };
        const std::vector<session::Guard> guards{
            guard("L['self']._modules['model']._modules['layers']._modules['3']",
                  "type=<class 'transformers.models.llama.modeling_llama.LlamaDecoderLayer'>"),
            guard("L['self']._modules['norm']", "type=<class 'RMSNorm'>"),
            guard("L['self']._modules['norm']._parameters['weight']", "type=<class 'torch.nn.Parameter'>"),
            guard("L['self']._modules['norm'].training", "type=<class 'bool'>"),
            guard("L['self']._modules", "type=<class 'dict'>"),
            guard("L['a']._modules['head']", "type=<class 'A'>"),
            guard("L['b']._modules['head']", "type=<class 'B'>"),
            guard("L['self']._modules['cut']", "type=<class 'tor"),
            guard("L['self']._modules['other']", "type=<class 'C'>", "ID_MATCH"),
        };
        const session::ModuleClasses classes = session::moduleClasses(guards);
        QCOMPARE(classes.size(), std::size_t(2));
        QCOMPARE(classes.at("model.layers.3"), std::string("LlamaDecoderLayer"));
        QCOMPARE(classes.at("norm"), std::string("RMSNorm"));
    }

    /// Forward, backward and the second block of a module are of the same class; a run that is not of one has none.
    void classesOfBlocks() {
        using Kind = layout::Group::Kind;
        layout::GroupTree tree;
        const auto add = [&tree](layout::GroupId parent, Kind kind, const char* name) {
            layout::Group group;
            group.kind = kind;
            group.name = name;
            group.parent = parent;
            const auto id = layout::GroupId(tree.groups.size());
            tree.groups.push_back(group);
            if (parent != layout::noGroup) tree.groups[parent].children.push_back(id);
            return id;
        };
        add(layout::noGroup, Kind::Root, "");
        const auto forward = add(0, Kind::Module, "forward"), backward = add(0, Kind::Module, "backward");
        const auto first = add(forward, Kind::Module, "layers.0"),
                   second = add(forward, Kind::Module, "layers.1");
        const auto again = add(forward, Kind::Module, "layers.1 (2)"),
                   run = add(backward, Kind::Run, "nodes 1-9");
        const auto below = add(run, Kind::Module, "layers.0"), line = add(below, Kind::SourceLine, "m.py:3");
        const auto inner = add(line, Kind::Module, "norm");
        tree.groups[first].alike = tree.groups[second].alike = first;
        layout::nameClasses(tree, {{"layers.0", "Block"}, {"layers.1", "Block"}, {"layers.0.norm", "Norm"}});
        for (const auto id : {first, second, again, below})
            QCOMPARE(tree.groups[id].className, std::string("Block"));
        QCOMPARE(tree.groups[inner].className, std::string("Norm"));
        QVERIFY(tree.groups[forward].className.empty() && tree.groups[line].className.empty());
        QCOMPARE(layout::classOfRun(tree, first, 2), std::string("Block"));
        tree.groups[second].className = "Other";
        QCOMPARE(layout::classOfRun(tree, first, 2), std::string());
        // An exported graph says it in its notes.
        ir::GraphBuilder builder;
        ir::Node node;
        node.name = "linear";
        node.note = "module layers.0.self_attn (MultiheadAttention)";
        builder.add(node);
        const layout::ModuleClasses notes = layout::recordedClasses(*builder.build());
        QCOMPARE(notes.at("layers.0.self_attn"), std::string("MultiheadAttention"));
    }

    void readsHints_data();
    void readsHints();
    void hintsOfAotGraphsComeFromDynamo();
    void findsModulesAndRepeats();
    void modulesOfOneCallAreNamed();
    void foldingKeepsEveryNodeAndEdge();
    void opensAStackMember();
    void modulesAreTheTrueOnes_data();
    void modulesAreTheTrueOnes();
    void activationsAreNoParameters();
    void moduleCalledTwiceMakesNoCycle();
    void jointGraphHasTwoHalves();
    void groupsByLineWithoutHints();
    void smallGraphStaysFlat();
    void budgetDecidesWhatOpens();
    void endlessModuleNamesAreCut();
    void manyNeighboursAreFolded();
    void inputsFoldToOneBlock();
    void savedTensorsAreToldFromTangents();
    void helperFunctionsAreBlocks();
    void turnsOfALoopAreAlike();
    void oneOfAnotherKindStaysInTheStack();
    void layersOfOtherSizesAreAStack();
    void kernelsAreBlocksInTheirModules();
    void theLargestOpensFirst();
};

void TestLayoutFold::readsHints_data() {
    QTest::addColumn<QString>("target");
    QTest::addColumn<QString>("hint");
    QTest::newRow("dynamo")
        << "L_self_modules_model_modules_layers_modules_0_modules_self_attn_modules_q_proj_parameters_weight_"
        << "model.layers.0.self_attn.q_proj.weight";
    QTest::newRow("dynamo buffer") << "L_s_buffers_k_"
                                   << "k";
    QTest::newRow("dynamo root parameter") << "L_fn_parameters_scale_"
                                           << "scale";
    QTest::newRow("model in a global")
        << "G_m_modules_stages_modules_0_modules_0_modules_qkv_parameters_weight_"
        << "stages.0.0.qkv.weight";
    QTest::newRow("global input") << "G_scale_"
                                  << "";
    QTest::newRow("dynamo input") << "L_args_0_"
                                  << "";
    QTest::newRow("attribute with underscores") << "L_m_modules_in_proj_out_parameters_in_proj_bias_"
                                                << "in_proj_out.in_proj_bias";
    QTest::newRow("export") << "p_layers_0_self_attn_in_proj_weight"
                            << "layers.0.self_attn.in_proj_weight";
    QTest::newRow("export plain") << "p_linear1_bias"
                                  << "linear1.bias";
    QTest::newRow("export buffer") << "b_bn_running_mean"
                                   << "bn.running_mean";
    QTest::newRow("none") << "x"
                          << "";
}

void TestLayoutFold::readsHints() {
    QFETCH(QString, target);
    QFETCH(QString, hint);
    ir::GraphBuilder builder;
    ir::Node node;
    node.name = "n";
    node.op = ir::Op::Placeholder;
    node.target = target.toStdString();
    builder.add(node);
    QCOMPARE(QString::fromStdString(moduleHints(*builder.build()).front()), hint);
}

void TestLayoutFold::hintsOfAotGraphsComeFromDynamo() {
    const ir::GraphPtr dynamo = parse(dynamoText(1));
    const ir::GraphPtr aot = parse(R"(class <lambda>(torch.nn.Module):
    def forward(
        self,
        arg0_1: "f32[4, 8][8, 1]cpu",  # PlainAOTInput(idx=0)
        arg1_1: "f32[8][1]cpu",  # PlainAOTInput(idx=1)
        arg2_1: "f32[9, 9][9, 1]cpu",  # PlainAOTInput(idx=2)
        arg7_1: "f32[2, 8][8, 1]cpu",  # PlainAOTInput(idx=70)
    ):
        mul: "f32[4, 8][8, 1]cpu" = torch.ops.aten.mul.Tensor(arg0_1, arg1_1)
        return (mul,)
)");
    const std::vector<std::string> hints = moduleHints(*aot, dynamo.get());
    QCOMPARE(hints[0], std::string());
    QCOMPARE(hints[1], std::string("layers.0.norm.weight"));
    // Another shape is another tensor, and there is no input 70.
    QCOMPARE(hints[2], std::string());
    QCOMPARE(hints[3], std::string());
    QCOMPARE(moduleHints(*aot)[1], std::string());
}

void TestLayoutFold::findsModulesAndRepeats() {
    const ir::GraphPtr graph = parse(dynamoText(3));
    const GroupTree tree = groupNodes(*graph, moduleHints(*graph));
    // The weight of a linear stands beside it: one call is no block. The residual add of the last layer is
    // still its own.
    QCOMPARE(printed(tree), QStringLiteral("layers.0(7) alike\n  norm(3)\n"
                                           "layers.1(7) alike\n  norm(3)\n"
                                           "layers.2(7) alike\n  norm(3)\n"));
    QCOMPARE(tree.groups[0].totalNodes, graph->size());
    QCOMPARE(tree.groupOfNode.size(), graph->size());
    const GroupId norm = tree.groupOfNode[graph->find("pow_1")];
    QCOMPARE(tree.groups[norm].path, std::string("layers.1.norm"));
    QCOMPARE(tree.groups[norm].detail, std::string("pow, mul"));
    QCOMPARE(tree.depth(norm), 2);
    QCOMPARE(tree.groups[tree.groupOfNode[graph->find("add_2")]].path, std::string("layers.2"));
}

/// What has no block has its module's name all the same.
void TestLayoutFold::modulesOfOneCallAreNamed() {
    const ir::GraphPtr graph = parse(dynamoText(3));
    const GroupTree tree = groupNodes(*graph, moduleHints(*graph));
    QCOMPARE(tree.loneModule(graph->find("fc_1")), std::string("fc"));
    QCOMPARE(tree.loneModule(graph->find("out")), std::string("head"));
    for (const char* other : {"pow_1", "mul_1", "relu_1", "add_1", "l_x_"})
        QVERIFY2(tree.loneModule(graph->find(other)).empty(), other);
    const std::vector<std::string> names = moduleNames(tree);
    QCOMPARE(names[graph->find("fc_1")], std::string("layers.1.fc"));
    QCOMPARE(names[graph->find("out")], std::string("head"));
    QCOMPARE(names[graph->find("relu_1")], std::string("layers.1"));
}

void TestLayoutFold::foldingKeepsEveryNodeAndEdge() {
    const ir::GraphPtr graph = parse(dynamoText(5));
    const GroupTree tree = groupNodes(*graph, moduleHints(*graph));
    std::set<GroupId> open;
    for (GroupId id = 0; id <= tree.groups.size(); ++id) {
        const FoldedGraph folded = fold(*graph, tree, open);
        QVERIFY(isAcyclic(folded));
        std::size_t edges = 0;
        for (const VisibleEdge& e : folded.edges) {
            QVERIFY(e.from < folded.items.size() && e.to < folded.items.size() && e.from != e.to);
            edges += e.count;
        }
        QCOMPARE(edges, edgesCrossing(*graph, folded));
        for (const std::uint32_t item : folded.itemOfNode) {
            QVERIFY(item < folded.items.size());
        }
        QCOMPARE(folded.open.size(), folded.openParent.size());
        open.insert(id);
    }
    // All open: one item a node.
    QCOMPARE(fold(*graph, tree, open).items.size(), graph->size());
}

void TestLayoutFold::opensAStackMember() {
    const ir::GraphPtr graph = parse(dynamoText(5));
    const GroupTree tree = groupNodes(*graph, moduleHints(*graph));
    const auto stacks = [](const FoldedGraph& f) {
        QStringList out;
        for (const VisibleItem& item : f.items) {
            if (item.kind == VisibleItem::Kind::Stack) out << QString::number(item.alike);
        }
        return out.join(QLatin1Char(' '));
    };
    QCOMPARE(stacks(fold(*graph, tree, {})), QStringLiteral("5"));
    const GroupId third = tree.groups[0].children[2];
    const FoldedGraph folded = fold(*graph, tree, {third});
    QCOMPARE(stacks(folded), QStringLiteral("2 2"));
    QCOMPARE(folded.open, std::vector<GroupId>{third});
    QVERIFY(isAcyclic(folded));
}

void TestLayoutFold::modulesAreTheTrueOnes_data() {
    QTest::addColumn<QByteArray>("graph");
    QTest::addColumn<QByteArray>("dynamo");
    QTest::addColumn<double>("right");   // share of nodes in the module that the golden file names
    QTest::addColumn<double>("grouped"); // share of nodes inside some block
    // No source lines: only the parameters and the data flow tell.
    QTest::newRow("encoder_train, joint")
        << QByteArray("encoder_train.aot_joint") << QByteArray("encoder_train.dynamo_output") << 0.98 << 0.99;
    // lm_head shares its weight with wte, so its nine nodes count as wte's.
    QTest::newRow("gpt2_train, backward")
        << QByteArray("gpt2_train.aot_backward") << QByteArray("gpt2_train.dynamo_output") << 0.9 << 0.97;
}

void TestLayoutFold::modulesAreTheTrueOnes() {
    QFETCH(QByteArray, graph);
    QFETCH(QByteArray, dynamo);
    QFETCH(double, right);
    QFETCH(double, grouped);
    const ir::GraphPtr subject = parse(fileText(graph).toStdString());
    const ir::GraphPtr source = parse(fileText(dynamo).toStdString());
    const auto hints = moduleHints(*subject, source.get());
    const ModulePaths paths = inferModules(*subject, hints);
    const GroupTree tree = groupNodes(*subject, hints);
    const auto name = [&paths](PathId id) {
        QByteArray text;
        for (; id != rootPath; id = paths.table.parent(id))
            text = QByteArray::fromStdString(paths.table.component(id)) + (text.isEmpty() ? "" : ".") + text;
        return text.isEmpty() ? QByteArray("-") : text;
    };
    double nodes = 0;
    double hits = 0;
    double inside = 0;
    QStringList misses;
    for (const QByteArray& line : fileText(graph + ".modules").split('\n')) {
        if (line.isEmpty() || line.startsWith('#')) continue;
        const auto words = line.split(' ');
        const ir::NodeIndex node = subject->find(words[0].toStdString());
        QVERIFY2(node != ir::npos, words[0]);
        ++nodes;
        const QByteArray found = name(paths.ofNode[node]);
        if (found == words[1])
            ++hits;
        else
            misses << words[0] + ": " + found + ", not " + words[1];
        const Group* group = &tree.groups[tree.groupOfNode[node]];
        while (group->kind != Group::Kind::Module && group->parent != noGroup)
            group = &tree.groups[group->parent]; // out of helper functions and inputs
        if (group->kind == Group::Kind::Module && group->name != "forward" && group->name != "backward")
            ++inside;
    }
    QVERIFY(nodes > 100);
    QVERIFY2(hits >= right * nodes, qPrintable(misses.join('\n')));
    QVERIFY2(inside >= grouped * nodes, qPrintable(QString::number(inside / nodes)));
    qInfo("%.1f %% right, %.1f %% inside a block, of %.0f nodes", 100 * hits / nodes, 100 * inside / nodes,
          nodes);
}

/// What an op with several results returns is not a weight, whoever reads it.
void TestLayoutFold::activationsAreNoParameters() {
    const ir::GraphPtr graph = parse(R"(graph():
    %p_a_weight : [num_users=1] = placeholder[target=p_a_weight]
    %p_b_weight : [num_users=1] = placeholder[target=p_b_weight]
    %x : [num_users=1] = placeholder[target=x]
    %norm : [num_users=2] = call_function[target=torch.ops.aten.native_layer_norm.default](args = (%x, [8], %p_a_weight), kwargs = {})
    %getitem : [num_users=1] = call_function[target=operator.getitem](args = (%norm, 0), kwargs = {})
    %getitem_1 : [num_users=1] = call_function[target=operator.getitem](args = (%norm, 1), kwargs = {})
    %t : [num_users=1] = call_function[target=torch.ops.aten.t.default](args = (%p_b_weight,), kwargs = {})
    %mm : [num_users=1] = call_function[target=torch.ops.aten.mm.default](args = (%getitem, %t), kwargs = {})
    return (mm, getitem_1))");
    const ModulePaths paths = inferModules(*graph, moduleHints(*graph));
    const auto module = [&](const char* node) {
        return paths.table.component(paths.ofNode[graph->find(node)]);
    };
    QCOMPARE(module("getitem_1"), std::string("a"));
    QCOMPARE(module("t"), std::string("b"));
    QCOMPARE(module("mm"), std::string("b"));
}

void TestLayoutFold::moduleCalledTwiceMakesNoCycle() {
    const ir::GraphPtr graph = parse(R"(class GraphModule(torch.nn.Module):
    def forward(self, L_x_: "f32[4]", L_self_modules_a_parameters_weight_: "f32[4]", L_self_modules_b_parameters_weight_: "f32[4]"):
        l_x_ = L_x_
        l_self_modules_a_parameters_weight_ = L_self_modules_a_parameters_weight_
        l_self_modules_b_parameters_weight_ = L_self_modules_b_parameters_weight_
        a1: "f32[4]" = l_x_ * l_self_modules_a_parameters_weight_
        a2: "f32[4]" = a1 + l_self_modules_a_parameters_weight_
        b1: "f32[4]" = a2 * l_self_modules_b_parameters_weight_
        b2: "f32[4]" = b1 + l_self_modules_b_parameters_weight_
        a3: "f32[4]" = b2 * l_self_modules_a_parameters_weight_
        a4: "f32[4]" = a3 + l_self_modules_a_parameters_weight_
        return (a4,)
)");
    const GroupTree tree = groupNodes(*graph, moduleHints(*graph));
    QCOMPARE(printed(tree), QStringLiteral("a(2)\nb(2)\na (2)(2)\n"));
    QVERIFY(isAcyclic(fold(*graph, tree, {})));
}

void TestLayoutFold::jointGraphHasTwoHalves() {
    const ir::GraphPtr dynamo = parse(dynamoText(1));
    const ir::GraphPtr joint = parse(R"(class inner_f(torch.nn.Module):
    def forward(
        self,
        primals,
        tangents,
    ):
        primals_1: "f32[4, 8][8, 1]cpu"  # PlainAOTInput(idx=0)
        primals_2: "f32[8][1]cpu"  # PlainAOTInput(idx=1)
        tangents_1: "f32[4, 8][8, 1]cpu"  # TangentAOTInput(output=PlainAOTOutput(idx=0))
        primals_1, primals_2, tangents_1, = fx_pytree.tree_flatten_spec([primals, tangents], self._in_spec)
        pow_1: "f32[4, 8][8, 1]cpu" = torch.ops.aten.pow.Tensor_Scalar(primals_1, 2)
        mul: "f32[4, 8][8, 1]cpu" = torch.ops.aten.mul.Tensor(pow_1, primals_2)
        add: "f32[4, 8][8, 1]cpu" = torch.ops.aten.add.Tensor(mul, primals_2)
        mul_1: "f32[4, 8][8, 1]cpu" = torch.ops.aten.mul.Tensor(tangents_1, primals_2)
        mul_2: "f32[4, 8][8, 1]cpu" = torch.ops.aten.mul.Tensor(mul_1, primals_2)
        return pytree.tree_unflatten([add, mul_2, None], self._out_spec)
)");
    const GroupTree tree = groupNodes(*joint, moduleHints(*joint, dynamo.get()));
    QStringList halves;
    for (const GroupId id : tree.groups[0].children) {
        halves << QString::fromStdString(tree.groups[id].name);
    }
    QCOMPARE(halves.join(QLatin1Char(' ')), QStringLiteral("forward backward"));
    const GroupId backward = tree.groups[0].children[1];
    for (const char* name : {"mul_1", "mul_2"}) {
        GroupId g = tree.groupOfNode[joint->find(name)];
        while (tree.groups[g].parent != 0) {
            g = tree.groups[g].parent;
        }
        QCOMPARE(g, backward);
    }
    QVERIFY(isAcyclic(fold(*joint, tree, {})));
}

void TestLayoutFold::groupsByLineWithoutHints() {
    std::string text = "class GraphModule(torch.nn.Module):\n    def forward(self, L_x_: \"f32[4]\"):\n      "
                       "  l_x_ = L_x_\n";
    std::string x = "l_x_";
    for (int i = 0; i < 90; ++i) {
        if (i % 9 == 0)
            text += "\n        # File: /m/f.py:" + std::to_string(5 + i / 9) + " in f, code: x = g(x)\n";
        const std::string name = "n" + std::to_string(i);
        text += "        " + name + ": \"f32[4]\" = " + x + ".sin()\n";
        x = name;
    }
    const ir::GraphPtr graph = parse(text + "        return (" + x + ",)\n");
    const GroupTree tree = groupNodes(*graph);
    QCOMPARE(tree.groups[0].children.size(), std::size_t(10));
    const Group& first = tree.groups[tree.groups[0].children.front()];
    QCOMPARE(first.name, std::string("f.py:5"));
    QCOMPARE(first.detail, std::string("x = g(x)"));
    QVERIFY(first.kind == Group::Kind::SourceLine);
    QCOMPARE(first.totalNodes, std::size_t(9));
}

void TestLayoutFold::smallGraphStaysFlat() {
    const ir::GraphPtr graph =
        parse("graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
              "    %y : [num_users=1] = call_function[target=torch.sin](args = (%x,), kwargs = {})\n"
              "    return y");
    const GroupTree tree = groupNodes(*graph);
    QCOMPARE(tree.groups.size(), std::size_t(1));
    const FoldedGraph folded = fold(*graph, tree, initialOpen(tree));
    QCOMPARE(folded.items.size(), graph->size());
    QVERIFY(folded.open.empty());
}

void TestLayoutFold::budgetDecidesWhatOpens() {
    const ir::GraphPtr graph = parse(dynamoText(1));
    const GroupTree tree = groupNodes(*graph, moduleHints(*graph));
    // One layer is no stack, so it may open, and its norm inside.
    QCOMPARE(initialOpen(tree, 100).size(), std::size_t(2));
    QCOMPARE(initialOpen(tree, 1).size(), std::size_t(0));
    const ir::GraphPtr many = parse(dynamoText(6));
    const GroupTree stacked = groupNodes(*many, moduleHints(*many));
    QCOMPARE(initialOpen(stacked, 1000).size(), std::size_t(0));
}

void TestLayoutFold::endlessModuleNamesAreCut() {
    const ir::GraphPtr graph =
        parse("graph():\n    %w : [num_users=2] = placeholder[target=w]\n"
              "    %y : [num_users=1] = call_function[target=torch.mul](args = (%w, %w), kwargs = {})\n"
              "    %z : [num_users=1] = call_function[target=torch.mul](args = (%y, %w), kwargs = {})\n"
              "    return z");
    std::string name;
    for (int i = 0; i < 100'000; ++i) {
        name += "a.";
    }
    const GroupTree tree = groupNodes(*graph, {name + "weight"});
    QVERIFY(tree.groups.size() <= 102);
    std::set<GroupId> all;
    for (GroupId id = 1; id < tree.groups.size(); ++id) {
        all.insert(id);
    }
    QCOMPARE(fold(*graph, tree, all).items.size(), graph->size());
}

/// A graph whose nodes say nothing of modules or lines is drawn as runs of neighbours.
void TestLayoutFold::manyNeighboursAreFolded() {
    constexpr int inputs = 1500, calls = 30'000;
    ir::GraphBuilder builder;
    for (int i = 0; i < inputs; ++i) {
        ir::Node node;
        node.op = ir::Op::Placeholder;
        node.name = node.target = "x" + std::to_string(i);
        builder.add(std::move(node));
    }
    for (int i = 0; i < calls; ++i) {
        ir::Node node;
        node.name = "add_" + std::to_string(i);
        node.target = "torch.ops.aten.add.Tensor";
        node.args = {ir::Argument::node(i == 0 ? "x0" : "add_" + std::to_string(i - 1)),
                     ir::Argument::node("x" + std::to_string(i % inputs))};
        builder.add(std::move(node));
    }
    const ir::GraphPtr graph = builder.build();
    const GroupTree tree = groupNodes(*graph);
    std::set<std::string> paths;
    std::size_t nodes = 0;
    for (GroupId id = 0; id < tree.groups.size(); ++id) {
        const Group& group = tree.groups[id];
        QVERIFY(paths.insert(group.path).second);
        QVERIFY(group.nodes.size() + group.children.size() <= 100);
        nodes += group.nodes.size();
        std::size_t below = group.nodes.size();
        for (const GroupId child : group.children) {
            QVERIFY(child > id);
            QCOMPARE(tree.groups[child].parent, id);
            below += tree.groups[child].totalNodes;
        }
        QCOMPARE(group.totalNodes, below);
        if (id > 0)
            QVERIFY(group.kind == Group::Kind::Run ||
                    (group.kind == Group::Kind::Inputs && group.name == "inputs"));
        for (const ir::NodeIndex n : group.nodes)
            QCOMPARE(tree.groupOfNode[n], id);
    }
    QCOMPARE(nodes, graph->size());
    const FoldedGraph closed = fold(*graph, tree, {});
    QVERIFY(closed.items.size() > 1 && closed.items.size() <= 100);
    // Runs of a list that is in order make no cycle.
    for (const VisibleEdge& edge : closed.edges)
        QVERIFY(edge.from < edge.to);
    QVERIFY(fold(*graph, tree, initialOpen(tree, 60)).items.size() <= 200);
    std::set<GroupId> all;
    for (GroupId id = 1; id < tree.groups.size(); ++id)
        all.insert(id);
    QCOMPARE(fold(*graph, tree, all).items.size(), graph->size());
}

namespace {

/// An FX graph, one line after the other; a node of `file:line in function` where they are given.
class Program {
public:
    void input(const std::string& name) {
        ir::Node node;
        node.op = ir::Op::Placeholder;
        node.name = node.target = name;
        node.meta = ir::ValueMeta{ir::TensorMeta{"f32", {"4"}, {}, "cpu"}, {}};
        m_builder.add(std::move(node));
    }
    std::string call(const std::string& op, const std::vector<std::string>& args, const std::string& function,
                     std::uint32_t line) {
        ir::Node node;
        node.name = op + "_" + std::to_string(m_calls++);
        node.target = "torch.ops.aten." + op + ".default";
        for (const std::string& arg : args)
            node.args.push_back(ir::Argument::node(arg));
        node.stack = std::make_shared<const ir::StackTrace>(
            ir::StackTrace{{"/m/helpers.py", line, function, "x = f(x)"}});
        const std::string name = node.name;
        m_builder.add(std::move(node));
        return name;
    }
    ir::GraphPtr done() { return m_builder.build(); }

private:
    ir::GraphBuilder m_builder;
    int m_calls = 0;
};

} // namespace

/// A row of parameters says less than one block with their number and bytes.
void TestLayoutFold::inputsFoldToOneBlock() {
    Program p;
    std::vector<std::string> hints;
    for (int i = 0; i < 3; ++i) {
        p.input("primals_" + std::to_string(i + 1));
        hints.push_back("head." + std::string(i == 0 ? "weight" : i == 1 ? "bias" : "scale"));
    }
    for (int i = 3; i < 9; ++i) {
        p.input("primals_" + std::to_string(i + 1));
        hints.emplace_back();
    }
    std::string x = "primals_4";
    for (int i = 0; i < 9; ++i)
        x = p.call("add", {x, "primals_" + std::to_string(i + 1)}, "forward", 10);
    const ir::GraphPtr graph = p.done();
    const GroupTree tree = groupNodes(*graph, hints);
    QMap<QString, QString> details;
    for (const Group& group : tree.groups)
        if (group.kind == Group::Kind::Inputs)
            details[QString::fromStdString(group.path)] =
                QString::number(group.totalNodes) + ' ' + QString::fromStdString(group.detail);
    QCOMPARE(details.value("inputs"), QStringLiteral("6 96 B"));
    QCOMPARE(details.size(), 2);
    QVERIFY2(details.contains("head.state"), qPrintable(details.keys().join(',')));
    QCOMPARE(details.value("head.state"), QStringLiteral("3 parameters and buffers, 48 B"));
    QCOMPARE(tree.stateName(0), std::string("head.weight"));
    QVERIFY(tree.stateName(5).empty() && tree.stateName(99).empty());
    // They are no part of the order, so they make no cycle, and never open by themselves.
    QVERIFY(isAcyclic(fold(*graph, tree, {})));
    for (const GroupId open : initialOpen(tree, 1000))
        QVERIFY(tree.groups[open].kind != Group::Kind::Inputs);
}

/// What a backward graph takes: what forward saved is told from tangents and from parameters.
void TestLayoutFold::savedTensorsAreToldFromTangents() {
    Program p;
    for (const char* name : {"mul_1", "mul_2", "mul_3", "tangents_1", "tangents_2", "tangents_3"})
        p.input(name);
    std::string x = "tangents_1";
    for (const char* name : {"mul_1", "mul_2", "mul_3", "tangents_2", "tangents_3"})
        x = p.call("mul", {x, name}, "forward", 10);
    QStringList names;
    for (const Group& group : groupNodes(*p.done()).groups)
        if (group.kind == Group::Kind::Inputs) names << QString::fromStdString(group.name);
    names.sort();
    QCOMPARE(names.join(','), QStringLiteral("saved tensors,tangents"));
}

/// The calls of a helper function are a block, from its first to its last, with what it called.
void TestLayoutFold::helperFunctionsAreBlocks() {
    Program p;
    p.input("x");
    std::string x = p.call("sin", {"x"}, "forward", 5);
    for (int i = 0; i < 2; ++i)
        x = p.call("mul", {x}, "rotary", 20);
    for (int i = 0; i < 2; ++i)
        x = p.call("neg", {x}, "rotate_half", 30);
    x = p.call("add", {x}, "rotary", 21);
    for (int round = 0; round < 2; ++round)
        for (int i = 0; i < 3; ++i)
            x = p.call("expand", {x}, round == 0 ? "repeat_kv" : "mask", 40 + std::uint32_t(i));
    x = p.call("cos", {x}, "forward", 6);
    const ir::GraphPtr graph = p.done();
    const GroupTree tree = groupNodes(*graph);
    QCOMPARE(printed(tree), QStringLiteral("rotary(5)\nrepeat_kv(3)\nmask(3)\n"));
    QCOMPARE(tree.groups[1].detail, std::string("helpers.py:20"));
    QVERIFY(isAcyclic(fold(*graph, tree, {})));
}

/// An optimizer's loop over parameters: turns that differ in sizes only are one stack, and what follows the
/// loop is no part of it.
void TestLayoutFold::turnsOfALoopAreAlike() {
    Program p;
    p.input("x");
    std::string x = p.call("sin", {"x"}, "step", 3);
    for (int turn = 0; turn < 5; ++turn) {
        x = p.call("mul", {x}, "step", 10);
        x = p.call("add", {x}, "step", 11);
        if (turn == 3) x = p.call("neg", {x}, "step", 11);
        x = p.call("div", {x}, "step", 12);
    }
    for (int i = 0; i < 8; ++i)
        p.call("copy_", {"x"}, "step", 10);
    const ir::GraphPtr graph = p.done();
    const GroupTree tree = groupNodes(*graph);
    QCOMPARE(printed(tree),
             QStringLiteral("step.0(3) alike\nstep.1(3) alike\nstep.2(3) alike\nstep.3(4) alike\n"
                            "step.4(3) alike\naten.copy_.default(8)\n"));
    QCOMPARE(stackText(tree, 1, 5), std::string("all but [3] alike, 3 nodes each"));
    const FoldedGraph folded = fold(*graph, tree, {});
    QCOMPARE(folded.items[2].alike, std::size_t(5));
    QVERIFY(folded.items[2].kind == VisibleItem::Kind::Stack);
    QVERIFY(isAcyclic(folded));
}

/// One layer of another kind does not part a stack, and its text says which.
void TestLayoutFold::oneOfAnotherKindStaysInTheStack() {
    std::string text = dynamoText(6);
    const std::string plain = "relu_2: \"f32[4, 8][8, 1]cpu\" = fc_2.relu()";
    QVERIFY(text.find(plain) != std::string::npos);
    text.replace(text.find(plain), plain.size(), "relu_2: \"f32[4, 8][8, 1]cpu\" = fc_2.tanh()");
    const ir::GraphPtr graph = parse(text);
    const GroupTree tree = groupNodes(*graph, moduleHints(*graph));
    const FoldedGraph folded = fold(*graph, tree, {});
    const auto stack = std::find_if(folded.items.begin(), folded.items.end(), [](const VisibleItem& item) {
        return item.kind == VisibleItem::Kind::Stack;
    });
    QVERIFY(stack != folded.items.end());
    QCOMPARE(stack->alike, std::size_t(6));
    QCOMPARE(stackText(tree, stack->group, 6), std::string("all but [2] alike, 7 nodes each"));
    QCOMPARE(stackText(tree, stack->group, 2), std::string("2 alike, 7 nodes each"));
}

/// The stages of a convolutional network have the same modules at other sizes: they are one stack.
void TestLayoutFold::layersOfOtherSizesAreAStack() {
    std::string text = dynamoText(4);
    for (int layer = 0; layer < 4; ++layer) {
        const std::string name = "relu_" + std::to_string(layer) + ": \"f32[4, 8][8, 1]cpu\"";
        const std::size_t at = text.find(name);
        QVERIFY(at != std::string::npos);
        const std::string size = std::to_string(8 << layer);
        text.replace(at, name.size(),
                     "relu_" + std::to_string(layer) + ": \"f32[4, " + size + "][" + size + ", 1]cpu\"");
    }
    const ir::GraphPtr graph = parse(text);
    const GroupTree tree = groupNodes(*graph, moduleHints(*graph));
    const FoldedGraph folded = fold(*graph, tree, {});
    const auto stack = std::find_if(folded.items.begin(), folded.items.end(), [](const VisibleItem& item) {
        return item.kind == VisibleItem::Kind::Stack;
    });
    QVERIFY(stack != folded.items.end());
    QCOMPARE(stack->alike, std::size_t(4));
    QCOMPARE(stackText(tree, stack->group, 4), std::string("4 alike but for sizes, 7 nodes each"));
    QVERIFY(isAcyclic(folded));
}

/// A kernel is a block in the innermost module that holds all of it, and no cycle comes of it; what two kernels
/// compute is in neither.
void TestLayoutFold::kernelsAreBlocksInTheirModules() {
    const ir::GraphPtr graph = parse(dynamoText(2));
    const auto nodes = [&graph](std::initializer_list<const char*> names) {
        std::vector<ir::NodeIndex> out;
        for (const char* name : names)
            out.push_back(graph->find(name));
        return out;
    };
    const std::vector<KernelBlock> kernels = {
        {"fused_pow_mul_0", {}, nodes({"pow_0", "mul_0"})},
        {"fused_relu_add_pow_1", "found by kernel name", nodes({"relu_0", "add_0", "pow_1"})},
        {"extern_kernels.mm", {}, nodes({"fc_1"})},
        {"twice_2", {}, nodes({"mul_1", "relu_1", "add_1"})},
        {"twice_3", {}, nodes({"mul_1", "add_1"})},
    };
    const GroupTree tree = groupNodes(*graph, moduleHints(*graph), kernels);
    const auto find = [&tree](const char* name) {
        return std::find_if(tree.groups.begin(), tree.groups.end(),
                            [name](const Group& group) { return group.name == name; });
    };
    const auto inside = find("fused_pow_mul_0");
    QVERIFY(inside != tree.groups.end());
    QVERIFY(inside->kind == Group::Kind::Kernel);
    QCOMPARE(tree.groups[inside->parent].path, std::string("layers.0.norm"));
    QCOMPARE(inside->nodes, nodes({"pow_0", "mul_0"}));
    QCOMPARE(inside->detail, std::string("pow, mul"));
    const auto across = find("fused_relu_add_pow_1");
    QVERIFY(across != tree.groups.end());
    QCOMPARE(across->parent, GroupId(0));
    QCOMPARE(across->detail, std::string("relu, add, pow; found by kernel name"));
    QVERIFY(find("extern_kernels.mm") == tree.groups.end());
    QVERIFY(find("twice_2") == tree.groups.end() && find("twice_3") == tree.groups.end());
    QVERIFY(isAcyclic(fold(*graph, tree, {})));
    std::set<GroupId> all;
    for (GroupId id = 1; id < tree.groups.size(); ++id)
        all.insert(id);
    QVERIFY(isAcyclic(fold(*graph, tree, all)));
}

/// What is large and closed says nothing of the model: it opens before what is small.
void TestLayoutFold::theLargestOpensFirst() {
    const ir::GraphPtr graph = parse(dynamoText(1));
    const GroupTree tree = groupNodes(*graph, moduleHints(*graph));
    const std::set<GroupId> open = initialOpen(tree, tree.groups[0].nodes.size() + 6);
    QCOMPARE(open.size(), std::size_t(1));
    QCOMPARE(tree.groups[*open.begin()].name, std::string("layers.0"));
}

QTEST_GUILESS_MAIN(TestLayoutFold)
#include "tst_layout_fold.moc"
