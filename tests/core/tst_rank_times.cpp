// SPDX-License-Identifier: BSD-3-Clause
//
// What profiles of ranks measured: of two real ones, the second of which sleeps before each step (tests/data/ranks/late),
// and of a GPU's communication, written by hand.
#include "core/capture/open.h"
#include "core/ranks/measured.h"

#include <QtTest>

using namespace dynascope;
using namespace dynascope::profile;

namespace {

session::SessionPtr late() {
    const auto opened = capture::open(DYNASCOPE_TEST_DATA "/ranks/late");
    if (!opened) qFatal("%s", opened.error().toString().c_str());
    return *opened;
}

ProfilePtr gpu(int rank, const std::string& kernels) {
    const auto read = profile::read(R"({"schemaVersion":1,"distributedInfo":{"rank":)" +
                                        std::to_string(rank) + R"(},"traceEvents":[)" + kernels + "]}",
                                    "profile.json");
    if (!read) qFatal("%s", read.error().toString().c_str());
    return *read;
}

std::string kernel(const std::string& name, int stream, int from, int duration, int device = 0) {
    return R"({"ph":"X","cat":"kernel","name":")" + name + R"(","pid":0,"tid":)" + std::to_string(stream) +
           R"(,"ts":)" + std::to_string(from) + R"(,"dur":)" + std::to_string(duration) +
           R"(,"args":{"device":)" + std::to_string(device) + "}}";
}

} // namespace

class TestRankTimes : public QObject {
    Q_OBJECT

private slots:
    void whoCameLast() {
        const auto times = rankTimes(late());
        QVERIFY(times);
        QCOMPARE(times->ranks, (std::vector<int>{0, 1}));
        QCOMPARE(times->collectives.size(), std::size_t(2));
        const MeasuredCollective& reduce = times->collectives.front(); // the most different
        QCOMPARE(reduce.node, std::string("all_reduce"));
        QCOMPARE(reduce.compile, std::string("0/0"));
        QVERIFY(reduce.file.ends_with("late.py"));
        QCOMPARE(reduce.line, 19U);
        QVERIFY(reduce.time.isApart());
        QCOMPARE(reduce.time.least().first, 1); // it slept 20 ms, and rank 0 waited about as long
        QVERIFY(reduce.time.apart() > 15e6 && reduce.time.apart() < 40e6);
        // Both compute the same without collectives.
        QCOMPARE(times->compiles.size(), std::size_t(1));
        QVERIFY(times->compiles.front().time.most().second < 5e6);
        QVERIFY(times->communication.empty());
    }

    void theReportSaysWhoCameLast() {
        const session::SessionPtr session = late();
        QVERIFY(ranks::examine(*session)->reasons.empty());
        const auto report = ranks::examineMeasured(*session);
        QVERIFY(report);
        QVERIFY(report->verdict == ranks::RanksVerdict::Slower);
        QCOMPARE(report->reasons.size(),
                 std::size_t(1)); // the other collective is within the noise, or not worth it
        const ranks::Reason& reason = report->reasons.front();
        QCOMPARE(reason.ranks, std::vector<int>{1});
        QVERIFY2(reason.text.starts_with("rank 1 comes last to all_reduce: rank 0 is in it for 2"),
                 reason.text.c_str());
        QVERIFY(reason.stage && session->compiles[reason.at].rank == 1);
        const auto graph = reason.stage->graph();
        QVERIFY(graph && (*graph)->find(reason.node) != ir::npos);
        QCOMPARE(report->rows.front().reason, std::size_t(0));
        // Half of the wait is not worth saying where a step takes forty times as long.
        auto times = rankTimes(session).value();
        for (auto& [rank, ns] : times.step.ns)
            ns *= 40;
        ranks::Report quiet = ranks::examine(*session).value();
        ranks::addMeasured(*session, times, quiet);
        QVERIFY(quiet.reasons.empty());
    }

    /// The time of a collective is that of other ranks: no rate of memory comes of it.
    void collectivesHaveNoWork() {
        const session::SessionPtr session = late();
        const auto joined = join(session, session::attachedAs<Profile>(session->profiles.front()));
        QVERIFY(joined);
        Facts facts(*joined);
        std::set<std::string> collectives;
        for (std::size_t i = 0; i < (*joined)->rows.size(); ++i) {
            const RowFacts& of = facts.of(i);
            if (of.collective.empty()) continue;
            collectives.insert(of.collective);
            QVERIFY(!of.work.bytes && !of.work.flops);
        }
        QCOMPARE(collectives, (std::set<std::string>{"all_reduce", "all_gather_into_tensor"}));
    }

    void noise() {
        ByRank time;
        time.add(1, 100, 10.0);
        QVERIFY(!time.isApart()); // one rank
        time.add(0, 119, 10.0);
        QCOMPARE(time.ns.front().first, 0);
        QVERIFY(!time.isApart());
        time.add(2, 70, 10.0);
        QCOMPARE(time.apart(), 49.0);
        QVERIFY(time.isApart());
        time.add(3, 500, {}); // too few steps to know
        QVERIFY(!time.isApart());
    }

    void exposedCommunication() {
        auto session = std::make_shared<session::Session>();
        // Of 30 us of NCCL on two streams, 10 at the same time, other kernels run beside 5 + 4.
        session->profiles.push_back(gpu(2, kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 20, 0, 20) +
                                               ',' + kernel("ncclDevKernel_AllGather_RING_LL", 21, 10, 20) +
                                               ',' + kernel("gemm", 7, 0, 5) + ',' +
                                               kernel("gemm", 7, 18, 4) + ',' + kernel("gemm", 7, 40, 9) +
                                               ',' + kernel("gemm", 7, 6, 9, 1)));
        session->profiles.push_back(gpu(0, kernel("gemm", 7, 0, 5)));
        const auto times = rankTimes(session);
        QVERIFY(times);
        QCOMPARE(times->ranks, (std::vector<int>{0, 2}));
        QCOMPARE(times->communication.size(), std::size_t(1));
        const MeasuredCommunication& of = times->communication.front();
        QCOMPARE(of.rank, 2);
        QCOMPARE(of.all, 30'000.0);
        QCOMPARE(of.exposed, 30'000.0 - 9'000.0);
    }

    void withoutProfiles() {
        const auto times = rankTimes(std::make_shared<session::Session>());
        QVERIFY(times && times->ranks.empty() && times->collectives.empty());
    }
};

QTEST_GUILESS_MAIN(TestRankTimes)
#include "tst_rank_times.moc"
