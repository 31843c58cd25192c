// SPDX-License-Identifier: BSD-3-Clause
//
// The comptime console, beside what comptime itself printed when the program ran.
#include "core/dynamo/console.h"
#include "core/dynamo/cursor.h"
#include "core/session/byte_source.h"
#include "tests/support/recordings.h"

#include <QtTest>
#include <algorithm>

using namespace dynascope;
using namespace dynascope::dynamo;

class TestDynamoConsole : public QObject {
    Q_OBJECT

private:
    std::map<std::string, std::string> m_recordings;

    RecordingPtr recording(const std::string& name) const {
        const auto out = Recording::read(session::makeByteSource(m_recordings.at(name)), nullptr);
        return out ? *out : nullptr;
    }
    static std::string say(const Recording& recording, StepIndex step, std::string_view call) {
        const Result<std::string> answer = answerComptime(recording, step, call);
        return answer ? *answer : "error: " + answer.error().message;
    }

private slots:
    void initTestCase() {
        m_recordings = test::oracleRecordings();
        QVERIFY(!m_recordings.empty());
    }

    /// The tensors that comptime printed when the programs ran stand at the same places of the console's
    /// answer at that step; to print the others, comptime realized them. The call stands in a function of
    /// comptime's own, so that the program's frame is one level up or two, and the operands of the call still
    /// lie on top of its stack.
    void agreesWithComptime() {
        std::size_t judged = 0;
        for (const auto& [name, bytes] : m_recordings) {
            const RecordingPtr r = recording(name);
            QVERIFY(r);
            for (const EventInfo& event : r->events()) {
                if (event.type != "print_value_stack" || event.step == noStep) continue;
                const QStringList printed = QString::fromStdString(event.text).split(u'\n');
                bool held = false;
                for (const char* level : {"(stacklevel=0)", "(stacklevel=1)", "(stacklevel=2)"}) {
                    const QStringList answer =
                        QString::fromStdString(say(*r, event.step, event.type + level)).split(u'\n');
                    bool all = true;
                    for (qsizetype i = 0; i < printed.size(); ++i)
                        if (printed[i].startsWith("- Tensor(")) all = all && printed[i] == answer.value(i);
                    held = held || all;
                }
                QVERIFY2(held, (name + " printed\n" + event.text).c_str());
                judged += std::size_t(printed.filter("- Tensor(").size());
            }
        }
        QVERIFY(judged > 0);
    }

    void atAGraphBreak() {
        const RecordingPtr r = recording("gb24_dynamic_output_op");
        const StepIndex step = runTo(*r, noStep, Happening::GraphBreak, Direction::Forward);
        QCOMPARE(
            say(*r, step, "print_value_stack()"),
            std::string("- NullVariable()\n- LazyVariableTracker()\n- Tensor(shape=(4,), dtype=torch.bool)"));
        QCOMPARE(
            say(*r, step, "print_locals()"),
            std::string(
                "x = Tensor(shape=(4,), dtype=torch.float32)\ny = Tensor(shape=(4,), dtype=torch.float32)"));
        QCOMPARE(say(*r, step, "get_local(\"y\")"), std::string("TensorVariable f32[4] y"));
        QVERIFY(say(*r, step, "assert_static('y')").starts_with("y is static"));
        QVERIFY(say(*r, step, "print_graph()").starts_with("graph():\n    %l_x_"));
        QVERIFY(say(*r, step, "print_bt()").find("line 8, in f\n    i = torch.nonzero(y > 1)") !=
                std::string::npos);
        QVERIFY(say(*r, step, "print_guards()").find("local L['x'] TENSOR_MATCH") != std::string::npos);
        QVERIFY(say(*r, step, "print_disas()").find(" --> 48 CALL") != std::string::npos);
        const std::string what = say(*r, step, "graph_break()");
        QVERIFY2(what.find("graph 1, 3 nodes\n      %l_x_") != std::string::npos, what.c_str());
        QVERIFY2(what.find("handed 3 values, 20 bytes of tensors") != std::string::npos, what.c_str());
        QVERIFY2(what.find("    y = TensorVariable f32[4] y, 16 bytes\n") != std::string::npos, what.c_str());
        QVERIFY2(what.find("not x, which nothing reads any more") != std::string::npos, what.c_str());
        QVERIFY2(what.find("graph 2 from step " + std::to_string(step) + ", 48 CALL 1 on") !=
                     std::string::npos,
                 what.c_str());
        QVERIFY2(what.find("it breaks again at step " + std::to_string(step)) != std::string::npos,
                 what.c_str());
        QCOMPARE(say(*r, step, "graph_break(msg=\"why\")"), what);
        QCOMPARE(say(*r, step, "comptime.print(y)"), std::string("Tensor(shape=(4,), dtype=torch.float32)"));
        QCOMPARE(say(*r, step, "print(ctx.get_local('y'))"), say(*r, step, "print(\"y\")"));
        QVERIFY(say(*r, step, "force_static(\"y\")").starts_with("AssertionError: cannot force"));
        QCOMPARE(say(*r, step, "graph()"), say(*r, step, "print_graph()"));
        QVERIFY(say(*r, step, "help()").find("graph_break()") != std::string::npos);
    }

    void wrongCalls_data() {
        QTest::addColumn<QString>("call");
        for (const char* call :
             {"", "print_locals", "print_locals(", "rm()", "get_local()", "get_local(\"nobody\")",
              "get_local(\"x)", "print_locals(stacklevel=9)", "print_locals(x)", "print_locals(1 2)",
              "get_local(y)", "parent().print_locals()", "print()", "print(get_local(\"nobody\"))",
              "get_local(get_local(\"y\"))"})
            QTest::newRow(call) << QString(call);
    }
    void wrongCalls() {
        QFETCH(QString, call);
        const RecordingPtr r = recording("gb24_dynamic_output_op");
        QVERIFY(!answerComptime(*r, 5, call.toStdString()));
    }

    void noSuchStep() {
        const RecordingPtr r = recording("gb24_dynamic_output_op");
        QVERIFY(!answerComptime(*r, noStep, "print_locals()"));
        QCOMPARE(completeComptime(*r, noStep, "get_local(\"").size(), std::size_t(0));
    }

    void completes() {
        const RecordingPtr r = recording("gb24_dynamic_output_op");
        QCOMPARE(completeComptime(*r, 11, "print_l"), (std::vector<std::string>{"print_locals()"}));
        const std::vector<std::string> locals = completeComptime(*r, 11, "get_local(\"");
        QVERIFY(std::find(locals.begin(), locals.end(), "get_local(\"y\")") != locals.end());
        QVERIFY(completeComptime(*r, 11, "").size() >= 10);
        QCOMPARE(completeComptime(*r, 11, "comptime.print_l"),
                 (std::vector<std::string>{"comptime.print_locals()"}));
    }
};

QTEST_GUILESS_MAIN(TestDynamoConsole)
#include "tst_dynamo_console.moc"
