// SPDX-License-Identifier: BSD-3-Clause
//
// CUDA-graph trees over the CPU's pool: real functions and tensors under the state machine, held against the
// simulator step by step and against eager runs bit by bit.
#include "core/engine/exec/case_values.h"
#include "core/engine/replay/pool_memory.h"
#include "core/engine/replay/tree_run.h"
#include "core/ir/text.h"
#include "core/replay/tree_function.h"
#include "tests/engine/service_runner.h"
#include "tests/support/archive.h"
#include "tests/support/tree_programs.h"

#include <ATen/ops/imag.h>
#include <ATen/ops/view_as_complex.h>
#include <QtTest>
#include <algorithm>

using namespace dynascope;
using engine::PoolMemory;
using engine::PoolTreeRun;
using nlohmann::json;
using replay::CompilationMode;
using replay::SimulatedFunction;
using replay::SimulatedOutput;
using replay::TreeArgument;
using replay::TreeEvent;
using replay::TreeStep;
using Action = TreeStep::Action;
using test::call;
using test::drop;
using test::mark;
using test::output;
using test::parameter;
using test::user;

namespace {

std::string operation(const std::string& name, const std::string& target, const std::string& arguments) {
    return "    %" + name + " : [num_users=1] = call_function[target=torch.ops.aten." + target +
           "](args = (" + arguments + "), kwargs = {})\n";
}

/// A graph that returns and writes what the function says, with a temporary before every output.
std::string graphOf(const SimulatedFunction& function, std::size_t inputs) {
    std::string out = "graph():\n";
    const auto input = [](std::size_t i) { return "%i" + std::to_string(i); };
    for (std::size_t i = 0; i < inputs; ++i)
        out += "    " + input(i) + " : [num_users=1] = placeholder[target=i" + std::to_string(i) + "]\n";
    for (const std::size_t i : function.function.mutatedInputs)
        out += operation("w" + std::to_string(i), "add_.Tensor", input(i) + ", 1");
    std::string results;
    for (std::size_t k = 0; k < function.outputs.size(); ++k) {
        const std::string number = std::to_string(k);
        const SimulatedOutput& output = function.outputs[k];
        if (output.kind == SimulatedOutput::Kind::Input) {
            out += operation("o" + number, "view.default", input(output.of) + ", [4]");
        } else if (output.kind == SimulatedOutput::Kind::Output) {
            out += operation("o" + number, "view.default", "%o" + std::to_string(output.of) + ", [4]");
        } else if (inputs == 0) {
            out += operation("o" + number, "full.default", "[4], " + number);
        } else {
            out += operation("t" + number, "mul.Tensor", input(k % inputs) + ", " + std::to_string(k + 2));
            out += operation("o" + number, "add.Tensor", "%t" + number + ", " + number);
        }
        results += "o" + number + ", ";
    }
    return out + "    return (" + results + ")\n";
}

std::vector<c10::IValue> tensors(std::size_t count) {
    test::CaseBuilder builder;
    for (std::size_t i = 0; i < count; ++i)
        builder.tensor({4}, {0.5 + double(i), -1, 2, 3});
    return engine::makeInputs(builder.json(), {})->values;
}

engine::TreeRunFunction functionOf(const std::string& text, replay::TreeFunction about,
                                   std::vector<c10::IValue> inputs) {
    const ir::GraphPtr graph = *ir::readGraph(text);
    const replay::TreeFunction found =
        replay::treeFunctionOf(graph, about.name, about.mode, about.staticInputs);
    about.inputs = found.inputs;
    about.outputStacks = found.outputStacks;
    return {
        std::move(about), std::make_shared<engine::Program>(engine::compile(graph)), std::move(inputs), {}};
}

engine::TreeRunRequest requestOf(const replay::TreeProgram& program, const std::vector<std::size_t>& inputs) {
    engine::TreeRunRequest request;
    for (std::size_t i = 0; i < program.functions.size(); ++i)
        request.functions.push_back(functionOf(graphOf(program.functions[i], inputs[i]),
                                               program.functions[i].function, tensors(inputs[i])));
    request.events = program.events;
    request.options = program.options;
    return request;
}

/// What a step decided, without addresses, and so without what was silently overwritten at them.
std::string decision(const replay::TreeManager& manager, const TreeStep& step) {
    std::string out =
        std::string(replay::actionName(step.action)) + " node " + std::to_string(step.node) + " after " +
        std::to_string(step.parent) + " end " + std::to_string(int(step.pathEnd)) +
        (step.invalidated ? " invalidated" : "") + " path " + std::to_string(int(step.mutationPath)) +
        " cause " + std::to_string(int(step.eagerCause)) + " checkpoints " +
        std::to_string(step.checkpoints) + " freed " + std::to_string(step.freed.size()) + " checks";
    for (const replay::InvariantCheck& check : step.checks)
        out += ' ' + std::to_string(check.node) + ':' + std::to_string(int(check.status)) + '/' +
               std::to_string(check.moved.size()) + '/' + std::to_string(check.alive.size());
    const replay::TreeState& state = manager.state();
    out += " state " + std::string(replay::pathStateName(state.path)) + ' ' + std::to_string(state.current) +
           " hints " + std::to_string(state.hints.size()) + " rerecords";
    for (const auto& [key, count] : state.rerecords)
        out += ' ' + std::to_string(count);
    out += " alive";
    for (const replay::OutputAt output : state.alive)
        out += ' ' + std::to_string(output.node) + '.' + std::to_string(output.index);
    out += " outputs";
    if (const replay::TreeNode* node = manager.find(step.node))
        for (const replay::TreeOutput& output : node->outputs)
            out += ' ' + std::string(replay::outputClassName(output.outputClass));
    return out + (step.error.empty() ? "" : " error " + step.error.substr(0, 20));
}

/// Whether a call reads what a later run wrote over, which PyTorch does not notice: where that lies is up to the pool.
bool readsOverwritten(const TreeStep& step) {
    return std::ranges::any_of(step.overwrittenInputs,
                               [](const replay::Overwritten& input) { return !input.raises; });
}

/// The first step at which a run and the simulation part; empty where they agree, until a call reads what was
/// overwritten.
std::string parting(replay::TreeProgram program, const std::vector<std::size_t>& inputs) {
    const auto pool = engine::makeCpuPool();
    PoolTreeRun run(*pool, requestOf(program, inputs));
    replay::TreeSimulation simulation(std::move(program));
    std::size_t compared = 0;
    for (; simulation.next(); ++compared) {
        if (!run.next({})) return "the run ends sooner";
        if (readsOverwritten(run.manager().steps().back())) break;
        const std::string expected = decision(simulation.manager(), simulation.manager().steps().back());
        const std::string got = decision(run.manager(), run.manager().steps().back());
        if (got != expected)
            return "event " + std::to_string(compared) + " gives\n" + got + ' ' +
                   run.manager().steps().back().error + ", expected\n" + expected;
    }
    const replay::TreeReport report = run.report();
    for (std::size_t i = 0; i < compared; ++i)
        if (!report.steps[i].difference.empty()) return report.steps[i].difference;
    return {};
}

/// x (16 x 16) and w: two products with activations between them, and what backward would want of it.
const std::string layer = "graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
                          "    %w : [num_users=2] = placeholder[target=w]\n" +
                          operation("mm", "mm.default", "%x, %w") + operation("gelu", "gelu.default", "%mm") +
                          operation("soft", "_softmax.default", "%gelu, -1, False") +
                          operation("out", "mm.default", "%soft, %w") + "    return (out, mm)\n";
/// What arrives, in the shape of the layer's output, is added up in a buffer.
const std::string reader = "graph():\n    %y : [num_users=1] = placeholder[target=y]\n"
                           "    %sum : [num_users=1] = placeholder[target=sum]\n" +
                           operation("tanh", "tanh.default", "%y") +
                           operation("acc", "add_.Tensor", "%sum, %tanh") +
                           operation("two", "mul.Tensor", "%tanh, 2") + "    return (two,)\n";

std::vector<c10::IValue> matrices(std::size_t count) {
    std::vector<c10::IValue> out;
    for (std::size_t i = 0; i < count; ++i)
        out.emplace_back(engine::seededTensor(at::kFloat, 256, 11 + i).view({16, 16}));
    return out;
}

engine::TreeRunRequest twoFunctions(std::vector<TreeEvent> events) {
    engine::TreeRunRequest request;
    replay::TreeFunction first, second;
    first.name = "layer";
    first.staticInputs = {1};
    second.name = "reader";
    second.staticInputs = {1};
    second.mutatedInputs = {1};
    request.functions.push_back(functionOf(layer, first, matrices(2)));
    request.functions.push_back(functionOf(reader, second, matrices(2)));
    request.events = std::move(events);
    return request;
}

std::vector<Action> actions(const PoolTreeRun& run) {
    return test::actions(run.manager());
}

} // namespace

class TestEngineTrees : public QObject {
    Q_OBJECT

private slots:
    void memoryOfAPool() {
        PoolMemory memory(64 << 20);
        const auto at = [&](std::uint64_t bytes) {
            return reinterpret_cast<PoolMemory::Address>(memory.allocate(bytes)) - memory.begin();
        };
        QCOMPARE(at(100), 0U);
        QCOMPARE(at(64), 128U);
        QCOMPARE(at(1), 192U);
        QVERIFY(memory.release(memory.begin()));
        QVERIFY(!memory.release(memory.begin())); // once
        QVERIFY(!memory.release(memory.begin() + 130));
        QCOMPARE(at(64), 0U); // the smallest gap that fits
        QCOMPARE(at(65), 256U);
        const PoolMemory::Blocks then = memory.blocks();
        QCOMPARE(then.size(), std::size_t{4});
        QVERIFY(memory.release(memory.begin() + 128));
        QVERIFY(memory.release(memory.begin() + 192));
        QCOMPARE(at(192), 64U); // three gaps became one
        QCOMPARE(at(3 << 20), 384U);
        QCOMPARE(memory.reservedBytes(), std::uint64_t{4} << 20);
        memory.restore(then);
        QVERIFY(memory.blocks() == then);
        QCOMPARE(at(64), 64U);
        QCOMPARE(at(64), 384U);
        QVERIFY_THROWS_EXCEPTION(std::bad_alloc, (void)memory.allocate(65 << 20));
        static_cast<char*>(memory.allocate(1 << 20))[(1 << 20) - 1] = 1; // there is memory behind it
    }

    /// Every case of the oracle that traces PyTorch's own trees.
    void asTheSimulatorDecides() {
        std::size_t cases = 0;
        for (const auto& [name, text] : test::oracleCases()) {
            if (!name.starts_with("cg_tree_")) continue;
            ++cases;
            const auto program = replay::readTreeCase(text);
            QVERIFY(program);
            std::vector<std::size_t> inputs;
            for (const SimulatedFunction& function : program->functions)
                inputs.push_back(function.function.inputs.size());
            const std::string where = parting(*program, inputs);
            QVERIFY2(where.empty(), (name + ": " + where).c_str());
        }
        QCOMPARE(cases, 40U);
    }

    void randomProgramsAsTheSimulatorDecides() {
        for (unsigned seed = 0; seed < 1400; ++seed) {
            const replay::TreeProgram program = test::randomTreeProgram(seed, 40);
            const std::string where = parting(program, std::vector<std::size_t>(program.functions.size(), 2));
            QVERIFY2(where.empty(), (std::to_string(seed) + ": " + where).c_str());
        }
    }

    /// What is given up before a replay is the input that the recording reads in place, not another one of
    /// the same storage, which has to be copied still.
    void oneTensorAsTwoInputs() {
        replay::TreeProgram program;
        program.functions.resize(2);
        for (SimulatedFunction& function : program.functions) {
            function.outputs.resize(1);
            function.function.inputs.resize(2);
        }
        for (std::size_t i = 0; i < 4; ++i) {
            program.events.push_back(mark());
            program.events.push_back(call(0, {user(), user()}));
            const TreeArgument made = output(2 * i, 0);
            program.events.push_back(call(1, {i < 3 ? user() : made, made}));
            program.events.push_back(drop(2 * i, {0}));
            program.events.push_back(drop(2 * i + 1, {0}));
        }
        const auto pool = engine::makeCpuPool();
        PoolTreeRun run(*pool, requestOf(program, {2, 2}));
        while (run.next({})) {
        }
        QVERIFY(actions(run).back() == Action::Replay);
        QCOMPARE(run.report().different, 0U);
        const std::string where = parting(program, {2, 2});
        QVERIFY2(where.empty(), where.c_str());
    }

    /// Two functions, two paths that begin alike, a parameter that moves and back.
    void pathsAndRerecordings() {
        std::vector<TreeEvent> events;
        std::size_t calls = 0;
        const auto iteration = [&](bool second, replay::Address weight) {
            events.push_back(mark());
            events.push_back(call(0, {user(), parameter(weight)}));
            const std::size_t first = calls++;
            events.push_back(second ? call(0, {output(first, 0, true), parameter(weight)})
                                    : call(1, {output(first, 0, true), parameter(3)}));
            ++calls;
            events.push_back(drop(first, {0, 1}));
            events.push_back(drop(first + 1, {0, 1}));
        };
        for (const bool second : {false, true, false, true, false, true, true, false})
            iteration(second, 1);
        iteration(false, 2);
        iteration(false, 2);
        iteration(false, 1);
        const auto pool = engine::makeCpuPool();
        PoolTreeRun run(*pool, twoFunctions(std::move(events)));
        while (run.next({})) {
        }
        const replay::TreeReport report = run.report();
        QCOMPARE(report.verified, 22U);
        for (const replay::TreeReportStep& step : report.steps)
            QVERIFY2(step.difference.empty() && step.action != "failed",
                     (step.function + ' ' + step.why + step.difference).c_str());
        // Both functions warm up in the first iteration; then each path is recorded once.
        const std::vector<Action> expected{
            Action::Warmup, Action::Warmup,                                                 //
            Action::Record, Action::Record, Action::Replay, Action::Record,                 //
            Action::Replay, Action::Replay, Action::Replay, Action::Replay, Action::Replay, //
            Action::Replay, Action::Replay, Action::Replay, Action::Replay, Action::Replay, //
            Action::Record, Action::Record, Action::Replay, Action::Replay, Action::Replay, Action::Replay};
        QCOMPARE(actions(run).size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i)
            QVERIFY2(actions(run)[i] == expected[i], std::to_string(i).c_str());
        QCOMPARE(report.rerecords(), 1U);
        const auto again = std::find_if(report.steps.begin(), report.steps.end(),
                                        [](const auto& step) { return step.again; });
        QVERIFY2(again->why.starts_with("node 0: static input data pointer changed (w from "),
                 again->why.c_str());
        QVERIFY(replay::treeReportFromJson(replay::toJson(report)).value() == report);
        // All is given up: nothing is left in the pool.
        QVERIFY(pool->allocated().empty());
    }

    /// The allocator is set back when another path begins, and what the program dropped is given back.
    void checkpoints() {
        std::vector<TreeEvent> events{mark(),
                                      call(0, {user(), parameter(1)}),
                                      drop(0, {0, 1}),
                                      mark(),
                                      call(0, {user(), parameter(1)}), // recorded
                                      drop(1, {0, 1}),
                                      mark(),
                                      call(0, {user(), parameter(1)}), // replayed
                                      drop(2, {1}),
                                      call(0, {output(2, 0), parameter(1)})}; // recorded behind it
        const auto pool = engine::makeCpuPool();
        PoolTreeRun run(*pool, twoFunctions(std::move(events)));
        while (run.next({})) {
        }
        const TreeStep& last = run.manager().steps().back();
        QCOMPARE(last.action, Action::Record);
        QCOMPARE(last.checkpoints, 1U);
        QCOMPARE(last.freed, std::vector<replay::Address>{run.manager().find(0)->outputs[1].storageAddress});
        // Three live outputs: one of the replay, which owns its memory since, and two of the recording.
        QCOMPARE(pool->allocated().size(), std::size_t{3});
        QCOMPARE(run.report().different, 0U);
        // The new recording uses what the dropped output had.
        const auto& made = run.manager().find(1)->outputs;
        QVERIFY(last.freed[0] == made[0].storageAddress || last.freed[0] == made[1].storageAddress);
    }

    /// Copies share memory where the originals do, and are conjugated and negated where these are.
    void copiesAreWhatTheOriginalsAre() {
        const at::Tensor pairs = engine::seededTensor(at::kFloat, 8, 3).view({4, 2});
        const at::Tensor numbers = at::view_as_complex(pairs), conjugated = numbers.conj();
        engine::StorageCopies copies(c10::kCPU, true);
        const at::Tensor copy = copies.copyOf(conjugated), imaginary = copies.copyOf(at::imag(conjugated));
        QVERIFY(copy.is_conj() && imaginary.is_neg() && copy.equal(conjugated));
        QVERIFY(imaginary.equal(at::imag(conjugated)));
        copies.copyOf(pairs).mul_(2);
        QVERIFY(copy.equal(conjugated.mul(2)));
        QVERIFY(imaginary.equal(at::imag(conjugated).mul(2)));
    }

    /// A pool goes back only to what it was: whoever holds other memory of it, or memory that was allocated
    /// anew at an address of then, would find it in the hands of a recording.
    void poolsGoBackToWhatTheyWere() {
        const auto pool = engine::makeCpuPool();
        c10::Storage first = pool->allocate(64);
        const auto then = pool->checkpoint();
        const std::vector<c10::StorageImpl*> live{first.unsafeGetStorageImpl()};
        QVERIFY(pool->restore(*then, live, {}));
        const replay::Address address = engine::addressOf(first);
        first = {};
        const c10::Storage second = pool->allocate(64);
        QCOMPARE(engine::addressOf(second), address);
        const auto held = pool->restore(*then, {}, {});
        QVERIFY(!held);
        QCOMPARE(held.error().message,
                 std::string("memory of the pool is held by something that is no output of the path"));
        const c10::Storage elsewhere = engine::storageAt(address + 64, 64, c10::kCPU);
        const std::vector<c10::StorageImpl*> stray{elsewhere.unsafeGetStorageImpl()};
        QCOMPARE(pool->restore(*then, stray, {}).error().message,
                 std::string("a live tensor lies in no block of the checkpoint"));
        const c10::Storage a = engine::storageAt(address, 64, c10::kCPU);
        const c10::Storage b = engine::storageAt(address, 64, c10::kCPU);
        const std::vector<c10::StorageImpl*> both{a.unsafeGetStorageImpl(), b.unsafeGetStorageImpl()};
        QCOMPARE(pool->restore(*then, both, {}).error().message,
                 std::string("two live storages lie in one block"));
    }

    void outputsThatAreGoneAreErrors() {
        const auto pool = engine::makeCpuPool();
        PoolTreeRun run(*pool, twoFunctions({mark(), call(0, {user(), parameter(1)}, "the first call"),
                                             mark(), call(0, {user(), parameter(1)}, "the second call"),
                                             call(1, {output(0, 0), parameter(3)}, "the reader")}));
        while (run.next({})) {
        }
        const TreeStep& last = run.manager().steps().back();
        QCOMPARE(last.action, Action::Failed);
        QVERIFY2(last.error.starts_with("Error: accessing tensor output of CUDAGraphs that has been "
                                        "overwritten by a subsequent run."),
                 last.error.c_str());
        // Whoever reads the tensor itself is told as well.
        QVERIFY_THROWS_EXCEPTION(c10::Error, (void)run.outputs(0)[0].toTensor().const_data_ptr());
        try {
            (void)run.outputs(0)[0].toTensor().sum();
            QFAIL("it can be read");
        } catch (const c10::Error& error) {
            QVERIFY(std::string(error.what()).find("that has been overwritten by a subsequent run") !=
                    std::string::npos);
        }
        const replay::TreeReport report = run.report();
        const std::vector<std::string>& both = report.steps.back().overwritten;
        QCOMPARE(both.size(), std::size_t{1});
        QVERIFY2(both[0].starts_with("taken away: made by layer in step 1") &&
                     both[0].ends_with("lost in step 3:\nthe second call"),
                 both[0].c_str());
    }

    void pendingBackwardKeepsTheGeneration() {
        engine::TreeRunRequest request =
            twoFunctions({mark(), call(0, {user(), parameter(1)}), mark(),
                          call(1, {output(0, 0), parameter(3)}), mark(), call(0, {user(), parameter(1)})});
        request.functions[0].about.mode = CompilationMode::Forward;
        request.functions[1].about.mode = CompilationMode::Backward;
        const auto pool = engine::makeCpuPool();
        PoolTreeRun run(*pool, std::move(request));
        while (run.next({})) {
        }
        const auto& steps = run.manager().steps();
        QVERIFY(steps[3].pathEnd == TreeStep::PathEnd::None); // its forward is still waited for
        QVERIFY(!steps[3].invalidated);
        QVERIFY(steps[5].pathEnd == TreeStep::PathEnd::NewGeneration);
        QCOMPARE(run.report().different, 0U);
    }

    void theLimitOfRecordings() {
        std::vector<TreeEvent> events;
        for (std::size_t i = 0; i < 12; ++i) {
            // The reader is given the one output and the other in turn, of recordings on the same path.
            events.push_back(mark());
            events.push_back(call(0, {user(), parameter(1)}));
            events.push_back(call(1, {output(2 * i, i % 2), parameter(3)}));
            events.push_back(drop(2 * i, {0, 1}));
            events.push_back(drop(2 * i + 1, {0}));
        }
        engine::TreeRunRequest request = twoFunctions(events);
        request.options.rerecordLimit = 0;
        const auto pool = engine::makeCpuPool();
        PoolTreeRun run(*pool, std::move(request));
        while (run.next({})) {
        }
        const replay::TreeReport report = run.report();
        QVERIFY(report.count("eager") > 0);
        QCOMPARE(report.different, 0U);
        const auto eager = std::find_if(report.steps.begin(), report.steps.end(),
                                        [](const auto& step) { return step.action == "eager"; });
        QVERIFY2(!eager->why.empty(), "it says why");
    }

    void whatDependsOnValuesFails() {
        engine::TreeRunRequest request;
        replay::TreeFunction about;
        about.name = "nonzero";
        about.staticInputs = {0};
        request.functions.push_back(functionOf("graph():\n    %x : [num_users=1] = placeholder[target=x]\n" +
                                                   operation("nz", "nonzero.default", "%x") +
                                                   operation("less", "sub_.Tensor", "%x, 2") +
                                                   "    return (nz,)\n",
                                               about, tensors(1)));
        for (std::size_t i = 0; i < 3; ++i) {
            request.events.push_back(mark());
            request.events.push_back(call(0, {parameter(1)}));
            request.events.push_back(drop(i, {0}));
        }
        const auto pool = engine::makeCpuPool();
        PoolTreeRun run(*pool, std::move(request));
        while (run.next({})) {
        }
        const TreeStep& last = run.manager().steps()[7];
        QCOMPARE(last.action, Action::Failed);
        QVERIFY2(last.error.starts_with("it allocated otherwise than when it was recorded"),
                 last.error.c_str());
    }

    /// A recording reads bytes: what lies otherwise would be read for something else.
    void inputsThatLieOtherwise() {
        // A parameter lies as the input of the function that it is given to first.
        const auto iteration = [](std::size_t first, const TreeArgument& x) {
            return std::vector<TreeEvent>{mark(), call(0, {x, parameter(1)}), drop(first, {0, 1}),
                                          call(1, {x, parameter(3)}), drop(first + 1, {0})};
        };
        std::vector<TreeEvent> events;
        for (const std::vector<TreeEvent>& part :
             {iteration(0, user()), iteration(2, user()), iteration(4, parameter(9))})
            events.insert(events.end(), part.begin(), part.end());
        engine::TreeRunRequest request = twoFunctions(std::move(events));
        request.functions[1].inputs[0] = request.functions[1].inputs[0].toTensor().t();
        const auto pool = engine::makeCpuPool();
        PoolTreeRun run(*pool, std::move(request));
        while (run.next({})) {
        }
        QVERIFY((actions(run) == std::vector<Action>{Action::Warmup, Action::Warmup, Action::Record,
                                                     Action::Record, Action::Replay, Action::Failed}));
        QCOMPARE(run.manager().steps()[13].error,
                 std::string("input 0 was recorded as float[16, 16] with strides [1, 16] and is now "
                             "float[16, 16] with strides [16, 1]"));
        QCOMPARE(run.report().different, 0U);
    }

    void operatorsThatFail() {
        engine::TreeRunRequest request =
            twoFunctions({mark(), call(0, {user(), parameter(1)}), mark(), call(0, {user(), parameter(1)})});
        request.functions[0].inputs[1] = engine::seededTensor(at::kFloat, 15, 3).view({3, 5});
        const auto pool = engine::makeCpuPool();
        PoolTreeRun run(*pool, std::move(request));
        while (run.next({})) {
        }
        QVERIFY((actions(run) == std::vector<Action>{Action::Failed, Action::Failed}));
        QVERIFY(run.manager().steps()[1].error.find("mat1 and mat2 shapes") != std::string::npos);
        QVERIFY(pool->allocated().empty());
    }

    void aThousandCyclesLeaveNothing() {
        const auto pool = engine::makeCpuPool();
        std::vector<TreeEvent> events;
        for (std::size_t i = 0; i < 1000; ++i) {
            events.push_back(mark());
            events.push_back(call(0, {user(), parameter(1 + i % 3)}));
            events.push_back(drop(i, {0, 1}));
        }
        engine::TreeRunRequest request = twoFunctions(std::move(events));
        request.verify = false;
        PoolTreeRun run(*pool, std::move(request));
        while (run.next({})) {
        }
        QVERIFY(pool->allocated().empty());
        QCOMPARE(run.manager().nodes().size(), std::size_t{4}); // a warm-up, and one for each address
        QVERIFY(pool->reservedBytes() <= std::uint64_t{4} << 20);
    }

    void throughTheProtocol() {
        test::ServiceRunner engine;
        const json inputs =
            test::CaseBuilder().tensor({2, 2}, {1, -2, 3, 4}).tensor({2, 2}, {1, 0, 2, 1}).json();
        const json first = engine.call(
            "tree_function", {{"graph", engine.load(layer)}, {"inputs", inputs}, {"name", "layer"}});
        QCOMPARE(first["function"], json(0));
        const json second = engine.call("tree_function", {{"graph", engine.load(reader)},
                                                          {"inputs", inputs},
                                                          {"name", "reader"},
                                                          {"tree", first["tree"]}});
        QCOMPARE(second["function"], json(1));
        json events = json::array();
        for (int i = 0; i < 4; ++i) {
            events.push_back({{"op", "mark_step"}});
            events.push_back(
                {{"op", "call"}, {"fn", 0}, {"inputs", {{"user"}, {"param", 1}}}, {"stack", "s"}});
            events.push_back(
                {{"op", "call"}, {"fn", 1}, {"inputs", {{"out", 2 * i, 0, "last"}, {"param", 2}}}});
            events.push_back({{"op", "drop"}, {"step", 2 * i}, {"outputs", {0, 1}}});
            events.push_back({{"op", "drop"}, {"step", 2 * i + 1}, {"outputs", {0}}});
        }
        const auto function = [](const char* mode, const json& written, std::size_t outputs) {
            return json{{"n_inputs", 2},
                        {"n_outputs", outputs},
                        {"static_input_idxs", {1}},
                        {"mutated_input_idxs", written},
                        {"mode", mode}};
        };
        json params{{"tree", first["tree"]},
                    {"case",
                     {{"functions", {function("FORWARD", json::array(), 2), function("BACKWARD", {1}, 1)}},
                      {"events", events},
                      {"cudagraph_unexpected_rerecord_limit", 128}}}};
        const json reply = engine.call("tree", params);
        QVERIFY2(reply.is_object(), engine.lastError().c_str());
        const auto report = replay::treeReportFromJson(reply["report"]);
        QVERIFY(report);
        QCOMPARE(report->backend, std::string("cpu"));
        QCOMPARE(report->verified, 8U);
        QCOMPARE(report->different, 0U);
        QCOMPARE(report->count("warmup"), 2U);
        QCOMPARE(report->count("record"), 2U);
        QCOMPARE(report->count("replay"), 4U);
        QCOMPARE(report->steps[1].function, std::string("layer"));
        QVERIFY(!engine.call("tree", params).is_object()); // it is gone
        QCOMPARE(engine.lastError(), std::string("there is no such tree"));
        // Of trees that nobody runs the oldest are dropped first.
        std::vector<json> begun;
        for (int i = 0; i < 17; ++i)
            begun.push_back(
                engine.call("tree_function", {{"graph", engine.load(layer)}, {"inputs", inputs}})["tree"]);
        const auto isKnown = [&](const json& tree) {
            return engine
                .call("tree_function", {{"graph", engine.load(layer)}, {"inputs", inputs}, {"tree", tree}})
                .is_object();
        };
        QVERIFY(!isKnown(begun[0]));
        QVERIFY(isKnown(begun[1]) && isKnown(begun[16]));
        params["tree"] =
            engine.call("tree_function", {{"graph", engine.load(layer)}, {"inputs", inputs}})["tree"];
        QVERIFY(!engine.call("tree", params).is_object());
        QCOMPARE(engine.lastError(), std::string("the case has other functions than the tree"));
        QVERIFY(
            !engine.call("tree_function", {{"graph", engine.load(layer)}, {"inputs", inputs}, {"tree", "x"}})
                 .is_object());
    }
};

QTEST_GUILESS_MAIN(TestEngineTrees)
#include "tst_engine_trees.moc"
