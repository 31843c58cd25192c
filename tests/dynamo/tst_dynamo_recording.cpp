// SPDX-License-Identifier: BSD-3-Clause
//
// Recordings: any step's state, both directions, conditions; cut off, damaged, growing.
#include "core/dynamo/cursor.h"
#include "core/dynamo/describe.h"
#include "core/dynamo/search.h"
#include "core/session/byte_source.h"
#include "tests/support/recordings.h"

#include <QTest>
#include <algorithm>
#include <map>

using namespace dynascope;
using namespace dynascope::dynamo;
using test::RecordingWriter;

namespace {

RecordingPtr opened(const std::string& file, const std::string& tail = {}) {
    auto out = Recording::read(session::makeByteSource(file),
                               tail.empty() ? nullptr : session::makeByteSource(tail));
    return out ? *out : nullptr;
}

/// Everything that is said of a state.
std::string whole(const Recording& recording, const State& state) {
    std::string out = graphText(recording, state) + '\n' + std::to_string(state.guardCount) + ' ' +
                      std::to_string(state.stores.size()) + ' ' + std::to_string(state.mutations.size()) +
                      '\n';
    for (const FrameState* frame : callStack(state)) {
        for (const ValueId value : frame->stack)
            out += valueText(recording, state, value) + '\n';
        for (const Local& local : frame->locals)
            out += std::string(recording.text(local.name)) + ' ' + valueText(recording, state, local.value) +
                   '\n';
    }
    return out;
}

/// One attempt that goes on for `steps` steps of one frame, with a value and a node now and then.
RecordingWriter longAttempt(StepIndex steps) {
    RecordingWriter out;
    out.record('H', R"({"format":1})")
        .numbers('s', {1}, "TensorVariable")
        .numbers('s', {2}, "x")
        .numbers('s', {3}, "call_function");
    out.record(
        'c',
        R"({"id":1,"name":"f","file":"p.py","first_line":1,"instructions":{"op":["NOP","NOP"],"line":[1,2]}})");
    out.record('A', R"({"id":1,"compile_id":"0/0","attempt":0,"code":1})");
    out.numbers('f', {1, 0, 1, 0, 0}).numbers('g', {0, 0});
    for (StepIndex i = 0; i < steps; ++i) {
        if (i % 3 == 0) out.numbers('v', {i / 3 + 1, 1});
        if (i % 50 == 0) out.numbers('n', {i / 50 + 1, 0, i / 50, 3, 2, 2, 0, 0}, "(args = (), kwargs = {})");
        out.step(i == 0 ? 11 : 10, i == 0 ? std::vector<std::uint64_t>{1, 0, 1, 2, i / 3 + 1}
                                          : std::vector<std::uint64_t>{i % 2, 1, 2, i / 3 + 1});
        if (i % 5000 == 4999) out.endBlock();
    }
    return out;
}

} // namespace

class TestDynamoRecording : public QObject {
    Q_OBJECT

private:
    std::map<std::string, std::string> m_files;

    RecordingPtr recording(const std::string& name) const { return opened(m_files.at(name)); }

private slots:
    void initTestCase() {
        m_files = test::oracleRecordings();
        QCOMPARE(m_files.size(), 41U);
    }

    void sameStateFromBothSides() {
        for (const auto& [name, file] : m_files) {
            const RecordingPtr one = opened(file), other = opened(file);
            QVERIFY2(one && one->warnings().empty(), name.c_str());
            std::vector<std::string> forward;
            for (StepIndex i = 0; i < one->steps().size(); ++i) {
                const State* state = one->stateAt(i);
                QVERIFY2(state != nullptr, name.c_str());
                forward.push_back(whole(*one, *state));
            }
            for (StepIndex i = static_cast<StepIndex>(one->steps().size()); i-- > 0;) {
                const State* state = other->stateAt(i);
                QVERIFY2(state != nullptr && whole(*other, *state) == forward[i],
                         (name + ' ' + std::to_string(i)).c_str());
            }
        }
    }

    void stepsGoBothWays() {
        const RecordingPtr r = recording("gb13_break_in_callee");
        const auto functionAt = [&](StepIndex i) { return r->codeOf(r->frames()[r->steps()[i].frame]).name; };
        // From f's call over mid, into it, and out of it again.
        const StepIndex call = runToLine(*r, noStep, "gb13_break_in_callee.py", 16, Direction::Forward);
        QVERIFY(call != noStep);
        StepIndex at = call;
        while (r->instructionAt(at)->op != "CALL")
            at = stepOver(*r, at, Direction::Forward);
        const StepIndex inside = stepIn(*r, at, Direction::Forward);
        QCOMPARE(functionAt(inside), "mid");
        QCOMPARE(stepIn(*r, inside, Direction::Back), at);
        QCOMPARE(stepOut(*r, inside, Direction::Back), at);
        // The break unwinds the whole attempt, so what comes after the call is the next attempt.
        const StepIndex after = stepOver(*r, at, Direction::Forward);
        QCOMPARE(r->attempts()[r->frames()[r->steps()[after].frame].attempt].number, 1U);
        QCOMPARE(stepOut(*r, inside, Direction::Forward), after);
        QCOMPARE(stepOver(*r, after, Direction::Back), at);
        QCOMPARE(stepLine(*r, call, Direction::Back), runToLine(*r, call, "", 14, Direction::Back) + 4 - 1);
    }

    void runsToABreakAndBackToWhereTheValueWasMade() {
        const RecordingPtr r = recording("gb13_break_in_callee");
        const StepIndex broke = runTo(*r, noStep, Happening::GraphBreak, Direction::Forward);
        QVERIFY(broke != noStep);
        QCOMPARE(r->instructionAt(broke)->op, "CALL");
        const State* state = r->stateAt(broke);
        const ValueInfo argument = unwrapped(*r, *state, state->frameState(state->frame)->stack.back());
        QCOMPARE(std::string(argument.kind), "TensorVariable");
        const std::string node(r->text(state->nodes[argument.number("node") - 1].name));
        QCOMPARE(node, "a");
        const StepIndex made = runToNode(*r, broke, node, Direction::Back);
        QVERIFY(made < broke);
        QCOMPARE(r->instructionAt(made)->op, "BINARY_OP");
        QVERIFY(r->steps()[made].has(Happening::Node));
        QCOMPARE(runToNode(*r, made, "nothing", Direction::Forward), noStep);
        const StepIndex guarded = runToGuard(*r, noStep, "L['x']", Direction::Forward);
        QCOMPARE(r->instructionAt(guarded)->line, 14U);
        QVERIFY(runTo(*r, noStep, Happening::GraphBreak, Direction::Back) > broke);
    }

    void conditionsComeToHold() {
        const RecordingPtr r = recording("gb13_break_in_callee");
        const auto run = [&](std::string_view text, StepIndex from, Direction direction) {
            const auto condition = Condition::parse(text);
            return condition ? runUntil(*r, from, *condition, direction).value_or(noStep) : noStep - 1;
        };
        const StepIndex two = run("nodes > 1", noStep, Direction::Forward);
        QVERIFY(two < r->steps().size());
        QCOMPARE(r->stateAt(two)->currentGraph()->nodes, 2U);
        QCOMPARE(r->stateAt(two - 1)->currentGraph()->nodes < 2U, true);
        QCOMPARE(run("nodes > 1", two + 1, Direction::Back), two);
        QVERIFY(run("nodes > 1", two, Direction::Back) == noStep);
        const StepIndex tensor =
            run("local y is tensor and y.dtype == f32 and function == low", noStep, Direction::Forward);
        QCOMPARE(r->codeOf(r->frames()[r->steps()[tensor].frame]).name, "low");
        QCOMPARE(run("guard on L['x']", noStep, Direction::Forward) > 0, true);
        QCOMPARE(run("op == RETURN_VALUE or line == 5", noStep, Direction::Forward),
                 run("line == 5", noStep, Direction::Forward));
        QCOMPARE(run("not (local x) and depth > 90", noStep, Direction::Forward), noStep);
        QCOMPARE(run("attempt == 1", noStep, Direction::Forward), r->attempts()[1].first);
        for (const char* wrong :
             {"", "nodes >", "nodes 3", "(nodes > 1", "guard on", "x is", "nodes > 1 nodes", "'open"})
            QVERIFY2(!Condition::parse(wrong), wrong);
        const auto unknown = [&](std::string_view text) { return Condition::parse(text)->unknown(*r); };
        QCOMPARE(unknown("local y is tensor and y.dtype == f32 and function == low or guard on L['x']"),
                 std::vector<std::string>());
        QCOMPARE(unknown("not (nowhere.dtype == f32) or nowhere > 1 or local y is tensr or guard on L['z']"),
                 (std::vector<std::string>{"local 'nowhere'", "kind 'tensr'", "guard on L['z']"}));
        QCOMPARE(unknown("guard on L['a b] (']['c'] or (guard on f(G['z']))"),
                 (std::vector<std::string>{"guard on L['a b] (']['c']", "guard on f(G['z'])"}));
        QCOMPARE(Condition::parse("nodes > 1 nodes").error().message,
                 std::string("'nodes' is not expected here, column 11"));
        // A graph that a break ends, ends.
        const StepIndex ends = runTo(*r, noStep, Happening::GraphEnd, Direction::Forward);
        QVERIFY(r->steps()[ends].has(Happening::GraphBreak));
        QVERIFY(!Condition::parse(std::string(100000, '(')));
        std::string chain = "nodes > 1";
        for (int i = 0; i < 1000; ++i)
            chain += " and nodes > 1";
        QVERIFY(!Condition::parse(chain));
    }

    void breakpointsHaltAtLinesAndConditions() {
        const RecordingPtr r = recording("gb13_break_in_callee");
        std::vector<Breakpoint> points{*Breakpoint::parse("gb13_break_in_callee.py:16"),
                                       *Breakpoint::parse("nodes > 1"), *Breakpoint::parse("attempt == 1")};
        QCOMPARE(points[0].where().line, 16U);
        QVERIFY(!points[0].condition() && points[1].condition());
        // Forward to the end, then back: the same places, and each of what it waits for.
        std::vector<StepIndex> there, back;
        for (StepIndex at = noStep;;) {
            const auto halt = runToBreakpoint(*r, at, points, Direction::Forward);
            QVERIFY(halt);
            if ((at = halt->step) == noStep) break;
            there.push_back(at);
            if (halt->breakpoint == 0) QCOMPARE(r->instructionAt(at)->line, 16U);
            if (halt->breakpoint == 1) QVERIFY(r->stateAt(at)->currentGraph()->nodes > 1);
            if (halt->breakpoint == 2) {
                const AttemptInfo& attempt = r->attempts()[r->frames()[r->steps()[at].frame].attempt];
                QCOMPARE(attempt.number, 1U);
                QCOMPARE(attempt.first, at);
            }
        }
        for (StepIndex at = noStep;;) {
            at = runToBreakpoint(*r, at, points, Direction::Back)->step;
            if (at == noStep) break;
            back.insert(back.begin(), at);
        }
        QVERIFY(there.size() >= 3);
        QCOMPARE(there, back);
        QVERIFY(runToBreakpoint(*r, noStep, {}, Direction::Forward)->step == noStep);
        QVERIFY(!Breakpoint::parse("cap.py:"));
        const auto haltOf = [&](std::string_view text) {
            const std::vector<Breakpoint> one{*Breakpoint::parse(text)};
            return runToBreakpoint(*r, noStep, one, Direction::Forward)->step;
        };
        QCOMPARE(haltOf("graph break"), runTo(*r, noStep, Happening::GraphBreak, Direction::Forward));
        QCOMPARE(haltOf("exception"), runTo(*r, noStep, Happening::Exception, Direction::Forward));
        QCOMPARE(haltOf("16"), runToLine(*r, noStep, "", 16, Direction::Forward));
        const StepIndex second = haltOf("gb13_break_in_callee.py:16 if attempt == 1");
        QVERIFY(second > haltOf("gb13_break_in_callee.py:16"));
        QCOMPARE(r->attempts()[r->frames()[r->steps()[second].frame].attempt].number, 1U);
        QCOMPARE(haltOf("file == gb13_break_in_callee.py"), 0U);
    }

    void textIsFound() {
        const RecordingPtr r = recording("gb13_break_in_callee");
        const auto found = searchRecording(*r, "LOW");
        QVERIFY(found);
        std::map<SearchHit::Kind, std::size_t> kinds;
        for (const SearchHit& hit : found->hits) {
            ++kinds[hit.kind];
            QVERIFY(hit.step < r->steps().size());
            QVERIFY(!hit.place.empty());
        }
        QVERIFY(kinds[SearchHit::Kind::Function] > 0);
        QVERIFY(kinds[SearchHit::Kind::Source] > 0);
        QVERIFY(kinds[SearchHit::Kind::Instruction] > 0);
        QVERIFY(std::is_sorted(found->hits.begin(), found->hits.end(),
                               [](const auto& a, const auto& b) { return a.step < b.step; }));
        const auto kindOf = [&](std::string_view text) {
            const auto hits = searchRecording(*r, text);
            return hits && !hits->hits.empty() ? int(hits->hits.front().kind) : -1;
        };
        QCOMPARE(kindOf("TENSOR_MATCH"), int(SearchHit::Kind::Guard));
        QCOMPARE(kindOf("call_function operator.add"), int(SearchHit::Kind::Node));
        QCOMPARE(kindOf("no such thing"), -1);
        QCOMPARE(kindOf("  "), -1);
        QVERIFY(searchRecording(*r, "a", {}, 2)->more);
        // Of a long recording, an instruction counts once.
        RecordingWriter writer = longAttempt(1000);
        const auto nops = searchRecording(*opened(writer.endBlock().file()), "nop");
        QCOMPARE(nops->hits.size(), 2U);
        QCOMPARE(nops->hits[0].times, 500U);
    }

    void eventsByStep() {
        const RecordingPtr r = recording("gb13_break_in_callee");
        std::size_t count = 0;
        for (StepIndex step = 0; step < r->steps().size(); ++step)
            for (const std::uint32_t event : r->eventsAt(step)) {
                QCOMPARE(r->events()[event].step, step);
                ++count;
            }
        QVERIFY(count > 1);
        QCOMPARE(count, std::size_t(std::count_if(r->events().begin(), r->events().end(),
                                                  [](const EventInfo& e) { return e.step != noStep; })));
    }

    void cellsShowWhatTheyHold() {
        const RecordingPtr r = recording("cl07_late_binding");
        const auto condition = Condition::parse("local i is cell and i.value == 1");
        QVERIFY(condition);
        const auto found = runUntil(*r, noStep, *condition, Direction::Forward);
        QVERIFY(found && *found != noStep);
        const State* state = r->stateAt(*found);
        const ValueId cell = localNamed(*r, *state->frameState(state->frame), "i");
        QCOMPARE(valueText(*r, *state, cell), "CellVariable i -> ConstantVariable 1");
    }

    void keyframesOfALongAttempt() {
        constexpr StepIndex steps = 60'000;
        RecordingWriter writer = longAttempt(steps);
        const RecordingPtr r = opened(writer.endBlock().file());
        QVERIFY(r);
        QCOMPARE(r->steps().size(), std::size_t(steps));
        for (const StepIndex i : {steps - 1, StepIndex(3), steps / 2, StepIndex(8191), StepIndex(8192),
                                  StepIndex(8193), StepIndex(0)}) {
            const State* state = r->stateAt(i);
            QVERIFY(state);
            QCOMPARE(state->frameState(1)->instruction, i == 0 ? 0U : i % 2);
            QCOMPARE(localNamed(*r, *state->frameState(1), "x"), i / 3 + 1);
            QCOMPARE(state->currentGraph()->nodes, i / 50 + 1);
            QCOMPARE(state->values.size(), std::size_t(i / 3 + 1));
        }
        QVERIFY(r->stateAfter(0));
        QVERIFY(r->stateAt(17));
    }

    void everyPrefixOpens() {
        const std::string& file = m_files.at("ds01_mark_dynamic");
        RecordingWriter writer = longAttempt(300);
        const std::string tail = writer.tail();
        for (std::size_t size = 0; size < tail.size(); ++size) {
            const RecordingPtr r = opened(writer.file(), tail.substr(0, size));
            QVERIFY(r);
            if (!r->steps().empty()) QVERIFY(r->stateAt(static_cast<StepIndex>(r->steps().size() - 1)));
        }
        QCOMPARE(opened(writer.file(), tail)->steps().size(), 300U);
        QVERIFY(!opened(file.substr(0, 8)));
        QVERIFY(opened(file.substr(0, file.size() / 2))->steps().empty());
        QVERIFY(!opened(file.substr(0, file.size() / 2))->warnings().empty());
    }

    void aTailOutOfDateIsIgnored() {
        RecordingWriter writer = longAttempt(30);
        const std::string old = writer.tail();
        writer.endBlock();
        QCOMPARE(opened(writer.file(), old)->steps().size(), 30U);
        QCOMPARE(opened(writer.file(), writer.tail())->steps().size(), 30U);
    }

    void aDamagedBlockCostsItsAttempt() {
        RecordingWriter writer;
        writer.record('H', R"({"format":1})");
        for (int i = 1; i <= 3; ++i) {
            writer.record('A', R"({"id":1,"compile_id":"0/0","attempt":0,"code":1})")
                .numbers('f', {1, 0, 1, 0, 0});
            writer.step(3, {1, 0}).endBlock();
            writer.step(0).numbers('Z', {1}).endBlock();
        }
        std::string file = writer.file();
        file[file.rfind("BLCK") - 3] ^= 1; // the first half of the last attempt
        const RecordingPtr r = opened(file);
        QVERIFY(r);
        QCOMPARE(r->warnings().size(), 1U);
        QCOMPARE(r->attempts().size(), 2U);
        QCOMPARE(r->steps().size(), 4U);
    }

    void unknownRecordsAndFieldsArePassedOver() {
        RecordingWriter writer;
        writer.record('H', R"({"format":1,"more":[1]})")
            .record('?', "whatever")
            .record('A', R"({"id":1,"compile_id":"7/0"})");
        writer.numbers('f', {1, 0, 1, 0, 0, 99, 98}).step(3, {1, 0, 5}).numbers('W', {}).endBlock();
        const RecordingPtr r = opened(writer.file());
        QCOMPARE(r->steps().size(), 1U);
        QCOMPARE(r->attempts()[0].compileId, "7/0");
        QCOMPARE(r->recordCounts().at('?'), 1U);
        QVERIFY(r->stateAt(0));
    }

    void nonsenseIsLeftOut() {
        RecordingWriter writer;
        writer.record('i', "x")
            .numbers('v', {1, 1})
            .record('A', "no json")
            .record('A', R"({"id":1})")
            .step(3, {1, 0});
        writer.numbers('f', {5000, 0, 1, 0, 0}).numbers('f', {1, 1, 1, 0, 0}).numbers('f', {1, 0, 900, 7, 0});
        writer.numbers('v', {std::uint64_t(1) << 60U, 1})
            .numbers('n', {1, 4, 9, 1, 1, 1, 1, 1})
            .numbers('d', {77})
            .numbers('x', {3});
        writer.step(15, {1, 4'000'000'000U, 50, 5000, 1, 2})
            .numbers('l', {99})
            .numbers('g', {1U << 30U, 0})
            .endBlock();
        const RecordingPtr r = opened(writer.file());
        QVERIFY(r);
        QCOMPARE(r->steps().size(), 1U);
        const State* state = r->stateAt(0);
        QVERIFY(state);
        QVERIFY(r->instructionAt(0) == nullptr);
        QVERIFY(!whole(*r, *state).empty());
    }
};

QTEST_APPLESS_MAIN(TestDynamoRecording)
#include "tst_dynamo_recording.moc"
