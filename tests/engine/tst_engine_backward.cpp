// SPDX-License-Identifier: BSD-3-Clause
//
// AOTAutograd's captured forward and backward graphs, run one after the other, against autograd of Dynamo's
// graph of the same compile.
#include "core/capture/open.h"
#include "core/engine/cases/graph_inputs.h"
#include "core/ir/text.h"
#include "tests/engine/aot_notes.h"
#include "tests/engine/service_runner.h"
#include "tests/support/captures.h"

#include <QtTest>
#include <cmath>
#include <map>

using namespace dynascope;
using nlohmann::json;

namespace {

const std::string tangentOf = "TangentAOTInput(output=PlainAOTOutput(idx=";
const std::string gradientOf = "GradAOTOutput(grad_of=PlainAOTInput(idx=";

const std::vector<ir::Argument>& results(const ir::Graph& graph) {
    return graph.nodes().back()->args.front().items;
}

/// Inputs of a case, one after the other.
class Inputs {
public:
    explicit Inputs(json start = {{"storages", json::array()}, {"inputs", json::array()}})
        : m_json(std::move(start)) {}

    /// A value as a reply describes it: at the same strides, in a storage of its own.
    void add(const json& described) {
        if (described.contains("scalar")) {
            m_json["inputs"].push_back(described["scalar"]);
            return;
        }
        const auto shape = described["shape"].get<std::vector<std::int64_t>>();
        const auto stride = described["stride"].get<std::vector<std::int64_t>>();
        std::int64_t extent = 1;
        for (std::size_t i = 0; i < shape.size(); ++i)
            extent += (shape[i] - 1) * stride[i];
        json data(std::vector<json>(static_cast<std::size_t>(described["data"].empty() ? 0 : extent), 0));
        if (described["dtype"] == "bool") data = std::vector<json>(data.size(), false);
        std::vector<std::int64_t> at(shape.size(), 0);
        for (const json& element : described["data"]) {
            std::int64_t cell = 0;
            for (std::size_t i = 0; i < shape.size(); ++i)
                cell += at[i] * stride[i];
            data[static_cast<std::size_t>(cell)] = element;
            for (std::size_t i = shape.size(); i-- > 0 && ++at[i] == shape[i];)
                at[i] = 0;
        }
        m_json["inputs"].push_back({{"name", "x"},
                                    {"storage", m_json["storages"].size()},
                                    {"shape", shape},
                                    {"stride", stride},
                                    {"storage_offset", 0},
                                    {"dtype", described["dtype"]}});
        m_json["storages"].push_back({{"dtype", described["dtype"]}, {"data", std::move(data)}});
    }

    [[nodiscard]] const json& get() const { return m_json; }

private:
    json m_json;
};

/// Values that differ from element to element, for a gradient to show any mistake.
json tangentLike(const json& output, double weight) {
    json out = output;
    for (std::size_t i = 0; i < out["data"].size(); ++i)
        out["data"][i] = weight * (std::sin(static_cast<double>(i) * 0.7) + 0.25);
    return out;
}

/// What pack hooks lose where they save in a smaller dtype.
double toleranceOf(const std::string& savedDtype) {
    if (savedDtype.starts_with("float8")) return 0.1;
    return savedDtype == "bfloat16" ? 0.02 : 1e-4;
}

/// Empty where they agree.
std::string difference(const json& expected, const json& actual, double tolerance) {
    if (expected["shape"] != actual["shape"] || expected["dtype"] != actual["dtype"])
        return "shapes or dtypes differ";
    double scale = 1e-3;
    for (const json& x : expected["data"])
        scale = std::max(scale, std::fabs(x.get<double>()));
    for (std::size_t i = 0; i < expected["data"].size(); ++i) {
        const double x = expected["data"][i].get<double>(), y = actual["data"][i].get<double>();
        if (!(std::fabs(x - y) <= tolerance * scale))
            return "element " + std::to_string(i) + ": " + std::to_string(x) + " and " + std::to_string(y);
    }
    return {};
}

/// The graph with each of its results `outputs[k]` times a further input as its results.
std::string timesTangents(const ir::Graph& graph, const std::vector<std::size_t>& outputs) {
    ir::GraphBuilder builder;
    builder.setName(graph.name()).setStyle(graph.style());
    for (const std::string& name : graph.subgraphOrder())
        builder.addSubgraph(name, graph.subgraphs().find(name)->second);
    for (std::size_t i = 0; i + 1 < graph.size(); ++i)
        builder.add(graph.nodes()[i]);
    std::vector<ir::Argument> products;
    for (std::size_t k = 0; k < outputs.size(); ++k) {
        ir::Node tangent;
        tangent.op = ir::Op::Placeholder;
        tangent.name = tangent.target = "given_tangent_" + std::to_string(k);
        ir::Node product;
        product.op = ir::Op::CallFunction;
        product.name = "product_" + std::to_string(k);
        product.target = "torch.mul";
        product.args = {results(graph).at(outputs[k]), ir::Argument::node(tangent.name)};
        builder.add(std::move(tangent));
        products.push_back(ir::Argument::node(product.name));
        builder.add(std::move(product));
    }
    ir::Node output = *graph.nodes().back();
    output.comment.clear();
    output.args = {ir::Argument::tuple(std::move(products))};
    builder.add(std::move(output));
    return ir::printReadable(*builder.build()).text;
}

} // namespace

class TestEngineBackward : public QObject {
    Q_OBJECT

private slots:
    void gradientsAgree_data() {
        QTest::addColumn<QString>("path");
        for (const QString& log : test::traceLogs())
            QTest::newRow(qPrintable(log.section('/', -3))) << log;
    }

    void gradientsAgree() {
        QFETCH(QString, path);
        const auto session = capture::open(path.toStdString());
        QVERIFY(session);
        for (const session::Compile& compile : (*session)->compiles) {
            const session::StagePtr dynamo = compile.findStage("dynamo_output_graph"),
                                    forward = compile.findStage("aot_forward_graph"),
                                    backward = compile.findStage("aot_backward_graph");
            if (!dynamo || !forward || !backward) continue;
            compare(compile, **dynamo->graph(), **forward->graph(), **backward->graph());
            if (QTest::currentTestFailed()) return;
        }
    }

    void enoughWereCompared() {
        qInfo("%d backward graphs, %d gradients", m_graphs, m_gradients);
        QVERIFY(m_graphs >= 6);
        QVERIFY(m_gradients >= 80);
    }

private:
    void compare(const session::Compile& compile, const ir::Graph& dynamo, const ir::Graph& forward,
                 const ir::Graph& backward) {
        test::ServiceRunner engine;
        const auto run = [&](const std::string& text, const json& inputs, bool grad) {
            json reply = engine.execute(text, {{"inputs", inputs}, {"grad", grad}});
            if (!reply.is_object()) QTest::qFail(engine.lastError().c_str(), __FILE__, __LINE__);
            return reply;
        };
        const auto forwardInputs = engine::inputsOfCapture(compile, forward);
        QVERIFY(forwardInputs);
        const json after = run(ir::printReadable(forward).text, *forwardInputs, false);
        if (!after.is_object()) return;

        std::map<std::string, json> saved;
        std::map<std::size_t, json> plain; // by their position among Dynamo's results
        const std::vector<std::string> notes = test::resultNotes(forward);
        for (std::size_t i = 0; i < results(forward).size(); ++i) {
            saved.emplace(results(forward)[i].text, after["outputs"].at(i));
            if (const auto at = test::indexAfter(notes.at(i), "PlainAOTOutput(idx="))
                plain[*at] = after["outputs"][i];
        }
        Inputs backwardInputs;
        std::vector<std::size_t> differentiated;
        std::vector<json> tangents;
        double tolerance = toleranceOf({});
        for (const ir::NodePtr& node : backward.nodes()) {
            if (node->op != ir::Op::Placeholder) continue;
            if (const auto at = test::indexAfter(node->comment, tangentOf)) {
                QVERIFY(plain.contains(*at));
                differentiated.push_back(*at);
                tangents.push_back(tangentLike(plain[*at], 1));
                // The engine weighs the results 1, 2, ... in the loss that it differentiates.
                backwardInputs.add(tangentLike(plain[*at], static_cast<double>(differentiated.size())));
            } else {
                QVERIFY2(saved.contains(node->name), node->name.c_str());
                backwardInputs.add(saved[node->name]);
                tolerance = std::max(tolerance, toleranceOf(saved[node->name].value("dtype", std::string())));
            }
        }
        const json lowered = run(ir::printReadable(backward).text, backwardInputs.get(), false);

        engine::GraphInputOptions options;
        options.requiresGrad = true;
        const auto dynamoInputs = engine::inputsOfCapture(compile, dynamo, options);
        QVERIFY(dynamoInputs);
        Inputs eagerInputs(*dynamoInputs);
        for (const json& tangent : tangents)
            eagerInputs.add(tangent);
        const json eager = run(timesTangents(dynamo, differentiated), eagerInputs.get(), true);
        if (!lowered.is_object() || !eager.is_object()) return;
        compareGradients(*dynamoInputs, eager, backward, lowered, tolerance);
    }

    void compareGradients(const json& inputs, const json& eager, const ir::Graph& backward,
                          const json& lowered, double tolerance) {
        std::map<std::size_t, json> expected; // by input
        std::size_t leaf = 0;
        for (std::size_t i = 0; i < inputs["inputs"].size(); ++i) {
            const json& input = inputs["inputs"][i];
            if (input.is_object() && input.value("requires_grad", false))
                expected[i] = eager["grads"].at(leaf++);
        }
        const std::vector<std::string> notes = test::resultNotes(backward);
        for (std::size_t i = 0; i < notes.size(); ++i) {
            const auto input = test::indexAfter(notes[i], gradientOf);
            if (!input) continue;
            QVERIFY2(expected.contains(*input), notes[i].c_str());
            const std::string found = difference(expected[*input], lowered["outputs"].at(i), tolerance);
            QVERIFY2(found.empty(), (notes[i] + ": " + found).c_str());
            ++m_gradients;
        }
        ++m_graphs;
    }

    int m_graphs = 0, m_gradients = 0;
};

QTEST_GUILESS_MAIN(TestEngineBackward)
#include "tst_engine_backward.moc"
