// SPDX-License-Identifier: BSD-3-Clause
#include "core/answers/answer.h"
#include "core/base/words.h"
#include "core/capture/open.h"
#include "core/ir/text.h"
#include "core/replay/coverage.h"
#include "core/replay/plan.h"
#include "core/session/symbol_hints.h"
#include "tests/support/captures.h"
#include "tests/support/trace_pairs.h"

#include <QtTest>
#include <algorithm>

using namespace dynascope;
using answers::Answer;
using answers::Question;
using answers::Standing;

namespace {

session::SessionPtr sample(const char* name) {
    auto opened = capture::open(std::string(DYNASCOPE_TEST_DATA "/../../resources/samples/") + name);
    return opened ? *opened : nullptr;
}

/// A graph that runs one operation, on the CPU.
const std::string sine = "class g(torch.nn.Module):\n"
                         "    def forward(self, x: \"f32[4][1]cpu\"):\n"
                         "        sin: \"f32[4][1]cpu\" = torch.ops.aten.sin.default(x);  x = None\n"
                         "        return (sin,)\n";

bool has(const std::string& text, std::string_view part) {
    if (text.find(part) != std::string::npos) return true;
    qWarning("\"%s\" lacks \"%s\"", text.c_str(), std::string(part).c_str());
    return false;
}

session::Compile compileOf(int frame, int n) {
    session::Compile out;
    out.id.frame = frame;
    out.id.compile = n;
    out.status = session::Status::Compiled;
    out.function = "f";
    out.compileSeconds = 1;
    return out;
}

session::Compile compiled(int frame, const std::string& text) {
    session::Compile out = compileOf(frame, 0);
    const auto graph = ir::readGraph(text);
    if (!graph) qFatal("%s", graph.error().toString().c_str());
    auto stage = std::make_shared<session::Stage>();
    stage->name = "aot_inference_graph";
    stage->phase = session::Phase::Inference;
    stage->setGraph(*graph);
    out.stages.push_back(std::move(stage));
    return out;
}

session::Session traceOf(std::vector<session::Compile> compiles) {
    session::Session out;
    out.kind = session::Kind::TorchTrace;
    out.ranks = {0};
    out.compiles = std::move(compiles);
    session::Frame frame;
    for (std::size_t i = 0; i < out.compiles.size(); ++i)
        frame.compiles.push_back(i);
    out.frames.push_back(std::move(frame));
    return out;
}

} // namespace

class TestAnswers : public QObject {
    Q_OBJECT

private slots:
    void theSampleOfGraphBreaks() {
        const session::SessionPtr session = sample("graph_breaks.log");
        QVERIFY(session);
        const Answer breaks = answers::answer(*session, Question::Breaks);
        QCOMPARE(breaks.standing, Standing::Change);
        QCOMPARE(breaks.figure, std::string("16"));
        QVERIFY(has(breaks.of, "for 7 reasons"));
        QVERIFY(has(breaks.sentence, "cap.py:27"));
        QVERIFY(has(breaks.sentence, "4 of the 16 breaks"));
        // The rows are those of the page, in its order, and lead to their groups.
        const session::BreakSummary summary = session::summarizeBreaks(*session);
        QCOMPARE(breaks.items.size(), summary.groups.size());
        for (std::size_t g = 0; g < breaks.items.size(); ++g) {
            QCOMPARE(breaks.items[g].target.group, g);
            QCOMPARE(breaks.items[g].label, summary.groups[g].reason);
            QCOMPARE(breaks.items[g].count, summary.groups[g].occurrences.size());
        }
        const session::WayOut& way = summary.groups.front().waysOut.front();
        QCOMPARE(breaks.change.title, way.title);
        // Only what is removed or written otherwise is shown as the line that was there.
        QCOMPARE(breaks.change.before.empty(), way.kind == "setting");

        const Answer again = answers::answer(*session, Question::Recompiles);
        QCOMPARE(again.figure, std::string("10"));
        QVERIFY(has(again.sentence, "All because a size changed."));
        QVERIFY(has(again.note, "dynamic=True"));
        QCOMPARE(again.items.size(), std::size_t(10));

        const Answer compiled = answers::answer(*session, Question::Compiled);
        QVERIFY(has(compiled.of, "in 20 compiles"));
        QVERIFY(has(compiled.sentence, "10 frames and 10 recompiles"));
        double shares = 0;
        for (const answers::Item& item : compiled.items)
            shares += item.value;
        QVERIFY(shares > 0 && compiled.items.front().value >= compiled.items.back().value);

        const Answer caches = answers::answer(*session, Question::Caches);
        QCOMPARE(caches.figure, std::string("32"));
        QVERIFY(has(caches.of, "of 32 lookups missed"));
        QVERIFY(has(std::string(session->records.type(caches.proof.record)), "cache_miss"));

        const Answer cuda = answers::answer(*session, Question::CudaGraphs);
        QCOMPARE(cuda.figure, std::string("16"));
        QCOMPARE(cuda.items.size(), std::size_t(16));

        const Answer reading = answers::answer(*session, Question::Reading);
        QCOMPARE(reading.standing, Standing::InOrder);
    }

    /// What one line does to the graph for two reasons is at one line.
    void oneLineMayHaveSeveralReasons() {
        session::Compile compile;
        compile.id = {0, 0};
        compile.status = session::Status::GraphBreak;
        for (const char* title : {"Failed to trace builtin operator",
                                  "Unsupported Tensor.item() call with capture_scalar_outputs=False"}) {
            session::GraphBreak graphBreak;
            graphBreak.title = title;
            graphBreak.userStack = {{"/home/me/vit.py", 27, "forward", "if log: print(x.mean().item())"}};
            compile.breaks.push_back(graphBreak);
        }
        const Answer breaks = answers::answer(traceOf({compile}), Question::Breaks);
        QVERIFY2(has(breaks.sentence, "vit.py:27 first: both breaks are there"), breaks.sentence.c_str());
        QVERIFY2(has(breaks.sentence, "Of its reasons the costliest: "), breaks.sentence.c_str());
    }

    /// Three causes are named; of more the two that are most.
    void causesOfRecompiles() {
        std::vector<session::Compile> compiles(5);
        const char* const reasons[] = {"0/0: tensor 'x' size mismatch at index 0. expected 8, actual 4",
                                       "0/0: GLOBAL_STATE changed: grad_mode ", "0/0: log == False",
                                       "0/0: a is b"};
        for (int i = 0; i < 5; ++i) {
            compiles[std::size_t(i)].id = {0, i};
            if (i == 0) continue;
            compiles[std::size_t(i)].isRecompile = true;
            compiles[std::size_t(i)].recompileReasons = {reasons[i - 1]};
        }
        const Answer four = answers::answer(traceOf(compiles), Question::Recompiles);
        QVERIFY2(has(four.sentence, "2 for other reasons"), four.sentence.c_str());
        compiles.pop_back();
        const Answer three = answers::answer(traceOf(compiles), Question::Recompiles);
        QVERIFY2(has(three.sentence, "1 because a size changed"), three.sentence.c_str());
        QVERIFY2(!has(three.sentence, "other reasons"), three.sentence.c_str());
    }

    /// The peak of the answer is the planners' own.
    void thePeakIsThePlanners() {
        for (const char* name : {"graph_breaks.log", "encoder_train.log"}) {
            const session::SessionPtr session = sample(name);
            QVERIFY(session);
            std::uint64_t most = 0;
            bool atLeast = false;
            for (const replay::GraphCoverage& graph :
                 replay::cudagraphCoverage(*session, replay::GraphBackend::ReduceOverhead).graphs) {
                const auto read = graph.stage->graph();
                QVERIFY(read);
                const replay::GraphBlocks blocks = replay::blocksOf(
                    **read, replay::defaultAlignment, session::symbolHints(session->compiles[graph.compile]));
                most = std::max(most, planGreedyBySize(blocks.blocks).peakBytes);
                atLeast = atLeast || blocks.unknown > 0;
            }
            const Answer memory = answers::answer(*session, Question::Memory);
            QCOMPARE(memory.figure, (atLeast ? "At least " : "") + formatBytes(most));
            QVERIFY(memory.proof.stage && !memory.proof.node.empty());
            QVERIFY((*memory.proof.stage->graph())->find(memory.proof.node) != ir::npos);
        }
    }

    /// What a capture does not hold is said so, with the way to have it, and no number is made up.
    void graphsAreNoRun() {
        const auto opened = capture::openText("graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
                                              "    %y : [num_users=1] = call_function[target=torch.sin]"
                                              "(args = (%x,), kwargs = {})\n    return y\n",
                                              "pasted text");
        QVERIFY(opened);
        for (const Question question :
             {Question::Breaks, Question::Recompiles, Question::Caches, Question::Memory,
              Question::CudaGraphs, Question::Ranks, Question::Stages}) {
            const Answer answer = answers::answer(**opened, question);
            QCOMPARE(answer.standing, Standing::NotHere);
            QVERIFY(answer.figure.empty() && answer.items.empty());
            QVERIFY(!answer.sentence.empty());
        }
        QVERIFY(has(answers::answer(**opened, Question::Breaks).command, "TORCH_TRACE="));
    }

    /// After a reset frames are compiled anew, which is no recompile: what is said holds for each run.
    void aResetIsNoRecompile() {
        session::Session twice = traceOf({compileOf(0, 0), compileOf(0, 0)});
        twice.compiles.back().id.run = 2;
        for (const int number : {1, 2}) {
            session::Run run;
            run.number = number;
            twice.runs.push_back(run);
        }
        const Answer answer = answers::answer(twice, Question::Recompiles);
        QCOMPARE(answer.figure, std::string("0"));
        QVERIFY2(has(answer.sentence, "within a run"), answer.sentence.c_str());
    }

    /// A graph without a tensor is none that would have to be recorded, nor one that keeps others on the CPU.
    void aGraphWithoutTensorsNeedsNoCudaGraph() {
        const std::string nothing = "class g(torch.nn.Module):\n"
                                    "    def forward(self):\n"
                                    "        return ()\n";
        const Answer both =
            answers::answer(traceOf({compiled(0, sine), compiled(1, nothing)}), Question::CudaGraphs);
        QVERIFY(has(both.of, "of 2 graphs would be a CUDA graph on a GPU"));
        QVERIFY(has(both.sentence, "Its tensors are on the CPU here: on one GPU,"));
        QVERIFY(has(both.note, "1 graph runs nothing on a device and needs none."));
        QCOMPARE(both.standing, Standing::InOrder);
        const Answer none = answers::answer(traceOf({compiled(0, nothing)}), Question::CudaGraphs);
        QVERIFY(has(none.sentence, "No graph runs anything on a device"));

        const std::string size = "class g(torch.nn.Module):\n"
                                 "    def forward(self, arg0_1: \"Sym(s77)\"):\n"
                                 "        return (arg0_1,)\n";
        const Answer given =
            answers::answer(traceOf({compiled(0, sine), compiled(1, size)}), Question::CudaGraphs);
        QVERIFY(has(given.of, "of 2 graphs would be a CUDA graph on a GPU"));
        QVERIFY(has(given.note, "1 graph runs nothing on a device and needs none."));
        QCOMPARE(given.standing, Standing::InOrder);
    }

    /// What one graph leaves open takes nothing from what is known of the others: they are on the CPU.
    void aGraphThatIsNotJudgedLeavesTheOthersOnTheCpu() {
        const std::string bare = "class g(torch.nn.Module):\n"
                                 "    def forward(self, x):\n"
                                 "        sin = torch.ops.aten.sin.default(x);  x = None\n"
                                 "        return (sin,)\n";
        const Answer out =
            answers::answer(traceOf({compiled(0, sine), compiled(1, bare)}), Question::CudaGraphs);
        QVERIFY(has(out.of, "of 2 graphs would be a CUDA graph on a GPU"));
        QVERIFY(has(out.sentence, "Its tensors are on the CPU here"));
        QVERIFY(has(out.sentence, "Of the others the capture does not say enough."));
        QCOMPARE(out.standing, Standing::Know);
    }

    /// args[0] of a frame of torch/_dynamo names nothing of the program.
    void aRecompileOfTheProgramsOwnCodeIsTheExample() {
        const auto entry = [](int frame, int n, const char* file, const char* guard) {
            session::Compile out = compileOf(frame, n);
            out.userStack = {{file, 7, "f", "return x"}};
            out.isRecompile = n > 0;
            if (n > 0) out.recompileReasons = {guard};
            return out;
        };
        const char* package = "/venv/lib/python3.11/site-packages/torch/_dynamo/external_utils.py";
        const Answer out = answers::answer(
            traceOf(
                {entry(0, 0, package, ""), entry(1, 0, "/home/me/train.py", ""),
                 entry(0, 1, package, "0/0: tensor 'args[0]' size mismatch at index 0. expected 4, actual 6"),
                 entry(1, 1, "/home/me/train.py",
                       "1/0: tensor 'x' size mismatch at index 0. expected 4, actual 6")}),
            Question::Recompiles);
        QVERIFY(has(out.sentence, "For instance x at dimension 0: expected 4, the call had 6."));
    }

    /// A log of some of PyTorch's loggers need not have every break and recompile.
    void aLogOfSomeLoggersProvesNothingByItsSilence() {
        session::Session log = traceOf({compileOf(0, 0)});
        QCOMPARE(answers::answer(log, Question::Breaks).standing, Standing::InOrder);
        QCOMPARE(answers::answer(log, Question::Recompiles).standing, Standing::InOrder);
        log.kind = session::Kind::TorchLogs;
        QCOMPARE(answers::answer(log, Question::Breaks).standing, Standing::NotHere);
        QCOMPARE(answers::answer(log, Question::Recompiles).standing, Standing::NotHere);
        QCOMPARE(answers::answer(log, Question::Caches).standing, Standing::NotHere);
    }

    void whatFailedComesFirst() {
        session::Compile failed = compileOf(0, 0);
        failed.status = session::Status::Failed;
        failed.failType = "Unsupported";
        failed.failReason = "cannot\nmore";
        const session::Session session = traceOf({failed, compileOf(1, 0)});
        const Answer compiled = answers::answer(session, Question::Compiled);
        QCOMPARE(compiled.standing, Standing::Change);
        QVERIFY(has(compiled.sentence, "0/0 failed with Unsupported: cannot."));
        // A line that only announces the cause has it behind it.
        session::Compile raised = failed;
        raised.failType = "BackendCompilerFailed";
        raised.failReason = "backend='inductor' raised:\nRuntimeError: no room.\n\nSet TORCHDYNAMO_VERBOSE=1";
        const std::string sentence = answers::answer(traceOf({raised}), Question::Compiled).sentence;
        QVERIFY2(has(sentence, "BackendCompilerFailed: backend='inductor' raised: RuntimeError: no room. "),
                 sentence.c_str());
        QCOMPARE(compiled.proof.compile, std::size_t(0));
        // A frame that failed was not captured whole.
        const auto whole = [](std::vector<session::Compile> compiles) {
            return answers::answer(traceOf(std::move(compiles)), Question::Breaks).sentence;
        };
        QCOMPARE(whole({failed, compileOf(1, 0)}),
                 std::string("No break is recorded; of 2 compiles 1 failed."));
        QCOMPARE(whole({failed}), std::string("No break is recorded; the one compile failed."));
        session::Compile skipped = compileOf(1, 0), open = compileOf(2, 0);
        skipped.status = session::Status::Skipped;
        open.status = session::Status::Incomplete;
        QCOMPARE(whole({open}), std::string("No break is recorded; the one compile has no end in the log."));
        QCOMPARE(whole({failed, skipped, skipped, open}),
                 std::string("No break is recorded; of 4 compiles 1 failed, 2 were skipped and 1 has no end "
                             "in the log."));
        QCOMPARE(whole({compileOf(1, 0)}), std::string("Every frame was captured whole."));
    }

    /// A trace whose compiles left no graph is not told to trace.
    void aTraceWithoutGraphsIsNotToldToTrace() {
        session::Compile failed = compileOf(0, 0);
        failed.status = session::Status::Failed;
        for (const Question question : {Question::CudaGraphs, Question::Memory}) {
            const Answer answer = answers::answer(traceOf({failed}), question);
            QCOMPARE(answer.standing, Standing::NotHere);
            QCOMPARE(answer.sentence, std::string("Nothing that was compiled left a graph in this trace."));
            QVERIFY(answer.command.empty());
        }
    }

    /// The parts of the compiler are named so that the sentence is one.
    void whereTheTimeWentIsASentence() {
        session::Session session = traceOf({compileOf(0, 0)});
        session::TimingEvent event;
        event.name = "async_compile.wait";
        event.durationUs = 5e5;
        event.compile = 0;
        session.timings = {event};
        QVERIFY(has(answers::answer(session, Question::Compiled).sentence,
                    "The largest part of the time, 100 %, went into compiling and loading kernels."));
    }

    /// reduce-overhead is a mode of Inductor: a run with another backend is told what works there.
    void aRunWithoutInductorIsToldWhatWorksThere() {
        const session::SessionPtr aotEager = sample("encoder_train.log");
        const session::SessionPtr inductor = sample("graph_breaks.log");
        QVERIFY(aotEager && inductor);
        QVERIFY(!replay::ranInductor(*aotEager) && replay::ranInductor(*inductor));
        const Answer answer = answers::answer(*aotEager, Question::CudaGraphs);
        QVERIFY(has(answer.note, "Nothing of Inductor is in this trace"));
        const auto report = replay::cudagraphCoverage(*aotEager, replay::GraphBackend::Cudagraphs);
        QVERIFY(has(answer.note, "backend=\"cudagraphs\" works without Inductor and would record " +
                                     std::to_string(report.countOnGpu(replay::CoverageVerdict::CudaGraph)) +
                                     " of " + std::to_string(report.graphs.size()) + " graphs"));
        QVERIFY(answers::answer(*inductor, Question::CudaGraphs).note.find("Nothing of Inductor") ==
                std::string::npos);
    }

    void aFrameAtTheLimit() {
        std::vector<session::Compile> compiles;
        for (int i = 0; i < 8; ++i) {
            compiles.push_back(compileOf(0, i));
            compiles.back().isRecompile = i > 0;
        }
        const Answer answer = answers::answer(traceOf(std::move(compiles)), Question::Recompiles);
        QVERIFY(has(answer.sentence, "0/0 has 8 entries"));
        QVERIFY(has(answer.sentence, "The trace does not say why."));
    }

    void caches() {
        session::Compile compile = compileOf(0, 0);
        session::CacheEvent& hit = compile.caches.emplace_back();
        hit.cache = "fx_graph_cache";
        hit.outcome = session::CacheEvent::Outcome::Hit;
        QCOMPARE(answers::answer(traceOf({compile}), Question::Caches).standing, Standing::InOrder);
        session::CacheEvent& bypass = compile.caches.emplace_back();
        bypass.cache = "aotautograd_cache";
        bypass.outcome = session::CacheEvent::Outcome::Bypass;
        bypass.reason = "Unsupported. \nmore";
        const Answer answer = answers::answer(traceOf({compile}), Question::Caches);
        QCOMPARE(answer.standing, Standing::Change);
        QCOMPARE(answer.of, std::string("of 2 lookups missed, 1 bypassed"));
        QVERIFY(has(answer.sentence, "Bypassed: Unsupported."));
        QCOMPARE(answers::answer(traceOf({compileOf(0, 0)}), Question::Caches).standing, Standing::NotHere);
    }

    /// The proof is the lookup that the note tells of, not the first that missed.
    void theKeyThatIsTold() {
        const auto opened = [](bool withInput) {
            test::TraceText text;
            text.string(1, "cap.py");
            for (int compile = 0; compile < 2; ++compile) {
                const std::string number = std::to_string(compile);
                text.at(0, compile).start();
                text.artifact("fx_graph_cache_miss",
                              "{\"key\": \"k" + number + "\", \"components\": [\"[a] gm: " + number + "\"" +
                                  (withInput ? ", \"[b] example_inputs[0]: " + number + "\"" : "") + "]}");
                text.metrics();
            }
            return test::openTrace(text);
        };
        const session::SessionPtr session = opened(false);
        QVERIFY(session);
        const Answer caches = answers::answer(*session, Question::Caches);
        QVERIFY2(has(caches.note, "Key of 0/0 beside that of 0/1 (fx_graph_cache): gm: 0 / 1."),
                 caches.note.c_str());
        QCOMPARE(session->records[caches.proof.record].compileId.toString(), std::string("0/1"));
        // The graph tells more than its inputs.
        const session::SessionPtr inputs = opened(true);
        QVERIFY(inputs);
        const std::string note = answers::answer(*inputs, Question::Caches).note;
        QVERIFY2(has(note, "(fx_graph_cache): gm: 0 / 1, and 1 more part."), note.c_str());
    }

    void stages() {
        const session::SessionPtr session = sample("encoder_train.log");
        QVERIFY(session);
        const Answer unchecked = answers::answer(*session, Question::Stages);
        QCOMPARE(unchecked.standing, Standing::NotHere);
        QVERIFY(has(unchecked.sentence, "Not checked: none of 3 graphs"));
        QCOMPARE(unchecked.command, std::string("dynascope-cli rederive CAPTURE"));
        answers::StageChecks checks;
        checks.trouble = "no engine";
        QVERIFY(has(stagesAnswer(*session, checks).sentence, "No engine. Not checked: none of 3 graphs"));
        checks.trouble.clear();
        checks.stages = 3;
        checks.isomorphic = 2;
        checks.running = true;
        QCOMPARE(stagesAnswer(*session, checks).standing, Standing::Checking);
        checks.running = false;
        QCOMPARE(stagesAnswer(*session, checks).standing, Standing::Know); // one is missing
        checks.isomorphic = 3;
        QCOMPARE(stagesAnswer(*session, checks).standing, Standing::InOrder);
        checks.isomorphic = 2;
        checks.declined = 1;
        QCOMPARE(stagesAnswer(*session, checks).standing, Standing::Know);
        checks.isomorphic = 0; // as a convolutional network's, whose norms Inductor decomposes
        checks.equivalent = 1;
        checks.declined = 2;
        QCOMPARE(stagesAnswer(*session, checks).of,
                 std::string("of 3 stages derived again, alike or equal in numbers"));
        QCOMPARE(stagesAnswer(*session, checks).sentence,
                 std::string("1 computes the same numbers in another form, 2 declined with a reason."));
        checks.equivalent = 0;
        checks.declined = 1;
        checks.isomorphic = 1; // what was declined is no less told where something else is missing
        QVERIFY(has(stagesAnswer(*session, checks).sentence,
                    "1 declined with a reason, 1 of 3 stages could not be checked."));
        checks.isomorphic = 2;
        checks.declined = 0;
        checks.different = 1;
        checks.firstDifferent = "0/0 aot_joint_graph: the operators differ.";
        const Answer different = stagesAnswer(*session, checks);
        // The proof is the verdict that says most.
        answers::Item good, declined;
        good.meaning = answers::Item::Meaning::Good;
        good.target.compile = 3;
        declined.meaning = answers::Item::Meaning::Warn;
        declined.target.compile = 5;
        checks.different = 0;
        checks.cells = {good};
        QCOMPARE(stagesAnswer(*session, checks).proof.compile, std::size_t(3));
        checks.cells = {good, declined};
        QCOMPARE(stagesAnswer(*session, checks).proof.compile, std::size_t(5));
        QCOMPARE(different.standing, Standing::Change);
        QVERIFY(has(different.sentence, checks.firstDifferent));
    }

    void runTimeIsAProfiles() {
        const auto joined = capture::open(DYNASCOPE_TEST_DATA "/profile/mlp_aot");
        QVERIFY(joined);
        const Answer answer = answers::answer(**joined, Question::RunTime);
        QCOMPARE(answer.standing, Standing::Know);
        QCOMPARE(answer.figure, std::string("1.0 ms"));
        QVERIFY2(answer.sentence.find("in kernels and nodes of compiled graphs") != std::string::npos,
                 answer.sentence.c_str());
        QVERIFY(answer.items.size() == 7 && answer.moreItems > 0);
        QCOMPARE(answer.items.front().label, std::string("addmm"));
        QCOMPARE(answer.items.front().target.node, std::string("addmm"));
        const auto alone = capture::open(DYNASCOPE_TEST_DATA "/profile/mlp_aot/profile.json.gz");
        QVERIFY(alone && (*alone)->kind == session::Kind::Profile);
        const Answer operators = answers::answer(**alone, Question::RunTime);
        QVERIFY(operators.note.find("no trace") != std::string::npos && !operators.items.empty());
        const auto none = capture::open(DYNASCOPE_TEST_DATA "/profile/mlp_aot/trace.log.xz");
        QVERIFY(none && answers::answer(**none, Question::RunTime).standing == Standing::NotHere);
    }

    void waitsInCollectivesAreNoKernels() {
        const auto late = capture::open(DYNASCOPE_TEST_DATA "/ranks/late");
        QVERIFY(late);
        const Answer time = answers::answer(**late, Question::RunTime);
        QVERIFY2(has(time.sentence, "or waited in a collective"), time.sentence.c_str());
        QVERIFY2(has(time.sentence, "% in collectives of compiled graphs, waits for other ranks included"),
                 time.sentence.c_str());
        // Gloo runs the same collectives on threads of its own.
        QVERIFY2(has(time.sentence, "% in collectives on threads of process groups"), time.sentence.c_str());
        QVERIFY(time.sentence.find("outside compiled code") == std::string::npos ||
                has(time.sentence, "under 1 % outside compiled code"));
        const Answer ranks = answers::answer(**late, Question::Ranks);
        QVERIFY2(has(ranks.note, "caches, code and profiles are compared"), ranks.note.c_str());
        // Without collectives nothing is said of them.
        const auto one = capture::open(DYNASCOPE_TEST_DATA "/profile/mlp_aot");
        QVERIFY(one && !has(answers::answer(**one, Question::RunTime).sentence, "collective"));
    }

    void commandsNameTheCapture() {
        const session::SessionPtr session = sample("encoder_train.log");
        const Answer answer = answers::answer(*session, Question::Stages);
        QCOMPARE(commandFor(answer, "a/b.log"), std::string("dynascope-cli rederive a/b.log"));
        QCOMPARE(commandFor(answer, "it's; rm"), std::string("dynascope-cli rederive 'it'\\''s; rm'"));
        QCOMPARE(shellWord("-x"), std::string("'-x'"));
        QCOMPARE(shellWord(""), std::string("''"));
    }

    /// Each question answers every capture of the tests with a sentence, and what is not here has no figure.
    void everyCapture() {
        const QStringList logs = test::traceLogs();
        QVERIFY(!logs.isEmpty());
        for (const QString& log : logs) {
            const std::string path = log.toStdString();
            const auto opened = capture::open(path);
            if (!opened) continue;
            for (const Question question : answers::questions) {
                const Answer answer = answers::answer(**opened, question);
                const std::string said = std::string(questionName(question)) + " of " + path;
                QVERIFY2(answer.question == question, said.c_str());
                QVERIFY2(!answer.sentence.empty(), said.c_str());
                QVERIFY2(answer.standing != Standing::NotHere || answer.figure.empty(), said.c_str());
                QVERIFY2(answer.sentence.back() == '.', said.c_str());
                for (const answers::Item& item : answer.items)
                    QVERIFY2(item.target.compile == answers::nowhere ||
                                 item.target.compile < (*opened)->compiles.size(),
                             said.c_str());
            }
        }
    }

    void cancelled() {
        std::stop_source stop;
        stop.request_stop();
        TaskContext task;
        task.stop = stop.get_token();
        const session::SessionPtr session = sample("graph_breaks.log");
        QVERIFY(answers::answer(*session, Question::CudaGraphs, task).items.empty());
        QVERIFY(answers::answer(*session, Question::Memory, task).items.empty());
    }

    void ranksAreAnsweredByWhatHurtsMost() {
        const auto opened = capture::open(DYNASCOPE_TEST_DATA "/ranks/diverge");
        QVERIFY(opened);
        const Answer found = answer(**opened, Question::Ranks);
        QCOMPARE(found.standing, Standing::Change);
        QVERIFY2(found.sentence.starts_with("Will hang: rank 3 calls all_gather_into_tensor"),
                 found.sentence.c_str());
        QCOMPARE(found.figure, std::string("0"));
        QCOMPARE(found.items.size(), 3U);
        QVERIFY(found.items[1].target.compile != answers::nowhere);
        QCOMPARE((*opened)->compiles[found.items[1].target.compile].rank, 3);
        const auto alike = capture::open(DYNASCOPE_TEST_DATA "/ranks/tp");
        QVERIFY(alike);
        QCOMPARE(answer(**alike, Question::Ranks).standing, Standing::InOrder);
    }
};

QTEST_GUILESS_MAIN(TestAnswers)
#include "tst_answers.moc"
