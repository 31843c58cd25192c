// SPDX-License-Identifier: BSD-3-Clause
//
// Which compiled graphs of a capture would be CUDA graphs, and what the report says of the others.
#include "core/capture/open.h"
#include "core/ir/text.h"
#include "core/replay/coverage.h"
#include "tests/support/captures.h"
#include "tests/support/trace_text.h"

#include <QCryptographicHash>
#include <QtTest>

using namespace dynascope;
using namespace dynascope::replay;
using Verdict = CoverageVerdict;

namespace {

GraphCoverage judge(const std::string& body, const std::vector<std::size_t>& fixed = {},
                    GraphBackend backend = GraphBackend::ReduceOverhead) {
    const auto graph = ir::readGraph("class GraphModule(torch.nn.Module):\n    def forward(self, " + body);
    return graph ? judgeGraph(factsOf(*graph), {backend, fixed, {}}) : GraphCoverage{};
}

std::vector<std::string> said(const GraphCoverage& graph) {
    std::vector<std::string> out;
    for (const CoverageProblem& problem : graph.problems)
        out.push_back(problem.what);
    return out;
}

using Said = std::vector<std::string>;

CoverageReport reportOf(const QString& capture, session::SessionPtr& session,
                        GraphBackend backend = GraphBackend::ReduceOverhead) {
    const auto opened = capture::open(test::capture(capture).toStdString());
    if (!opened) return {};
    session = *opened;
    return cudagraphCoverage(*session, backend);
}

const std::string writing = "x: \"f32[2]cuda:0\", w: \"f32[2]cuda:0\"):\n"
                            "        # File: m.py:7 in f, code: y = x + 1\n"
                            "        add: \"f32[2]cuda:0\" = torch.ops.aten.add.Tensor(x, 1)\n"
                            "        # File: m.py:8 in f, code: w.copy_(y)\n"
                            "        copy_: \"f32[2]cuda:0\" = torch.ops.aten.copy_.default(w, add)\n"
                            "        return (add,)\n";

} // namespace

class TestReplayCoverage : public QObject {
    Q_OBJECT

private slots:
    void plainGraph() {
        const GraphCoverage graph = judge("x: \"f32[2]cuda:0\"):\n"
                                          "        add: \"f32[2]cuda:0\" = torch.ops.aten.add.Tensor(x, 1)\n"
                                          "        return (add,)\n");
        QCOMPARE(graph.verdict, Verdict::CudaGraph);
        QVERIFY(graph.problems.empty() && graph.message.empty() && !graph.onGpu);
    }

    /// The line that writes is named, and a fixed address makes the write harmless.
    void mutatedInput() {
        const GraphCoverage graph = judge(writing);
        QCOMPARE(graph.verdict, Verdict::Skipped);
        QCOMPARE(said(graph), Said{"writes an input"});
        QVERIFY(
            graph.message.starts_with("skipping cudagraphs due to mutated inputs (1 instances). Found from"));
        const CoveragePlace& place = graph.problems[0].places.at(0);
        QCOMPARE(place.node, std::string("w by copy_"));
        QCOMPARE(place.target, std::string("aten.copy_.default"));
        QCOMPARE(place.at.file + ':' + std::to_string(place.at.line), std::string("m.py:8"));
        const GraphCoverage buffer = judge(writing, {1});
        QCOMPARE(buffer.verdict, Verdict::CudaGraph);
        QCOMPARE(said(buffer), Said{"writes parameters or buffers"});
        QVERIFY(graph.problems[0].prevents && !buffer.problems[0].prevents);
    }

    /// Inductor cuts a graph where the backend "cudagraphs" gives it up.
    void splitsOrSkips() {
        const std::string masked =
            "x: \"f32[2]cuda:0\", m: \"b8[2]cuda:0\"):\n"
            "        # File: m.py:3 in f, code: x[m] = 0\n"
            "        put: \"f32[2]cuda:0\" = torch.ops.aten.index_put.default(x, [m], x)\n"
            "        return (put,)\n";
        QCOMPARE(judge(masked).verdict, Verdict::Split);
        const GraphCoverage whole = judge(masked, {}, GraphBackend::Cudagraphs);
        QCOMPARE(whole.verdict, Verdict::Skipped);
        QCOMPARE(whole.message, std::string("skipping cudagraphs due to incompatible op (put)"));
        QCOMPARE(said(whole), Said{"assigns through a boolean mask"});
        QCOMPARE(whole.problems[0].places.at(0).at.line, 3U);
    }

    void cpuTensorsAmongOthers() {
        const std::string mixed = "x: \"f32[2]cuda:0\", c: \"f32[]cpu\"):\n"
                                  "        # File: m.py:4 in f, code: x * c\n"
                                  "        one: \"f32[]cpu\" = torch.ops.aten.add.Tensor(c, 1)\n"
                                  "        mul: \"f32[2]cuda:0\" = torch.ops.aten.mul.Tensor(x, one)\n"
                                  "        return (mul,)\n";
        const GraphCoverage graph = judge(mixed);
        QCOMPARE(graph.verdict, Verdict::Split);
        QVERIFY(!graph.onGpu);
        // What follows from a CPU tensor is not listed, and an input has the line that reads it.
        QCOMPARE(graph.problems[0].places.size(), 1U);
        QCOMPARE(graph.problems[0].places[0].node, std::string("c"));
        QCOMPARE(graph.problems[0].places[0].at.line, 4U);
        QCOMPARE(judge(mixed, {}, GraphBackend::Cudagraphs).verdict, Verdict::Skipped);
    }

    /// Before PyTorch 2.9, and where the setting is off, what would be cut around is a reason to give up all of it.
    void whatIsNotCutIsSkipped() {
        const auto graph = ir::readGraph(
            "class GraphModule(torch.nn.Module):\n    def forward(self, x: \"f32[2]cuda:0\", c: "
            "\"f32[]cpu\"):\n"
            "        mul: \"f32[2]cuda:0\" = torch.ops.aten.mul.Tensor(x, c)\n        return (mul,)\n");
        QVERIFY(graph);
        const GraphCoverage whole =
            judgeGraph(factsOf(*graph), {GraphBackend::ReduceOverhead, {}, {}, false, false});
        QCOMPARE(whole.verdict, Verdict::Skipped);
        QCOMPARE(said(whole),
                 (Said{"has CPU tensors", "given up as a whole, since Inductor did not cut graphs here"}));
        QCOMPARE(whole.message, std::string()); // other words in other releases
    }

    void whetherGraphsAreCut_data() {
        QTest::addColumn<QString>("version");
        QTest::addColumn<QString>("setting");
        QTest::addColumn<bool>("cuts");
        QTest::newRow("default of 2.13") << "2.13.0+cpu"
                                         << "" << true;
        QTest::newRow("default of 2.9") << "2.9.1"
                                        << "" << true;
        QTest::newRow("default of 2.8") << "2.8.0+cu128"
                                        << "" << false;
        QTest::newRow("no version") << ""
                                    << "" << true;
        QTest::newRow("no number") << "nightly"
                                   << "" << true;
        QTest::newRow("off") << "2.13.0"
                             << "false" << false;
        QTest::newRow("on") << "2.8.0"
                            << "true" << true;
    }
    void whetherGraphsAreCut() {
        QFETCH(QString, version);
        QFETCH(QString, setting);
        QFETCH(bool, cuts);
        test::TraceText text;
        text.at(0, 0).start();
        text.metrics(setting.isEmpty() ? std::string()
                                       : "\"inductor_config\": \"{\\\"graph_partition\\\": " +
                                             setting.toStdString() + "}\"");
        const auto opened = capture::openText(text.text());
        QVERIFY(opened);
        session::Session session = **opened;
        session.torchVersion = version.toStdString();
        QCOMPARE(cutsGraphs(session, session.compiles.at(0)), cuts);
    }

    /// The backend "cudagraphs" fails on a write of a list, and where the first tensor is on no GPU; Inductor
    /// does not.
    void raisesAsPyTorchDoes() {
        const std::string list = "x: \"f32[2]cuda:0\"):\n"
                                 "        # File: m.py:5 in f, code: torch._foreach_add_([x], 1)\n"
                                 "        _foreach_add_ = torch.ops.aten._foreach_add_.Scalar([x], 1)\n"
                                 "        return (x,)\n";
        const GraphCoverage raised = judge(list, {}, GraphBackend::Cudagraphs);
        QCOMPARE(raised.verdict, Verdict::Raises);
        QCOMPARE(raised.message,
                 std::string("AttributeError: 'immutable_list' object has no attribute 'meta'"));
        QCOMPARE(raised.problems.at(0).places.at(0).at.line, 5U);
        QCOMPARE(judge(list).verdict, Verdict::Skipped); // the caller's tensor is written
        QCOMPARE(judge(list, {0}).verdict, Verdict::CudaGraph);
        const std::string meta = "m: \"f32[2]meta\", x: \"f32[2]cuda:0\"):\n"
                                 "        add: \"f32[2]cuda:0\" = torch.ops.aten.add.Tensor(x, 1)\n"
                                 "        return (add,)\n";
        const GraphCoverage leading = judge(meta, {}, GraphBackend::Cudagraphs);
        QCOMPARE(leading.verdict, Verdict::Raises);
        QCOMPARE(leading.message, std::string("AssertionError: Expected CUDA device, got meta"));
        QCOMPARE(leading.problems.at(0).places.at(0).node, std::string("m"));
        QCOMPARE(judge(meta).verdict, Verdict::CudaGraph);
    }

    /// A tensor that an earlier recording returned may be written: it lies in the pool.
    void recordedInput() {
        const auto graph =
            ir::readGraph("class GraphModule(torch.nn.Module):\n    def forward(self, " + writing);
        QVERIFY(graph);
        const GraphCoverage recorded = judgeGraph(factsOf(*graph), {GraphBackend::ReduceOverhead, {}, {1}});
        QCOMPARE(recorded.verdict, Verdict::CudaGraph);
        QCOMPARE(said(recorded), Said{"writes results of an earlier graph"});
        QCOMPARE(judgeGraph(factsOf(*graph), {GraphBackend::Cudagraphs, {}, {1}}).verdict, Verdict::Skipped);
    }

    void severalDevices() {
        const GraphCoverage graph = judge("x: \"f32[2]cuda:0\", y: \"f32[2]cuda:1\"):\n"
                                          "        add: \"f32[2]cuda:0\" = torch.ops.aten.add.Tensor(x, 1)\n"
                                          "        return (add, y)\n");
        QCOMPARE(graph.verdict, Verdict::Skipped);
        QCOMPARE(said(graph), Said{"is not on one CUDA device"});
    }

    void dynamicSizes() {
        const GraphCoverage graph =
            judge("s0: \"Sym(s0)\", x: \"f32[s0]cuda:0\"):\n"
                  "        add: \"f32[s0]cuda:0\" = torch.ops.aten.add.Tensor(x, s0)\n"
                  "        return (add,)\n");
        QCOMPARE(graph.verdict, Verdict::CudaGraph);
        QCOMPARE(said(graph), Said{"takes sizes as inputs"});
        const GraphCoverage unbacked =
            judge("x: \"f32[2]cuda:0\"):\n"
                  "        nonzero: \"i64[u0, 1]cuda:0\" = torch.ops.aten.nonzero.default(x)\n"
                  "        return (nonzero,)\n");
        QCOMPARE(unbacked.verdict, Verdict::Split);
        QCOMPARE(said(unbacked), Said{"has sizes that depend on data"});
    }

    void unmarkedWrites() {
        const GraphCoverage graph = judge(
            "x: \"f32[2, 3]cuda:0\", m: \"f32[3]cuda:0\", v: \"f32[3]cuda:0\"):\n"
            "        n = torch.ops.aten.native_batch_norm.default(x, None, None, m, v, True, 0.1, 1e-05)\n"
            "        getitem: \"f32[2, 3]cuda:0\" = n[0]\n"
            "        return (getitem,)\n");
        QCOMPARE(graph.verdict, Verdict::CudaGraph);
        QCOMPARE(said(graph), Said{"writes an input without a mark in the op's schema"});
        QCOMPARE(graph.problems[0].places.size(), 2U);
    }

    void unknownGraphs() {
        const auto bare =
            ir::readGraph("graph():\n    %x : [num_users=1] = placeholder[target=x]\n    %y : "
                          "[num_users=1] = call_function[target=torch.ops.aten.relu.default](args = "
                          "(%x,), kwargs = {})\n    return (y,)\n");
        QCOMPARE(judgeGraph(factsOf(*bare), {GraphBackend::Cudagraphs, {}, {}}).verdict, Verdict::Unknown);
        const GraphCoverage torchLevel = judge("x: \"f32[2]cuda:0\"):\n"
                                               "        y: \"f32[2]cuda:0\" = x.add_(1)\n"
                                               "        return (y,)\n");
        QCOMPARE(torchLevel.verdict, Verdict::Unknown);
        QVERIFY(torchLevel.message.starts_with("it is a graph of Python functions"));
    }

    /// AOTAutograd's graph of higher-order operators alone has no Python functions.
    void higherOrderAlone() {
        test::TraceText text;
        const std::string graph =
            "class GraphModule(torch.nn.Module):\n    def forward(self, q: \"f32[1, 2, 8, 4]cuda:0\"):\n"
            "        o = torch.ops.higher_order.flex_attention(q, q, q, sdpa_score0, (128, 128), 0.5)\n"
            "        getitem: \"f32[1, 2, 8, 4]cuda:0\" = o[0]\n        return (getitem,)\n";
        text.at(0, 0)
            .start()
            .add("\"dynamo_output_graph\": {}", graph)
            .add("\"aot_inference_graph\": {}", graph);
        const auto opened = capture::openText(text.metrics().text());
        QVERIFY(opened);
        const auto report = cudagraphCoverage(**opened, GraphBackend::ReduceOverhead);
        QCOMPARE(report.graphs.size(), std::size_t{1});
        QCOMPARE(report.graphs[0].message, std::string());
        QCOMPARE(report.graphs[0].verdict, Verdict::CudaGraph);
    }

    /// What runs eagerly has no compiled graph, though Dynamo's may be in the capture.
    void whatWasNotCompiledIsNotJudged() {
        test::TraceText text;
        text.at(0, 0).start().add("\"dynamo_output_graph\": {}", test::readableGraph(2));
        text.metrics("\"fail_type\": \"BackendCompilerFailed\", \"fail_reason\": \"no\"");
        text.at(1, 0).start("g", 40).add("\"aot_inference_graph\": {}", test::readableGraph(2));
        text.metrics("\"fail_type\": null", "g", 40);
        const auto opened = capture::openText(text.text());
        QVERIFY(opened);
        QCOMPARE((*opened)->compiles[0].status, session::Status::Failed);
        const auto report = cudagraphCoverage(**opened, GraphBackend::ReduceOverhead);
        QCOMPARE(report.graphs.size(), std::size_t{1});
        QCOMPARE(report.graphs[0].compile, std::size_t{1});
    }

    /// Compiled autograd's graph is compiled as a frame of Dynamo's, and counts once.
    void compiledAutograd() {
        test::TraceText text;
        const std::string prefix = "V1121 01:29:50.608000 1 a.py:1] ";
        const auto record = [&](const std::string& type, const std::string& ids, const std::string& graph) {
            const QByteArray hash =
                QCryptographicHash::hash(QByteArray::fromStdString(graph), QCryptographicHash::Md5).toHex();
            text.raw(prefix + "{\"" + type + "\": {}, " + ids + ", \"has_payload\": \"" + hash.toStdString() +
                     "\"}\n\t" + QString::fromStdString(graph).replace('\n', "\n\t").toStdString() + '\n');
        };
        record("compiled_autograd_graph", "\"compiled_autograd_id\": 0", test::readableGraph(3));
        record("aot_inference_graph",
               "\"frame_id\": 1, \"frame_compile_id\": 0, \"attempt\": 0, \"compiled_autograd_id\": 0",
               test::readableGraph(2));
        record("compiled_autograd_graph", "\"compiled_autograd_id\": 1", test::readableGraph(4));
        const auto opened = capture::openText(text.text());
        QVERIFY(opened);
        const auto report = cudagraphCoverage(**opened, GraphBackend::ReduceOverhead);
        std::vector<std::string> ids;
        for (const GraphCoverage& graph : report.graphs)
            ids.push_back((*opened)->compiles[graph.compile].id.toString());
        QCOMPARE(ids, (std::vector<std::string>{"!0/1/0", "!1"}));
    }

    void staticInputs() {
        QCOMPARE(staticInputsOf("ViewAndMutationMeta(a=[7], static_input_indices=[1,\n      2, 10], b=[3])"),
                 (std::vector<std::size_t>{1, 2, 10}));
        QVERIFY(staticInputsOf("static_input_indices=[]").empty());
        QVERIFY(staticInputsOf("nothing").empty());
        QCOMPARE(staticInputsOf("static_input_indices=[99999999999999999999999, 3"),
                 (std::vector<std::size_t>{3}));
    }

    /// Captures made without a GPU: what would happen on one.
    void captures_data() {
        QTest::addColumn<QString>("capture");
        QTest::addColumn<QStringList>("onGpu");
        QTest::newRow("no hindrance")
            << "trace_inductor/view_mutation" << QStringList{"inference CUDA graph"};
        QTest::newRow("training") << "trace_aot_eager/encoder_train"
                                  << QStringList{"forward CUDA graph", "backward CUDA graph"};
        QTest::newRow("written input")
            << "trace_aot_eager/relu_input_mutation" << QStringList{"inference skipped"};
        QTest::newRow("branch") << "trace_aot_eager/cond" << QStringList{"inference split"};
        QTest::newRow("written buffers") << "trace_aot_eager/kvcache" << QStringList{"inference CUDA graph"};
    }
    void captures() {
        QFETCH(QString, capture);
        QFETCH(QStringList, onGpu);
        session::SessionPtr session;
        const CoverageReport report = reportOf(capture, session);
        QStringList got;
        for (const GraphCoverage& graph : report.graphs) {
            QCOMPARE(graph.verdict, Verdict::Skipped);
            QVERIFY(graph.onGpu);
            // Inductor says nothing of a graph on the CPU; what it would say elsewhere is kept apart.
            QCOMPARE(graph.message, std::string());
            QCOMPARE(graph.messageOnGpu.starts_with("skipping cudagraphs due to mutated inputs"),
                     graph.onGpu == Verdict::Skipped);
            got << QString::fromStdString(graph.part + ' ' + std::string(coverageVerdictName(*graph.onGpu)));
        }
        QCOMPARE(got, onGpu);
    }

    void everyCapture() {
        std::size_t graphs = 0;
        for (const QString& log : test::traceLogs()) {
            const auto session = capture::open(log.toStdString());
            QVERIFY(session);
            for (const GraphBackend backend : {GraphBackend::ReduceOverhead, GraphBackend::Cudagraphs}) {
                const CoverageReport report = cudagraphCoverage(**session, backend);
                for (const GraphCoverage& graph : report.graphs) {
                    ++graphs;
                    // They were made on a CPU, so each has a reason, and the reason a place.
                    QVERIFY(graph.verdict == Verdict::Skipped || graph.verdict == Verdict::Unknown);
                    QVERIFY(!graph.message.empty() || graph.onGpu);
                    for (const CoverageProblem& problem : graph.problems)
                        QVERIFY(!problem.what.empty() && !problem.advice.empty());
                }
                QCOMPARE(report.count(Verdict::Skipped) + report.count(Verdict::Unknown),
                         report.graphs.size());
            }
        }
        QVERIFY(graphs > 80);
    }

    void cancelled() {
        session::SessionPtr session;
        reportOf("trace_inductor/graph_breaks", session);
        std::stop_source stop;
        stop.request_stop();
        TaskContext task;
        task.stop = stop.get_token();
        QVERIFY(cudagraphCoverage(*session, GraphBackend::ReduceOverhead, task).graphs.empty());
    }
};

QTEST_APPLESS_MAIN(TestReplayCoverage)
#include "tst_replay_coverage.moc"
