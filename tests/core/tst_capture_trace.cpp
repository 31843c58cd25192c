// SPDX-License-Identifier: BSD-3-Clause
//
// What a trace log means: compiles, statuses, stages, frames, joined records. Logs are written here, record
// by record.
#include "core/capture/open.h"
#include "core/session/symbol_hints.h"
#include "tests/support/trace_text.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

using namespace dynascope;
using session::Status;
using test::readableGraph;
using test::TraceText;

namespace {

session::SessionPtr open(const TraceText& text) {
    const auto session = capture::openText(text.text(), "test.log");
    return session ? *session : nullptr;
}

QStringList labels(const session::Compile& compile) {
    QStringList out;
    for (const session::StagePtr& stage : compile.stages)
        out.append(QString::fromStdString(stage->label()));
    return out;
}

const std::string breakText =
    "Graph break in user code at cap.py:30\nGraph Break Reason: Data-dependent branching\n";

} // namespace

class TestCaptureTrace : public QObject {
    Q_OBJECT

private slots:
    void statuses() {
        TraceText text;
        text.string(1, "cap.py");
        text.at(0, 0).start().add("\"dynamo_output_graph\": {}", readableGraph()).metrics();
        text.at(1, 0).start().artifact("dynamo_graph_break_reason", breakText).metrics();
        text.at(2, 0).start().metrics();
        text.at(3, 0).start().metrics(
            "\"fail_type\": \"TorchRuntimeError\", \"fail_reason\": \"bad shape\", "
            "\"fail_user_frame_filename\": \"cap.py\", \"fail_user_frame_lineno\": 62");
        text.at(4, 0).start();
        text.at(5, 0).start().artifact("dynamo_error", "Traceback (most recent call last):\n"
                                                       "torch._dynamo.exc.Unsupported: no\n"
                                                       "\n"
                                                       "from user code:\n"
                                                       "   File \"cap.py\", line 9, in f\n"
                                                       "    return g(x)\n");
        text.at(6, 0)
            .start()
            .artifact("dynamo_graph_break_reason", breakText)
            .add("\"dynamo_output_graph\": {}", readableGraph())
            .metrics();
        const session::SessionPtr session = open(text);
        QVERIFY(session);
        QCOMPARE(session->kind, session::Kind::TorchTrace);
        QCOMPARE(session->compiles.size(), std::size_t(7));
        const Status expected[] = {Status::Compiled,   Status::GraphBreak, Status::Skipped,   Status::Failed,
                                   Status::Incomplete, Status::Failed,     Status::GraphBreak};
        for (std::size_t i = 0; i < session->compiles.size(); ++i)
            QCOMPARE(session->compiles[i].status, expected[i]);
        QCOMPARE(session->compiles[3].failType, std::string("TorchRuntimeError"));
        QCOMPARE(session->compiles[3].failAt.line, 62u);
        QCOMPARE(session->compiles[5].failType, std::string("Unsupported"));
        QCOMPARE(session->compiles[5].failAt.line, 9u);
        QCOMPARE(session->compiles[5].failAt.code, std::string("return g(x)"));
        QCOMPARE(session->compiles[0].compileSeconds, 0.5);
        QVERIFY(session->warnings.empty());
    }

    void internedStringsFollowTheirLog() {
        TraceText text;
        text.string(1, "cap.py").start("f", 28).metrics();
        const session::SessionPtr session = open(text);
        QCOMPARE(session->compiles.front().location()->file, std::string("cap.py"));
        QCOMPARE(session->compiles.front().location()->line, 28u);
        QCOMPARE(session->frames.front().function, std::string("f"));
    }

    void attemptsAndRestarts() {
        TraceText text;
        text.at(0, 0, 0).start().artifact("dynamo_graph_break_reason", breakText);
        text.add("\"describe_tensor\": {\"id\": 0, \"describer_id\": 0, \"dtype\": \"torch.float32\", "
                 "\"size\": [8]}");
        text.at(0, 0, 1).artifact("dynamo_graph_break_reason", breakText);
        text.artifact("dynamo_graph_break_reason", breakText);
        text.add("\"describe_tensor\": {\"id\": 0, \"describer_id\": 1, \"dtype\": \"torch.float32\", "
                 "\"size\": [8, \"s0\"], "
                 "\"stride\": [1, 8], \"device\": \"device(type='cuda', index=0)\", \"storage\": 3, "
                 "\"storage_offset\": 4, "
                 "\"is_view\": true, \"base\": 1, \"requires_grad\": true}");
        text.add("\"describe_storage\": {\"id\": 3, \"describer_id\": 1, \"size\": 256}");
        text.add("\"describe_source\": {\"id\": 0, \"describer_id\": 1, \"source\": \"L['x']\"}");
        text.add("\"dynamo_output_graph\": {}", readableGraph()).metrics("\"restart_reasons\": [\"why\"]");
        const session::SessionPtr session = open(text);
        const session::Compile& compile = session->compiles.front();
        QCOMPARE(compile.attempts, 2);
        QCOMPARE(compile.restartReasons, std::vector<std::string>{"why"});
        QCOMPARE(compile.breaks.size(), std::size_t(3));
        QCOMPARE(compile.finalBreaks().size(), std::size_t(1));
        QCOMPARE(compile.finalBreaks().front()->attempt, 1);
        QCOMPARE(compile.stages.front()->attempt, 1);

        QCOMPARE(compile.inputs.size(), std::size_t(1));
        const session::TensorInput& input = compile.inputs.front();
        QCOMPARE(input.source, std::string("L['x']"));
        QCOMPARE(input.meta.annotation(), std::string("f32[8, s0][1, 8]cuda:0"));
        QCOMPARE(input.storage, 3);
        QCOMPARE(input.storageOffset, std::string("4"));
        QCOMPARE(input.base, 1);
        QVERIFY(input.isView && input.requiresGrad && !input.isLeaf && !input.isParameter);
        QCOMPARE(compile.storages.size(), std::size_t(1));
        QCOMPARE(compile.storages.front().bytes, std::uint64_t(256));
    }

    void stagesInPipelineOrder() {
        TraceText text;
        text.start().add("\"dynamo_output_graph\": {}", readableGraph(1));
        text.artifact("before_pre_grad_graph", readableGraph(1));
        text.add("\"aot_joint_graph\": {}", readableGraph(5));
        text.add("\"aot_forward_graph\": {}", readableGraph(2))
            .add("\"aot_backward_graph\": {}", readableGraph(3));
        text.artifact("before_post_grad_graph", readableGraph(2))
            .artifact("inductor_post_grad_graph", readableGraph(2));
        text.add("\"inductor_output_code\": {\"filename\": \"a.py\"}",
                 "k = async_compile.cpp_pybinding([], '')\nasync_compile.wait(globals())");
        text.metrics();
        text.artifact("before_post_grad_graph", readableGraph(3))
            .artifact("inductor_post_grad_graph", readableGraph(3));
        text.add("\"inductor_output_code\": {\"filename\": \"b.py\"}",
                 "async_compile.triton('x')\nasync_compile.triton('y')");
        text.add("\"bwd_compilation_metrics\": {\"duration_us\": 2500000}");
        text.add("\"compilation_metrics\": {\"pytorch_version\": \"2.11.0+cu130\"}");
        const session::SessionPtr session = open(text);
        QCOMPARE(session->torchVersion, std::string("2.11.0+cu130"));
        const session::Compile& compile = session->compiles.front();
        QCOMPARE(labels(compile),
                 QStringList({"dynamo_output_graph", "before_pre_grad_graph", "aot_joint_graph",
                              "aot_forward_graph", "aot_backward_graph", "before_post_grad_graph",
                              "inductor_post_grad_graph", "inductor_output_code", "before_post_grad_graph#1",
                              "inductor_post_grad_graph#1", "inductor_output_code#1"}));
        using session::Phase;
        QCOMPARE(compile.findStage("before_post_grad_graph", 0)->phase, Phase::PostGradForward);
        QCOMPARE(compile.findStage("before_post_grad_graph", 1)->phase, Phase::PostGradBackward);
        QCOMPARE(compile.findStage("aot_joint_graph")->nodeCount(), std::size_t(7));
        QCOMPARE(compile.findStage("before_post_grad_graph", 1)->nodeCount(), std::size_t(5));
        QCOMPARE(compile.findStage("inductor_output_code")->kernelCount(), std::size_t(1));
        QCOMPARE(compile.findStage("inductor_output_code", 1)->kernelCount(), std::size_t(2));
        QVERIFY(!compile.findStage("inductor_output_code")->graph());
        QCOMPARE(compile.backwardSeconds, 2.5);
        QCOMPARE(compile.status, Status::Compiled);
    }

    void jointPassesOfInference() {
        TraceText text;
        text.start().add("\"aot_inference_graph\": {}", readableGraph(2));
        text.artifact("before_joint_graph", readableGraph(2))
            .artifact("after_joint_graph", readableGraph(1))
            .metrics();
        const session::SessionPtr session = open(text);
        QCOMPARE(labels(session->compiles.front()),
                 QStringList({"aot_inference_graph", "before_joint_graph", "after_joint_graph"}));
    }

    /// torch.export with strict=True has Dynamo capture without a compile; a log that lacks its beginning may have
    /// lost that of a compile.
    void dynamosGraphOfAnExport() {
        TraceText graph;
        graph.at(0, 0).add("\"dynamo_output_graph\": {}", readableGraph(2));
        QCOMPARE(open(graph)->compiles.front().status, session::Status::Compiled);
        TraceText whole;
        whole.raw(
            "V1121 01:29:50.608000 1 a.py:1] {\"artifact\": {\"name\": \"torch_version\", \"encoding\": "
            "\"json\"}, \"has_payload\": \"d41d8cd98f00b204e9800998ecf8427e\"}\n\t{\"pytorch_version\": "
            "\"2.13.0\"}\n");
        whole.raw(graph.text());
        QCOMPARE(open(whole)->compiles.front().status, session::Status::Exported);
        whole.metrics();
        QCOMPARE(open(whole)->compiles.front().status, session::Status::Compiled);
    }

    /// PyTorch writes the exception at length before the break that is made of it: one break.
    void whatWasNotConverted() {
        TraceText text;
        text.at(1, 0).start().artifact("dynamo_graph_break_reason",
                                       "WON'T CONVERT f cap.py line 28\n========== TorchDynamo Stack Trace "
                                       "==========\nTraceback (most recent call last):\n  no\n");
        text.artifact("dynamo_graph_break_reason", breakText).metrics();
        const session::SessionPtr session = open(text);
        QCOMPARE(session->compiles.front().breaks.size(), std::size_t{1});
        QCOMPARE(session->recordCounts.at("artifact:dynamo_graph_break_reason"), std::size_t{2});
    }

    void backwardByTimingEvent() {
        // Compiled autograd or an eager backward compile: the timing says what the order cannot.
        TraceText text;
        text.start().add("\"chromium_event\": {}", "{\"name\": \"compile_fx.<locals>.bw_compiler\", \"ph\": "
                                                   "\"B\", \"ts\": 5.0, \"pid\": 0, \"tid\": 0}");
        text.artifact("before_post_grad_graph", readableGraph(1));
        text.add("\"chromium_event\": {}", "{\"name\": \"compile_fx.<locals>.bw_compiler\", \"ph\": \"E\", "
                                           "\"ts\": 9.0, \"pid\": 0, \"tid\": 0}");
        text.metrics();
        const session::SessionPtr session = open(text);
        QCOMPARE(session->compiles.front().stages.front()->phase, session::Phase::PostGradBackward);
    }

    void savedTensorHooks() {
        TraceText text;
        text.start().artifact("aot_saved_tensors_hooks_graphs",
                              "aot_forward_graph_pre_saved_tensors_hooks:" + readableGraph(2) +
                                  "\nfw_outs_saved_for_bw:(mm, t)\nmode:donated\n"
                                  "aot_saved_tensors_hooks_pack mm:" +
                                  readableGraph(1) + "\naot_saved_tensors_hooks_pack t:" + readableGraph(3) +
                                  "\nfw_g_pre_assert:graph():\n    %x : [num_users=1] = "
                                  "placeholder[target=x]\n    return (x,)\n");
        text.metrics();
        const session::SessionPtr session = open(text);
        const session::Compile& compile = session->compiles.front();
        QCOMPARE(labels(compile),
                 QStringList({"aot_forward_graph_pre_saved_tensors_hooks", "aot_saved_tensors_hooks_pack",
                              "aot_saved_tensors_hooks_pack#1", "fw_g_pre_assert"}));
        QCOMPARE(compile.stages[1]->detail, std::string("mm"));
        QCOMPARE(compile.stages[2]->detail, std::string("t"));
        const std::size_t nodes[] = {4, 3, 5, 2};
        for (std::size_t i = 0; i < 4; ++i) {
            QCOMPARE(compile.stages[i]->phase, session::Phase::Hooks);
            QCOMPARE(compile.stages[i]->nodeCount(), nodes[i]);
        }
        QVERIFY(compile.stages[0]->payload.text().starts_with("class GraphModule"));
        QCOMPARE(session->records[compile.stages[1]->record].type,
                 std::string("artifact:aot_saved_tensors_hooks_graphs"));
    }

    void equalPayloadsAreReadOnce() {
        TraceText text;
        text.start()
            .artifact("before_pre_grad_graph", readableGraph(4))
            .artifact("after_pre_grad_graph", readableGraph(4))
            .metrics();
        const session::SessionPtr session = open(text);
        const session::Compile& compile = session->compiles.front();
        QCOMPARE(compile.stages[0]->graph().value().get(), compile.stages[1]->graph().value().get());
    }

    void unknownRecordsAreKept() {
        TraceText text;
        text.start()
            .add("\"brand_new\": {\"a\": 1}", "some text")
            .artifact("brand_new_artifact", "more")
            .metrics();
        text.artifact("my_pass_post_grad", readableGraph(3));
        const session::SessionPtr session = open(text);
        QVERIFY(session->warnings.empty());
        QCOMPARE(session->recordCounts.at("brand_new"), std::size_t(1));
        QCOMPARE(session->recordCounts.at("artifact:brand_new_artifact"), std::size_t(1));
        const auto& record = session->records[1];
        QVERIFY(!record.known);
        QCOMPARE(record.payload.text(), std::string("some text"));
        QVERIFY(record.header.text().starts_with("{\"brand_new\""));
        // A graph under an unknown name is still a stage.
        QCOMPARE(labels(session->compiles.front()), QStringList({"my_pass_post_grad"}));
    }

    /// Dynamo says of a compile that it refuses only the number of its code object, and why.
    void refusedAtTheRecompileLimit() {
        TraceText text;
        text.string(1, "cap.py");
        text.at(0, 0).start().metrics();
        text.at(0, 1)
            .artifact("recompile_reasons", "0/0: n == 0")
            .add("\"compilation_metrics\": {\"co_name\": null, \"fail_type\": \"Unsupported\", "
                 "\"fail_reason\": \"Dynamo recompile limit exceeded\\n  Explanation: ...\"}");
        const session::SessionPtr session = open(text);
        const session::Compile& refused = *session->find(0, "0/1");
        QVERIFY(refused.hitRecompileLimit() && !refused.isRecompile);
        QCOMPARE(refused.status, Status::Failed);
        QCOMPARE(refused.function, std::string("f"));
        QVERIFY(refused.location());
        QCOMPARE(session->frames.size(), std::size_t(1));
        QCOMPARE(session->frames[0].compiles.size(), std::size_t(2));
    }

    void recompileReasons() {
        TraceText text;
        text.at(0, 1)
            .artifact("recompile_reasons", "0/0: tensor 'x' size mismatch\nUser stack trace:\n0/1: n == 0")
            .metrics();
        text.at(0, 2).artifact("recompile_reasons", "[\n\"0/1: a\",\n\"0/0: b\"\n]").metrics();
        text.at(1, 0).metrics();
        const session::SessionPtr session = open(text);
        QCOMPARE(
            session->compiles[0].recompileReasons,
            (std::vector<std::string>{"0/0: tensor 'x' size mismatch\nUser stack trace:", "0/1: n == 0"}));
        QCOMPARE(session->compiles[1].recompileReasons, (std::vector<std::string>{"0/1: a", "0/0: b"}));
        QVERIFY(session->compiles[0].isRecompile && !session->compiles[2].isRecompile);
    }

    void cachesSymbolsBytecode() {
        TraceText text;
        text.string(1, "cap.py").start();
        text.artifact("fx_graph_cache_hit", "{\"key\": \"fabc\", \"components\": []}");
        text.artifact("aotautograd_cache_bypass",
                      "{\"key\": null, \"cache_bypass_reason\": \"no grad mode\"}");
        text.add("\"create_symbol\": {\"symbol\": \"s77\", \"val\": \"2\", \"vr\": \"[2, int_oo]\", "
                 "\"source\": \"L['x'].size()[0]\", "
                 "\"user_stack\": [{\"line\": 30, \"name\": \"f\", \"filename\": 1, \"loc\": \"z = x\"}]}");
        text.artifact("f_ORIGINAL_BYTECODE", "LOAD x").artifact("f_MODIFIED_BYTECODE", "RETURN").metrics();
        const session::SessionPtr session = open(text);
        const session::Compile& compile = session->compiles.front();
        QCOMPARE(compile.caches.size(), std::size_t(2));
        QCOMPARE(compile.caches[0].outcome, session::CacheEvent::Outcome::Hit);
        QCOMPARE(compile.caches[0].key, std::string("fabc"));
        QCOMPARE(compile.caches[1].cache, std::string("aotautograd_cache"));
        QCOMPARE(compile.caches[1].reason, std::string("no grad mode"));
        QCOMPARE(compile.symbols.front().source, std::string("L['x'].size()[0]"));
        QCOMPARE(compile.symbols.front().userStack.front().file, std::string("cap.py"));
        QCOMPARE(session->sources.at("cap.py").lines.at(30), std::string("z = x"));
        QCOMPARE(compile.bytecode.size(), std::size_t(1));
        QCOMPARE(compile.bytecode.front().name, std::string("f"));
        QCOMPARE(compile.bytecode.front().modified.text(), std::string("RETURN"));
    }

    void guardsOfOlderVersions() {
        TraceText text;
        text.string(1, "cap.py")
            .start()
            .add("\"dynamo_guards\": {}",
                 "[{\"code\": \"x > 1\", \"user_stack\": [{\"line\": 3, \"filename\": 1, "
                 "\"name\": \"f\", \"loc\": \"y = x\"}]}, {\"code\": \"n == 2\"}]");
        const session::SessionPtr session = open(text);
        const std::vector<session::Guard>& guards = session->compiles.front().guards;
        QCOMPARE(guards.size(), std::size_t(2));
        QCOMPARE(guards[0].code, std::string("x > 1"));
        QCOMPARE(guards[0].addedAt.line, 3u);
        QCOMPARE(guards[0].userCode, std::string("y = x"));
    }

    void timings() {
        const auto event = [](const char* name, const char* phase, double at, const char* more = "") {
            return "{\n\"name\": \"" + std::string(name) + "\",\n\"ph\": \"" + phase +
                   "\", \"ts\": " + std::to_string(at) +
                   ", \"pid\": 0, \"tid\": 0, \"cat\": \"dynamo_timed\", \"args\": {\"compile_id\": "
                   "\"0/0\"}" +
                   more + "}";
        };
        TraceText text;
        text.start();
        const auto add = [&](const std::string& payload) { text.add("\"chromium_event\": {}", payload); };
        add(event("outer", "B", 1000));
        add(event("compile_file", "B", 1010));
        add(event("wait", "B", 1020));
        add(event("compile_file", "E", 1040)); // from a thread that shares the tid
        add(event("wait", "E", 1050));
        add(event("mark", "i", 1060));
        add(event("span", "X", 1070, ", \"dur\": 5"));
        add(event("outer", "E", 1100));
        add(event("late", "B", 1150));
        add(event("never", "E", 1200));
        text.metrics();
        const session::SessionPtr session = open(text);
        QCOMPARE(session->timings.size(), std::size_t(6));
        const auto& t = session->timings;
        QCOMPARE(t[0].name, std::string("outer"));
        QCOMPARE(t[0].startUs, 0.0);
        QCOMPARE(t[0].durationUs, 100.0);
        QCOMPARE(t[0].compile, 0);
        QCOMPARE(t[1].durationUs, 30.0);
        QCOMPARE(t[1].depth, 1);
        QCOMPARE(t[2].durationUs, 30.0);
        QCOMPARE(t[2].depth, 2);
        QCOMPARE(t[3].durationUs, 0.0);
        QCOMPARE(t[3].depth, 1);
        QCOMPARE(t[4].durationUs, 5.0);
        QVERIFY(t[5].open && !t[0].open);
        QCOMPARE(t[5].durationUs, 50.0);
    }

    void resumeFunctionsJoinTheirFrame() {
        TraceText text;
        text.at(0, 0).metrics("\"fail_type\": null", "f", 10);
        text.at(1, 0).metrics("\"fail_type\": null", "f", 40); // another f in the same file
        text.at(2, 0).metrics("\"fail_type\": null", "torch_dynamo_resume_in_f_at_45", 45);
        text.at(3, 0).metrics("\"fail_type\": null", "torch_dynamo_resume_in_f_at_12", 12);
        text.at(4, 0).metrics("\"fail_type\": null", "helper", 5);
        text.at(0, 1).metrics("\"fail_type\": null", "f", 10);
        const session::SessionPtr session = open(text);
        QCOMPARE(session->frames.size(), std::size_t(3));
        QCOMPARE(session->frames[0].location.line, 10u);
        QCOMPARE(session->frames[0].compiles, (std::vector<std::size_t>{0, 3, 5}));
        QCOMPARE(session->frames[1].compiles, (std::vector<std::size_t>{1, 2}));
        QCOMPARE(session->frames[2].function, std::string("helper"));
    }

    void compiledAutogradIds() {
        TraceText text;
        text.raw("V1121 01:29:50.608000 1 a.py:1] {\"compiled_autograd_graph\": {}, "
                 "\"compiled_autograd_id\": 2}\n");
        text.raw("V1121 01:29:50.608000 1 a.py:1] {\"dynamo_start\": {\"stack\": []}, \"frame_id\": 0, "
                 "\"frame_compile_id\": 1, "
                 "\"attempt\": 0, \"compiled_autograd_id\": 2}\n");
        const session::SessionPtr session = open(text);
        QVERIFY(session->find(0, "!2"));
        QVERIFY(session->find(0, "!2/0/1"));
    }

    void graphsWithoutCompileId() {
        // torch.export and ahead-of-time compilation.
        TraceText text;
        text.at(0, 0).add("\"dynamo_output_graph\": {}", readableGraph(2));
        text.raw("V1121 01:29:50.608000 1 a.py:1] {\"exported_program\": {}}\n\tExportedProgram:\n"
                 "\t    class GraphModule(torch.nn.Module):\n"
                 "\t        def forward(self, x: \"f32[4]\"):\n"
                 "\t            relu: \"f32[4]\" = torch.ops.aten.relu.default(x);  x = None\n"
                 "\t            return (relu,)\n"
                 "\t\n"
                 "\tGraph signature: # inputs\n"
                 "\tx: USER_INPUT\n");
        const session::SessionPtr session = open(text);
        QCOMPARE(session->find(0, "0/0")->status, Status::Compiled);
        const session::Compile* loose = session->find(0, "-");
        QVERIFY(loose);
        QCOMPARE(loose->status, Status::Exported);
        QCOMPARE(session::statusName(loose->status), std::string_view("exported"));
        QCOMPARE(labels(*loose), QStringList({"exported_program"}));
        QCOMPARE(session::phaseName(loose->stages.front()->phase), std::string_view("export"));
        QCOMPARE(loose->stages.front()->nodeCount(), std::size_t(3));
    }

    void ranksOfAFolder() {
        QTemporaryDir folder;
        const auto write = [&](const QString& name, const std::string& content) {
            QFile file(folder.filePath(name));
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(content.data(), static_cast<qint64>(content.size()));
        };
        TraceText one, zero;
        one.string(1, "one.py").start().metrics();
        zero.string(1, "zero.py").start().metrics();
        write("dedicated_log_torch_trace_rank_1_x.log", one.text());
        write("dedicated_log_torch_trace_rank_0_x.log", zero.text());
        write("notes.log", "not a trace\n");
        write("README", "nor this\n");
        const auto opened = capture::open(folder.path().toStdString());
        QVERIFY(opened);
        const session::Session& session = **opened;
        QCOMPARE(session.ranks, (std::vector<int>{0, 1}));
        QCOMPARE(session.compiles.size(), std::size_t(2));
        QCOMPARE(session.find(0, "0/0")->location()->file, std::string("zero.py"));
        QCOMPARE(session.find(1, "0/0")->location()->file, std::string("one.py"));
        QCOMPARE(session.warnings.size(), std::size_t(1));
        QVERIFY(session.warnings.front().error.file.ends_with("notes.log"));
    }

    void specialisedSymbols() {
        TraceText text;
        text.string(1, "/home/user/cap.py").start();
        text.add("\"create_symbol\": {\"symbol\": \"s77\", \"val\": \"12\", \"vr\": \"[2, int_oo]\", "
                 "\"source\": \"L['x'].size()[0]\"}");
        text.add("\"create_symbol\": {\"symbol\": \"s27\", \"val\": \"3\", \"vr\": \"[2, int_oo]\", "
                 "\"source\": \"L['x'].size()[1]\"}");
        text.add(
            "\"symbolic_shape_specialization\": {\"symbol\": \"s77\", \"sources\": [\"L['x'].size()[0]\"], "
            "\"value\": \"12\", \"reason\": \"range_refined_to_singleton\", \"stack\": [], "
            "\"user_stack\": [{\"line\": 4, \"name\": \"f\", \"filename\": 1, \"loc\": \"if x.shape[0] == "
            "12:\"}]}");
        text.add(
            "\"symbolic_shape_specialization\": {\"symbol\": \"s99\", \"sources\": [\"L['y'].size()[0]\"], "
            "\"value\": \"5\", \"reason\": \"solve\"}");
        text.metrics();
        const session::SessionPtr session = open(text);
        const std::vector<session::SymbolInfo>& symbols = session->compiles.front().symbols;
        QCOMPARE(symbols.size(), std::size_t(3));
        QCOMPARE(session::specialisation(symbols[0]),
                 std::string("s77 became 12 at cap.py:4 (range_refined_to_singleton)"));
        QCOMPARE(session::specialisation(symbols[1]), std::string());
        QCOMPARE(session::specialisation(symbols[2]), std::string("s99 became 5 (solve)"));
        QCOMPARE(symbols[2].source, std::string("L['y'].size()[0]"));
        // A guard that bounds a symbol before anything was traced counts for it; others do not.
        TraceText bounded = text;
        bounded.add("\"create_symbol\": {\"symbol\": \"s5\", \"val\": \"4\", \"vr\": \"[2, int_oo]\"}");
        bounded.add("\"create_symbol\": {\"symbol\": \"s6\", \"val\": \"4\", \"vr\": \"[2, int_oo]\"}");
        for (const char* guard : {"s6 >= 3", "2*s6 < 65", "s5 <= 64", "s5 < 9"})
            bounded.add(std::string("\"guard_added_fast\": {\"expr\": \"") + guard + "\"}");
        const session::SessionPtr kept = open(bounded);
        const session::Compile& compile = kept->compiles.front();
        QCOMPARE(compile.symbols[3].upperBound, std::string("s5 <= 64"));
        QCOMPARE(compile.symbols[4].upperBound, std::string());
        const std::vector<std::string> unbounded = session::unboundedSymbols(compile);
        QVERIFY(std::find(unbounded.begin(), unbounded.end(), "s5") == unbounded.end());
        QVERIFY(std::find(unbounded.begin(), unbounded.end(), "s6") != unbounded.end());
        // An attempt that begins again makes its symbols anew.
        TraceText again = text;
        again.at(0, 0, 1).add("\"create_symbol\": {\"symbol\": \"s77\", \"val\": \"12\", \"source\": \"\"}");
        QCOMPARE(session::specialisation(open(again)->compiles.front().symbols[0]), std::string());
    }

    void anUnmatchedHashSaysWhatItMeans() {
        TraceText text;
        text.add("\"dynamo_output_graph\": {}", test::readableGraph());
        std::string changed = text.text();
        changed.replace(changed.find("add_0"), 5, "add_9");
        const auto opened = capture::openText(changed);
        QVERIFY(opened);
        QCOMPARE((*opened)->warnings.size(), std::size_t(1));
        QVERIFY((*opened)->warnings[0].error.message.find("was cut or changed after PyTorch wrote it") !=
                std::string::npos);
        const auto followed = capture::openText(changed + TraceText().start().text());
        QVERIFY(followed);
        QVERIFY((*followed)->warnings[0].error.message.find("it was changed after PyTorch wrote it") !=
                std::string::npos);
    }

    void hooksComeBeforeForwardAndBackward() {
        TraceText text;
        text.start();
        text.add("\"aot_joint_graph\": {}", test::readableGraph());
        std::string hooks;
        for (const char* label :
             {"aot_forward_graph_pre_saved_tensors_hooks", "aot_saved_tensors_hooks_pack mm",
              "aot_saved_tensors_hooks_unpack mm", "aot_forward_graph_pre_assert_saved_tensors_hooks"})
            hooks += std::string(label) + ':' + test::readableGraph();
        text.artifact("aot_saved_tensors_hooks_graphs", hooks);
        text.add("\"aot_forward_graph\": {}", test::readableGraph());
        text.add("\"aot_backward_graph\": {}", test::readableGraph());
        text.metrics();
        const session::SessionPtr session = open(text);
        std::vector<std::string> names;
        for (const session::StagePtr& stage : session->compiles.front().stages)
            names.push_back(stage->name);
        QCOMPARE(names,
                 (std::vector<std::string>{"aot_joint_graph", "aot_forward_graph_pre_saved_tensors_hooks",
                                           "aot_saved_tensors_hooks_pack", "aot_saved_tensors_hooks_unpack",
                                           "aot_forward_graph_pre_assert_saved_tensors_hooks",
                                           "aot_forward_graph", "aot_backward_graph"}));
    }

    void rankOfTheRecordWins() {
        TraceText text;
        text.raw("[rank2]:V1121 01:29:50.608000 1 a.py:1] {\"dynamo_start\": {\"stack\": []}, \"frame_id\": "
                 "0, \"frame_compile_id\": 0}\n");
        text.raw("V1121 01:29:50.608000 1 a.py:1] {\"dynamo_start\": {\"stack\": []}, \"rank\": 5, "
                 "\"frame_id\": 0, \"frame_compile_id\": 0}\n");
        const session::SessionPtr session = open(text);
        QCOMPARE(session->ranks, (std::vector<int>{2, 5}));
    }
};

QTEST_GUILESS_MAIN(TestCaptureTrace)
#include "tst_capture_trace.moc"
