// SPDX-License-Identifier: BSD-3-Clause
//
// Times of launches by events and of nodes by CUPTI's records, over libraries in the place of driver and
// CUPTI: no GPU is involved.
#include "plugins/cuda/cupti_api.h"
#include "plugins/cuda/launch_timer.h"
#include "plugins/cuda/shared_library.h"
#include "tests/cuda/fake_cupti.h"
#include "tests/cuda/fake_driver.h"

#include <QCoreApplication>
#include <QtTest>

using namespace dynascope;
using test::FakeCupti;

namespace {

std::string library() {
    return QCoreApplication::applicationDirPath().toStdString() + "/libfake_cupti.so";
}
std::string driverLibrary(const char* name) {
    return QCoreApplication::applicationDirPath().toStdString() + "/lib" + name + ".so";
}

test::FakeDriver& fakeDriver() {
    static const auto opened = cuda::SharedLibrary::open(driverLibrary("fake_driver"));
    test::FakeDriver& driver = *opened->find<test::FakeDriverOf>("fakeDriver")();
    driver = {};
    return driver;
}

FakeCupti& fake() {
    static const auto opened = cuda::SharedLibrary::open(library());
    FakeCupti& cupti = *opened->find<test::FakeCuptiOf>("fakeCupti")();
    cupti = {};
    return cupti;
}

template <typename Record>
Record ran(std::uint64_t node, std::uint64_t start, std::uint64_t end) {
    Record out{};
    out.graphNodeId = node;
    out.start = start;
    out.end = end;
    return out;
}

void addRecords(FakeCupti& cupti) {
    cupti.add(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, ran<CUpti_ActivityKernel10>(1001, 100, 350));
    cupti.add(CUPTI_ACTIVITY_KIND_MEMCPY, ran<CUpti_ActivityMemcpy6>(1006, 350, 400));
    cupti.add(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, ran<CUpti_ActivityKernel10>(0, 400, 900)); // of no graph
    cupti.add(CUPTI_ACTIVITY_KIND_MEMSET, ran<CUpti_ActivityMemset4>(1004, 400, 410));
}

} // namespace

class TestCudaTimes : public QObject {
    Q_OBJECT

private slots:
    void withoutCupti() {
        const auto none = cuda::loadCupti("libcupti-that-there-is-not.so.13");
        QVERIFY(!none);
        QVERIFY(none.error().message.starts_with("no CUPTI: libcupti-that-there-is-not.so.13: cannot open"));
        fake().version = 120800;
        const auto old = cuda::loadCupti(library());
        QVERIFY(!old);
        QCOMPARE(old.error().message,
                 std::string("CUPTI is of version 12.8; its records are read as 13 has them"));
    }

    void nodeByNode() {
        FakeCupti& cupti = fake();
        const auto api = cuda::loadCupti(library());
        QVERIFY(api);
        cupti.add(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, ran<CUpti_ActivityKernel10>(7, 1, 2)); // of before
        const auto times = cuda::timeNodes(**api, [&] { addRecords(cupti); });
        QVERIFY(times);
        QCOMPARE(times->launchNs, std::uint64_t{0});
        const std::vector<std::pair<std::uint64_t, std::uint64_t>> expected{
            {1001, 250}, {1006, 50}, {1004, 10}};
        QCOMPARE(times->nodes.size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i)
            QCOMPARE(std::pair(times->nodes[i].id, times->nodes[i].ns), expected[i]);
        QVERIFY(cupti.enabled.empty());
    }

    /// Records of whole launches are not asked for: they crash the driver.
    void noRecordsOfLaunches() {
        FakeCupti& cupti = fake();
        const auto api = cuda::loadCupti(library());
        bool asked = false;
        const auto times =
            cuda::timeNodes(**api, [&] { asked = cupti.enabled.contains(CUPTI_ACTIVITY_KIND_GRAPH_TRACE); });
        QVERIFY(times && !asked);
    }

    void launchesByEvents() {
        test::FakeDriver& driver = fakeDriver();
        driver.launchMs = 0.0335F;
        const auto api = cuda::loadDriver(driverLibrary("fake_driver"));
        QVERIFY(api && (*api)->timesLaunches());
        bool held = false;
        const auto ns = cuda::timeOnDevice(**api, nullptr, nullptr, [&] { held = driver.waits; });
        QVERIFY(ns);
        QCOMPARE(*ns, std::uint64_t{33500});
        QVERIFY(held); // the device starts when all is queued
        QVERIFY(!driver.deadlock && !driver.waits && !driver.gate);
        const std::vector<std::string> order{"cuGraphUpload", "cuStreamWaitValue32", "cuEventRecord",
                                             "cuEventRecord", "cuEventSynchronize",  "cuEventElapsedTime"};
        QCOMPARE(driver.calls, order);
    }

    void aTimedLaunchNeverBlocksTheDevice() {
        const auto api = cuda::loadDriver(driverLibrary("fake_driver"));
        for (const char* const call : {"cuGraphUpload", "cuStreamWaitValue32", "cuEventRecord",
                                       "cuEventSynchronize", "cuEventElapsedTime"}) {
            test::FakeDriver& driver = fakeDriver();
            driver.refuses = call;
            const auto ns = cuda::timeOnDevice(**api, nullptr, nullptr, [] {});
            QVERIFY2(!ns, call);
            QCOMPARE(ns.error().message, std::string(call) + ": invalid resource handle");
            QVERIFY2(!driver.deadlock && !driver.waits && !driver.gate, call);
        }
        test::FakeDriver& driver = fakeDriver();
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, (void)cuda::timeOnDevice(**api, nullptr, nullptr, [] {
                                     throw std::runtime_error("lost");
                                 }));
        QVERIFY(!driver.deadlock && !driver.waits && !driver.gate);
    }

    void aDriverThatCannotTimeLaunches() {
        const auto api = cuda::loadDriver(driverLibrary("fake_driver_old"));
        QVERIFY(api);
        const auto ns = cuda::timeOnDevice(**api, nullptr, nullptr, [] {});
        QVERIFY(!ns);
        QCOMPARE(ns.error().message, std::string("the driver lacks calls that time a launch"));
    }

    /// A launch runs copies of the graph's nodes, and records have the copies' names.
    void namesOfCopies() {
        FakeCupti& cupti = fake();
        const auto api = cuda::loadCupti(library());
        auto copies = cuda::watchCopies(**api, [&] {
            cupti.copy(11, 101);
            cupti.copy(12, 102);
            cupti.copy(0, 103); // of no node
        });
        QVERIFY(copies.problem.empty());
        QVERIFY((copies.ids == std::unordered_map<std::uint64_t, std::uint64_t>{{11, 101}, {12, 102}}));
        QVERIFY(!cupti.subscriber);
        // Somebody else listens: the graph is made all the same.
        cupti.subscribe = CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
        bool made = false;
        copies = cuda::watchCopies(**api, [&] { made = true; });
        QVERIFY(made && copies.ids.empty());
        QCOMPARE(copies.problem, std::string("CUPTI does not tell of copies: error 39"));
        cupti.subscribe = CUPTI_SUCCESS;
        QVERIFY_THROWS_EXCEPTION(std::runtime_error,
                                 (void)cuda::watchCopies(**api, [] { throw std::runtime_error("lost"); }));
        QVERIFY(!cupti.subscriber);
    }

    void whatItRefuses() {
        FakeCupti& cupti = fake();
        const auto api = cuda::loadCupti(library());
        bool launched = false;
        cupti.enable = CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
        auto refused = cuda::timeNodes(**api, [&] { launched = true; });
        QVERIFY(!refused && !launched);
        QCOMPARE(refused.error().message,
                 std::string("cuptiActivityEnable: CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"));
        cupti.enable = CUPTI_SUCCESS;
        cupti.flush = CUPTI_ERROR_UNKNOWN;
        refused = cuda::timeNodes(**api, [&] { launched = true; });
        QVERIFY(!refused && launched);
        QCOMPARE(refused.error().message, std::string("cuptiActivityFlushAll: error 999"));
        QVERIFY(cupti.enabled.empty());
    }

    void aLaunchThatThrowsLeavesNothingOn() {
        FakeCupti& cupti = fake();
        const auto api = cuda::loadCupti(library());
        QVERIFY_THROWS_EXCEPTION(std::runtime_error,
                                 (void)cuda::timeNodes(**api, [] { throw std::runtime_error("lost"); }));
        QVERIFY(cupti.enabled.empty());
        addRecords(cupti);
        const auto times = cuda::timeNodes(**api, [] {});
        QVERIFY(times && times->nodes.empty());
    }
};

QTEST_GUILESS_MAIN(TestCudaTimes)
#include "tst_cuda_times.moc"
