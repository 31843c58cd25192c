// SPDX-License-Identifier: BSD-3-Clause
//
// What PyTorch wrote on a real GPU (tests/data, the READMEs there): profiles of kernels that were launched one by one and
// of replayed CUDA graphs, the schedule of Triton kernels, the allocator's snapshot, NCCL's flight recorder.
#include "core/capture/flight_reader.h"
#include "core/capture/memory_reader.h"
#include "core/inductor/pass_recording.h"
#include "core/profile/grouped.h"
#include "core/profile/idle.h"
#include "core/profile/line_times.h"
#include "core/profile/node_times.h"
#include "core/session/memory_snapshot.h"
#include "tests/support/archive.h"
#include "tests/support/profiles.h"

#include <QtTest>

using namespace dynascope;
using namespace dynascope::profile;

namespace {

inductor::PassRecordingPtr recordingOf(const Joined& joined) {
    return session::attachedAs<inductor::PassRecording>(joined.session->passRecordings.front());
}

/// Row of each event on the GPU that has a row.
std::vector<const Row*> rowsOnGpu(const Joined& joined) {
    std::vector<const Row*> out;
    for (std::size_t i = 0; i < joined.rowOf.size(); ++i)
        if (joined.profile->events[i].device == 1 && joined.rowOf[i] != none)
            out.push_back(&joined.rows[joined.rowOf[i]]);
    return out;
}

} // namespace

class TestGpuRecords : public QObject {
    Q_OBJECT

private slots:
    void profilesAreJoined_data() {
        QTest::addColumn<QString>("folder");
        QTest::addColumn<int>("graphs");
        QTest::addColumn<int>("joined");
        QTest::addColumn<int>("kernels");
        QTest::newRow("CUDA graphs") << "cuda_graphs" << 6 << 177 << 177;
        // aten::zero_ of a scan's workspace is no kernel that the output code names.
        QTest::newRow("launched one by one") << "tuned" << 4 << 22 << 24;
    }
    void profilesAreJoined() {
        QFETCH(QString, folder);
        QFETCH(int, graphs);
        QFETCH(int, joined);
        QFETCH(int, kernels);
        const JoinedPtr both = test::joinedFolder(folder.toStdString());
        QVERIFY(both);
        QCOMPARE(both->graphs.joined, std::size_t(graphs));
        QCOMPARE(both->graphs.all, std::size_t(graphs));
        QCOMPARE(both->kernels.joined, std::size_t(joined));
        QCOMPARE(both->kernels.all, std::size_t(kernels));
        QCOMPARE(both->profile->models.at(1), std::string("NVIDIA H200"));
        double gpu = 0;
        for (const Row& row : both->rows)
            if (row.device == 1) gpu += row.self;
        QVERIFY(std::abs(gpu - both->profile->busy.at(1)) < 1);
    }

    /// Six launches of three CUDA graphs: each kernel is one of the code's, those of cuDNN and cuBLAS by their place.
    void kernelsOfReplaysAreNodes() {
        const JoinedPtr both = test::joinedFolder("cuda_graphs");
        QVERIFY(both);
        std::size_t places = 0, named = 0;
        for (const Row* row : rowsOnGpu(*both)) {
            QVERIFY(row->part != Part::InGraph && row->part != Part::Unknown);
            places += row->inner == Link::GraphPlace ? 1 : 0;
            named += row->inner == Link::KernelName || row->inner == Link::KernelOrder ||
                             row->inner == Link::KernelFile
                         ? 1
                         : 0;
        }
        QVERIFY2(places > 100 && named > 100, qPrintable(QString("%1 %2").arg(places).arg(named)));
        Facts facts(both);
        double convolutions = 0;
        for (const GroupedRow& row : grouped(facts, By::Node))
            if (row.device == 1 && row.key.starts_with("convolution")) convolutions += row.self;
        QVERIFY(convolutions > 0.5 * both->profile->busy.at(1));
    }

    /// A replay calls each library once, whatever the CPU did not call.
    void librariesInReplaysHaveFlops() {
        const JoinedPtr both = test::joinedFolder("cuda_graphs");
        Facts facts(both);
        std::map<std::string, double> flops;
        for (const GroupedRow& row : grouped(facts, By::Node))
            if (row.device == 1 && row.work.flops) flops[row.key] = *row.work.flops;
        // 3 steps of 16 pictures: 3 x 3, 32 to 64 channels, 16 x 16.
        QVERIFY(flops.contains("convolution_3"));
        QCOMPARE(flops.at("convolution_3"), 3.0 * 2 * 16 * 16 * 16 * 64 * 32 * 9);
    }

    /// Pictures and lines have the GPU's time, without the CPU's of launching it.
    void nodesAndLinesTakeTheTimeOfTheGpu() {
        const JoinedPtr both = test::joinedFolder("tuned");
        Facts facts(both);
        std::map<std::string, double> medians;
        double computed = 0;
        for (const GroupedRow& row : grouped(facts, By::Node)) {
            if (row.device != 1) continue;
            if (row.median) medians[row.key] = *row.median;
            if (row.part == Part::Kernel) computed += row.self;
        }
        std::size_t found = 0;
        for (const StageTimes& of : stageTimes(facts))
            for (const char* const node : {"sort", "mm"})
                if (const auto time = of.nodes.find(node); time != of.nodes.end()) {
                    ++found;
                    QCOMPARE(time->second, medians.at(node));
                }
        QCOMPARE(found, std::size_t(2));
        QVERIFY(std::abs(lineTimes(facts).computed - computed) < 1);
    }

    /// PyTorch writes beside the CPU's side of a Triton kernel where its source lies, and the output code does so too.
    void kernelsByTheirFiles() {
        std::set<std::string> names;
        const JoinedPtr both = test::joinedFolder("tuned");
        for (std::size_t i = 0; i < both->rowOf.size(); ++i)
            if (both->rowOf[i] != none && both->rows[both->rowOf[i]].inner == Link::KernelFile)
                names.insert(both->profile->nameOf(both->profile->events[i]));
        QCOMPARE(
            std::ranges::count_if(names, [](const std::string& one) { return one.starts_with("triton_"); }),
            4);
    }

    /// Kernels of one launch wait for no other launch, and no CUDA graph is advised where there is one.
    void replaysWaitForNoLaunch() {
        const JoinedPtr both = test::joinedFolder("cuda_graphs");
        for (const LaunchedGraph& graph : idleReport(*both).graphs)
            QVERIFY(graph.replayed > 0);
        for (const LaunchedGraph& graph : idleReport(*test::joinedFolder("tuned")).graphs) {
            QCOMPARE(graph.replayed, std::size_t(0));
            QVERIFY(graph.isLaunchBound());
        }
    }

    void scheduleOfTriton() {
        const JoinedPtr both = test::joinedFolder("tuned");
        const inductor::PassRecordingPtr recording = recordingOf(*both);
        QVERIFY(recording);
        QCOMPARE(recording->schedules().size(), std::size_t(2));
        const inductor::Schedule& product = recording->schedules()[0];
        QCOMPARE(product.kernels.at(0).name, std::string("triton_tem_fused_mm_0"));
        QCOMPARE(product.timed.size(), std::size_t(1));
        const inductor::TimedFusion& timed = product.timed.front();
        QVERIFY(!timed.fused && timed.msFused && timed.msApart);
        QVERIFY(*timed.msFused > timed.msApart->at(0) + timed.msApart->at(1)); // which is why
        const inductor::Schedule& parts = recording->schedules()[1];
        std::set<std::string> reasons;
        for (const inductor::Refusal& refusal : inductor::refusalsOf(parts))
            reasons.insert(std::string(recording->reason(refusal.reason)));
        QVERIFY(reasons.contains("Split scan cannot fuse with reductions"));
        QCOMPARE(parts.fusions.size(), std::size_t(1));
    }

    void choicesThatWereTimed() {
        const JoinedPtr both = test::joinedFolder("tuned");
        const inductor::PassRecordingPtr recording = recordingOf(*both);
        QCOMPARE(recording->tunings().size(), std::size_t(1));
        const inductor::Tuning& tuning = recording->tunings().front();
        QCOMPARE(tuning.name, std::string("mm"));
        QCOMPARE(tuning.choices.size(), std::size_t(20));
        QCOMPARE(tuning.choices.front().name, std::string("triton_mm_8")); // as PyTorch printed
        QCOMPARE(tuning.choices.back().name, std::string("mm"));
    }

    /// Figures that Python adds up of the same pickle.
    void snapshotOfTheAllocator() {
        const auto pickles = test::readArchive(DYNASCOPE_TEST_DATA "/memory/h200.tar.xz");
        QCOMPARE(pickles.size(), std::size_t(1));
        const auto snapshot = capture::readMemorySnapshot(pickles.front().content);
        QVERIFY(snapshot);
        std::uint64_t reserved = 0, allocated = 0, blocks = 0;
        std::set<std::string> files;
        for (const session::MemorySegment& segment : snapshot->segments) {
            reserved += segment.bytes;
            for (const session::MemoryBlock& block : segment.blocks) {
                if (block.state != session::MemoryBlock::State::Active) continue;
                allocated += block.bytes;
                ++blocks;
                if (const auto* at = session::userFrame(snapshot->stacks[block.stack]))
                    files.insert(at->file);
            }
        }
        QCOMPARE(reserved, std::uint64_t(136'314'880));
        QCOMPARE(allocated, std::uint64_t(103'376'896));
        QCOMPARE(blocks, std::uint64_t(13));
        QVERIFY(!files.empty());
        for (const std::string& file :
             files) // the recorder's own frames stand between the program and PyTorch
            QVERIFY2(file.find("dynascope_capture") == std::string::npos, file.c_str());
    }

    void flightRecorderOfNccl() {
        const auto flight = capture::readFlightFolder(DYNASCOPE_TEST_DATA "/ranks/flight_nccl");
        QVERIFY(flight);
        QCOMPARE(flight->dumps.size(), std::size_t(1));
        const ranks::FlightDump& dump = flight->dumps.front();
        QCOMPARE(dump.rank, 0);
        QCOMPARE(dump.entries.size(), std::size_t(36));
        const std::array<const char*, 3> kinds{"all_reduce", "all_gather_into_tensor_coalesced",
                                               "reduce_scatter_tensor_coalesced"};
        for (std::size_t i = 0; i < dump.entries.size(); ++i) {
            QCOMPARE(dump.entries[i].kind(), std::string(kinds[i % 3]));
            QVERIFY(dump.entries[i].finished);
            QCOMPARE(dump.entries[i].sequence, std::uint64_t(i + 1));
            QCOMPARE(dump.entries[i].inputs, std::vector<std::string>{"Float[64, 256]"});
        }
    }
};

QTEST_GUILESS_MAIN(TestGpuRecords)
#include "tst_gpu_records.moc"
