// SPDX-License-Identifier: BSD-3-Clause
//
// The real engine over its protocol: what it runs, refuses and reports, and how it dies.
#include "core/base/sanitizers.h"
#include "core/engine/cases/input_form.h"
#include "core/engine/client/client.h"
#include "core/engine/wire/execute.h"
#include "core/ir/text.h"
#include "tests/support/programs.h"

#include <QTest>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <future>
#include <sys/types.h>

using namespace dynascope;
using engine::CallError;
using engine::Client;
using nlohmann::json;
using namespace std::chrono_literals;

namespace {

/// One float32 input of these values.
json vectorInput(std::vector<double> values) {
    const std::size_t count = values.size();
    return {{"storages", {{{"dtype", "float32"}, {"data", std::move(values)}}}},
            {"inputs",
             {{{"name", "x"},
               {"storage", 0},
               {"shape", {count}},
               {"stride", {1}},
               {"storage_offset", 0},
               {"dtype", "float32"},
               {"via", "set"}}}}};
}

std::string graphOf(const std::string& call) {
    return "graph():\n    %x : [num_users=1] = placeholder[target=x]\n    %y : [num_users=1] = "
           "call_function[target=" +
           call + "\n    return (y,)";
}

/// `pairs` times "view, then add one in place", which functionalization has to carry back to the base each
/// time.
std::string chain(int pairs) {
    std::string text = "graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
                       "    %c : [num_users=1] = call_function[target=torch.ops.aten.clone.default](args = "
                       "(%x,), kwargs = {})\n";
    for (int i = 0; i < pairs; ++i) {
        const std::string n = std::to_string(i);
        text += "    %v" + n +
                " : [num_users=1] = call_function[target=torch.ops.aten.view.default](args = (%c, [-1]), "
                "kwargs = {})\n"
                "    %a" +
                n + " : [num_users=0] = call_function[target=torch.ops.aten.add_.Tensor](args = (%v" + n +
                ", 1), kwargs = {})\n";
    }
    return text + "    return (c,)";
}

} // namespace

class TestEngineProcess : public QObject {
    Q_OBJECT
private slots:
    /// A constant without shape, the plainest program of torch.func.functionalize, run on a form.
    void formOfABareGraph() {
        const std::string text =
            "graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
            "    %_tensor_constant0 : [num_users=1] = get_attr[target=_tensor_constant0]\n"
            "    %lift : [num_users=1] = call_function[target=torch.ops.aten.lift_fresh_copy.default](args = "
            "(%_tensor_constant0,), kwargs = {})\n"
            "    %add_ : [num_users=1] = call_function[target=torch.ops.aten.add_.Tensor](args = (%lift, "
            "%x), kwargs = {})\n"
            "    return add_";
        const auto graph = ir::readGraph(text);
        QVERIFY(graph);
        std::vector<engine::InputRow> rows = engine::inputForm(**graph, nullptr);
        QCOMPARE(rows.size(), 2U);
        QVERIFY(!rows[0].constant && rows[1].constant);
        QCOMPARE(engine::lackOf(rows[0]), std::string("has no dtype"));
        QCOMPARE(engine::formValues(rows).error().message, std::string("input 'x' has no dtype"));
        rows[0].dtype = rows[1].dtype = "float32";
        QCOMPARE(engine::lackOf(rows[0]), std::string("has no shape"));
        rows[0].shape = rows[1].shape = "2";
        rows[0].values = "1 2";
        rows[1].values = "10, 20";
        QVERIFY(engine::readForms(engine::formsText({{1, 2, rows}})) ==
                std::vector<engine::SavedForm>({{1, 2, rows}}));
        const auto form = engine::formValues(rows);
        QVERIFY2(form, form ? "" : form.error().message.c_str());
        const auto run =
            m_engine.callOnGraph("execute", text, {{"inputs", form->inputs}, {"attrs", form->attributes}});
        QVERIFY2(run, run ? "" : run.error().message.c_str());
        QCOMPARE((*run)["outputs"][0]["data"].dump(), std::string("[11.0,22.0]"));
        const auto pass = m_engine.callOnGraph("pass", text,
                                               {{"passes", {"functionalize"}},
                                                {"verify", true},
                                                {"inputs", form->inputs},
                                                {"attrs", form->attributes}});
        QVERIFY2(pass, pass ? "" : pass.error().message.c_str());
        QCOMPARE((*pass)["verified"].dump(), std::string("true"));
        // A seed in the place of values, the same at every run.
        rows[1].values = "seed 3";
        const auto seeded = engine::formValues(rows);
        QVERIFY(seeded);
        const auto one = m_engine.callOnGraph("execute", text,
                                              {{"inputs", seeded->inputs}, {"attrs", seeded->attributes}});
        const auto two = m_engine.callOnGraph("execute", text,
                                              {{"inputs", seeded->inputs}, {"attrs", seeded->attributes}});
        QVERIFY2(one && two, one ? "" : one.error().message.c_str());
        QCOMPARE((*one)["outputs"].dump(), (*two)["outputs"].dump());
        QVERIFY((*one)["outputs"] != (*run)["outputs"]);
    }

    /// Strides, offsets and memory that inputs share; values lie where the strides say.
    void formWithSharedMemory() {
        engine::InputRow a{false, "a", "float32", "[2, 2]", "[1, 2]", "m", "", "1 2 3 4"},
            b{false, "b", "float32", "3", "", "m", "3", ""}, n{false, "n", "int", "", "", "", "", "4"};
        const auto form = engine::formValues({a, b, n});
        QVERIFY2(form, form ? "" : form.error().message.c_str());
        QCOMPARE(form->inputs["storages"].dump(),
                 std::string(R"([{"data":[1,3,2,4,0,0],"dtype":"float32"}])"));
        QCOMPARE(form->inputs["inputs"][1]["storage_offset"].dump(), std::string("3"));
        QCOMPARE(form->inputs["inputs"][2].dump(), std::string("4"));
    }

    void formsThatDoNotFit_data() {
        QTest::addColumn<QString>("column");
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("why");
        QTest::newRow("dtype") << "dtype"
                               << "real"
                               << "input 'b' has the unknown dtype 'real'";
        QTest::newRow("no shape") << "shape"
                                  << " "
                                  << "input 'b' has no shape";
        QTest::newRow("symbol") << "shape"
                                << "[s0, 2]"
                                << "input 'b' has the shape '[s0, 2]', which is not made of numbers";
        QTest::newRow("negative") << "shape"
                                  << "-1"
                                  << "input 'b' has the shape '-1', which is not made of numbers";
        QTest::newRow("large") << "shape"
                               << "100000, 100000"
                               << "input 'b' is very large";
        QTest::newRow("strides") << "stride"
                                 << "1 2 3"
                                 << "input 'b' has more or fewer strides than sizes";
        QTest::newRow("far") << "stride"
                             << "100000000 100000000"
                             << "input 'b' is very large";
        QTest::newRow("count") << "values"
                               << "1 2 3"
                               << "input 'b' has 3 values for 4 elements";
        QTest::newRow("word") << "values"
                              << "one"
                              << "input 'b' has the value 'one', which is no number";
        QTest::newRow("no integer") << "values"
                                    << "1.5"
                                    << "input 'b' has the value '1.5', which is no integer";
        QTest::newRow("two values") << "values"
                                    << "9"
                                    << "input 'b' gives an element of memory two values";
        QTest::newRow("two dtypes") << "dtype"
                                    << "float32"
                                    << "input 'b' shares memory 'm' of dtype int64";
    }
    void formsThatDoNotFit() {
        QFETCH(QString, column);
        QFETCH(QString, text);
        engine::InputRow a{false, "a", "int64", "4", "", "m", "", "1 2 3 4"},
            b{false, "b", "int64", "2, 2", "", "m", "", ""};
        (column == "dtype"    ? b.dtype
         : column == "shape"  ? b.shape
         : column == "stride" ? b.stride
                              : b.values) = text.toStdString();
        const auto form = engine::formValues({a, b});
        QVERIFY(!form);
        QTEST(QString::fromStdString(form.error().message), "why");
    }

    void handshake() {
        const auto info = m_engine.start();
        QVERIFY2(info.has_value(), info ? "" : info.error().message.c_str());
        QCOMPARE(info->engine, std::string(DYNASCOPE_VERSION));
        QVERIFY(!info->torch.empty());
        QCOMPARE(info->devices, std::vector<std::string>{"cpu"});
    }

    void runsAnOperator() {
        const auto result = m_engine.callOnGraph(
            "execute", graphOf("torch.ops.aten.mul_.Tensor](args = (%x, 2), kwargs = {})"),
            {{"inputs", vectorInput({1, -2, 3})}});
        QVERIFY2(result.has_value(), result ? "" : result.error().message.c_str());
        QCOMPARE((*result)["outputs"][0]["data"].dump(), std::string("[2.0,-4.0,6.0]"));
        QCOMPARE((*result)["outputs"][0]["is_input"].dump(), std::string("0"));
        QCOMPARE((*result)["post"]["storages"][0].dump(), std::string("[2.0,-4.0,6.0]"));
    }

    void seededInputsComeFromTheTextsOwnShapes() {
        const std::string text =
            "class GraphModule(torch.nn.Module):\n"
            "    def forward(self, x: \"f32[2, 3][3, 1]cpu\"):\n"
            "        relu: \"f32[2, 3][3, 1]cpu\" = torch.ops.aten.relu.default(x);  x = None\n"
            "        return (relu,)\n";
        const auto first = m_engine.callOnGraph("execute", text);
        QVERIFY2(first.has_value(), first ? "" : first.error().message.c_str());
        QCOMPARE((*first)["outputs"][0]["shape"].dump(), std::string("[2,3]"));
        QCOMPARE(*first == *m_engine.callOnGraph("execute", text), true);
    }

    void refusals_data() {
        QTest::addColumn<QString>("call");
        QTest::addColumn<QString>("reason");
        QTest::newRow("file")
            << "torch.ops.aten.from_file.default](args = ('/tmp/never', True, 4), kwargs = {})"
            << "reaches outside the graph";
        QTest::newRow("terminal") << "torch.ops.aten._print.default](args = ('x',), kwargs = {})"
                                  << "reaches outside the graph";
        QTest::newRow("collective") << "torch.ops.c10d.barrier.default](args = (%x,), kwargs = {})"
                                    << "talks to other processes";
        QTest::newRow("Python") << "os.system](args = ('true',), kwargs = {})"
                                << "reaches outside the graph";
        QTest::newRow("unknown") << "torch.ops.aten.no_such_thing.default](args = (%x,), kwargs = {})"
                                 << "operators that Python defines cannot be run here";
        QTest::newRow("missing argument") << "torch.ops.aten.mul.Tensor](args = (%x,), kwargs = {})"
                                          << "argument 'other' is missing";
        QTest::newRow("too many") << "torch.ops.aten.relu.default](args = (%x, 1, 2), kwargs = {})"
                                  << "takes 1 arguments, not 3";
        QTest::newRow("unknown keyword") << "torch.ops.aten.relu.default](args = (%x,), kwargs = {speed: 3})"
                                         << "an argument that its schema does not know";
    }
    void refusals() {
        QFETCH(QString, call);
        QFETCH(QString, reason);
        const std::string text = graphOf(call.toStdString());
        const auto coverage = m_engine.callOnGraph("coverage", text);
        QVERIFY2(coverage.has_value(), coverage ? "" : coverage.error().message.c_str());
        QCOMPARE((*coverage)["unsupported"].size(), 1U);
        QVERIFY2(QString::fromStdString((*coverage)["unsupported"][0]["reason"]).contains(reason),
                 (*coverage).dump().c_str());
        const auto run = m_engine.callOnGraph("execute", text, {{"inputs", vectorInput({1})}});
        QVERIFY(!run);
        QVERIFY(QString::fromStdString(run.error().message).contains(reason));
    }

    void anErrorNamesItsNode() {
        const auto result = m_engine.callOnGraph(
            "execute", graphOf("torch.ops.aten.view.default](args = (%x, [2, 2]), kwargs = {})"),
            {{"inputs", vectorInput({1, 2, 3})}});
        QVERIFY(!result);
        QCOMPARE(result.error().data["node"].get<std::string>(), std::string("y"));
        QCOMPARE(result.error().message, std::string("shape '[2, 2]' is invalid for input of size 3"));
    }

    void badInputsAreErrors_data() {
        QTest::addColumn<QString>("pointer");
        QTest::addColumn<QString>("value");
        QTest::newRow("past the storage") << "/inputs/0/shape/0"
                                          << "4";
        QTest::newRow("negative offset") << "/inputs/0/storage_offset"
                                         << "-1";
        QTest::newRow("overflow") << "/inputs/0/stride/0"
                                  << "9223372036854775807";
        QTest::newRow("negative size") << "/inputs/0/shape/0"
                                       << "-5";
        QTest::newRow("lengths") << "/inputs/0/stride"
                                 << "[1, 1]";
        QTest::newRow("no such storage") << "/inputs/0/storage"
                                         << "1";
        QTest::newRow("later duplicate") << "/inputs/0/same_as"
                                         << "0";
        QTest::newRow("dtype") << "/inputs/0/dtype"
                               << "\"float33\"";
        QTest::newRow("word") << "/storages/0/data/0"
                              << "\"many\"";
        QTest::newRow("type") << "/inputs"
                              << "7";
    }
    void badInputsAreErrors() {
        QFETCH(QString, pointer);
        QFETCH(QString, value);
        json inputs = vectorInput({1, 2, 3});
        inputs[json::json_pointer(pointer.toStdString())] = json::parse(value.toStdString());
        const auto result = m_engine.callOnGraph(
            "execute", graphOf("torch.ops.aten.relu.default](args = (%x,), kwargs = {})"),
            {{"inputs", inputs}});
        QVERIFY(!result);
        QCOMPARE(result.error().kind, CallError::Kind::Refused);
    }

    void functionalizeShowsItsSteps() {
        const auto reply = m_engine.callOnGraph("pass", chain(1),
                                                {{"passes", {"functionalize"}},
                                                 {"inputs", vectorInput({1, 2})},
                                                 {"scorecard", true},
                                                 {"verify", true}});
        QVERIFY2(reply.has_value(), reply ? "" : reply.error().message.c_str());
        QCOMPARE((*reply)["verified"].dump(), std::string("true"));
        const json& write = (*reply)["steps"][3]; // after the input, the product and the view
        QCOMPARE(write["source"].get<std::string>(), std::string("a0"));
        QCOMPARE(write["emitted"].dump(),
                 std::string(R"([{"node":"add","why":"operator"},{"node":"view_1","why":"inverse"},)"
                             R"({"node":"view_2","why":"regeneration"}])"));
        const json& view = write["scorecard"][0];
        QCOMPARE(view["value"].get<std::string>(), std::string("v0"));
        QCOMPARE(view["views"].dump(), std::string("[\"view(size [-1])\"]"));
        QCOMPARE(view["base"].get<std::string>(), std::string("view_1"));
        QCOMPARE(view["stale"].get<bool>(), false);
        QCOMPARE(view["storage_generation"].get<int>(), 1);
    }

    void theFormIsPyTorchsWhereItDoesWhatEagerDoes_data() {
        QTest::addColumn<QString>("nodes");
        QTest::addColumn<QString>("method");
        QTest::addColumn<QString>("makes"); // a target of the result
        const QString call =
            "    %%1 : [num_users=1] = call_function[target=torch.ops.aten.%2](args = (%3), kwargs = {%4})\n";
        QTest::newRow("every element in one window")
            << call.arg("w", "unfold.default", "%c, 0, 2, 2", "") + call.arg("f", "mul_.Tensor", "%w, 2", "")
            << "pytorch"
            << "unfold_backward";
        QTest::newRow("elements left out")
            << call.arg("w", "unfold.default", "%c, 0, 1, 3", "") + call.arg("f", "mul_.Tensor", "%w, 2", "")
            << "cells"
            << "mul.Tensor";
        QTest::newRow("composite kernel") << call.arg("z", "zeros_like.default", "%c", "") +
                                                 call.arg("f", "softmax.int_out", "%c, 0", "out: %z")
                                          << "pytorch"
                                          << "_softmax.default";
        QTest::newRow("real conjugate") << call.arg("f", "conj_physical_.default", "%c", "") << "pytorch"
                                        << "clone.default";
        QTest::newRow("kernel that asks for modes")
            << call.arg("q", "view.default", "%c, [2, 2, 2]", "") +
                   call.arg("z", "zeros.default", "[2, 2],", "dtype: torch.complex64") +
                   call.arg("f", "linalg_eigvals.out", "%q,", "out: %z")
            << "pytorch"
            << "linalg_eig.default";
        QTest::newRow("random") << call.arg("f", "bernoulli_.float", "%c, 0.5", "") << "pytorch"
                                << "bernoulli.p";
    }
    void theFormIsPyTorchsWhereItDoesWhatEagerDoes() {
        QFETCH(QString, nodes);
        QFETCH(QString, method);
        QFETCH(QString, makes);
        const std::string text =
            ("graph():\n    %a : [num_users=1] = placeholder[target=a]\n"
             "    %c : [num_users=2] = call_function[target=torch.ops.aten.clone.default](args = (%a,), "
             "kwargs = {})\n" +
             nodes + "    return (f, c)")
                .toStdString();
        const auto reply = m_engine.callOnGraph("pass", text,
                                                {{"passes", {"functionalize"}},
                                                 {"inputs", vectorInput({1, 2, 3, 4, 5, 6, 7, 8})},
                                                 {"verify", true}});
        QVERIFY2(reply.has_value(), reply ? "" : reply.error().message.c_str());
        QCOMPARE((*reply)["verified"].dump(), std::string("true"));
        QCOMPARE(QString::fromStdString((*reply)["passes"][0]["method"].get<std::string>()), method);
        QCOMPARE((*reply)["warnings"].empty(), method == "pytorch");
        const auto graph = QString::fromStdString((*reply)["graph"].get<std::string>());
        QVERIFY2(graph.contains("aten." + makes), qPrintable(graph));
        QVERIFY2(!graph.contains("conj_physical") && !graph.contains("aten.softmax"), qPrintable(graph));
    }

    void aliasedInputsAreRightUnlessPyTorchsGraphIsAskedFor() {
        const std::string text =
            "graph():\n    %a : [num_users=1] = placeholder[target=a]\n    %b : [num_users=1] = "
            "placeholder[target=b]\n"
            "    %add_ : [num_users=0] = call_function[target=torch.ops.aten.add_.Tensor](args = (%a, 1), "
            "kwargs = {})\n"
            "    %neg : [num_users=1] = call_function[target=torch.ops.aten.neg.default](args = (%b,), "
            "kwargs = {})\n"
            "    return (neg,)";
        json inputs = vectorInput({1, 2});
        inputs["inputs"].push_back(inputs["inputs"][0]);
        json params{{"passes", {"functionalize"}}, {"inputs", inputs}, {"verify", true}};
        const std::string cause =
            "inputs 'a' and 'b' share memory, and PyTorch's functionalization takes them for independent";
        const auto right = m_engine.callOnGraph("pass", text, params);
        QVERIFY2(right.has_value(), right ? "" : right.error().message.c_str());
        QCOMPARE((*right)["verified"].dump(), std::string("true"));
        QCOMPARE((*right)["passes"][0]["method"].get<std::string>(), std::string("cells"));
        const json why{
            "made over cells instead: " + cause,
            "made over cells instead: run beside eager, PyTorch's form differs: output #0: cell [0] "
            "is -1.0 instead of -2.0"};
        QCOMPARE((*right)["warnings"].dump(), why.dump());
        const json& back = (*right)["passes"][0]["write_back"][0];
        QCOMPARE(back["input"].get<std::string>(), std::string("a"));
        QCOMPARE(back["shared_with"].dump(), std::string(R"(["b"])"));

        params["faithful"] = true;
        const auto reply = m_engine.callOnGraph("pass", text, params);
        QVERIFY2(reply.has_value(), reply ? "" : reply.error().message.c_str());
        QCOMPARE((*reply)["verified"].dump(), std::string("false"));
        QCOMPARE((*reply)["differences"][0]["text"].get<std::string>(),
                 std::string("output 0: data[0] is -1.0, expected -2.0"));
        QCOMPARE((*reply)["deviations"][0].get<std::string>(), cause);
    }

    void unknownPasses() {
        const auto reply =
            m_engine.callOnGraph("pass", chain(1), {{"passes", {"polish"}}, {"inputs", vectorInput({1})}});
        QVERIFY(!reply);
        QCOMPARE(reply.error().code, static_cast<int>(engine::ErrorCode::InvalidParams));
    }

    void cancelStopsAPassAndTheEngineLives() {
        Client client({test::engineProgram()});
        const auto info = client.start();
        QVERIFY(info.has_value());
        std::stop_source stop;
        engine::CallOptions options;
        options.task.stop = stop.get_token();
        std::atomic<bool> seen = false;
        options.task.onProgress = [&](const Progress&) {
            seen = true;
            stop.request_stop();
        };
        const auto reply = client.callOnGraph(
            "pass", chain(5000), {{"passes", {"functionalize"}}, {"inputs", vectorInput({1})}, {"runs", 100}},
            options);
        QVERIFY(!reply);
        QCOMPARE(reply.error().kind, CallError::Kind::Cancelled);
        QVERIFY(seen);
        QCOMPARE(client.start()->pid, info->pid);
    }

    void statusAnswersWhileItWorks() {
        Client client({test::engineProgram()});
        QVERIFY(client.start().has_value());
        std::stop_source stop;
        engine::CallOptions options;
        options.task.stop = stop.get_token();
        auto work = std::async(std::launch::async, [&] {
            return client.callOnGraph(
                "pass", chain(2000),
                {{"passes", {"functionalize"}}, {"inputs", vectorInput({1})}, {"runs", 100}}, options);
        });
        QTRY_COMPARE(client.call("status")->value("method", std::string()), std::string("pass"));
        stop.request_stop();
        QCOMPARE(work.get().error().kind, CallError::Kind::Cancelled);
    }

    void killedWhileItWorks() {
        Client client({test::engineProgram()});
        const auto info = client.start();
        QVERIFY(info.has_value());
        auto work = std::async(std::launch::async, [&] {
            return client.callOnGraph(
                "pass", chain(2000),
                {{"passes", {"functionalize"}}, {"inputs", vectorInput({1})}, {"runs", 100}});
        });
        QTRY_COMPARE(client.call("status")->value("method", std::string()), std::string("pass"));
        QCOMPARE(::kill(static_cast<pid_t>(info->pid), SIGKILL), 0);
        const auto reply = work.get();
        QVERIFY(!reply);
        QCOMPARE(reply.error().kind, CallError::Kind::EngineDied);
        const auto again =
            client.callOnGraph("execute", graphOf("torch.ops.aten.relu.default](args = (%x,), kwargs = {})"),
                               {{"inputs", vectorInput({-1})}});
        QVERIFY(again.has_value()); // a new engine, to which the graph crossed again
    }

    void memoryLimitIsAnErrorOfOneNode() {
        if (addressSanitized) QSKIP("the address sanitizer allows no memory limit");
        Client client({test::engineProgram(), "--memory-limit", "1024"});
        const auto reply = client.callOnGraph(
            "execute", graphOf("torch.ops.aten.zeros.default](args = ([1000000000],), kwargs = {})"),
            {{"inputs", vectorInput({1})}});
        QVERIFY(!reply);
        QCOMPARE(reply.error().kind, CallError::Kind::Refused);
        QCOMPARE(reply.error().data["node"].get<std::string>(), std::string("y"));
        QVERIFY2(QString::fromStdString(reply.error().message).contains("can't allocate memory"),
                 reply.error().message.c_str());
        QVERIFY(client.running());
    }

    /// A tensor of 12 MB crosses in pieces, to the byte.
    void aWholeTensorCrossesInPieces() {
        const std::string graph =
            graphOf("torch.ops.aten.arange.default](args = (3000000,), kwargs = {dtype: torch.int32})");
        std::vector<std::int32_t> numbers;
        std::size_t pieces = 0;
        std::string bytes;
        engine::CallOptions options;
        options.onData = [&](std::string_view piece) {
            ++pieces;
            bytes += piece;
        };
        const auto answer = m_engine.tensor(graph, {{vectorInput({1}), {}, {}}, "y"}, options);
        QVERIFY2(answer.has_value(), answer ? "" : answer.error().message.c_str());
        QCOMPARE(answer->dtype, std::string("int32"));
        QCOMPARE(answer->shape, std::vector<std::int64_t>{3000000});
        QCOMPARE(bytes.size(), 12000000U);
        QCOMPARE(pieces, 12U);
        numbers.resize(3000000);
        std::memcpy(numbers.data(), bytes.data(), bytes.size());
        for (std::size_t i = 0; i < numbers.size(); ++i)
            if (numbers[i] != static_cast<std::int32_t>(i)) QFAIL("a number is wrong");
    }

    void aTensorIsOfItsMoment() {
        // mul_ changes x later; the node x is asked for as it was before.
        const std::string graph = graphOf("torch.ops.aten.mul_.Tensor](args = (%x, 2), kwargs = {})");
        const auto answer =
            m_engine.callOnGraph("tensor", graph, {{"inputs", vectorInput({1, 2})}, {"node", "x"}});
        QVERIFY2(answer.has_value(), answer ? "" : answer.error().message.c_str());
        std::array<float, 2> values{};
        QCOMPARE((*answer)["data"].get_binary().size(), sizeof values);
        std::memcpy(values.data(), (*answer)["data"].get_binary().data(), sizeof values);
        QCOMPARE(values, (std::array<float, 2>{1, 2}));
        for (const json& params :
             {json{{"node", "nobody"}}, json{{"node", "x"}, {"item", 1}}, json::object()}) {
            json request = params;
            request["inputs"] = vectorInput({1, 2});
            QVERIFY(!m_engine.callOnGraph("tensor", graph, request));
        }
    }

    void anArgumentListReachesTheEngine() {
        Client client({"env", "OMP_NUM_THREADS=1", test::engineProgram()});
        QVERIFY(client.start().has_value());
    }

private:
    Client m_engine{{test::engineProgram()}};
};

QTEST_GUILESS_MAIN(TestEngineProcess)
#include "tst_engine_process.moc"
