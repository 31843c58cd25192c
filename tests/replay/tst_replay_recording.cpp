// SPDX-License-Identifier: BSD-3-Clause
//
// Recordings and runs as data: to JSON and back, to other programs, against earlier ones.
#include "core/ir/text.h"
#include "core/replay/plan.h"
#include "core/replay/recording.h"
#include "core/replay/recording_memory.h"
#include "core/replay/replay_export.h"

#include <QtTest>

using namespace dynascope;
using namespace dynascope::replay;
using nlohmann::json;

namespace {

ReplayRecording recording() {
    ReplayRecording out;
    out.backend = "cpu";
    out.threads = 2;
    out.nodes = {
        {"x", "", NodeMode::Input, {}},
        {"mm", "torch.ops.aten.mm.default", NodeMode::Planned, {}},
        {"=evil, \"one\"", "torch.ops.aten.nonzero.default", NodeMode::Eager, "at a replay it grew"}};
    out.allocations = {
        {1, 256, 0, 0, 3, true, true}, {1, 64, 256, 1, 2, true, false}, {2, 24, 0, 3, 4, false, true}};
    out.events = 5;
    out.arenaBytes = out.peakBytes = 320;
    out.keepAllBytes = 320;
    out.recordUs = 12.5;
    out.writtenInputs = {0};
    return out;
}

ReplayRun run(double us, double noise) {
    ReplayRun out;
    out.iterations = 100;
    out.replay = {{us * 0.9, us, us * 2}, noise};
    out.eager = {{us, us * 3, us * 4}, noise};
    out.verified = 4;
    GraphRun graph;
    graph.plan = "0/0 forward";
    graph.replay = out.replay;
    graph.eager = out.eager;
    graph.nodes = {{1, {1, 2, 3}}, {2, {4, 5, 6}}};
    graph.nodeSamples = 100;
    graph.divergences = {{2, 7, "it grew"}};
    out.graphs = {graph};
    return out;
}

} // namespace

/// Forward makes a and b, backward reads a; b is returned, and the gradient.
ir::GraphPtr jointGraph() {
    const auto graph = ir::readGraph(R"(class joint(torch.nn.Module):
    def forward(self, primals_1: "f32[64]", tangents_1: "f32[64]"):
        a: "f32[64]" = torch.ops.aten.sin.default(primals_1)
        t: "f32[64]" = torch.ops.aten.cos.default(primals_1)
        b: "f32[64]" = torch.ops.aten.mul.Tensor(a, t)
        u: "f32[64]" = torch.ops.aten.mul.Tensor(tangents_1, a)
        g: "f32[64]" = torch.ops.aten.neg.default(u)
        return (b, g)
)");
    if (!graph) qFatal("%s", graph.error().toString().c_str());
    return *graph;
}

ReplayRecording jointRecording() {
    ReplayRecording out;
    out.backend = "cpu";
    for (const char* name : {"primals_1", "tangents_1", "a", "t", "b", "u", "g"})
        out.nodes.push_back({name, "", out.nodes.size() < 2 ? NodeMode::Input : NodeMode::Planned, {}});
    // a 0..6, t 1..5 with workspace 2..3, b 4..9, u 7..., g: a and then t make place for u and g.
    out.allocations = {{2, 256, 0, 0, 8, true, true},    {3, 256, 256, 1, 6, true, true},
                       {3, 64, 512, 2, 3, true, false},  {4, 256, 768, 4, 12, true, true},
                       {5, 256, 256, 7, 10, true, true}, {6, 256, 0, 9, 11, false, true}};
    out.events = 13;
    out.arenaBytes = 1024;
    out.peakBytes = 768;
    out.keepAllBytes = 1344;
    return out;
}

class TestReplayRecording : public QObject {
    Q_OBJECT

private slots:
    void memoryAgainstTime() {
        const RecordingMemory memory = recordingMemory(jointRecording(), *jointGraph(), {});
        using Use = MemoryUse;
        std::vector<Use> uses;
        for (const HeldFor& held : memory.held)
            uses.push_back(held.use);
        QVERIFY((uses == std::vector{Use::SavedForBackward, Use::ForwardTemporary, Use::ForwardTemporary,
                                     Use::ForwardOutput, Use::BackwardTemporary, Use::Gradient, Use::Caller,
                                     Use::Caller}));
        QVERIFY(memory.held[2].workspace);
        QCOMPARE(memory.held[0].last, 5U); // u reads it
        QCOMPARE(memory.held[3].last, 7U); // to the end
        QVERIFY(!memory.held[5].planned);
        QCOMPARE(memory.timeline.lives[5].place, std::uint64_t(1024)); // the heap, above the arena
        QCOMPARE(memory.callerBytes, std::uint64_t(512));
        QCOMPARE(memory.timeline.height, std::uint64_t(1024 + 256 + 512));
        QCOMPARE(memory.firstBackward, 5U);
        // The results are given back by the caller, after the run.
        QCOMPARE(memory.timeline.moments(), std::size_t(11));
        QVERIFY(memory.timeline.lives[3].lasts);
        QVERIFY((memory.timeline.allocated ==
                 std::vector<std::uint64_t>{256, 512, 576, 512, 768, 768, 512, 768, 512, 768, 512}));
        QCOMPARE(memory.keptAll.back(), std::uint64_t(1344));
        QVERIFY((memory.nodeAt == std::vector<std::uint32_t>{2, 3, 3, 3, 4, 4, 4, 5, 5, 6, 6}));
        const std::vector<double> at =
            momentPositions(memory.nodeAt, std::vector<double>{0, 1, 2, 3, 4, 5, 6, 7});
        QCOMPARE(at.size(), std::size_t(12));
        QCOMPARE(at[0], 2.0);
        QCOMPARE(at[5], 4 + 1 / 3.0);
        QCOMPARE(at.back(), 7.0);
    }

    void countsHoles() {
        const RecordingMemory memory = recordingMemory(jointRecording(), *jointGraph(), {});
        const ArenaHoles holes = arenaHoles(memory, 1024, 3); // a and t: 512 to 1024 is free
        QCOMPARE(holes.count, std::size_t(1));
        QCOMPARE(holes.bytes, std::uint64_t(512));
        QCOMPARE(arenaHoles(memory, 1024, 6).count, std::size_t(1)); // between a and b
        QCOMPARE(arenaHoles(memory, 1024, 6).largest, std::uint64_t(512));
    }

    void comparesMemory() {
        const ReplayRecording before = jointRecording();
        ReplayRecording now = before;
        now.allocations[0].offset = 128;                    // moved
        now.allocations[4].bytes = 320;                     // resized
        now.allocations.erase(now.allocations.begin() + 2); // no workspace
        now.allocations.push_back({6, 8, 0, 10, 10, true, false});
        const RecordingMemory a = recordingMemory(before, *jointGraph(), {});
        const RecordingMemory b = recordingMemory(now, *jointGraph(), {});
        using Kind = MemoryChange::Kind;
        std::vector<Kind> kinds;
        for (const MemoryChange& change : compareMemory(before, a, now, b))
            kinds.push_back(change.kind);
        QVERIFY((kinds == std::vector{Kind::Moved, Kind::Same, Kind::Same, Kind::Resized, Kind::Same,
                                      Kind::Added, Kind::Removed}));
        for (const MemoryChange& change : compareMemory(before, a, before, a))
            QVERIFY(change.kind == Kind::Same);
    }

    /// Whatever a recording claims, there is a picture.
    void survivesNonsense() {
        ReplayRecording wild = jointRecording();
        wild.events = UINT32_MAX;
        for (RecordedAllocation& row : wild.allocations) {
            row.node = 99;
            row.died = UINT32_MAX;
            row.born = UINT32_MAX - 1;
        }
        const RecordingMemory memory = recordingMemory(wild, *jointGraph(), {true, {"nobody"}});
        QCOMPARE(memory.timeline.moments(), std::size_t(1));
        QCOMPARE(recordingMemory({}, *jointGraph(), {}).timeline.moments(), std::size_t(1));
    }

    void throughJsonAndBack() {
        QVERIFY(recordingFromJson(toJson(recording())).value() == recording());
        QVERIFY(replayRunFromJson(toJson(run(10, 1))).value() == run(10, 1));
        KeptRun kept = keptRun(std::vector{recording()}, run(10, 1));
        kept.seconds = 1'700'000'000;
        kept.torch = "2.13.0";
        QCOMPARE(kept.threads, 2U);
        QVERIFY(kept.run.graphs[0].nodes.empty());
        QVERIFY(keptRunFromJson(toJson(kept)).value() == kept);
    }

    void keptRunsHaveAVersion() {
        const KeptRun kept = keptRun(std::vector{recording()}, run(10, 1));
        json document = toJson(kept);
        QCOMPARE(document["version"], json(keptRunVersion));
        document.erase("version"); // as the first ones were kept
        QVERIFY(readKeptRun(document.dump()).value() == kept);
        document["version"] = keptRunVersion + 1;
        const auto newer = readKeptRun(document.dump());
        QVERIFY(!newer);
        QCOMPARE(newer.error().message, std::string("it was written by a newer version of Dynascope"));
        document["version"] = "x";
        QVERIFY(!readKeptRun(document.dump()));
        document["version"] = keptRunVersion;
        document["run"]["graphs"][0]["replay"]["us"][1] = nullptr;
        const auto odd = readKeptRun(document.dump());
        QVERIFY(!odd);
        QCOMPARE(odd.error().message,
                 std::string("kept replay: run.graphs[0].replay.us[1]: expected a number, not null"));
        QVERIFY(!readKeptRun(std::string(100'000, '[')));
    }

    /// Session files come from strangers: whatever is missing or of another kind is an error.
    void everythingElseIsRefused() {
        for (const json& whole : {toJson(recording()), toJson(run(10, 1))}) {
            for (const auto& [key, value] : whole.items()) {
                json less = whole, wrong = whole;
                less.erase(key);
                wrong[key] = json::object({{"a", 1}});
                const bool isRun = whole.contains("iterations");
                QVERIFY2(isRun ? !replayRunFromJson(less) : !recordingFromJson(less), key.c_str());
                QVERIFY2(isRun ? !replayRunFromJson(wrong) : !recordingFromJson(wrong), key.c_str());
            }
        }
        json strange = toJson(recording());
        strange["allocations"][0][0] = 99; // of no node
        QCOMPARE(recordingFromJson(strange).error().message,
                 std::string("recording: allocations: an allocation of a node that there is not"));
        strange = toJson(recording());
        strange["allocations"][0].erase(6);
        QCOMPARE(recordingFromJson(strange).error().message,
                 std::string("recording: allocations[0]: expected a list of 7, not of 6"));
        strange = toJson(recording());
        strange["nodes"][0]["mode"] = "magic";
        QCOMPARE(recordingFromJson(strange).error().message,
                 std::string("recording: nodes[0].mode: unknown word 'magic'"));
        QVERIFY(!keptRunFromJson(json::array()));
        QVERIFY(!keptRunFromJson(nullptr));
    }

    void spreads() {
        std::vector<double> samples;
        QCOMPARE(spreadOf(samples), Spread());
        for (int i = 1000; i > 0; --i)
            samples.push_back(i);
        const Spread spread = spreadOf(samples);
        QCOMPARE(spread.min, 1.0);
        QCOMPARE(spread.median, 501.0);
        QCOMPARE(spread.p99, 991.0);
    }

    void aRunIsJudgedByItsNoise() {
        const auto pace = [](double before, double now, double noise) {
            const auto changes = compareRuns(keptRun({}, run(before, noise)), keptRun({}, run(now, noise)));
            return changes.at(0).pace;
        };
        QCOMPARE(pace(100, 110, 1), RunChange::Pace::Slower);
        QCOMPARE(pace(110, 100, 1), RunChange::Pace::Faster);
        QCOMPARE(pace(100, 110, 5), RunChange::Pace::Same);   // noise explains it
        QCOMPARE(pace(100, 102, 0.1), RunChange::Pace::Same); // so does drift
        ReplayRun other = run(10, 1);
        other.graphs[0].plan = "1/0 forward";
        QVERIFY(compareRuns(keptRun({}, run(10, 1)), keptRun({}, other)).empty());
    }

    void forOtherPrograms() {
        const std::vector recordings{recording()};
        const std::string csv = toCsv(recordings, run(10, 1));
        QCOMPARE(csv,
                 std::string("graph,position,node,target,mode,min_us,median_us,p99_us\r\n"
                             "0/0 forward,1,mm,torch.ops.aten.mm.default,planned,1.000,2.000,3.000\r\n"
                             "0/0 forward,2,\"'=evil, \"\"one\"\"\",torch.ops.aten.nonzero.default,eager,"
                             "4.000,5.000,6.000\r\n"));
        const json trace = json::parse(toChromeTrace(recordings, run(10, 1)));
        double end = 0;
        std::vector<std::uint64_t> alive;
        for (const json& event : trace.at("traceEvents")) {
            if (event["ph"] == "C") alive.push_back(event["args"]["bytes"].get<std::uint64_t>());
            if (event["ph"] != "X" || event["cat"] == "graph") continue;
            QCOMPARE(event["ts"].get<double>(), end); // one after the other
            end += event["dur"].get<double>();
        }
        QCOMPARE(end, 7.0);
        QCOMPARE(alive, (std::vector<std::uint64_t>{320, 0}));
    }
};

QTEST_GUILESS_MAIN(TestReplayRecording)
#include "tst_replay_recording.moc"
