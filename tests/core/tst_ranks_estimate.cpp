// SPDX-License-Identifier: BSD-3-Clause
//
// What another number of ranks would change, in exact numbers: of real runs, and of graphs as FSDP and DDP have them.
#include "core/ranks/scaling.h"
#include "tests/support/examined_ranks.h"
#include "tests/support/trace_pairs.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

using namespace dynascope;
using ranks::Moved;
using ranks::ScaleEstimate;

namespace {

struct Estimated {
    QTemporaryDir folder;
    session::SessionPtr session;
    ranks::Report report;

    ScaleEstimate of(const QString& path, std::int64_t ranks) {
        test::ExaminedRanks found = test::examinedRanks(path);
        session = found.session;
        report = std::move(found.report);
        return ranks::estimateRanks(*session, report, ranks);
    }
    /// Each of two ranks has these inputs and this body in its forward graph.
    ScaleEstimate ofGraph(const std::string& inputs, const std::string& body, std::int64_t ranks,
                          int having = 2) {
        for (int rank = 0; rank < having; ++rank) {
            test::TraceText text = test::traceOf("/home/a/train.py");
            text.at(0, 0).start("step", 6);
            text.add("\"aot_forward_graph\": {}",
                     "class <lambda>(torch.nn.Module):\n    def forward(self, " + inputs + "):\n" + body);
            text.metrics("\"fail_type\": null", "step", 6);
            QFile file(folder.filePath(QStringLiteral("dedicated_log_torch_trace_rank_%1_x.log").arg(rank)));
            if (!file.open(QIODevice::WriteOnly) || file.write(QByteArray::fromStdString(text.text())) < 0)
                qFatal("cannot write");
        }
        return of(folder.path(), ranks);
    }
};

QString data(const char* name) {
    return QStringLiteral(DYNASCOPE_TEST_DATA "/ranks/") + QLatin1String(name);
}

bool has(const std::vector<std::string>& list, const char* part) {
    if (std::ranges::any_of(list, [&](const std::string& s) { return s.find(part) != std::string::npos; }))
        return true;
    for (const std::string& one : list)
        qWarning("%s", one.c_str());
    return false;
}

/// A line of a graph: `name` calls the collective `op` on `arguments`.
std::string call(const char* name, const char* shape, const char* op, const char* arguments) {
    return std::string("        ") + name + ": \"" + shape + "\" = torch.ops._c10d_functional." + op +
           ".default(" + arguments + ")\n";
}

} // namespace

class TestRanksEstimate : public QObject {
    Q_OBJECT

private slots:
    void factors() {
        QCOMPARE(*ranks::busFactor("all_reduce", 4), 1.5);
        QCOMPARE(*ranks::busFactor("all_reduce_coalesced", 2), 1.0);
        QCOMPARE(*ranks::busFactor("all_gather_into_tensor", 4), 0.75);
        QCOMPARE(*ranks::busFactor("reduce_scatter_tensor", 8), 0.875);
        QCOMPARE(*ranks::busFactor("all_to_all_single", 2), 0.5);
        QCOMPARE(*ranks::busFactor("broadcast", 8), 1.0);
        QCOMPARE(*ranks::busFactor("reduce", 8), 1.0);
        QCOMPARE(*ranks::busFactor("broadcast", 1), 0.0);
        QVERIFY(!ranks::busFactor("barrier", 8));
        QVERIFY(!ranks::busFactor("all_reduce", 0));
    }

    /// Five all_reduce of f32[8, 32]: 1 KiB each. Weights are DTensors, split over both ranks.
    void tensorParallel() {
        Estimated e;
        const ScaleEstimate estimate = e.of(data("tp"), 8);
        QCOMPARE(estimate.from, std::int64_t(2));
        QCOMPARE(estimate.to, std::int64_t(8));
        QCOMPARE(estimate.compiles.size(), std::size_t(1));
        const ranks::ScaledCompile& one = estimate.compiles[0];
        QCOMPARE(one.calls.size(), std::size_t(5));
        for (const ranks::ScaledCall& scaled : one.calls) {
            QCOMPARE(scaled.bytes, std::uint64_t(1024));
            QVERIFY((*scaled.moved == Moved{1024, 1792, 1792})); // 2 (n-1)/n: 1, then 1.75
        }
        QCOMPARE(one.calls[0].words, std::string("2 (n-1)/n of 1 KiB"));
        QVERIFY((one.moved == Moved{5120, 8960, 8960}));
        // Of three layers: up's weight and bias, down's weight; down's bias is on every rank.
        QCOMPARE(one.sharded.size(), std::size_t(9));
        QCOMPARE(one.sharded[0].now, std::uint64_t(4096)); // f32[64, 32] in two
        QCOMPARE(one.sharded[0].then, 1024.0);
        QCOMPARE(one.sharded[0].words, std::string("DTensor, S(0) of f32[64, 32]"));
        QCOMPARE(one.sharded[1].now, std::uint64_t(128));
        QCOMPARE(one.sharded[2].words, std::string("DTensor, S(1) of f32[32, 64]"));
        // Each layer 4096 + 128 + 4096 sharded and 128 not, and the input of f32[8, 32].
        QCOMPARE(one.heldNow, std::uint64_t(3 * (8320 + 128) + 1024));
        QCOMPARE(one.heldThen, 3 * (8320 / 4.0 + 128) + 1024);
    }

    /// Two all_to_all_single of f32[8, 16], an all_reduce of f32[16], an all_gather to f32[4, 16], a reduce_scatter of it.
    void mixtureOfExperts() {
        Estimated e;
        const ScaleEstimate estimate = e.of(data("moe"), 4);
        const ranks::ScaledCompile& one = estimate.compiles.at(0);
        QCOMPARE(one.calls.size(), std::size_t(5));
        const std::vector<Moved> expected = {
            {256, 192, 384}, // half of 512 B; three quarters of half as much, or of as much
            {256, 192, 384}, {64, 96, 96}, {128, 192, 384}, // 256 B gathered, or twice as much
            {128, 192, 384},
        };
        for (std::size_t i = 0; i < expected.size(); ++i)
            QVERIFY2(*one.calls[i].moved == expected[i], std::to_string(i).c_str());
        QVERIFY((one.moved == Moved{832, 864, 1632}));
        QVERIFY(one.sharded.empty()); // what is gathered is cut out of a result
        QVERIFY(has(estimate.assumptions, "The program compiles the same graphs with 4 ranks"));
        QVERIFY(has(estimate.assumptions, "nccl-tests, doc/PERFORMANCE.md"));
        // The other way: alone there is nobody to send to.
        QVERIFY((ranks::estimateRanks(*e.session, e.report, 1).compiles[0].moved == Moved{832, 0, 0}));
    }

    /// As FSDP in a graph: a shard in bf16 is gathered, its gradient scattered.
    void fullySharded() {
        Estimated e;
        const ScaleEstimate estimate = e.ofGraph(
            "primals_1: \"f32[32, 16][16, 1]cpu\", primals_2: \"f32[8, 64][64, 1]cpu\"",
            "        half: \"bf16[32, 16][16, 1]cpu\" = "
            "torch.ops.prims.convert_element_type.default(primals_1, torch.bfloat16)\n" +
                call("gathered", "bf16[64, 16][16, 1]cpu", "all_gather_into_tensor", "half, 2, '0'") +
                call("whole", "bf16[64, 16][16, 1]cpu", "wait_tensor", "gathered") +
                call("scattered", "bf16[32, 16][16, 1]cpu", "reduce_scatter_tensor", "whole, 'sum', 2, '0'") +
                call("grad", "bf16[32, 16][16, 1]cpu", "wait_tensor", "scattered") +
                "        return (grad,)\n",
            8);
        const ranks::ScaledCompile& one = estimate.compiles.at(0);
        QCOMPARE(one.calls.at(0).bytes, std::uint64_t(2048));
        QVERIFY((*one.calls[0].moved == Moved{1024, 1792, 7168}));
        QVERIFY((*one.calls[1].moved == Moved{1024, 1792, 7168}));
        QCOMPARE(one.sharded.size(), std::size_t(1));
        QCOMPARE(one.sharded[0].name, std::string("primals_1"));
        QCOMPARE(one.sharded[0].words, std::string("gathered by gathered"));
        QCOMPARE(one.sharded[0].now, std::uint64_t(2048));
        QCOMPARE(one.sharded[0].then, 512.0);
        QCOMPARE(one.heldNow, std::uint64_t(4096));
        QCOMPARE(one.heldThen, 2560.0);
    }

    /// As DDP in a graph: gradients in a bucket are summed; nothing is sharded.
    void dataParallel() {
        Estimated e;
        const ScaleEstimate estimate = e.ofGraph(
            "primals_1: \"f32[1000][1]cpu\"",
            call("bucket", "f32[1000][1]cpu", "all_reduce", "primals_1, 'sum', '0'") +
                call("grad", "f32[1000][1]cpu", "wait_tensor", "bucket") + "        return (grad,)\n",
            1024, 4);
        const ranks::ScaledCompile& one = estimate.compiles.at(0);
        QVERIFY((one.moved == Moved{6000, 7992.1875, 7992.1875}));
        QVERIFY(one.sharded.empty());
        QCOMPARE(one.heldThen, 4000.0);
    }

    void groupsThatAreSmallerStay() {
        Estimated e;
        const ScaleEstimate estimate =
            e.ofGraph("primals_1: \"f32[4][1]cpu\"",
                      call("pair", "f32[8][1]cpu", "all_gather_into_tensor", "primals_1, 2, '3'") +
                          call("some", "f32[4][1]cpu", "all_reduce", "primals_1, 'sum', '7'") +
                          call("dynamic", "f32[s0][1]cpu", "all_reduce", "primals_1, 'sum', '0'") +
                          "        return (pair, some, dynamic)\n",
                      8, 4);
        const ranks::ScaledCompile& one = estimate.compiles.at(0);
        QVERIFY((*one.calls.at(0).moved == Moved{16, 16, 16}));
        QCOMPARE(one.calls[0].words,
                 std::string("(n-1)/n of 32 B, in a group of 2 ranks that is taken to stay"));
        QVERIFY(!one.calls[1].moved);
        QCOMPARE(one.calls[1].words, std::string("how many ranks process group '7' has is not known"));
        QVERIFY((*one.calls[2].moved == Moved{24, 28, 28}));
        QVERIFY(one.sharded.empty()); // gathered by a part of the ranks
    }

    void whatCannotBeEstimated() {
        Estimated symbols;
        const ScaleEstimate estimate = symbols.ofGraph(
            "primals_1: \"f32[s0][1]cpu\"",
            call("sum", "f32[s0][1]cpu", "all_reduce", "primals_1, 'sum', '0'") +
                call("sent", "f32[0][1]cpu", "isend", "primals_1, 1, 0, '0'") + "        return (sum,)\n",
            8);
        QCOMPARE(estimate.compiles.at(0).calls.at(0).words, std::string("its sizes are no numbers"));
        QVERIFY(!estimate.compiles[0].calls[0].moved);
        QVERIFY(estimate.compiles[0].calls[1].words.starts_with("a send or receive"));
        QVERIFY((estimate.compiles[0].moved == Moved()));
        Estimated none;
        const ScaleEstimate nothing =
            none.ofGraph("primals_1: \"f32[4][1]cpu\"", "        return (primals_1,)\n", 8);
        QVERIFY(nothing.compiles.empty() && nothing.assumptions.empty());
        QVERIFY(has(nothing.limits, "as DDP and FSDP do it, is not in a trace, and nothing is estimated"));
        // Two logs of a run of four, by the size of a group.
        Estimated part;
        const ScaleEstimate four =
            part.ofGraph("primals_1: \"f32[4][1]cpu\"",
                         call("all", "f32[16][1]cpu", "all_gather_into_tensor", "primals_1, 4, '0'") +
                             "        return (all,)\n",
                         8);
        QCOMPARE(four.from, std::int64_t(4));
        QVERIFY(
            has(four.limits,
                "the capture has logs of 2 ranks; by their numbers and process groups the run had 4 ranks"));
        QVERIFY((four.compiles.at(0).moved == Moved{48, 56, 112}));
    }
};

QTEST_GUILESS_MAIN(TestRanksEstimate)
#include "tst_ranks_estimate.moc"
