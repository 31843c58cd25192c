// SPDX-License-Identifier: BSD-3-Clause
//
// What a graph break hands over, beside the arguments of the resume functions that Dynamo made.
#include "core/dynamo/describe.h"
#include "core/dynamo/handover.h"
#include "core/dynamo/recorded_breaks.h"
#include "core/dynamo/what_if.h"
#include "core/session/byte_source.h"
#include "tests/support/recordings.h"

#include <QtTest>
#include <algorithm>

using namespace dynascope;
using namespace dynascope::dynamo;

namespace {

using Names = std::set<std::string>;

/// The locals that a resume function is called with.
Names arguments(const Recording& recording, const AttemptInfo& attempt) {
    Names out;
    const State* state = recording.stateAt(attempt.first);
    const Code* code = recording.code(attempt.code);
    if (state == nullptr || code == nullptr) return out;
    for (const Local& local : callStack(*state).back()->locals) {
        const std::string name(recording.text(local.name));
        const bool own = name.starts_with("__"); // Dynamo's own, and the stack
        const bool free = std::find(code->free.begin(), code->free.end(), name) != code->free.end();
        if (!own && !free && local.value != 0) out.insert(name);
    }
    return out;
}

Names handedLocals(const Recording& recording, const State& state, std::uint32_t instruction) {
    Names out;
    for (const Handover::Input& input :
         handoverAt(recording, state, *callStack(state).back(), instruction).inputs)
        if (!input.name.starts_with("__")) out.insert(input.name);
    return out;
}

/// "torch_dynamo_resume_in_f_at_12", also of a break in a resume function of f.
std::string resumeName(const Code& code, std::uint32_t line) {
    static constexpr std::string_view prefix = "torch_dynamo_resume_in_";
    std::string_view function = code.name;
    if (function.starts_with(prefix)) {
        function.remove_prefix(prefix.size());
        function = function.substr(0, function.rfind("_at_"));
    }
    return std::string(prefix).append(function).append("_at_").append(std::to_string(line));
}

std::string text(const Names& names) {
    std::string out;
    for (const std::string& name : names)
        out += name + ' ';
    return out;
}

Code codeOf(std::vector<Instruction> instructions) {
    Code out;
    out.instructions = std::move(instructions);
    return out;
}

Instruction op(std::string_view name, std::string_view argument = {}, std::int32_t target = -1) {
    Instruction out;
    out.op = name;
    out.text = argument;
    out.target = target;
    return out;
}

} // namespace

class TestDynamoHandover : public QObject {
    Q_OBJECT

    std::map<std::string, RecordingPtr> m_recordings;

private slots:
    void initTestCase() {
        for (const auto& [name, bytes] : test::oracleRecordings()) {
            const auto read = Recording::read(session::makeByteSource(bytes), nullptr);
            QVERIFY(read);
            m_recordings.emplace(name, *read);
        }
    }

    void liveness() {
        using Live = std::set<std::string_view>;
        const Code straight = codeOf({op("LOAD_FAST", "a"), op("STORE_FAST", "b"), op("LOAD_FAST", "b"),
                                      op("LOAD_DEREF", "c"), op("RETURN_VALUE"), op("LOAD_FAST", "never")});
        QCOMPARE(liveNames(straight, 0), (Live{"a", "c"}));
        QCOMPARE(liveNames(straight, 2), (Live{"b", "c"}));
        // A write past a jump hides nothing; where the jump leads counts.
        const Code branch =
            codeOf({op("POP_JUMP_FORWARD_IF_FALSE", {}, 4), op("STORE_FAST", "x"), op("LOAD_FAST", "x"),
                    op("RETURN_VALUE"), op("LOAD_FAST", "y"), op("RETURN_VALUE")});
        QCOMPARE(liveNames(branch, 0), (Live{"x", "y"}));
        QCOMPARE(liveNames(branch, 4), (Live{"y"}));
        Code guarded = codeOf(
            {op("NOP"), op("RETURN_VALUE"), op("PUSH_EXC_INFO"), op("LOAD_FAST", "saved"), op("RERAISE")});
        guarded.handlers.push_back({0, 0, 2, 0});
        QCOMPARE(liveNames(guarded, 0), (Live{"saved"}));
        QCOMPARE(liveNames(guarded, 1), Live{});
        const Code loop = codeOf({op("LOAD_FAST", "i"), op("JUMP_BACKWARD", {}, 0)});
        QCOMPARE(liveNames(loop, 0), (Live{"i"}));
        QCOMPARE(liveNames(loop, 77), Live{});
        QCOMPARE(liveNames(codeOf({op("JUMP_FORWARD", {}, 900)}), 0), Live{});
    }

    /// Every resume function of the oracle's programs is called with the locals that are predicted from the
    /// state at the break, and with no others.
    void asDynamoDid() {
        std::size_t checked = 0;
        for (const auto& [name, recording] : m_recordings)
            for (const EventInfo& event : recording->events()) {
                if (event.tag != Tag::GraphEnd || !event.graphBreak || event.step == noStep) continue;
                const State* state = recording->stateAt(event.step);
                QVERIFY(state);
                const State at = *state;
                const FrameState& root = *callStack(at).back();
                const Code* code = recording->code(root.code);
                QVERIFY(code);
                std::vector<Names> predicted{handedLocals(*recording, at, root.instruction + 1)};
                if (const std::int32_t target = code->instructions.at(root.instruction).target; target >= 0)
                    predicted.push_back(handedLocals(*recording, at, std::uint32_t(target)));
                const std::string resume = resumeName(*code, lineOf(*recording, root));
                std::vector<Names> called;
                for (const AttemptInfo& attempt : recording->attempts())
                    if (const Code* own = recording->code(attempt.code);
                        own && own->name == resume && attempt.first > event.step)
                        called.push_back(arguments(*recording, attempt));
                if (called.empty()) continue; // it was never called
                const bool found = std::any_of(called.begin(), called.end(), [&](const Names& one) {
                    return std::find(predicted.begin(), predicted.end(), one) != predicted.end();
                });
                QVERIFY2(found, (name + ' ' + resume + ": called with " + text(called.front()) +
                                 "; predicted " + text(predicted.front()))
                                    .c_str());
                ++checked;
            }
        qInfo("%zu resume functions", checked);
        QVERIFY(checked >= 10);
    }

    /// Every node is in one of the parts, and what the second graph takes was made before it.
    void everyNodeIsInOnePart() {
        std::size_t inlined = 0, broken = 0;
        for (const auto& [name, recording] : m_recordings)
            for (StepIndex step = 0; step < recording->steps().size(); step += 3) {
                const State* now = recording->stateAt(step);
                QVERIFY(now);
                const BrokenGraph parts = breakGraphAt(*recording, step, State(*now));
                const std::uint32_t attempt = recording->frames()[recording->steps()[step].frame].attempt;
                const State* end = recording->stateAfter(attempt);
                QVERIFY(end);
                std::set<std::uint32_t> all(parts.first.begin(), parts.first.end());
                all.insert(parts.called.begin(), parts.called.end());
                all.insert(parts.second.begin(), parts.second.end());
                const std::size_t sum = parts.first.size() + parts.called.size() + parts.second.size();
                QCOMPARE(all.size(), sum);
                QCOMPARE(sum, std::size_t(end->graphs.empty() ? 0 : end->graphs.front().nodes));
                for (const std::uint32_t id : parts.taken)
                    QVERIFY(std::find(parts.second.begin(), parts.second.end(), id) == parts.second.end());
                inlined += parts.inlined;
                broken += parts.ends != noStep;
                QVERIFY2(!graphBreakText(*recording, step, State(*recording->stateAt(step))).empty(),
                         name.c_str());
            }
        QVERIFY(inlined > 0 && broken > 0);
    }
};

QTEST_GUILESS_MAIN(TestDynamoHandover)
#include "tst_dynamo_handover.moc"
