// SPDX-License-Identifier: BSD-3-Clause
//
// Forward and backward derived from captured joint graphs, against those that PyTorch captured.
#include "core/capture/open.h"
#include "core/ir/text.h"
#include "core/passes/hooks/inline_hooks.h"
#include "core/passes/match_in_order.h"
#include "core/passes/recording.h"
#include "core/passes/same_values.h"
#include "core/rederive/rederive.h"
#include "core/rederive/rederive_json.h"
#include "core/rederive/saved_hooks.h"
#include "tests/support/archive.h"
#include "tests/support/captures.h"

#include <QFile>
#include <QTest>

using namespace dynascope;
using engine::Rederived;
using engine::RederivedStage;

namespace {

std::string contentOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string();
}

std::vector<RederivedStage> stagesOf(const std::string& log) {
    const auto session = capture::openText(log, "capture.log");
    std::vector<RederivedStage> stages;
    if (session) stages = engine::rederive(**session, nullptr);
    std::erase_if(stages, [](const RederivedStage& stage) { return stage.from == "dynamo_output_graph"; });
    return stages;
}

std::string derivedLog(const std::string& name) {
    for (test::ArchiveFile& file : test::readArchive(DYNASCOPE_TEST_DATA "/captures/derived.tar.xz"))
        if (file.path.ends_with(name)) return std::move(file.content);
    return {};
}

ir::GraphPtr graph(const std::string& calls, const std::string& result) {
    return ir::readGraph("graph():\n    %x : [num_users=1] = placeholder[target=x]\n" + calls +
                         "    return (" + result + ",)")
        .value();
}

std::string call(const std::string& name, const std::string& args) {
    return "    %" + name + " : [num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (" +
           args + "), kwargs = {})\n";
}

} // namespace

class TestRederive : public QObject {
    Q_OBJECT
private slots:
    void everyCapture_data() {
        QTest::addColumn<QString>("name");
        for (const char* name :
             {"dynamic_mlp", "encoder_train", "gpt2_train", "saved_hooks", "saved_hooks_float8"})
            QTest::newRow(name) << QString("trace_aot_eager/") + name;
    }
    void everyCapture() {
        QFETCH(QString, name);
        const std::vector<RederivedStage> stages = stagesOf(contentOf(test::capture(name)));
        // With saved-tensors hooks both sides once more, after the hooks were inlined.
        QCOMPARE(stages.size(), name.contains("saved_hooks") ? 4U : 2U);
        for (const RederivedStage& stage : stages) {
            QVERIFY2(stage.verdict == Rederived::Isomorphic, (stage.stage + ": " + stage.reason).c_str());
            QCOMPARE(stage.matched, stage.nodes);
        }
        // Every saved value has its reason, and what is saved is what forward returns besides its results.
        QVERIFY(!stages[0].decisions.empty() && stages[1].decisions.empty());
        for (const passes::partition::Decision& decision : stages[0].decisions)
            QVERIFY2(!decision.why.empty(), decision.node.c_str());
    }

    void bytesAreThoseOfPackedValues() {
        const std::vector<RederivedStage> stages =
            stagesOf(contentOf(test::capture("trace_aot_eager/saved_hooks_float8")));
        QCOMPARE(stages[2].stage, std::string("aot_forward_graph"));
        QCOMPARE(stages[2].from, std::string("aot_forward_graph_pre_saved_tensors_hooks"));
        QCOMPARE(stages[0].decisions.size(), 1U);
        const passes::partition::Decision& decision = stages[0].decisions.front();
        QCOMPARE(decision.bytes, 24);
        QVERIFY2(decision.why.ends_with(
                     "the hook packs it into add_hook_0 f8e4m3fn[4, 6], 24 bytes instead of 96"),
                 decision.why.c_str());
    }

    /// By the default filter; the record of the hooks names it.
    void whatTheFilterLeavesOut() {
        const auto why = [](const std::string& log, const std::string& saved) {
            const std::vector<RederivedStage> stages = stagesOf(log);
            for (const passes::partition::Decision& decision : stages.front().decisions)
                if (decision.node == saved) return decision.why + " " + std::to_string(decision.bytes);
            return std::string();
        };
        std::string log = contentOf(test::capture("trace_aot_eager/saved_hooks"));
        QVERIFY2(why(log, "mm").ends_with("packs it into mm_hook_0 bf16[4, 4], 32 bytes instead of 64 32"),
                 why(log, "mm").c_str());
        QVERIFY2(why(log, "t").find("the hooks leave it as it is: filter 'donated' "
                                    "(saved_tensors_hooks_filtering_mode) packs only") != std::string::npos,
                 why(log, "t").c_str());
        for (const std::string_view record : {"mode:donated", "\"saved_tensors_hooks_filtering_mode\""}) {
            // Either of the two records is enough.
            QVERIFY(why(log, "t").find("PyTorch's default") == std::string::npos);
            log.erase(log.find(record), record.size());
        }
        QVERIFY2(why(log, "t").find("(PyTorch's default saved_tensors_hooks_filtering_mode)") !=
                     std::string::npos,
                 why(log, "t").c_str());
        // Hooks that the capture lacks are not made up.
        const std::size_t hook = log.find("aot_saved_tensors_hooks_pack mm:");
        log.replace(hook, std::string_view("aot_saved_tensors_hooks_pack mm").size(),
                    "aot_saved_tensors_hooks_pack nn");
        const std::vector<RederivedStage> stages = stagesOf(log);
        QVERIFY(stages.back().verdict == Rederived::Declined);
        QVERIFY2(stages.back().reason.find("holds no aot_saved_tensors_hooks_pack of 'mm'") !=
                     std::string::npos,
                 stages.back().reason.c_str());
    }

    /// The pass on the captured graphs as they were before makes those that PyTorch made.
    void thePassMakesTheCapturedGraphs_data() {
        QTest::addColumn<QString>("log");
        for (const char* name : {"saved_hooks", "saved_hooks_float8"})
            QTest::newRow(name) << QString::fromStdString(
                contentOf(test::capture(QString("trace_aot_eager/") + name)));
        QTest::newRow("symbolic") << QString::fromStdString(derivedLog("symbolic_hooks.log"));
    }
    void thePassMakesTheCapturedGraphs() {
        QFETCH(QString, log);
        const auto session = capture::openText(log.toStdString(), "capture.log");
        QVERIFY(session);
        const session::Compile& compile = (*session)->compiles.front();
        for (const char* half : {"aot_forward_graph", "aot_backward_graph"}) {
            const auto stage = compile.findStage(std::string(half) + "_pre_saved_tensors_hooks");
            const auto options = engine::hookOptions(**session, compile, *stage);
            QVERIFY2(options.has_value(), options ? "" : options.error().message.c_str());
            passes::PassContext context;
            context.options = *options;
            const auto made = passes::record(passes::hooks::InlineHooks(),
                                             {*stage->graph(), nullptr, nullptr, {}}, context);
            QVERIFY2(made.has_value(), made ? "" : made.error().message.c_str());
            const session::StagePtr twin = engine::hookedTwin(compile, *stage);
            QVERIFY(twin && twin->name == half);
            const passes::OrderedMatch match = passes::matchInOrder(**twin->graph(), *made->after.graph);
            QVERIFY2(match.same, match.difference.c_str());
            const auto told = std::find_if(made->steps.begin(), made->steps.end(), [](const auto& step) {
                return step.why.find("the hook packs it into") != std::string::npos;
            });
            QVERIFY(told != made->steps.end());
            QVERIFY2(told->why.find(" bytes instead of ") != std::string::npos, told->why.c_str());
            // They are in the later graph already.
            const auto again = engine::hookOptions(**session, compile, *twin);
            QVERIFY(!again &&
                    again.error().message.find("already: take " + stage->label()) != std::string::npos);
        }
        const auto joint = compile.findStage("aot_joint_graph");
        QVERIFY(joint && !engine::hookOptions(**session, compile, *joint));
    }

    /// PyTorch records no graph of the hooks then.
    void hooksThatPackNothingAreSaid() {
        const std::string log = derivedLog("hooks_that_pack_nothing.log");
        const std::vector<RederivedStage> stages = stagesOf(log);
        QCOMPARE(stages.size(), 2U);
        QCOMPARE(
            stages[0].hooks,
            std::string("saved-tensors hooks are on, and leave everything that is saved (2) as it is: filter "
                        "'donated' (saved_tensors_hooks_filtering_mode) packs only memory that nobody but "
                        "backward holds"));
        QVERIFY(stages[1].hooks.empty());
        for (const passes::partition::Decision& decision : stages[0].decisions)
            QVERIFY2(decision.why.find("the hooks leave it as it is") != std::string::npos,
                     decision.why.c_str());
        const auto session = capture::openText(log, "capture.log");
        const session::Compile& compile = (*session)->compiles.front();
        const auto options = engine::hookOptions(**session, compile, *compile.findStage("aot_forward_graph"));
        QVERIFY(options && options->at("filter") == "donated" && options->contains("partner"));
        // Without them it is not said.
        const auto plain =
            capture::openText(contentOf(test::capture("trace_aot_eager/gpt2_train")), "capture.log");
        const session::Compile& other = (*plain)->compiles.front();
        const auto none = engine::hookOptions(**plain, other, *other.findStage("aot_forward_graph"));
        QVERIFY(!none && none.error().message.find("shows no saved-tensors hooks") != std::string::npos);
    }

    /// An operator of the captured backward graph is another one: that is found, and where.
    void aTamperedGraphDiffers() {
        std::string log = contentOf(test::capture("trace_aot_eager/gpt2_train"));
        const std::size_t record = log.find("\"aot_backward_graph\"");
        const std::string op = "torch.ops.aten.mm.default";
        const std::size_t at = log.find(op, record);
        QVERIFY(record != std::string::npos && at != std::string::npos);
        log.replace(at, op.size(), "torch.ops.aten.bm.default");
        const std::vector<RederivedStage> stages = stagesOf(log);
        QCOMPARE(stages.size(), 2U);
        QVERIFY(stages[0].verdict == Rederived::Isomorphic);
        QVERIFY(stages[1].verdict == Rederived::Different);
        QVERIFY2(stages[1].reason.find("(torch.ops.aten.bm.default), the derived one has") !=
                     std::string::npos,
                 stages[1].reason.c_str());
        QVERIFY(!stages[1].captured.empty() && !stages[1].got.empty());
    }

    /// What Inductor did to the joint graph is not in the capture.
    void inductorsGraphsAreDeclinedByName() {
        for (const RederivedStage& stage : stagesOf(contentOf(test::capture("trace_inductor/train")))) {
            QVERIFY(stage.verdict == Rederived::Declined);
            QVERIFY2(stage.reason.starts_with("Inductor changed the joint graph"), stage.reason.c_str());
        }
    }

    /// But a recording of passes has what the partitioner was given.
    void recordedPassesTellWhatWasSplit() {
        const auto split = [](const std::string& path) {
            const auto session = capture::open(path);
            std::vector<RederivedStage> stages;
            if (session) stages = engine::rederive(**session, nullptr);
            std::erase_if(stages,
                          [](const RederivedStage& stage) { return stage.from == "dynamo_output_graph"; });
            return stages;
        };
        const std::vector<RederivedStage> stages = split(DYNASCOPE_TEST_DATA "/passes");
        QCOMPARE(stages.size(), 2U);
        for (const RederivedStage& stage : stages) {
            QVERIFY2(stage.verdict == Rederived::Isomorphic, (stage.stage + ": " + stage.reason).c_str());
            QCOMPARE(stage.from, std::string("partition/start"));
        }
        for (const RederivedStage& stage : split(DYNASCOPE_TEST_DATA "/passes/block.log.xz"))
            QVERIFY2(stage.reason.starts_with("Inductor changed the joint graph"), stage.reason.c_str());
    }

    /// What only the engine can derive is declined, and says so.
    void withoutAnEngineJointGraphsAreNotDerived() {
        const auto session = capture::openText(contentOf(test::capture("trace_aot_eager/kvcache")), "x.log");
        QVERIFY(session.has_value());
        const std::vector<RederivedStage> stages = engine::rederive(**session, nullptr);
        QCOMPARE(stages.size(), 2U);
        for (const RederivedStage& stage : stages) {
            QVERIFY(stage.verdict == Rederived::NotDerived);
            QVERIFY(stage.lost.has_value());
            QCOMPARE(stage.reason, std::string("there is no engine"));
        }
    }

    /// Nodes are the same value by what they do, from the inputs on and from the results back.
    void nodesOfTheSameValue() {
        const auto pairs = [](const ir::GraphPtr& a, const ir::GraphPtr& b) {
            std::string out;
            for (const auto& [x, y] : passes::sameValues(*a, *b))
                if (a->node(x).op != ir::Op::Output) out += a->node(x).name + '=' + b->node(y).name + ' ';
            return out;
        };
        // Names crossed: each is found by what it does.
        QCOMPARE(pairs(graph(call("a", "%x, 1") + call("b", "%a, 2.0"), "b"),
                       graph(call("b", "%x, 1") + call("a", "%b, 2.0"), "a")),
                 std::string("x=x a=b b=a "));
        // What stands in between in one graph alone is nobody's.
        QCOMPARE(pairs(graph(call("a", "%x, 1") + call("b", "%a, 2.0"), "b"),
                       graph(call("a", "%x, 1") + call("n", "%a, 7") + call("b", "%n, 2.0"), "b")),
                 std::string("x=x a=a b=b "));
    }

    void ordersAndNamesAreToldApart() {
        const auto first = graph(call("a", "%x, 1") + call("b", "%a, 2.0"), "b");
        QVERIFY(passes::matchInOrder(*first, *graph(call("c", "%x, 1") + call("d", "%c, 2.0"), "d")).same);
        const auto other =
            passes::matchInOrder(*first, *graph(call("a", "%x, 1") + call("b", "%x, 2.0"), "b"));
        QVERIFY(!other.same);
        QCOMPARE(other.matched, 2U);
        QCOMPARE(other.difference,
                 std::string("argument 0 of 'b' is a in the captured graph and x in the derived one"));
        QVERIFY(!passes::matchInOrder(*first, *graph(call("a", "%x, 1") + call("b", "%a, 2"), "b")).same);
        QVERIFY(!passes::matchInOrder(*first, *graph(call("a", "%x, 1") + call("b", "%a, 2.0"), "a")).same);
        QVERIFY(!passes::matchInOrder(*first, *graph(call("a", "%x, 1"), "a")).same);
        const auto result =
            passes::matchInOrder(*first, *graph(call("a", "%x, 1") + call("b", "%a, 2.0"), "a"));
        QCOMPARE(result.difference,
                 std::string("result 0 is b in the captured graph and a in the derived one"));
        const auto fewer = passes::matchInOrder(*first, *graph(call("a", "%x") + call("b", "%a, 2.0"), "b"));
        QCOMPARE(fewer.difference,
                 std::string("argument 1 of 'a' is 1 in the captured graph and absent in the derived one"));
        const auto swapped =
            passes::matchInOrder(*graph(call("a", "%x, 1") + call("m", "%x, 3") + call("b", "%a, 2.0"), "b"),
                                 *graph(call("m", "%x, 1") + call("a", "%x, 3") + call("b", "%a, 2.0"), "b"));
        QCOMPARE(swapped.difference,
                 std::string("argument 0 of 'b' is a in both graphs, where these are different nodes"));
    }

    void readAgainAsWritten() {
        engine::Rederivation said;
        said.row.compile = "0/0";
        said.row.stage = "aot_forward_graph";
        said.row.from = "aot_joint_graph";
        said.row.verdict = Rederived::NotDerived;
        said.row.captured = {"a", "b"};
        said.row.microseconds = 1.5;
        said.row.attempt = 2;
        said.row.decisions = {{passes::partition::Decision::Kind::Recomputed, "mul", 8, "cheap"}};
        said.metadata = RederivedStage();
        said.metadata->metadata = {{"outputs", 1}};
        const std::string text = engine::writeRederivation(said);
        QCOMPARE(text,
                 std::string(R"({"metadata":{"captured":[],"compile_id":"","decisions":[],"derived":[],)"
                             R"("derived_node":"","from":"","left_out":"","matched":0,)"
                             R"("metadata":{"outputs":1},"missed_guard":"","node":"","nodes":0,"rank":0,)"
                             R"("reason":"","stage":"","time_us":0.0,"verdict":"isomorphic"},)"
                             R"("rederived":{"attempt":2,"captured":["a","b"],"compile_id":"0/0",)"
                             R"("decisions":[{"bytes":8,"decision":"recomputed","node":"mul",)"
                             R"("why":"cheap"}],"derived":[],"derived_node":"",)"
                             R"("from":"aot_joint_graph","left_out":"","matched":0,"missed_guard":"",)"
                             R"("node":"","nodes":0,"rank":0,"reason":"","stage":"aot_forward_graph",)"
                             R"("time_us":1.5,"verdict":"not derived"},"version":1})"));
        const auto again = engine::readRederivation(text);
        QVERIFY2(again, again ? "" : again.error().message.c_str());
        QCOMPARE(engine::writeRederivation(*again), text);
    }

    void whatIsOddInAStoredOneIsNamed() {
        const auto why = [](const std::string& text) {
            const auto read = engine::readRederivation(text);
            return read ? std::string() : read.error().message;
        };
        QCOMPARE(why("{"), std::string("rederivation: expected an object, not null"));
        QCOMPARE(why(R"({"version":2})"), std::string("it was written by a newer version of Dynascope"));
        QCOMPARE(why(R"({"version":1,"rederived":{"verdict":"different"}})"),
                 std::string("rederivation: rederived.rank: is missing"));
        // Before there were versions not all was said, but always a verdict.
        QCOMPARE(why(R"({"rederived":{"verdict":"different"}})"), std::string());
        QCOMPARE(why(R"({"rederived":{}})"), std::string("rederivation: rederived.verdict: is missing"));
        QCOMPARE(why(R"({"rederived":{"verdict":"fine"}})"),
                 std::string("rederivation: rederived.verdict: unknown word 'fine'"));
        QCOMPARE(
            why(R"({"rederived":{"verdict":"different","decisions":[{"bytes":"x"}]}})"),
            std::string("rederivation: rederived.decisions[0].bytes: expected a whole number, not a string"));
        QCOMPARE(why(R"({"rederived":{"verdict":"different"},"metadata":7})"),
                 std::string("rederivation: metadata: expected an object, not a number"));
    }
};

QTEST_GUILESS_MAIN(TestRederive)
#include "tst_rederive.moc"
