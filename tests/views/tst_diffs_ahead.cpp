// SPDX-License-Identifier: BSD-3-Clause
//
// Stages that are likely to be looked at next are read and compared beforehand, and no more of them are kept than asked.
#include "tests/support/open_captures.h"
#include "tests/support/patience.h"
#include "views/workspace/diffs_ahead.h"

using namespace dynascope;
using namespace dynascope::views;

namespace {

/// Stages of the sample's first compile, each beside the next.
std::vector<DiffsAhead::Pair> neighbours() {
    const auto opened = capture::open(test::samplePath("encoder_train").toStdString());
    if (!opened) qFatal("%s", opened.error().toString().c_str());
    std::vector<DiffsAhead::Pair> out;
    const auto& stages = (*opened)->compiles.front().stages;
    for (std::size_t i = 1; i < stages.size(); ++i)
        if (stages[i - 1]->content == session::Stage::Content::Graph &&
            stages[i]->content == session::Stage::Content::Graph)
            out.push_back({stages[i - 1], stages[i], {}});
    return out;
}

/// As if each graph were another stage.
DiffsAhead::Pair another(const DiffsAhead::Pair& pair) {
    return {std::make_shared<session::Stage>(*pair.a), pair.b, {}};
}

} // namespace

class TestDiffsAhead : public QObject {
    Q_OBJECT
private slots:
    void whatIsPreparedIsAtHand() {
        const DiffsAhead::Pair pair = neighbours().front();
        QVERIFY(!pair.a->isRead() && !pair.b->isRead());
        DiffsAhead ahead;
        ahead.prepare({pair});
        QVERIFY(!ahead.find(pair)); // not on this thread
        QTRY_VERIFY_WITH_TIMEOUT(ahead.isIdle(), test::patience);
        QVERIFY(pair.a->isRead() && pair.b->isRead());
        const DiffPtr found = ahead.find(pair);
        QVERIFY(found);
        const ir::GraphPtr a = *pair.a->graph(), b = *pair.b->graph();
        QCOMPARE(diff::printDiff(*a, *b, *found), diff::printDiff(*a, *b, diff::diffGraphs(*a, *b)));
        // Compared by what is known of origins too, which another pass may have recorded.
        DiffsAhead::Pair known = pair;
        known.known = {{0, 0}};
        QVERIFY(!ahead.find(known));
        ahead.clear();
        QVERIFY(!ahead.find(pair));
    }

    void theNewestWishAlone() {
        const auto pairs = neighbours();
        QVERIFY(pairs.size() >= 3);
        DiffsAhead ahead;
        ahead.prepare({pairs[0], pairs[1]});
        ahead.prepare({pairs[2]});
        QTRY_VERIFY_WITH_TIMEOUT(ahead.isIdle(), test::patience);
        QVERIFY(ahead.find(pairs[0])); // had begun
        QVERIFY(!ahead.find(pairs[1]));
        QVERIFY(ahead.find(pairs[2]));
    }

    void keepsTheLastAlone() {
        const auto pairs = neighbours();
        DiffsAhead ahead;
        const auto diff = std::make_shared<const diff::GraphDiff>();
        std::vector<DiffsAhead::Pair> kept;
        for (std::size_t i = 0; i <= DiffsAhead::mostKept; ++i) {
            kept.push_back(another(pairs.front()));
            ahead.keep(kept.back(), diff);
        }
        QVERIFY(!ahead.find(kept.front()));
        for (std::size_t i = 1; i < kept.size(); ++i)
            QCOMPARE(ahead.find(kept[i]), diff);
    }

    void whatCannotBeReadIsLeftOut() {
        DiffsAhead::Pair pair = neighbours().front();
        pair.b = std::make_shared<session::Stage>(); // without a text
        QVERIFY(!pair.b->graph());
        DiffsAhead ahead;
        ahead.prepare({pair, {nullptr, pair.a, {}}});
        QTRY_VERIFY_WITH_TIMEOUT(ahead.isIdle(), test::patience);
        QVERIFY(!ahead.find(pair));
    }

    void aWorkspaceShowsWhatItPrepared() {
        TaskRunner tasks;
        Workspace workspace(tasks);
        test::addSample(workspace, "encoder_train");
        QTRY_VERIFY_WITH_TIMEOUT(workspace.diff(), test::patience);
        workspace.prepareDiffs({{1, 2}, {-1, 2}, {0, 99}});
        QTRY_VERIFY_WITH_TIMEOUT(!workspace.isPreparing(), test::patience);
        workspace.selectStages(1, 2);
        QVERIFY(tasks.isIdle()); // nothing is left to do
        QVERIFY(workspace.stage(Side::A).graph && workspace.stage(Side::B).graph && workspace.diff());
    }
};

QTEST_MAIN(TestDiffsAhead)
#include "tst_diffs_ahead.moc"
