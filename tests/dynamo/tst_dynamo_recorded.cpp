// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks and the cache as recordings know them.
#include "core/dynamo/recorded_breaks.h"
#include "core/dynamo/recorded_cache.h"
#include "core/session/byte_source.h"
#include "tests/support/recordings.h"

#include <QTest>
#include <algorithm>
#include <map>
#include <set>

using namespace dynascope;
using namespace dynascope::dynamo;

class TestDynamoRecorded : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        for (const auto& [name, bytes] : test::oracleRecordings()) {
            const auto read = Recording::read(session::makeByteSource(bytes), nullptr);
            QVERIFY(read);
            m_recordings.emplace(name, *read);
        }
        QVERIFY(m_recordings.size() > 30);
    }

    void breaksByCause() {
        const Recording& recording = *m_recordings.at("gb24_dynamic_output_op");
        const auto breaks = recordedBreaks(recording);
        QVERIFY(breaks);
        QCOMPARE(breaks->size(), std::size_t(2)); // nonzero, and an index that is a mask
        const RecordedBreak& one = breaks->front();
        QVERIFY(!one.failed && !breaks->back().failed);
        QVERIFY(one.place.line != breaks->back().place.line);
        QVERIFY(one.place.line > 0);
        QVERIFY(!one.waysOut.empty());
        QVERIFY(recording.steps()[one.occurrences.front().step].has(Happening::GraphBreak));
        // x or y, and what is compared with 1, of four numbers each.
        QVERIFY2(one.occurrences.front().bytes >= 16, std::to_string(one.occurrences.front().bytes).c_str());
        QVERIFY(one.occurrences.front().nodes > 0);
    }

    /// Of an attempt that is made again, the exception does not count beside the break that it becomes.
    void aCompileCountsOnce() {
        for (const auto& [name, recording] : m_recordings) {
            const auto breaks = recordedBreaks(*recording);
            QVERIFY(breaks);
            for (const RecordedBreak& one : *breaks) {
                std::set<std::string> compiles;
                for (const auto& occurrence : one.occurrences)
                    QVERIFY2(compiles.insert(occurrence.compile).second, name.c_str());
                QVERIFY2(!one.occurrences.empty() && !one.reason.empty(), name.c_str());
                QVERIFY(one.failed || !one.waysOut.empty());
            }
        }
        const auto skipped = recordedBreaks(*m_recordings.at("rc05_bool_none"));
        QCOMPARE(skipped->size(), std::size_t(1));
        QVERIFY(skipped->front().failed);
        QVERIFY(skipped->front().reason.starts_with("SkipFrame: No ops traced"));
    }

    /// getattr() with a default: Dynamo raises the AttributeError, catches it and traces on.
    void anExceptionThatDynamoCaughtEndsNothing() {
        const auto source = session::openByteSource(DYNASCOPE_TEST_DATA "/dynamo/caught_exception.dsteps");
        QVERIFY(source);
        const auto read = Recording::read(*source, nullptr);
        QVERIFY(read);
        const Recording& recording = **read;
        const auto raised = std::count_if(recording.events().begin(), recording.events().end(),
                                          [](const EventInfo& event) { return event.tag == Tag::Raised; });
        QCOMPARE(raised, std::ptrdiff_t(2));
        for (const EventInfo& event : recording.events())
            QVERIFY2(!endsFrame(recording, event), event.text.c_str());
        const auto breaks = recordedBreaks(recording);
        QVERIFY(breaks && breaks->empty());
        // That of a frame that is skipped does end it.
        const Recording& skipped = *m_recordings.at("rc05_bool_none");
        QVERIFY(std::any_of(skipped.events().begin(), skipped.events().end(),
                            [&](const EventInfo& event) { return endsFrame(skipped, event); }));
    }

    void sizesInBytes() {
        const Recording& recording = *m_recordings.at("rc01_shape");
        std::set<std::uint64_t> seen;
        for (std::uint32_t attempt = 0; attempt < recording.attempts().size(); ++attempt) {
            const State* state = recording.stateAfter(attempt);
            for (ValueId id = 1; id <= state->values.size(); ++id)
                if (const ValueInfo value = recording.value(*state, id); value.text("source") == "L['x']")
                    seen.insert(tensorBytes(recording, *state, value));
        }
        // x of 2, 1 and 0 numbers of four bytes. Of 3 it is a symbol, whose hint this recording lacks.
        for (const std::uint64_t bytes : {8U, 4U, 0U})
            QVERIFY2(seen.contains(bytes), std::to_string(bytes).c_str());
    }

    void guardsAreRead() {
        const RecordedGuard guard = readRecordedGuard(
            "TENSOR_MATCH: check_tensor(L['x'], Tensor, DispatchKeySet(CPU), torch.float32, device=None, "
            "requires_grad=False, size=[2, None], stride=[1, 1])  # return x * 2  # rc.py:7 in f");
        QCOMPARE(guard.kind, std::string("TENSOR_MATCH"));
        QVERIFY(guard.check.ends_with("stride=[1, 1])"));
        QCOMPARE(guard.code, std::string("return x * 2"));
        QCOMPARE(guard.addedAt.file, std::string("rc.py"));
        QCOMPARE(guard.addedAt.line, 7U);
        CallInputs call{{"L['x']", {true, "torch.float32", "[2, 9]", "[1, 1]", false, {}}}};
        QVERIFY(checkGuard(guard, call).kind == GuardVerdict::Kind::Holds);
        call["L['x']"].shape = "[3, 9]";
        QVERIFY(checkGuard(guard, call).kind == GuardVerdict::Kind::Fails);
        call["L['x']"].shape = "[2]";
        QVERIFY(checkGuard(guard, call).kind == GuardVerdict::Kind::Fails);
        call["L['x']"].shape = "[2, 9]";
        call["L['x']"].dtype = "torch.float64";
        QCOMPARE(checkGuard(guard, call).actual, std::string("torch.float64"));
        QVERIFY(checkGuard(guard, {}).kind == GuardVerdict::Kind::Unknown);
        const auto kindOf = [&](std::string_view text) {
            const CallInputs inputs{{"L['x']", {true, "", "[2, 9]", "", false, {}}},
                                    {"L['n']", {false, {}, {}, {}, false, "True"}}};
            return checkGuard(readRecordedGuard(text), inputs).kind;
        };
        QVERIFY(kindOf("EQUALS_MATCH: L['n'] == True") == GuardVerdict::Kind::Holds);
        QVERIFY(kindOf("EQUALS_MATCH: L['n'] == False  # if n:  # a.py:3 in f") == GuardVerdict::Kind::Fails);
        QVERIFY(kindOf("2 <= L['x'].size()[0]") == GuardVerdict::Kind::Holds);
        QVERIFY(kindOf("L['x'].size()[1] < 9") == GuardVerdict::Kind::Fails);
        QVERIFY(kindOf("L['x'].size()[7] < 9") == GuardVerdict::Kind::Unknown);
        QVERIFY(kindOf("L['x'] is L['y']") == GuardVerdict::Kind::Unknown);
        QVERIFY(kindOf("") == GuardVerdict::Kind::Unknown);
    }

    void guardsComeFromSteps() {
        const Recording& recording = *m_recordings.at("rc01_shape");
        const CompileInfo& compile = recording.compiles().front();
        const auto origins = guardOrigins(recording, 0);
        QCOMPARE(origins.size(), compile.guards.size());
        const auto tensor = std::find_if(origins.begin(), origins.end(),
                                         [](const GuardOrigin& o) { return o.guard.kind == "TENSOR_MATCH"; });
        QVERIFY(tensor != origins.end());
        QVERIFY(recording.steps()[tensor->step].has(Happening::Guard));
        QVERIFY(tensor->who.find("wrap_tensor") != std::string::npos);
        QCOMPARE(tensor->guard.addedAt.line, 7U);
        // Of all that check something of the program's, the recording says which line is to blame.
        std::size_t placed = 0, all = 0;
        for (const auto& [name, other] : m_recordings)
            for (std::size_t i = 0; i < other->compiles().size(); ++i)
                for (const GuardOrigin& origin : guardOrigins(*other, i)) {
                    if (origin.guard.check.find("L[") == std::string::npos) continue;
                    ++all;
                    placed += origin.guard.addedAt.line != 0;
                    QVERIFY2(origin.step == noStep || origin.guard.addedAt.line != 0,
                             (name + ' ' + origin.guard.check).c_str());
                }
        qInfo("%zu of %zu guards on locals have a line", placed, all);
        QVERIFY(placed * 10 > all * 9);
    }

    /// torch._dynamo.reset() empties the caches, and ids begin anew: other entries, of another function even.
    void cachesBeginAnewAfterAReset() {
        test::RecordingWriter writer;
        writer.record('H', R"({"format":1})");
        writer.record('c',
                      R"({"id":1,"name":"f","file":"p.py","first_line":1,"instructions":{"op":["NOP"]}})");
        writer.record('c',
                      R"({"id":2,"name":"g","file":"p.py","first_line":1,"instructions":{"op":["NOP"]}})");
        const auto compile = [&](const QByteArray& id, char function) {
            const std::uint64_t code = function == 'f' ? 1 : 2;
            const QByteArray begun = QByteArray(R"({"compile_id":"ID"})").replace("ID", id);
            const QByteArray attempt = QByteArray(R"({"compile_id":"ID","attempt":0,"code":CODE})")
                                           .replace("ID", id)
                                           .replace("CODE", QByteArray::number(qulonglong(code)));
            writer.record('C', begun.toStdString()).record('A', attempt.toStdString());
            writer.numbers('f', {1, 0, code, 0, 0}).step(3, {1, 0}).record('Z', "");
            writer.record('E', R"({"status":"compiled"})");
        };
        compile("0/0", 'f');
        compile("0/1", 'f');
        compile("0/0", 'g');
        writer.endBlock();
        const auto read = Recording::read(session::makeByteSource(writer.file()), nullptr);
        QVERIFY(read);
        const std::vector<CodeEntries> codes = codeEntries(**read);
        QCOMPARE(codes.size(), std::size_t(2));
        QCOMPARE(codes[0].compiles, (std::vector<std::size_t>{0, 1}));
        QCOMPARE(codes[0].resets, 0U);
        QCOMPARE(codes[1].compiles, (std::vector<std::size_t>{2}));
        QCOMPARE(codes[1].resets, 1U);
        QCOMPARE((*read)->lastAttempt(0), 0U);
        QCOMPARE((*read)->lastAttempt(2), 2U);
        // Two compiles that both are 0/0 are told apart by their run, and so are their attempts.
        const auto& compiles = (*read)->compiles();
        QCOMPARE(idText(compiles[0]), std::string("0/0"));
        QCOMPARE(idText(compiles[1]), std::string("0/1"));
        QCOMPARE(idText(compiles[2]), std::string("0/0@2"));
        QCOMPARE(idText((*read)->attempts()[1]), std::string("0/1"));
        QCOMPARE(idText((*read)->attempts()[2]), std::string("0/0@2"));
    }

    /// Both values of each guard on a constant that failed.
    void failuresHaveBothValues() {
        std::size_t values = 0;
        for (const auto& [name, recording] : m_recordings)
            for (std::size_t i = 0; i < recording->compiles().size(); ++i)
                for (const FailedGuard& guard : recordedFailures(*recording, i)) {
                    if (guard.kind != FailedGuard::Kind::Value || guard.actual.empty()) continue;
                    QVERIFY2(guard.expected != guard.actual, (name + ' ' + guard.check).c_str());
                    ++values;
                }
        QVERIFY(values > 0);
    }

    /// An entry's guards hold for the call that it was made for; the first call misses, the same again hits.
    void entriesServeTheirOwnCalls() {
        std::size_t checked = 0;
        for (const auto& [name, recording] : m_recordings)
            for (std::size_t i = 0; i < recording->compiles().size(); ++i) {
                const CallInputs inputs = inputsOf(*recording, i);
                for (const std::string& text : recording->compiles()[i].guards) {
                    const GuardVerdict verdict = checkGuard(readRecordedGuard(text), inputs);
                    QVERIFY2(verdict.kind != GuardVerdict::Kind::Fails,
                             (name + ": " + text + ": " + verdict.expected + " / " + verdict.actual).c_str());
                    if (verdict.kind == GuardVerdict::Kind::Holds) ++checked;
                }
            }
        QVERIFY2(checked > 50, std::to_string(checked).c_str());
    }

    /// The order in which the calls came: none was served by an entry that was there, and all are the next
    /// time.
    void theRecordedOrderCompilesEachCall() {
        for (const auto& [name, recording] : m_recordings)
            for (const CodeEntries& code : codeEntries(*recording)) {
                std::vector<CallToSimulate> calls;
                for (std::size_t i = 0; i < code.compiles.size(); ++i)
                    if (recording->compiles()[code.compiles[i]].status == "compiled")
                        calls.push_back({i, {}});
                const std::size_t first = calls.size();
                calls.insert(calls.end(), calls.begin(), calls.begin() + std::ptrdiff_t(first));
                const CacheSimulation simulation = simulateCache(*recording, code, calls, 64);
                QCOMPARE(simulation.calls.size(), calls.size());
                for (std::size_t i = 0; i < first; ++i)
                    QVERIFY2(simulation.calls[i].answer.kind == CacheAnswer::Kind::Compiled, name.c_str());
                for (std::size_t i = first; i < calls.size(); ++i)
                    QVERIFY2(simulation.calls[i].answer.kind == CacheAnswer::Kind::Hit, name.c_str());
            }
    }

    void theLimitEndsCompilation() {
        const Recording& recording = *m_recordings.at("rc01_shape");
        const CodeEntries code = codeEntries(recording).front();
        QCOMPARE(code.compiles.size(), std::size_t(4));
        const std::vector<CallToSimulate> calls{{0, {}}, {1, {}}, {2, {}}, {0, {}}, {3, {}}};
        const CacheSimulation simulation = simulateCache(recording, code, calls, 2);
        using Kind = CacheAnswer::Kind;
        std::vector<Kind> kinds;
        for (const SimulatedCall& call : simulation.calls)
            kinds.push_back(call.answer.kind);
        QVERIFY((kinds == std::vector{Kind::Compiled, Kind::Compiled, Kind::LimitReached, Kind::Hit,
                                      Kind::LimitReached}));
        QVERIFY(simulation.calls[1].answer.lookups.front().reason.find("expected 2, actual 3") !=
                std::string::npos);
        // A call that came earlier than the entry: the recording has no reason, the guards have.
        const std::vector<CallToSimulate> swapped{{3, {}}, {0, {}}};
        const auto later = simulateCache(recording, code, swapped, 8);
        QVERIFY(later.calls[1].answer.kind == Kind::Compiled);
        QVERIFY(later.calls[1].answer.lookups.front().reason.find("size [0]") != std::string::npos);
    }

    void backendsAreCompared() {
        const Recording& recording = *m_recordings.at("rc13_backend_match");
        const CodeEntries code = codeEntries(recording).front();
        QCOMPARE(backendOf(recording, code, 0).text,
                 std::string("_TorchCompileWrapper(compiler='eager', dynamic=None)"));
        QCOMPARE(backendOf(recording, code, 2).text,
                 std::string("_TorchCompileWrapper(compiler='mine', dynamic=None)"));
        QVERIFY(backendOf(recording, code, 0).identity != backendOf(recording, code, 1).identity);
        // The last one again is served; the same call with a backend of another name is not.
        const std::vector<CallToSimulate> calls{{0, {}}, {1, {}}, {1, {}}, {1, "other"}};
        const auto simulation = simulateCache(recording, code, calls, 8);
        QVERIFY(simulation.calls[1].answer.kind == CacheAnswer::Kind::Compiled);
        QVERIFY(simulation.calls[1].answer.lookups.front().reason.starts_with("BACKEND_MATCH"));
        QVERIFY(simulation.calls[2].answer.kind == CacheAnswer::Kind::Hit);
        QVERIFY(simulation.calls[3].answer.kind == CacheAnswer::Kind::Compiled);
    }

private:
    std::map<std::string, RecordingPtr> m_recordings;
};

QTEST_APPLESS_MAIN(TestDynamoRecorded)
#include "tst_dynamo_recorded.moc"
