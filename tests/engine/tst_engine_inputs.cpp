// SPDX-License-Identifier: BSD-3-Clause
//
// Inputs made from what captures describe, and Dynamo's graphs against AOTAutograd's on them.
#include "core/capture/open.h"
#include "core/engine/cases/graph_inputs.h"
#include "core/engine/cases/run_on.h"
#include "core/ir/symbol_number.h"
#include "core/ir/text.h"
#include "tests/engine/aot_notes.h"
#include "tests/engine/service_runner.h"
#include "tests/support/captures.h"

#include <QtTest>
#include <cmath>

using namespace dynascope;
using nlohmann::json;

namespace {

double numberOf(const json& value) {
    return value.is_number() ? value.get<double>() : value.is_boolean() ? value.get<bool>() : NAN;
}

/// Empty where two described values agree.
std::string difference(const json& a, const json& b) {
    if (a.value("scalar", json()) != b.value("scalar", json())) return "scalars differ";
    if (a.contains("scalar")) return {};
    if (a["shape"] != b["shape"] || a["dtype"] != b["dtype"]) return "shapes or dtypes differ";
    double scale = 1e-3;
    for (const json& x : a["data"])
        scale = std::max(scale, std::fabs(numberOf(x)));
    for (std::size_t i = 0; i < a["data"].size(); ++i) {
        const double x = numberOf(a["data"][i]), y = numberOf(b["data"][i]);
        if (!(std::fabs(x - y) <= 2e-5 * scale))
            return "element " + std::to_string(i) + ": " + std::to_string(x) + " and " + std::to_string(y);
    }
    return {};
}

/// Reads the whole text of a graph from a log with cuda:0 in the place of cpu.
std::string onCuda(std::string text) {
    const auto replaceAll = [&](const std::string& what, const std::string& by) {
        for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
            text.replace(at, what.size(), by);
    };
    replaceAll("]cpu\"", "]cuda:0\"");
    replaceAll("device(type='cpu')", "device(type='cuda', index=0)");
    return text;
}

} // namespace

class TestEngineInputs : public QObject {
    Q_OBJECT

private slots:
    void symbolicSizes_data() {
        QTest::addColumn<QString>("expression");
        QTest::addColumn<int>("value"); // -1: none
        QTest::newRow("number") << "12" << 12;
        QTest::newRow("sum") << "2*s77 + 1" << 15;
        QTest::newRow("power") << "s0**2 - s77" << 2;
        QTest::newRow("floor") << "((s77//2))" << 3;
        QTest::newRow("negative floor") << "0 - ((0 - s77)//2)" << 4;
        QTest::newRow("functions") << "Max(FloorDiv(s77, 2), Mod(s77, 4), CeilDiv(s77, 2))" << 4;
        QTest::newRow("exact division") << "(s0*4)/2" << 6;
        QTest::newRow("division with a rest") << "s77/2" << -1;
        QTest::newRow("unknown symbol") << "s1" << -1;
        QTest::newRow("by zero") << "s0//(s0 - 3)" << -1;
        QTest::newRow("garbage") << "s0 +" << -1;
        QTest::newRow("overflow") << "9223372036854775807 + s0" << -1;
        QTest::newRow("deep") << QString(100000, '(') << -1;
    }

    void symbolicSizes() {
        QFETCH(QString, expression);
        QFETCH(int, value);
        const auto got = ir::symbolValue(expression.toStdString(), {{"s0", 3}, {"s77", 7}});
        QCOMPARE(got.value_or(-1), std::int64_t{value});
    }

    void filesOfInputs_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("inputs"); // or the error
        QTest::addColumn<QString>("attributes");
        QTest::newRow("a case") << R"({"kind": "x", "inputs": {"storages": []}, "before_attrs": {"w": 1}})"
                                << R"({"storages":[]})"
                                << R"({"w":1})";
        QTest::newRow("inputs alone") << R"({"storages": [], "inputs": [4]})"
                                      << R"({"inputs":[4],"storages":[]})"
                                      << "null";
        QTest::newRow("inputs with constants") << R"({"storages": [], "before_attrs": {}})"
                                               << R"({"before_attrs":{},"storages":[]})"
                                               << "{}";
        QTest::newRow("neither") << R"({"graph": ""})"
                                 << "f.json: neither an oracle case nor the 'inputs' of one" << QString();
        QTest::newRow("no JSON") << "{"
                                 << "f.json: not a JSON object" << QString();
        QTest::newRow("a list") << "[]"
                                << "f.json: not a JSON object" << QString();
        QTest::newRow("nested too deep")
            << QString(200, u'[') + QString(200, u']') << "f.json: not a JSON object" << QString();
    }
    void filesOfInputs() {
        QFETCH(const QString, text);
        const auto on = engine::runOnOfText(text.toStdString(), "f.json");
        QTEST(QString::fromStdString(on ? on->inputs.dump() : on.error().toString()), "inputs");
        QTEST(on ? QString::fromStdString(on->attributes.dump()) : QString(), "attributes");
    }

    void aCaseBringsItsOwnValues() {
        const auto graph =
            ir::readGraph("graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
                          "    %y : [num_users=0] = call_function[target=torch.ops.aten.sin.default]"
                          "(args = (%x,), kwargs = {})\n");
        QVERIFY(graph);
        session::Compile compile;
        QVERIFY(!engine::runOnOfGraph(&compile, **graph)); // no shape
        // An object that no operator reads: a device mesh, say.
        const auto through =
            ir::readGraph("graph():\n    %x : [num_users=1] = placeholder[target=x]\n    return (x,)\n");
        QVERIFY(through);
        const auto any = engine::runOnOfGraph(&compile, **through);
        QVERIFY(any);
        QCOMPARE(any->inputs["inputs"], json::array({nullptr}));
        compile.runInputs = R"({"storages":[],"inputs":[4]})";
        const auto on = engine::runOnOfGraph(&compile, **graph);
        QVERIFY(on);
        QCOMPARE(on->inputs, json::parse(compile.runInputs));
        QVERIFY(on->attributes.is_null());
    }

    void conditionsChooseANumber_data() {
        QTest::addColumn<QString>("expression");
        QTest::addColumn<double>("value");
        const char* at = "s0*Piecewise((1, Eq(u3, -2) & (u3 < 0)), (0, True)) + u3 + 2";
        QTest::newRow("at the end") << QString(at).replace("u3", "u2") << 3.0;
        QTest::newRow("elsewhere") << at << 6.0;
        QTest::newRow("comparison in parentheses") << "Piecewise((2.5, (s0 + 1) >= 4), (0, True))" << 2.5;
        QTest::newRow("either") << "Piecewise((1, Ne(s0, 3) | ~(u3 > 4)), (0, True))" << 1.0;
        QTest::newRow("none holds") << "Piecewise((1, s0 < 3))" << -1.0;
        QTest::newRow("unknown symbol") << "Piecewise((1, s9 < 3), (0, True))" << -1.0;
        QTest::newRow("a condition is no number") << "s0 < 3" << -1.0;
        QString nested = "1";
        for (int i = 0; i < 150; ++i)
            nested = "Piecewise((1, (" + nested + ") > 0), (0, True))";
        QTest::newRow("deep") << nested << -1.0;
    }
    void conditionsChooseANumber() {
        QFETCH(QString, expression);
        QFETCH(double, value);
        const auto got = ir::symbolNumber(expression.toStdString(), {{"s0", 3}, {"u2", -2}, {"u3", 4}}, {});
        const double number =
            got ? std::visit([](auto found) { return static_cast<double>(found); }, *got) : -1;
        QCOMPARE(number, value);
    }

    void capturedShapesStoragesAndHints() {
        const auto session = capture::open(test::capture("trace_aot_eager/alias_overlap").toStdString());
        QVERIFY(session);
        const session::Compile& compile = (*session)->compiles.front();
        const auto graph = compile.findStage("dynamo_output_graph")->graph();
        QVERIFY(graph);
        const auto inputs = engine::inputsOfCapture(compile, **graph);
        QVERIFY(inputs);
        // Two views of one storage of 24 floats, and a tensor of its own.
        QCOMPARE((*inputs)["inputs"][0]["storage"], (*inputs)["inputs"][1]["storage"]);
        QVERIFY((*inputs)["inputs"][2]["storage"] != (*inputs)["inputs"][0]["storage"]);
        QCOMPARE((*inputs)["inputs"][1]["storage_offset"].get<int>(), 4);
        QCOMPARE((*inputs)["storages"][0]["size"].get<int>(), 24);
        QVERIFY(!(*inputs)["storages"][0].contains("data"));
        QCOMPARE(inputs->dump(), engine::inputsOfCapture(compile, **graph)->dump());
    }

    void symbolsTakeHintsOrTheUsersValues() {
        const auto session = capture::open(test::capture("trace_aot_eager/dynamic_views").toStdString());
        QVERIFY(session);
        const session::Compile& compile = (*session)->compiles.front();
        const auto graph = compile.findStage("dynamo_output_graph")->graph();
        const auto hinted = engine::inputsOfCapture(compile, **graph);
        QVERIFY(hinted);
        QCOMPARE((*hinted)["inputs"][0], json(2));
        QCOMPARE((*hinted)["inputs"][1]["shape"], json({2, 12}));
        engine::GraphInputOptions options;
        options.symbols["s77"] = 5;
        const auto chosen = engine::inputsOfCapture(compile, **graph, options);
        QCOMPARE((*chosen)["inputs"][0], json(5));
        QCOMPARE((*chosen)["inputs"][1]["shape"], json({5, 12}));
        QCOMPARE((*chosen)["storages"][0]["size"].get<int>(), 60);
        // Without the capture the symbols have no values.
        const auto bare = engine::inputsOfGraph(**graph);
        QVERIFY(!bare);
        QVERIFY(QString::fromStdString(bare.error().message).contains("'s77'"));
        test::ServiceRunner engine;
        const json reply = engine.execute(ir::printReadable(**graph).text, {{"inputs", *chosen}});
        QVERIFY2(reply.is_object(), engine.lastError().c_str());
        QCOMPARE(reply["outputs"][0]["shape"], json({10, 6}));
        QCOMPARE(reply["outputs"][1]["scalar"], json(5));
    }

    void indicesStayInRange() {
        const auto session = capture::open(test::capture("trace_aot_eager/gpt2_train").toStdString());
        QVERIFY(session);
        const session::Compile& compile = (*session)->compiles.front();
        for (const char* stage : {"dynamo_output_graph", "aot_forward_graph"}) {
            const auto graph = compile.findStage(stage)->graph();
            const auto inputs = engine::inputsOfCapture(compile, **graph);
            QVERIFY(inputs);
            int integers = 0;
            for (const json& storage : (*inputs)["storages"]) {
                if (storage["dtype"] != "int64") continue;
                ++integers;
                QCOMPARE(storage["high"].get<int>(), 512); // rows of the word embedding
            }
            QCOMPARE(integers, 1);
        }
    }

    /// Keywords, an index that selects from another one, sums and probabilities.
    void indicesAreFollowedToTheInputs() {
        const auto graph = ir::readGraph(R"(class GraphModule(torch.nn.Module):
    def forward(self, L_at_: "i64[1, 9][9, 1]cpu", L_kinds_: "i64[1, 7][7, 1]cpu", L_rows_: "f32[11, 4][4, 1]cpu", L_two_: "f32[2, 4][4, 1]cpu", L_p_: "f32[3][1]cpu", L_free_: "i64[3][1]cpu"):
        at: "i64[1, 6][9, 1]cpu" = L_at_[(slice(None, None, None), slice(0, 6, None))];  L_at_ = None
        kinds: "i64[1, 7][7, 1]cpu" = L_kinds_.expand(1, -1);  L_kinds_ = None
        chosen: "i64[1, 6][6, 1]cpu" = torch.gather(kinds, dim = 1, index = at);  kinds = None
        kind: "f32[1, 6, 4][24, 4, 1]cpu" = torch.nn.functional.embedding(chosen, weight = L_two_);  chosen = L_two_ = None
        later: "i64[1, 6][6, 1]cpu" = at + 5;  at = None
        row: "f32[1, 6, 4][24, 4, 1]cpu" = torch.nn.functional.embedding(later, L_rows_);  later = L_rows_ = None
        loss: "f32[][]cpu" = torch.nn.functional.binary_cross_entropy(L_p_, L_p_);  L_p_ = None
        return (kind, row, loss)
)");
        QVERIFY2(graph.has_value(), graph ? "" : graph.error().toString().c_str());
        const auto inputs = engine::inputsOfGraph(**graph);
        QVERIFY(inputs);
        const json& storages = (*inputs)["storages"];
        QCOMPARE(storages[0]["high"].get<int>(), 6); // 7 columns, and 11 rows less 5
        QCOMPARE(storages[1]["high"].get<int>(), 2);
        QCOMPARE(storages[4]["low"].get<double>(), 0.0);
        QCOMPARE(storages[4]["high"].get<double>(), 1.0);
        QCOMPARE(storages[5]["high"].get<int>(), 4);
        test::ServiceRunner engine;
        const json reply = engine.execute(ir::printReadable(**graph).text, json::object());
        QVERIFY2(reply.is_object(), engine.lastError().c_str());
    }

    void lengthsAndMasksAddUp() {
        const auto graph = ir::readGraph(R"(class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[6, 2][2, 1]cpu", n: "i64[3][1]cpu", few: "f32[3][1]cpu", m: "b8[4, 3][3, 1]cpu", i: "i64[][]cpu"):
        size = torch.Size([6, 2]);  size = None
        sums: "f32[3, 2][2, 1]cpu" = torch.segment_reduce(x, 'sum', lengths = n);  n = None
        chosen: "f32[u0][1]cpu" = torch.masked_select(few, m);  few = m = None
        part: "f32[4, 2][2, 1]cpu" = torch.narrow(x, 0, i, 4);  x = i = None
        return (sums, chosen, part)
)");
        QVERIFY2(graph.has_value(), graph ? "" : graph.error().toString().c_str());
        const auto inputs = engine::inputsOfGraph(**graph);
        QVERIFY(inputs);
        const json& storages = (*inputs)["storages"];
        QCOMPARE(storages[1]["row"].get<int>(), 3);
        QCOMPARE(storages[1]["total"].get<int>(), 6);
        QCOMPARE(storages[3]["row"].get<int>(), 12);
        QCOMPARE(storages[3]["total"].get<int>(), 1); // of the three at most
        QCOMPARE(storages[4]["high"].get<int>(), 3);  // begins at 0, 1 or 2
        test::ServiceRunner engine;
        const json reply = engine.execute(ir::printReadable(**graph).text, {{"inputs", *inputs}});
        QVERIFY2(reply.is_object(), engine.lastError().c_str());
        QCOMPARE(reply["outputs"][1]["shape"], json({1}));
        const json& lengths = reply["post"]["storages"][1];
        QCOMPARE(lengths[0].get<int>() + lengths[1].get<int>() + lengths[2].get<int>(), 6);
    }

    void lazilyConjugatedInputsAreSo() {
        const std::string program = "class GraphModule(torch.nn.Module):\n"
                                    "    def forward(self, x: \"c64[2][1]cpu\"):\n"
                                    "        z = torch.resolve_conj(x)\n"
                                    "        y = torch.view_as_real(z)\n"
                                    "        return (y,)\n";
        json inputs{{"storages", {{{"dtype", "complex64"}, {"data", {{1, 2}, {3, -4}}}}}},
                    {"inputs",
                     {{{"storage", 0},
                       {"shape", {2}},
                       {"stride", {1}},
                       {"storage_offset", 0},
                       {"dtype", "complex64"},
                       {"conj", true}}}}};
        test::ServiceRunner engine;
        json reply = engine.execute(program, {{"inputs", inputs}});
        QVERIFY2(reply.is_object(), engine.lastError().c_str());
        QCOMPARE(reply["outputs"][0]["data"], json({1, -2, 3, 4}));
        inputs["storages"][0] = {{"dtype", "float32"}, {"data", {1, 2}}};
        inputs["inputs"][0]["dtype"] = "float32";
        QVERIFY(engine.execute(program, {{"inputs", inputs}}).is_null());
        QVERIFY(engine.lastError().find("is conjugated") != std::string::npos);
    }

    void capturesFromAGpuRunHere() {
        const auto session = capture::open(test::capture("trace_aot_eager/gpt2_train").toStdString());
        QVERIFY(session);
        const session::StagePtr stage = (*session)->compiles.front().findStage("dynamo_output_graph");
        const std::string here = stage->payload.text(), there = onCuda(here);
        QVERIFY(there.find("cuda:0") != std::string::npos && there.find("]cpu\"") == std::string::npos);
        test::ServiceRunner engine;
        const json first = engine.execute(here, json::object());
        const json second = engine.execute(there, json::object());
        QVERIFY2(second.is_object(), engine.lastError().c_str());
        // But for rounding: threads of a first run on a busy machine do not all compute with the same kernels of MKL.
        json a = first, b = second;
        for (json* reply : {&a, &b})
            for (json& output : (*reply)["outputs"])
                output.erase("data");
        QVERIFY2(a == b, json::diff(a, b).dump().substr(0, 2000).c_str());
        for (std::size_t i = 0; i < first["outputs"].size(); ++i) {
            const auto was = first["outputs"][i]["data"].get<std::vector<double>>();
            const auto is = second["outputs"][i]["data"].get<std::vector<double>>();
            QCOMPARE(is.size(), was.size());
            for (std::size_t k = 0; k < was.size(); ++k)
                QVERIFY2(std::abs(is[k] - was[k]) <= 1e-4 * std::max(1.0, std::abs(was[k])),
                         qPrintable(QStringLiteral("%1 and %2").arg(was[k]).arg(is[k])));
        }
        // What is shown keeps its device.
        const auto graph = ir::readGraph(there);
        QVERIFY(graph);
        QVERIFY(ir::printReadable(**graph).text.find("]cuda:0\"") != std::string::npos);
    }

    void dynamoAndAotGraphsAgree_data() {
        QTest::addColumn<QString>("path");
        for (const QString& log : test::traceLogs())
            QTest::newRow(qPrintable(log.section('/', -3))) << log;
    }

    void dynamoAndAotGraphsAgree() {
        QFETCH(QString, path);
        const auto session = capture::open(path.toStdString());
        QVERIFY(session);
        test::ServiceRunner engine;
        for (const session::Compile& compile : (*session)->compiles) {
            const session::StagePtr dynamo = compile.findStage("dynamo_output_graph");
            for (const char* name : {"aot_inference_graph", "aot_forward_graph"}) {
                const session::StagePtr aot = compile.findStage(name);
                if (!dynamo || !aot) continue;
                m_pairs += compare(engine, compile, **dynamo->graph(), **aot->graph());
                if (QTest::currentTestFailed()) return;
            }
        }
    }

    void enoughPairsWereCompared() { QVERIFY2(m_pairs >= 30, qPrintable(QString::number(m_pairs))); }

private:
    /// 1 if at least one output was compared.
    static int compare(test::ServiceRunner& engine, const session::Compile& compile, const ir::Graph& dynamo,
                       const ir::Graph& aot) {
        const auto run = [&](const ir::Graph& graph) {
            const auto inputs = engine::inputsOfCapture(compile, graph);
            if (!inputs) {
                QTest::qFail(inputs.error().message.c_str(), __FILE__, __LINE__);
                return json();
            }
            json reply = engine.execute(ir::printReadable(graph).text, {{"inputs", *inputs}});
            if (!reply.is_object()) QTest::qFail(engine.lastError().c_str(), __FILE__, __LINE__);
            return reply;
        };
        const json eager = run(dynamo), lowered = run(aot);
        if (!eager.is_object() || !lowered.is_object()) return 0;
        const std::vector<std::string> notes = test::resultNotes(aot);
        int compared = 0;
        for (std::size_t i = 0; i < notes.size() && i < lowered["outputs"].size(); ++i) {
            const auto position = test::indexAfter(notes[i], "PlainAOTOutput(idx=");
            if (!position) continue;
            const std::string found = difference(eager["outputs"].at(*position), lowered["outputs"][i]);
            if (!found.empty())
                QTest::qFail(
                    (compile.id.toString() + " output " + std::to_string(*position) + ": " + found).c_str(),
                    __FILE__, __LINE__);
            ++compared;
        }
        return compared > 0 ? 1 : 0;
    }

    int m_pairs = 0;
};

QTEST_GUILESS_MAIN(TestEngineInputs)
#include "tst_engine_inputs.moc"
