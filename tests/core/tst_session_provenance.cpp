// SPDX-License-Identifier: BSD-3-Clause
//
// Provenance through the stages of packed captures, against what was read off their graphs by hand; generated
// code; Inductor's own records (tests/data/compile_debug/trace.tar.xz).
#include "core/capture/open.h"
#include "core/session/compiled_by.h"
#include "core/session/provenance.h"
#include "core/session/stage_links.h"
#include "tests/support/archive.h"
#include "tests/support/captures.h"

#include <QtTest>
#include <map>

using namespace dynascope;
using session::Provenance;
using session::ProvenanceAnswer;

namespace {

session::SessionPtr openCapture(const char* name) {
    const auto opened = capture::open(test::capture(name).toStdString());
    return opened ? *opened : nullptr;
}

session::SessionPtr recorded() {
    const auto files = test::readArchive(DYNASCOPE_SOURCE_DIR "/tests/data/compile_debug/trace.tar.xz");
    const auto opened =
        files.size() == 1 ? capture::openText(files[0].content, "trace") : tl::unexpected(Error());
    return opened ? *opened : nullptr;
}

std::size_t stageOf(const session::Compile& compile, const std::string& label) {
    for (std::size_t i = 0; i < compile.stages.size(); ++i)
        if (compile.stages[i]->label() == label) return i;
    return SIZE_MAX;
}

/// "aot_inference_graph: add select", a stage a line, then kernels.
QStringList spell(const Provenance& provenance, const ProvenanceAnswer& answer) {
    std::map<std::size_t, QString> rows;
    for (const session::LinkedNode& linked : answer.nodes)
        rows[linked.stage] +=
            ' ' + QString::fromStdString(
                      (*provenance.compile().stages[linked.stage]->graph())->node(linked.node).name);
    for (const session::LinkedKernel& linked : answer.kernels)
        rows[linked.stage] +=
            ' ' + QString::fromStdString(provenance.code(linked.stage).kernels[linked.kernel].name);
    QStringList out;
    for (const auto& [stage, names] : rows)
        out.append(QString::fromStdString(provenance.compile().stages[stage]->label()) + ':' + names);
    return out;
}

QStringList ofNode(const Provenance& provenance, const std::string& stage, const std::string& node) {
    const std::size_t at = stageOf(provenance.compile(), stage);
    return spell(provenance, provenance.ofNode(at, (*provenance.compile().stages[at]->graph())->find(node)));
}

} // namespace

class TestSessionProvenance : public QObject {
    Q_OBJECT

private slots:
    void stagesTellWhetherInductorCompiled() {
        const auto compiled = [](std::initializer_list<session::Phase> phases) {
            session::Compile compile;
            for (const session::Phase phase : phases) {
                auto stage = std::make_shared<session::Stage>();
                stage->phase = phase;
                compile.stages.push_back(std::move(stage));
            }
            return session::byInductor(compile);
        };
        using session::Phase;
        QVERIFY(!compiled({}));
        QVERIFY(!compiled({Phase::Dynamo, Phase::Joint, Phase::Forward, Phase::Backward, Phase::Text}));
        QVERIFY(compiled({Phase::Joint, Phase::PostGradForward}));
        QVERIFY(compiled({Phase::PostGradBackward}));
        QVERIFY(compiled({Phase::Code}));
    }

    void generatedCode() {
        const session::GeneratedCode code = session::readGeneratedCode(
            "# AOT ID: ['0_inference']\n" // 1
            "\n"                          // 2
            "# Topologically Sorted Source Nodes: [add, relu], Original ATen: [aten.add, "
            "aten.relu]\n"                          // 3
            "# Source node to ATen node mapping:\n" // 4
            "#   add => add_1\n"                    // 5
            "#   relu => relu, le\n"                // 6
            "# Graph fragment:\n"                   // 7
            "#   %add_1 : [num_users=1] = "
            "call_function[target=torch.ops.aten.add.Tensor](args = (%a,))\n" // 8
            "triton_poi_fused_add_relu_0 = "
            "async_compile.triton('triton_poi_fused_add_relu_0', '''\n"        // 9
            "def triton_poi_fused_add_relu_0(in_ptr0):\n"                      // 10
            "    # [Provenance debug handles] not_a_call:1\n"                  // 11
            "    pass\n"                                                       // 12
            "''', device_str='cuda')\n"                                        // 13
            "one = async_compile.cpp_pybinding(['int'], r'''one line''')\n"    // 14
            "\n"                                                               // 15
            "def call(args):\n"                                                // 16
            "    a, b = args\n"                                                // 17
            "    with torch.cuda._DeviceGuard(0):\n"                           // 18
            "        buf0 = empty_strided_cuda((4, ), (1, ), torch.float32)\n" // 19
            "        # Topologically Sorted Source Nodes: [linear], Original ATen: "
            "[aten.mm]\n"                                                          // 20
            "        # [Provenance debug handles] extern_kernels.mm:1\n"           // 21
            "        extern_kernels.mm(a, b, out=buf0)\n"                          // 22
            "        # [Provenance debug handles] triton_poi_fused_add_relu_0:2\n" // 23
            "        triton_poi_fused_add_relu_0.run(buf0, 4, stream=stream0)\n"   // 24
            "        buf1 = torch.ops.aten.sort.default(buf0)\n"                   // 25
            "        one(buf1)\n"                                                  // 26
            "        triton_poi_fused_add_relu_0.run(buf1, 4, stream=stream0)\n"   // 27
            "        extern_kernels.mm(a, b, out=buf0)\n"                          // 28
            "    return (buf0, )\n"                                                // 29
            "\n"                                                                   // 30
            "def benchmark():\n"                                                   // 31
            "    one(1)\n");                                                       // 32
        QCOMPARE(code.kernels.size(), std::size_t(5));
        const session::GeneratedKernel& fused = code.kernels[0];
        QCOMPARE(fused.name, std::string("triton_poi_fused_add_relu_0"));
        QCOMPARE(fused.definition.first, std::size_t(3));
        QCOMPARE(fused.definition.last, std::size_t(13));
        QCOMPARE(fused.atenNodes, std::vector<std::string>({"add_1", "relu", "le"}));
        QCOMPARE(fused.sourceNodes, std::vector<std::string>({"add", "relu", "add", "relu"}));
        QCOMPARE(fused.calls.size(), std::size_t(2));
        QCOMPARE(fused.calls[0].lines.first, std::size_t(23));
        QCOMPARE(fused.calls[0].lines.last, std::size_t(24));
        QCOMPARE(fused.calls[0].handle, std::string("triton_poi_fused_add_relu_0:2"));
        QCOMPARE(fused.calls[1].lines.first, std::size_t(27));
        QCOMPARE(code.kernels[1].name, std::string("one"));
        QCOMPARE(code.kernels[1].definition.last, std::size_t(14));
        QCOMPARE(code.kernels[1].calls.size(), std::size_t(1));
        QCOMPARE(code.kernels[2].name, std::string("extern_kernels.mm"));
        QCOMPARE(code.kernels[2].sourceNodes, std::vector<std::string>({"linear"}));
        QCOMPARE(code.kernels[2].definition.first, std::size_t(0));
        QCOMPARE(code.kernels[3].name, std::string("torch.ops.aten.sort.default"));
        QCOMPARE(code.kernels[4].calls.front().lines.first, std::size_t(28));
        QCOMPARE(code.kernelsAt(10), std::vector<std::size_t>({0}));
        QCOMPARE(code.kernelsAt(21), std::vector<std::size_t>({2}));
        QVERIFY(code.kernelsAt(19).empty() && code.kernelsAt(0).empty() && code.kernelsAt(99).empty());
        QVERIFY(session::readGeneratedCode("").kernels.empty());
        QCOMPARE(
            session::readGeneratedCode("k = async_compile.cpp('''\nnever closed").kernels[0].definition.last,
            std::size_t(2));
    }

    void inductorRecord() {
        const session::InductorRecord record = session::readInductorRecord(
            R"({"preToPost": {"y": ["add"], "bad": 3}, "postToPre": [], "cppCodeToPost": {"k:1": ["add", 7]}, "version": 2.0})");
        QCOMPARE(record.preToPost.size(), std::size_t(1));
        QCOMPARE(record.preToPost.at("y"), std::vector<std::string>({"add"}));
        QVERIFY(record.postToPre.empty());
        QCOMPARE(record.kernelToPost.at("k:1"), std::vector<std::string>({"add"}));
        QVERIFY(session::readInductorRecord("{").preToPost.empty());
        QVERIFY(session::readInductorRecord("[1]").preToPost.empty());
    }

    void namesFile() {
        QVERIFY(session::namesFile("/home/user/cap.py", "cap.py"));
        QVERIFY(session::namesFile("/home/user/cap.py", "user/cap.py"));
        QVERIFY(session::namesFile("cap.py", "cap.py"));
        QVERIFY(!session::namesFile("/home/user/recap.py", "cap.py"));
        QVERIFY(!session::namesFile("/home/user/cap.py", ""));
    }

    void viewMutation_data() {
        QTest::addColumn<QString>("stage");
        QTest::addColumn<QString>("node");
        QTest::addColumn<QStringList>("expected");
        QTest::newRow("setitem") << "dynamo_output_graph"
                                 << "setitem"
                                 << QStringList({"dynamo_output_graph: setitem",
                                                 "before_pre_grad_graph: setitem",
                                                 "after_pre_grad_graph: setitem",
                                                 "aot_inference_graph: select_1 copy select_scatter",
                                                 "before_joint_graph: select_1 copy select_scatter",
                                                 "after_joint_graph: select_1 select_scatter",
                                                 "before_post_grad_graph: select_1 select_scatter",
                                                 "inductor_post_grad_graph: select_1 select_scatter_default",
                                                 "inductor_output_code: cpp_fused_add_select_0"});
        QTest::newRow("y") << "dynamo_output_graph"
                           << "y"
                           << QStringList({"dynamo_output_graph: y", "before_pre_grad_graph: y",
                                           "after_pre_grad_graph: y", "aot_inference_graph: add",
                                           "before_joint_graph: add", "after_joint_graph: add",
                                           "before_post_grad_graph: add", "inductor_post_grad_graph: add",
                                           "inductor_output_code: cpp_fused_add_select_0"});
        QTest::newRow("select_scatter_default")
            << "inductor_post_grad_graph"
            << "select_scatter_default"
            << QStringList({"dynamo_output_graph: setitem", "before_pre_grad_graph: setitem",
                            "after_pre_grad_graph: setitem", "aot_inference_graph: select_scatter",
                            "before_joint_graph: select_scatter", "after_joint_graph: select_scatter",
                            "before_post_grad_graph: select_scatter",
                            "inductor_post_grad_graph: select_scatter_default",
                            "inductor_output_code: cpp_fused_add_select_0"});
    }
    void viewMutation() {
        QFETCH(QString, stage);
        QFETCH(QString, node);
        QFETCH(QStringList, expected);
        const session::SessionPtr session = openCapture("trace_inductor/view_mutation");
        QVERIFY(session);
        const Provenance provenance(session, 0);
        QCOMPARE(ofNode(provenance, stage.toStdString(), node.toStdString()), expected);
        QCOMPARE(ofNode(provenance, stage.toStdString(), node.toStdString()), expected); // from what was kept
    }

    /// All nodes at once say what each says alone, but for what only its neighbours speak for.
    void originsOfAllNodes() {
        for (const session::SessionPtr& session : {openCapture("trace_inductor/view_mutation"), recorded()}) {
            QVERIFY(session);
            std::size_t found = 0;
            for (std::size_t compile = 0; compile < session->compiles.size(); ++compile) {
                const Provenance provenance(session, compile);
                for (std::size_t stage = 0; stage < provenance.compile().stages.size(); ++stage)
                    for (const std::size_t above : provenance.stagesAbove(stage)) {
                        const auto origins = provenance.originsIn(stage, above);
                        if (provenance.compile().stages[stage]->content != session::Stage::Content::Graph) {
                            QVERIFY(origins.empty());
                            continue;
                        }
                        for (ir::NodeIndex node = 0; node < origins.size(); ++node) {
                            std::vector<ir::NodeIndex> alone;
                            for (const session::LinkedNode& linked : provenance.ofNode(stage, node).nodes)
                                if (linked.stage == above &&
                                    linked.evidence != session::LinkEvidence::Neighbourhood)
                                    alone.push_back(linked.node);
                            QCOMPARE(origins[node], alone);
                            found += alone.size();
                        }
                        QVERIFY(provenance.originsIn(above, stage).empty());
                    }
                QVERIFY(provenance.originsIn(SIZE_MAX, 0).empty());
            }
            QVERIFY(found > 100);
        }
    }

    /// Where Inductor recorded its nodes, the answer is its own.
    void withRecord() {
        const session::SessionPtr session = recorded();
        QVERIFY(session);
        const Provenance first(session, 0);
        QCOMPARE(
            ofNode(first, "dynamo_output_graph", "setitem"),
            QStringList({"dynamo_output_graph: setitem", "before_pre_grad_graph: setitem",
                         "after_pre_grad_graph: setitem", "aot_inference_graph: select copy select_scatter",
                         "before_joint_graph: select copy select_scatter",
                         "after_joint_graph: select copy select_scatter",
                         "before_post_grad_graph: select copy select_scatter",
                         "inductor_post_grad_graph: select copy select_scatter_default",
                         "inductor_output_code: cpp_fused_add_cat_fill_mul_relu_select_sum_0"}));
        const Provenance second(session, 1);
        const QStringList linear = ofNode(second, "dynamo_output_graph", "linear");
        QVERIFY(linear.contains("inductor_post_grad_graph: permute addmm"));
        QVERIFY(linear.contains("inductor_output_code: extern_kernels.addmm"));
        const std::size_t post = stageOf(first.compile(), "inductor_post_grad_graph");
        const ProvenanceAnswer up =
            first.ofNode(post, (*first.compile().stages[post]->graph())->find("select_scatter_default"));
        QVERIFY(spell(first, up).contains("after_pre_grad_graph: setitem"));
        QVERIFY(std::all_of(up.lines.begin(), up.lines.end(),
                            [](const ir::SourceLocation& at) { return at.line == 7; }));
    }

    void encoderTrain() {
        const session::SessionPtr session = openCapture("trace_aot_eager/encoder_train");
        QVERIFY(session);
        const Provenance provenance(session, 0);
        // The first layer's ReLU; its gradient comes second in the backward graph.
        QCOMPARE(ofNode(provenance, "dynamo_output_graph", "relu"),
                 QStringList({"dynamo_output_graph: relu",
                              "aot_joint_graph: relu detach_1 detach_6 threshold_backward_1",
                              "aot_forward_graph: relu detach_1 detach_6",
                              "aot_backward_graph: threshold_backward_1"}));
        const QStringList back = ofNode(provenance, "aot_backward_graph", "threshold_backward_1");
        QVERIFY(back.contains("dynamo_output_graph: relu"));
        QVERIFY(back.contains("aot_joint_graph: threshold_backward_1"));
        QVERIFY(provenance.ofNode(999, 0).empty());
        QVERIFY(provenance.ofNode(0, 1'000'000).empty());
        // Several nodes at once: what each of them became, together.
        const ir::GraphPtr dynamo = *provenance.compile().stages[0]->graph();
        const std::vector<ir::NodeIndex> both = {dynamo->find("relu"), dynamo->find("relu_1"), ir::npos};
        const QStringList together = spell(provenance, provenance.ofNodes(0, both));
        QVERIFY(together.contains("dynamo_output_graph: relu relu_1"));
        for (const char* one : {"relu", "relu_1"})
            for (const QString& row : ofNode(provenance, "dynamo_output_graph", one))
                for (const QString& name : row.section(": ", 1).split(' '))
                    QVERIFY(together.join(' ').split(' ').contains(name));
        QVERIFY(provenance.ofNodes(0, {}).empty());
    }

    void tellsRecordsFromAlignment() {
        using enum session::LinkEvidence;
        for (const auto evidence : {Selected, Record, SourceLine, Comment})
            QVERIFY(session::isRecorded(evidence));
        for (const auto evidence :
             {SharedNode, Structure, Name, StackTrace, Neighbourhood, OnlyKernel, KernelName, Fused})
            QVERIFY(!session::isRecorded(evidence));
    }

    /// Between a call on a GPU and its comments its stream is asked for; what the kernel reads and writes is in a fragment
    /// of the graph above its definition.
    void callsOnAGpu() {
        const session::GeneratedCode code = session::readGeneratedCode(
            "# Graph fragment:\n"
            "#   %x : Tensor \"bf16[4, 8][8, 1]cuda:0\" = PlaceHolder[target=x]\n"
            "#   %sum_1 : Tensor \"f32[4][1]cuda:0\"[num_users=1] = "
            "call_function[target=torch.ops.aten.sum](args = "
            "(%x,))\n"
            "#   return %buf0\n"
            "triton_red_fused_sum_0 = async_compile.triton('triton_red_fused_sum_0', '''\npass\n''')\n"
            "# Graph fragment:\n"
            "#   %buf0 : Tensor \"f32[4, 2][1, 4]cuda:0\" = PlaceHolder[target=buf0]\n"
            "#   %sum_1 : Tensor \"f32[4][1]cuda:0\"[num_users=1] = "
            "call_function[target=torch.ops.aten.sum](args = "
            "(%x,))\n"
            "#   return %sum_1\n"
            "triton_tem_fused_mm_1 = async_compile.triton('triton_tem_fused_mm_1', '''\nacc = tl.dot(a, "
            "b)\n''')\n"
            "def call(args):\n"
            "    # Topologically Sorted Source Nodes: [sum_1], Original ATen: [aten.sum]\n"
            "    # [Provenance debug handles] triton_red_fused_sum_0:1\n"
            "    stream0 = get_raw_stream(0)\n"
            "    triton_red_fused_sum_0.run(x, buf0, 4, 8, stream=stream0)\n"
            "    # Topologically Sorted Source Nodes: [sum_2], Original ATen: [aten.sum]\n"
            "    raw_stream0 = get_raw_stream(0)\n"
            "    triton_red_fused_sum_0.run(y, buf0, 4, 8, stream=raw_stream0)\n"
            "    return (buf0, )\n");
        QCOMPARE(code.kernels.size(), std::size_t(2));
        const session::GeneratedKernel &half = code.kernels[0], &other = code.kernels[1];
        QCOMPARE(half.calls.size(), std::size_t(2));
        QCOMPARE(half.calls[0].handle, std::string("triton_red_fused_sum_0:1"));
        QCOMPARE(half.calls[0].sourceNodes, std::vector<std::string>{"sum_1"});
        QCOMPARE(half.calls[1].sourceNodes, std::vector<std::string>{"sum_2"});
        QVERIFY(half.namesNodesOfCalls() && !other.namesNodesOfCalls());
        QCOMPARE(half.fragment.nodes, std::vector<std::string>{"sum_1"});
        QCOMPARE(half.fragment.bytesRead.value(), 64.0);
        QCOMPARE(half.fragment.bytesWritten.value(), 32.0); // as the kernel that reads it says
        QCOMPARE(other.fragment.bytesRead.value(), 32.0);
        QCOMPARE(other.fragment.bytesWritten.value(), 16.0);
        QVERIFY(!half.multiplies && other.multiplies);
    }

    void lines() {
        const session::SessionPtr session = recorded();
        const Provenance provenance(session, 0);
        const ProvenanceAnswer answer = provenance.ofSource("cap.py", 7);
        const QStringList rows = spell(provenance, answer);
        QVERIFY(rows.contains("dynamo_output_graph: sum_1 setitem"));
        QVERIFY(rows.contains("inductor_post_grad_graph: select sum_1 copy select_scatter_default"));
        QVERIFY(rows.contains("inductor_output_code: cpp_fused_add_cat_fill_mul_relu_select_sum_0"));
        QVERIFY(provenance.ofSource("cap.py", 99).empty());
        QVERIFY(provenance.ofSource("other.py", 7).empty());
    }

    void codeLines() {
        const session::SessionPtr session = recorded();
        const Provenance provenance(session, 0);
        const std::size_t code = stageOf(provenance.compile(), "inductor_output_code");
        const session::GeneratedKernel& kernel = provenance.code(code).kernels.at(0);
        const QStringList rows = spell(provenance, provenance.ofCode(code, kernel.calls.at(0).lines.last));
        QVERIFY(rows.contains(
            "inductor_post_grad_graph: cat mul add select sum_1 copy select_scatter_default relu"));
        QCOMPARE(rows, spell(provenance, provenance.ofKernel(code, 0)));
        QVERIFY(provenance.ofCode(code, 1).empty());
        QVERIFY(provenance.ofKernel(code, 7).empty());
        QVERIFY(provenance.ofCode(0, 1).empty());
    }

    void kernelsOfAGraph() {
        const session::SessionPtr session = recorded();
        const Provenance provenance(session, 0);
        const std::size_t post = stageOf(provenance.compile(), "inductor_post_grad_graph");
        const std::vector<session::KernelNodes> kernels = provenance.kernelsMadeOf(post);
        QCOMPARE(kernels.size(), std::size_t(1));
        QCOMPARE(kernels[0].name, std::string("cpp_fused_add_cat_fill_mul_relu_select_sum_0"));
        QStringList names;
        const ir::Graph& graph = **provenance.compile().stages[post]->graph();
        for (const ir::NodeIndex node : kernels[0].nodes)
            names << QString::fromStdString(graph.node(node).name);
        QCOMPARE(names.join(' '),
                 QStringLiteral("cat mul add select sum_1 copy select_scatter_default relu"));
        QVERIFY(provenance.kernelsMadeOf(stageOf(provenance.compile(), "inductor_output_code")).empty());
        QCOMPARE(provenance.codeMadeOf(post), stageOf(provenance.compile(), "inductor_output_code"));
        QCOMPARE(provenance.codeMadeOf(0), Provenance::npos);
        QVERIFY(provenance.kernelsMadeOf(0).empty());

        // Names of kernels alone do not tell two layers apart.
        const auto encoder = capture::open(test::capture("trace_inductor/encoder").toStdString());
        QVERIFY(encoder.has_value());
        const Provenance named(*encoder, 0);
        const std::size_t graph1 = stageOf(named.compile(), "inductor_post_grad_graph");
        QVERIFY(named.codeMadeOf(graph1) != Provenance::npos);
        for (const session::KernelNodes& kernel : named.kernelsMadeOf(graph1))
            QVERIFY2(!kernel.name.starts_with("cpp_fused"), kernel.name.c_str());
        QVERIFY(provenance.kernelsMadeOf(99).empty());
    }
};

QTEST_GUILESS_MAIN(TestSessionProvenance)
#include "tst_session_provenance.moc"
