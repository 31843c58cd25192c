// SPDX-License-Identifier: BSD-3-Clause
//
// Torch-level graphs against answers written by hand.
#include "tests/engine/service_runner.h"

#include <QtTest>

using namespace dynascope;
using nlohmann::json;

namespace {

/// A readable graph over the inputs x, y, ... with these statements.
std::string graph(const std::string& parameters, const std::string& body, const std::string& result) {
    std::string out = "class GraphModule(torch.nn.Module):\n    def forward(self, " + parameters + "):\n";
    std::size_t start = 0;
    while (start < body.size()) {
        const std::size_t end = std::min(body.find('\n', start), body.size());
        out += "        " + body.substr(start, end - start) + '\n';
        start = end + 1;
    }
    return out + "        return (" + result + ",)\n";
}

} // namespace

class TestEngineTorchLevel : public QObject {
    Q_OBJECT

private slots:
    void computes_data() {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("result");
        QTest::addColumn<QString>("expected"); // shape and data of the output, and of x after the call
        const auto row = [](const char* name, const char* body, const char* result, const char* expected) {
            QTest::newRow(name) << body << result << expected;
        };
        row("operator", "a = x + y\nb = a * 2", "b", "[[2,3],[10,14,18,22,26,30],[1,2,3,4,5,6]]");
        row("reflected", "a = 2 - x\nb = 12 / a", "a", "[[2,3],[1,0,-1,-2,-3,-4],[1,2,3,4,5,6]]");
        row("in place", "x += 1;  iadd = x", "iadd", "[[2,3],[2,3,4,5,6,7],[2,3,4,5,6,7]]");
        row("numbers in place", "s = x.size(1)\ns += 1;  iadd = s\na = x * iadd", "a",
            "[[2,3],[4,8,12,16,20,24],[1,2,3,4,5,6]]");
        row("getitem", "a = x[(slice(None, None, None), None, -1)]", "a", "[[2,1],[3,6],[1,2,3,4,5,6]]");
        row("ellipsis", "a = x[(Ellipsis, slice(0, None, 2))]", "a", "[[2,2],[1,3,4,6],[1,2,3,4,5,6]]");
        row("mask", "m = x > 2\na = x[m]", "a", "[[4],[3,4,5,6],[1,2,3,4,5,6]]");
        row("index list", "a = x[(slice(None, None, None), [0, 2])]", "a", "[[2,2],[1,3,4,6],[1,2,3,4,5,6]]");
        row("setitem",
            "v = y[(slice(None, None, None), 1)]\nx[(slice(None, None, None), 0)] = v;  setitem = x", "x",
            "[[2,3],[5,2,3,8,5,6],[5,2,3,8,5,6]]");
        row("method", "a = x.view(3, -1)\nb = a.t()", "b", "[[2,3],[1,3,5,2,4,6],[1,2,3,4,5,6]]");
        row("relu in place", "n = x - 3\na = torch.nn.functional.relu(n, inplace = True)\nb = n + 0", "b",
            "[[2,3],[0,0,0,1,2,3],[1,2,3,4,5,6]]");
        row("reduction", "a = torch.max(x, dim = 1)\nb = a[0]", "b", "[[2],[3,6],[1,2,3,4,5,6]]");
        row("split", "a = torch.split(x, [1, 2], dim = 1)\nb = a[1]", "b", "[[2,2],[2,3,5,6],[1,2,3,4,5,6]]");
        row("shape", "s = x.shape\nn = s[0]\na = torch.full((n, 2), n)", "a",
            "[[2,2],[2,2,2,2],[1,2,3,4,5,6]]");
        row("arange", "a = torch.arange(1, 4, device = device(type='cuda', index=0))\nb = a * x", "b",
            "[[2,3],[1,4,9,4,10,18],[1,2,3,4,5,6]]");
        row("autocast",
            "mode = torch.amp.autocast_mode._enter_autocast('cpu', torch.bfloat16, True, None)\n"
            "t = y.t()\na = x @ t\nend = torch.amp.autocast_mode._exit_autocast(mode)\n"
            "d = a.dtype\nb = torch.zeros((1,), dtype = d)",
            "b", "[[1],[0],[1,2,3,4,5,6]]");
    }

    void computes() {
        QFETCH(QString, body);
        QFETCH(QString, result);
        QFETCH(QString, expected);
        const json inputs =
            test::CaseBuilder().tensor({2, 3}, {1, 2, 3, 4, 5, 6}).tensor({2, 3}, {4, 5, 6, 7, 8, 9}).json();
        test::ServiceRunner engine;
        const json reply =
            engine.execute(graph("x, y", body.toStdString(), result.toStdString()), {{"inputs", inputs}});
        QVERIFY2(reply.is_object(), engine.lastError().c_str());
        const json& output = reply["outputs"][0];
        const json got{output["shape"], output["data"], reply["post"]["storages"][0]};
        QVERIFY2(got == json::parse(expected.toStdString()), got.dump().c_str());
    }

    void failuresNameTheNode_data() {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("message");
        const auto row = [](const char* name, const char* body, const char* message) {
            QTest::newRow(name) << body << message;
        };
        row("no overload", "a = torch.relu(x, x, x)", "no overload of relu takes (Tensor, Tensor, Tensor)");
        row("out of range", "a = x[7]", "index 7 is out of bounds");
        row("wrong keyword", "a = torch.nn.functional.relu(x, quick = True)", "has no argument 'quick'");
        row("division", "s = x.size(0)\nt = s - 2\na = s // t", "integer division or modulo by zero");
        row("unknown", "a = torch.nn.functional.no_such(x)", "torch.nn.functional.no_such (is unknown");
        row("module", "a = self.layers(x)", "calls a module that the capture does not hold");
    }

    void failuresNameTheNode() {
        QFETCH(QString, body);
        QFETCH(QString, message);
        const json inputs = test::CaseBuilder().tensor({2, 3}, {1, 2, 3, 4, 5, 6}).json();
        test::ServiceRunner engine;
        const json reply = engine.execute(graph("x", body.toStdString(), "a"), {{"inputs", inputs}});
        QVERIFY(reply.is_null());
        QVERIFY2(engine.lastError().find(message.toStdString()) != std::string::npos,
                 engine.lastError().c_str());
    }

    void condRunsOneBranchAndRefusesSideEffects() {
        const auto text = [](const std::string& yes) {
            return "class GraphModule(torch.nn.Module):\n"
                   "    def forward(self, x: \"f32[2]\"):\n"
                   "        s = x.sum()\n"
                   "        gt = s > 0\n"
                   "        yes = self.yes\n"
                   "        no = self.no\n"
                   "        cond = torch.ops.higher_order.cond(gt, yes, no, (x,))\n"
                   "        a = cond[0]\n"
                   "        return (a,)\n"
                   "\n"
                   "    class yes(torch.nn.Module):\n"
                   "        def forward(self, x: \"f32[2]\"):\n"
                   "            y = " +
                   yes +
                   "\n"
                   "            return (y,)\n"
                   "\n"
                   "    class no(torch.nn.Module):\n"
                   "        def forward(self, x: \"f32[2]\"):\n"
                   "            y = x - 1\n"
                   "            return (y,)\n";
        };
        test::ServiceRunner engine;
        const auto result = [&](const std::string& yes, const json& data) {
            return engine.execute(text(yes), {{"inputs", test::CaseBuilder().tensor({2}, data).json()}});
        };
        QCOMPARE(result("x * 10", {1, 2})["outputs"][0]["data"], json({10, 20}));
        QCOMPARE(result("x * 10", {-1, -2})["outputs"][0]["data"], json({-2, -3}));
        QVERIFY(result("x.add_(1)", {1, 2}).is_null());
        QVERIFY2(engine.lastError().find("HOP: Unsafe side effect: 'y' in yes writes to its input 'x'") !=
                     std::string::npos,
                 engine.lastError().c_str());
        // A write to memory of the branch's own is no side effect.
        QVERIFY(result("x.mul(2)", {1, 2}).is_object());
    }
};

QTEST_GUILESS_MAIN(TestEngineTorchLevel)
#include "tst_engine_torch_level.moc"
