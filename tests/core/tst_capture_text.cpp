// SPDX-License-Identifier: BSD-3-Clause
//
// Payloads that are prose: graph breaks, tracebacks, guard trees, tensor descriptions.
#include "core/capture/guards.h"
#include "core/capture/tensor_record.h"
#include "core/torch_text/graph_break.h"
#include "core/torch_text/traceback.h"

#include <QtTest>

using namespace dynascope;

class TestCaptureText : public QObject {
    Q_OBJECT

private slots:
    void graphBreak() {
        const session::GraphBreak found = capture::parseGraphBreak(
            "Graph break in user code at /home/user/cap.py:30\n"
            "Graph Break Reason: Encountered graph break when attempting to trace CALL: a function call, "
            "e.g. f(x, y):\n"
            "\n"
            "Failed to trace builtin operator\n"
            "  Explanation: Dynamo does not know how to trace builtin operator `print`\n"
            "    on two lines\n"
            "  Hint: Avoid calling builtin `print`.\n"
            "  Hint: Please report an issue to PyTorch.\n"
            "\n"
            "  Developer debug context: builtin print [] False\n"
            "\n"
            " For more details about this graph break, please visit: https://example.org/gb0059.html\n"
            "\n"
            "User code traceback:\n"
            "  File \"/home/user/cap.py\", line 40, in <module>\n"
            "    g = C(f)\n"
            "        ^^^^\n"
            "  File \"/home/user/cap.py\", line 30, in f\n"
            "    print(\"h norm\", h.shape)\n"
            "\n"
            "Traceback (most recent call last):\n"
            "  File \"/opt/torch/symbolic_convert.py\", line 1076, in wrapper\n"
            "    return inner_fn(self, inst)\n");
        QCOMPARE(found.title, std::string("Failed to trace builtin operator"));
        QCOMPARE(found.explanation,
                 std::string("Dynamo does not know how to trace builtin operator `print`\non two lines"));
        QCOMPARE(found.hints.size(), std::size_t(2));
        QCOMPARE(found.hints[1], std::string("Please report an issue to PyTorch."));
        QCOMPARE(found.context, std::string("builtin print [] False"));
        QCOMPARE(found.url, std::string("https://example.org/gb0059.html"));
        QCOMPARE(found.instruction, std::string("CALL: a function call, e.g. f(x, y)"));
        QCOMPARE(found.userStack.size(), std::size_t(2));
        QCOMPARE(found.location()->line, 30u);
        QCOMPARE(found.location()->function, std::string("f"));
        QCOMPARE(found.location()->code, std::string("print(\"h norm\", h.shape)"));
    }

    /// In a loop Dynamo cannot go on behind a break, and says so after the break's own reason: that stays the cause.
    void graphBreakInsideALoop() {
        const session::GraphBreak found = capture::parseGraphBreak(
            "Graph break in user code at /p/train.py:53\n"
            "Graph Break Reason: Failed to handle graph break gracefully. Skipping the function and falling "
            "back "
            "to eager. Graph break encountered:\n\n"
            "Failed to trace builtin operator\n"
            "  Explanation: Dynamo does not know how to trace builtin operator `print`\n"
            "  Hint: Avoid calling builtin `print`.\n\n"
            "  Developer debug context: builtin print\n\n"
            " For more details about this graph break, please visit: https://x.org/gb0059.html\n\n"
            "*** While handling this graph break, another graph break occurred: ***\n\n"
            "graph break in loop\n"
            "  Explanation: torch.compile detected a graph break in a for/while loop.\n"
            "  Hint: This graph break may have been caused by an earlier graph break.\n\n"
            "  Developer debug context: frame skipped: forward\n\n"
            " For more details about this graph break, please visit: https://x.org/gb7000.html\n\n"
            "User code traceback:\n"
            "  File \"/p/train.py\", line 53, in forward\n"
            "    print(h)\n");
        QVERIFY(found.skipsFunction);
        QCOMPARE(found.title, std::string("Failed to trace builtin operator"));
        QCOMPARE(found.explanation,
                 std::string("Dynamo does not know how to trace builtin operator `print`"));
        QCOMPARE(found.hints, (std::vector<std::string>{"Avoid calling builtin `print`."}));
        QCOMPARE(found.context, std::string("builtin print"));
        QCOMPARE(found.url, std::string("https://x.org/gb0059.html"));
        QCOMPARE(found.location()->line, 53U);
    }

    /// In a try block, Dynamo goes back to where it could resume: the cause is what follows.
    void graphBreakThatSkipsTheRest() {
        const session::GraphBreak found = capture::parseGraphBreak(
            "Graph break in user code at /p/train.py:15\n"
            "Graph Break Reason: Encountered graph break that we cannot resume from. Compiling up to the "
            "previous "
            "resumable state, then skipping the rest of the function. Graph break encountered:\n\n"
            "Call to `torch._dynamo.graph_break()`\n"
            "  Explanation: User-inserted graph break. Message: None\n"
            "User code traceback:\n"
            "  File \"/p/train.py\", line 15, in forward\n"
            "    torch._dynamo.graph_break()\n");
        QVERIFY(found.skipsRest && !found.skipsFunction);
        QCOMPARE(found.title, std::string("Call to `torch._dynamo.graph_break()`"));
        QCOMPARE(found.explanation, std::string("User-inserted graph break. Message: None"));
    }

    void graphBreakOfOlderVersions() {
        const session::GraphBreak found = capture::parseGraphBreak("Graph break in user code at cap.py:7\n"
                                                                   "Reason: Unsupported: builtin: print\n"
                                                                   "User code traceback:\n"
                                                                   "  File \"cap.py\", line 7, in f\n"
                                                                   "    print(x)\n");
        QCOMPARE(found.title, std::string("Unsupported: builtin: print"));
        QCOMPARE(found.location()->line, 7u);
    }

    void graphBreakWithoutForm() {
        QCOMPARE(capture::parseGraphBreak("something odd\nhappened").title, std::string("something odd"));
        QVERIFY(!capture::parseGraphBreak("").title.empty());
        const session::GraphBreak placed = capture::parseGraphBreak("Graph break in user code at cap.py:9\n");
        QCOMPARE(placed.location()->file, std::string("cap.py"));
        QCOMPARE(placed.location()->line, 9u);
    }

    void pythonError() {
        const capture::PythonError found =
            capture::parsePythonError("Traceback (most recent call last):\n"
                                      "  File \"a.py\", line 1, in f\n"
                                      "RuntimeError: first\n"
                                      "\n"
                                      "The above exception was the direct cause of the following exception:\n"
                                      "\n"
                                      "torch._dynamo.exc.TorchRuntimeError: shape mismatch\n"
                                      "  Explanation: two lines\n"
                                      "\n"
                                      "from user code:\n");
        QCOMPARE(found.type, std::string("TorchRuntimeError"));
        QCOMPARE(found.message, std::string("shape mismatch\n  Explanation: two lines"));
        QVERIFY(capture::parsePythonError("no error here: really").type.empty());
    }

    void guards() {
        const std::vector<session::Guard> found =
            capture::parseGuards("\n"
                                 "TREE_GUARD_MANAGER:\n"
                                 "+- RootGuardManager\n"
                                 "| +- DEFAULT_DEVICE: utils_device.CURRENT_DEVICE == None      # "
                                 "_dynamo/output_graph.py:1122 in init\n"
                                 "| +- GuardManager: source=L['x'], "
                                 "accessed_by=FrameLocalsGuardAccessor(key='x'), type=<class 'Tensor'>\n"
                                 "| | +- TENSOR_MATCH: check_tensor(L['x'], Tensor, size=[8, 8])  # h=x@w  # "
                                 "a # b  # scripts/cap.py:29 in f\n"
                                 "| | +- NO_TENSOR_ALIASING\n"
                                 "| +- GuardManager: source=G, accessed_by=GlobalsGuardAccessor\n"
                                 "| | +- ID_MATCH: ___check_obj_id(G['d']['print'], 139)\n"
                                 "\n"
                                 "Guard latency = 132.70 us\n");
        QCOMPARE(found.size(), std::size_t(7));
        QCOMPARE(found[0].type, std::string("RootGuardManager"));
        QCOMPARE(found[0].depth, 0);
        QCOMPARE(found[1].code, std::string("utils_device.CURRENT_DEVICE == None"));
        QCOMPARE(found[1].addedAt.line, 1122u);
        QVERIFY(found[2].isManager());
        QCOMPARE(found[2].source, std::string("L['x']"));
        QCOMPARE(found[3].code, std::string("check_tensor(L['x'], Tensor, size=[8, 8])"));
        QCOMPARE(found[3].userCode, std::string("h=x@w  # a # b"));
        QCOMPARE(found[3].addedAt.file, std::string("scripts/cap.py"));
        QCOMPARE(found[3].addedAt.function, std::string("f"));
        QCOMPARE(found[3].depth, 2);
        QCOMPARE(found[4].type, std::string("NO_TENSOR_ALIASING"));
        QCOMPARE(found[4].source, std::string("L['x']"));
        QCOMPARE(found[6].source, std::string("G['d']['print']"));
    }

    void guardsOfHostileDepth() {
        std::string text = "TREE_GUARD_MANAGER:\n";
        for (int i = 0; i < 5000; ++i)
            text += "| ";
        text += "+- GuardManager: source=L['x']\n";
        QVERIFY(capture::parseGuards(text).size() <= 1);
    }

    void tensors() {
        QCOMPARE(ir::shortDtype("torch.bfloat16"), std::string("bf16"));
        QCOMPARE(ir::shortDtype("torch.odd"), std::string("odd"));
        QCOMPARE(capture::shortDevice("device(type='cpu')"), std::string("cpu"));
        QCOMPARE(capture::shortDevice("device(type='cuda', index=1)"), std::string("cuda:1"));
        QCOMPARE(capture::shortDevice("meta"), std::string("meta"));
    }
};

QTEST_GUILESS_MAIN(TestCaptureText)
#include "tst_capture_text.moc"
