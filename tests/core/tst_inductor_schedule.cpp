// SPDX-License-Identifier: BSD-3-Clause
//
// Fusions step by step, why two operations are not in one kernel, buffers over the schedule, and source lines through
// every pass: tests/data/passes and a small recording.
#include "core/capture/open.h"
#include "core/inductor/buffer_lives.h"
#include "core/inductor/fallbacks.h"
#include "core/inductor/line_history.h"
#include "core/inductor/schedule_rows.h"
#include "core/inductor/stage_passes.h"
#include "core/inductor/why_not_fused.h"
#include "core/session/byte_source.h"
#include "tests/support/pass_recordings.h"

#include <QTest>
#include <algorithm>
#include <set>

using namespace dynascope;
using namespace dynascope::inductor;

namespace {

PassRecordingPtr block() {
    const auto session = capture::open(DYNASCOPE_TEST_DATA "/passes/block.dpasses");
    if (!session) qFatal("%s", session.error().toString().c_str());
    return session::attachedAs<PassRecording>((*session)->passRecordings.front());
}

PassRecordingPtr small(const test::SmallPasses& how) {
    const auto out = PassRecording::read(session::makeByteSource(test::smallPasses(how)), nullptr, {});
    if (!out) qFatal("%s", out.error().toString().c_str());
    return *out;
}

WrapperLine line(WrapperLine::What what, const std::string& name, const std::string& other = {},
                 std::optional<std::uint64_t> bytes = {}, bool kept = false) {
    WrapperLine out;
    out.what = what;
    out.name = name;
    out.other = other;
    out.bytes = bytes;
    out.kept = kept;
    return out;
}

} // namespace

class TestInductorSchedule : public QObject {
    Q_OBJECT
private slots:
    void fusionsGrowStepByStep() {
        const PassRecordingPtr recording = block();
        for (const Schedule& schedule : recording->schedules()) {
            std::size_t before = groupsAfter(schedule, 0).size();
            QVERIFY(before > schedule.fusions.size());
            for (std::size_t n = 1; n <= schedule.fusions.size(); ++n) {
                const auto groups = groupsAfter(schedule, n);
                QCOMPARE(groups.size(), before - 1);
                const auto made = std::ranges::find(groups, n, &FusionGroup::fusion);
                QVERIFY(made != groups.end());
                const Fusion& fusion = schedule.fusions[n - 1];
                std::set<std::string> wanted;
                for (const std::uint32_t part : {fusion.a, fusion.b})
                    for (const std::string& operation : schedule.operationsOf(part))
                        wanted.insert(operation);
                QCOMPARE(std::set<std::string>(made->operations.begin(), made->operations.end()), wanted);
                before = groups.size();
            }
        }
    }

    void everyFusionJoinsNeighbours() {
        const PassRecordingPtr recording = block();
        for (const Schedule& schedule : recording->schedules()) {
            const ScheduleRows rows = rowsOf(schedule);
            QCOMPARE(rows.operations.size(), groupsAfter(schedule, 0).size());
            QCOMPARE(rows.fusions.size(), schedule.fusions.size());
            for (std::size_t i = 0; i < rows.fusions.size(); ++i) {
                std::set<std::string> wanted, found;
                for (const std::uint32_t part : {schedule.fusions[i].a, schedule.fusions[i].b})
                    for (const std::string& operation : schedule.operationsOf(part))
                        wanted.insert(operation);
                for (std::size_t row = rows.fusions[i].first; row <= rows.fusions[i].last; ++row)
                    found.insert(rows.operations[row]->name);
                QCOMPARE(found, wanted);
            }
            for (std::size_t n = 0; n <= schedule.fusions.size(); ++n) {
                std::size_t kernels = 0;
                for (const FusionGroup& group : groupsAfter(schedule, n))
                    kernels += group.operations.size() > 1 ? 1 : 0;
                QCOMPARE(rows.boxesAfter(n).size(), kernels);
            }
            QVERIFY(!rows.edges.empty());
            for (const RowEdge& edge : rows.edges) {
                QVERIFY(edge.from != edge.to);
                const auto& writes = rows.operations[edge.from]->writes;
                const auto& reads = rows.operations[edge.to]->reads;
                QVERIFY(std::ranges::any_of(writes, [&reads](const Access& write) {
                    return std::ranges::find(reads, write.buffer, &Access::buffer) != reads.end();
                }));
            }
        }
    }

    /// PyTorch takes the order with the lowest peak, which is the order at the end.
    void weighedOrdersAreRead() {
        const PassRecordingPtr recording = block();
        for (const Schedule& schedule : recording->schedules()) {
            const WeighedOrders& weighed = schedule.weighed;
            QCOMPARE(weighed.orders.size(), std::size_t(4));
            QVERIFY(weighed.takenOrder() != nullptr);
            QCOMPARE(weighed.takenOrder()->nodes, schedule.order);
            for (std::size_t i = 0; i < weighed.orders.size(); ++i) {
                const WeighedOrder& order = weighed.orders[i];
                QVERIFY(order.peak >= weighed.takenOrder()->peak);
                QCOMPARE(order.live[peakOf(order)], order.peak);
                QVERIFY(!KernelNames(schedule).of(order.nodes[peakOf(order)]).empty());
            }
            QCOMPARE(movedAgainstTaken(weighed, *weighed.taken), std::optional<std::size_t>(0));
            QVERIFY(std::ranges::find(schedule.steps, "reorder_for_peak_memory", &ScheduleStep::name) !=
                    schedule.steps.end());
        }
        const PassRecordingPtr moved = small({});
        const Schedule& schedule = moved->schedules().front();
        QCOMPARE(movedAgainstTaken(schedule.weighed, 0), std::optional<std::size_t>(2));
        QCOMPARE(KernelNames(schedule).of(99), std::string("?"));
        QCOMPARE(KernelNames(schedule).of(2), std::string("cpp_fused_add_mul_0")); // by its operation
        QCOMPARE(schedule.steps.back().moved, std::size_t(2));
    }

    /// Fusions of a file that lies: of what there is not, of the same twice, of themselves.
    void fusionsOfALiarHaveRows() {
        Schedule schedule;
        for (std::uint32_t id = 1; id <= 4; ++id) {
            schedule.nodes[id].id = id;
            schedule.nodes[id].name = "op" + std::to_string(id);
        }
        schedule.nodes[9].id = 9;
        schedule.nodes[9].name = "op1_op2";
        schedule.nodes[9].members = {1, 2, 77};
        schedule.fusions = {
            {1, 1, 2, 9, {}, {}}, {1, 9, 9, 9, {}, {}}, {1, 50, 51, 52, {}, {}}, {2, 2, 1, 9, {}, {}}};
        schedule.order = {4, 4, 99, 9};
        const ScheduleRows rows = rowsOf(schedule);
        QCOMPARE(rows.operations.size(), std::size_t(4));
        QCOMPARE(rows.operations.front()->name, std::string("op4"));
        QCOMPARE(rows.fusions[0], (RowRange{1, 2}));
        QCOMPARE(rows.fusions[2], RowRange{});
        for (std::size_t n = 0; n < 6; ++n)
            QVERIFY(rows.boxesAfter(n).size() <= 1);
        QVERIFY(rowsOf(Schedule()).operations.empty());
    }

    void sizesAndKernelsAreRead() {
        const PassRecordingPtr recording = block();
        const ScheduleRows rows = rowsOf(recording->schedules().front());
        const auto node = [&rows](const char* name) { return rows.operations[rows.rowOf.at(name)]; };
        QCOMPARE(node("op0")->sizes, std::string("2, 8 | 32"));
        QCOMPARE(node("op1")->sizes, std::string("2, 8"));
        QCOMPARE(node("op5")->kernel, std::string("extern_kernels.addmm"));
        QVERIFY(node("op5")->sizes.empty() && node("op0")->kernel.empty());
    }

    void choicesThatWereTimedAreRead() {
        const PassRecordingPtr recording = small({.tuned = true});
        QCOMPARE(recording->tunings().size(), std::size_t(1));
        const Tuning& tuning = recording->tunings().front();
        QCOMPARE(tuning.name, std::string("mul"));
        QCOMPARE(tuning.inputs, std::vector<std::string>{"float32 4x4"});
        QCOMPARE(tuning.choices.size(), std::size_t(3));
        QVERIFY(tuning.choices[0].ms == 0.5 && tuning.choices[0].name == "template_0");
        QVERIFY(!tuning.choices[2].ms);
        QVERIFY(small({})->tunings().empty());
    }

    void fusionsThatWereTimedAreRead() {
        const PassRecordingPtr slower = small({.timed = true, .fused = false});
        const Schedule& apart = slower->schedules().front();
        QCOMPARE(apart.timed.size(), std::size_t(2));
        QVERIFY(!apart.timed[0].fused && apart.timed[0].runs == 3 && apart.timed[0].round == 1);
        QCOMPARE(timesText(apart.timed[0]),
                 std::string("timed: fused 0.0210 ms, apart 0.0100 and 0.0040 ms"));
        QCOMPARE(timesText(apart.timed[1]), std::string("timed: times are not known"));
        QVERIFY(refusalsOf(apart).empty());
        const WhyNotFused told = whyNotFused(apart, "op1", "op0");
        QCOMPARE(told.timed.size(), std::size_t(2));
        QCOMPARE(wouldHaveToDiffer(*slower, apart, told, "op1", "op0"),
                 (std::vector<std::string>{
                     "one kernel would have to be faster than two when PyTorch times them"}));
        QVERIFY(timingsOf(apart, "op0", "op900").empty());

        const PassRecordingPtr faster = small({.timed = true});
        const Schedule& one = faster->schedules().front();
        const TimedFusion* timed = timingOf(one, one.fusions.front()); // named the other way about
        QVERIFY(timed != nullptr && timed->fused && timed->msFused == 0.012);
        Fusion later = one.fusions.front();
        later.round = 2;
        QVERIFY(timingOf(one, later) == nullptr);
        const PassRecordingPtr plain = small({});
        QVERIFY(plain->schedules().front().timed.empty());
    }

    void fallbacksHaveBytesAndLines() {
        const auto session = capture::open(DYNASCOPE_TEST_DATA "/passes");
        QVERIFY(session.has_value());
        CompilePasses passes = passesOf(**session, (*session)->compiles.front());
        QVERIFY(addStages(passes).has_value());
        const auto costs = fallbacksOf(passes);
        QVERIFY(costs.has_value());
        QCOMPARE(costs->size(), std::size_t(2));
        for (const FallbackCost& cost : *costs) {
            QVERIFY(cost.isWhole && cost.read > 0 && cost.written > 0);
            QCOMPARE(cost.fallback->why, std::string("in the list of fallbacks"));
        }
        QCOMPARE(costs->front().phase->graph, std::string("backward"));
        QVERIFY(costs->front().bytes() > costs->back().bytes());
        // Query, key and value, 2 by 8 heads' values of 32 floats each.
        QCOMPARE(costs->back().read, std::uint64_t(3 * 2 * 8 * 32 * 4));
        QVERIFY(costs->back().file.ends_with("block.py") && costs->back().line > 0);
    }

    void whatWouldHaveToDiffer() {
        const PassRecordingPtr recording = block();
        const Schedule& schedule = recording->schedules().front();
        std::size_t told = 0;
        for (const Question& question : schedule.questions) {
            if (question.answer == Question::Answer::Yes) continue;
            const auto a = schedule.operationsOf(question.a), b = schedule.operationsOf(question.b);
            if (a.empty() || b.empty()) continue;
            const WhyNotFused why = whyNotFused(schedule, a.back(), b.front());
            const auto differ = wouldHaveToDiffer(*recording, schedule, why, a.back(), b.front());
            if (!why.kernel.empty()) QVERIFY(differ.empty());
            told += differ.empty() ? 0 : 1;
        }
        QVERIFY(told > 0);
        const WhyNotFused why = whyNotFused(schedule, "op0", "op900");
        QVERIFY(wouldHaveToDiffer(*recording, schedule, why, "op0", "op900").empty());
    }

    void whyTwoAreNotFused() {
        const PassRecordingPtr recording = block();
        const Schedule& schedule = recording->schedules().front();
        // op5 is a matrix product of PyTorch's own; op9 copies what attention gives, which needs it.
        const WhyNotFused told = whyNotFused(schedule, "op5", "op9");
        QVERIFY(told.known && told.kernel.empty());
        QVERIFY2(std::ranges::find(told.between, "op6") != told.between.end(), "attention is between them");
        QVERIFY(std::ranges::any_of(told.apart, [](const std::string& text) {
            return text.find("ExternKernel") != std::string::npos;
        }));
        const WhyNotFused one = whyNotFused(schedule, "op0", "op1");
        QCOMPARE(one.kernel, std::string("cpp_fused_native_layer_norm_0"));
        const WhyNotFused none = whyNotFused(schedule, "op0", "op900");
        QVERIFY(!none.known && none.questions.empty());
        QVERIFY(!whyNotFused(schedule, "op0", "op0").known);
    }

    void aFactIsNoReason() {
        const PassRecordingPtr recording = small({.fused = false});
        const WhyNotFused told = whyNotFused(recording->schedules().front(), "op0", "op1");
        QCOMPARE(told.questions.size(), std::size_t(1));
        QCOMPARE(told.apart, (std::vector<std::string>{"op1 reads buf0, which op0 writes"}));
        QCOMPARE(told.shared, (std::vector<std::string>{"arg1_1", "buf0"}));
        QVERIFY(told.between.empty() && told.fusionsA.empty());
    }

    void buffersLiveOverTheSchedule() {
        const PassRecordingPtr recording = block();
        const Schedule& schedule = recording->schedules().front();
        const ScheduleMemory memory = memoryOf(schedule);
        // Five kernels, and six calls of PyTorch's own.
        QCOMPARE(memory.steps.size(), std::size_t(11));
        QCOMPARE(memory.steps.front(), std::string("cpp_fused_native_layer_norm_0"));
        QCOMPARE(memory.live.size(), memory.steps.size());
        const auto life = [&memory](const std::string& name) {
            return std::ranges::find(memory.lives, name, &BufferLife::buffer);
        };
        QCOMPARE(life("buf1")->takesFrom, std::string("buf0"));
        QCOMPARE(life("buf1")->memory, life("buf0")->memory);
        QVERIFY(life("buf21")->isOutput && life("buf21")->last == memory.steps.size() - 1);
        QVERIFY(life("buf7")->byKernel && life("buf7")->bytes.has_value());
        QCOMPARE(life("buf22")->takesFrom, std::string("buf11"));
        for (const BufferLife& one : memory.lives)
            QVERIFY(one.first <= one.last && one.last < memory.steps.size());
        // No two that lie in one memory live at one step but at the kernel that hands it on.
        for (const BufferLife& a : memory.lives)
            for (const BufferLife& b : memory.lives)
                if (&a < &b && a.memory == b.memory) QVERIFY(b.first >= a.last);
        QVERIFY(memory.peak() > 0 && memory.peak() <= std::uint64_t(*schedule.peak));
    }

    void memoryIsCountedOnce() {
        using What = WrapperLine::What;
        Schedule schedule;
        schedule.outputs = {"c"};
        schedule.wrapper = {line(What::Allocate, "a", {}, 100),
                            line(What::Call, "k0"),
                            line(What::Allocate, "b", {}, 10),
                            line(What::Call, "k1"),
                            line(What::Free, "a", {}, {}, true),
                            line(What::Call, "k2"),
                            line(What::Reuse, "c", "a", 100),
                            line(What::Free, "b"),
                            line(What::Call, "k3"),
                            line(What::Free, "an_input")};
        const ScheduleMemory memory = memoryOf(schedule);
        QCOMPARE(memory.steps, (std::vector<std::string>{"k0", "k1", "k2", "k3"}));
        QCOMPARE(memory.live, (std::vector<std::uint64_t>{100, 110, 10, 100}));
        QCOMPARE(memory.peakStep, std::size_t(1));
        QCOMPARE(memory.lives.size(), std::size_t(3));
        QCOMPARE(memory.lives.back().memory, std::size_t(0));
        QVERIFY(memory.lives.back().isOutput);
        schedule.wrapper.clear();
        QVERIFY(memoryOf(schedule).live.empty() && memoryOf(schedule).peak() == 0);
        schedule.wrapper = {line(What::Allocate, "s", {}, std::nullopt), line(What::Call, "k")};
        QCOMPARE(memoryOf(schedule).unsized, std::size_t(1));
    }

    void passesLeadToStages() {
        const PassRecordingPtr recording = small({.wrong = true});
        session::Session session;
        session.compiles = compilesIn(*recording);
        session.passRecordings.push_back(recording);
        const CompilePasses passes = passesOf(session, session.compiles.at(0));
        session::Compile compile = session.compiles.at(0);
        QVERIFY(passesByStage(passes, compile).empty()); // no stage that they lead to
        const auto stage = [](session::Phase phase) {
            auto out = std::make_shared<session::Stage>();
            out->phase = phase;
            out->content = session::Stage::Content::Graph;
            return out;
        };
        compile.stages = {stage(session::Phase::Forward), stage(session::Phase::PostGradForward),
                          stage(session::Phase::PostGradForward), stage(session::Phase::PostGradBackward)};
        const auto found = passesByStage(passes, compile);
        QCOMPARE(found.size(), std::size_t(1));
        QCOMPARE(found[0].stage, std::size_t(2));
        std::vector<std::string> names;
        for (const std::size_t row : found[0].rows)
            names.push_back(passes.rows[row].name());
        QCOMPARE(names, (std::vector<std::string>{"remove_noop_ops", "custom_pass", "transpose_output"}));
        auto second = stage(session::Phase::PostGradForward);
        second->attempt = 1;
        compile.stages.push_back(second);
        QVERIFY(passesByStage(passes, compile).empty());
    }

    void aLineIsFollowed() {
        const PassRecordingPtr recording = small({.wrong = true});
        session::Session session;
        session.compiles = compilesIn(*recording);
        session.passRecordings.push_back(recording);
        CompilePasses passes = passesOf(session, session.compiles.at(0));
        QVERIFY(addStages(passes).has_value());
        const auto steps = historyOfLine(passes, "train.py", 8);
        QVERIFY(steps.has_value());
        QVERIFY(steps->size() >= 3);
        QCOMPARE((*steps)[0].row, -1);
        QCOMPARE((*steps)[0].made, (std::vector<std::string>{"add"}));
        QCOMPARE(passes.rows[std::size_t((*steps)[1].row)].name(), std::string("remove_noop_ops"));
        QCOMPARE((*steps)[1].changed, (std::vector<std::string>{"add"}));
        QCOMPARE((*steps)[2].gone, (std::vector<std::string>{"add"}));
        QCOMPARE((*steps)[2].made, (std::vector<std::string>{"sub"}));
        QVERIFY(historyOfLine(passes, "rain.py", 8)->empty());
        QVERIFY(historyOfLine(passes, "train.py", 9)->empty());
        std::stop_source stop;
        stop.request_stop();
        QVERIFY(!historyOfLine(passes, "train.py", 8, {stop.get_token(), {}}).has_value());
    }
};

QTEST_APPLESS_MAIN(TestInductorSchedule)
#include "tst_inductor_schedule.moc"
