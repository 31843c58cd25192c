// SPDX-License-Identifier: BSD-3-Clause
//
// The engine's passes on captured graphs, symbolic sizes and number inputs among them, and the two questions
// of torchdynamo issue 185 on the captures of their programs.
#include "core/capture/open.h"
#include "core/engine/cases/graph_inputs.h"
#include "core/ir/text.h"
#include "tests/engine/service_runner.h"
#include "tests/support/captures.h"

#include <QtTest>

using namespace dynascope;
using nlohmann::json;

namespace {

struct PassChoice {
    const char* name;
    json options;
};
const std::vector<PassChoice> choices{
    {"functionalize", json::object()},
    {"functionalize", {{"write_back", "caller"}}},
    {"functionalize", {{"remove", "mutations_and_views"}}},
    {"decompose", json::object()},
    {"shapes", json::object()},
    {"dce", json::object()},
    {"cse", json::object()},
};

/// The shape of what .item() gives, and of what is made from it, is nowhere but in the values.
bool declines(const std::string& pass, const std::string& error) {
    return pass == "shapes" &&
           error.ends_with("_local_scalar_dense.default is not known: it depends on values");
}

session::SessionPtr opened(const char* name) {
    auto session = capture::open(test::capture(QString::fromUtf8(name)).toStdString());
    if (!session) qFatal("%s", session.error().toString().c_str());
    return *session;
}

/// A graph of a capture's first compile with inputs like the recorded ones.
struct Captured {
    Captured(const char* name, const char* stage, const engine::GraphInputOptions& options = {})
        : session(opened(name))
        , compile(session->compiles.front())
        , graph(**compile.findStage(stage)->graph())
        , inputs(engine::inputsOfCapture(compile, graph, options)) {}

    session::SessionPtr session;
    const session::Compile& compile;
    const ir::Graph& graph;
    Result<json> inputs;
};

const json& stepOf(const json& reply, const std::string& source) {
    for (const json& step : reply["steps"])
        if (step["source"] == source) return step;
    qFatal("no step of %s", source.c_str());
}

} // namespace

class TestEngineCapturePasses : public QObject {
    Q_OBJECT

private slots:
    void everyPassKeepsTheValues_data() {
        QTest::addColumn<QString>("path");
        for (const QString& log : test::traceLogs())
            QTest::newRow(qPrintable(log.section('/', -3))) << log;
    }

    void everyPassKeepsTheValues() {
        QFETCH(QString, path);
        const auto session = capture::open(path.toStdString());
        QVERIFY(session);
        test::ServiceRunner engine;
        for (const session::Compile& compile : (*session)->compiles) {
            for (const char* stage : {"dynamo_output_graph", "aot_inference_graph", "aot_forward_graph"}) {
                const session::StagePtr found = compile.findStage(stage);
                if (!found) continue;
                const ir::Graph& graph = **found->graph();
                const auto inputs = engine::inputsOfCapture(compile, graph);
                QVERIFY2(inputs, inputs ? "" : inputs.error().message.c_str());
                for (const PassChoice& choice : choices) {
                    json params = choice.options;
                    params["passes"] = {choice.name};
                    params["inputs"] = *inputs;
                    params["verify"] = true;
                    params["graph"] = engine.load(ir::printReadable(graph).text);
                    const json reply = engine.call("pass", params);
                    const std::string where = compile.id.toString() + ' ' + stage + ' ' + choice.name + ' ' +
                                              choice.options.dump() + ": ";
                    if (declines(choice.name, engine.lastError())) continue;
                    QVERIFY2(reply.is_object(), (where + engine.lastError()).c_str());
                    QVERIFY2(reply["verified"] == true, (where + reply["differences"].dump()).c_str());
                    ++m_runs;
                }
            }
        }
    }

    void enoughWereRun() {
        qInfo("%d runs of passes", m_runs);
        QVERIFY(m_runs > 200);
    }

    /// Symbolic sizes are numbers: the captured hints, or what the user gives.
    void sizesTakeTheUsersValues() {
        engine::GraphInputOptions options;
        options.symbols["s77"] = 5;
        const Captured captured("trace_aot_eager/dynamic_views", "dynamo_output_graph", options);
        QVERIFY(captured.inputs);
        const json reply = pass(captured.graph, *captured.inputs, {"functionalize", "shapes"});
        QCOMPARE(reply["verified"], json(true));
        // The number keeps its place among the inputs and is returned by its name.
        const auto made = ir::readGraph(reply["graph"].get<std::string>());
        QVERIFY(made);
        QCOMPARE((*made)->node(0).op, ir::Op::Placeholder);
        QCOMPARE((*made)->node(1).op, ir::Op::Placeholder);
        const auto& results = (*made)->nodes().back()->args.front().items;
        QCOMPARE(results.at(1).text, (*made)->node(0).name);
        // What reads it takes its value.
        QVERIFY(reply["graph"].get<std::string>().find("[5, 12]") != std::string::npos);
    }

    void normalizeIrLeavesNumbersAlone() {
        const Captured captured("trace_aot_eager/dynamic_views", "dynamo_output_graph");
        QVERIFY(captured.inputs);
        const json reply = pass(captured.graph, *captured.inputs, {"normalize_ir"});
        QCOMPARE(reply["verified"], json(true));
    }

    /// The same program under aliasing inputs, a number among them.
    void verificationTakesNumbers() {
        const Captured captured("trace_aot_eager/dynamic_mlp", "aot_forward_graph");
        QVERIFY(captured.inputs);
        test::ServiceRunner engine;
        const json reply =
            engine.call("verify", {{"graph", engine.load(ir::printReadable(captured.graph).text)},
                                   {"inputs", *captured.inputs},
                                   {"passes", {"functionalize", "dce", "cse"}},
                                   {"aliasing", true}});
        QVERIFY2(reply.is_object(), engine.lastError().c_str());
        QCOMPARE(reply["verdict"], json("equal"));
        QVERIFY(reply["variants"].size() > 1);
    }

    void transformsAreDeclinedByName() {
        const std::string text =
            "class GraphModule(torch.nn.Module):\n    def forward(self, L_x_: \"f32[2][1]cpu\"):\n"
            "        l_x_ = L_x_\n"
            "        up = torch._functorch.predispatch._vmap_increment_nesting(2, 'error');  up = None\n"
            "        return (l_x_,)\n";
        test::ServiceRunner engine;
        const std::string hash = engine.load(text);
        const json inputs = test::CaseBuilder().tensor({2}, {0, 1}).json();
        for (const char* name : {"functionalize", "decompose", "shapes", "normalize_ir"}) {
            QVERIFY(
                !engine.call("pass", {{"graph", hash}, {"inputs", inputs}, {"passes", {name}}}).is_object());
            QVERIFY2(engine.lastError().find("_vmap_increment_nesting' belongs to a transform") !=
                         std::string::npos,
                     engine.lastError().c_str());
        }
    }

    /// Issue 185, first question: relu(inplace=True) of an input. The old pass leaves it; functionalization
    /// writes the input back, as AOTAutograd's captured graph does.
    void inplaceReluOfAnInput() {
        const Captured captured("trace_aot_eager/relu_input_mutation", "dynamo_output_graph");
        QVERIFY(captured.inputs);
        const json legacy = pass(captured.graph, *captured.inputs, {"normalize_ir"});
        QCOMPARE(legacy["verified"], json(true));
        const json& relu = stepOf(legacy, "relu");
        QCOMPARE(relu["is_input_mutation"], json(true));
        QCOMPARE(relu["partial_mutation"], json(false));
        QCOMPARE(relu["mutates_alias_groups"], json({1}));
        QCOMPARE(relu["why"], json("writes into an input, so it stays"));

        const json reply = pass(captured.graph, *captured.inputs, {"functionalize", "dce"});
        QCOMPARE(reply["verified"], json(true));
        const json& back = reply["passes"][0]["write_back"];
        QCOMPARE(back.size(), 1U);
        QCOMPARE(back[0]["input"], json("l_x_"));
        QCOMPARE(back[0]["bytes"], json(80));
        verifyHasOperatorsOfAot(reply, captured.compile);
    }

    /// The second: `y = y + 3; y[:, 0] = x[:, 0]`. The old pass cannot replace setitem; functionalization
    /// scatters the column into the sum, and no input changes.
    void aWriteThroughAViewOfAnIntermediate() {
        const Captured captured("trace_aot_eager/view_mutation", "dynamo_output_graph");
        QVERIFY(captured.inputs);
        const json legacy = pass(captured.graph, *captured.inputs, {"normalize_ir"});
        QCOMPARE(legacy["verified"], json(true));
        const json& setitem = stepOf(legacy, "setitem");
        QCOMPARE(setitem["is_mutation"], json(true));
        QCOMPARE(setitem["is_input_mutation"], json(false));
        QCOMPARE(setitem["why"], json("writes, but gives no tensor, so it stays"));

        const json reply = pass(captured.graph, *captured.inputs, {"functionalize", "dce"});
        QCOMPARE(reply["verified"], json(true));
        QCOMPARE(reply["passes"][0]["write_back"].size(), 0U);
        verifyHasOperatorsOfAot(reply, captured.compile);
    }

private:
    /// Names of the operators, in order.
    static std::vector<std::string> targetsOf(const ir::Graph& graph) {
        std::vector<std::string> out;
        for (const ir::NodePtr& node : graph.nodes())
            if (node->op == ir::Op::CallFunction) out.push_back(node->target);
        return out;
    }

    /// The functionalized graph calls what AOTAutograd's captured one calls.
    static void verifyHasOperatorsOfAot(const json& reply, const session::Compile& compile) {
        QCOMPARE(targetsOf(*ir::readGraph(reply["graph"].get<std::string>()).value()),
                 targetsOf(**compile.findStage("aot_inference_graph")->graph()));
    }

    static json pass(const ir::Graph& graph, const json& inputs, const std::vector<std::string>& passes) {
        test::ServiceRunner engine;
        json reply = engine.call("pass", {{"graph", engine.load(ir::printReadable(graph).text)},
                                          {"inputs", inputs},
                                          {"passes", passes},
                                          {"scorecard", true},
                                          {"verify", true}});
        if (!reply.is_object()) qFatal("%s", engine.lastError().c_str());
        return reply;
    }

    int m_runs = 0;
};

QTEST_GUILESS_MAIN(TestEngineCapturePasses)
#include "tst_engine_capture_passes.moc"
