// SPDX-License-Identifier: BSD-3-Clause
//
// The engine's passes through the protocol: scorecard, write-back in both conventions, normalize_ir.
#include "core/computed/functional_recording.h"
#include "core/computed/pass_steps.h"
#include "core/engine/cases/compare.h"
#include "core/engine/client/client.h"
#include "core/engine/wire/verify.h"
#include "core/ir/text.h"
#include "core/passes/known_passes.h"
#include "tests/support/archive.h"
#include "tests/support/programs.h"

#include <QTest>
#include <map>
#include <set>

using namespace dynascope;
using nlohmann::json;

class TestEnginePasses : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        m_cases = test::oracleCases();
        QVERIFY(m_engine.start().has_value());
    }

    void passesAreListed() {
        const auto reply = m_engine.call("passes");
        QVERIFY(reply.has_value());
        // What programs list that have not asked an engine is what it says itself.
        const std::vector<passes::KnownPass> known = passes::knownPasses();
        const json& list = (*reply)["passes"];
        QCOMPARE(list.size(), known.size());
        for (std::size_t i = 0; i < known.size(); ++i) {
            QCOMPARE(list[i]["name"].get<std::string>(), std::string(known[i].name));
            QCOMPARE(list[i]["description"].get<std::string>(), std::string(known[i].description));
            QCOMPARE(list[i]["origin"].get<std::string>(), std::string("builtin"));
        }
    }

    /// Of each op why it stayed or what it became, and who shares its memory.
    void normalizeIrSaysWhyWritesStay() {
        wire::PassRequest request;
        request.passes = {"normalize_ir"};
        request.scorecard = true;
        request.on.inputs = json{{"storages", {{{"dtype", "float32"}, {"size", 6}, {"seed", 0}}}},
                                 {"inputs",
                                  {{{"storage", 0},
                                    {"shape", {2, 3}},
                                    {"stride", {3, 1}},
                                    {"storage_offset", 0},
                                    {"dtype", "float32"}}}}};
        const std::string text =
            "graph():\n"
            "    %x : [num_users=2] = placeholder[target=x]\n"
            "    %h : [num_users=3] = call_function[target=torch.exp](args = (%x,), kwargs = {})\n"
            "    %row : [num_users=1] = call_function[target=torch.ops.aten.select.int](args = "
            "(%h, 0, 0), kwargs = {})\n"
            "    %iadd : [num_users=1] = call_function[target=operator.iadd](args = (%h, 1), "
            "kwargs = {})\n"
            "    %add_ : [num_users=0] = call_function[target=torch.ops.aten.add_.Tensor](args "
            "= (%row, 2), kwargs = {})\n"
            "    %imul : [num_users=0] = call_function[target=operator.imul](args = (%x, 3), "
            "kwargs = {})\n"
            "    return (iadd,)\n";
        const auto reply = m_engine.pass(text, request);
        QVERIFY2(reply.has_value(), reply ? "" : reply.error().message.c_str());
        const auto source = ir::readGraph(text), result = ir::readGraph(reply->graph);
        QVERIFY(source && result);
        const computed::PassSteps steps = computed::passSteps(*reply, **source, **result);
        QStringList said;
        for (const computed::PassStepRow& row : steps.rows)
            said << QString::fromStdString(row.source + ": " + std::string(stepWord(row.what)) +
                                           (row.writeStays ? " and writes" : "") + ": " + row.why + ": " +
                                           row.memory);
        const QStringList expected{
            "x: stays: writes nothing: lies in storage 1, an input's, where imul lies too",
            "h: stays: writes nothing: lies in storage 2, where row, iadd and add_ lie too",
            "row: stays: writes nothing: lies in storage 2, where h, iadd and add_ lie too",
            "iadd: made: makes a new value; readers of what it wrote read that: writes into storage 2, where "
            "h, row "
            "and add_ lie too",
            "add_: stays and writes: writes, and aten.add_.Tensor is not among the writes that the pass "
            "knows, so it "
            "stays: writes into storage 2, where h, row and iadd lie too",
            "imul: stays and writes: writes into an input, so it stays: writes into storage 1, an input's, "
            "where x "
            "lies too",
            "output: stays: writes nothing: "};
        for (qsizetype i = 0; i < std::min(said.size(), expected.size()); ++i)
            QCOMPARE(said[i], expected[i]);
        QCOMPARE(said.size(), expected.size());
        QCOMPARE(computed::summaryOf(steps),
                 std::string("normalize_ir: 7 ops, 1 made into others; 2 writes stay"));
        QCOMPARE(steps.rows.back().end, (*result)->size());
    }

    /// c = b[:, 0] is stale when it is written: it is rebuilt, written, carried back and rebuilt.
    void aWriteThroughAStaleViewGoesThroughFourPhases() {
        const json reply = functionalize("hand_sibling_views_cross_write", {{"cells", true}});
        const json& step = stepOf(reply, "mul_");
        std::string phases;
        for (const json& phase : step["phases"])
            phases += phase["phase"].get<std::string>() + ' ';
        QCOMPARE(phases, std::string("sync emit commit sync "));
        QCOMPARE(step["phases"][0]["nodes"].dump(), std::string(R"(["select_3"])"));
        QCOMPARE(step["phases"][1]["nodes"].dump(), std::string(R"(["mul_1"])"));
        QCOMPARE(step["phases"][2]["from"].get<int>(), 1);
        QCOMPARE(step["phases"][2]["to"].get<int>(), 2);
        QCOMPARE(step["phases"][3]["nodes"].dump(), std::string(R"(["select_scatter_1","select_4"])"));

        const json& update = step["updates"][0];
        QCOMPARE(update["value"].get<std::string>(), std::string("mul_1"));
        QCOMPARE(update["views"].dump(), std::string(R"x(["select(dim 1, index 0)"])x"));
        QCOMPARE(update["inverse"][0]["text"].get<std::string>(),
                 std::string("select_scatter(select_scatter, mul_1, 1, 0)"));

        const json& row = step["scorecard"][0];
        QCOMPARE(row["value"].get<std::string>(), std::string("select_1"));
        QCOMPARE(row["storage"].get<int>(), 1);
        QCOMPARE(row["base"].get<std::string>(), std::string("select_scatter_1"));
        QCOMPARE(row["current"].get<std::string>(), std::string("select_4"));
        QCOMPARE(row["generation"].get<int>(), 2);
        QCOMPARE(row["stale"].get<bool>(), false);
        QCOMPARE(row["regenerated"].get<bool>(), true);
        QCOMPARE(row["shape"].dump(), std::string("[3]"));
        QCOMPARE(row["stride"].dump(), std::string("[3]"));
        QCOMPARE(row["cells"].dump(), std::string("[0,3,6]"));
        const json& storage = step["storages"][0];
        for (std::size_t i = 0; i < 3; ++i)
            QCOMPARE(storage["values"][row["cells"][i].get<std::size_t>()].dump(), row["values"][i].dump());
    }

    void aWriteToABaseIsCommittedWithoutANode() {
        const json reply = functionalize("hand_sibling_views_cross_write", {});
        QCOMPARE(reply["steps"][0]["source"].get<std::string>(), std::string("x_1"));
        QCOMPARE(reply["steps"][0]["emitted"].size(), 1U);
        // Without cells no values are recorded.
        QVERIFY(!stepOf(reply, "mul_")["storages"][0].contains("values"));
    }

    /// The graph so far is a prefix, step by step, and ends as the whole.
    void stepsEndWhereTheNextBegins() {
        const json reply = functionalize("hand_sibling_views_cross_write", {});
        int end = 0;
        for (const json& step : reply["steps"]) {
            QVERIFY(step["end"].get<int>() >= end);
            end = step["end"].get<int>();
        }
        QCOMPARE(end, reply["nodes_after"].get<int>() - 1); // the output comes last
    }

    void bothConventionsWriteBack_data() {
        QTest::addColumn<QString>("name");
        for (const char* name :
             {"hand_input_mutation_seen_after", "hand_t_inplace_square_input", "hand_metadata_and_data_input",
              "hand_set_input_to_other", "hand_alias_both_mutated", "hand_dupe_mutate_both",
              "hand_alias_two_groups_order", "hand_unsqueeze_inplace_input", "rand_0002", "rand_0017"})
            if (m_cases.contains(name)) QTest::newRow(name) << name;
    }
    void bothConventionsWriteBack() {
        QFETCH(QString, name);
        for (const bool faithful : {false}) {
            for (const char* convention : {"graph", "caller"}) {
                const json reply =
                    functionalize(name.toStdString(),
                                  {{"write_back", convention}, {"faithful", faithful}, {"verify", true}});
                QVERIFY2(reply["verified"] == true, reply["differences"].dump().c_str());
                for (const json& back : reply["passes"][0]["write_back"]) {
                    QVERIFY(!back["how"].empty());
                    QVERIFY(back["nodes"].empty() == (std::string(convention) == "caller"));
                }
            }
        }
    }

    void aChangedInputSaysItsBytes() {
        const json reply = functionalize("hand_dupe_mutate_first", {});
        const json& back = reply["passes"][0]["write_back"][0];
        QCOMPARE(back["input"].get<std::string>(), std::string("a_1"));
        QVERIFY(back["bytes"].get<int>() > 0);
        QCOMPARE(back["how"].dump(), std::string(R"(["copy_"])"));
    }

    /// The writes of an input become their functional forms and what writes the input back.
    void provenanceLeadsToTheWriteBack() {
        const json reply = functionalize("hand_dupe_mutate_first", {});
        const json& back = reply["passes"][0]["write_back"][0];
        const std::string node = back["nodes"][0].get<std::string>();
        std::set<std::string> from;
        for (const json& pair : reply["passes"][0]["provenance"])
            if (pair[1] == node) from.insert(pair[0].get<std::string>());
        const json storage = stepOf(reply, back["input"].get<std::string>())["scorecard"][0]["storage"];
        std::set<std::string> expected{"output"};
        for (const json& step : reply["steps"])
            for (const json& update : step["updates"])
                if (update["storage"] == storage) expected.insert(step["source"].get<std::string>());
        QVERIFY(expected.size() > 1);
        QVERIFY(from == expected);
        const json& changed = reply["steps"].back()["changed"];
        QCOMPARE(changed.size(), expected.size() - 1);
        QCOMPARE(changed[0]["after"].get<std::string>(), node);
        QCOMPARE(changed[0]["why"].get<std::string>(), "its value is written back into " +
                                                           back["input"].get<std::string>() +
                                                           ", in whose memory b_1 lies too");
        // Nothing of the sort where the caller writes.
        QVERIFY(functionalize("hand_dupe_mutate_first", {{"write_back", "caller"}})["steps"]
                    .back()["changed"]
                    .empty());
    }

    void setAndResizeAreNamed() {
        const json set = functionalize("hand_set_input_to_other", {{"verify", true}});
        QVERIFY(set["passes"][0]["write_back"].dump().find("set_") != std::string::npos);
        QVERIFY(set["graph"].get<std::string>().find("aten.set_.source_Tensor") != std::string::npos);
    }

    void passesFollowOneAnother() {
        const json reply =
            pass("hand_sibling_views_cross_write", {"functionalize", "cse", "dce"}, {{"verify", true}});
        QCOMPARE(reply["verified"].dump(), std::string("true"));
        QCOMPARE(reply["passes"].size(), 3U);
        QVERIFY(reply["nodes_after"].get<int>() < reply["passes"][0]["nodes_after"].get<int>());
    }

    /// As in AOTAutograd's graphs, what is written is an input that is written back; where it cannot be one the write would
    /// stay in the graph, and the pass is declined.
    void writtenAttributesAreInputs() {
        const auto text = [](const std::string& write, const std::string& again = {}) {
            return "class g(torch.nn.Module):\n"
                   "    def forward(self, x: \"f32[2][1]cpu\"):\n"
                   "        c: \"f32[2][1]cpu\" = self.buf\n" +
                   again + "        d: \"f32[2][1]cpu\" = torch.ops.aten." + write +
                   "\n        e: \"f32[2][1]cpu\" = torch.ops.aten.add.Tensor(x, c)\n"
                   "        return (e, d)\n";
        };
        const json inputs{{"storages", {{{"dtype", "float32"}, {"size", 2}, {"seed", 0}}}},
                          {"inputs",
                           {{{"storage", 0},
                             {"shape", {2}},
                             {"stride", {1}},
                             {"storage_offset", 0},
                             {"dtype", "float32"}}}}};
        const auto ran = [&](const std::string& graph) {
            wire::PassRequest request;
            request.passes = {"functionalize"};
            request.verify = true;
            request.on.inputs = inputs;
            return m_engine.pass(graph, request);
        };
        const auto read = ran(text("add.Tensor(c, x)"));
        QVERIFY2(read, read ? "" : read.error().message.c_str());
        QVERIFY(read->notes.empty() && read->graph.find("get_attr") != std::string::npos);
        for (const char* write : {"add_.Tensor(c, 1)", "add_.Tensor(c, x)"}) {
            const auto reply = ran(text(write));
            QVERIFY2(reply, reply ? "" : reply.error().message.c_str());
            QVERIFY2(reply->verified == true, reply->graph.c_str());
            QVERIFY2(reply->graph.find("%c : [num_users=2] = placeholder[target=c]") != std::string::npos &&
                         reply->graph.find("copy_.default](args = (%c, %add)") != std::string::npos &&
                         reply->graph.find("add_.Tensor") == std::string::npos,
                     reply->graph.c_str());
            QCOMPARE(reply->notes,
                     std::vector<std::string>{"'buf', which the graph holds as an attribute and writes, "
                                              "is an input here, as in AOTAutograd's graphs"});
        }
        wire::VerifyRequest verify;
        verify.passes = {"functionalize"};
        verify.on.inputs = inputs;
        const auto verified = m_engine.verify(text("add_.Tensor(c, x)"), verify);
        QVERIFY2(verified, verified ? "" : verified.error().message.c_str());
        QVERIFY2(verified->verdict == wire::VerifyVerdict::Equal, verified->reason.c_str());
        const auto twice = ran(text("add_.Tensor(c, x)", "        b: \"f32[2][1]cpu\" = self.buf\n"));
        QVERIFY(!twice);
        QCOMPARE(
            twice.error().message,
            std::string(
                "the graph writes its attribute 'buf' in place, which AOTAutograd makes an input of before "
                "it functionalizes; here it cannot be one: 2 nodes of the graph read it"));
        // Inputs are given by order.
        wire::PassRequest request;
        request.passes = {"functionalize"};
        request.on.inputs = inputs;
        const auto early = m_engine.pass("class g(torch.nn.Module):\n"
                                         "    def forward(self, x: \"f32[2][1]cpu\"):\n"
                                         "        c: \"f32[2][1]cpu\" = self.buf\n"
                                         "        d: \"f32[2][1]cpu\" = torch.ops.aten.add_.Tensor(c, x)\n"
                                         "        return (d,)\n",
                                         request);
        QVERIFY2(early, early ? "" : early.error().message.c_str());
    }

    /// All attributes have the values that an eager run has, whichever of them are inputs.
    void liftedAttributesKeepTheirValues() {
        const std::string text = "class g(torch.nn.Module):\n"
                                 "    def forward(self):\n"
                                 "        g: \"f32[2][1]cpu\" = self.grad\n"
                                 "        c: \"f32[2][1]cpu\" = self.buf\n"
                                 "        d: \"f32[2][1]cpu\" = torch.ops.aten.add_.Tensor(c, g)\n"
                                 "        return (d,)\n";
        wire::ExecuteRequest eager;
        eager.on.inputs = json{{"storages", json::array()}, {"inputs", json::array()}};
        const auto ran = m_engine.execute(text, eager);
        QVERIFY2(ran, ran ? "" : ran.error().message.c_str());
        wire::PassRequest request;
        request.passes = {"functionalize"};
        request.scorecard = true;
        request.options.cells = true;
        request.on.inputs = eager.on.inputs;
        const auto stepped = m_engine.pass(text, request);
        QVERIFY2(stepped, stepped ? "" : stepped.error().message.c_str());
        const auto source = ir::readGraph(text);
        QVERIFY(source);
        const computed::FunctionalRecording recording(computed::functionalRun(*stepped, *source));
        const computed::Scoreboard board = recording.scoreboard(recording.opOf("d"), 99);
        const auto storage = std::ranges::find(board.storages, "c", &computed::StorageState::origin);
        QVERIFY(storage != board.storages.end());
        const json expected = wire::encode(*ran)["outputs"][0]["data"];
        QCOMPARE(expected.size(), storage->cells.size());
        for (std::size_t i = 0; i < expected.size(); ++i)
            QCOMPARE(float(storage->cells[i].value), expected[i].get<float>());
    }

    /// Of the many storages of an optimizer's step, those that an op touches are on its scoreboard.
    void theStorageThatIsWrittenIsShown() {
        constexpr int inputs = 60;
        std::string text = "graph():\n", writes;
        json storages = json::array(), tensors = json::array();
        for (int i = 0; i < inputs; ++i) {
            const std::string name = "x" + std::to_string(i);
            text += "    %" + name + " : [num_users=1] = placeholder[target=" + name + "]\n";
            // The last input first, while all before it wait for theirs.
            writes = "    %add_" + std::to_string(i) +
                     " : [num_users=0] = call_function[target=torch.ops.aten.add_.Tensor](args = (%" + name +
                     ", 1), kwargs = {})\n" + writes;
            storages.push_back({{"dtype", "float32"}, {"size", 2}, {"seed", i}});
            tensors.push_back({{"storage", i},
                               {"shape", {2}},
                               {"stride", {1}},
                               {"storage_offset", 0},
                               {"dtype", "float32"}});
        }
        text += writes + "    return ()\n";
        wire::PassRequest request;
        request.passes = {"functionalize"};
        request.scorecard = true;
        request.on.inputs = json{{"storages", storages}, {"inputs", tensors}};
        auto reply = m_engine.pass(text, request);
        QVERIFY2(reply, reply ? "" : reply.error().message.c_str());
        const auto source = ir::readGraph(text);
        QVERIFY(source);
        const computed::FunctionalRecording recording(computed::functionalRun(std::move(*reply), *source));
        for (const int i : {0, 30, inputs - 1}) {
            const int op = recording.opOf("add_" + std::to_string(i));
            QVERIFY(op >= 0);
            const std::string written = "x" + std::to_string(i);
            for (std::size_t phase = 0; phase < recording.phases(op).size(); ++phase) {
                const computed::Scoreboard board = recording.scoreboard(op, int(phase));
                QVERIFY2(std::ranges::any_of(board.storages,
                                             [&](const computed::StorageState& storage) {
                                                 return storage.origin == written;
                                             }),
                         written.c_str());
            }
        }
    }

    void compositesAreDecomposed() {
        const std::string text = "graph():\n    %x : [num_users=2] = placeholder[target=x]\n"
                                 "    %linear : [num_users=1] = "
                                 "call_function[target=torch.ops.aten.linear.default](args = (%x, %x), "
                                 "kwargs = {})\n"
                                 "    %relu : [num_users=1] = "
                                 "call_function[target=torch.ops.aten.relu.default](args = (%linear,), "
                                 "kwargs = {})\n    return (relu,)";
        const json reply = run(text, {"decompose"}, {{"verify", true}}, {{2, 2}});
        QCOMPARE(reply["verified"].dump(), std::string("true"));
        const auto graph = reply["graph"].get<std::string>();
        QVERIFY2(graph.find("aten.linear") == std::string::npos && graph.find("aten.mm") != std::string::npos,
                 graph.c_str());
        QVERIFY(reply["steps"][1]["why"].get<std::string>().starts_with("is composed of "));
        QCOMPARE(reply["steps"][2]["changed"][0]["after"].get<std::string>(), std::string("relu"));
    }

    /// Functionalization has no kernels for composite operators, which autograd takes apart before it: their writes
    /// were lost once a graph was run without autograd.
    void compositeWritesAreFunctionalized_data() {
        QTest::addColumn<QString>("write");
        QTest::addColumn<QString>("form");
        QTest::addColumn<bool>("draws");
        const auto row = [](const char* name, const char* write, const char* form, bool draws = false) {
            QTest::newRow(name) << QString(write) << QString(form) << draws;
        };
        row("square_", "torch.ops.aten.square_.default](args = (%y,)", "aten.pow.Tensor_Scalar");
        row("clip_", "torch.ops.aten.clip_.default](args = (%y, 0, 1)", "aten.clamp.default");
        row("relu6", "torch.nn.functional.relu6](args = (%y, True)", "aten.hardtanh.default");
        row("fill_diagonal_", "torch.ops.aten.fill_diagonal_.default](args = (%y, 2.0)",
            "aten.as_strided_scatter");
        row("multiply_", "torch.ops.aten.multiply_.Scalar](args = (%y, 3)", "aten.mul.Scalar");
        row("dropout in place", "torch.nn.functional.dropout](args = (%y, 0.25, True, True)",
            "aten.bernoulli.p", true);
        row("alpha_dropout in place", "torch.nn.functional.alpha_dropout](args = (%y, 0.25, True, True)",
            "aten.bernoulli.p", true);
        row("dropout2d in place", "torch.nn.functional.dropout2d](args = (%y, 0.25, True, True)",
            "aten.bernoulli.p", true);
        row("bernoulli_", "torch.ops.aten.bernoulli_.float](args = (%y, 0.3)", "aten.bernoulli.p", true);
    }

    void compositeWritesAreFunctionalized() {
        QFETCH(QString, write);
        QFETCH(QString, form);
        QFETCH(bool, draws);
        const std::string text =
            "graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
            "    %y : [num_users=2] = call_function[target=torch.ops.aten.add.Tensor](args = (%x, 1), "
            "kwargs = {})\n    %w : [num_users=0] = call_function[target=" +
            write.toStdString() + ", kwargs = {})\n    return (y,)";
        const json reply = run(text, {"functionalize"}, {{"verify", true}}, {{4, 4}});
        QCOMPARE(reply["verified"].dump(), std::string("true"));
        QCOMPARE(reply.value("warnings", json::array()).dump(), std::string("[]"));
        const auto graph = reply["graph"].get<std::string>();
        QVERIFY2(graph.find(form.toStdString()) != std::string::npos, graph.c_str());
        QVERIFY2(draws || graph.find("return (add,)") == std::string::npos, graph.c_str());
        const auto read = ir::readGraph(graph);
        QVERIFY(read);
        for (const ir::NodePtr& node : (*read)->nodes())
            QVERIFY2(ir::opKind(*node) != ir::OpKind::Write, node->target.c_str());
    }

    /// A dropout that writes nothing given makes its noise in place.
    void dropoutLeavesNoWrites() {
        const std::string text = "graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
                                 "    %d : [num_users=1] = call_function[target=torch.nn.functional.dropout]"
                                 "(args = (%x, 0.25, True, False), kwargs = {})\n    return (d,)";
        const json reply = run(text, {"functionalize"}, {{"verify", true}}, {{4, 4}});
        QCOMPARE(reply["verified"].dump(), std::string("true"));
        const auto graph = reply["graph"].get<std::string>();
        QVERIFY2(graph.find("bernoulli.p") != std::string::npos &&
                     graph.find("div.Scalar") != std::string::npos,
                 graph.c_str());
    }

    void shapesComeFromMetaKernelsThenRules() {
        const std::string text =
            "graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
            "    %t : [num_users=1] = call_function[target=torch.ops.aten.t.default](args = (%x,), kwargs = "
            "{})\n"
            "    %relu : [num_users=1] = call_function[target=torch.ops.aten.relu.default](args = (%t,), "
            "kwargs = {})\n    return (relu,)";
        const json reply = run(text, {"shapes"}, {}, {{2, 3}});
        QCOMPARE(reply["steps"][1]["why"].get<std::string>(), std::string("by the C++ Meta kernel"));
        QVERIFY(reply["steps"][2]["changed"].size() == 1);
        const std::string nonzero =
            "graph():\n    %x : [num_users=1] = placeholder[target=x]\n    %n : [num_users=1] = "
            "call_function[target=torch.ops.aten.nonzero.default](args = (%x,), kwargs = {})\n    return "
            "(n,)";
        const json counted = run(nonzero, {"shapes"}, {}, {{2, 3}});
        QCOMPARE(counted["steps"][1]["why"].get<std::string>(), std::string("as the example inputs give it"));
    }

    /// item() gives a number, and what is made from it a shape, by the example inputs' values: not by zeros.
    void shapesThatDependOnValues() {
        const std::string text =
            "graph():\n    %x : [num_users=3] = placeholder[target=x]\n"
            "    %most : [num_users=1] = call_function[target=torch.ops.aten.argmax.default](args = (%x,), "
            "kwargs "
            "= {})\n"
            "    %item : [num_users=1] = call_method[target=item](args = (%most,), kwargs = {})\n"
            "    %zeros : [num_users=1] = call_function[target=torch.ops.aten.zeros.default](args = ([%item, "
            "2],), "
            "kwargs = {})\n"
            "    %big : [num_users=1] = call_function[target=torch.ops.aten.gt.Scalar](args = (%x, 0), "
            "kwargs = "
            "{})\n"
            "    %kept : [num_users=1] = call_function[target=torch.ops.aten.masked_select.default](args = "
            "(%x, "
            "%big), kwargs = {})\n    return (zeros, kept)";
        const json reply = run(text, {"shapes"}, {{"shapes", true}}, {{2, 3}}); // -2 -1 0 1 2 -2
        const json wanted{{"x", "f32[2, 3][3, 1]cpu"},
                          {"most", "i64[][]cpu"},
                          {"zeros", "f32[4, 2][2, 1]cpu"},
                          {"big", "b8[2, 3][3, 1]cpu"},
                          {"kept", "f32[2][1]cpu"}};
        QCOMPARE(reply["meta"].dump(), wanted.dump());
        QCOMPARE(reply["steps"][2]["why"].get<std::string>(), std::string("as the example inputs give it"));
    }

    /// A result says the shapes of its nodes where they are asked for.
    void resultsHaveShapes() {
        const std::string text = "graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
                                 "    %t : [num_users=2] = "
                                 "call_function[target=torch.ops.aten.t.default](args = (%x,), kwargs = {})\n"
                                 "    %add_ : [num_users=0] = "
                                 "call_function[target=torch.ops.aten.add_.Tensor](args = (%t, 1), kwargs = "
                                 "{})\n    return (t,)";
        QVERIFY(!run(text, {"functionalize"}, {}, {{2, 3}}).contains("meta"));
        const json meta = run(text, {"functionalize"}, {{"shapes", true}}, {{2, 3}})["meta"];
        QCOMPARE(meta["x"].get<std::string>(), std::string("f32[2, 3][3, 1]cpu"));
        QCOMPARE(meta["add"].get<std::string>(), std::string("f32[3, 2][1, 3]cpu"));
    }

    void wrongOptionsAreRefused() {
        const json c = json::parse(m_cases.at("rand_0002"));
        for (const json& wrong : {json{{"remove", "everything"}}, json{{"write_back", "nobody"}}}) {
            json params{{"passes", {"functionalize"}}, {"inputs", c["inputs"]}};
            params.update(wrong);
            QVERIFY(!m_engine.callOnGraph("pass", c["before"].get<std::string>(), params));
        }
    }

private:
    /// Inputs of these shapes, each its own storage.
    static json inputsOf(const std::vector<std::pair<int, int>>& shapes) {
        json out{{"storages", json::array()}, {"inputs", json::array()}};
        for (const auto& [rows, columns] : shapes) {
            json data = json::array();
            for (int i = 0; i < rows * columns; ++i)
                data.push_back(i % 5 - 2);
            out["inputs"].push_back({{"name", "x"},
                                     {"storage", out["storages"].size()},
                                     {"shape", {rows, columns}},
                                     {"stride", {columns, 1}},
                                     {"storage_offset", 0},
                                     {"dtype", "float32"},
                                     {"via", "set"}});
            out["storages"].push_back({{"dtype", "float32"}, {"data", std::move(data)}});
        }
        return out;
    }

    json run(const std::string& text, const std::vector<std::string>& passes, json params,
             const std::vector<std::pair<int, int>>& shapes) {
        params["passes"] = passes;
        params["inputs"] = inputsOf(shapes);
        params["scorecard"] = true;
        const auto reply = m_engine.callOnGraph("pass", text, std::move(params));
        if (!reply) qFatal("%s", reply.error().message.c_str());
        return *reply;
    }

    json functionalize(const std::string& name, json params) {
        return pass(name, {"functionalize"}, std::move(params));
    }

    json pass(const std::string& name, const std::vector<std::string>& passes, json params) {
        const json c = json::parse(m_cases.at(name));
        params["passes"] = passes;
        params["inputs"] = c["inputs"];
        params["attrs"] = c["before_attrs"];
        params["scorecard"] = true;
        const auto reply = m_engine.callOnGraph("pass", c["before"].get<std::string>(), std::move(params));
        if (!reply) qFatal("%s: %s", name.c_str(), reply.error().message.c_str());
        return *reply;
    }

    static const json& stepOf(const json& reply, const std::string& source) {
        for (const json& step : reply["steps"])
            if (step["source"] == source) return step;
        qFatal("no step of %s", source.c_str());
    }

    engine::Client m_engine{{test::engineProgram()}};
    std::map<std::string, std::string> m_cases;
};

QTEST_GUILESS_MAIN(TestEnginePasses)
#include "tst_engine_passes.moc"
