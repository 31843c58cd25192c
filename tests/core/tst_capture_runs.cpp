// SPDX-License-Identifier: BSD-3-Clause
//
// Ranks and runs: compile ids that come again after a reset, in another process, or in another file.
#include "core/capture/open.h"
#include "core/compare/compare.h"
#include "core/dynamo/recompiles.h"
#include "core/session/compile_counts.h"
#include "tests/support/trace_text.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>

using namespace dynascope;
using session::Run;
using test::TraceText;

namespace {

session::SessionPtr reset() {
    const auto opened = capture::open(DYNASCOPE_TEST_DATA "/captures/reset.log.xz");
    return opened ? *opened : nullptr;
}

QString ids(const session::Session& session) {
    QStringList out;
    for (const session::Compile& compile : session.compiles)
        out << QString::number(compile.rank) + ':' + QString::fromStdString(compile.id.toString());
    return out.join(' ');
}

std::vector<std::string> stages(const session::Compile& compile) {
    std::vector<std::string> out;
    for (const session::StagePtr& stage : compile.stages)
        out.push_back(stage->label());
    return out;
}

session::SessionPtr openText(const std::string& text) {
    const auto opened = capture::openText(text);
    return opened ? *opened : nullptr;
}

class Folder {
public:
    void write(const char* name, const std::string& content) {
        QFile file(m_folder.filePath(QLatin1String(name)));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(content.data(), qint64(content.size())) > 0);
    }
    session::SessionPtr open() {
        const auto opened = capture::open(m_folder.path().toStdString());
        return opened ? *opened : nullptr;
    }

private:
    QTemporaryDir m_folder;
};

/// A record of process `process` with a compile id, and with a rank where it is not negative.
std::string start(int process, int frame, int compile, int rank = -1) {
    return "V1121 01:29:50.608000 " + std::to_string(process) +
           " a.py:1] {\"dynamo_start\": {\"stack\": []}, " +
           (rank < 0 ? std::string() : "\"rank\": " + std::to_string(rank) + ", ") +
           "\"frame_id\": " + std::to_string(frame) + ", \"frame_compile_id\": " + std::to_string(compile) +
           ", \"attempt\": 0}\n";
}

std::string backwardGraph(const std::string& inputs) {
    return "class GraphModule(torch.nn.Module):\n    def forward(self, " + inputs +
           "):\n        neg: \"f32[4][1]cpu\" = torch.ops.aten.neg.default(tangents_1)\n        return "
           "(neg,)\n";
}

/// A backward that is compiled when it is first called.
void lateBackward(TraceText& text, const std::string& inputs, int microseconds) {
    const std::string event = "{\"name\": \"entire_backward_compile\", \"ph\": ";
    text.add("\"chromium_event\": {}", event + "\"B\", \"ts\": 1}");
    if (!inputs.empty()) text.artifact("before_post_grad_graph", backwardGraph(inputs));
    text.add("\"chromium_event\": {}", event + "\"E\", \"ts\": 2}");
    text.add("\"bwd_compilation_metrics\": {\"duration_us\": " + std::to_string(microseconds) + "}");
}

bool warned(const session::Session& session, std::string_view text) {
    return std::any_of(session.warnings.begin(), session.warnings.end(),
                       [&](const session::Warning& warning) {
                           return warning.error.message.find(text) != std::string::npos;
                       });
}

} // namespace

class TestCaptureRuns : public QObject {
    Q_OBJECT
private slots:
    void idsThatComeAgainAreOtherCompiles() {
        const session::SessionPtr session = reset();
        QVERIFY(session);
        QCOMPARE(ids(*session), QStringLiteral("0:0/0 0:0/1 0:0/0@2 0:0/1@2"));
        const std::vector<std::string> training = {"dynamo_output_graph", "aot_joint_graph",
                                                   "aot_forward_graph", "aot_backward_graph"};
        const std::vector<std::string> inference = {"dynamo_output_graph", "aot_inference_graph"};
        QCOMPARE(stages(session->compiles[0]), training);
        QCOMPARE(stages(session->compiles[1]), training);
        QCOMPARE(stages(session->compiles[2]), inference);
        QCOMPARE(stages(session->compiles[3]), inference);
        for (const session::Compile& compile : session->compiles) {
            QVERIFY(compile.status == session::Status::Compiled);
            QCOMPARE(compile.attempts, 1);
            QCOMPARE(std::count_if(compile.inputs.begin(), compile.inputs.end(),
                                   [](const session::TensorInput& input) { return !input.source.empty(); }),
                     3);
        }
        QCOMPARE(session->runs.size(), std::size_t(2));
        QVERIFY(session->runs[1].cause == Run::Cause::IdsAgain);
        QCOMPARE(runWords(session->runs[1]).find("compile ids begin again in line "), std::size_t(0));
        QCOMPARE(session->frames.size(), std::size_t(2));
        QCOMPARE(session->frames[1].run, 2);
    }

    /// At the limit of recompiles a compile ends without having started, in each run.
    void whatNeverStartsIsOfTheRunThatItEndsIn() {
        TraceText text;
        const auto limit = [&](const std::string& reason) {
            text.at(0, 1).add("\"chromium_event\": {}", R"({"name": "dynamo", "ph": "B", "ts": 1})");
            text.artifact("recompile_reasons", "[\"" + reason + "\"]");
            text.add("\"chromium_event\": {}", R"({"name": "gc", "ph": "E", "ts": 2})");
            text.metrics(R"("fail_type": "Unsupported", "fail_reason": "Dynamo recompile limit exceeded")");
            text.add("\"chromium_event\": {}", R"({"name": "dynamo", "ph": "E", "ts": 3})");
        };
        text.at(0, 0).start().metrics();
        limit("first");
        text.at(0, 0).start().metrics();
        limit("second");
        const auto opened = capture::openText(text.text());
        QVERIFY(opened);
        const session::Session& session = **opened;
        QCOMPARE(ids(session), QStringLiteral("0:0/0 0:0/1 0:0/0@2 0:0/1@2"));
        QCOMPARE(session.runs.size(), std::size_t(2));
        QCOMPARE(session.compiles[1].recompileReasons, (std::vector<std::string>{"first"}));
        QCOMPARE(session.compiles[3].recompileReasons, (std::vector<std::string>{"second"}));
        QCOMPARE(session.compiles[1].records.size(), session.compiles[3].records.size());
        for (const std::size_t compile : {std::size_t(1), std::size_t(3)})
            QVERIFY(session.compiles[compile].hitRecompileLimit());
    }

    /// PyTorch logs timing events and the reasons of a recompile before dynamo_start.
    void whatIsLoggedBeforeTheStartIsOfTheNewRun() {
        const session::SessionPtr session = reset();
        QVERIFY(session);
        QCOMPARE(session->compiles[1].recompileReasons.size(), std::size_t(1));
        QVERIFY(session->compiles[1].recompileReasons.front().ends_with("actual 3"));
        QCOMPARE(session->compiles[3].recompileReasons.size(), std::size_t(1));
        QVERIFY(session->compiles[3].recompileReasons.front().ends_with("actual 5"));
        for (int compile = 0; compile < 4; ++compile) {
            const auto events = [&](const char* name) {
                return std::count_if(session->timings.begin(), session->timings.end(),
                                     [&](const session::TimingEvent& event) {
                                         return event.compile == compile && event.name == name;
                                     });
            };
            QCOMPARE(events("dynamo"), 1);
            QCOMPARE(events("entire_frame_compile"), 1);
            QCOMPARE(events("entire_backward_compile"), compile < 2 ? 1 : 0);
        }
        // Every record of a compile lies before those of the next.
        for (std::size_t i = 1; i < 4; ++i)
            QVERIFY(session->compiles[i - 1].records.back() < session->compiles[i].records.front());
    }

    void addressesNameTheRun() {
        const session::SessionPtr session = reset();
        QVERIFY(session);
        QVERIFY(session->find(0, "0/0") == &session->compiles[0]);
        QVERIFY(session->find(0, "0/0@2") == &session->compiles[2]);
        QVERIFY(session->find(0, "0/0@3") == nullptr);
        QVERIFY(session->findBeside(session->compiles[3], "0/0") == &session->compiles[2]);
        QVERIFY(session->findBeside(session->compiles[1], "0/0") == &session->compiles[0]);
        const std::string text = "0:0/0@2:0:aot_inference_graph#0:relu";
        const auto address = ir::Address::parse(text);
        QVERIFY(address.has_value());
        QCOMPARE(address->compileId, std::string("0/0@2"));
        QCOMPARE(address->toString(), text);
    }

    void recompilesStayInTheirRun() {
        const session::SessionPtr session = reset();
        QVERIFY(session);
        const std::vector<dynamo::FrameCache> caches = dynamo::explainRecompiles(*session);
        QCOMPARE(caches.size(), std::size_t(2));
        for (std::size_t i = 0; i < 2; ++i) {
            QCOMPARE(caches[i].entries, std::size_t(2));
            QCOMPARE(caches[i].first, 2 * i);
            QCOMPARE(caches[i].recompiles.size(), std::size_t(1));
            QCOMPARE(caches[i].recompiles.front().compile, 2 * i + 1);
        }
    }

    void runsAreComparedWithTheirLike() {
        const session::SessionPtr session = reset();
        QVERIFY(session);
        const auto compared = compare::compareSessions(*session, *session, {});
        QVERIFY(compared);
        QCOMPARE(compared->same, std::size_t(4));
        for (const compare::CompileComparison& pair : compared->compiles)
            QCOMPARE(pair.a, pair.b);
    }

    /// The backward graph of what was compiled before a reset may be compiled after it.
    void aLateBackwardStaysWithItsCompile() {
        TraceText text;
        text.at(0, 0).start().metrics();
        text.at(1, 0).start("g", 40).metrics("\"fail_type\": null", "g", 40);
        text.at(0, 0).start("h", 60).metrics("\"fail_type\": null", "h", 60);
        text.at(1, 0).add("\"bwd_compilation_metrics\": {\"duration_us\": 2000000}");
        text.at(1, 0).start("k", 80).metrics("\"fail_type\": null", "k", 80);
        text.at(2, 0).start("l", 90).metrics("\"fail_type\": null", "l", 90);
        const session::SessionPtr session = openText(text.text());
        QVERIFY(session);
        QCOMPARE(ids(*session), QStringLiteral("0:0/0 0:1/0 0:0/0@2 0:1/0@2 0:2/0@2"));
        QCOMPARE(session->compiles[1].function, std::string("g"));
        QCOMPARE(session->compiles[1].backwardSeconds, 2.0);
        QCOMPARE(session->compiles[3].function, std::string("k"));
        QCOMPARE(session->compiles[3].backwardSeconds, 0.0);
    }

    /// Its id began again meanwhile, and the newer compile has no backward graph, or none yet.
    void aLateBackwardGoesToTheRunThatWaitsForIt() {
        const std::string inputs = "mm: \"f32[4][1]cpu\", tangents_1: \"f32[4][1]cpu\"";
        TraceText text;
        text.at(0, 0).start().add("\"aot_backward_graph\": {}", backwardGraph(inputs)).metrics();
        text.at(0, 0).start("h", 60);
        lateBackward(text, inputs, 2000000);
        text.add("\"aot_backward_graph\": {}", backwardGraph(inputs)).metrics("\"fail_type\": null", "h", 60);
        lateBackward(text, {}, 3000000);
        const session::SessionPtr session = openText(text.text());
        QVERIFY(session);
        QCOMPARE(ids(*session), QStringLiteral("0:0/0 0:0/0@2"));
        QCOMPARE(session->compiles[0].backwardSeconds, 2.0);
        QCOMPARE(session->compiles[1].backwardSeconds, 3.0);
        const auto first = stages(session->compiles[0]), second = stages(session->compiles[1]);
        QVERIFY(std::count(first.begin(), first.end(), "before_post_grad_graph") == 1);
        QVERIFY(std::count(second.begin(), second.end(), "before_post_grad_graph") == 0);
        QVERIFY(!warned(*session, "may be of"));
    }

    void lateBackwardsAreToldApartByTheirInputs_data() {
        QTest::addColumn<QString>("second");
        QTest::addColumn<bool>("clear");
        QTest::newRow("other inputs") << "sin: \"f32[6][1]cpu\"" << true;
        QTest::newRow("the same inputs") << "mm: \"f32[4][1]cpu\"" << false;
    }
    void lateBackwardsAreToldApartByTheirInputs() {
        QFETCH(QString, second);
        QFETCH(bool, clear);
        const std::string tangent = ", tangents_1: \"f32[4][1]cpu\"";
        const std::string one = "mm: \"f32[4][1]cpu\"" + tangent;
        const std::string other = second.toStdString() + tangent;
        TraceText text;
        text.at(0, 0).start().add("\"aot_backward_graph\": {}", backwardGraph(one)).metrics();
        text.at(0, 0)
            .start("h", 60)
            .add("\"aot_backward_graph\": {}", backwardGraph(other))
            .metrics("\"fail_type\": null", "h", 60);
        lateBackward(text, one, 2000000);
        const session::SessionPtr session = openText(text.text());
        QVERIFY(session);
        QCOMPARE(session->compiles[0].backwardSeconds, clear ? 2.0 : 0.0);
        QCOMPARE(session->compiles[1].backwardSeconds, clear ? 0.0 : 2.0);
        QCOMPARE(warned(*session, "may be of 0/0 or 0/0@2: the records do not tell; it is shown as of 0/0@2"),
                 !clear);
    }

    void restartsAreNoRuns() {
        TraceText text;
        text.at(0, 0, 0).start().at(0, 0, 1).start().at(0, 0, 2).start().metrics();
        const session::SessionPtr session = openText(text.text());
        QVERIFY(session);
        QCOMPARE(ids(*session), QStringLiteral("0:0/0"));
        QCOMPARE(session->compiles[0].attempts, 3);
        QCOMPARE(session->runCount(0), std::size_t(1));
        QVERIFY(session->runOf(session->compiles[0]) == nullptr);
    }

    /// A forked process writes into its parent's log, each in its turn.
    void processesOfOneLogAreRuns() {
        const session::SessionPtr session =
            openText(start(7, 0, 0) + start(8, 0, 0) + start(7, 0, 1) + start(8, 0, 1) + start(7, 1, 0));
        QVERIFY(session);
        QCOMPARE(ids(*session), QStringLiteral("0:0/0 0:0/1 0:1/0 0:0/0@2 0:0/1@2"));
        QVERIFY(session->runs[1].cause == Run::Cause::Process);
        QCOMPARE(session::compilesText(session::countCompiles(*session)),
                 std::string("5 compiles in 2 runs"));
    }

    void theFilesNameSaysTheRank() {
        Folder folder;
        for (int rank = 0; rank < 3; ++rank)
            folder.write(("dedicated_log_torch_trace_rank_" + std::to_string(rank) + "_x.log").c_str(),
                         start(7 + rank, 0, 0, 0) + start(7 + rank, 1, 0, 0));
        const session::SessionPtr session = folder.open();
        QVERIFY(session);
        QCOMPARE(ids(*session), QStringLiteral("0:0/0 0:1/0 1:0/0 1:1/0 2:0/0 2:1/0"));
        const session::CompileCounts counts = session::countCompiles(*session);
        QCOMPARE(counts.compiles, std::size_t(6)); // of ids that the ranks share
        QCOMPARE(counts.ids, std::size_t(2));
        QCOMPARE(session::compilesText(counts), std::string("6 compiles on 3 ranks"));
        QCOMPARE(counts.graphs, std::size_t(0));
        QCOMPARE(session->ranks, (std::vector<int>{0, 1, 2}));
        QCOMPARE(session->warnings.size(), std::size_t(2));
        QVERIFY(warned(*session, "the file's name says rank 2 and its records say rank 0"));
        QVERIFY(!warned(*session, "the file's name says rank 0"));
    }

    void filesOfOneRankAreRuns() {
        Folder folder;
        std::string later = start(9, 0, 0);
        later.replace(later.find("01:29:50"), 8, "01:31:07");
        folder.write("dedicated_log_torch_trace_b.log", start(7, 0, 0) + start(7, 0, 1));
        folder.write("dedicated_log_torch_trace_a.log", later);
        const session::SessionPtr session = folder.open();
        QVERIFY(session);
        QCOMPARE(session->ranks, (std::vector<int>{0}));
        QCOMPARE(ids(*session), QStringLiteral("0:0/0 0:0/1 0:0/0@2"));
        QVERIFY(session->runs[1].cause == Run::Cause::File);
        QCOMPARE(runWords(session->runs[1]), std::string("dedicated_log_torch_trace_a.log"));
        QVERIFY(session->warnings.empty());
    }

    /// The process joined its group after the file had got its name.
    void withoutANameTheRecordsSayTheRank() {
        Folder folder;
        folder.write("a.log", start(7, 0, 0) + start(7, 1, 0, 1));
        folder.write("b.log", start(8, 0, 0, 0));
        const session::SessionPtr session = folder.open();
        QVERIFY(session);
        QCOMPARE(ids(*session), QStringLiteral("0:0/0 1:0/0 1:1/0"));
        QVERIFY(session->warnings.empty());
    }

    void ranksThatShareAFile() {
        Folder folder;
        folder.write("joint_rank_0.log", start(7, 0, 0, 0) + start(8, 0, 0, 3));
        const session::SessionPtr session = folder.open();
        QVERIFY(session);
        QCOMPARE(ids(*session), QStringLiteral("0:0/0 3:0/0"));
        QVERIFY(warned(*session, "its records say 2 ranks"));
    }

    void logsWithoutStartsHaveRunsToo() {
        const auto graph = [](const std::string& id) {
            const std::string prefix =
                "V1121 10:22:38.037000 16651 torch/_dynamo/output_graph.py:1] [" + id + "] [__graph_code] ";
            return prefix + "TRACED GRAPH\n" + prefix + " ===== __compiled_fn_1 =====\n" + prefix +
                   " /torch/fx/_lazy_graph_module.py class GraphModule(torch.nn.Module):\n" + prefix +
                   "    def forward(self, x: \"f32[4]\"):\n" + prefix + "        return (x,)\n";
        };
        const session::SessionPtr session =
            openText(graph("0/0") + graph("0/0_1") + graph("1/0") + graph("0/0"));
        QVERIFY(session);
        QCOMPARE(ids(*session), QStringLiteral("0:0/0 0:1/0 0:0/0@2"));
        QCOMPARE(session->compiles[0].attempts, 2);
        QCOMPARE(session->runs.size(), std::size_t(2));
    }
};

QTEST_GUILESS_MAIN(TestCaptureRuns)
#include "tst_capture_runs.moc"
