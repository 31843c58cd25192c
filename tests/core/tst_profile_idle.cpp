// SPDX-License-Identifier: BSD-3-Clause
//
// What a device waited for, by events written after what PyTorch's profiler writes of a GPU.
#include "core/capture/open.h"
#include "core/profile/idle.h"
#include "tests/support/profiles.h"
#include "tests/support/trace_text.h"

#include <QtTest>

using namespace dynascope;
using namespace dynascope::profile;

namespace {

/// Output code with two products on a GPU.
std::string trace() {
    test::TraceText text;
    text.start();
    text.add("\"dynamo_output_graph\": {}", test::readableGraph(1));
    test::addProductsOnGpu(text);
    return text.text();
}

constexpr std::string_view events = R"(
{"ph":"X","cat":"cpu_op","name":"Torch-Compiled Region: 0/0","pid":1,"tid":1,"ts":10,"dur":90},
{"ph":"X","cat":"user_annotation","name":"## Call CompiledFxGraph fabc ##","pid":1,"tid":1,"ts":20,"dur":70},
{"ph":"X","cat":"cpu_op","name":"triton_poi_fused_relu_0","pid":1,"tid":1,"ts":21,"dur":7},
{"ph":"X","cat":"cuda_driver","name":"cuLaunchKernel","pid":1,"tid":1,"ts":22,"dur":5,"args":{"correlation":11}},
{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":40,"dur":9},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":42,"dur":5,"args":{"correlation":12}},
{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":60,"dur":19},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":62,"dur":15,"args":{"correlation":13}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":78,"dur":1,"args":{"correlation":14}},
{"ph":"X","cat":"kernel","name":"triton_poi_fused_relu_0","pid":0,"tid":7,"ts":30,"dur":5,"args":{"device":0,"correlation":11}},
{"ph":"X","cat":"kernel","name":"sgemm_a","pid":0,"tid":7,"ts":50,"dur":5,"args":{"device":0,"correlation":12}},
{"ph":"X","cat":"kernel","name":"sgemm_a","pid":0,"tid":7,"ts":80,"dur":10,"args":{"device":0,"correlation":13}},
{"ph":"X","cat":"kernel","name":"sgemm_b","pid":0,"tid":8,"ts":85,"dur":2,"args":{"device":0,"correlation":14}},
{"ph":"X","cat":"kernel","name":"sgemm_b","pid":0,"tid":8,"ts":95,"dur":5,"args":{"device":0,"correlation":14}},
{"ph":"X","cat":"gpu_memset","name":"Memset","pid":0,"tid":7,"ts":120,"dur":5,"args":{"device":0,"correlation":99}})";

JoinedPtr joined(bool withCapture) {
    const auto profile =
        read(R"({"schemaVersion":1,"traceEvents":[)" + std::string(events) + "]}", "profile.json");
    if (!profile) qFatal("%s", profile.error().toString().c_str());
    session::SessionPtr session;
    if (withCapture) {
        const auto opened = capture::openText(trace(), "trace.log");
        if (!opened) qFatal("%s", opened.error().toString().c_str());
        session = *opened;
    }
    return join(session, *profile).value_or(nullptr);
}

} // namespace

class TestProfileIdle : public QObject {
    Q_OBJECT
private slots:
    void gapsAndTheirCauses() {
        const IdleReport report = idleReport(*joined(true));
        QCOMPARE(report.devices.size(), std::size_t(1));
        const DeviceIdle& device = report.devices.front();
        QCOMPARE(device.span, std::int64_t(95'000));
        QCOMPARE(device.idle[std::size_t(IdleCause::Launch)], 40'000.0);
        QCOMPARE(device.idle[std::size_t(IdleCause::Device)], 5'000.0); // launched at 78, free at 90
        QCOMPARE(device.idle[std::size_t(IdleCause::Unknown)], 20'000.0);
        QCOMPARE(device.busy + device.all(), double(device.span));
        // The longest first: from 55 to 80, of which the launch came at 77.
        QCOMPARE(report.gaps.size(), std::size_t(4));
        const IdleGap& gap = report.gaps.front();
        QVERIFY(gap.start == 55'000 - 10'000 && gap.duration == 25'000 && gap.cause == IdleCause::Launch);
        QCOMPARE(gap.cpu.spent[std::size_t(Spent::Wrappers)], 5'000.0);
        QCOMPARE(gap.cpu.spent[std::size_t(Spent::Computed)], 17'000.0);
        QCOMPARE(gap.cpu.nothing, 0.0);
        QCOMPARE(joined(true)->profile->nameOf(joined(true)->profile->events[gap.longest]),
                 std::string("cudaLaunchKernel"));
    }

    void launchBoundGraphs() {
        const JoinedPtr both = joined(true);
        const IdleReport report = idleReport(*both);
        QCOMPARE(report.graphs.size(), std::size_t(1));
        const LaunchedGraph& graph = report.graphs.front();
        QCOMPARE(graph.compile, 0);
        QCOMPARE(graph.calls, std::size_t(1));
        QCOMPARE(graph.kernels, std::size_t(5));
        QCOMPARE(graph.waits, 40'000.0);
        double busy = 0; // kernels at the same time share it
        for (const Row& row : both->rows)
            if (row.device == 1 && row.compile == 0) busy += row.self;
        QVERIFY(std::abs(graph.busy - busy) < 1);
        QVERIFY(graph.isLaunchBound());
    }

    void withoutACapture() {
        const IdleReport report = idleReport(*joined(false));
        QVERIFY(report.graphs.empty());
        QCOMPARE(report.devices.front().idle[std::size_t(IdleCause::Launch)], 40'000.0);
    }

    void withoutADevice() {
        const auto profile =
            read(R"({"traceEvents":[{"ph":"X","cat":"cpu_op","name":"f","ts":1,"dur":2}]})", "x");
        QVERIFY(profile);
        const IdleReport report = idleReport(*join(nullptr, *profile).value());
        QVERIFY(report.devices.empty() && report.gaps.empty() && report.graphs.empty());
    }
};

QTEST_GUILESS_MAIN(TestProfileIdle)
#include "tst_profile_idle.moc"
