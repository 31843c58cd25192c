// SPDX-License-Identifier: BSD-3-Clause
//
// CUDA graphs as data: to JSON and back, what is refused, words for nodes, the driver's DOT dump as a second
// opinion.
#include "core/replay/cuda_dot.h"
#include "core/replay/recording.h"

#include <QFile>
#include <QtTest>
#include <set>

using namespace dynascope;
using namespace dynascope::replay;
using nlohmann::json;

namespace {

QByteArray dataFile(const char* name) {
    QFile file(QString(DYNASCOPE_TEST_DATA "/replay/") + name);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

json synthetic() {
    return json::parse(dataFile("synthetic_cuda_recording.json"));
}

/// What synthetic_cuda_graph.dot shows.
CudaGraph small() {
    CudaGraph out;
    out.device = "none";
    out.driverVersion = 13000;
    CudaSubgraph& graph = out.graphs.emplace_back();
    CudaKernel scale{"_Z5scalePff", "scale(float*, float)", {4, 1, 1}, {128, 1, 1}, 0, {}, true};
    scale.params = {{0, 8, "0040000000000000"}, {8, 4, "0000003f"}};
    graph.nodes.push_back({CudaNodeKind::Kernel, 0, 11, scale});
    graph.nodes.push_back({CudaNodeKind::Kernel, 1, 12,
                           CudaKernel{"_Z9transposePfS_", "", {40, 4, 1}, {32, 16, 1}, 2048, {}, false}});
    graph.nodes.push_back(
        {CudaNodeKind::Memcpy, {}, 13, CudaMemcpy{"device", "device", 0x4000, 0x5000, 4096, 1, 1}});
    graph.edges = {{0, 1, 0, 0, 0}, {1, 2, 1, 0, 1}};
    return out;
}

} // namespace

class TestReplayCudaGraph : public QObject {
    Q_OBJECT

private slots:
    void throughJsonAndBack() {
        QVERIFY(cudaGraphFromJson(toJson(small())).value() == small());
        const json document = synthetic();
        const Result<ReplayRecording> recording = recordingFromJson(document);
        QVERIFY2(recording, recording ? "" : recording.error().message.c_str());
        QVERIFY(recording->cudaGraph.has_value());
        QCOMPARE(recording->cudaGraph->graphs.size(), std::size_t{4});
        QCOMPARE(recording->cudaGraph->count(CudaNodeKind::Kernel), std::size_t{6});
        QCOMPARE(toJson(*recording).dump(), document.dump());
    }

    void everyKindComesBack() {
        CudaGraph graph = small();
        for (int kind = 0; kind <= static_cast<int>(CudaNodeKind::Other); ++kind)
            graph.graphs[0].nodes.push_back({static_cast<CudaNodeKind>(kind), {}, 0, {}});
        QVERIFY(cudaGraphFromJson(toJson(graph)).value() == graph);
        std::set<std::string_view> names;
        for (const CudaNode& node : graph.graphs[0].nodes)
            names.insert(cudaNodeKindName(node.kind));
        QCOMPARE(names.size(), static_cast<std::size_t>(CudaNodeKind::Other) + 1);
    }

    void whatLeadsNowhereIsRefused_data() {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("why");
        const auto row = [](const char* name, const char* path, const char* value, const char* why) {
            QTest::newRow(name) << path << value << why;
        };
        const char* const nested = "graphs: an inner graph does not follow the one that has it";
        const char* const bytes =
            "graphs[0].nodes[0].detail.params: the bytes of a parameter are not what its size says";
        row("edge", "/graphs/0/edges/0/1", "99", "graphs[0].edges: an edge leads nowhere");
        row("graph before its owner", "/graphs/0/nodes/7/detail/graphs/0", "0", nested);
        row("no such graph", "/graphs/0/nodes/7/detail/graphs/0", "4", nested);
        row("bytes", "/graphs/0/nodes/0/detail/params/0/2", "\"12\"", bytes);
        row("no hexadecimal", "/graphs/0/nodes/0/detail/params/3/2", "\"zzzzzzzz\"", bytes);
        row("kind", "/graphs/0/nodes/0/kind", "\"wizard\"", "graphs[0].nodes[0].kind: unknown word 'wizard'");
        row("detail of another kind", "/graphs/0/nodes/0/kind", "\"memset\"",
            "graphs[0].nodes[0].detail.target: is missing");
        row("no graph", "/graphs", "[]", "graphs: there is none, or there are too many");
        row("port", "/graphs/0/edges/0/2", "\"x\"",
            "graphs[0].edges[0][2]: expected a whole number, not a string");
        row("port that is none", "/graphs/0/edges/0/2", "256", "graphs[0].edges[0][2]: out of range: 256");
    }
    void whatLeadsNowhereIsRefused() {
        QFETCH(QString, path);
        QFETCH(QString, value);
        QFETCH(QString, why);
        json document = synthetic()["cuda_graph"];
        QVERIFY(cudaGraphFromJson(document));
        document[json::json_pointer(path.toStdString())] = json::parse(value.toStdString());
        const auto read = cudaGraphFromJson(document);
        QVERIFY(!read);
        QCOMPARE(QString::fromStdString(read.error().message), "CUDA graph: " + why);
    }

    void aMakerMustBeANode() {
        json document = synthetic();
        document["cuda_graph"]["graphs"][0]["nodes"][0]["maker"] = 11;
        const Result<ReplayRecording> recording = recordingFromJson(document);
        QVERIFY(!recording);
        QVERIFY(recording.error().message.find("a CUDA node of a node") != std::string::npos);
    }

    void words() {
        const CudaGraph graph = small();
        QCOMPARE(describe(graph.graphs[0].nodes[0]), std::string("scale(float*, float)<<<4, 128>>>"));
        QCOMPARE(describe(graph.graphs[0].nodes[1]),
                 std::string("_Z9transposePfS_<<<(40, 4, 1), (32, 16, 1), 2048>>>"));
        QCOMPARE(describe(graph.graphs[0].nodes[2]), std::string("memcpy device to device, 4.0 KiB"));
        const auto words = [](CudaNodeKind kind, decltype(CudaNode::detail) detail) {
            return describe({kind, {}, 0, std::move(detail)});
        };
        QCOMPARE(words(CudaNodeKind::Memset, CudaMemset{0, 255, 4, 16, 2, 64}),
                 std::string("memset 16 x 2 x 4 B to 0xff"));
        QCOMPARE(words(CudaNodeKind::Alloc, CudaAlloc{0x1000, 3 << 20}),
                 std::string("alloc 3.0 MiB at 0x1000"));
        QCOMPARE(words(CudaNodeKind::Free, CudaFree{0x1000}), std::string("free 0x1000"));
        QCOMPARE(words(CudaNodeKind::Conditional, CudaInner{"if", {1}, true}),
                 std::string("conditional if, 1 graph"));
        QCOMPARE(words(CudaNodeKind::Conditional, CudaInner{"", {}, false}),
                 std::string("conditional, bodies not known"));
        QCOMPARE(words(CudaNodeKind::Empty, {}), std::string("empty"));
    }

    void parametersAsNumbers() {
        QCOMPARE(CudaKernelParam({0, 8, "0040000000000000"}).number().value(), std::uint64_t{0x4000});
        QCOMPARE(CudaKernelParam({0, 1, "ff"}).number().value(), std::uint64_t{255});
        QVERIFY(!CudaKernelParam({0, 8, ""}).number());
        QVERIFY(!CudaKernelParam({0, 16, std::string(32, '0')}).number());
    }

    void theDumpOfTheDriver() {
        const QByteArray text = dataFile("synthetic_cuda_graph.dot");
        const auto dump = readCudaDot(text.toStdString());
        QVERIFY(dump);
        QCOMPARE(dump->size(), std::size_t{1});
        QCOMPARE(dump->front().edges, std::size_t{2});
        const std::vector<DotNode> nodes{
            {"graph_1_node_0", "KERNEL", "_Z5scalePff", "4,128,0"},
            {"graph_1_node_1", "KERNEL", "_Z9transposePfS_", "{40,4},{32,16},2048"},
            {"graph_1_node_2", "MEMCPY", "", ""}};
        QVERIFY(dump->front().nodes == nodes);
        QVERIFY(compareWithDot(small(), *dump).empty());
    }

    void whatTheDumpSaysOtherwise() {
        const auto dump = readCudaDot(dataFile("synthetic_cuda_graph.dot").toStdString());
        QVERIFY(dump);
        CudaGraph graph = small();
        std::get<CudaKernel>(graph.graphs[0].nodes[0].detail).grid[0] = 5;
        QCOMPARE(compareWithDot(graph, *dump).size(), std::size_t{2}); // the one launch and the other
        graph = small();
        graph.graphs[0].nodes.push_back({CudaNodeKind::Empty, {}, 0, {}});
        QCOMPARE(compareWithDot(graph, *dump),
                 std::vector<std::string>{"the DOT dump has 0 nodes of kind EMPTY where 1 were read"});
        graph = small();
        graph.graphs[0].edges.pop_back();
        QCOMPARE(compareWithDot(graph, *dump),
                 std::vector<std::string>{"the DOT dump has 2 edges where 1 were read"});
    }

    void bodiesThatOnlyTheDumpShows() {
        auto dump = readCudaDot(dataFile("synthetic_cuda_graph.dot").toStdString());
        QVERIFY(dump);
        dump->front().nodes.push_back({"graph_1_node_3", "CONDITIONAL", "", ""});
        dump->push_back({"cluster_2", {{"graph_2_node_0", "KERNEL", "_Z1fv", "1,1,0"}}, 0});
        CudaGraph graph = small();
        graph.graphs[0].nodes.push_back({CudaNodeKind::Conditional, {}, 0, CudaInner{"", {}, false}});
        const std::vector<std::string> said = compareWithDot(graph, *dump);
        QCOMPARE(said, std::vector<std::string>{
                           "the DOT dump shows 1 graphs within conditionals, of 1 nodes, that the "
                           "driver has no call to read"});
    }

    void noDot() {
        QVERIFY(!readCudaDot("this is no graph {"));
        QVERIFY(!readCudaDot(""));
        const auto empty = readCudaDot("digraph dot {}");
        QVERIFY(empty && empty->empty());
        std::string deep = "digraph dot {";
        for (int i = 0; i < 100000; ++i)
            deep += "subgraph c {";
        QVERIFY(!readCudaDot(deep));
        QVERIFY(!readCudaDot("digraph dot { subgraph c { \"a [label=\"x\"] } }"));
    }
};

QTEST_GUILESS_MAIN(TestReplayCudaGraph)
#include "tst_replay_cuda_graph.moc"
