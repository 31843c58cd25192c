// SPDX-License-Identifier: BSD-3-Clause
//
// Recordings and runs as data: to JSON and back, to other programs, against earlier ones.
#include "core/replay/recording.h"
#include "core/replay/replay_export.h"

#include <QtTest>

using namespace dynascope;
using namespace dynascope::replay;
using nlohmann::json;

namespace {

Recording recording() {
    Recording out;
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

class TestReplayRecording : public QObject {
    Q_OBJECT

private slots:
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
        QVERIFY(!recordingFromJson(strange));
        strange = toJson(recording());
        strange["nodes"][0]["mode"] = "magic";
        QVERIFY(!recordingFromJson(strange));
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
        const auto verdict = [](double before, double now, double noise) {
            const auto changes = compareRuns(keptRun({}, run(before, noise)), keptRun({}, run(now, noise)));
            return changes.at(0).verdict;
        };
        QCOMPARE(verdict(100, 110, 1), RunChange::Verdict::Slower);
        QCOMPARE(verdict(110, 100, 1), RunChange::Verdict::Faster);
        QCOMPARE(verdict(100, 110, 5), RunChange::Verdict::Same);   // noise explains it
        QCOMPARE(verdict(100, 102, 0.1), RunChange::Verdict::Same); // so does drift
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
