// SPDX-License-Identifier: BSD-3-Clause
//
// Functional collectives without other processes: ranks as threads held against what PyTorch's Gloo gave on as many
// processes (collectives.json, which generate/collectives.py makes), one rank alone, and ranks that do not fit.
#include "core/engine/collectives/lock_step.h"
#include "core/engine/exec/interpreter.h"
#include "core/engine/exec/program.h"
#include "core/engine/verify/gradients.h"
#include "core/ir/text.h"
#include "core/ranks/collectives.h"
#include "tests/engine/service_runner.h"

#include <ATen/ops/equal.h>
#include <ATen/ops/tensor.h>

#include <QtTest>
#include <cstring>
#include <fstream>

using namespace dynascope;
using nlohmann::json;

namespace {

at::Tensor tensorOf(const json& values, const json& shape) {
    return at::tensor(values.get<std::vector<float>>()).reshape(shape.get<std::vector<std::int64_t>>());
}

bool sameBits(const at::Tensor& a, const at::Tensor& b) {
    return a.sizes() == b.sizes() && a.scalar_type() == b.scalar_type() &&
           std::memcmp(a.contiguous().const_data_ptr(), b.contiguous().const_data_ptr(), a.nbytes()) == 0;
}

/// A graph of `x`, float32 of that shape; `lines` as print_readable() writes them, the last names `r`.
std::string graphOf(const std::string& shape, const std::vector<std::string>& lines) {
    std::string out =
        "class GraphModule(torch.nn.Module):\n    def forward(self, x: \"f32" + shape + "\"):\n";
    for (const std::string& line : lines)
        out += "        " + line + '\n';
    return out + "        return (r,)\n";
}

const std::string functional = "torch.ops._c10d_functional.";

json rankOf(const std::string& text, const std::string& name = "0/0 inference") {
    return {{"graphs", json::array({{{"name", name}, {"text", text}}})}};
}

json groupOf(std::vector<int> ranks) {
    return {{"name", "0"}, {"ranks", std::move(ranks)}};
}

json request(std::vector<json> ranks, json group) {
    return {{"ranks", std::move(ranks)},
            {"groups", json::array({std::move(group)})},
            {"iterations", 3},
            {"node_iterations", 2},
            {"output_elements", 1000}};
}

} // namespace

class TestEngineCollectives : public QObject {
    Q_OBJECT

    static const json& gloo() {
        static const json document = [] {
            std::ifstream file(DYNASCOPE_SOURCE_DIR "/tests/engine/collectives.json");
            return json::parse(file);
        }();
        return document;
    }

private slots:
    void asGloo_data() {
        QTest::addColumn<int>("index");
        const json& cases = gloo()["cases"];
        for (int i = 0; i < int(cases.size()); ++i)
            QTest::newRow((cases[i]["name"].get<std::string>() + ", " +
                           std::to_string(cases[i]["ranks"].size()) + " ranks")
                              .c_str())
                << i;
        QVERIFY(cases.size() > 25);
    }

    void asGloo() {
        QFETCH(int, index);
        const json& ranks = gloo()["cases"][std::size_t(index)]["ranks"];
        std::vector<engine::Program> programs;
        engine::GroupMembers world{"0", {}};
        for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
            const auto graph = ir::readGraph(ranks[rank]["text"].get<std::string>());
            QVERIFY2(graph, graph ? "" : graph.error().toString().c_str());
            programs.push_back(engine::compile(*graph));
            QVERIFY2(programs.back().unsupported.empty(),
                     programs.back().unsupported.empty() ? ""
                                                         : programs.back().unsupported[0].reason.c_str());
            world.ranks.push_back(rank);
        }
        std::vector<at::Tensor> outputs(ranks.size()), grads(ranks.size());
        std::vector<std::string> faults(ranks.size());
        engine::LockStep together(ranks.size(), {world}, {});
        together.run([&](std::size_t rank) {
            try {
                const at::Tensor input = tensorOf(ranks[rank]["input"], ranks[rank]["shape"]);
                const auto results = engine::run(programs[rank], {input}, {});
                if (!results) return void(faults[rank] = results.error().message);
                outputs[rank] = results->at(0).toTensor();
                if (!ranks[rank].contains("grad")) return;
                const at::Tensor leaf = input.clone().set_requires_grad(true);
                const auto again = engine::run(programs[rank], {leaf}, {});
                if (!again) return void(faults[rank] = again.error().message);
                grads[rank] = engine::gradients(*again, {leaf}).at(0);
            } catch (const std::exception& error) {
                faults[rank] = error.what();
            }
        });
        QVERIFY2(!together.failure(), together.failure() ? together.failure()->text.c_str() : "");
        QVERIFY(together.meetings() > 0);
        for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
            QVERIFY2(faults[rank].empty(), faults[rank].c_str());
            QVERIFY(sameBits(outputs[rank], tensorOf(ranks[rank]["output"], ranks[rank]["output_shape"])));
            if (ranks[rank].contains("grad"))
                QVERIFY(sameBits(grads[rank], tensorOf(ranks[rank]["grad"], ranks[rank]["shape"])));
        }
    }

    /// Recorded and replayed at planned addresses, each replay held against an eager run.
    void replayed() {
        const std::string text = graphOf(
            "[8, 4]", {"a = torch.ops.aten.sin.default(x)",
                       "b = " + functional + "all_to_all_single.default(a, [4, 4], [4, 4], '0')",
                       "c = " + functional + "wait_tensor.default(b)",
                       "d = torch.ops.aten.bernoulli.p(c, 0.5)", // random numbers of each rank's own
                       "e = " + functional + "all_reduce.default(d, 'sum', '0')",
                       "f = " + functional + "wait_tensor.default(e)", "r = torch.ops.aten.exp.default(f)"});
        const json reply = m_engine.call("ranks", request({rankOf(text), rankOf(text)}, groupOf({0, 1})));
        QVERIFY2(reply.is_object(), m_engine.lastError().c_str());
        QVERIFY(!reply.contains("failure"));
        for (const json& rank : reply["ranks"]) {
            QVERIFY2(!rank.contains("error"), rank.dump().c_str());
            QCOMPARE(rank["run"]["verified"].get<int>(), 3);
            QCOMPARE(rank["run"]["different"].get<int>(), 0);
            QCOMPARE(rank["recordings"].size(), 1U);
            QVERIFY(rank["run"]["graphs"][0]["nodes"].size() > 4);
        }
        // Both summed the same, and nobody else's.
        QCOMPARE(reply["ranks"][0]["outputs"], reply["ranks"][1]["outputs"]);
        QVERIFY(reply["meetings"].get<int>() >= 2 * (2 + 3 * 2 + 2));
    }

    /// A mesh of two by two: each rank sums in its row, then in its column.
    void groupsWithinTheWorld() {
        const auto text = [](const std::string& row, const std::string& column) {
            return graphOf("[2]",
                           {"a = torch.ops.aten.add.Tensor(x, 0)",
                            "b = " + functional + "all_reduce.default(a, 'sum', '" + row + "')",
                            "c = " + functional + "wait_tensor.default(b)",
                            "d = " + functional + "all_gather_into_tensor.default(c, 2, '" + column + "')",
                            "r = " + functional + "wait_tensor.default(d)"});
        };
        std::vector<json> ranks;
        for (int rank = 0; rank < 4; ++rank) {
            test::CaseBuilder inputs;
            inputs.tensor({2}, {rank, 10 * rank});
            json one = rankOf(text(rank < 2 ? "top" : "bottom", rank % 2 == 0 ? "left" : "right"));
            one["graphs"][0]["inputs"] = inputs.json();
            ranks.push_back(std::move(one));
        }
        json params = request(std::move(ranks), {{"name", "top"}, {"ranks", {0, 1}}});
        params["groups"].push_back({{"name", "bottom"}, {"ranks", {2, 3}}});
        params["groups"].push_back({{"name", "left"}, {"ranks", {0, 2}}});
        params["groups"].push_back({{"name", "right"}, {"ranks", {1, 3}}});
        const json reply = m_engine.call("ranks", params);
        QVERIFY2(reply.is_object(), m_engine.lastError().c_str());
        QVERIFY(!reply.contains("failure"));
        for (const json& rank : reply["ranks"])
            QCOMPARE(rank["outputs"][0][0]["data"], json::array({1.0, 10.0, 5.0, 50.0}));
    }

    /// The second graph of each rank reads what its first one gave.
    void wired() {
        const std::string first = graphOf("[4]", {"a = " + functional + "all_reduce.default(x, 'sum', '0')",
                                                  "r = " + functional + "wait_tensor.default(a)"});
        const std::string second = graphOf("[4]", {"r = torch.ops.aten.mul.Tensor(x, 2)"});
        json rank = rankOf(first, "0/0 forward");
        rank["graphs"].push_back({{"name", "0/0 backward"},
                                  {"text", second},
                                  {"wires", json::array({{{"input", 0}, {"graph", 0}, {"output", 0}}})}});
        const json reply = m_engine.call("ranks", request({rank, rank}, groupOf({0, 1})));
        QVERIFY2(reply.is_object(), m_engine.lastError().c_str());
        const json& outputs = reply["ranks"][1]["outputs"];
        for (std::size_t i = 0; i < 4; ++i)
            QCOMPARE(outputs[1][0]["data"][i].get<double>(), 2 * outputs[0][0]["data"][i].get<double>());
        json bad = rank;
        bad["graphs"][1]["wires"][0]["graph"] = 1;
        const json refused = m_engine.call("ranks", request({bad, bad}, groupOf({0, 1})));
        QCOMPARE(refused["ranks"][0]["error"]["message"].get<std::string>(),
                 std::string("a wire leads to no graph before this one"));
    }

    /// Who waits in what, at which node, and for whom.
    void aSkippedCollectiveHangs() {
        const std::string both = graphOf("[4]", {"a = " + functional + "all_reduce.default(x, 'sum', '0')",
                                                 "b = " + functional + "wait_tensor.default(a)",
                                                 "c = " + functional + "all_reduce.default(b, 'max', '0')",
                                                 "r = " + functional + "wait_tensor.default(c)"});
        const std::string one = graphOf("[4]", {"a = " + functional + "all_reduce.default(x, 'sum', '0')",
                                                "b = " + functional + "wait_tensor.default(a)",
                                                "r = torch.ops.aten.neg.default(b)"});
        const json reply =
            m_engine.call("ranks", request({rankOf(both), rankOf(one), rankOf(both)}, groupOf({0, 1, 2})));
        QVERIFY2(reply.is_object(), m_engine.lastError().c_str());
        // Rank 1 comes to the first collective of its second run, where the others are in the second of their first.
        const json& failure = reply["failure"];
        QCOMPARE(failure["kind"].get<std::string>(), std::string("mismatch"));
        QVERIFY2(failure["text"].get<std::string>().find("all_reduce max of group '0', Float[4]") !=
                     std::string::npos,
                 failure.dump().c_str());
        QCOMPARE(failure["waiting"].size(), 3U);
        QCOMPARE(failure["waiting"][0]["node"].get<std::string>(), std::string("c"));
        QCOMPARE(failure["waiting"][1]["node"].get<std::string>(), std::string("a"));
        QCOMPARE(failure["waiting"][2]["graph"].get<std::string>(), std::string("0/0 inference"));
    }

    void aRankThatDiesIsNamed() {
        const std::string good = graphOf("[4]", {"a = " + functional + "all_reduce.default(x, 'sum', '0')",
                                                 "r = " + functional + "wait_tensor.default(a)"});
        const std::string dies = graphOf("[4]", {"b = torch.ops.aten.view.default(x, [3])",
                                                 "a = " + functional + "all_reduce.default(b, 'sum', '0')",
                                                 "r = " + functional + "wait_tensor.default(a)"});
        const json reply = m_engine.call("ranks", request({rankOf(good), rankOf(dies)}, groupOf({0, 1})));
        QVERIFY2(reply.is_object(), m_engine.lastError().c_str());
        const json& failure = reply["failure"];
        QCOMPARE(failure["kind"].get<std::string>(), std::string("hang"));
        QCOMPARE(failure["waiting"].size(), 1U);
        QCOMPARE(failure["waiting"][0]["rank"].get<int>(), 0);
        QCOMPARE(failure["ended"], json::array({1}));
        QCOMPARE(failure["never"], json::array({1}));
        QCOMPARE(reply["ranks"][1]["error"]["node"].get<std::string>(), std::string("b"));
        QVERIFY(reply["ranks"][1]["error"]["message"].get<std::string>().find(
                    "invalid for input of size 4") != std::string::npos);
    }

    void whatDoesNotFit_data() {
        QTest::addColumn<QString>("other");
        QTest::addColumn<QString>("said");
        const auto call = [](const char* shape, const std::string& line) {
            return QString::fromStdString(
                graphOf(shape, {"a = " + functional + line, "r = " + functional + "wait_tensor.default(a)"}));
        };
        QTest::newRow("length") << call("[5]", "all_reduce.default(x, 'sum', '0')") << "Float[5]";
        QTest::newRow("reduction") << call("[4]", "all_reduce.default(x, 'max', '0')") << "all_reduce max";
        QTest::newRow("kind") << call("[4]", "all_gather_into_tensor.default(x, 2, '0')")
                              << "all_gather_into_tensor of";
        QTest::newRow("dtype") << QString::fromStdString(graphOf(
                                      "[4]",
                                      {"y = torch.ops.prims.convert_element_type.default(x, torch.float64)",
                                       "a = " + functional + "all_reduce.default(y, 'sum', '0')",
                                       "r = " + functional + "wait_tensor.default(a)"}))
                               << "Double[4]";
    }

    void whatDoesNotFit() {
        QFETCH(QString, other);
        QFETCH(QString, said);
        const std::string text = graphOf("[4]", {"a = " + functional + "all_reduce.default(x, 'sum', '0')",
                                                 "r = " + functional + "wait_tensor.default(a)"});
        const json reply =
            m_engine.call("ranks", request({rankOf(text), rankOf(other.toStdString())}, groupOf({0, 1})));
        QVERIFY2(reply.is_object(), m_engine.lastError().c_str());
        QCOMPARE(reply["failure"]["kind"].get<std::string>(), std::string("mismatch"));
        QVERIFY2(reply["failure"]["text"].get<std::string>().find(said.toStdString()) != std::string::npos,
                 reply["failure"].dump().c_str());
        // The engine goes on as before.
        QVERIFY(m_engine.execute(text, json::object()).is_object());
    }

    /// One rank alone: the others are taken to give what it gives.
    void alone() {
        const auto result = [&](const std::vector<std::string>& lines) -> std::vector<double> {
            test::CaseBuilder inputs;
            inputs.tensor({4, 1}, {1, 2, 3, 4});
            const json reply = m_engine.execute(graphOf("[4, 1]", lines), {{"inputs", inputs.json()}});
            if (!reply.is_object()) return {};
            return reply["outputs"][0]["data"].get<std::vector<double>>();
        };
        const auto call = [&](const std::string& line) {
            return result({"a = " + functional + line, "r = " + functional + "wait_tensor.default(a)"});
        };
        using Values = std::vector<double>;
        QCOMPARE(call("all_reduce.default(x, 'sum', 'pair')"),
                 (Values{2, 4, 6, 8}));                                       // 2: nothing says how many
        QCOMPARE(call("all_reduce(x, 'avg', 'pair')"), (Values{1, 2, 3, 4})); // as Dynamo writes it
        QCOMPARE(call("all_gather_into_tensor.default(x, 3, 'three')"),
                 (Values{1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4}));
        QCOMPARE(call("reduce_scatter_tensor.default(x, 'sum', 4, 'four')"), (Values{4}));
        QCOMPARE(call("all_to_all_single.default(x, [2, 2], [2, 2], 'two')"), (Values{1, 2, 1, 2}));
        QCOMPARE(call("broadcast.default(x, 1, 'two')"), (Values{1, 2, 3, 4}));
        QCOMPARE(call("all_reduce.default(x, 'sum', 'four')"),
                 (Values{4, 8, 12, 16})); // as a graph before said
        QVERIFY(call("isend.default(x, 1, 0, 'two')").empty());
        QVERIFY2(m_engine.lastError().find(
                     "only the graph of the other rank says what is sent or received") != std::string::npos,
                 m_engine.lastError().c_str());
    }

    /// Captures of other worlds name their groups alike; each graph runs in its own.
    void graphsOfOtherWorlds() {
        const auto text = [](const std::string& ranks) {
            return graphOf("[1]",
                           {"a = " + functional + "all_gather_into_tensor.default(x, " + ranks + ", 'w')",
                            "r = " + functional + "wait_tensor.default(a)"});
        };
        const std::string two = m_engine.load(text("2")), five = m_engine.load(text("5"));
        for (const auto& [graph, ranks] : {std::pair(two, 2), std::pair(five, 5), std::pair(two, 2)}) {
            const json reply = m_engine.call("execute", {{"graph", graph}});
            QVERIFY2(reply.is_object(), m_engine.lastError().c_str());
            QCOMPARE(int(reply["outputs"][0]["data"].size()), ranks);
        }
        const auto record = [&](const std::string& graph) {
            const json reply = m_engine.call("record", {{"graph", graph}});
            return reply.is_object() ? reply["plan"].get<std::string>() : std::string();
        };
        const std::string first = record(two), second = record(five);
        for (const std::string& plan : {first, second, first}) {
            const json reply = m_engine.call("replay", {{"plans", {plan}}, {"iterations", 2}, {"verify", 1}});
            QVERIFY2(reply.is_object(), m_engine.lastError().c_str());
            QCOMPARE(reply["run"]["verified"].get<int>(), 2);
            QCOMPARE(reply["run"]["different"].get<int>(), 0);
        }
    }

    void whatAloneTakesForGranted() {
        const auto text = [](const std::vector<std::string>& lines) {
            return ranks::aloneText(**ir::readGraph(graphOf("[4]", lines)));
        };
        QCOMPARE(text({"r = torch.ops.aten.sin.default(x)"}), std::string());
        QCOMPARE(
            text({"r = " + functional + "all_reduce.default(x, 'sum', '0')"}),
            std::string("every rank of group '0' (the graph does not say how many) is taken to give what "
                        "this one gives"));
        QCOMPARE(
            text({"a = " + functional + "all_reduce.default(x, 'sum', '0')",
                  "b = " + functional + "all_gather_into_tensor.default(a, 8, '0')",
                  "r = " + functional + "all_to_all_single.default(b, [1, 1, 30], [1, 1, 30], 'ep')"}),
            std::string(
                "every rank of group '0' (8 ranks), of group 'ep' (3 ranks) is taken to give what this one "
                "gives"));
    }

    /// Functionalized and traced as any other operator, with its gradient.
    void passes() {
        const std::string text = graphOf(
            "[8, 4]", {"y = torch.ops.aten.mul.Tensor(x, 2)",
                       "a = " + functional + "reduce_scatter_tensor.default(y, 'sum', 4, '0')",
                       "b = " + functional + "wait_tensor.default(a)", "c = torch.ops.aten.add_.Tensor(b, 1)",
                       "d = " + functional + "all_gather_into_tensor.default(c, 4, '0')",
                       "r = " + functional + "wait_tensor.default(d)"});
        json params{{"graph", m_engine.load(text)}, {"passes", {"functionalize"}}};
        const json reply = m_engine.call("pass", params);
        QVERIFY2(reply.is_object(), m_engine.lastError().c_str());
        const std::string out = reply["graph"].get<std::string>();
        QVERIFY2(out.find("all_gather_into_tensor.default](args = (%add, 4, 0)") != std::string::npos,
                 out.c_str());
        QVERIFY2(out.find("add_.Tensor") == std::string::npos, out.c_str());
        // The text has no quotes around the group's name.
        test::CaseBuilder inputs;
        inputs.tensor({8, 4}, std::vector<float>(32, 1));
        const json again = m_engine.execute(out, {{"inputs", inputs.json()}});
        QVERIFY2(again.is_object(), m_engine.lastError().c_str());
        QCOMPARE(again["outputs"][0]["data"][0].get<double>(), 9.0); // 4 ranks of 1 x 2, and 1
        const json verified =
            m_engine.call("verify", {{"graph", m_engine.load(text)}, {"passes", {"functionalize"}}});
        QVERIFY2(verified.is_object(), m_engine.lastError().c_str());
        QVERIFY2(verified["verdict"] == "equal", verified["verdict"].dump().c_str());
        QCOMPARE(verified["alone"].get<std::string>(),
                 std::string("every rank of group '0' (4 ranks) is taken to give what this one gives"));
        QCOMPARE(reply["notes"], json::array({verified["alone"]}));
    }

    void aLieIsAnError_data() {
        QTest::addColumn<QString>("shape");
        QTest::addColumn<QString>("call");
        QTest::addColumn<QString>("cause");
        QTest::newRow("no ranks") << "[4]"
                                  << "reduce_scatter_tensor.default(x, 'sum', 0, 'z')"
                                  << "a group of 0 ranks";
        QTest::newRow("negative") << "[4]"
                                  << "all_gather_into_tensor.default(x, -3, 'z')"
                                  << "a group of -3 ranks";
        QTest::newRow("many") << "[4]"
                              << "all_gather_into_tensor.default(x, 4611686018427387904, 'z')"
                              << "a group of 4611686018427387904 ranks";
        QTest::newRow("no rows") << "[]"
                                 << "reduce_scatter_tensor.default(x, 'sum', 2, '0')"
                                 << "has no rows";
        QTest::newRow("not divisible") << "[5]"
                                       << "reduce_scatter_tensor.default(x, 'sum', 2, '0')"
                                       << "5 rows cannot be dealt out to 2 ranks";
        QTest::newRow("splits") << "[4]"
                                << "all_to_all_single.default(x, [4, 4], [4, 4], '0')"
                                << "do not make up the 4 rows";
        QTest::newRow("negative split") << "[4]"
                                        << "all_to_all_single.default(x, [2, 2], [6, -2], '0')"
                                        << "negative size";
        QTest::newRow("large splits")
            << "[4]"
            << "all_to_all_single.default(x, [9223372036854775807, 9223372036854775807], [2, 2], '0')"
            << "do not make up";
        QTest::newRow("unlike splits") << "[4]"
                                       << "all_to_all_single.default(x, [1, 2, 3], [2, 2], '0')"
                                       << "2 splits are sent, and 3 received";
        QTest::newRow("reduction") << "[4]"
                                   << "all_reduce.default(x, 'nonsense', '0')"
                                   << "Unrecognized reduce_op";
        QTest::newRow("negative dimension") << "[4, 4]"
                                            << "!_dtensor.shard_dim_alltoall.default(x, 0, -1, '0')"
                                            << "dimension -1 of 2";
        QTest::newRow("root") << "[4]"
                              << "broadcast.default(x, 1000, '0')"
                              << "broadcast from rank 1000";
    }

    void aLieIsAnError() {
        QFETCH(QString, shape);
        QFETCH(QString, call);
        QFETCH(QString, cause);
        const json reply = m_engine.execute(
            graphOf(shape.toStdString(),
                    {"r = " + (call.startsWith('!') ? "torch.ops." + call.mid(1).toStdString()
                                                    : functional + call.toStdString())}),
            json::object());
        QVERIFY(reply.is_null());
        QVERIFY2(m_engine.lastError().find(cause.toStdString()) != std::string::npos,
                 m_engine.lastError().c_str());
    }

    void requestsThatLie() {
        const std::string text = graphOf("[4]", {"r = torch.ops.aten.sin.default(x)"});
        const auto said = [&](const json& params) {
            return m_engine.call("ranks", params).is_null() ? m_engine.lastError() : std::string();
        };
        QVERIFY(said(request({}, groupOf({}))).find("1 to 256 ranks") != std::string::npos);
        QVERIFY(said(request({rankOf(text)}, groupOf({0, 0}))).find("or one twice") != std::string::npos);
        QVERIFY(said(request({rankOf(text)}, groupOf({7}))).find("not there") != std::string::npos);
        QVERIFY(said(request({rankOf(text)}, groupOf({}))).find("has no ranks") != std::string::npos);
        QVERIFY(said(request({rankOf("nonsense")}, groupOf({0}))).find("rank 0, 0/0 inference: ") == 0);
    }

private:
    test::ServiceRunner m_engine;
};

QTEST_APPLESS_MAIN(TestEngineCollectives)
#include "tst_engine_collectives.moc"
