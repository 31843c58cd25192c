// SPDX-License-Identifier: BSD-3-Clause
//
// Recordings of passes compared pass by pass, and their kernels.
#include "core/capture/open.h"
#include "core/compare/compare.h"
#include "core/compare/passes.h"
#include "core/session/byte_source.h"
#include "tests/support/pass_recordings.h"

#include <QTest>
#include <algorithm>

using namespace dynascope;
using namespace dynascope::compare;

namespace {

session::Session sessionOf(const test::SmallPasses& how) {
    auto recording =
        inductor::PassRecording::read(session::makeByteSource(test::smallPasses(how)), nullptr, {});
    if (!recording) qFatal("%s", recording.error().toString().c_str());
    session::Session out;
    out.compiles = inductor::compilesIn(**recording);
    out.passRecordings.push_back(*recording);
    return out;
}

PassesComparison compared(const test::SmallPasses& a, const test::SmallPasses& b) {
    const session::Session sa = sessionOf(a), sb = sessionOf(b);
    auto out = comparePasses(sa, sa.compiles.at(0), sb, sb.compiles.at(0));
    if (!out) qFatal("%s", out.error().toString().c_str());
    return std::move(*out);
}

const PassComparison* passNamed(const PassesComparison& passes, std::string_view name) {
    for (const PhaseComparison& phase : passes.phases)
        for (const PassComparison& pass : phase.passes)
            if (pass.name == name) return &pass;
    return nullptr;
}

} // namespace

class TestComparePasses : public QObject {
    Q_OBJECT
private slots:
    void aRecordingIsLikeItself() {
        const auto session = capture::open(DYNASCOPE_TEST_DATA "/passes/block.dpasses");
        QVERIFY(session.has_value());
        for (const session::Compile& compile : (*session)->compiles) {
            const auto passes = comparePasses(**session, compile, **session, compile);
            QVERIFY(passes.has_value());
            QVERIFY2(passes->alike(), firstDifference(*passes).c_str());
            QVERIFY(passes->phases.size() >= 5 && !passes->schedules.empty());
            std::size_t kernels = 0;
            for (const ScheduleComparison& schedule : passes->schedules)
                kernels += schedule.same;
            QVERIFY2(kernels > 0, "no kernel was compared");
            QVERIFY(firstDifference(*passes).empty());
        }
    }

    void theFirstPassThatActsDifferentlyIsNamed() {
        const PassesComparison passes = compared({}, {.wrong = true});
        QVERIFY(!passes.alike());
        const auto [phase, first] = passes.first();
        QVERIFY(first != nullptr);
        QCOMPARE(first->name, std::string("custom_pass"));
        QCOMPARE(phase->name, std::string("post_grad, forward"));
        QCOMPARE(first->verdict, PassPairVerdict::Differs);
        QCOMPARE(first->changeA, std::string("nothing"));
        QCOMPARE(first->changeB, std::string("+1 -1 ~1"));
        QVERIFY2(first->difference.find("add") != std::string::npos, first->difference.c_str());
        QCOMPARE(passNamed(passes, "remove_noop_ops")->verdict, PassPairVerdict::Same);
        // It does to the other graph what it does to this one.
        const PassComparison* after = passNamed(passes, "transpose_output");
        QVERIFY(after != nullptr && !after->acts);
        QVERIFY2(
            firstDifference(passes).starts_with("custom_pass, pass 2 of post_grad, forward: nothing in A, "),
            firstDifference(passes).c_str());
    }

    void aPassThatASettingSwitchedOffSaysWhich() {
        const PassesComparison passes = compared({}, {.skips = true});
        const auto [phase, first] = passes.first();
        QVERIFY(first != nullptr);
        QCOMPARE(first->name, std::string("remove_noop_ops"));
        QCOMPARE(first->changeA, std::string("-1 ~1"));
        QCOMPARE(first->changeB, std::string("did not run: config.remove_noops is off"));
        QVERIFY(first->acts);
    }

    void aPassOfOneSideIsNoPassOfTheOther() {
        const PassesComparison passes = compared({}, {.unknown = true});
        const auto [phase, first] = passes.first();
        QVERIFY(first != nullptr);
        QCOMPARE(first->name, std::string("use_own_operator"));
        QCOMPARE(first->verdict, PassPairVerdict::OnlyInB);
        QCOMPARE(first->rowA, -1);
    }

    void kernelsHaveTheDecisionBehindThem() {
        const PassesComparison passes = compared({}, {.fused = false});
        QVERIFY(passes.first().pass == nullptr && !passes.alike());
        QCOMPARE(passes.schedules.size(), std::size_t(1));
        const ScheduleComparison& schedule = passes.schedules.front();
        QCOMPARE(schedule.graph, std::string("forward"));
        QCOMPARE(schedule.same, std::size_t(0));
        QCOMPARE(schedule.kernels.size(), std::size_t(3));
        const KernelComparison& fused = schedule.kernels.front();
        QVERIFY(fused.inA);
        QCOMPARE(fused.name, std::string("cpp_fused_add_mul_0"));
        QCOMPARE(fused.others, (std::vector<std::string>{"cpp_fused_mul_0", "cpp_fused_add_1"}));
        QCOMPARE(fused.decisions.size(), std::size_t(1));
        const FusionDecision& decision = fused.decisions.front();
        QCOMPARE(decision.number, std::size_t(1));
        QCOMPARE(decision.asked, std::string("op0 with op1"));
        QVERIFY(!decision.wasAllowed);
        QCOMPARE(decision.reasons, (std::vector<std::string>{"no shared data"}));
        QVERIFY2(firstDifference(passes).find("kernels of forward") != std::string::npos,
                 firstDifference(passes).c_str());
    }

    /// A capture's verdict is of its passes too, and given the same graph they come before the stages after them.
    void compilesDifferByTheirPasses() {
        const session::Session a = sessionOf({}), b = sessionOf({.wrong = true});
        const auto pair = compareCompiles(a, 0, b, 0);
        QVERIFY(pair.has_value());
        QCOMPARE(pair->compiles.size(), std::size_t(1));
        const CompileComparison& entry = pair->compiles.front();
        QVERIFY(entry.passes != nullptr);
        QCOMPARE(entry.verdict, CompareVerdict::Differs);
        QVERIFY2(entry.difference.starts_with("custom_pass"), entry.difference.c_str());
        const auto same = compareCompiles(a, 0, a, 0);
        QVERIFY(same.has_value() && same->alike());
        session::Session none = b;
        none.passRecordings.clear();
        const auto without = compareCompiles(a, 0, none, 0);
        QVERIFY(without.has_value() && without->compiles.front().passes == nullptr);
    }
};

QTEST_APPLESS_MAIN(TestComparePasses)
#include "tst_compare_passes.moc"
