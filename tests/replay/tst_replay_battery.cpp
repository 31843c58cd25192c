// SPDX-License-Identifier: BSD-3-Clause
//
// What `dynascope-cli doctor --gpu` recorded on a real GPU (tests/data/gpu), read and held together: the
// recordings, the graphs that the driver told of, the times, and the run of CUDA-graph trees against the
// simulator.
#include "core/replay/recording.h"
#include "core/replay/recording_memory.h"
#include "core/replay/tree_report.h"
#include "core/replay/tree_simulator.h"
#include "tests/support/archive.h"

#include <QtTest>
#include <map>
#include <set>

using namespace dynascope;
using namespace dynascope::replay;
using nlohmann::json;

namespace {

/// Of the GPU that this run of the tests is about.
const json& battery() {
    static std::map<QString, json> documents;
    QFETCH_GLOBAL(const QString, file);
    json& document = documents[file];
    if (!document.is_null()) return document;
    const auto files = test::readArchive((DYNASCOPE_TEST_DATA "/gpu/" + file).toStdString());
    if (!files.empty()) document = json::parse(files.front().content, nullptr, false);
    return document;
}

const json& batteryPrograms() {
    return battery().at("gpu").at("programs");
}

std::vector<ReplayRecording> recordingsOf(const json& program) {
    std::vector<ReplayRecording> out;
    for (const json& row : program.at("recordings"))
        out.push_back(recordingFromJson(row).value());
    return out;
}

} // namespace

class TestReplayBattery : public QObject {
    Q_OBJECT

private slots:
    void initTestCase_data() {
        QTest::addColumn<QString>("file");
        QTest::newRow("H100") << "doctor.tar.xz";
        QTest::newRow("H200") << "doctor_h200.tar.xz";
    }

    void programs_data() {
        QVERIFY(battery().is_object());
        QTest::addColumn<QString>("name");
        for (const auto& [name, program] : batteryPrograms().items())
            QTest::newRow(name.c_str()) << QString::fromStdString(name);
        QVERIFY(batteryPrograms().size() >= 8);
    }

    void programs() {
        QFETCH(QString, name);
        const json& program = batteryPrograms().at(name.toStdString());
        const std::vector<ReplayRecording> recordings = recordingsOf(program);
        const ReplayRun run = replayRunFromJson(program.at("run")).value();
        QCOMPARE(run.graphs.size(), recordings.size());
        QCOMPARE(run.different, std::uint64_t{0});
        QVERIFY(run.verified > 0 || name == "random"); // whose numbers nobody else draws
        for (std::size_t i = 0; i < recordings.size(); ++i) {
            const ReplayRecording& recording = recordings[i];
            QCOMPARE(toJson(recording).dump(), program.at("recordings")[i].dump());
            QVERIFY(recording.cudaGraph);
            // The reader and the driver's own dump said the same.
            QVERIFY2(recording.cudaGraph->warnings.empty(),
                     recording.cudaGraph->warnings.empty() ? ""
                                                           : recording.cudaGraph->warnings.front().c_str());
            checkGraph(*recording.cudaGraph, recording.nodes.size());
            checkMemory(recording);
            checkTimes(run.graphs[i]);
        }
    }

    void whatIsRecordedAnewUpdatesTheExecutableGraph() {
        std::size_t updated = 0;
        for (const auto& [name, program] : batteryPrograms().items())
            for (const json& row : program.at("recorded_again")) {
                const bool random =
                    row.at("why") == "it draws random numbers, whose state belongs to one capture";
                QVERIFY2(row.at("updated").get<bool>() != random, name.c_str());
                updated += random ? 0 : 1;
            }
        QVERIFY(updated >= 14);
    }

    void largeKernelsFillTheLaunch() {
        const GraphRun graph = replayRunFromJson(batteryPrograms().at("matmul").at("run"))->graphs.at(0);
        double nodes = 0;
        for (const NodeTime& time : graph.nodes)
            nodes += time.us.median;
        QVERIFY(graph.launchUs);
        QVERIFY2(std::abs(nodes / graph.launchUs->median - 1) < 0.03, qPrintable(QString::number(nodes)));
    }

    void treesDecideAsTheSimulatorDoes() {
        const json& trees = battery().at("gpu").at("trees");
        const TreeReport report = treeReportFromJson(trees.at("report")).value();
        QCOMPARE(report.different, std::uint64_t{0});
        QCOMPARE(report.verified, std::uint64_t{16});
        QCOMPARE(report.count("replay"), std::size_t{10});
        TreeSimulation simulation(readTreeCase(trees.at("case").dump()).value());
        simulation.run();
        const TreeReport simulated = reportOf(simulation.manager());
        QCOMPARE(report.steps.size(), simulated.steps.size());
        std::map<std::string, std::string> names;
        for (std::size_t i = 0; i < report.steps.size(); ++i) {
            const TreeReportStep &real = report.steps[i], &expected = simulated.steps[i];
            QCOMPARE(real.event, expected.event);
            // A case has no names: the same function has the same one throughout.
            QCOMPARE(names.emplace(real.function, expected.function).first->second, expected.function);
            QCOMPARE(real.action, expected.action);
            QCOMPARE(real.node, expected.node);
            QCOMPARE(real.parent, expected.parent);
            QCOMPARE(real.again, expected.again);
            QVERIFY2(real.difference.empty(), real.difference.c_str());
        }
    }

private:
    static void checkGraph(const CudaGraph& graph, std::size_t nodes) {
        QVERIFY(graph.driverVersion >= 13000);
        QVERIFY(graph.count(CudaNodeKind::Kernel) > 0);
        std::set<std::uint64_t> ids;
        for (const CudaSubgraph& sub : graph.graphs)
            for (const CudaNode& node : sub.nodes) {
                QVERIFY(node.maker && *node.maker < nodes);
                QVERIFY(ids.insert(node.id).second && node.id != 0);
                const auto* const kernel = std::get_if<CudaKernel>(&node.detail);
                if (!kernel) continue;
                QVERIFY2(kernel->paramsKnown && !kernel->params.empty(), kernel->function.c_str());
                for (const CudaKernelParam& param : kernel->params)
                    QCOMPARE(param.bytes.size(), std::size_t{2} * param.size);
            }
    }

    /// No two allocations hold one place at a time.
    static void checkMemory(const ReplayRecording& recording) {
        for (std::size_t i = 0; i < recording.allocations.size(); ++i) {
            const RecordedAllocation& a = recording.allocations[i];
            QVERIFY(a.born < a.died && a.died <= recording.events);
            QVERIFY(a.offset + a.bytes <= recording.arenaBytes);
            for (std::size_t j = 0; j < i; ++j) {
                const RecordedAllocation& b = recording.allocations[j];
                const bool together = a.born < b.died && b.born < a.died;
                const bool apart = a.offset + a.bytes <= b.offset || b.offset + b.bytes <= a.offset;
                QVERIFY(!together || apart);
            }
        }
    }

    /// Kernels of one stream run one after the other within the launch.
    static void checkTimes(const GraphRun& graph) {
        QVERIFY(graph.launchUs && !graph.nodes.empty());
        // The device's own time has none of the host's in it; its clock may have changed between the two.
        QVERIFY(graph.launchUs->min <= 1.02 * graph.replay.us.median);
        for (const NodeTime& time : graph.nodes)
            QVERIFY(time.us.min > 0 && time.us.min <= time.us.median && time.us.median <= time.us.p99);
    }
};

QTEST_GUILESS_MAIN(TestReplayBattery)
#include "tst_replay_battery.moc"
