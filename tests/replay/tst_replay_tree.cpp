// SPDX-License-Identifier: BSD-3-Clause
//
// CUDA-graph trees on the simulator: every state, every invariant, both directions in time.
#include "core/ir/text.h"
#include "core/replay/tree_function.h"
#include "core/replay/tree_report.h"
#include "core/replay/tree_simulator.h"
#include "tests/support/archive.h"
#include "tests/support/tree_programs.h"

#include <QtTest>
#include <nlohmann/json.hpp>

using namespace dynascope;
using namespace dynascope::replay;
using Action = TreeStep::Action;
using Out = SimulatedOutput::Kind;
using test::actions;
using test::call;
using test::drop;
using test::mark;
using test::output;
using test::parameter;
using test::user;

namespace {

SimulatedFunction function(std::vector<SimulatedOutput> outputs, std::vector<std::size_t> fixed = {},
                           std::vector<std::size_t> mutated = {},
                           CompilationMode mode = CompilationMode::Inference) {
    SimulatedFunction out;
    out.outputs = std::move(outputs);
    out.function.mode = mode;
    out.function.staticInputs = std::move(fixed);
    out.function.mutatedInputs = std::move(mutated);
    out.function.inputs = {{"x", "in x", "write of x"}, {"y", "in y", "write of y"}};
    for (std::size_t i = 0; i < out.outputs.size(); ++i)
        out.function.outputStacks.push_back("  made by output " + std::to_string(i) + "\n");
    return out;
}

const SimulatedOutput fresh{};

TreeSimulation simulate(std::vector<SimulatedFunction> functions, std::vector<TreeEvent> events,
                        TreeOptions options = {}) {
    TreeProgram program;
    program.functions = std::move(functions);
    program.events = std::move(events);
    program.options = std::move(options);
    return TreeSimulation(std::move(program));
}

std::vector<OutputClass> classes(const TreeNode& node) {
    std::vector<OutputClass> out;
    for (const TreeOutput& output : node.outputs)
        out.push_back(output.outputClass);
    return out;
}

using Actions = std::vector<Action>;

} // namespace

class TestReplayTree : public QObject {
    Q_OBJECT

private slots:
    void warmsUpRecordsReplays() {
        auto simulation = simulate({function({fresh})},
                                   {call(0, {user()}), mark(), call(0, {user()}), mark(), call(0, {user()})});
        simulation.run();
        const TreeManager& manager = simulation.manager();
        QCOMPARE(actions(manager), (Actions{Action::Warmup, Action::Record, Action::Replay}));
        QCOMPARE(manager.nodes().size(), 2U);
        QCOMPARE(manager.nodes()[0].id, NodeId(-1));
        QCOMPARE(manager.nodes()[1].id, NodeId(0));
        QCOMPARE(manager.state().path, PathState::Execution);
        QCOMPARE(manager.steps().back().checks.front().status, InvariantStatus::Success);
        QCOMPARE(manager.steps()[2].pathEnd, TreeStep::PathEnd::NewGeneration);
        QVERIFY(manager.steps()[2].invalidated);
    }

    void forcedAndSkippedWarmups() {
        const std::vector<TreeEvent> events{call(0, {user()}), mark(), call(0, {user()})};
        TreeOptions skip;
        skip.skipWarmup = true;
        auto skipping = simulate({function({fresh})}, events, skip);
        skipping.run();
        QCOMPARE(actions(skipping.manager()), (Actions{Action::Record, Action::Replay}));
        TreeOptions force;
        force.forceWarmup = true;
        auto forced = simulate({function({fresh})}, events, force);
        forced.run();
        QCOMPARE(actions(forced.manager()), (Actions{Action::Warmup, Action::WarmupAgain}));
    }

    /// A generation does not end while a backward is to come, unless the user says so.
    void pendingBackwardKeepsOutputs() {
        const auto forward = function({fresh}, {}, {}, CompilationMode::Forward);
        const auto backward = function({fresh}, {}, {}, CompilationMode::Backward);
        auto simulation =
            simulate({forward, backward}, {call(0, {user()}), mark(), call(0, {user()}),
                                           mark(TreeEvent::Kind::EagerBackward), call(0, {user()})});
        simulation.run();
        const auto& steps = simulation.manager().steps();
        QCOMPARE(steps[2].action, Action::WarmupAgain);
        QCOMPARE(steps[2].pathEnd, TreeStep::PathEnd::None);
        // The run itself took up the generation; the backward only clears the way for the next one.
        QCOMPARE(steps[4].action, Action::WarmupAgain);

        auto marked =
            simulate({forward}, {call(0, {user()}), mark(TreeEvent::Kind::UserMark), call(0, {user()})});
        marked.run();
        QCOMPARE(actions(marked.manager()), (Actions{Action::Warmup, Action::Record}));
        QCOMPARE(marked.manager().state().latestGeneration(), -1);

        auto whole = simulate({forward, backward},
                              {call(0, {user()}), call(1, {output(0, 0)}), mark(), call(0, {user()})});
        whole.run();
        QCOMPARE(actions(whole.manager()), (Actions{Action::Warmup, Action::Warmup, Action::Record}));
    }

    void outputClasses() {
        // Of a parameter, of a copied input, of a new output, and values that are no tensors.
        TreeOptions options;
        options.skipWarmup = true;
        auto simulation = simulate({function({{Out::Input, 0},
                                              {Out::Input, 1},
                                              fresh,
                                              {Out::Output, 2},
                                              {Out::Number, 0},
                                              {Out::None, 0}},
                                             {0}),
                                    function({{Out::Input, 0}, fresh})},
                                   {call(0, {parameter(7), user()}), call(1, {output(0, 2)}), mark(),
                                    call(0, {parameter(7), user()}), call(1, {output(2, 2)})},
                                   options);
        simulation.run();
        const TreeManager& manager = simulation.manager();
        for (const TreeStep& step : manager.steps())
            QVERIFY2(step.error.empty(), step.error.c_str());
        QCOMPARE(classes(*manager.find(0)),
                 (std::vector{OutputClass::Persistent, OutputClass::New, OutputClass::New,
                              OutputClass::AliasesOutput, OutputClass::NoTensor, OutputClass::NoTensor}));
        const TreeNode& second = *manager.find(1);
        QCOMPARE(classes(second), (std::vector{OutputClass::AliasesPath, OutputClass::New}));
        QCOMPARE(second.outputs[0].alias, (OutputAt{0, 2}));
        QCOMPARE(second.managed, std::vector<std::size_t>{0});
        QVERIFY(second.preserved[0]);
        QVERIFY(!manager.find(0)->outputs[2].cached && manager.find(0)->outputs[1].cached);
        QCOMPARE(manager.steps()[4].action, Action::Replay);
        // Replayed outputs alias as recorded ones did.
        QCOMPARE(manager.steps()[4].outputs[0].storage, manager.steps()[3].outputs[2].storage);
        QCOMPARE(manager.steps()[3].outputs[3].storage, manager.steps()[3].outputs[2].storage);
    }

    void cpuOutputsAreRefused() {
        TreeOptions options;
        options.skipWarmup = true;
        auto simulation = simulate({function({fresh, {Out::Cpu, 0}})}, {call(0, {user()})}, options);
        simulation.run();
        QCOMPARE(simulation.manager().steps().back().action, Action::Failed);
        QCOMPARE(
            simulation.manager().steps().back().error,
            std::string("Expected all cuda outputs in cuda graph recording. Non cuda output from   made by "
                        "output 1\n"));
        QVERIFY(simulation.manager().state().current == noNode);
    }

    /// Addresses of inputs: what is asked first, and what it costs.
    void invariantsInOrder() {
        TreeOptions options;
        options.skipWarmup = true;
        const auto maker = function({fresh, fresh});
        const auto taker = function({fresh}, {1});
        const std::vector<TreeEvent> recorded{call(0, {user()}), drop(0, {1}),
                                              call(1, {output(0, 0), parameter(5)}), mark(),
                                              call(0, {user()})};
        const auto follow = [&](bool dropped, std::vector<TreeArgument> inputs) {
            std::vector<TreeEvent> events = recorded;
            if (dropped) events.push_back(drop(2, {1}));
            events.push_back(call(1, std::move(inputs)));
            auto simulation = simulate({maker, taker}, events, options);
            simulation.run();
            return simulation.manager().steps().back();
        };
        const TreeStep same = follow(true, {output(2, 0), parameter(5)});
        QCOMPARE(same.action, Action::Replay);
        const TreeStep managed = follow(true, {output(2, 1), parameter(5)});
        QCOMPARE(managed.checks.front().status, InvariantStatus::ManagedAddressChanged);
        QCOMPARE(managed.action, Action::Record);
        QCOMPARE(managed.checks.front().moved.front().name, std::string("x"));
        // Both the live output and the parameter are wrong: liveness is asked first.
        const TreeStep alive = follow(false, {output(2, 0), parameter(6)});
        QCOMPARE(alive.checks.front().status, InvariantStatus::ExpectedDeadIsAlive);
        QCOMPARE(alive.checks.front().alive, (std::vector<OutputAt>{{0, 1}}));
        QCOMPARE(alive.checks.front().message, std::string("expected dead indices before graph are live"));
        const TreeStep moved = follow(true, {output(2, 0), parameter(6)});
        QCOMPARE(moved.checks.front().status, InvariantStatus::StaticAddressChanged);
        QCOMPARE(moved.checks.front().moved, (std::vector<MovedInput>{{1, "y", 5, 6}}));
        QVERIFY(moved.checks.front().message.find("input name: y. data pointer changed from ") !=
                std::string::npos);
        QVERIFY(moved.checks.front().message.ends_with("input stack trace: in y\n"));
    }

    /// Only what cannot be foreseen counts against the limit: an address of a parameter may change.
    void rerecordLimit() {
        TreeOptions options;
        options.skipWarmup = true;
        options.rerecordLimit = 0;
        const auto maker = function({fresh, fresh});
        const auto taker = function({fresh}, {1});
        const auto run = [&](TreeArgument second) {
            auto simulation =
                simulate({maker, taker},
                         {call(0, {user()}), drop(0, {1}), call(1, {output(0, 0), parameter(5)}), mark(),
                          call(0, {user()}), drop(2, {1}), call(1, {output(2, 0), std::move(second)})},
                         options);
            simulation.run();
            return simulation.manager().steps().back();
        };
        QCOMPARE(run(parameter(6)).action, Action::Record);
        auto simulation =
            simulate({maker, taker},
                     {call(0, {user()}), call(1, {output(0, 0), parameter(5)}), mark(), call(0, {user()}),
                      call(1, {output(2, 1), parameter(5)}), call(1, {output(2, 0), parameter(5)})},
                     options);
        simulation.run();
        const TreeStep& refused = simulation.manager().steps()[4];
        QCOMPARE(refused.action, Action::Eager);
        QCOMPARE(refused.eagerCause, TreeStep::EagerCause::RerecordLimit);
        QVERIFY(refused.message.starts_with(
            "skipping cudagraph due to function 1 exceeding max re-recording limit "
            "(=0) on cudagraph node 0 due to cudagraph managed tensor data "
            "pointer changed.\ninput name: x."));
        QCOMPARE(simulation.manager().steps()[5].action, Action::Eager);
    }

    /// An input that died while the graph was recorded must die again, or the replay would overwrite it.
    void inputsThatOutliveTheRecording() {
        TreeOptions options;
        options.skipWarmup = true;
        const auto run = [&](bool last) {
            auto simulation = simulate({function({fresh}), function({fresh})},
                                       {call(0, {user()}), call(1, {output(0, 0, true)}), mark(),
                                        call(0, {user()}), call(1, {output(2, 0, last)})},
                                       options);
            simulation.run();
            return simulation.manager().steps().back();
        };
        QCOMPARE(run(true).action, Action::Replay);
        const TreeStep kept = run(false);
        QCOMPARE(kept.action, Action::Failed);
        QCOMPARE(kept.checks.front().status, InvariantStatus::InputOutlivesRecording);
        QVERIFY(kept.error.starts_with("TODO: graph recording observed an input tensor deallocate"));
    }

    void mutationIsAskedOnceANode() {
        auto simulation = simulate({function({fresh}), function({fresh}, {}, {0})},
                                   {call(1, {user()}), call(1, {user()}), call(0, {user()}),
                                    call(1, {output(2, 0)}), call(1, {output(2, 0)})});
        simulation.run();
        const auto& steps = simulation.manager().steps();
        QCOMPARE(steps[0].action, Action::Eager);
        QCOMPARE(steps[0].eagerCause, TreeStep::EagerCause::Mutation);
        QCOMPARE(steps[0].mutationPath, TreeStep::MutationPath::Slow);
        QCOMPARE(steps[0].message,
                 std::string(
                     "skipping cudagraphs due to mutated inputs (1 instances). Found from : \n write of x"));
        QCOMPARE(steps[1].mutationPath, TreeStep::MutationPath::Fast);
        QVERIFY(steps[1].message.empty()); // logged once
        QCOMPARE(steps[3].action, Action::Warmup);
        QCOMPARE(steps[3].mutations->category, MutationCategory::Recorded);
        // A tensor of the path's root is recorded, seen from the next node too.
        QCOMPARE(steps[4].mutations->category, MutationCategory::Recorded);
        const auto& hints = simulation.manager().state().hints;
        QCOMPARE(hints.at({noNode, 1}), true);
        QCOMPARE(hints.at({-1, 1}), false);
    }

    void killedOutputsAreErrorsWithBothStacks() {
        auto simulation = simulate({function({fresh}), function({fresh})},
                                   {call(0, {user()}, "first call"), mark(), call(0, {user()}, "second call"),
                                    call(1, {output(0, 0)})});
        simulation.run();
        const TreeManager& manager = simulation.manager();
        const auto about = manager.overwritten(0, 0);
        QVERIFY(about && about->raises);
        QCOMPARE(about->madeStack, std::string("  made by output 0\n"));
        QCOMPARE(about->overwrittenStack, std::string("second call"));
        QCOMPARE(about->overwrittenAt, 2U);
        QCOMPARE(about->message,
                 std::string(
                     "Error: accessing tensor output of CUDAGraphs that has been overwritten by a subsequent "
                     "run. Stack trace: made by output 0. To prevent overwriting, clone the tensor outside "
                     "of torch.compile() or call torch.compiler.cudagraph_mark_step_begin() before each "
                     "model invocation."));
        QVERIFY(!manager.overwritten(2, 0));
        QCOMPARE(manager.steps()[3].action, Action::Failed);
        QCOMPARE(manager.steps()[3].error, about->message);
        QCOMPARE(manager.steps()[3].overwrittenInputs.size(), 1U);
    }

    /// PyTorch says nothing when a replay overwrites what the last replay returned.
    void silentlyOverwrittenOutputsAreFound() {
        TreeOptions options;
        options.skipWarmup = true;
        auto simulation = simulate({function({fresh}), function({fresh}, {}, {}, CompilationMode::Backward)},
                                   {call(0, {user()}), mark(), call(0, {user()}, "a"), mark(),
                                    call(0, {user()}, "b"), call(1, {output(1, 0)})},
                                   options);
        simulation.run();
        const TreeManager& manager = simulation.manager();
        const auto about = manager.overwritten(2, 0);
        QVERIFY(about && !about->raises);
        QCOMPARE(about->overwrittenAt, 4U);
        QCOMPARE(about->overwrittenStack, std::string("b"));
        const TreeStep& reader = manager.steps().back();
        QVERIFY(reader.action != Action::Failed);
        QCOMPARE(reader.overwrittenInputs.size(), 1U);
        QVERIFY(overwrittenMessage({}, true).find("gradient tensor output") != std::string::npos);
        QVERIFY(overwrittenMessage({}, true).find("[Could not find stack trace]") != std::string::npos);
    }

    void checkpointsFreeWhatDied() {
        TreeOptions options;
        options.skipWarmup = true;
        auto simulation = simulate(
            {function({fresh, fresh}), function({fresh})},
            {call(0, {user()}), mark(), call(0, {user()}), drop(1, {1}), call(1, {output(1, 0)})}, options);
        simulation.run();
        const TreeStep& step = simulation.manager().steps().back();
        QCOMPARE(step.action, Action::Record);
        QCOMPARE(step.checkpoints, 1U);
        QCOMPARE(step.freed, (std::vector<Address>{simulation.manager().find(0)->outputs[1].storageAddress}));
        QCOMPARE(simulation.manager().state().checkpoints, 1);
    }

    /// Through all 40 cases of the oracle, forwards and back, each state as it was.
    void stepsBothWays() {
        std::size_t cases = 0;
        for (const auto& [name, text] : test::oracleCases()) {
            if (!name.starts_with("cg_tree_")) continue;
            ++cases;
            Result<TreeProgram> program = readTreeCase(text);
            QVERIFY(program);
            TreeSimulation simulation(std::move(*program));
            std::vector<TreeState> states{simulation.manager().state()};
            while (simulation.next())
                states.push_back(simulation.manager().state());
            const TreeManager& manager = simulation.manager();
            QCOMPARE(manager.steps().size() + 1, states.size());
            TreeCursor cursor(manager.changes());
            for (std::size_t i = 0; i < states.size(); ++i) {
                QVERIFY(cursor.state() == states[i]);
                QCOMPARE(cursor.forward(), i + 1 < states.size());
            }
            for (std::size_t i = states.size(); i-- > 0;) {
                QVERIFY(cursor.state() == states[i]);
                QCOMPARE(cursor.back(), i > 0);
            }
            cursor.moveTo(states.size() / 2);
            QVERIFY(cursor.state() == states[states.size() / 2]);
            cursor.moveTo(SIZE_MAX);
            QVERIFY(cursor.state() == states.back());
        }
        QCOMPARE(cases, 40U);
    }

    /// A parameter is never where the pool is, whatever its number.
    void parametersLieOutsideOfThePool() {
        auto simulation = simulate(
            {function({fresh}), function({fresh})},
            {call(0, {parameter(1000)}), mark(), call(0, {parameter(1000)}), call(1, {parameter(2000)})});
        simulation.run();
        const TreeManager& manager = simulation.manager();
        QCOMPARE(actions(manager), (Actions{Action::Warmup, Action::Record, Action::Warmup}));
        for (const TreeNode& node : manager.nodes())
            for (const TreeOutput& output : node.outputs)
                QVERIFY(output.storageAddress > 2000);
    }

    /// Random programs on a pool that reuses addresses: the pool always holds what lives on the path, and no
    /// two live outputs of a path share memory.
    void randomProgramsKeepTheirMemory() {
        for (unsigned seed = 0; seed < 150; ++seed) {
            TreeSimulation simulation(test::randomTreeProgram(seed, 60), 1000, true);
            while (simulation.next()) {
                const TreeManager& manager = simulation.manager();
                const TreeStep& step = manager.steps().back();
                const bool refusal =
                    step.error.starts_with("Error: accessing") || step.error.starts_with("TODO");
                QVERIFY2(step.error.empty() || refusal, (std::to_string(seed) + ": " + step.error).c_str());
                std::set<Address> seen;
                for (const NodeId id : manager.path(manager.state().current)) {
                    const TreeNode& node = *manager.find(id);
                    for (std::uint32_t at = 0; at < node.outputs.size(); ++at) {
                        if (node.outputs[at].outputClass != OutputClass::New ||
                            !manager.state().alive.contains({id, at}))
                            continue;
                        QVERIFY2(seen.insert(node.outputs[at].storageAddress).second,
                                 (std::to_string(seed) + ": two live outputs at one address").c_str());
                    }
                }
            }
        }
    }

    void reportsInWords() {
        TreeOptions options;
        options.skipWarmup = true;
        auto simulation = simulate({function({fresh}, {0}), function({fresh})},
                                   {call(0, {parameter(1)}, "first call"), mark(), call(0, {parameter(2)}),
                                    mark(), call(0, {parameter(2)}), call(1, {output(0, 0)})},
                                   options);
        simulation.run();
        const TreeReport report = reportOf(simulation.manager());
        QCOMPARE(report.steps.size(), 6U);
        QCOMPARE(report.count("record"), 2U);
        QCOMPARE(report.count("replay"), 1U);
        QCOMPARE(report.rerecords(), 1U);
        QCOMPARE(report.steps[0].why, std::string("nothing recorded begins with it"));
        QCOMPARE(report.steps[1].event, std::string("new generation"));
        QVERIFY2(report.steps[2].why.starts_with("node 0: static input data pointer changed ("),
                 report.steps[2].why.c_str());
        QCOMPARE(report.steps[2].path,
                 std::string("a new generation took the outputs of the path before away"));
        QCOMPARE(report.steps[5].action, std::string("failed"));
        QCOMPARE(report.steps[5].overwritten.size(), 1U);
        QVERIFY(report.steps[5].overwritten[0].ends_with("\nlost in step 2"));
        QVERIFY(treeReportFromJson(toJson(report)).value() == report);
        QCOMPARE(treeReportFromJson(nlohmann::json::object()).error().message,
                 std::string("report of a tree: backend: is missing"));
        nlohmann::json odd = toJson(report);
        odd["steps"][0]["node"] = "x";
        QCOMPARE(treeReportFromJson(odd).error().message,
                 std::string("report of a tree: steps[0].node: expected a whole number, not a string"));
    }

    void functionsOfGraphs() {
        const auto graph = ir::readGraph(
            "graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
            "    %w : [num_users=1] = placeholder[target=w]\n"
            "    %add_ : [num_users=1] = call_function[target=torch.ops.aten.add_.Tensor](args = "
            "(%w, 1), kwargs = {})\n"
            "    %mul : [num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = "
            "(%x, 2), kwargs = {})\n    return (mul, [add_, None])\n");
        QVERIFY(graph);
        QVERIFY((resultNames(**graph) == std::vector<std::string>{"mul", "add_", ""}));
        const TreeFunction function = treeFunctionOf(*graph, "f", CompilationMode::Forward, {1});
        QVERIFY(function.mutatedInputs == std::vector<std::size_t>{1});
        QCOMPARE(function.inputs[0].name, std::string("x"));
        QCOMPARE(function.outputStacks.size(), 3U);
        QCOMPARE(compilationModeName(function.mode), std::string_view("FORWARD"));
    }

    void damagedCases() {
        const auto error = [](const std::string& text) {
            const Result<TreeProgram> program = readTreeCase(text);
            return program ? std::string() : program.error().message;
        };
        QVERIFY(error("not json").find("needs functions") != std::string::npos);
        QCOMPARE(error(R"({"functions":[{}],"events":[],"cudagraph_unexpected_rerecord_limit":1})"),
                 std::string("function 0 cannot be read"));
        const std::string head =
            R"({"cudagraph_unexpected_rerecord_limit":1,"functions":[{"n_inputs":1,"n_outputs":1,"static_input_idxs":[],"mutated_input_idxs":[],"mode":"FORWARD"}],"events":[)";
        QCOMPARE(error(head + "]}"), std::string());
        const std::string call = R"({"op":"call","fn":0,"stack":"here","inputs":[["user"]]},)";
        QCOMPARE(error(head + call +
                       R"({"op":"user_mark"},{"op":"eager_backward"},)"
                       R"({"op":"call","fn":0,"inputs":[["out",0,0,"last"]]}]})"),
                 std::string());
        const auto extended = readTreeCase(head + call + R"({"op":"user_mark"},{"op":"eager_backward"},)" +
                                           R"({"op":"call","fn":0,"inputs":[["out",0,0,"last"]]}]})");
        QCOMPARE(extended->events[0].stack, std::string("here"));
        QVERIFY(extended->events[1].kind == TreeEvent::Kind::UserMark);
        QVERIFY(extended->events[2].kind == TreeEvent::Kind::EagerBackward);
        QVERIFY(extended->events[3].inputs[0].lastReference);
        QCOMPARE(error(head + call + R"({"op":"call","fn":0,"inputs":[["out",0,0,"first"]]}]})"),
                 std::string("event 1 cannot be read"));
        for (const char* event :
             {R"({"op":"call","fn":1,"inputs":[["user"]]})", R"({"op":"call","fn":0,"inputs":[]})",
              R"({"op":"call","fn":0,"inputs":[["out",0,0]]})", R"({"op":"drop","step":0,"outputs":[0]})",
              R"({"op":"fly"})", R"(7)", R"({"op":"call","fn":0,"inputs":[["param",-1]]})",
              R"({"op":"call","fn":0,"inputs":[["param",4294967296]]})"})
            QCOMPARE(error(head + event + "]}"), std::string("event 0 cannot be read"));
        std::string many = head;
        for (int call = 0; call < 2001; ++call)
            many += (call > 0 ? "," : "") + std::string(R"({"op":"call","fn":0,"inputs":[["user"]]})");
        QCOMPARE(error(many + "]}"), std::string("the case has too many calls"));
        QVERIFY(
            !error(
                 R"({"cudagraph_unexpected_rerecord_limit":1,"events":[],"functions":[{"n_inputs":1,"n_outputs":999999999,"static_input_idxs":[],"mutated_input_idxs":[],"mode":"FORWARD"}]})")
                 .empty());
    }
};

QTEST_APPLESS_MAIN(TestReplayTree)
#include "tst_replay_tree.moc"
