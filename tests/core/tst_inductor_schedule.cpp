// SPDX-License-Identifier: BSD-3-Clause
//
// Fusions step by step, why two operations are not in one kernel, buffers over the schedule, and source lines through
// every pass: tests/data/passes and a small recording.
#include "core/capture/open.h"
#include "core/inductor/buffer_lives.h"
#include "core/inductor/line_history.h"
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
