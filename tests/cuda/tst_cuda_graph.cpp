// SPDX-License-Identifier: BSD-3-Clause
//
// The driver's table and the reader of graphs, over a library in the driver's place: no GPU is involved.
#include "core/replay/recording.h"
#include "plugins/cuda/graph_reader.h"
#include "plugins/cuda/shared_library.h"
#include "tests/cuda/fake_driver.h"

#include <QCoreApplication>
#include <QFile>
#include <QtTest>

using namespace dynascope;
using namespace dynascope::replay;
using test::FakeDriver;
using test::FakeGraph;
using test::FakeNode;

namespace {

std::string library(const char* name) {
    return QCoreApplication::applicationDirPath().toStdString() + "/lib" + name + ".so";
}

/// The library's behaviour, as it was made.
FakeDriver& fake(const char* name = "fake_driver") {
    static std::map<std::string, cuda::SharedLibrary> opened;
    auto found = opened.find(name);
    if (found == opened.end()) found = opened.emplace(name, *cuda::SharedLibrary::open(library(name))).first;
    FakeDriver& driver = *found->second.find<test::FakeDriverOf>("fakeDriver")();
    driver = {};
    return driver;
}

CudaGraph fixture() {
    QFile file(QStringLiteral(DYNASCOPE_TEST_DATA "/replay/synthetic_cuda_recording.json"));
    if (!file.open(QIODevice::ReadOnly)) return {};
    return recordingFromJson(nlohmann::json::parse(file.readAll().toStdString())).value().cudaGraph.value();
}

std::vector<unsigned char> bytesOf(const std::string& hex) {
    const QByteArray bytes = QByteArray::fromHex(QByteArray::fromStdString(hex));
    return {bytes.begin(), bytes.end()};
}

CUmemorytype memoryOf(const std::string& name) {
    return name == "host" ? CU_MEMORYTYPE_HOST : name == "array" ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_DEVICE;
}

CUgraphNodeType typeOf(CudaNodeKind kind) {
    return static_cast<CUgraphNodeType>(kind); // the driver's order, which the test of kinds holds to names
}

/// Graphs of the stand-in that say what a model says.
struct FakeGraphs {
    explicit FakeGraphs(const CudaGraph& model) {
        for (std::size_t i = 0; i < model.graphs.size(); ++i)
            graphs.push_back(std::make_unique<FakeGraph>());
        for (std::size_t i = 0; i < model.graphs.size(); ++i) {
            for (const CudaNode& node : model.graphs[i].nodes) {
                FakeNode& made = graphs[i]->add(typeOf(node.kind));
                made.cuptiId = node.id;
                if (node.maker) makers[test::handleOf(made)] = *node.maker;
                std::visit([&](const auto& detail) { set(made, detail); }, node.detail);
            }
            for (const CudaEdge& edge : model.graphs[i].edges)
                graphs[i]->link(*graphs[i]->nodes[edge.from], *graphs[i]->nodes[edge.to],
                                {edge.fromPort, edge.toPort, edge.type, {}});
        }
    }
    std::vector<std::unique_ptr<FakeGraph>> graphs;
    cuda::Makers makers;

private:
    void set(FakeNode& /*node*/, const std::monostate& /*none*/) {}
    void set(FakeNode& node, const CudaKernel& kernel) {
        node.function.name = kernel.function;
        node.kernel.func = reinterpret_cast<CUfunction>(&node.function);
        std::tie(node.kernel.gridDimX, node.kernel.gridDimY, node.kernel.gridDimZ) =
            std::tuple(kernel.grid[0], kernel.grid[1], kernel.grid[2]);
        std::tie(node.kernel.blockDimX, node.kernel.blockDimY, node.kernel.blockDimZ) =
            std::tuple(kernel.block[0], kernel.block[1], kernel.block[2]);
        node.kernel.sharedMemBytes = kernel.sharedBytes;
        for (const CudaKernelParam& param : kernel.params) {
            node.function.params.emplace_back(param.offset, param.size);
            node.arguments.push_back(bytesOf(param.bytes));
        }
        for (auto& argument : node.arguments)
            node.argumentPointers.push_back(argument.data());
        node.kernel.kernelParams = node.argumentPointers.data();
    }
    void set(FakeNode& node, const CudaMemcpy& copy) {
        node.copy.srcMemoryType = memoryOf(copy.from);
        node.copy.dstMemoryType = memoryOf(copy.to);
        node.copy.srcDevice = copy.source;
        node.copy.dstDevice = copy.target;
        node.copy.srcHost = reinterpret_cast<const void*>(copy.source);
        node.copy.WidthInBytes = copy.widthBytes;
        node.copy.Height = copy.height;
        node.copy.Depth = copy.depth;
    }
    void set(FakeNode& node, const CudaMemset& set) {
        node.set = {set.target, set.pitchBytes, set.value, set.elementBytes, set.width, set.height};
    }
    void set(FakeNode& node, const CudaAlloc& alloc) {
        node.alloc.dptr = alloc.address;
        node.alloc.bytesize = alloc.bytes;
    }
    void set(FakeNode& node, const CudaFree& release) { node.freed = release.address; }
    void set(FakeNode& node, const CudaInner& inner) {
        node.condition = inner.condition == "if"      ? CU_GRAPH_COND_TYPE_IF
                         : inner.condition == "while" ? CU_GRAPH_COND_TYPE_WHILE
                                                      : CU_GRAPH_COND_TYPE_SWITCH;
        for (const std::uint32_t graph : inner.graphs)
            node.inner.push_back(graphs[graph]->handle());
    }
};

std::uint64_t cuptiId(void* /*context*/, CUgraphNode node) {
    return reinterpret_cast<FakeNode*>(node)->cuptiId;
}

} // namespace

class TestCudaGraph : public QObject {
    Q_OBJECT

private slots:
    void withoutADriver() {
        const auto none = cuda::loadDriver("libcuda-that-there-is-not.so.1");
        QVERIFY(!none);
        QVERIFY2(
            none.error().message.starts_with("no CUDA driver: libcuda-that-there-is-not.so.1: cannot open"),
            none.error().message.c_str());
        QCOMPARE(none.error().message.find('\n'), std::string::npos);
    }

    void driversThatWillNotDo() {
        const auto why = [](const char* name) {
            const auto loaded = cuda::loadDriver(library(name));
            return loaded ? std::string() : loaded.error().message;
        };
        fake().version = 12030;
        QCOMPARE(why("fake_driver"),
                 std::string("the CUDA driver is of version 12.3; this needs 12.4 or newer"));
        fake().devices = 0;
        QCOMPARE(why("fake_driver"), std::string("the CUDA driver knows of no device"));
        fake().init = CUDA_ERROR_NO_DEVICE;
        QCOMPARE(why("fake_driver"),
                 std::string("the CUDA driver does not start: no CUDA-capable device is detected"));
        fake().init = CUDA_ERROR_UNKNOWN;
        QCOMPARE(why("fake_driver"), std::string("the CUDA driver does not start: error 999"));
        fake("fake_driver_broken");
        QVERIFY(why("fake_driver_broken").ends_with("libfake_driver_broken.so has no cuKernelGetName"));
        fake();
        QCOMPARE(why("fake_driver"), std::string());
    }

    void everythingIsRead() {
        fake();
        const auto api = cuda::loadDriver(library("fake_driver"));
        QVERIFY(api);
        const CudaGraph model = fixture();
        FakeGraphs graphs(model);
        auto read = cuda::readGraph(**api, graphs.graphs[0]->handle(), graphs.makers, cuptiId);
        QVERIFY2(read, read ? "" : read.error().message.c_str());
        QCOMPARE(read->driverVersion, 13000);
        read->device = model.device;
        // Labels are the demangler's; those of the fixture were written for people.
        CudaGraph expected = model;
        for (std::size_t i = 0; i < read->graphs.size(); ++i)
            for (std::size_t k = 0; k < read->graphs[i].nodes.size(); ++k)
                if (auto* kernel = std::get_if<CudaKernel>(&expected.graphs[i].nodes[k].detail))
                    kernel->label = std::get<CudaKernel>(read->graphs[i].nodes[k].detail).label;
        QVERIFY(*read == expected);
        QVERIFY(std::get<CudaKernel>(read->graphs[0].nodes[1].detail)
                    .label.starts_with("void at::native::vectorized_elementwise_kernel<4, "));
        cuda::checkAgainstDump(**api, graphs.graphs[0]->handle(), *read);
        QVERIFY2(read->warnings.empty(), read->warnings.empty() ? "" : read->warnings.front().c_str());
    }

    void argumentsInOneBuffer() {
        fake();
        const auto api = cuda::loadDriver(library("fake_driver"));
        FakeGraph graph;
        FakeNode& node = graph.add(CU_GRAPH_NODE_TYPE_KERNEL);
        node.function = {"f", {{0, 4}, {8, 8}, {64, 8}}};
        node.kernel.kern = reinterpret_cast<CUkernel>(&node.function); // without a CUfunction
        std::vector<unsigned char> buffer{1, 2, 3, 4, 0, 0, 0, 0, 5, 6, 7, 8, 9, 10, 11, 12};
        std::size_t size = buffer.size();
        void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, buffer.data(), CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                         CU_LAUNCH_PARAM_END};
        node.kernel.extra = extra;
        auto read = cuda::readGraph(**api, graph.handle(), {});
        QVERIFY(read);
        const auto& kernel = std::get<CudaKernel>(read->graphs[0].nodes[0].detail);
        QCOMPARE(kernel.function, std::string("f"));
        const std::vector<CudaKernelParam> params{
            {0, 4, "01020304"}, {8, 8, "05060708090a0b0c"}, {64, 8, ""}};
        QVERIFY(kernel.params == params); // the last one lies beyond the buffer
        node.kernel.extra = nullptr;
        read = cuda::readGraph(**api, graph.handle(), {});
        QVERIFY(!std::get<CudaKernel>(read->graphs[0].nodes[0].detail).paramsKnown);
    }

    void whatTheDriverRefuses() {
        fake();
        const auto api = cuda::loadDriver(library("fake_driver"));
        FakeGraphs graphs(fixture());
        graphs.graphs[0]->nodes[0]->refuses = CUDA_ERROR_INVALID_HANDLE;
        const auto read = cuda::readGraph(**api, graphs.graphs[0]->handle(), graphs.makers);
        QVERIFY(read);
        QCOMPARE(read->warnings, std::vector<std::string>{
                                     "a kernel node does not tell its parameters: invalid resource handle"});
        QVERIFY(std::holds_alternative<std::monostate>(read->graphs[0].nodes[0].detail));
    }

    void driversBeforeConditionalsCouldBeRead() {
        fake("fake_driver_old");
        const auto api = cuda::loadDriver(library("fake_driver_old"));
        QVERIFY(api);
        FakeGraphs graphs(fixture());
        auto read = cuda::readGraph(**api, graphs.graphs[0]->handle(), graphs.makers);
        QVERIFY(read);
        QCOMPARE(read->graphs.size(), std::size_t{2}); // the graph and its child
        QCOMPARE(describe(read->graphs[0].nodes[7]), std::string("conditional, bodies not known"));
        cuda::checkAgainstDump(**api, graphs.graphs[0]->handle(), *read);
        QVERIFY(!read->warnings.empty());
        QVERIFY(read->warnings[0].find("graphs within conditionals") != std::string::npos);
    }

    void aDumpThatSaysOtherwise() {
        FakeDriver& driver = fake();
        const auto api = cuda::loadDriver(library("fake_driver"));
        FakeGraphs graphs(fixture());
        auto read = cuda::readGraph(**api, graphs.graphs[0]->handle(), graphs.makers);
        QVERIFY(read);
        driver.dot = "no graph";
        cuda::checkAgainstDump(**api, graphs.graphs[0]->handle(), *read);
        QCOMPARE(read->warnings,
                 std::vector<std::string>{"not checked against the driver's dump: the dump of the "
                                          "CUDA graph is no DOT"});
        read->warnings.clear();
        driver.dot = "digraph dot {}";
        cuda::checkAgainstDump(**api, graphs.graphs[0]->handle(), *read);
        QVERIFY(read->warnings.size() > 5);
    }

    void whatIsCapturedHasAMaker() {
        FakeDriver& driver = fake();
        const auto api = cuda::loadDriver(library("fake_driver"));
        FakeGraph graph;
        driver.captured = &graph;
        cuda::CaptureMarks marks(*api, nullptr);
        QVERIFY(!marks.mark(0)); // nothing captures yet
        driver.capturing = CU_STREAM_CAPTURE_STATUS_ACTIVE;
        QVERIFY(marks.mark(1));
        QVERIFY(marks.makers().empty());
        const auto kernel = [&](std::initializer_list<FakeNode*> after) -> FakeNode& {
            FakeNode& node = graph.add(CU_GRAPH_NODE_TYPE_KERNEL);
            for (FakeNode* before : after)
                graph.link(*before, node);
            driver.ends = {test::handleOf(node)};
            return node;
        };
        // Node 2 launches two kernels, node 4 three of which two run side by side.
        FakeNode& a = kernel({});
        FakeNode& b = kernel({&a});
        QVERIFY(marks.mark(2));
        QVERIFY(marks.mark(3));
        FakeNode& c = kernel({&b});
        FakeNode& d = kernel({&b});
        FakeNode& e = kernel({&c, &d});
        QVERIFY(marks.mark(4));
        const cuda::Makers expected{{test::handleOf(a), 2},
                                    {test::handleOf(b), 2},
                                    {test::handleOf(c), 4},
                                    {test::handleOf(d), 4},
                                    {test::handleOf(e), 4}};
        QVERIFY(marks.makers() == expected);
    }

    void marksCostWhatTheNodesDo() {
        FakeDriver& driver = fake();
        const auto api = cuda::loadDriver(library("fake_driver"));
        FakeGraph graph;
        driver.captured = &graph;
        driver.capturing = CU_STREAM_CAPTURE_STATUS_ACTIVE;
        cuda::CaptureMarks marks(*api, nullptr);
        FakeNode* last = nullptr;
        constexpr std::uint32_t count = 2000;
        for (std::uint32_t i = 0; i < count; ++i) {
            FakeNode& node = graph.add(CU_GRAPH_NODE_TYPE_KERNEL);
            if (last) graph.link(*last, node);
            driver.ends = {test::handleOf(node)};
            last = &node;
            QVERIFY(marks.mark(i));
        }
        QCOMPARE(marks.makers().size(), std::size_t{count});
        QVERIFY(driver.calls.size() <= 2 * count);
    }

    void updates() {
        FakeDriver& driver = fake();
        const auto api = cuda::loadDriver(library("fake_driver"));
        FakeGraph graph;
        QVERIFY(cuda::updateExec(**api, nullptr, graph.handle()));
        driver.update = CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
        const auto refused = cuda::updateExec(**api, nullptr, graph.handle());
        QVERIFY(!refused);
        QCOMPARE(refused.error().message,
                 std::string("the graph cannot be updated: its nodes or edges are others"));
    }
};

QTEST_GUILESS_MAIN(TestCudaGraph)
#include "tst_cuda_graph.moc"
