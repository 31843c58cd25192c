// SPDX-License-Identifier: BSD-3-Clause
//
// Text diffs that are prepared are those that would be made, columns are printed once, and no more are kept than said.
#include "core/ir/text.h"
#include "tests/support/open_captures.h"
#include "tests/support/patience.h"
#include "tests/views/panel_test.h"
#include "views/base/aligned_texts.h"
#include "views/base/code_view.h"
#include "views/base/text_diff_panel.h"

#include <QSignalSpy>

using namespace dynascope;
using namespace dynascope::views;

namespace {

/// Stages of the sample's first compile that are graphs.
std::vector<session::StagePtr> graphStages() {
    const auto opened = capture::open(test::samplePath("encoder_train").toStdString());
    if (!opened) qFatal("%s", opened.error().toString().c_str());
    std::vector<session::StagePtr> out;
    for (const session::StagePtr& stage : (*opened)->compiles.front().stages)
        if (stage->content == session::Stage::Content::Graph) out.push_back(stage);
    return out;
}

AlignKey keyOf(const session::StagePtr& a, const session::StagePtr& b) {
    const ir::GraphPtr graphA = *a->graph(), graphB = *b->graph();
    return {a, b, graphA, graphB, std::make_shared<const diff::GraphDiff>(diff::diffGraphs(*graphA, *graphB)),
            {}};
}

QString textOf(const AlignedText& text) {
    QString out;
    for (const CodeRow& row : text.rows)
        for (std::size_t side = 0; side < 2; ++side)
            out +=
                QStringLiteral("%1 %2\n")
                    .arg(int(row.change))
                    .arg(row.line[side] < 0 ? QString()
                                            : text.document[side]->lines[std::size_t(row.line[side])].text);
    return out;
}

} // namespace

class TestAlignedTexts : public QObject {
    Q_OBJECT
private slots:
    /// One node that stands far down in B leaves the others beside what they became.
    void aNodeElsewhereMovesNoOther() {
        const std::string head = "def forward(self, x: \"f32[4]\"):\n";
        std::string chain = "    n0: \"f32[4]\" = torch.ops.aten.sin.default(x)\n";
        for (int i = 1; i < 5; ++i)
            chain += "    n" + std::to_string(i) + ": \"f32[4]\" = torch.ops.aten.sin.default(n" +
                     std::to_string(i - 1) + ")\n";
        const std::string end = "    return (n4, first)\n";
        const auto a =
            ir::readGraph(head + "    first: \"f32[4]\" = torch.ops.aten.add.Tensor(x, 1)\n" + chain + end);
        const auto b =
            ir::readGraph(head + chain + "    first: \"f32[4]\" = torch.ops.aten.add.Tensor(x, 2)\n" + end);
        QVERIFY(a && b);
        const diff::GraphDiff diff = diff::diffGraphs(**a, **b);
        QCOMPARE(diff.partnerOfA[(*a)->find("first")], (*b)->find("first"));
        const AlignedText text = alignGraphs(**a, **b, diff, {});
        const auto lineOf = [&](std::size_t side, ir::NodeIndex node) {
            const std::vector<ir::NodeIndex>& nodes = text.nodeOfLine[side];
            return int(std::ranges::find(nodes, node) - nodes.begin());
        };
        const auto beside = [&](const char* name) {
            const int line = lineOf(0, (*a)->find(name));
            const auto row =
                std::ranges::find_if(text.rows, [line](const CodeRow& r) { return r.line[0] == line; });
            return row == text.rows.end() ? -2 : row->line[1];
        };
        for (const char* name : {"n0", "n1", "n2", "n3", "n4", "output"})
            QCOMPARE(beside(name), lineOf(1, (*b)->find(name)));
        QCOMPARE(beside("first"), -1);
        // Every line of both is there once, and in order.
        for (const std::size_t side : {0U, 1U}) {
            int next = 0;
            for (const CodeRow& row : text.rows)
                if (row.line[side] >= 0) QCOMPARE(row.line[side], next++);
            QCOMPARE(next, int(text.document[side]->lines.size()));
        }
    }
    void aColumnIsPrintedOnce() {
        const auto stages = graphStages();
        const ir::GraphPtr graph = *stages.front()->graph();
        ColumnCache columns;
        const GraphColumnPtr column = columns.of(graph, {});
        QCOMPARE(columns.of(graph, {.quietRespelled = false}), column); // says how columns are compared
        const GraphColumnPtr other = columns.of(graph, {.strides = true});
        QVERIFY(other != column && other->document->text() != column->document->text());
        QCOMPARE(columns.of(graph, {}), column);
        columns.clear();
        QVERIFY(columns.of(graph, {}) != column);
    }

    void columnsThatWereAskedForLastAreKept() {
        const ir::GraphPtr graph = *graphStages().front()->graph();
        ColumnCache columns;
        std::vector<ir::GraphPtr> graphs;
        std::vector<GraphColumnPtr> made;
        for (std::size_t i = 0; i < ColumnCache::mostKept; ++i) {
            graphs.push_back(std::make_shared<const ir::Graph>(*graph));
            made.push_back(columns.of(graphs.back(), {}));
        }
        QCOMPARE(columns.of(graphs.front(), {}), made.front());
        QVERIFY(columns.of(graph, {})); // one too many: the second goes
        QCOMPARE(columns.of(graphs.front(), {}), made.front());
        QVERIFY(columns.of(graphs[1], {}) != made[1]);
    }

    void whatIsPreparedIsWhatWouldBeMade() {
        const auto stages = graphStages();
        QVERIFY(stages.size() >= 3);
        const AlignKey first = keyOf(stages[0], stages[1]), second = keyOf(stages[1], stages[2]);
        AlignedTexts texts;
        texts.prepare(first);
        texts.prepare(second);
        QVERIFY(!texts.find(first)); // not on this thread
        QTRY_VERIFY_WITH_TIMEOUT(texts.isIdle(), test::patience);
        for (const AlignKey& key : {first, second}) {
            const AlignedTextPtr found = texts.find(key);
            QVERIFY(found);
            QCOMPARE(textOf(*found), textOf(alignGraphs(*key.graphA, *key.graphB, *key.diff, key.options)));
        }
        // Both have printed the graph between them once.
        QCOMPARE(texts.find(first)->document[1], texts.find(second)->document[0]);
        AlignKey spelled = first;
        spelled.options.strides = true;
        QVERIFY(!texts.find(spelled));
        texts.clear();
        QVERIFY(!texts.find(first));
    }

    void keepsTheLastAlone() {
        const auto stages = graphStages();
        const AlignKey key = keyOf(stages[0], stages[1]);
        AlignedTexts texts;
        const auto text = std::make_shared<const AlignedText>();
        std::vector<AlignKey> kept;
        for (std::size_t i = 0; i <= AlignedTexts::mostKept; ++i) {
            kept.push_back(key);
            kept.back().a = std::make_shared<session::Stage>(*key.a);
            texts.keep(kept.back(), text);
        }
        QVERIFY(!texts.find(kept.front()));
        for (std::size_t i = 1; i < kept.size(); ++i)
            QCOMPARE(texts.find(kept[i]), text);
    }

    void aPanelShowsWhatIsPreparedAtOnce() {
        test::Fixture f;
        test::addSample(f.workspace, "encoder_train");
        const auto panel = f.show<TextDiffPanel>(900, 600);
        std::vector<int> graphs;
        for (int i = 0; i < f.workspace.stageCount(); ++i)
            if (f.workspace.stageAt(i)->content == session::Stage::Content::Graph) graphs.push_back(i);
        QVERIFY(graphs.size() >= 3);
        f.workspace.selectStages(graphs[0], graphs[1]);
        f.settle();
        QStringList begun;
        connect(&f.tasks, &TaskRunner::started, this, [&begun](const QString& tag) { begun << tag; });
        f.workspace.selectStages(graphs[0], graphs[2]);
        f.settle();
        QVERIFY(begun.contains("textdiff")); // was not prepared
        begun.clear();
        QSignalSpy prepared(&f.workspace, &Workspace::diffPrepared);
        f.workspace.prepareDiffs({{graphs[1], graphs[2]}});
        QTRY_COMPARE_WITH_TIMEOUT(prepared.size(), 1, test::patience);
        QTRY_VERIFY_WITH_TIMEOUT(!panel->isPreparing(), test::patience);
        f.workspace.selectStages(graphs[1], graphs[2]);
        f.settle();
        QVERIFY2(!begun.contains("textdiff"), qPrintable(begun.join(u' ')));
        QVERIFY(panel->message().isEmpty());
        f.workspace.selectStages(graphs[0], graphs[1]); // was looked at
        f.settle();
        QVERIFY2(!begun.contains("textdiff"), qPrintable(begun.join(u' ')));
    }
};

QTEST_MAIN(TestAlignedTexts)
#include "tst_aligned_texts.moc"
