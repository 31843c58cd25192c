// SPDX-License-Identifier: BSD-3-Clause
//
// The pass interface, its recordings, and the passes that need no LibTorch.
#include "core/ir/text.h"
#include "core/passes/cse.h"
#include "core/passes/dce.h"
#include "core/passes/fx_names.h"
#include "core/passes/recording_json.h"
#include "core/passes/registry.h"

#include <QTest>

using namespace dynascope;
using passes::PassState;
using passes::StepRecording;

namespace {

std::string call(const std::string& name, const std::string& op, const std::string& args) {
    return "    %" + name + " : [num_users=1] = call_function[target=torch.ops.aten." + op + "](args = (" +
           args + "), kwargs = {})\n";
}

ir::GraphPtr graphOf(const std::string& calls, const std::string& result) {
    const auto graph = ir::readGraph("graph():\n    %x : [num_users=1] = placeholder[target=x]\n" + calls +
                                     "    return (" + result + ",)");
    return graph.value();
}

std::string names(const ir::Graph& graph) {
    std::string out;
    for (const ir::NodePtr& node : graph.nodes())
        (out += out.empty() ? "" : " ") += node->name;
    return out;
}

StepRecording recordOf(const passes::Pass& pass, ir::GraphPtr graph) {
    auto recording = passes::record(pass, PassState{std::move(graph), nullptr, nullptr, {}}, {});
    return std::move(recording).value();
}

class Failing final : public passes::Pass {
public:
    [[nodiscard]] std::string_view name() const override { return "failing"; }
    [[nodiscard]] std::string_view description() const override { return "Never makes anything"; }
    [[nodiscard]] passes::PassResult<PassState> run(const PassState&, const passes::PassContext&,
                                                    passes::PassObserver&) const override {
        return tl::unexpected(passes::PassError{"no", 1, false, {}});
    }
};

} // namespace

class TestPasses : public QObject {
    Q_OBJECT
private slots:
    /// As torch.fx.graph._Namespace answers the same questions in the same order.
    void namesAreThoseOfFx() {
        passes::FxNames names;
        std::string given;
        for (const char* candidate :
             {"add", "add", "add_1", "add_7", "add", "add_07", "add_07", "add", "slice", "slice", "slice_1",
              "a.b", "1", "_", "_", "add_70000", "add_70000", "add_2"})
            (given += given.empty() ? "" : " ") += names.create(candidate);
        QCOMPARE(given,
                 std::string("add add_1 add_2 add_7 add_8 add_07 add_9 add_10 slice_1 slice_2 slice_3 a_b "
                             "_1 _ __1 add_70000 add_70001 add_70002"));
    }

    void dceDropsWhatNobodyReads() {
        const ir::GraphPtr graph =
            graphOf(call("a", "neg.default", "%x") + call("dead", "exp.default", "%x") +
                        call("deader", "exp.default", "%dead") + call("w", "add_.Tensor", "%x, 1") +
                        call("r", "rand_like.default", "%x"),
                    "a");
        const StepRecording recording = recordOf(passes::DeadCodeElimination(), graph);
        QCOMPARE(names(*recording.after.graph), std::string("x a w r output"));
        QCOMPARE(recording.steps.size(), graph->size());
        QCOMPARE(recording.steps[2].removed.size(), 1U);
        QCOMPARE(recording.steps[2].why, std::string("only dropped nodes read it"));
        QCOMPARE(recording.steps[3].why, std::string("nobody reads it"));
        // What stays is the same object.
        QVERIFY(recording.after.graph->nodes()[1] == graph->nodes()[1]);
    }

    void cseMergesEqualExpressionsOnly() {
        const ir::GraphPtr graph = graphOf(
            call("a", "neg.default", "%x") + call("b", "neg.default", "%x") + call("c", "exp.default", "%a") +
                call("d", "exp.default", "%b") + call("r", "rand_like.default", "%x") +
                call("s", "rand_like.default", "%x") + call("e", "add.Tensor", "%c, %d") +
                call("f", "add.Tensor", "%r, %s") + call("g", "add.Tensor", "%e, %f"),
            "g");
        const StepRecording recording = recordOf(passes::CommonSubexpressionElimination(), graph);
        QCOMPARE(names(*recording.after.graph), std::string("x a c r s e f g output"));
        const ir::Graph& after = *recording.after.graph;
        QCOMPARE(after.node(after.find("e")).args[1].text, std::string("c"));
        QCOMPARE(recording.steps[2].removed.front().replacement, after.find("a"));
        QCOMPARE(recording.steps[2].why, std::string("computes what 'a' has computed"));
        // Many to one: a and b both became a.
        const auto provenance = recording.provenance();
        const auto has = [&](const char* from, const char* to) {
            return std::find(provenance.begin(), provenance.end(),
                             std::pair(graph->find(from), after.find(to))) != provenance.end();
        };
        QVERIFY(has("a", "a") && has("b", "a") && has("d", "c") && has("e", "e"));
        QVERIFY(!has("b", "c"));
    }

    void cseLeavesMemoryThatIsWritten() {
        const ir::GraphPtr graph =
            graphOf(call("v", "view.default", "%x, [4]") + call("a", "neg.default", "%v") +
                        call("w", "add_.Tensor", "%x, 1") + call("b", "neg.default", "%v") +
                        call("c", "add.Tensor", "%a, %b"),
                    "c");
        QCOMPARE(names(*recordOf(passes::CommonSubexpressionElimination(), graph).after.graph),
                 std::string("x v a w b c output"));
    }

    void snapshotsAreThePrefixOfTheResult() {
        const ir::GraphPtr graph =
            graphOf(call("a", "neg.default", "%x") + call("b", "exp.default", "%x"), "a");
        const StepRecording recording = recordOf(passes::DeadCodeElimination(), graph);
        QCOMPARE(names(*recording.snapshot(0)), std::string());
        QCOMPARE(names(*recording.snapshot(1)), std::string("x"));
        QCOMPARE(names(*recording.snapshot(3)), std::string("x a"));
        QVERIFY(recording.snapshot(4) == recording.after.graph);
        QVERIFY(recording.snapshot(99) == recording.after.graph);
        QVERIFY(recording.snapshot(2)->nodes()[1] == graph->nodes()[1]);
    }

    void aPipelineRunsInOrderAndNamesWhatFailed() {
        const ir::GraphPtr graph =
            graphOf(call("a", "neg.default", "%x") + call("b", "neg.default", "%x") +
                        call("c", "add.Tensor", "%a, %b") + call("d", "exp.default", "%b"),
                    "c");
        passes::Pipeline pipeline;
        pipeline.add(std::make_shared<passes::CommonSubexpressionElimination>())
            .add(std::make_shared<passes::DeadCodeElimination>());
        const PassState start{graph, nullptr, nullptr, {}};
        const auto recordings = pipeline.run(start, {});
        QVERIFY(recordings.has_value());
        QCOMPARE(names(*recordings->back().after.graph), std::string("x a c output"));
        QVERIFY((*recordings)[1].before.graph == (*recordings)[0].after.graph);

        const auto failed = pipeline.add(std::make_shared<Failing>()).run(start, {});
        QVERIFY(!failed);
        QCOMPARE(failed.error().pass, std::string("failing"));
        QCOMPARE(failed.error().message, std::string("no"));
    }

    void stepsAreSpelledOut() {
        const ir::GraphPtr graph =
            graphOf(call("a", "neg.default", "%x") + call("b", "neg.default", "%x"), "a");
        const StepRecording recording = recordOf(passes::DeadCodeElimination(), graph);
        const nlohmann::json steps = passes::stepsJson(recording, true);
        QCOMPARE(steps[2]["source"].get<std::string>(), std::string("b"));
        QCOMPARE(steps[2]["removed"][0]["node"].get<std::string>(), std::string("b"));
        QVERIFY(steps[2]["removed"][0]["replacement"].is_null());
        QCOMPARE(passes::recordingJson(recording)["nodes_after"].get<int>(), 3);
    }

    void namesInARegistryAreUnique() {
        passes::Registry registry;
        passes::addCorePasses(registry);
        QCOMPARE(registry.names(), std::string("dce, cse, inline_hooks"));
        const auto again = registry.add(std::make_shared<passes::DeadCodeElimination>(), "/x/plugin.so");
        QVERIFY(!again);
        QCOMPARE(again.error().toString(), std::string("/x/plugin.so: there is a pass 'dce' already"));
        QVERIFY(registry.find("dce") != nullptr);
        QVERIFY(registry.find("polish") == nullptr);
    }
};

QTEST_GUILESS_MAIN(TestPasses)
#include "tst_passes.moc"
