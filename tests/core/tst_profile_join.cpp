// SPDX-License-Identifier: BSD-3-Clause
//
// Profiles joined to their captures: real ones of tests/data/profile, and events of a GPU written by hand.
#include "core/capture/open.h"
#include "core/ir/text.h"
#include "core/profile/compared.h"
#include "core/profile/graph_calls.h"
#include "tests/support/profiles.h"
#include "tests/support/trace_text.h"

#include <QtTest>
#include <set>

using namespace dynascope;
using namespace dynascope::profile;

namespace {

JoinedPtr joinedTexts(const std::string& trace, const std::string& events) {
    session::SessionPtr session;
    if (!trace.empty()) session = capture::openText(trace).value_or(nullptr);
    const auto profile = read(R"({"schemaVersion": 1, "traceEvents": [)" + events + "]}", "gpu.json");
    return profile ? join(session, *profile).value_or(nullptr) : nullptr;
}

/// The row of the first event with that name.
const Row* rowOf(const Joined& joined, std::string_view name) {
    for (std::size_t i = 0; i < joined.rowOf.size(); ++i)
        if (joined.profile->nameOf(joined.profile->events[i]) == name && joined.rowOf[i] != none)
            return &joined.rows[joined.rowOf[i]];
    return nullptr;
}

const GroupedRow* rowWithKey(const std::vector<GroupedRow>& rows, std::string_view key) {
    const auto at = std::ranges::find(rows, key, &GroupedRow::key);
    return at == rows.end() ? nullptr : &*at;
}

/// Output code with a Triton kernel and two products, and the graph that it was made of.
std::string gpuTrace(bool withComments = false) {
    test::TraceText text;
    text.start();
    text.add("\"dynamo_output_graph\": {}", test::readableGraph(1));
    text.artifact("inductor_post_grad_graph",
                  "class <lambda>(torch.nn.Module):\n"
                  "    def forward(self, a: \"f32[8, 8]\"):\n"
                  "        relu: \"f32[8, 8]\" = torch.ops.aten.relu.default(a)\n"
                  "        mm: \"f32[8, 8]\" = torch.ops.aten.mm.default(relu, a)\n"
                  "        mm_1: \"f32[8, 8]\" = torch.ops.aten.mm.default(mm, a)\n"
                  "        return (mm_1,)\n");
    test::addProductsOnGpu(text, withComments);
    return text.text();
}

constexpr std::string_view cpuSide = R"(
{"ph":"X","cat":"cpu_op","name":"TorchDynamo Cache Lookup","pid":1,"tid":1,"ts":0,"dur":5},
{"ph":"X","cat":"cpu_op","name":"Torch-Compiled Region: 0/0","pid":1,"tid":1,"ts":10,"dur":90},
{"ph":"X","cat":"user_annotation","name":"## Call CompiledFxGraph fabc ##","pid":1,"tid":1,"ts":20,"dur":70},
)";

constexpr std::string_view launches = R"(
{"ph":"X","cat":"cpu_op","name":"triton_poi_fused_relu_0","pid":1,"tid":1,"ts":21,"dur":9,"args":{"External id":1,"kernel_file":"/c/x.py","kernel_hash":"ab"}},
{"ph":"X","cat":"cuda_driver","name":"cuLaunchKernel","pid":1,"tid":1,"ts":22,"dur":5,"args":{"External id":1,"correlation":11}},
{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":40,"dur":9,"args":{"External id":2}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":42,"dur":5,"args":{"External id":2,"correlation":12}},
{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":60,"dur":9,"args":{"External id":3}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":62,"dur":5,"args":{"External id":3,"correlation":13}},
{"ph":"X","cat":"kernel","name":"triton_poi_fused_relu_0","pid":0,"tid":7,"ts":50,"dur":10,"args":{"device":0,"stream":7,"correlation":11,"External id":1}},
{"ph":"X","cat":"kernel","name":"sgemm_a","pid":0,"tid":7,"ts":70,"dur":20,"args":{"device":0,"stream":7,"correlation":12,"External id":2}},
{"ph":"X","cat":"kernel","name":"sgemm_a","pid":0,"tid":7,"ts":100,"dur":30,"args":{"device":0,"stream":7,"correlation":13,"External id":3}},
{"ph":"X","cat":"gpu_memset","name":"Memset","pid":0,"tid":7,"ts":200,"dur":1,"args":{"device":0,"stream":7,"correlation":99}}
)";

} // namespace

class TestProfileJoin : public QObject {
    Q_OBJECT

private slots:
    void real_data() {
        QTest::addColumn<QString>("folder");
        QTest::addColumn<int>("regions");
        QTest::addColumn<int>("graphs");
        QTest::addColumn<int>("kernels");
        QTest::addColumn<int>("operators");
        QTest::newRow("breaks") << "breaks" << 9 << 18 << 27 << 0;
        QTest::newRow("encoder_inductor") << "encoder_inductor" << 3 << 6 << 144 << 0;
        QTest::newRow("mlp_aot") << "mlp_aot" << 3 << 0 << 0 << 69;
    }
    void real() {
        QFETCH(QString, folder);
        QFETCH(int, regions);
        QFETCH(int, graphs);
        QFETCH(int, kernels);
        QFETCH(int, operators);
        const JoinedPtr joined = test::joinedFolder(folder.toStdString());
        QVERIFY(joined);
        const auto whole = [](const Tally& tally, int all) {
            return tally.joined == tally.all && tally.all == std::size_t(all);
        };
        QVERIFY(whole(joined->regions, regions));
        QVERIFY(whole(joined->graphs, graphs));
        QVERIFY(whole(joined->kernels, kernels));
        QVERIFY(whole(joined->operators, operators));
    }

    void rowsAddUpToBusyTime_data() {
        QTest::addColumn<QString>("folder");
        for (const char* const folder : {"breaks", "encoder_inductor", "mlp_aot"})
            QTest::newRow(folder) << folder;
    }
    void rowsAddUpToBusyTime() {
        QFETCH(QString, folder);
        const JoinedPtr joined = test::joinedFolder(folder.toStdString());
        QVERIFY(joined);
        Facts facts(joined);
        for (std::size_t by = 0; by < byNames.size(); ++by) {
            std::vector<double> sums(joined->profile->devices.size(), 0.0);
            for (const GroupedRow& row : grouped(facts, static_cast<By>(by)))
                sums[row.device] += row.self;
            for (std::size_t device = 0; device < sums.size(); ++device)
                QVERIFY2(std::abs(sums[device] - joined->profile->busy[device]) < 1000,
                         std::string(byNames[by]).c_str());
        }
        for (std::size_t i = 0; i < joined->rowOf.size(); ++i)
            QCOMPARE(joined->rowOf[i] != none, takesTime(joined->profile->events[i].kind));
    }

    void kernelsOfOutputCode() {
        const JoinedPtr joined = test::joinedFolder("encoder_inductor");
        QVERIFY(joined);
        Facts facts(joined);
        const auto rows = grouped(facts, By::Kernel);
        const GroupedRow* relu = rowWithKey(rows, "cpp_fused_relu_threshold_backward_view_3");
        QVERIFY(relu);
        QCOMPARE(relu->count, std::size_t(6)); // twice in each of three steps
        QCOMPARE(relu->compile, std::string("0/0"));
        QVERIFY(relu->median && *relu->median > 0);
        // The n-th call of a library kernel is the n-th such line of the output code.
        std::set<int> products;
        for (const Row& row : joined->rows)
            if (row.part == Part::Kernel && !row.backward && row.inner == Link::KernelOrder)
                products.insert(row.kernel);
        QVERIFY(products.size() >= 6);
        QVERIFY(rowWithKey(rows, "guards"));
        QVERIFY(rowWithKey(rows, "output code around its kernels"));
    }

    void nodesOfAotEager() {
        const JoinedPtr joined = test::joinedFolder("mlp_aot");
        QVERIFY(joined);
        Facts facts(joined);
        const auto rows = grouped(facts, By::Node);
        for (const char* const node :
             {"addmm", "addmm_1", "gelu", "native_layer_norm", "gelu_backward", "mm_2"}) {
            const GroupedRow* row = rowWithKey(rows, node);
            QVERIFY2(row, node);
            QCOMPARE(row->count, std::size_t(3));
            QVERIFY2(row->evidence.ends_with("operator, order and Input Dims"), row->evidence.c_str());
        }
        const auto stages = grouped(facts, By::Stage);
        const GroupedRow* forward = rowWithKey(stages, "aot_forward_graph");
        const GroupedRow* backward = rowWithKey(stages, "aot_backward_graph");
        QVERIFY(forward && backward && forward->count > 3 && backward->count > 3);
        const auto modules = grouped(facts, By::Module);
        QVERIFY(std::ranges::any_of(modules, [](const GroupedRow& row) { return !row.module.empty(); }));
    }

    /// With the backend "eager" the frame's graph runs as it is, and autograd's backward of a node has its sequence number.
    void backwardOfANodeIsOtherWork() {
        test::TraceText text;
        text.start();
        text.add("\"dynamo_output_graph\": {}", test::readableGraph(1));
        text.metrics();
        const JoinedPtr joined = joinedTexts(text.text(), R"(
{"ph":"X","cat":"cpu_op","name":"Torch-Compiled Region: 0/0","pid":1,"tid":1,"ts":10,"dur":40},
{"ph":"X","cat":"cpu_op","name":"aten::add","pid":1,"tid":1,"ts":20,"dur":10,"args":{"Sequence number":7,"Input Dims":[[4],[]]}},
{"ph":"X","cat":"cpu_op","name":"autograd::engine::evaluate_function: AddBackward0","pid":1,"tid":2,"ts":80,"dur":10,"args":{"Sequence number":7}})");
        QVERIFY(joined);
        Facts facts(joined);
        std::map<Link, std::optional<double>> bytes;
        for (std::uint32_t i = 0; i < joined->rows.size(); ++i)
            if (joined->rows[i].part == Part::Node) {
                QCOMPARE(facts.of(i).nodeNames, std::vector<std::string>{"add_0"});
                bytes[joined->rows[i].inner] = facts.of(i).work.bytes;
            }
        QCOMPARE(bytes.size(), std::size_t(2));
        QVERIFY(bytes.contains(Link::Sequence) && !bytes[Link::Sequence]);
        bytes.erase(Link::Sequence);
        QVERIFY(bytes.begin()->second.has_value());
    }

    /// What the wrapper does to a graph's results may be an operator that the graph has too; it comes after its last one.
    void behindTheLastNodeIsTheWrapper() {
        const JoinedPtr joined = test::joinedFolder("mlp_aot");
        QVERIFY(joined);
        QCOMPARE(joined->operators.joined, joined->operators.all);
        const session::Stage* forward = nullptr;
        for (const session::StagePtr& stage : joined->session->compiles.front().stages)
            if (stage->phase == session::Phase::Forward) forward = stage.get();
        QVERIFY(forward && forward->graph());
        const GraphOperators graph(**forward->graph());
        std::vector<CalledOperator> called{{"aten::addmm", {}}};
        QVERIFY(!graph.match(called).front().foreign);
        const ir::Graph& nodes = **forward->graph();
        std::vector<std::string> names;
        for (ir::NodeIndex i = 0; i < nodes.size(); ++i)
            if (const std::string& target = nodes.node(i).target; target.starts_with("torch.ops.aten."))
                names.push_back("aten::" + target.substr(15, target.find('.', 15) - 15));
        QVERIFY(names.size() > 3);
        called.clear();
        for (const std::string& name : names)
            called.push_back({name, {}});
        called.push_back({names.front(), {}}); // the wrapper's
        const std::vector<Matched> matched = graph.match(called);
        QVERIFY(matched.back().foreign);
        QVERIFY(
            std::none_of(matched.begin(), matched.end() - 1, [](const Matched& one) { return one.foreign; }));
    }

    void whatABreakCosts() {
        const JoinedPtr joined = test::joinedFolder("breaks");
        QVERIFY(joined);
        Facts facts(joined);
        const auto rows = grouped(facts, By::Break);
        const GroupedRow* print = rowWithKey(rows, "graph break at profiles.py:16");
        const GroupedRow* branch = rowWithKey(rows, "graph break at profiles.py:17");
        QVERIFY(print && branch && print->joined);
        QVERIFY(rowWithKey(rows, "compiled code") && rowWithKey(rows, "outside compiled code"));
        // is_nonzero of the branch, with what it holds, is eager code behind the break; so are the next frame's guards.
        const Row* op = rowOf(*joined, "aten::_local_scalar_dense");
        QVERIFY(op && op->part == Part::AfterBreak && op->inner == Link::BreakOfFrame);
        QVERIFY(std::ranges::any_of(joined->rows, [](const Row& row) {
            return row.part == Part::Guards && row.brokenCompile >= 0 && row.compile != row.brokenCompile;
        }));
    }

    /// What PyTorch's counter knows and we do not is unknown, and not nothing.
    void workThatIsNotCounted() {
        const auto graph = ir::readGraph(
            "class GraphModule(torch.nn.Module):\n"
            "    def forward(self, q: \"f32[1, 2, 8, 4]\"):\n"
            "        relu: \"f32[1, 2, 8, 4]\" = torch.ops.aten.relu.default(q)\n"
            "        flex: \"f32[1, 2, 8, 4]\" = torch.ops.higher_order.flex_attention(q, q, q)\n"
            "        flash: \"f32[1, 2, 8, 4]\" = torch.ops.aten._flash_attention_forward.default(q, q, q)\n"
            "        cond: \"f32[1, 2, 8, 4]\" = torch.ops.higher_order.cond(q, q, q)\n"
            "        w: \"f32[6, 2, 3, 3]\" = torch.ops.aten.empty.memory_format([6, 2, 3, 3])\n"
            "        conv: \"f32[1, 6, 6, 2]\" = torch.ops.aten.cudnn_convolution.default(q, w, [0, 0], [1, "
            "1], "
            "[1, 1], 1, True, False, True)\n"
            "        return (relu, flex, flash, cond, conv)\n");
        QVERIFY(graph);
        const auto flops = [&](const char* name) { return flopsOf(**graph, (*graph)->find(name)); };
        QCOMPARE(flops("relu"), std::optional(0.0));
        QVERIFY(!flops("cond") && !flops("flash"));
        QCOMPARE(flops("flex"), std::optional(2.0 * 2 * 8 * 8 * (4 + 4)));
        // Its seventh argument is whether to look for the quickest, where that of convolution is `transposed`.
        QCOMPARE(flops("conv"), std::optional(2.0 * (6 * 2) * (6 * 2 * 3 * 3)));
    }

    void workOfNodes() {
        const auto graph =
            ir::readGraph("class <lambda>(torch.nn.Module):\n"
                          "    def forward(self, a: \"f32[8, 4]\", b: \"f32[4, 2]\", s: \"f32[s0]\"):\n"
                          "        t: \"f32[4, 8]\" = torch.ops.aten.t.default(a)\n"
                          "        mm: \"f32[8, 2]\" = torch.ops.aten.mm.default(a, b)\n"
                          "        relu: \"f32[8, 2]\" = torch.ops.aten.relu.default(mm)\n"
                          "        add: \"f32[8, 2]\" = torch.ops.aten.add.Tensor(relu, mm)\n"
                          "        neg: \"f32[s0]\" = torch.ops.aten.neg.default(s)\n"
                          "        mul = torch.mul(a, 2)\n"
                          "        return (add, neg, mul)\n");
        QVERIFY(graph);
        const auto work = [&](std::initializer_list<const char*> names) {
            std::vector<ir::NodeIndex> nodes;
            for (const char* const name : names)
                nodes.push_back((*graph)->find(name));
            return workOf(**graph, nodes);
        };
        QCOMPARE(work({"mm"}).flops.value(), 2.0 * 8 * 4 * 2);
        QCOMPARE(work({"mm"}).bytes.value(), 4.0 * (32 + 8 + 16));
        // Together they write the sum alone; what passes between them is left out.
        QCOMPARE(work({"relu", "add"}).bytes.value(), 4.0 * (16 + 16));
        QCOMPARE(work({"relu", "add"}).flops.value(), 0.0);
        QCOMPARE(work({"t"}).bytes.value(), 0.0);
        QVERIFY(!work({"neg"}).bytes && work({"neg"}).flops == 0.0);
        QVERIFY(!work({"mul"}).flops); // no operator of ATen by its name
        GroupedRow row;
        row.self = 1000;
        row.work = {1e3, 1e3, "bf16"};
        QCOMPARE(saveable(row, {1e10, 2e9}).value(), 500.0);
        QCOMPARE(saveable(row, {1e10, 1e12, {{"f32", 1e9}, {"bf16", 2e9}}}).value(), 500.0);
    }

    void linesOfKernels() {
        const JoinedPtr joined = test::joinedFolder("breaks");
        QVERIFY(joined);
        Facts facts(joined);
        const auto rows = grouped(facts, By::Line);
        const GroupedRow* line = rowWithKey(rows, "profiles.py:16");
        QVERIFY(line && line->line == 16 && line->file.ends_with("profiles.py"));
        QVERIFY(line->part == Part::Kernel);
    }

    void oneStepOfAll() {
        const JoinedPtr joined = test::joinedFolder("mlp_aot");
        QVERIFY(joined);
        Facts facts(joined);
        for (const By by : {By::Node, By::Operator, By::Break}) {
            double steps = 0, all = 0, outside = 0;
            for (int step = -1; step < int(joined->profile->steps.size()); ++step)
                for (const GroupedRow& row : grouped(facts, by, step))
                    (step < 0 ? outside : steps) += row.self;
            for (const GroupedRow& row : grouped(facts, by))
                all += row.self;
            QVERIFY(steps > 0 && std::abs(steps + outside - all) < 1000);
        }
        QVERIFY(std::abs(sharesOf(facts).all() - joined->busy) < 1000);
        QVERIFY(sharesOf(facts, 0).all() < joined->busy);
    }

    void slowerBeyondTheNoise() {
        const auto profileOf = [](double mm) {
            std::string events;
            const auto add = [&](const char* category, const QString& name, double at, double duration) {
                events +=
                    (events.empty() ? "" : ",") +
                    QStringLiteral(R"({"ph":"X","cat":"%1","name":"%2","pid":1,"tid":1,"ts":%3,"dur":%4})")
                        .arg(QLatin1String(category), name)
                        .arg(at)
                        .arg(duration)
                        .toStdString();
            };
            for (int step = 0; step < 5; ++step) {
                add("user_annotation", QStringLiteral("ProfilerStep#%1").arg(step), 1000 * step, 900);
                add("cpu_op", QStringLiteral("aten::mm"), 1000 * step + 10, mm + step);
                add("cpu_op", QStringLiteral("aten::relu"), 1000 * step + 300, 50 + 20 * step);
            }
            return joinedTexts({}, events);
        };
        Facts a(profileOf(100)), b(profileOf(150));
        std::map<std::string, ComparedRow> rows;
        for (ComparedRow& row : compared(a, b, By::Operator))
            rows[row.key] = row;
        QVERIFY(rows.at("aten::mm").beyond);
        QCOMPARE(rows.at("aten::mm").change(), 50000.0);
        QVERIFY(!rows.at("aten::relu").beyond && rows.at("aten::relu").noise > 0);
        QVERIFY(!rows.at("ProfilerStep#1").beyond);
        Facts c(profileOf(105));
        for (const ComparedRow& row : compared(a, c, By::Operator))
            QVERIFY(row.key != "aten::relu" || !row.beyond);
    }

    void kernelsOfAGpu() {
        const JoinedPtr joined = joinedTexts(gpuTrace(), std::string(cpuSide) + std::string(launches));
        QVERIFY(joined);
        QCOMPARE(joined->profile->devices[1], std::string("cuda:0"));
        QCOMPARE(joined->profile->busy[1], 61000.0);
        QCOMPARE(joined->graphs.joined, std::size_t(1));
        QCOMPARE(joined->kernels.joined, joined->kernels.all);
        Facts facts(joined);
        std::map<std::string, double> onGpu;
        for (const GroupedRow& row : grouped(facts, By::Node))
            if (row.device == 1) onGpu[row.key] += row.self;
        QCOMPARE(onGpu["relu"], 10000.0);
        QCOMPARE(onGpu["mm"] + onGpu["mm_1"] + onGpu["mm, mm_1"], 50000.0);
        QCOMPARE(onGpu["unknown kernel"], 1000.0);
        QCOMPARE(mainDevice(*joined->profile), std::string("cuda:0"));
        const Row* memset = rowOf(*joined, "Memset");
        QVERIFY(memset && memset->part == Part::Unknown && memset->compile < 0);
        QVERIFY(std::ranges::any_of(joined->rows, [](const Row& row) {
            return row.device == 1 && row.launch == LaunchLink::Correlation && row.inner == Link::KernelOrder;
        }));
    }

    /// A call of a library's product launches one kernel here, so its work is the product's; two products that one cannot
    /// tell apart have no work that is known.
    void workOfCallsOnAGpu() {
        for (const bool withComments : {false, true}) {
            const JoinedPtr joined =
                joinedTexts(gpuTrace(withComments), std::string(cpuSide) + std::string(launches));
            QVERIFY(joined);
            Facts facts(joined);
            std::size_t products = 0;
            for (const GroupedRow& row : grouped(facts, By::Node)) {
                if (row.device != 1 || !row.key.starts_with("mm")) continue;
                ++products;
                QCOMPARE(row.work.flops, withComments ? std::optional(2.0 * 8 * 8 * 8) : std::nullopt);
                QCOMPARE(row.work.type, std::string(withComments ? "f32" : ""));
            }
            QCOMPARE(products, std::size_t(withComments ? 2 : 1));
        }
    }

    /// Of two products the second alone was recorded, so that neither name nor order says which it is; its handle does.
    void callsByTheirDebugHandles() {
        const std::string events = R"(
{"ph":"X","cat":"cpu_op","name":"## inductor_kernel:extern_kernels.mm:3 ##","pid":1,"tid":1,"ts":40,"dur":10},
{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":41,"dur":8,"args":{"External id":2}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":42,"dur":5,"args":{"External id":2,"correlation":12}},
{"ph":"X","cat":"user_annotation","name":"inductor_kernel:extern_kernels.mm:9","pid":1,"tid":1,"ts":60,"dur":5},
{"ph":"X","cat":"kernel","name":"sgemm_a","pid":0,"tid":7,"ts":70,"dur":20,"args":{"device":0,"stream":7,"correlation":12,"External id":2}})";
        const JoinedPtr joined = joinedTexts(gpuTrace(true), std::string(cpuSide) + events);
        QVERIFY(joined);
        for (const char* name : {"## inductor_kernel:extern_kernels.mm:3 ##", "aten::mm", "sgemm_a"}) {
            const Row* row = rowOf(*joined, name);
            QVERIFY2(row && row->part == Part::Kernel, name);
            QCOMPARE(row->inner, Link::DebugHandle);
        }
        Facts facts(joined);
        std::map<std::string, double> onGpu;
        for (const GroupedRow& row : grouped(facts, By::Node))
            if (row.device == 1) onGpu[row.key] += row.self;
        QCOMPARE(onGpu, (std::map<std::string, double>{{"mm_1", 20000.0}}));
        // No call of the code has this one.
        const Row* unknown = rowOf(*joined, "inductor_kernel:extern_kernels.mm:9");
        QVERIFY(unknown && unknown->part == Part::InGraph);
        QCOMPARE(joined->kernels.all - joined->kernels.joined, std::size_t(1));
    }

    /// No call of output code holds it, as where an exported program runs, and two codes have a kernel of that name.
    void kernelsByTheirFiles() {
        const auto code = [](const std::string& file) {
            return "# kernel path: /tmp/a/" + file +
                   "\ntriton_poi_fused_relu_0 = async_compile.triton('triton_poi_fused_relu_0', "
                   "'''\nk\n''')\n"
                   "def call(args):\n    triton_poi_fused_relu_0.run(a, buf0, 64)\n    return (buf0, )\n";
        };
        test::TraceText text;
        for (int i = 0; i < 2; ++i) {
            text.at(i, 0).start();
            text.add("\"inductor_output_code\": {\"filename\": \"x.py\"}",
                     code(i == 0 ? "xx/cxx.py" : "yy/cyy.py"));
        }
        const JoinedPtr joined = joinedTexts(text.text(), R"(
{"ph":"X","cat":"cpu_op","name":"triton_poi_fused_relu_0","pid":1,"tid":1,"ts":20,"dur":8,"args":{"External id":1,"kernel_file":"/home/b/yy/cyy.py"}},
{"ph":"X","cat":"cpu_op","name":"triton_poi_fused_relu_0","pid":1,"tid":1,"ts":30,"dur":8,"args":{"External id":2}})");
        QVERIFY(joined);
        const Row* row = rowOf(*joined, "triton_poi_fused_relu_0");
        QVERIFY(row);
        QCOMPARE(row->compile, 1);
        QCOMPARE(row->inner, Link::KernelFile);
        QCOMPARE(joined->joined, 8000.0); // without a file nothing says which of the two it is
    }

    void kernelsOfAReplayedGraph() {
        const std::string replay = R"(
{"ph":"X","cat":"cuda_runtime","name":"cudaGraphLaunch","pid":1,"tid":1,"ts":30,"dur":5,"args":{"correlation":50}},
{"ph":"X","cat":"kernel","name":"triton_poi_fused_relu_0","pid":0,"tid":7,"ts":50,"dur":10,"args":{"device":0,"correlation":50,"graph node id":3}},
{"ph":"X","cat":"kernel","name":"sgemm_a","pid":0,"tid":7,"ts":70,"dur":20,"args":{"device":0,"correlation":50,"graph node id":4}})";
        const JoinedPtr joined = joinedTexts(gpuTrace(), std::string(cpuSide) + replay);
        QVERIFY(joined);
        std::map<std::string, Part> parts;
        Facts facts(joined);
        for (std::uint32_t i = 0; i < joined->rowOf.size(); ++i)
            if (joined->profile->events[i].device == 1)
                parts[joined->profile->nameOf(joined->profile->events[i])] =
                    joined->rows[joined->rowOf[i]].part;
        QVERIFY(parts.at("triton_poi_fused_relu_0") == Part::Kernel);
        QVERIFY(parts.at("sgemm_a") == Part::InGraph); // nothing says which product it is
    }

    /// The output code makes two products after its kernel: as many kernels of a library are one of each.
    void placesInAReplayedGraph_data() {
        QTest::addColumn<int>("kernels"); // of the library, in a row
        QTest::addColumn<int>("stream");  // of the last one
        QTest::addColumn<int>("node");    // of the graph, of the first one of the library; 0 without numbers
        QTest::addColumn<bool>("known");
        QTest::newRow("one each") << 2 << 7 << 0 << true;
        QTest::newRow("one too many") << 3 << 7 << 0 << false;
        QTest::newRow("two streams") << 2 << 8 << 0 << false;
        QTest::newRow("two streams, captured in this order") << 2 << 8 << 11 << true;
        // Captured the other way round: what ran first is not what the code calls first.
        QTest::newRow("two streams, captured in another") << 2 << 8 << -12 << true;
    }
    void placesInAReplayedGraph() {
        QFETCH(int, kernels);
        QFETCH(int, stream);
        QFETCH(int, node);
        QFETCH(bool, known);
        const auto numbered = [&](int at) {
            return node == 0 ? std::string() : ",\"graph node id\":" + std::to_string(at);
        };
        std::string replay = R"(
{"ph":"X","cat":"cpu_op","name":"aten::_foreach_copy_","pid":1,"tid":1,"ts":22,"dur":5},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":23,"dur":2,"args":{"correlation":49}},
{"ph":"X","cat":"kernel","name":"multi_tensor","pid":0,"tid":7,"ts":26,"dur":2,"args":{"device":0,"correlation":49}},
{"ph":"X","cat":"cuda_runtime","name":"cudaGraphLaunch","pid":1,"tid":1,"ts":30,"dur":5,"args":{"correlation":50}},
{"ph":"X","cat":"kernel","name":"triton_poi_fused_relu_0","pid":0,"tid":7,"ts":50,"dur":10,"args":{"device":0,"correlation":50)" +
                             numbered(10) + "}}";
        for (int i = 0; i < kernels; ++i)
            replay +=
                ",\n{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"sgemm\",\"pid\":0,\"tid\":" +
                std::to_string(i + 1 == kernels ? stream : 7) + ",\"ts\":" + std::to_string(70 + 20 * i) +
                ",\"dur\":10,\"args\":{\"device\":0,\"correlation\":50" + numbered(std::abs(node + i)) + "}}";
        const JoinedPtr joined = joinedTexts(gpuTrace(), std::string(cpuSide) + replay);
        QVERIFY(joined);
        std::vector<int> calls;
        for (std::uint32_t i = 0; i < joined->rowOf.size(); ++i) {
            const Event& event = joined->profile->events[i];
            const Row& row = joined->rows[joined->rowOf[i]];
            const std::string_view name = joined->profile->nameOf(event);
            // Copies of inputs and the launch are the replay's, on both devices, and no kernels of the code.
            if (name == "aten::_foreach_copy_" || name == "multi_tensor" || name == "cudaGraphLaunch")
                QVERIFY(row.part == Part::OutputCode && row.name == event.name);
            if (name != "sgemm") continue;
            QCOMPARE(row.part, known ? Part::Kernel : Part::InGraph);
            if (!known) continue;
            QCOMPARE(row.inner, Link::GraphPlace);
            calls.push_back(row.kernel);
        }
        if (known) QVERIFY(calls.size() == 2 && (node < 0 ? calls[0] > calls[1] : calls[0] < calls[1]));
        QCOMPARE(joined->kernels.all, std::size_t(1));
        QCOMPARE(joined->kernels.joined, std::size_t(1));
        QCOMPARE(joined->joinedOn.at(1), joined->profile->busy.at(1));
    }

    void withoutItsCapture() {
        const JoinedPtr joined = joinedTexts({}, std::string(cpuSide) + std::string(launches));
        QVERIFY(joined);
        QCOMPARE(joined->joined, 0.0);
        QCOMPARE(joined->regions.joined, std::size_t(0));
        Facts facts(joined);
        QVERIFY(rowWithKey(grouped(facts, By::Compile), "0/0")); // as the profile names it
        double sum = 0;
        for (const GroupedRow& row : grouped(facts, By::Node))
            sum += row.self;
        QCOMPARE(sum, joined->busy);
    }

    void anotherProgramsCapture() {
        std::string other = gpuTrace();
        for (std::size_t at = 0; (at = other.find("fabc", at)) != std::string::npos; ++at)
            other.replace(at, 4, "fxyz");
        test::TraceText text;
        text.at(5, 0).start();
        const JoinedPtr joined = joinedTexts(text.text(), std::string(cpuSide) + std::string(launches));
        QVERIFY(joined);
        QCOMPARE(joined->joined, 0.0);
        // A key that the compile does not have: its only output code, and that is said.
        const JoinedPtr only = joinedTexts(other, std::string(cpuSide) + std::string(launches));
        QVERIFY(only);
        QVERIFY(std::ranges::any_of(only->rows, [](const Row& row) { return row.graph == Link::OnlyGraph; }));
    }

    void ranksAreNotGuessed() {
        const auto folderOf = [](const std::string& info) {
            auto folder = std::make_unique<QTemporaryDir>();
            const auto write = [&](const QString& name, const std::string& text) {
                QFile file(folder->filePath(name));
                if (file.open(QIODevice::WriteOnly)) file.write(QByteArray::fromStdString(text));
            };
            write(QStringLiteral("log_rank_0_a.log"), gpuTrace());
            write(QStringLiteral("log_rank_1_a.log"), gpuTrace());
            write(QStringLiteral("profile.json"), R"({"schemaVersion": 1, )" + info + R"("traceEvents": [)" +
                                                      std::string(cpuSide) + std::string(launches) + "]}");
            return folder;
        };
        const auto joinOf = [&](const std::string& info) {
            const auto folder = folderOf(info);
            const auto session = capture::open(folder->path().toStdString());
            if (!session || (*session)->ranks.size() != 2 || (*session)->profiles.size() != 1)
                qFatal("ranks");
            return join(*session, session::attachedAs<profile::Profile>((*session)->profiles.front()))
                .value();
        };
        const JoinedPtr known = joinOf(R"("distributedInfo": {"rank": 1, "world_size": 2}, )");
        QCOMPARE(known->regions.joined, std::size_t(1));
        for (const Row& row : known->rows)
            QVERIFY(row.compile < 0 || known->session->compiles[std::size_t(row.compile)].rank == 1);
        QCOMPARE(joinOf({})->regions.joined, std::size_t(0));
    }

    void aBrokenProfileLeavesTheTrace() {
        QTemporaryDir folder;
        const auto write = [&](const QString& name, const std::string& text) {
            QFile file(folder.filePath(name));
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(QByteArray::fromStdString(text));
        };
        write(QStringLiteral("train.log"), gpuTrace());
        write(QStringLiteral("broken.json"), R"({"schemaVersion": 1, "traceEvents": [)");
        write(QStringLiteral("settings.json"), R"({"lr": 0.1})");
        write(QStringLiteral("rank0.json"),
              R"({"schemaVersion": 1, "distributedInfo": {"rank": 0, "world_size": 2},
            "traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 1}]})");
        const auto session = capture::open(folder.path().toStdString());
        QVERIFY(session);
        QCOMPARE((*session)->compiles.size(), std::size_t(1));
        QCOMPARE((*session)->profiles.size(), std::size_t(1));
        QCOMPARE(session::attachedAs<profile::Profile>((*session)->profiles.front())->rank, 0);
        QVERIFY(std::ranges::any_of((*session)->warnings, [](const session::Warning& warning) {
            return warning.error.file == "broken.json";
        }));
        QVERIFY(std::ranges::none_of((*session)->warnings, [](const session::Warning& warning) {
            return warning.error.file == "settings.json";
        }));
    }

    void deepNestingStaysLinear() {
        std::string events;
        for (int i = 0; i < 30000; ++i)
            events +=
                (i == 0 ? "" : ",") +
                QStringLiteral(
                    R"({"ph":"X","cat":"cpu_op","name":"Torch-Compiled Region: 0/0","pid":1,"tid":1,"ts":%1,"dur":%2})")
                    .arg(i)
                    .arg(100000 - 2 * i)
                    .toStdString();
        const JoinedPtr joined = joinedTexts(gpuTrace(), events);
        QVERIFY(joined);
        QCOMPARE(joined->regions.all, std::size_t(30000));
    }
};

QTEST_GUILESS_MAIN(TestProfileJoin)
#include "tst_profile_join.moc"
