// SPDX-License-Identifier: BSD-3-Clause
//
// AOTAutograd's metadata and graphs derived by the engine from captured Dynamo graphs, against those that
// PyTorch captured.
#include "core/capture/open.h"
#include "core/engine/wire/verify.h"
#include "core/ir/text.h"
#include "core/rederive/rederive.h"
#include "core/rederive/rederive_json.h"
#include "core/rederive/rederive_trace.h"
#include "tests/support/archive.h"
#include "tests/support/captures.h"
#include "tests/support/programs.h"

#include <QFile>
#include <QTest>
#include <map>

using namespace dynascope;
using engine::Rederived;
using engine::RederivedStage;

namespace {

std::string contentOf(const char* name) {
    QFile file(test::capture(name));
    return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string();
}

std::string replaced(std::string text, std::string_view after, std::string_view what, std::string_view with) {
    const std::size_t from = text.find(after);
    const std::size_t at = from == std::string::npos ? from : text.find(what, from);
    return at == std::string::npos ? std::string() : text.replace(at, what.size(), with);
}

std::string everywhere(std::string text, std::string_view what, std::string_view with) {
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
        text.replace(at, what.size(), with);
    return text;
}

/// Logs of derived.tar.xz by name.
const std::map<std::string, std::string>& derivedLogs() {
    static const std::map<std::string, std::string> logs = [] {
        std::map<std::string, std::string> out;
        for (test::ArchiveFile& file : test::readArchive(DYNASCOPE_TEST_DATA "/captures/derived.tar.xz")) {
            const std::size_t name = file.path.rfind('/') + 1;
            out[file.path.substr(name, file.path.size() - name - 4)] = std::move(file.content);
        }
        return out;
    }();
    return logs;
}

} // namespace

class TestEngineRederive : public QObject {
    Q_OBJECT
private slots:
    void everyCapture_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("stages");
        const std::pair<const char*, int> captures[]{{"alias_mutation", 4},
                                                     {"alias_overlap", 2},
                                                     {"cond", 2},
                                                     {"dynamic_mlp", 4},
                                                     {"dynamic_views", 2},
                                                     {"encoder_train", 4},
                                                     {"gpt2_train", 4},
                                                     {"kvcache", 2},
                                                     {"relu_input_mutation", 2},
                                                     {"resnet", 2},
                                                     {"saved_hooks_float8", 6},
                                                     {"saved_hooks", 6},
                                                     {"view_mutation", 2}};
        for (const auto& [name, stages] : captures)
            QTest::newRow(name) << QString("trace_aot_eager/") + name << stages;
    }
    /// One rank of two, alone: functional collectives are traced as other operators are.
    void collectives() {
        QFile log(DYNASCOPE_TEST_DATA "/ranks/moe/dedicated_log_torch_trace_rank_0_x.log");
        QVERIFY(log.open(QIODevice::ReadOnly));
        const std::vector<RederivedStage> got = stagesOf(log.readAll().toStdString());
        QCOMPARE(got.size(), 2U);
        QVERIFY2(got[1].verdict == Rederived::Isomorphic, got[1].reason.c_str());
        QCOMPARE(got[1].nodes, 17U);
    }

    void everyCapture() {
        QFETCH(QString, name);
        QFETCH(int, stages);
        const std::vector<RederivedStage> got = stagesOf(contentOf(name.toUtf8().constData()));
        QCOMPARE(static_cast<int>(got.size()), stages);
        for (const RederivedStage& stage : got) {
            QVERIFY2(stage.verdict == Rederived::Isomorphic, (stage.stage + ": " + stage.reason).c_str());
            QCOMPARE(stage.matched, stage.nodes);
            // Where sizes are symbols the captured joint graph is split; hooks are inlined into what was
            // captured.
            if (stage.from.ends_with("_pre_saved_tensors_hooks"))
                QVERIFY(stage.from.starts_with(stage.stage));
            else if (name != "trace_aot_eager/dynamic_mlp")
                QCOMPARE(stage.from, std::string("dynamo_output_graph"));
        }
    }

    /// What PyTorch traces by way of kernels that it has in Python: every stage of every small program.
    void everyTracedProgram_data() {
        QTest::addColumn<QByteArray>("log");
        const auto files = test::readArchive(DYNASCOPE_TEST_DATA "/captures/traced.tar.xz");
        QVERIFY(files.size() > 100);
        for (const test::ArchiveFile& file : files)
            QTest::newRow(file.path.c_str()) << QByteArray::fromStdString(file.content);
    }
    void everyTracedProgram() {
        QFETCH(QByteArray, log);
        const std::vector<RederivedStage> stages = stagesOf(log.toStdString());
        QVERIFY(stages.size() == 2 || stages.size() == 4);
        for (const RederivedStage& stage : stages)
            QVERIFY2(stage.verdict == Rederived::Isomorphic, (stage.stage + ": " + stage.reason).c_str());
    }

    /// Values of constants are in no capture. Where both graphs have the same ones, made-up values tell that they compute
    /// the same, and never that they do not.
    void madeUpConstantsTellOnlyThatGraphsAgree() {
        const auto graph = [](const std::string& result, const std::string& constant = "_tensor_constant0") {
            const auto read = ir::readGraph("class g(torch.nn.Module):\n"
                                            "    def forward(self, x: \"f32[2][1]cpu\"):\n"
                                            "        c: \"f32[2][1]cpu\" = self." +
                                            constant +
                                            "\n"
                                            "        y: \"f32[2][1]cpu\" = torch.ops.aten." +
                                            result + ";  x = c = None\n        return (y,)\n");
            if (!read) qFatal("%s", read.error().toString().c_str());
            return *read;
        };
        using Outcome = engine::NumericalComparison::Outcome;
        const auto compare = [&](const ir::GraphPtr& captured, const ir::GraphPtr& derived) {
            return engine::compareNumerically(m_engine, *captured, *derived, {});
        };
        const engine::NumericalComparison agree =
            compare(graph("add.Tensor(x, c)"), graph("add.Tensor(c, x)"));
        QVERIFY2(agree.outcome == Outcome::Equal, agree.reason.c_str());
        QCOMPARE(agree.reason, std::string("the results agree; with made-up values for _tensor_constant0"));
        const engine::NumericalComparison differ =
            compare(graph("add.Tensor(x, c)"), graph("mul.Tensor(x, c)"));
        QVERIFY2(differ.outcome == Outcome::Unknown, differ.reason.c_str());
        QCOMPARE(differ.reason,
                 std::string("with made-up values for _tensor_constant0, of which the capture has "
                             "none, the results differ"));
        const engine::NumericalComparison other =
            compare(graph("add.Tensor(x, c)"), graph("add.Tensor(x, c)", "_tensor_constant1"));
        QVERIFY2(other.outcome == Outcome::Unknown, other.reason.c_str());
        QVERIFY2(other.reason.find("no value was given for the constant '_tensor_constant1'") !=
                     std::string::npos,
                 other.reason.c_str());
    }

    /// At sizes that the capture does not have the same graph is derived, unless that would take too long.
    void sizesThatTakeTooLongAreLeftOut() {
        const auto session = capture::openText(contentOf("trace_aot_eager/dynamic_mlp"), "capture.log");
        QVERIFY(session);
        engine::RederiveLimits limits;
        for (const bool leavesOut : {false, true}) {
            if (leavesOut) limits.scaled = std::chrono::milliseconds(0);
            const std::vector<RederivedStage> stages = engine::rederive(**session, &m_engine, limits);
            QCOMPARE(stages.size(), 4U);
            for (const RederivedStage& stage : stages) {
                QVERIFY2(stage.verdict == Rederived::Isomorphic, stage.reason.c_str());
                const bool joint = stage.stage == "aot_joint_graph";
                QCOMPARE(stage.leftOut.starts_with("not derived at 2 times the captured sizes: "),
                         joint && leavesOut);
                QCOMPARE(stage.leftOut.empty(), !joint || !leavesOut);
                const auto again = engine::readRederived(engine::rederivedJson(stage));
                QCOMPARE(again ? again->leftOut : "?", stage.leftOut);
            }
        }
    }

    /// Operators that keep graphs of their own and are not traced are named.
    void whatIsNotTracedIsDeclinedByName() {
        const std::string log = replaced(contentOf("trace_aot_eager/cond"), "\"dynamo_output_graph\"",
                                         "torch.ops.higher_order.cond(", "torch.ops.library.cond(");
        QVERIFY(!log.empty());
        const std::vector<RederivedStage> stages = stagesOf(log);
        QCOMPARE(stages.size(), 2U);
        for (const RederivedStage& stage : stages) {
            QVERIFY(stage.verdict == Rederived::Declined);
            QVERIFY2(stage.reason.find(
                         "torch.ops.library.cond (is an operator of a library, library, which is not "
                         "here: the capture holds its name and no body for it)") != std::string::npos,
                     stage.reason.c_str());
        }
    }

    /// Functions of NumPy that a capture does not tell apart, and those that nobody knows here, are declined
    /// by name.
    void whatNumpyMeansIsNotGuessed() {
        const std::string log = tracedLog("numpy_sorting");
        const std::string rounded = replaced(tracedLog("numpy_bounds"), "\"dynamo_output_graph\"",
                                             "wrapped_round(l_x_, 2)", "wrapped_round(l_x_)");
        const std::pair<std::string, const char*> cases[]{
            {replaced(log, "\"dynamo_output_graph\"", "wrapped_diff(", "wrapped_ldexp("),
             "is NumPy's ldexp, which the engine does not know"},
            {replaced(log, "\"dynamo_output_graph\"",
                      "wrapped_sort: \"f32[2, 3][3, 1]cpu\" =", "wrapped_sort ="),
             "is ndarray.sort or np.sort, which a capture names alike"},
            {rounded, "np.round without decimals, np.rint and np.fix have one name in a capture"}};
        for (const auto& [text, reason] : cases) {
            const std::vector<RederivedStage> stages = stagesOf(text);
            QCOMPARE(stages.size(), 2U);
            for (const RederivedStage& stage : stages) {
                QVERIFY(stage.verdict == Rederived::Declined);
                QVERIFY2(stage.reason.find(reason) != std::string::npos, stage.reason.c_str());
            }
        }
    }

    /// Code that was compiled for tensors apart is reused for tensors that overlap: PyTorch guards identity
    /// alone.
    void aMissedGuardIsShown() {
        for (const RederivedStage& stage : stagesOf(contentOf("trace_aot_eager/alias_mutation")))
            QCOMPARE(stage.missedGuard.starts_with("a guard is missed"),
                     stage.compile == "0/1" && stage.stage == "aot_inference_graph");
        for (const char* other : {"view_mutation", "relu_input_mutation", "kvcache"})
            for (const RederivedStage& stage :
                 stagesOf(contentOf(("trace_aot_eager/" + std::string(other)).c_str())))
                QVERIFY2(stage.missedGuard.empty(), stage.missedGuard.c_str());
    }

    /// Code that takes inputs out of a common base is reused for inputs that have none.
    void codeForOverlapsIsReusedForOthers() {
        const std::vector<RederivedStage> stages = stagesOf(contentOf("trace_aot_eager/alias_overlap"));
        QCOMPARE(stages.size(), 2U);
        const std::string& missed = stages[1].missedGuard;
        QVERIFY2(missed.starts_with(
                     "a guard is missed: the code was compiled for L['a'] and L['b'] that overlap;"),
                 missed.c_str());
        QVERIFY2(missed.find("(output 0: data") != std::string::npos, missed.c_str());
        // Where a guard checks the overlap nothing is missed.
        const std::string guarded = everywhere(contentOf("trace_aot_eager/alias_overlap"),
                                               "NO_TENSOR_ALIASING", "STORAGE_OVERLAPPING");
        QVERIFY(stagesOf(guarded)[1].missedGuard.empty());
    }

    /// In training the forward graph is what runs, at the captured sizes where these are symbols.
    void codeForOverlapsIsReusedInTrainingAndAtSymbolicSizes() {
        const auto missedIn = [this](const std::string& log) {
            std::string out;
            for (const RederivedStage& stage : stagesOf(log))
                out += stage.missedGuard;
            return out;
        };
        const std::string training = missedIn(derivedLogs().at("reuse_training"));
        QVERIFY2(training.starts_with(
                     "a guard is missed: the code was compiled for L['a'] and L['b'] that overlap;"),
                 training.c_str());
        QVERIFY2(training.find("(output 0: data") != std::string::npos, training.c_str());
        // With symbolic sizes PyTorch asks for the overlap as well; the log has the guards on sizes alone.
        const std::string& symbolic = derivedLogs().at("reuse_symbolic");
        const std::string unguarded = missedIn(symbolic);
        QVERIFY2(unguarded.starts_with(
                     "a guard is missed: the code was compiled for L['a'] and L['b'] that overlap;"),
                 unguarded.c_str());
        QCOMPARE(missedIn(everywhere(symbolic, "LAMBDA_GUARD", "STORAGE_OVERLAPPING")), std::string());
    }

    /// What is written is known without PyTorch's metadata, and said to be derived.
    void writesAreDerivedWhereTheCaptureHasNoMetadata() {
        std::string log = derivedLogs().at("overlap_of_computed");
        QVERIFY(log.find("aot_forward_graph_fw_metadata") != std::string::npos);
        log = everywhere(log, "aot_forward_graph_fw_metadata", "aot_forward_graph_no_metadata");
        const std::vector<RederivedStage> stages = stagesOf(log);
        QCOMPARE(stages.size(), 4U);
        QVERIFY(stages[0].verdict == Rederived::Alone);
        QCOMPARE(engine::rederivedName(stages[0].verdict), std::string_view("only derived"));
        QCOMPARE(stages[0].reason,
                 std::string("the capture has none to compare with; the engine derives: input 0 (primals_1): "
                             "data mutated"));
        for (std::size_t i = 1; i < stages.size(); ++i)
            QVERIFY2(stages[i].verdict == Rederived::Isomorphic, stages[i].reason.c_str());
    }

    /// Which inputs are static, and so cost nothing to save, stands in the metadata alone.
    /// What a backend asks AOTAutograd for is its setting and not to be derived: whether writes of inputs stay in the
    /// graph, and which partitioner splits it.
    void settingsAreTheBackends_data() {
        QTest::addColumn<QString>("capture");
        QTest::addColumn<int>("isomorphic");
        QTest::addColumn<int>("equivalent");
        QTest::addColumn<int>("byDefault"); // stages split by default_partition
        QTest::newRow("aot_eager_decomp_partition") << "keeps_no_writes" << 5 << 1 << 0;
        QTest::newRow("aot_autograd() alone, and aot_eager_default_partitioner")
            << "own_backend" << 8 << 0 << 4;
        // A memory budget by two solvers, aggressive recomputation, views recomputed, bans lifted.
        QTest::newRow("torch._functorch.config") << "settings" << 20 << 0 << 0;
    }
    void settingsAreTheBackends() {
        QFETCH(QString, capture);
        const auto session =
            capture::open(DYNASCOPE_TEST_DATA "/captures/" + capture.toStdString() + ".log.xz");
        QVERIFY(session);
        int isomorphic = 0, equivalent = 0, byDefault = 0;
        for (const RederivedStage& stage : engine::rederive(**session, &m_engine)) {
            isomorphic += stage.verdict == Rederived::Isomorphic ? 1 : 0;
            equivalent += stage.verdict == Rederived::Equivalent ? 1 : 0;
            byDefault += stage.leftOut.starts_with("split by default_partition") ? 1 : 0;
            QVERIFY2(stage.verdict != Rederived::Different, stage.reason.c_str());
        }
        QTEST(isomorphic, "isomorphic");
        QTEST(equivalent, "equivalent");
        QTEST(byDefault, "byDefault");
    }

    void whatIsSavedIsNotJudgedWithoutMetadata() {
        const auto session = capture::open(DYNASCOPE_TEST_DATA "/profile/mlp_aot");
        QVERIFY(session);
        std::map<std::string, const RederivedStage*> by;
        const auto stages = engine::rederive(**session, &m_engine);
        for (const RederivedStage& stage : stages)
            by[stage.stage] = &stage;
        QCOMPARE(by.at("aot_joint_graph")->verdict, Rederived::Isomorphic);
        for (const char* const name : {"aot_forward_graph", "aot_backward_graph"}) {
            QCOMPARE(by.at(name)->verdict, Rederived::Declined);
            QVERIFY2(by.at(name)->reason.starts_with("the capture has no metadata of AOTAutograd's"),
                     by.at(name)->reason.c_str());
        }
    }

    void dataAndMetadataOfOneInputAreDerived() {
        const auto record = [](const std::string& fields, const std::string& payload) {
            return "V1122 12:00:00.000000 1 torch/x.py:1] {" + fields +
                   ", \"frame_id\": 0, \"frame_compile_id\": 0, \"attempt\": 0, \"has_payload\": \"0\"}\n" +
                   payload;
        };
        const std::string log =
            record("\"dynamo_output_graph\": {}",
                   "\tclass GraphModule(torch.nn.Module):\n"
                   "\t    def forward(self, L_x_: \"f32[2, 3][3, 1]cpu\", L_y_: \"f32[4, 4][4, 1]cpu\"):\n"
                   "\t        l_x_ = L_x_\n"
                   "\t        l_y_ = L_y_\n"
                   "\t        mul_: \"f32[2, 3][3, 1]cpu\" = l_x_.mul_(2);  mul_ = None\n"
                   "\t        t_: \"f32[3, 2][1, 3]cpu\" = l_x_.t_();  l_x_ = t_ = None\n"
                   "\t        u_: \"f32[1, 4, 4][16, 4, 1]cpu\" = l_y_.unsqueeze_(0);  l_y_ = u_ = None\n"
                   "\t        return ()\n") +
            record("\"aot_inference_graph\": {}",
                   "\tclass <lambda>(torch.nn.Module):\n"
                   "\t    def forward(self, arg0_1: \"f32[2, 3]\", arg1_1: \"f32[4, 4]\"):\n"
                   "\t        mul: \"f32[2, 3]\" = torch.ops.aten.mul.Tensor(arg0_1, 2);  arg0_1 = None\n"
                   "\t        return (mul,)\n") +
            record("\"artifact\": {\"name\": \"aot_forward_graph_no_metadata\", \"encoding\": \"string\"}",
                   "\tnone\n");
        const std::vector<RederivedStage> stages = stagesOf(log);
        QVERIFY(!stages.empty());
        QVERIFY2(stages[0].verdict == Rederived::Alone, stages[0].reason.c_str());
        QCOMPARE(stages[0].reason,
                 std::string("the capture has none to compare with; the engine derives: input 0 (arg0_1): "
                             "data and metadata mutated; input 1 (arg1_1): metadata mutated"));
    }

    /// Inductor decomposes before it traces: other operators, the same numbers; in training but for rounding.
    void otherDecompositionsAreEquivalent_data() {
        QTest::addColumn<int>("stages");
        QTest::newRow("encoder") << 2;
        QTest::newRow("train") << 4;
    }
    void otherDecompositionsAreEquivalent() {
        QFETCH(int, stages);
        const std::string name = std::string("trace_inductor/") + QTest::currentDataTag();
        const std::vector<RederivedStage> found = stagesOf(contentOf(name.c_str()));
        QCOMPARE(static_cast<int>(found.size()), stages);
        QVERIFY(found[0].verdict == Rederived::Isomorphic);
        QVERIFY2(found[1].verdict == Rederived::Equivalent, found[1].reason.c_str());
        QVERIFY(!found[1].reason.empty() && !found[1].got.empty());
    }

    /// Autograd functions get sizes as arguments, and views of one base are differentiable views of each
    /// other. Slices of whole dimensions stay where a symbol has no upper bound.
    void everyDerivedProgram_data() {
        QTest::addColumn<QByteArray>("log");
        for (const auto& [name, log] : derivedLogs())
            if (name.starts_with("symbolic") || name.starts_with("overlap") || name.starts_with("hooks"))
                QTest::newRow(name.c_str()) << QByteArray::fromStdString(log);
        QCOMPARE(derivedLogs().size(), 17U);
    }
    void everyDerivedProgram() {
        QFETCH(QByteArray, log);
        const std::vector<RederivedStage> stages = stagesOf(log.toStdString());
        // With saved-tensors hooks forward and backward once more, after the hooks were inlined.
        QCOMPARE(stages.size(), log.contains("aot_forward_graph_pre_saved_tensors_hooks") ? 6U : 4U);
        for (const RederivedStage& stage : stages)
            QVERIFY2(stage.verdict == Rederived::Isomorphic, (stage.stage + ": " + stage.reason).c_str());
    }

    /// What another release of PyTorch captured may differ for that alone.
    void otherReleasesAreNamed() {
        std::string log = derivedLogs().at("symbolic_function");
        for (const RederivedStage& stage : stagesOf(log))
            QCOMPARE(stage.versions, std::string());
        log += "V1122 12:00:00.000000 1 torch/_dynamo/utils.py:1] {\"compilation_metrics\": "
               "{\"pytorch_version\": "
               "\"2.6.1+cpu\"}, \"frame_id\": 0, \"frame_compile_id\": 0, \"attempt\": 0}\n";
        const std::vector<RederivedStage> stages = stagesOf(log);
        QCOMPARE(stages.size(), 4U);
        for (const RederivedStage& stage : stages) {
            QVERIFY2(stage.versions.starts_with("PyTorch 2.") && stage.versions.ends_with(" here, 2.6 there"),
                     stage.versions.c_str());
            QCOMPARE(engine::readRederived(engine::rederivedJson(stage))->versions, stage.versions);
        }
    }

    /// 24 layers of a Llama under Inductor: the graphs sum in another order, and that adds up.
    void roundingIsNoDifference() {
        const std::vector<RederivedStage> stages = stagesOf(derivedLogs().at("llama"));
        QCOMPARE(stages.size(), 2U);
        QVERIFY2(stages[1].verdict == Rederived::Equivalent, stages[1].reason.c_str());
        QVERIFY2(stages[1].reason.find("the results differ by rounding: by up to ") != std::string::npos,
                 stages[1].reason.c_str());
        const auto session = capture::openText(derivedLogs().at("llama"), "llama.log");
        QVERIFY(session.has_value());
        const auto joint = (*session)->compiles[0].findStage("aot_joint_graph")->graph();
        QVERIFY(joint.has_value() && stages[1].derived);
        const auto verified = engine::verifyDerived(m_engine, **joint, *stages[1].derived, {});
        QVERIFY(verified.has_value());
        QVERIFY(verified->verdict == wire::VerifyVerdict::Equal);
        QVERIFY(!verified->firstDifference);
    }

    /// The GPU of a capture is the engine's CPU; what a GPU has kernels of its own for is not derived.
    void devicesAreRoles() {
        const std::vector<RederivedStage> mixed = stagesOf(derivedLogs().at("gpu_mixed"));
        QCOMPARE(mixed.size(), 4U);
        QVERIFY2(mixed[0].verdict == Rederived::Isomorphic, mixed[0].reason.c_str());
        // A copy to the GPU is none on one device.
        QVERIFY2(mixed[1].verdict == Rederived::Equivalent, mixed[1].reason.c_str());
        QVERIFY2(mixed[1].reason.find("has '_to_copy'") != std::string::npos, mixed[1].reason.c_str());
        const std::vector<RederivedStage> attention = stagesOf(derivedLogs().at("gpu_attention"));
        QVERIFY2(attention[0].verdict == Rederived::Isomorphic, attention[0].reason.c_str());
        QVERIFY2(attention[1].verdict == Rederived::Declined, attention[1].reason.c_str());
        QVERIFY2(attention[1].reason.starts_with(
                     "what PyTorch has for cuda:0 differs from what it has for the CPU"),
                 attention[1].reason.c_str());
    }

    /// A capture on one GPU, by hand from one on the CPU: all of it is as captured, on the captured device. A
    /// second device is not told apart, and said to be none.
    void oneDeviceIsOneRole() {
        std::string log = contentOf("trace_aot_eager/gpt2_train");
        for (const auto& [from, to] : {std::pair("]cpu\"", "]cuda:0\""),
                                       std::pair("device(type='cpu')", "device(type='cuda', index=0)")})
            log = everywhere(std::move(log), from, to);
        for (const RederivedStage& stage : stagesOf(log)) {
            QVERIFY2(stage.verdict == Rederived::Isomorphic, (stage.stage + ": " + stage.reason).c_str());
            if (!stage.derived) continue;
            for (const ir::NodePtr& node : stage.derived->nodes())
                if (node->meta && node->meta->tensor)
                    QCOMPARE(node->meta->tensor->device, std::string("cuda:0"));
        }
        const std::string two = replaced(log, "{\"aot_joint_graph\"", "device(type='cuda', index=0)",
                                         "device(type='cuda', index=1)");
        const std::vector<RederivedStage> stages = stagesOf(two);
        QVERIFY2(stages[1].verdict == Rederived::Equivalent, stages[1].reason.c_str());
        QVERIFY2(stages[1].reason.find("on the CPU alone what the capture has on cuda:0 and cuda:1") !=
                     std::string::npos,
                 stages[1].reason.c_str());
    }

    /// Dynamo's attempts have stages of one name each, and one's verdict is not the other's.
    void verdictsAreOfAnAttempt() {
        const std::string log =
            everywhere(contentOf("trace_aot_eager/resnet"), "\"attempt\": 0", "\"attempt\": 2");
        const std::vector<RederivedStage> stages = stagesOf(log);
        QVERIFY(!stages.empty());
        for (const RederivedStage& stage : stages) {
            QVERIFY2(stage.verdict == Rederived::Isomorphic, (stage.stage + ": " + stage.reason).c_str());
            QCOMPARE(stage.attempt, 2);
            const auto read = engine::readRederived(engine::rederivedJson(stage));
            QVERIFY(read);
            QCOMPARE(read->attempt, 2);
        }
    }

    /// A compile that fails later, as Inductor does without a GPU, has no guards to say that grad was off.
    void gradModeIsTheCaptures() {
        const std::string log =
            everywhere(contentOf("trace_aot_eager/resnet"), "\"grad_mode\":", "\"grad_mode_of_nobody\":");
        for (const RederivedStage& stage : stagesOf(log))
            QVERIFY2(stage.verdict == Rederived::Isomorphic, (stage.stage + ": " + stage.reason).c_str());
    }

    /// An engine that cannot be started says nothing of a graph.
    void aLostEngineIsNoVerdict() {
        engine::Client lost{{"sh", "-c", "exit 7"}};
        const auto session = capture::openText(contentOf("trace_aot_eager/gpt2_train"), "capture.log");
        QVERIFY(session.has_value());
        const std::vector<RederivedStage> stages = engine::rederive(**session, &lost);
        QCOMPARE(stages.size(), 4U);
        for (const RederivedStage& stage : stages) {
            const bool needsEngine = !stage.stage.ends_with("ward_graph");
            QCOMPARE(stage.verdict == Rederived::NotDerived, needsEngine);
            QCOMPARE(stage.lost.has_value(), needsEngine);
            QVERIFY(!needsEngine || !stage.reason.empty());
        }
    }

    /// Another operator in Dynamo's graph: the joint graph differs, and where is said.
    void aTamperedProgramDiffers() {
        const std::string log =
            replaced(contentOf("trace_aot_eager/relu_input_mutation"), "\"dynamo_output_graph\"",
                     "functional.relu(l_x_", "functional.selu(l_x_");
        QVERIFY(!log.empty());
        const std::vector<RederivedStage> stages = stagesOf(log);
        QCOMPARE(stages.size(), 2U);
        QVERIFY(stages[1].verdict == Rederived::Different);
        QVERIFY(!stages[1].captured.empty() && !stages[1].got.empty() && !stages[1].reason.empty());
    }

    /// Another field in the captured metadata.
    void aTamperedFieldDiffers() {
        const std::string log = replaced(contentOf("trace_aot_eager/relu_input_mutation"),
                                         "ViewAndMutationMeta(", "mutates_data=True", "mutates_data=False");
        QVERIFY(!log.empty());
        const std::vector<RederivedStage> stages = stagesOf(log);
        QVERIFY(stages[0].verdict == Rederived::Different);
        QVERIFY2(stages[0].reason.find("mutates_data is true, captured false") != std::string::npos,
                 stages[0].reason.c_str());
        QVERIFY(stages[1].verdict == Rederived::Isomorphic);
    }

    /// Python's bindings take one number for a dimension, and leave an open end the largest integer.
    void pythonsArgumentsAreTracedAsPythonDoes() {
        const char* program = R"(class GraphModule(torch.nn.Module):
    def forward(self, L_x_: "f32[1, 4][4, 1]cpu"):
        l_x_ = L_x_
        _log_api_usage_once = torch._C._log_api_usage_once('x');  _log_api_usage_once = None
        squeeze = l_x_.squeeze(0);  l_x_ = None
        getitem = squeeze[slice(2, None, None)];  squeeze = None
        return (getitem,)
)";
        const engine::CallResult reply = m_engine.callOnGraph("aot", program);
        QVERIFY2(reply.has_value(), reply ? "" : reply.error().message.c_str());
        const std::string graph = reply->value("graph", "");
        QVERIFY2(graph.find("aten.squeeze.dim](args = (%arg0_1, 0)") != std::string::npos, graph.c_str());
        QVERIFY2(graph.find("(%squeeze, 0, 2, 9223372036854775807)") != std::string::npos, graph.c_str());
    }

private:
    static std::string tracedLog(std::string_view name) {
        for (test::ArchiveFile& file : test::readArchive(DYNASCOPE_TEST_DATA "/captures/traced.tar.xz"))
            if (file.path.ends_with("/" + std::string(name) + ".log")) return std::move(file.content);
        return {};
    }

    std::vector<RederivedStage> stagesOf(const std::string& log) {
        const auto session = capture::openText(log, "capture.log");
        return session ? engine::rederive(**session, &m_engine) : std::vector<RederivedStage>();
    }

    engine::Client m_engine{{test::engineProgram()}};
};

QTEST_GUILESS_MAIN(TestEngineRederive)
#include "tst_engine_rederive.moc"
