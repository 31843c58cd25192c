// SPDX-License-Identifier: BSD-3-Clause
//
// The CUDA backend over a device that is none: what it captures, describes, launches, times and refuses. No
// GPU is involved; the plugin's own calls have tests in tests/cuda.
#include "core/engine/exec/case_values.h"
#include "core/engine/replay/address_allocator.h"
#include "core/engine/replay/cuda_backend.h"
#include "core/engine/replay/cuda_loader.h"
#include "core/engine/replay/cuda_pool.h"
#include "core/engine/replay/replay_run.h"
#include "core/engine/replay/tensor_memory.h"
#include "core/engine/replay/tree_run.h"
#include "core/ir/text.h"
#include "tests/engine/service_runner.h"
#include "tests/support/tree_programs.h"

#include <QtTest>

using namespace dynascope;
using engine::CudaCapture;
using engine::CudaDevice;
using nlohmann::json;
using replay::NodeMode;

namespace {

const std::string program =
    "graph():\n"
    "    %x : [num_users=1] = placeholder[target=x]\n"
    "    %w : [num_users=1] = placeholder[target=w]\n"
    "    %mm : [num_users=1] = call_function[target=torch.ops.aten.mm.default](args = "
    "(%x, %w), kwargs = {})\n"
    "    %view : [num_users=1] = call_function[target=torch.ops.aten.view.default](args = "
    "(%mm, [4]), kwargs = {})\n"
    "    %add : [num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = "
    "(%view, 1), kwargs = {})\n"
    "    %add_ : [num_users=1] = call_function[target=torch.ops.aten.add_.Tensor](args = "
    "(%x, 1), kwargs = {})\n"
    "    return (add,)\n";
constexpr std::uint32_t mm = 2, add = 4, addInPlace = 5; // 3 is the view, which launches nothing

/// What the device was asked to do, and how it answers.
struct Script {
    std::vector<std::string> calls;
    std::vector<std::uint32_t> kernels{mm, add, addInPlace}; ///< nodes that launch one
    std::vector<engine::PoolEvent> events;
    std::vector<engine::PoolSegment> segments;
    std::function<void()> onLaunch, onSynchronize;
    std::string noTimes;  ///< why there are none
    std::string noUpdate; ///< why an executable graph cannot be updated
    bool describes = true;
};

using Memory = std::shared_ptr<engine::PoolMemory>;

class PoolSource final : public engine::AllocationSource {
public:
    explicit PoolSource(Memory memory)
        : m_memory(std::move(memory)) {}
    [[nodiscard]] c10::DataPtr allocate(std::size_t bytes) override {
        return engine::ownedBlock(m_memory, reinterpret_cast<std::uint64_t>(m_memory->allocate(bytes)));
    }
    void release(void* /*data*/) override {}

private:
    Memory m_memory;
};

class FakeCapture final : public CudaCapture {
public:
    FakeCapture(std::shared_ptr<Script> script, const Memory& memory)
        : m_script(std::move(script))
        , m_source(memory) {
        m_script->calls.emplace_back("begin");
        m_scope.emplace(m_source);
    }
    ~FakeCapture() override { m_script->calls.emplace_back("gone"); }
    void beginNode(std::uint32_t node) override { m_running = node; }
    void endNode(std::uint32_t node) override {
        if (node != m_running) throw std::runtime_error("nodes overlap");
        m_seen.push_back(node);
    }
    void end() override {
        m_scope.reset();
        m_script->calls.emplace_back("end");
    }
    Result<void> endUpdating(CudaCapture& before) override {
        m_scope.reset();
        m_script->calls.emplace_back("update");
        if (dynamic_cast<FakeCapture*>(&before) == nullptr) throw std::runtime_error("of another device");
        if (m_script->noUpdate.empty()) return {};
        return tl::unexpected(Error{m_script->noUpdate, {}, 0, 0});
    }
    Result<replay::CudaGraph> describe() override {
        if (!m_script->describes) return tl::unexpected(Error{"cuGraphGetNodes: lost", {}, 0, 0});
        replay::CudaGraph out;
        out.driverVersion = 13000;
        replay::CudaSubgraph& graph = out.graphs.emplace_back();
        for (const std::uint32_t node : m_seen)
            if (std::find(m_script->kernels.begin(), m_script->kernels.end(), node) !=
                m_script->kernels.end())
                graph.nodes.push_back(
                    {replay::CudaNodeKind::Kernel, node, 100 + node,
                     replay::CudaKernel{"k" + std::to_string(node), "", {}, {}, 0, {}, true}});
        return out;
    }
    [[nodiscard]] const std::vector<engine::PoolEvent>& poolEvents() const override {
        return m_script->events;
    }
    void launch() override {
        m_script->calls.emplace_back("launch");
        if (m_script->onLaunch) m_script->onLaunch();
    }
    Result<engine::CudaLaunchTimes> launchTimed(engine::CudaTiming timing) override {
        if (!m_script->noTimes.empty()) return tl::unexpected(Error{m_script->noTimes, {}, 0, 0});
        launch();
        if (timing == engine::CudaTiming::Launch) return engine::CudaLaunchTimes{7000, {}};
        // The matrix product takes two kernels.
        return engine::CudaLaunchTimes{0, {{100 + mm, 2000}, {100 + mm, 3000}, {100 + add, 1000}, {7, 9}}};
    }

private:
    std::shared_ptr<Script> m_script;
    PoolSource m_source;
    std::optional<engine::AllocationScope> m_scope;
    std::uint32_t m_running = UINT32_MAX;
    std::vector<std::uint32_t> m_seen;
};

class FakeCheckpoint final : public engine::PoolCheckpoint {
public:
    explicit FakeCheckpoint(engine::PoolMemory::Blocks blocks)
        : blocks(std::move(blocks)) {}
    engine::PoolMemory::Blocks blocks;
};

class FakePool final : public engine::CudaPool {
public:
    explicit FakePool(std::shared_ptr<Script> script)
        : m_script(std::move(script)) {}
    void within(const std::function<void()>& body) override {
        m_script->calls.emplace_back("within");
        PoolSource source(m_memory);
        const engine::AllocationScope scope(source);
        body();
    }
    std::unique_ptr<CudaCapture> capture() override {
        return std::make_unique<FakeCapture>(m_script, m_memory);
    }
    std::shared_ptr<const engine::PoolCheckpoint> checkpoint() override {
        m_script->calls.emplace_back("checkpoint");
        return std::make_shared<FakeCheckpoint>(m_memory->blocks());
    }
    Result<void> restore(const engine::PoolCheckpoint& checkpoint, std::span<c10::StorageImpl* const> live,
                         std::span<const replay::Address> freed) override {
        m_script->calls.emplace_back("restore");
        m_memory->restore(dynamic_cast<const FakeCheckpoint&>(checkpoint).blocks);
        for (c10::StorageImpl* const storage : live)
            storage->set_data_ptr_noswap(
                engine::ownedBlock(m_memory, reinterpret_cast<std::uint64_t>(storage->data())));
        for (const replay::Address address : freed)
            m_memory->release(address);
        return {};
    }
    std::vector<replay::Address> allocated() override {
        std::vector<replay::Address> out;
        for (const auto& [address, bytes] : m_memory->blocks())
            out.push_back(address);
        return out;
    }
    std::vector<engine::PoolSegment> segments() override {
        if (!m_script->segments.empty()) return m_script->segments;
        return {{m_memory->begin(), m_memory->reservedBytes()}};
    }

private:
    std::shared_ptr<Script> m_script;
    Memory m_memory = std::make_shared<engine::PoolMemory>();
};

class FakeDevice final : public CudaDevice {
public:
    explicit FakeDevice(std::shared_ptr<Script> script)
        : m_script(std::move(script)) {}
    [[nodiscard]] std::string name() const override { return "none: a stand-in for tests"; }
    [[nodiscard]] c10::Device device() const override { return c10::kCPU; }
    void onSideStream(const std::function<void()>& body) override {
        m_script->calls.emplace_back("warm up");
        body();
    }
    void synchronize() override {
        if (m_script->onSynchronize) m_script->onSynchronize();
    }
    std::unique_ptr<engine::CudaPool> pool() override { return std::make_unique<FakePool>(m_script); }

private:
    std::shared_ptr<Script> m_script;
};

/// A recording of `text` on that device, whose launches do what the program does.
struct Recorded {
    explicit Recorded(const std::string& text = program, std::set<std::size_t> kept = {},
                      std::shared_ptr<Script> given = std::make_shared<Script>())
        : script(std::move(given))
        , compiled(std::make_shared<engine::Program>(engine::compile(*ir::readGraph(text))))
        , backend(engine::makeCudaBackend(std::make_unique<FakeDevice>(script))) {
        auto recorded = backend->record(request(std::move(kept)), {});
        if (!recorded) {
            error = recorded.error();
            return;
        }
        graph = std::move(*recorded);
        script->onLaunch = [this] {
            const auto results = engine::run(*compiled, graph->inputs(), {});
            for (std::size_t i = 0; i < results->size(); ++i)
                graph->outputs()[i].toTensor().copy_((*results)[i].toTensor());
        };
    }
    Recorded(const Recorded&) = delete;
    Recorded& operator=(const Recorded&) = delete;

    /// On inputs of its own.
    [[nodiscard]] engine::RecordRequest request(std::set<std::size_t> kept = {}) const {
        const json inputs =
            test::CaseBuilder().tensor({2, 2}, {1, -2, 3, 4}).tensor({2, 2}, {0.5, 1, -1, 2}).json();
        engine::RecordRequest out;
        out.program = compiled;
        out.inputs = engine::makeInputs(inputs, {})->values;
        out.kept = std::move(kept);
        return out;
    }

    std::shared_ptr<Script> script;
    std::shared_ptr<engine::Program> compiled;
    std::unique_ptr<engine::ReplayBackend> backend;
    std::unique_ptr<engine::RecordedGraph> graph;
    engine::RunError error;
};

std::vector<double> numbers(const at::Tensor& tensor) {
    const at::Tensor flat = tensor.contiguous();
    const auto* data = flat.const_data_ptr<float>();
    return {data, data + flat.numel()};
}

} // namespace

class TestEngineCuda : public QObject {
    Q_OBJECT

private slots:
    /// What no two eager runs agree on is no difference of a replay.
    void resultsThatChangeFromRunToRun() {
        Recorded r;
        QVERIFY2(r.graph, r.error.message.c_str());
        bool steady = true;
        r.script->onLaunch = [&] { r.graph->outputs()[0].toTensor().fill_(77); };
        r.script->onSynchronize = [&] {
            if (!steady) r.graph->inputs()[1].toTensor().add_(1);
        };
        engine::RunRequest request;
        request.plans.push_back({"f", r.graph.get()});
        request.iterations = 4;
        request.nodeIterations = 0;
        request.verifyEvery = 2;
        const auto wrong = engine::replayMany(request, {});
        QVERIFY(wrong);
        QCOMPARE(wrong->different, std::uint64_t{2});
        QCOMPARE(wrong->undecided, std::uint64_t{0});
        steady = false;
        const auto unsteady = engine::replayMany(request, {});
        QVERIFY(unsteady);
        QCOMPARE(unsteady->different, std::uint64_t{0});
        QCOMPARE(unsteady->verified, std::uint64_t{0});
        QCOMPARE(unsteady->undecided, std::uint64_t{2});
        QVERIFY2(unsteady->undecidedWhy.starts_with("f: two eager runs differ from each other as well: "),
                 unsteady->undecidedWhy.c_str());
        const auto read = replay::replayRunFromJson(replay::toJson(*unsteady));
        QVERIFY(read && *read == *unsteady);
    }

    void recordsOnce() {
        Recorded r;
        QVERIFY2(r.graph, r.error.message.c_str());
        QCOMPARE(std::string(r.backend->name()), std::string("cuda"));
        const std::vector<std::string> calls{"warm up", "warm up", "warm up", "begin", "end"};
        QCOMPARE(r.script->calls, calls);
        const replay::ReplayRecording& recording = r.graph->recording();
        QCOMPARE(recording.backend, std::string("cuda"));
        std::vector<NodeMode> modes;
        for (const replay::RecordedNode& node : recording.nodes)
            modes.push_back(node.mode);
        const std::vector<NodeMode> expected{NodeMode::Input,    NodeMode::Input,   NodeMode::Planned,
                                             NodeMode::Prebuilt, NodeMode::Planned, NodeMode::Planned};
        QVERIFY(modes == expected);
        QCOMPARE(recording.writtenInputs, std::vector<std::uint32_t>{0});
        QCOMPARE(recording.cudaGraph->device, std::string("none: a stand-in for tests"));
        QCOMPARE(recording.cudaGraph->graphs[0].nodes.size(), std::size_t{3});
        QVERIFY(replay::recordingFromJson(replay::toJson(recording)).value() == recording);
        // Warm-ups and the capture wrote to x; nothing of that is left once it is put back.
        r.graph->rewind();
        QCOMPARE(numbers(r.graph->inputs()[0].toTensor()), (std::vector<double>{1, -2, 3, 4}));
    }

    void launchesAreVerified() {
        Recorded r;
        const engine::RunRequest request{{{"p", r.graph.get()}}, 6, 4, 2, true, nullptr};
        const auto run = engine::replayMany(request, {});
        QVERIFY(run);
        QCOMPARE(run->verified, 3U);
        QCOMPARE(run->different, 0U);
        QCOMPARE(run->allocatorCalls, 0U);
        r.script->onLaunch = [&, usual = r.script->onLaunch] {
            usual();
            r.graph->outputs()[0].toTensor().add_(1);
        };
        const auto wrong = engine::replayMany(request, {});
        QVERIFY(wrong);
        QCOMPARE(wrong->different, 3U);
        QCOMPARE(wrong->difference, std::string("p, replay 0: result 0 differs at element 0 of 4"));
    }

    void timesOfNodes() {
        Recorded r;
        const auto run = engine::replayMany({{{"p", r.graph.get()}}, 1, 5, 0, false, nullptr}, {});
        QVERIFY(run);
        QCOMPARE(run->graphs[0].nodes.size(), std::size_t{2});
        QCOMPARE(run->graphs[0].nodes[0].node, mm);
        QCOMPARE(run->graphs[0].nodes[0].us.median, 5.0);
        QCOMPARE(run->graphs[0].nodes[1].node, add);
        QCOMPARE(run->graphs[0].nodes[1].us.median, 1.0);
        r.script->noTimes = "no CUPTI: none";
        const auto untimed = engine::replayMany({{{"p", r.graph.get()}}, 1, 5, 0, false, nullptr}, {});
        QVERIFY(untimed);
        QVERIFY(untimed->graphs[0].nodes.empty());
        QCOMPARE(r.graph->recording().cudaGraph->warnings,
                 std::vector<std::string>{"no times of nodes: no CUPTI: none"});
    }

    void timesOfLaunches() {
        Recorded r;
        engine::RunRequest request{{{"p", r.graph.get()}}, 1, 5, 0, false, nullptr, engine::TimesOf::Both};
        const auto both = engine::replayMany(request, {});
        QVERIFY(both);
        QCOMPARE(both->graphs[0].launchUs->median, 7.0);
        QCOMPARE(both->graphs[0].nodes.size(), std::size_t{2});
        QVERIFY(replay::replayRunFromJson(replay::toJson(*both)).value() == *both);
        request.times = engine::TimesOf::Launches;
        const auto launches = engine::replayMany(request, {});
        QVERIFY(launches && launches->graphs[0].nodes.empty() && launches->graphs[0].launchUs);
        r.script->noTimes = "no CUPTI: none";
        const auto untimed = engine::replayMany(request, {});
        QVERIFY(untimed && !untimed->graphs[0].launchUs);
        QCOMPARE(r.graph->recording().cudaGraph->warnings,
                 std::vector<std::string>{"no times of launches: no CUPTI: none"});
    }

    void recordedAnew() {
        Recorded r;
        r.script->calls.clear();
        auto again = r.backend->recordAgain(*r.graph, r.request(), {});
        QVERIFY(again);
        QVERIFY((r.script->calls == std::vector<std::string>{"warm up", "begin", "update"}));
        QVERIFY((*again)->recording().rerecording->updated);
        QVERIFY(replay::recordingFromJson(replay::toJson((*again)->recording())).value() ==
                (*again)->recording());
        r.script->noUpdate = "the graph cannot be updated: its nodes or edges are others";
        const auto third = r.backend->recordAgain(**again, r.request(), {});
        QVERIFY(third);
        QVERIFY(!(*third)->recording().rerecording->updated);
        QCOMPARE((*third)->recording().rerecording->why, r.script->noUpdate);

        const Recorded random("graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
                              "    %w : [num_users=1] = placeholder[target=w]\n"
                              "    %bernoulli : [num_users=1] = call_function[target=torch.ops.aten."
                              "bernoulli.p](args = (%x, 0.5), kwargs = {})\n    return (bernoulli,)\n");
        QVERIFY2(random.graph, random.error.message.c_str());
        random.script->calls.clear();
        const auto drawn = random.backend->recordAgain(*random.graph, random.request(), {});
        QVERIFY(drawn && !(*drawn)->recording().rerecording->updated);
        QVERIFY((random.script->calls == std::vector<std::string>{"warm up", "begin", "end"}));
        QVERIFY((*drawn)->recording().rerecording->why.starts_with("it draws random numbers"));
    }

    /// The state machine over a pool of the device: what is asked of it, in which order.
    void treesOverThePool() {
        auto script = std::make_shared<Script>();
        const auto pool = engine::makeCudaPool(std::make_shared<FakeDevice>(script));
        QCOMPARE(std::string(pool->name()), std::string("cuda"));
        const std::string text = "graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
                                 "    %w : [num_users=1] = placeholder[target=w]\n"
                                 "    %mul : [num_users=1] = call_function[target=torch.ops.aten.mul.Tensor]("
                                 "args = (%x, %w), kwargs = {})\n"
                                 "    %add : [num_users=1] = call_function[target=torch.ops.aten.add.Tensor]("
                                 "args = (%mul, 1), kwargs = {})\n    return (add,)\n";
        const auto compiled = std::make_shared<engine::Program>(engine::compile(*ir::readGraph(text)));
        const json inputs =
            test::CaseBuilder().tensor({2, 2}, {1, -2, 3, 4}).tensor({2, 2}, {0.5, 1, -1, 2}).json();
        engine::TreeRunRequest request;
        request.verify = false; // a launch of this device computes nothing
        for (const char* name : {"f", "g"}) {
            replay::TreeFunction about;
            about.name = name;
            about.staticInputs = {1};
            request.functions.push_back({about, compiled, engine::makeInputs(inputs, {})->values, {}});
        }
        const auto fixed = test::parameter(1);
        request.events = {test::mark(),
                          test::call(0, {test::user(), fixed}), // 0: warm-ups
                          test::mark(),
                          test::drop(0, {0}),
                          test::call(0, {test::user(), fixed}), // 1: recorded
                          test::mark(),
                          test::drop(1, {0}),
                          test::call(0, {test::user(), fixed}),       // 2: replayed
                          test::call(0, {test::output(2, 0), fixed}), // 3: recorded behind it
                          test::mark(),
                          test::drop(2, {0})};
        engine::PoolTreeRun run(*pool, std::move(request));
        std::vector<std::vector<std::string>> calls;
        while (run.next({})) {
            if (run.manager().steps().back().event == replay::TreeStep::Event::Call)
                calls.push_back(script->calls);
            script->calls.clear();
        }
        QVERIFY((calls[0] == std::vector<std::string>{"within"}));
        // A place for the copied input, then the capture, which has not run before it is launched.
        QVERIFY((calls[1] == std::vector<std::string>{"within", "begin", "end", "launch", "checkpoint"}));
        QVERIFY((calls[2] == std::vector<std::string>{"launch"}));
        QVERIFY((calls[3] == std::vector<std::string>{"restore", "begin", "end", "launch", "checkpoint"}));
        const replay::TreeReport report = run.report();
        QCOMPARE(report.backend, std::string("cuda"));
        QCOMPARE(report.count("warmup") + report.count("record") + report.count("replay"), std::size_t{4});
        QCOMPARE(report.poolBytes, std::uint64_t{2} << 20);
        // What call 3 made lies where its recording put it, and nothing else is held.
        QCOMPARE(pool->allocated().size(), std::size_t{1});
    }

    void memoryOfThePool() {
        auto script = std::make_shared<Script>();
        // Two segments, the later one at the lower address; the product's workspace lives for a moment.
        script->segments = {{0x9000, 4096}, {0x1000, 2048}};
        script->events = {{true, 0x9000, 512, mm},  {true, 0x1200, 1024, mm},  {false, 0x1200, 1024, mm},
                          {true, 0x1200, 512, add}, {false, 0x9000, 512, add}, {false, 0x7777, 1, add}};
        const Recorded r(program, {}, script);
        const replay::ReplayRecording& recording = r.graph->recording();
        const std::vector<replay::RecordedAllocation> expected{{mm, 512, 2048, 0, 4, true, true},
                                                               {mm, 1024, 0x200, 1, 2, true, false},
                                                               {add, 512, 0x200, 3, 5, true, true}};
        QVERIFY(recording.allocations == expected);
        QCOMPARE(recording.events, 5U);
        QCOMPARE(recording.arenaBytes, std::uint64_t{6144});
        QCOMPARE(recording.peakBytes, std::uint64_t{1536});
        QCOMPARE(recording.keepAllBytes, std::uint64_t{2048});
    }

    void whatIsKeptStays() {
        Recorded kept(program, {0});
        QVERIFY(engine::replayMany({{{"p", kept.graph.get()}}, 3, 0, 0, false, nullptr}, {}));
        const double first = numbers(kept.graph->inputs()[0].toTensor())[0];
        QVERIFY(engine::replayMany({{{"p", kept.graph.get()}}, 3, 0, 0, false, nullptr}, {}));
        QCOMPARE(numbers(kept.graph->inputs()[0].toTensor())[0], first + 3);
    }

    void liveEventsOfLaunches() {
        Recorded r;
        std::string all;
        replay::LiveFeed feed([&](std::string_view batch) {
            all += batch;
            return true;
        });
        QVERIFY(engine::replayMany({{{"p", r.graph.get()}}, 3, 0, 0, false, &feed}, {}));
        QCOMPARE(feed.finish(), std::uint64_t{6}); // a launch begins and ends
    }

    void whatCannotBeCaptured() {
        auto script = std::make_shared<Script>();
        script->describes = false;
        Recorded undescribed(program, {}, script);
        QVERIFY(!undescribed.graph);
        QCOMPARE(undescribed.error.message, std::string("cuGraphGetNodes: lost"));
        QCOMPARE(script->calls.back(), std::string("gone"));

        const Recorded torchLevel(
            "graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
            "    %w : [num_users=1] = placeholder[target=w]\n"
            "    %relu : [num_users=1] = "
            "call_function[target=torch.nn.functional.relu](args = (%x,), kwargs = {})\n"
            "    return (relu,)\n");
        QVERIFY(!torchLevel.graph);
        QVERIFY2(torchLevel.error.message.find("is a torch-level call, which runs on the CPU only") !=
                     std::string::npos,
                 torchLevel.error.message.c_str());
        QCOMPARE(torchLevel.error.node, 2U);

        const Recorded fails(
            "graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
            "    %w : [num_users=1] = placeholder[target=w]\n"
            "    %view : [num_users=1] = call_function[target=torch.ops.aten.view.default](args = "
            "(%x, [3]), kwargs = {})\n"
            "    return (view,)\n");
        QVERIFY(!fails.graph);
        QCOMPARE(fails.error.node, 2U);
    }

    void withoutADevice() {
        test::ServiceRunner engine;
        const std::string graph = engine.load(program);
        const json inputs =
            test::CaseBuilder().tensor({2, 2}, {1, -2, 3, 4}).tensor({2, 2}, {0.5, 1, -1, 2}).json();
        QVERIFY(
            !engine.call("record", {{"graph", graph}, {"inputs", inputs}, {"backend", "tpu"}}).is_object());
        QCOMPARE(engine.lastError(), std::string("there is no backend 'tpu': cpu, cuda or cuda:N"));
        const auto none = engine::loadCudaDevice("/no/such/plugin.so");
        QVERIFY(!none);
        QCOMPARE(none.error().message,
                 std::string("no CUDA backend: the CUDA plugin is not there: /no/such/plugin.so"));
        // What is no plugin of ours is refused before anything of it is called.
        const auto other = engine::loadCudaDevice("/lib/x86_64-linux-gnu/libz.so.1");
        QVERIFY(!other);
        QVERIFY(other.error().message.find("belongs to another build") != std::string::npos);
    }

    /// Prims run where their tensors are, but for those that make some of nothing.
    void primsRunOnTheDevice() {
        const auto graphOf = [](const std::string& line) {
            return engine::compile(*ir::readGraph(
                "graph():\n    %x : [num_users=1] = placeholder[target=x]\n" + line + "    return (y,)\n"));
        };
        const engine::Program cast =
            graphOf("    %y : [num_users=1] = "
                    "call_function[target=torch.ops.prims.convert_element_type.default](args "
                    "= (%x, torch.float64), kwargs = {})\n");
        QVERIFY(!engine::cudaRefusal(cast));
        const engine::Program drawn = graphOf(
            "    %y : [num_users=1] = call_function[target=torch.ops.prims.inductor_random.default](args = "
            "([4], %x, rand), kwargs = {})\n");
        QVERIFY(!engine::cudaRefusal(drawn));
        QVERIFY(engine::drawsNumbers(drawn) && !engine::drawsNumbers(cast));
        // On whichever device the program is for; that one has no values.
        const engine::Program made =
            graphOf("    %y : [num_users=1] = call_function[target=torch.ops.prims.iota.default](args = "
                    "(4,), kwargs = "
                    "{start: 0, step: 1, dtype: torch.int64, device: cuda:0, requires_grad: False})\n");
        const auto inputs = engine::makeInputs(test::CaseBuilder().tensor({2}, {1, 2}).json(), {})->values;
        const auto results = engine::run(*engine::programOn(made, c10::Device(c10::kMeta)), inputs, {});
        QVERIFY2(results, results ? "" : results.error().message.c_str());
        QVERIFY((*results)[0].toTensor().is_meta());
        QVERIFY((*results)[0].toTensor().scalar_type() == at::kLong);
    }

    /// What Inductor makes of a softmax, and of a pooling whose indices it keeps as offsets in windows.
    void primsOfReductions() {
        const engine::Program softmax = engine::compile(*ir::readGraph(
            "graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
            "    %p : [num_users=2] = "
            "call_function[target=torch.ops.prims.prepare_softmax_online.default](args = (%x, -1), kwargs = "
            "{})\n"
            "    %m : [num_users=1] = call_function[target=operator.getitem](args = (%p, 0), kwargs = {})\n"
            "    %s : [num_users=1] = call_function[target=operator.getitem](args = (%p, 1), kwargs = {})\n"
            "    return (m, s)\n"));
        const auto row = engine::makeInputs(test::CaseBuilder().tensor({1, 2}, {3, 3}).json(), {})->values;
        const auto sums = engine::run(softmax, row, {});
        QVERIFY2(sums, sums ? "" : sums.error().message.c_str());
        QCOMPARE(numbers((*sums)[0].toTensor()), std::vector<double>{3});
        QCOMPARE(numbers((*sums)[1].toTensor()), std::vector<double>{2});
        // Back and forth gives the indices of the plain pooling.
        const engine::Program pooled = engine::compile(*ir::readGraph(
            "graph():\n    %x : [num_users=2] = placeholder[target=x]\n"
            "    %o : [num_users=1] = "
            "call_function[target=torch.ops.prims._low_memory_max_pool_with_offsets.default](args = (%x, [2, "
            "2], "
            "[2, 2], [0, 0], [1, 1], False), kwargs = {})\n"
            "    %f : [num_users=1] = call_function[target=operator.getitem](args = (%o, 1), kwargs = {})\n"
            "    %i : [num_users=1] = "
            "call_function[target=torch.ops.prims._low_memory_max_pool_offsets_to_indices.default](args = "
            "(%f, [2, "
            "2], [4, 4], [2, 2], [0, 0], [1, 1]), kwargs = {})\n"
            "    %c : [num_users=1] = "
            "call_function[target=torch.ops.prims.convert_element_type.default](args = "
            "(%i, torch.float32), kwargs = {})\n    return (c,)\n"));
        const auto image =
            engine::makeInputs(test::CaseBuilder()
                                   .tensor({1, 1, 4, 4}, {9, 0, 0, 0, 0, 0, 0, 9, 0, 9, 0, 0, 0, 0, 9, 0})
                                   .json(),
                               {})
                ->values;
        const auto indices = engine::run(pooled, image, {});
        QVERIFY2(indices, indices ? "" : indices.error().message.c_str());
        QCOMPARE(numbers((*indices)[0].toTensor()), (std::vector<double>{0, 7, 9, 14}));
    }

    /// Seen on a GPU: the seed that a captured forward leaves is read on the host by a backward's warm-up.
    void aSeedOfAnotherGraph() {
        const auto backward = [](const std::string& dropout) {
            std::string text = "graph():\n";
            for (const char* const name : {"g", "q", "k", "v", "o", "l", "s", "p"})
                text += std::string("    %") + name + " : [num_users=1] = placeholder[target=" + name + "]\n";
            return engine::compile(
                *ir::readGraph(text +
                               "    %b : [num_users=1] = "
                               "call_function[target=torch.ops.aten._scaled_dot_product_efficient_attention_"
                               "backward.default](args "
                               "= (%g, %q, %k, %v, None, %o, %l, %s, %p, " +
                               dropout + ", [True, True, True, False]), kwargs = {})\n    return (b,)\n"));
        };
        const auto refusal = engine::cudaRefusal(backward("0.1"));
        QVERIFY(refusal);
        QCOMPARE(refusal->message,
                 std::string(
                     "torch.ops.aten._scaled_dot_product_efficient_attention_backward.default reads on the "
                     "host the seed of its dropout, which a captured forward leaves on the GPU"));
        QCOMPARE(refusal->node, 8U);
        QVERIFY(!engine::cudaRefusal(backward("0.0")));
    }

    void anOperatorWithoutAKernel() {
        const std::runtime_error error(
            "Could not run 'aten::f' with arguments from the 'CUDA' backend. This could be because the "
            "operator "
            "doesn't exist for this backend.\n\nCPU: registered at RegisterCPU.cpp:1 [kernel]");
        QCOMPARE(engine::errorText(error),
                 std::string("Could not run 'aten::f' with arguments from the 'CUDA' backend"));
    }

    void devicesByName() {
        QCOMPARE(engine::cudaDeviceIndex("cuda"), std::optional(0));
        QCOMPARE(engine::cudaDeviceIndex("cuda:3"), std::optional(3));
        for (const char* const wrong : {"cpu", "cuda:", "cuda:-1", "cuda:1x", "cuda:128", "cuda1", ""})
            QVERIFY2(!engine::cudaDeviceIndex(wrong), wrong);
    }
};

QTEST_GUILESS_MAIN(TestEngineCuda)
#include "tst_engine_cuda.moc"
