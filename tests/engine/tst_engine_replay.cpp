// SPDX-License-Identifier: BSD-3-Clause
//
// Record and replay on the CPU: what allocates nothing, what parts from its recording, what is refused.
#include "core/base/sanitizers.h"
#include "core/replay/recording.h"
#include "tests/engine/service_runner.h"

#include <QtTest>
#include <fstream>

using namespace dynascope;
using nlohmann::json;
using replay::NodeMode;

namespace {

/// A graph of aten calls, one a line: "name = op(args)"; "return" names the results.
std::string graphOf(const std::vector<std::string>& inputs,
                    const std::vector<std::array<std::string, 3>>& calls, const std::string& results) {
    std::string text = "graph():\n";
    for (const std::string& input : inputs)
        text += "    %" + input + " : [num_users=1] = placeholder[target=" + input + "]\n";
    for (const auto& [name, target, args] : calls)
        text += "    %" + name + " : [num_users=1] = call_function[target=torch.ops.aten." + target +
                "](args = (" + args + "), kwargs = {})\n";
    return text + "    return (" + results + ",)\n";
}

class Plan {
public:
    Plan(test::ServiceRunner& engine, const std::string& text, const json& inputs,
         json options = json::object())
        : m_engine(engine) {
        options["graph"] = engine.load(text);
        options["inputs"] = inputs;
        const json reply = engine.call("record", options);
        if (!reply.is_object()) return;
        name = reply["plan"].get<std::string>();
        recording = replay::recordingFromJson(reply["recording"]).value();
    }
    replay::ReplayRun run(std::uint64_t iterations, std::uint64_t verify = 0) {
        last = m_engine.call("replay", {{"plans", {name}},
                                        {"iterations", iterations},
                                        {"verify", verify},
                                        {"eager", false},
                                        {"node_iterations", 20},
                                        {"outputs", true}});
        if (!last.is_object()) return {};
        if (last["recordings"].contains(name))
            recording = replay::recordingFromJson(last["recordings"][name]).value();
        return replay::replayRunFromJson(last["run"]).value();
    }
    [[nodiscard]] NodeMode mode(const std::string& node) const {
        for (const replay::RecordedNode& row : recording.nodes)
            if (row.name == node) return row.mode;
        return NodeMode::Input;
    }

    std::string name;
    replay::ReplayRecording recording;
    json last;

private:
    test::ServiceRunner& m_engine;
};

const std::string mlp = graphOf({"x", "w", "v"},
                                {{"t", "t.default", "%w"},
                                 {"mm", "mm.default", "%x, %t"},
                                 {"relu", "relu.default", "%mm"},
                                 {"mm_1", "mm.default", "%relu, %v"},
                                 {"view", "view.default", "%mm_1, [4]"},
                                 {"add", "add.Tensor", "%view, 1"}},
                                "add, relu");

json mlpInputs() {
    return test::CaseBuilder()
        .tensor({2, 2}, {1, -2, 3, 4})
        .tensor({2, 2}, {0.5, 1, -1, 2})
        .tensor({2, 2}, {1, 2, 3, 4})
        .json();
}

std::size_t residentKib() {
    std::ifstream file("/proc/self/statm");
    std::size_t pages = 0, resident = 0;
    file >> pages >> resident;
    return resident * 4;
}

} // namespace

class TestEngineReplay : public QObject {
    Q_OBJECT

private slots:
    void replaysWithoutAllocating() {
        Plan plan(m_engine, mlp, mlpInputs());
        QVERIFY2(!plan.name.empty(), m_engine.lastError().c_str());
        QCOMPARE(plan.mode("t"), NodeMode::Prebuilt);
        QCOMPARE(plan.mode("view"), NodeMode::Prebuilt);
        QCOMPARE(plan.mode("mm_1"), NodeMode::Planned);
        QCOMPARE(plan.recording.count(NodeMode::Planned), 4U);
        QCOMPARE(plan.recording.arenaBytes, plan.recording.peakBytes);
        QVERIFY(plan.recording.arenaBytes < plan.recording.keepAllBytes + 1);
        const replay::ReplayRun run = plan.run(200, 50);
        QCOMPARE(run.allocatorCalls, 0U);
        QCOMPARE(run.verified, 4U);
        QCOMPARE(run.different, 0U);
        QCOMPARE(run.graphs[0].nodes.size(), 4U); // what is prebuilt takes no time
        QVERIFY(run.replay.us.min > 0 && run.replay.us.min <= run.replay.us.median &&
                run.replay.us.median <= run.replay.us.p99);
        const json eager = m_engine.execute(mlp, {{"inputs", mlpInputs()}});
        for (int i = 0; i < 2; ++i)
            QCOMPARE(plan.last["outputs"][0][i]["data"], eager["outputs"][i]["data"]);
    }

    /// Both an in-place operator's result and its argument are the input itself, and it is put back.
    void writtenInputsArePutBack() {
        const std::string text =
            graphOf({"x"}, {{"add_", "add_.Tensor", "%x, 1"}, {"mul", "mul.Tensor", "%add_, 2"}}, "mul");
        Plan plan(m_engine, text, test::CaseBuilder().tensor({2}, {1, 2}).json());
        QCOMPARE(plan.recording.writtenInputs, std::vector<std::uint32_t>{0});
        QCOMPARE(plan.run(30, 7).different, 0U);
        QCOMPARE(plan.last["outputs"][0][0]["data"], json({4.0, 6.0}));

        Plan kept(m_engine, text, test::CaseBuilder().tensor({2}, {1, 2}).json(), {{"kept", {0}}});
        QCOMPARE(kept.run(10).different, 0U); // and 20 replays for its nodes
        QCOMPARE(kept.last["outputs"][0][0]["data"],
                 json({2.0 * (1 + 31), 2.0 * (2 + 31)})); // one when tried out
    }

    /// The number of elements that nonzero finds changes from one replay to the next.
    void whatDependsOnValuesRunsEagerly() {
        const std::string text = graphOf({"x"},
                                         {{"add_", "add_.Tensor", "%x, 1"},
                                          {"gt", "gt.Scalar", "%x, 6"},
                                          {"nonzero", "nonzero.default", "%gt"},
                                          {"mul", "mul.Tensor", "%nonzero, 3"},
                                          {"neg", "neg.default", "%x"}},
                                         "mul, neg");
        Plan plan(m_engine, text, test::CaseBuilder().tensor({6}, {0, 1, 2, 3, 4, 5}).json(),
                  {{"kept", {0}}});
        QCOMPARE(plan.mode("nonzero"), NodeMode::Planned);
        const replay::ReplayRun run = plan.run(8, 1);
        QCOMPARE(run.verified, 8U);
        QVERIFY2(run.different == 0, run.difference.c_str());
        QCOMPARE(run.graphs[0].divergences.size(), 2U); // and what reads it
        QCOMPARE(plan.recording.nodes[run.graphs[0].divergences[0].node].name, std::string("nonzero"));
        QVERIFY(!run.graphs[0].divergences[0].why.empty());
        QCOMPARE(plan.mode("nonzero"), NodeMode::Eager);
        QCOMPARE(plan.mode("mul"), NodeMode::Eager);
        QCOMPARE(plan.mode("neg"), NodeMode::Planned);
        QVERIFY(run.allocatorCalls > 0);
    }

    /// A number that others were prebuilt with.
    void aNumberThatChangesIsNoticed() {
        const std::string text = graphOf({"x"},
                                         {{"add_", "add_.Tensor", "%x, 1"},
                                          {"sum", "sum.default", "%x"},
                                          {"item", "_local_scalar_dense.default", "%sum"},
                                          {"full", "full.default", "[2], %item"},
                                          {"mul", "mul.Tensor", "%full, %x"}},
                                         "mul");
        Plan plan(m_engine, text, test::CaseBuilder().tensor({2}, {0, 1}).json(), {{"kept", {0}}});
        QCOMPARE(plan.mode("full"), NodeMode::Planned);
        const replay::ReplayRun run = plan.run(4, 1);
        QVERIFY2(run.different == 0, run.difference.c_str());
        QCOMPARE(run.graphs[0].divergences.size(), 1U);
        QVERIFY(run.graphs[0].divergences[0].why.starts_with("its value was"));
        QCOMPARE(plan.mode("full"), NodeMode::Called);

        Plan steady(m_engine, text, test::CaseBuilder().tensor({2}, {0, 1}).json());
        QCOMPARE(steady.run(4, 1).graphs[0].divergences.size(), 0U);
        QCOMPARE(steady.mode("full"), NodeMode::Planned);
    }

    void shapesChangedInPlace() {
        const std::string text = graphOf({"x"},
                                         {{"clone", "clone.default", "%x"},
                                          {"t_", "t_.default", "%clone"},
                                          {"add", "add.Tensor", "%t_, %x"},
                                          {"empty", "zeros_like.default", "%x"},
                                          {"resize_", "resize_.default", "%empty, [6]"},
                                          {"fill_", "fill_.Scalar", "%resize_, 3"},
                                          {"sum", "sum.default", "%fill_"}},
                                         "add, sum");
        Plan plan(m_engine, text, test::CaseBuilder().tensor({2, 2}, {1, 2, 3, 4}).json());
        QVERIFY2(!plan.name.empty(), m_engine.lastError().c_str());
        QCOMPARE(plan.mode("clone"), NodeMode::Called);
        const replay::ReplayRun run = plan.run(5, 1);
        QVERIFY2(run.different == 0, run.difference.c_str());
        QCOMPARE(plan.last["outputs"][0][0]["data"], json({2.0, 5.0, 5.0, 8.0}));
        QCOMPARE(plan.last["outputs"][0][1]["data"], json({18.0}));
    }

    void inputsThatMoveAreRefused() {
        const std::string text =
            graphOf({"x"}, {{"resize_", "resize_.default", "%x, [6]"}, {"sum", "sum.default", "%x"}}, "sum");
        const Plan plan(m_engine, text, test::CaseBuilder().tensor({2}, {1, 2}).json());
        QVERIFY(plan.name.empty());
        QVERIFY2(m_engine.lastError().find("input 'x'") != std::string::npos, m_engine.lastError().c_str());
    }

    void randomNumbersFollowTheGenerator() {
        const std::string text = graphOf(
            {"x"}, {{"rand_like", "rand_like.default", "%x"}, {"add", "add.Tensor", "%rand_like, %x"}},
            "add");
        Plan plan(m_engine, text, test::CaseBuilder().tensor({3}, {1, 2, 3}).json());
        const replay::ReplayRun run = plan.run(5, 1);
        QVERIFY2(run.different == 0, run.difference.c_str());
        const json first = plan.last["outputs"];
        plan.run(1);
        QVERIFY(first != plan.last["outputs"]);
    }

    /// A later graph works on what an earlier one left, in the same memory, though that was dropped.
    void plansShareMemory() {
        Plan forward(m_engine, mlp, mlpInputs());
        const std::string text = graphOf({"g", "saved"}, {{"mul", "mul.Tensor", "%saved, %g"}}, "mul");
        const json inputs =
            test::CaseBuilder().tensor({2, 2}, {2, 2, 2, 2}).tensor({2, 2}, {0, 0, 0, 0}).json();
        Plan backward(m_engine, text, inputs,
                      {{"wires", {{{"input", 1}, {"plan", forward.name}, {"output", 1}}}}});
        QVERIFY2(!backward.name.empty(), m_engine.lastError().c_str());
        const json reply = m_engine.call(
            "replay",
            {{"plans", {forward.name, backward.name}}, {"iterations", 5}, {"verify", 2}, {"outputs", true}});
        const replay::ReplayRun run = replay::replayRunFromJson(reply["run"]).value();
        QCOMPARE(run.graphs.size(), 2U);
        QCOMPARE(run.verified, 6U);
        QCOMPARE(run.different, 0U);
        QVERIFY(run.eager.us.median > 0);
        std::vector<double> doubled;
        for (const json& value : reply["outputs"][0][1]["data"])
            doubled.push_back(2 * value.get<double>());
        QCOMPARE(reply["outputs"][1][0]["data"], json(doubled));
        QCOMPARE(m_engine.call("drop", {{"plans", {forward.name}}})["plans"].dump().find(forward.name + '"'),
                 std::string::npos);
        QCOMPARE(backward.run(3, 1).different, 0U);
        QVERIFY(!m_engine.call("replay", {{"plans", {forward.name}}}).is_object());

        const Plan wrong(m_engine, text, inputs,
                         {{"wires", {{{"input", 1}, {"plan", backward.name}, {"output", 7}}}}});
        QVERIFY(wrong.name.empty());
    }

    void aCancelledReplayLeavesThePlanUsable() {
        engine::Service service;
        const auto loaded = service.handle("load", {{"text", mlp}}, {});
        QVERIFY(loaded);
        const auto recorded =
            service.handle("record", {{"graph", (*loaded)["graph"]}, {"inputs", mlpInputs()}}, {});
        QVERIFY(recorded);
        std::stop_source stop;
        engine::RequestContext task;
        task.stop = stop.get_token();
        task.onProgress = [&](const Progress& progress) {
            if (progress.done > 20) stop.request_stop();
        };
        const json params{{"plans", {(*recorded)["plan"]}}, {"iterations", 1'000'000}};
        const auto cancelled = service.handle("replay", params, task);
        QVERIFY(!cancelled);
        QCOMPARE(cancelled.error().code, engine::ErrorCode::Cancelled);
        const auto again = service.handle(
            "replay", {{"plans", {(*recorded)["plan"]}}, {"iterations", 3}, {"verify", 1}}, {});
        QVERIFY(again);
        QCOMPARE((*again)["run"]["different"], json(0));
    }

    void shorterCallsGiveTheSameBits() {
        // Calls that replays make past the dispatcher or into their results: dtypes, numbers, strides,
        // temporaries.
        std::vector<std::array<std::string, 3>> calls{{"t", "t.default", "%x"}};
        std::string results;
        for (const char* dtype : {"float32", "float64", "bfloat16", "float16", "int64"}) {
            const std::string d = std::string("_") + dtype, of = "%cast" + d;
            calls.push_back({"cast" + d, "to.dtype", "%t, torch." + std::string(dtype)});
            for (const char* number : {"0.1", "3", "-7"})
                calls.push_back({"mul" + d + std::to_string(calls.size()), "mul.Scalar", of + ", " + number});
            calls.push_back({"clone" + d, "clone.default", of});
            calls.push_back({"add" + d, "add.Tensor", of + ", %x"});
            calls.push_back({"sub" + d, "sub.Tensor", of + ", 2"});
            calls.push_back({"div" + d, "div.Tensor", of + ", %w"});
            if (d == "_int64") continue;
            calls.push_back({"mm" + d, "mm.default", of + ", " + of});
            calls.push_back({"gelu" + d, "gelu.default", of});
            calls.push_back({"softmax" + d, "_softmax.default", of + ", -1, False"});
            calls.push_back({"sum" + d, "sum.dim_IntList", of + ", [0]"});
            calls.push_back({"neg" + d, "neg.default", "%softmax" + d});
        }
        for (const auto& call : calls)
            results += (results.empty() ? "" : ", ") + call[0];
        Plan plan(m_engine, graphOf({"x", "w", "v"}, calls, results), mlpInputs());
        QVERIFY2(!plan.name.empty(), m_engine.lastError().c_str());
        const replay::ReplayRun run = plan.run(10, 1);
        QCOMPARE(run.verified, 10U);
        QVERIFY2(run.different == 0, run.difference.c_str());
        QCOMPARE(run.allocatorCalls, 0U);
        QVERIFY(run.graphs[0].divergences.empty());
    }

    void aThousandCyclesLeakNothing() {
        if (addressSanitized) QSKIP("the sanitizer keeps freed memory for a while, and reports leaks itself");
        const auto cycle = [&] {
            Plan plan(m_engine, mlp, mlpInputs());
            const json reply = m_engine.call("replay", {{"plans", {plan.name}}, {"iterations", 2}});
            return reply.is_object() && m_engine.call("drop", {{"plans", {plan.name}}}).is_object();
        };
        for (int i = 0; i < 100; ++i)
            QVERIFY(cycle());
        const std::size_t before = residentKib();
        for (int i = 0; i < 1000; ++i)
            QVERIFY(cycle());
        const std::size_t after = residentKib();
        qInfo("%zu KiB before, %zu KiB after", before, after);
        QVERIFY(after < before + 1024); // a leak of one tensor a cycle would be more
    }

private:
    test::ServiceRunner m_engine;
};

QTEST_GUILESS_MAIN(TestEngineReplay)
#include "tst_engine_replay.moc"
