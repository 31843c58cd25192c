// SPDX-License-Identifier: BSD-3-Clause
//
// Lanes of a profile over time: what lies in which row, on real profiles of tests/data and on events written by hand.
#include "core/profile/grouped.h"
#include "core/profile/lanes.h"
#include "tests/support/profiles.h"

#include <QtTest>
#include <numeric>
#include <set>
#include <stop_token>

using namespace dynascope;
using namespace dynascope::profile;

namespace {

JoinedPtr joinedEvents(const std::string& events) {
    const auto profile = read(R"({"schemaVersion": 1, "traceEvents": [)" + events + "]}", "x.json");
    return profile ? join(nullptr, *profile).value_or(nullptr) : nullptr;
}

std::string eventText(const std::string& category, const std::string& name, int tid, int start, int duration,
                      const std::string& pid = "1") {
    return R"({"ph": "X", "cat": ")" + category + R"(", "name": ")" + name + R"(", "pid": )" + pid +
           R"(, "tid": )" + std::to_string(tid) + R"(, "ts": )" + std::to_string(start) + R"(, "dur": )" +
           std::to_string(duration) + "}";
}

const Lane* laneOf(const std::vector<Lane>& lanes, Lane::What what) {
    const auto at = std::ranges::find(lanes, what, &Lane::what);
    return at == lanes.end() ? nullptr : &*at;
}

std::size_t eventsIn(const Lane& lane) {
    return std::accumulate(lane.rows.begin(), lane.rows.end(), lane.leftOut,
                           [](std::size_t n, const auto& row) { return n + row.size(); });
}

} // namespace

class TestProfileLanes : public QObject {
    Q_OBJECT

private slots:
    void rowsDoNotOverlap_data() {
        QTest::addColumn<QString>("name");
        for (const char* name : {"breaks", "encoder_inductor", "mlp_aot"})
            QTest::newRow(name) << name;
    }
    void rowsDoNotOverlap() {
        QFETCH(const QString, name);
        const JoinedPtr joined = test::joinedFolder(name.toStdString());
        std::size_t nested = 0, taking = 0;
        for (const Lane& lane : lanesOf(*joined)) {
            for (const auto& row : lane.rows)
                for (std::size_t i = 1; i < row.size(); ++i)
                    QVERIFY(joined->profile->events[row[i - 1]].end() <=
                            joined->profile->events[row[i]].start);
            if (lane.what >= Lane::What::Thread) nested += eventsIn(lane);
        }
        for (const Event& event : joined->profile->events)
            taking += takesTime(event.kind) ? 1 : 0;
        QCOMPARE(nested, taking); // nothing is dropped
    }

    void regionsGuardsGraphsAndKernels() {
        const JoinedPtr joined = test::joinedFolder("breaks");
        const std::vector<Lane> lanes = lanesOf(*joined);
        const Lane* regions = laneOf(lanes, Lane::What::Regions);
        QVERIFY(regions && regions == &lanes.front());
        QCOMPARE(eventsIn(*regions), joined->regions.all);
        QCOMPARE(regions->rows.size(),
                 std::size_t(3)); // what follows a break runs within the frame before it
        const auto labels = [&](Lane::What what) {
            std::set<std::string> out;
            for (const auto& row : laneOf(lanes, what)->rows)
                for (const std::uint32_t event : row)
                    out.insert(boxLabel(*joined, event));
            return out;
        };
        QCOMPARE(labels(Lane::What::Regions), (std::set<std::string>{"0/0", "1/0", "2/0"}));
        QCOMPARE(labels(Lane::What::Guards), (std::set<std::string>{"0/0", "1/0", "2/0"}));
        const auto graphs = labels(Lane::What::Graphs);
        QVERIFY(graphs.contains("0/0 forward") && graphs.contains("2/0 backward"));
        double computed = 0;
        for (const auto& row : laneOf(lanes, Lane::What::Computed)->rows)
            for (const std::uint32_t event : row) {
                QCOMPARE(spentOn(*joined, event), Spent::Computed);
                computed += double(joined->profile->events[event].duration);
            }
        Facts facts(joined);
        // With what they call: all the time of kernels.
        QVERIFY(std::abs(computed - sharesOf(facts).on(Spent::Computed)) < 1000);
        QVERIFY(laneOf(lanes, Lane::What::Broken));
        QVERIFY(!laneOf(lanes, Lane::What::Stream));
    }

    /// Regions are named as the capture names compiles, as guards and graphs are.
    void laterRunsHaveTheirNumber() {
        Joined joined = *test::joinedFolder("breaks");
        auto session = std::make_shared<session::Session>(*joined.session);
        for (session::Compile& compile : session->compiles)
            compile.id.run = 2;
        joined.session = session;
        std::set<std::string> regions;
        for (const Lane& lane : lanesOf(joined))
            if (lane.what == Lane::What::Regions)
                for (const auto& row : lane.rows)
                    for (const std::uint32_t event : row)
                        regions.insert(boxLabel(joined, event));
        QCOMPARE(regions, (std::set<std::string>{"0/0@2", "1/0@2", "2/0@2"}));
    }

    void whereBreaksAre() {
        const JoinedPtr joined = test::joinedFolder("breaks");
        QCOMPARE(joined->graphEnds.size(), 2 * joined->profile->steps.size()); // two break in each step
        for (const auto& [region, time] : joined->graphEnds) {
            const Event& event = joined->profile->events[region];
            QVERIFY(event.start < time && time <= event.end());
        }
        QVERIFY(test::joinedFolder("mlp_aot")->graphEnds.empty());
    }

    void sharesAddUp() {
        const JoinedPtr joined = test::joinedFolder("encoder_inductor");
        Facts facts(joined);
        QVERIFY(std::abs(sharesOf(facts).all() - joined->busy) < 1000);
        QVERIFY(sharesOf(facts).on(Spent::Guards) > 0);
    }

    void streamsOfADevice() {
        const JoinedPtr joined = joinedEvents(
            R"({"ph": "X", "cat": "kernel", "name": "a", "pid": 0, "tid": 7, "ts": 5, "dur": 10, "args": {"device": 0, "stream": 7}},)"
            R"({"ph": "X", "cat": "kernel", "name": "b", "pid": 0, "tid": 7, "ts": 10, "dur": 10, "args": {"device": 0, "stream": 7}},)"
            R"({"ph": "X", "cat": "kernel", "name": "c", "pid": 0, "tid": 7, "ts": 20, "dur": 10, "args": {"device": 0, "stream": 7}},)" +
            eventText("cpu_op", "aten::mm", 1, 0, 3));
        const std::vector<Lane> lanes = lanesOf(*joined);
        const Lane* stream = laneOf(lanes, Lane::What::Stream);
        QVERIFY(stream && stream == &lanes.front());
        QCOMPARE(stream->rows.size(), std::size_t(2)); // b began before a ended
        QCOMPARE(stream->rows[0].size(), std::size_t(2));
        QVERIFY(laneOf(lanes, Lane::What::Thread));
    }

    void busiestThreadFirst() {
        const JoinedPtr joined =
            joinedEvents(eventText("cpu_op", "short", 1, 0, 3) + ',' + eventText("cpu_op", "long", 2, 0, 30) +
                         ',' + eventText("odd", "foreign", 3, 0, 300));
        const std::vector<Lane> lanes = lanesOf(*joined);
        QCOMPARE(lanes.size(), std::size_t(3));
        QCOMPARE(boxLabel(*joined, lanes[0].rows[0][0]), std::string("long"));
        QCOMPARE(lanes[2].what, Lane::What::Foreign);
    }

    void eventsOfATime() {
        const JoinedPtr joined =
            joinedEvents(eventText("cpu_op", "a", 1, 0, 10) + ',' + eventText("cpu_op", "b", 1, 20, 10));
        const std::vector<std::uint32_t> row = lanesOf(*joined).front().rows.front();
        QCOMPARE(eventAt(*joined->profile, row, 5000), row[0]);
        QCOMPARE(eventAt(*joined->profile, row, 15000), none);
        QCOMPARE(eventAt(*joined->profile, row, 20000), row[1]);
        QCOMPARE(eventAt(*joined->profile, row, 30001), none);
        QCOMPARE(eventAt(*joined->profile, {}, 0), none);
    }

    void deepNestingIsCountedNotDrawn() {
        std::string events;
        constexpr int deep = 500;
        for (int i = 0; i < deep; ++i)
            events += (i > 0 ? "," : "") + eventText("cpu_op", "f", 1, i, 2 * deep - 2 * i);
        const JoinedPtr joined = joinedEvents(events);
        const Lane lane = lanesOf(*joined).front();
        QCOMPARE(lane.rows.size(), mostLaneRows);
        QCOMPARE(lane.leftOut, deep - mostLaneRows);
    }

    void cancelledMakesNothing() {
        const JoinedPtr joined = test::joinedFolder("breaks");
        std::stop_source source;
        source.request_stop();
        TaskContext task;
        task.stop = source.get_token();
        QVERIFY(lanesOf(*joined, task).empty());
    }
};

QTEST_GUILESS_MAIN(TestProfileLanes)
#include "tst_profile_lanes.moc"
