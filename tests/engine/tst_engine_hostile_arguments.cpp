// SPDX-License-Identifier: BSD-3-Clause
//
// Operators whose kernels believe what they are told: a graph that lies to them is an error of one node.
#include "core/engine/sandbox/argument_checks.h"
#include "tests/engine/service_runner.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <QtTest>
#include <set>

using namespace dynascope;
using nlohmann::json;

namespace {

/// A graph of which `%x` is a tensor of that shape; `lines` are Python as print_readable() writes it.
std::string hostileGraph(const char* shape, const char* lines) {
    return std::string("class GraphModule(torch.nn.Module):\n    def forward(self, x: \"f32") + shape +
           "\"):\n" + lines + "        return (r,)\n";
}

std::string filled(const char* name, const char* shape, const char* value, const char* dtype) {
    return std::string("        ") + name + " = torch.ops.aten.full.default(" + shape + ", " + value +
           ", dtype = torch." + dtype + ", device = device(type='cpu'), pin_memory = False)\n";
}

} // namespace

class TestEngineHostileArguments : public QObject {
    Q_OBJECT
private slots:
    void everyCheckedOperatorExists() {
        std::set<std::string> known;
        for (const c10::OperatorName& name : c10::Dispatcher::singleton().getAllOpNames())
            if (name.name.starts_with("aten::")) known.insert(name.name.substr(6));
        for (const std::string& name : engine::checkedOperators())
            QVERIFY2(known.contains(name), name.c_str());
    }

    /// An overload that calls an argument otherwise would throw for every graph.
    void everyOverloadHasTheArgumentsThatAreAskedFor() {
        auto& dispatcher = c10::Dispatcher::singleton();
        int seen = 0;
        for (const c10::OperatorName& name : dispatcher.getAllOpNames()) {
            const std::optional<c10::OperatorHandle> op = dispatcher.findSchema(name);
            if (!op || !engine::argumentCheck(*op)) continue;
            ++seen;
            const c10::FunctionSchema& schema = op->schema();
            for (const char* asked : {"self", "input", "data", "grad", "grad_output", "weight", "log_probs",
                                      "crow_indices", "x1"})
                if (schema.argumentIndexWithName(asked)) goto found;
            QFAIL(name.name.c_str());
        found:;
        }
        QVERIFY(seen > 60);
    }

    void aLieIsAnError_data() {
        QTest::addColumn<QString>("graph");
        QTest::addColumn<QString>("cause");
        const auto add = [](const char* name, const char* shape, const std::string& lines,
                            const char* cause) {
            QTest::newRow(name) << QString::fromStdString(hostileGraph(shape, lines.c_str())) << cause;
        };
        add("view that reads", "[4]",
            "        r = torch.ops.aten._reshape_alias.default(x, [1000000, 1000], [1000, 1])\n",
            "the view reaches to element 999999999 of a storage of 4");
        add("view that writes", "[4]",
            "        w = torch.ops.aten._reshape_alias.default(x, [100000], [1])\n"
            "        r = torch.ops.aten.fill_.Scalar(w, 1.0)\n",
            "the view reaches to element 99999 of a storage of 4");
        add("view of other elements", "[4]",
            "        w = torch.ops.aten.view.dtype(x, torch.int64)\n"
            "        r = torch.ops.aten._reshape_alias.default(w, [24], [1])\n",
            "of a storage of 2");
        add("view that overflows", "[4]",
            "        r = torch.ops.aten._reshape_alias.default(x, [4611686018427387904, 8], [8, 1])\n",
            "the view is too large");
        add("pool", "[1, 1, 4, 4]",
            filled("i", "[1, 1, 2, 2]", "10000000000", "int64") +
                filled("g", "[1, 1, 2, 2]", "1.0", "float32") +
                "        r = torch.ops.aten.max_pool2d_with_indices_backward.default(g, x, [2, 2], [2, 2], "
                "[0, 0], "
                "[1, 1], False, i)\n",
            "indices has 10000000000, and only [0, 16) is there");
        add("pool of fewer planes", "[1, 1, 4, 4]",
            filled("i", "[1, 9, 2, 2]", "1", "int64") + filled("g", "[1, 9, 2, 2]", "1.0", "float32") +
                "        r = torch.ops.aten.max_pool2d_with_indices_backward.default(g, x, [2, 2], [2, 2], "
                "[0, 0], "
                "[1, 1], False, i)\n",
            "grad_output is [1, 9, 2, 2], and self is [1, 1, 4, 4]");
        add("adaptive pool", "[1, 4, 4]",
            filled("i", "[1, 2, 2]", "-1", "int64") + filled("g", "[1, 2, 2]", "1.0", "float32") +
                "        r = torch.ops.aten.adaptive_max_pool2d_backward.default(g, x, i)\n",
            "indices has -1, and only [0, 16) is there");
        add("volume pool", "[1, 1, 4, 4, 4]",
            filled("i", "[1, 1, 2, 2, 2]", "64", "int64") + filled("g", "[1, 1, 2, 2, 2]", "1.0", "float32") +
                "        r = torch.ops.aten.max_pool3d_with_indices_backward.default(g, x, [2, 2, 2], [2, 2, "
                "2], "
                "[0, 0, 0], [1, 1, 1], False, i)\n",
            "indices has 64, and only [0, 64) is there");
        add("loss", "[4, 4]",
            filled("t", "[4]", "100000000000", "int64") + filled("w", "[]", "1.0", "float32") +
                filled("g", "[4]", "1.0", "float32") +
                "        r = torch.ops.aten.nll_loss_backward.default(g, x, t, None, 0, -100, w)\n",
            "target has 100000000000, and only [0, 4) is there");
        add("pairs", "[400, 4]",
            filled("g", "[1]", "1.0", "float32") +
                "        r = torch.ops.aten._pdist_backward.default(g, x, 2.0, g)\n",
            "400 points have 79800 pairs");
        add("speech", "[4, 1, 4]",
            filled("t", "[1, 2]", "100000000", "int64") +
                "        q = torch.ops.aten._ctc_loss.default(x, t, [4], [2])\n        r = q[0]\n",
            "targets has 100000000, and only [0, 4) is there");
        add("segments", "[4]",
            filled("i", "[4]", "100000000", "int64") +
                "        r = torch.ops.aten.segment_reduce.default(x, 'sum', lengths = i, unsafe = True)\n",
            "unsafe=True leaves out its checks, and is refused");
        add("grid", "[1, 1, 4, 4]",
            filled("g", "[1, 2, 2, 2]", "1e30", "float32") +
                "        r = torch.ops.aten.grid_sampler_2d.default(x, g, 0, 77, False)\n",
            "no padding mode 77");
        add("compressed", "[4]",
            filled("c", "[5]", "100000000", "int64") + filled("k", "[4]", "1", "int64") +
                "        r = torch.ops.aten._convert_indices_from_csr_to_coo.default(c, k)\n",
            "crow_indices has 100000000, and only [0, 5) is there");
        add("batch norm", "[2, 64, 3]",
            filled("w", "[1]", "1.0", "float32") + "        q = torch.ops.aten.native_batch_norm.default(x, "
                                                   "w, w, w, w, False, 0.1, 1e-05)\n        r = q[0]\n",
            "weight has 1 elements, not 64");
        add("embedding", "[3, 8]",
            filled("i", "[3]", "1000000", "int64") +
                "        r = torch.ops.aten.embedding_dense_backward.default(x, i, 10, -1, False)\n",
            "indices has 1000000, and only [0, 10) is there");
    }
    void aLieIsAnError() {
        QFETCH(QString, graph);
        QFETCH(QString, cause);
        test::ServiceRunner engine;
        QVERIFY(engine.execute(graph.toStdString(), json::object()).is_null());
        QVERIFY2(engine.lastError().find(cause.toStdString()) != std::string::npos,
                 engine.lastError().c_str());
    }

    void whatIsTruePasses() {
        test::ServiceRunner engine;
        const std::string graph = hostileGraph(
            "[1, 1, 4, 4]",
            "        p = torch.ops.aten.max_pool2d_with_indices.default(x, [2, 2], [2, 2])\n"
            "        a = p[0]\n        b = p[1]\n"
            "        r = torch.ops.aten.max_pool2d_with_indices_backward.default(a, x, [2, 2], [2, 2], "
            "[0, 0], [1, 1], False, b)\n");
        const json reply = engine.execute(graph, json::object());
        QVERIFY2(reply.is_object(), engine.lastError().c_str());
        QCOMPARE(reply["outputs"][0]["shape"].dump(), std::string("[1,1,4,4]"));
    }
};

QTEST_GUILESS_MAIN(TestEngineHostileArguments)
#include "tst_engine_hostile_arguments.moc"
