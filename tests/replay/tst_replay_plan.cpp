// SPDX-License-Identifier: BSD-3-Clause
//
// Planned addresses: no two storages that live at the same time may overlap, whatever the program.
#include "core/capture/open.h"
#include "core/ir/text.h"
#include "core/replay/plan.h"
#include "tests/support/captures.h"

#include <QtTest>
#include <random>

using namespace dynascope;
using namespace dynascope::replay;

namespace {

std::vector<Block> randomBlocks(unsigned seed) {
    std::mt19937 random(seed);
    const auto below = [&](std::uint32_t n) { return std::uint32_t(random() % n); };
    const std::uint32_t steps = 1 + below(1 + below(400));
    std::vector<Block> out(below(200));
    for (Block& block : out) {
        block.first = below(steps);
        block.last = std::min(steps, block.first + below(1 + below(steps)));
        block.bytes = below(10) == 0 ? 0 : 1 + below(1u << (1 + below(20)));
    }
    return out;
}

/// Every pair, written down as the definition says it.
bool overlaps(const std::vector<Block>& blocks, const Plan& plan) {
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            const bool together = blocks[i].first <= blocks[j].last && blocks[j].first <= blocks[i].last;
            const bool shared = plan.offsets[i] < plan.offsets[j] + blocks[j].bytes &&
                                plan.offsets[j] < plan.offsets[i] + blocks[i].bytes;
            if (together && shared && blocks[i].bytes > 0 && blocks[j].bytes > 0) return true;
        }
    }
    return false;
}

std::uint64_t peak(const std::vector<Block>& blocks, std::uint64_t alignment) {
    std::uint64_t most = 0;
    for (const Block& at : blocks) {
        std::uint64_t live = 0;
        for (const Block& block : blocks)
            if (block.first <= at.first && at.first <= block.last)
                live += (block.bytes + alignment - 1) / alignment * alignment;
        most = std::max(most, live);
    }
    return most;
}

std::vector<Block> blocksOfText(const std::string& body) {
    const auto graph = ir::readGraph("class GraphModule(torch.nn.Module):\n    def forward(self, " + body);
    return graph ? blocksOf(**graph).blocks : std::vector<Block>{};
}

} // namespace

class TestReplayPlan : public QObject {
    Q_OBJECT

private slots:
    void randomPrograms() {
        for (unsigned seed = 0; seed < 400; ++seed) {
            const std::vector<Block> blocks = randomBlocks(seed);
            const std::uint64_t alignment = std::uint64_t(1) << (seed % 10);
            for (const Plan& plan : {planGreedyBySize(blocks, alignment), planFirstFit(blocks, alignment)}) {
                QVERIFY2(!planFault(blocks, plan, alignment), std::to_string(seed).c_str());
                QVERIFY2(!overlaps(blocks, plan), std::to_string(seed).c_str());
                QCOMPARE(plan.peakBytes, peak(blocks, alignment));
                QVERIFY(plan.arenaBytes >= plan.peakBytes);
            }
        }
    }

    /// The check sees what it is there to see: any offset moved onto a neighbour.
    void faultsAreFound() {
        std::size_t moved = 0;
        for (unsigned seed = 0; seed < 200; ++seed) {
            const std::vector<Block> blocks = randomBlocks(seed);
            std::mt19937 random(seed);
            Plan plan = planGreedyBySize(blocks, 1);
            if (blocks.empty()) continue;
            const std::size_t victim = random() % blocks.size();
            plan.offsets[victim] = plan.offsets[random() % blocks.size()];
            const bool beyond =
                plan.offsets[victim] + blocks[victim].bytes > plan.arenaBytes && blocks[victim].bytes > 0;
            const bool bad = overlaps(blocks, plan) || beyond;
            QCOMPARE(planFault(blocks, plan, 1).has_value(), bad);
            moved += bad ? 1 : 0;
        }
        QVERIFY(moved > 40);
        const std::vector<Block> one{{10, 0, 1}};
        QCOMPARE(planFault(one, {{32}, 100, 10}, 64).value(), std::string("block 0 is not aligned"));
        QCOMPARE(planFault(one, {{64}, 73, 10}, 64).value(), std::string("block 0 reaches beyond the arena"));
        QCOMPARE(planFault(one, {{}, 73, 10}, 64).value(), std::string("the plan is of other blocks"));
        QVERIFY(!planFault(one, {{64}, 74, 10}, 64));
    }

    void packsByGaps() {
        // The first is gone when the large third comes, and the last goes above both.
        const std::vector<Block> blocks{{64, 0, 1}, {192, 1, 3}, {128, 3, 4}, {64, 2, 4}};
        const Plan plan = planGreedyBySize(blocks);
        QCOMPARE(plan.peakBytes, 384U);
        QCOMPARE(plan.arenaBytes, 384U);
        const Plan none = planGreedyBySize({});
        QVERIFY(none.arenaBytes == 0 && none.offsets.empty());
    }

    void lifetimesOfGraphs() {
        // x is the caller's; the view keeps a alive; b is returned; the write is on a.
        const std::vector<Block> blocks =
            blocksOfText("x: \"f32[16]cpu\"):\n"
                         "        a: \"f32[16]cpu\" = torch.ops.aten.add.Tensor(x, 1)\n"
                         "        v: \"f32[4, 4]cpu\" = torch.ops.aten.view.default(a, [4, 4])\n"
                         "        b: \"f32[32]cpu\" = torch.ops.aten.cat.default([x, x])\n"
                         "        mul_: \"f32[4, 4]cpu\" = torch.ops.aten.mul_.Tensor(v, 2)\n"
                         "        sum_1: \"f32[]cpu\" = torch.ops.aten.sum.default(mul_)\n"
                         "        return (b, sum_1)\n");
        const std::vector<Block> expected{{64, 1, 5}, {128, 3, 7}, {4, 5, 7}};
        QCOMPARE(blocks, expected);
    }

    void partsOfTuples() {
        const std::vector<Block> blocks =
            blocksOfText("x: \"f32[16]cpu\"):\n"
                         "        pair = torch.ops.aten.max.dim(x, 0)\n"
                         "        values: \"f32[8]cpu\" = pair[0]\n"
                         "        indices: \"i64[8]cpu\" = pair[1];  pair = None\n"
                         "        y: \"f32[8]cpu\" = torch.ops.aten.add.Tensor(values, 1)\n"
                         "        return (y, indices)\n");
        const std::vector<Block> expected{{32, 1, 4}, {64, 1, 6}, {32, 4, 6}};
        QCOMPARE(blocks, expected);
    }

    void unknownSizes() {
        const auto graph =
            ir::readGraph("class GraphModule(torch.nn.Module):\n    def forward(self, x: "
                          "\"f32[s0]cpu\"):\n        a: \"f32[s0]cpu\" = torch.ops.aten.add.Tensor(x, "
                          "1)\n        b: \"f32[99999999999999]cpu\" = "
                          "torch.ops.aten.add.Tensor(a, 1)\n        return (b,)\n");
        QVERIFY(graph);
        QCOMPARE(blocksOf(**graph).unknown, 2U);
        QVERIFY(blocksOf(**graph).blocks.empty());
        // The values that symbols had tell the size of one; the other is no size that is planned with.
        const GraphBlocks known = blocksOf(**graph, defaultAlignment, {{"s0", 6}});
        QCOMPARE(known.unknown, 1U);
        QCOMPARE(known.bySymbols, 1U);
        QCOMPARE(known.blocks.size(), 1U);
        QCOMPARE(known.blocks[0].bytes, 24U);
        QCOMPARE(blocksOf(**graph, defaultAlignment, {{"s1", 6}}).unknown, 2U);
    }

    /// On real graphs the arena is hardly larger than what lives at once.
    void captures() {
        std::size_t graphs = 0, atPeak = 0;
        double worst = 1;
        for (const QString& log : test::traceLogs()) {
            const auto session = capture::open(log.toStdString());
            QVERIFY(session);
            for (const session::Compile& compile : (*session)->compiles) {
                for (const session::StagePtr& stage : compile.stages) {
                    const auto graph = stage->graph();
                    if (stage->content != session::Stage::Content::Graph || !graph) continue;
                    const std::vector<Block> blocks = blocksOf(**graph).blocks;
                    const Plan plan = planGreedyBySize(blocks);
                    QVERIFY2(!planFault(blocks, plan), qPrintable(log));
                    if (plan.peakBytes == 0) continue;
                    ++graphs;
                    const double ratio = double(plan.arenaBytes) / double(plan.peakBytes);
                    worst = std::max(worst, ratio);
                    atPeak += plan.arenaBytes == plan.peakBytes ? 1 : 0;
                    QVERIFY2(ratio <= 1.05, qPrintable(log + ' ' + QString::number(ratio)));
                }
            }
        }
        QVERIFY(graphs > 50);
        qInfo("%zu graphs, %zu of them at the peak, worst arena %.4f of peak", graphs, atPeak, worst);
    }
};

QTEST_APPLESS_MAIN(TestReplayPlan)
#include "tst_replay_plan.moc"
