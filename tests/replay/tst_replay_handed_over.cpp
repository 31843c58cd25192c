// SPDX-License-Identifier: BSD-3-Clause
//
// Which results of a graph a frame hands to the one that goes on after a graph break, told by Dynamo's own
// bytecode.
#include "core/capture/open.h"
#include "core/session/bytecode_run.h"
#include "core/session/handed_over.h"

#include <QtTest>

using namespace dynascope;
using namespace dynascope::session;
using CodeKind = CodeValue::Kind;

namespace {

constexpr std::string_view modified = R"( 30           0 RESUME                   0
              2 LOAD_GLOBAL             37 (NULL + __compiled_fn_5)
             14 LOAD_FAST                3 (h)
             16 PRECALL                  1
             20 CALL                     1
             30 STORE_FAST              11 (graph_out_0)
             32 BUILD_TUPLE              0
             34 BUILD_LIST               1
             36 LOAD_FAST               11 (graph_out_0)
             38 LOAD_CONST               2 (1)
             40 BINARY_SUBSCR
             50 LOAD_FAST                3 (h)
             52 BUILD_LIST               2
             54 BUILD_LIST               1

 31          56 LOAD_GLOBAL              4 (flag)
             58 POP_JUMP_FORWARD_IF_FALSE     8 (to 80)
             60 COPY                     1
             62 LOAD_CONST               1 (0)
             64 BINARY_SUBSCR
             66 LOAD_CONST               3 (-1)
             68 DELETE_SUBSCR
             70 LOAD_GLOBAL             44 (__resume_at_116_6)
             72 SWAP                     3
             74 NOP
             76 JUMP_FORWARD             2 (to 84)
        >>   80 LOAD_GLOBAL             44 (__resume_at_158_7)
             82 SWAP                     3
        >>   84 SWAP                     2
             86 COPY                     1
             88 LOAD_CONST               3 (-1)
             90 BINARY_SUBSCR
             92 SWAP                     3
             94 SWAP                     2
             96 BUILD_LIST               2
             98 SWAP                     2
            100 LIST_EXTEND              1
            102 PUSH_NULL
            104 SWAP                     3
            106 SWAP                     2
            108 CALL_FUNCTION_EX         0
            110 RETURN_VALUE
)";

} // namespace

class TestReplayHandedOver : public QObject {
    Q_OBJECT

private slots:
    void followsBothBranches() {
        const std::vector<CodeOp> code = readBytecode(modified);
        QCOMPARE(code.front().name, std::string("RESUME"));
        const std::vector<ResumeCall> calls = resumeCallsOf(code);
        QCOMPARE(calls.size(), std::size_t(2));
        const ResumeCall& kept = calls[0].target == "158" ? calls[0] : calls[1];
        const ResumeCall& cut = calls[0].target == "158" ? calls[1] : calls[0];
        QCOMPARE(cut.target, std::string("116"));
        // [cells, frames, *frame]: result 1 of the graph and the local; the other branch drops the local.
        QVERIFY(kept.arguments.size() >= 3);
        const CodeValue& result = *kept.arguments[kept.arguments.size() - 2];
        QCOMPARE(int(result.kind), int(CodeKind::GraphOutput));
        QCOMPARE(result.number, std::int64_t(1));
        QCOMPARE(int(kept.arguments.back()->kind), int(CodeKind::Local));
        QCOMPARE(kept.arguments.back()->text, std::string("h"));
        QCOMPARE(int(cut.arguments.back()->kind), int(CodeKind::GraphOutput));
    }

    /// Dynamo's offsets are not those of the listing behind a prefixed jump, and CPython 3.13 prints none.
    void targetsByTheCodeThatIsLeft_data() {
        QTest::addColumn<QString>("original");
        QTest::addColumn<QString>("resumed");
        QTest::addColumn<QStringList>("targets");
        QTest::addColumn<QString>("expected");
        const QString body = "   14 POP_TOP\n   16 LOAD_FAST 1 (v)\n   18 CALL 0\n   28 POP_TOP\n"
                             "   30 LOAD_FAST 2 (w)\n   32 RETURN_VALUE\n";
        const QString longJump = "   0 RESUME 0\n   2 EXTENDED_ARG 1\n   4 JUMP_FORWARD 300 (to %1)\n";
        QTest::newRow("behind a long jump")
            << longJump.arg(14) + body << longJump.arg(28) + body << QStringList{"26"} << "26";
        QString other = body;
        other.replace("(w)", "(x)");
        QTest::newRow("other code") << longJump.arg(14) + body << longJump.arg(28) + other
                                    << QStringList{"26"} << "";
        QTest::newRow("labels of 3.13")
            << "  1  RESUME 0\n  2  LOAD_FAST 1 (v)\n  CALL 0\n  POP_TOP\n  LOAD_FAST 2 (w)\n  RETURN_VALUE\n"
            << "  1  RESUME 0\n  JUMP_FORWARD 9 (to L1)\n  LOAD_FAST 1 (v)\n  CALL 0\n  L1: POP_TOP\n"
               "  LOAD_FAST 2 (w)\n  RETURN_VALUE\n"
            << QStringList{"14"} << "14";
        const QString branch =
            "   16 LOAD_FAST 1 (v)\n   18 POP_JUMP_IF_FALSE 4 (to 24)\n   20 LOAD_FAST 2 (w)\n"
            "   22 RETURN_VALUE\n   24 LOAD_FAST 3 (x)\n   26 RETURN_VALUE\n";
        QTest::newRow("the branch that falls through")
            << longJump.arg(16) + branch << longJump.arg(20) + branch << QStringList{"22", "18"} << "18";
        QTest::newRow("the branch that jumps")
            << longJump.arg(16) + branch << longJump.arg(24) + branch << QStringList{"22", "18"} << "22";
        QTest::newRow("neither") << longJump.arg(16) + branch << longJump.arg(22) + branch
                                 << QStringList{"22", "18"} << "";
    }
    void targetsByTheCodeThatIsLeft() {
        QFETCH(QString, original);
        QFETCH(QString, resumed);
        QFETCH(QStringList, targets);
        QFETCH(QString, expected);
        std::vector<ResumeCall> calls;
        for (const QString& target : targets)
            calls.push_back({target.toStdString(), {}});
        QCOMPARE(QString::fromStdString(targetOf(calls, readBytecode(original.toStdString()),
                                                 readBytecode(resumed.toStdString()))),
                 expected);
    }

    /// Whatever is no bytecode, or goes in circles, comes to an end.
    void takesAnything() {
        QVERIFY(readBytecode("").empty());
        QVERIFY(readBytecode("no bytecode at all\n 12 lower 3 (x)\n").empty());
        QVERIFY(
            resumeCallsOf(readBytecode("  1  0 SWAP 900\n  2 POP_TOP\n  4 CALL 99999999\n  6 RETURN_VALUE\n"))
                .empty());
        std::string loop = "  1   0 BUILD_LIST 0\n";
        for (int i = 1; i < 400; ++i)
            loop += "      " + std::to_string(2 * i) + " POP_JUMP_IF_TRUE 0 (to 0)\n";
        QVERIFY(resumeCallsOf(readBytecode(loop + "    900 JUMP_BACKWARD 3 (to 0)\n")).empty());
        QVERIFY(resumeCallsOf(
                    readBytecode(
                        "  1  0 BUILD_LIST 0\n  2 COPY 1\n  4 LIST_APPEND 1\n  6 JUMP_BACKWARD 4 (to 2)\n"))
                    .empty());
    }

    /// A program with ten graph breaks: each frame's tensors are results of the frames before.
    void realCapture() {
        const auto opened = capture::open(DYNASCOPE_SOURCE_DIR "/resources/samples/graph_breaks.log");
        QVERIFY(opened);
        const Session& session = **opened;
        const auto handed = handedOver(session);
        QCOMPARE(handed.size(), session.compiles.size());
        std::size_t results = 0, inputs = 0;
        for (std::size_t i = 0; i < handed.size(); ++i)
            for (const HandedInput& input : handed[i]) {
                QVERIFY(input.compile < i);
                (input.isResult() ? results : inputs) += 1;
                // What it says of the value's shape is what the frame found.
                if (!input.isResult()) continue;
                const StagePtr stage = session.compiles[input.compile].findStage("dynamo_output_graph");
                QVERIFY(stage);
                const auto& described = session.compiles[i].inputs;
                QVERIFY(std::any_of(described.begin(), described.end(), [&](const TensorInput& tensor) {
                    return tensor.source == input.source;
                }));
            }
        // h of torch_dynamo_resume_in_f_at_30 is what x @ w gave.
        QVERIFY(results >= 5);
        const auto first =
            std::find_if(session.compiles.begin(), session.compiles.end(), [](const Compile& compile) {
                return compile.function == "torch_dynamo_resume_in_f_at_30";
            });
        QVERIFY(first != session.compiles.end());
        const auto& of = handed[std::size_t(first - session.compiles.begin())];
        QCOMPARE(of.size(), std::size_t(1));
        QCOMPARE(of[0].source, std::string("L['h']"));
        QVERIFY(of[0].isResult());
        QCOMPARE(session.compiles[of[0].compile].function, std::string("f"));
        QCOMPARE(of[0].output, std::size_t(0));
    }
};

QTEST_APPLESS_MAIN(TestReplayHandedOver)
#include "tst_replay_handed_over.moc"
