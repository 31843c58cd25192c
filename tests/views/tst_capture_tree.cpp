// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/open_captures.h"
#include "tests/support/parts.h"
#include "tests/support/trace_text.h"
#include "views/capture/capture_filter.h"
#include "views/capture/capture_model.h"
#include "views/capture/capture_panel.h"
#include "views/capture/filter_edit.h"
#include "views/capture/filter_popup.h"
#include "views/inspector/facts.h"
#include "views/workspace/labels.h"

#include <QAbstractItemModelTester>
#include <QLabel>
#include <QSignalSpy>
#include <QTreeView>
#include <algorithm>

using namespace dynascope;
using namespace dynascope::views;

namespace {

/// Rows of a kind below `parent`, at any depth.
QModelIndexList rows(const QAbstractItemModel& model, CaptureModel::Kind kind,
                     const QModelIndex& parent = {}) {
    QModelIndexList found;
    for (int i = 0; i < model.rowCount(parent); ++i) {
        const QModelIndex index = model.index(i, 0, parent);
        if (index.data(CaptureModel::KindRole).toInt() == int(kind)) found << index;
        found << rows(model, kind, index);
    }
    return found;
}

} // namespace

class TestCaptureTree : public QObject {
    Q_OBJECT
private slots:
    void init();
    void listsCapturesFramesAndCompiles();
    void runsStandAboveTheirFrames();
    void aRecompileThatBrokeHasBothChips();
    void cachesLeadToTheLookupThatMissed();
    void cachesAreCountedAsTheInspectorCounts();
    void nestsResumedFramesUnderTheirBreak();
    void facetsFollowTheShownCompile();
    void survivesEveryChange();
    void filtersCompiles();
    void filtersByNodes();
    void filtersByModules();
    void offersCompletions();
    void saysThatNothingMatches();
    void clicksGoThere();

private:
    std::unique_ptr<TaskRunner> m_tasks;
    std::unique_ptr<Workspace> m_workspace;
    Theme m_theme;
};

void TestCaptureTree::init() {
    m_workspace.reset();
    m_tasks = std::make_unique<TaskRunner>();
    m_workspace = std::make_unique<Workspace>(*m_tasks);
}

void TestCaptureTree::listsCapturesFramesAndCompiles() {
    CaptureModel model(*m_workspace);
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    test::addSample(*m_workspace, "graph_breaks");
    QCOMPARE(model.rowCount(), 1);
    QCOMPARE(model.captureIndex(0).data(CaptureModel::StrongRole).toString(), QString("graph_breaks"));
    const session::Session& session = *m_workspace->session();
    QCOMPARE(rows(model, CaptureModel::Kind::Compile).size(), qsizetype(session.compiles.size()));
    QCOMPARE(rows(model, CaptureModel::Kind::Breaks).size(), 1);
    const QModelIndexList again = rows(model, CaptureModel::Kind::Recompiles);
    QCOMPARE(again.size(), 1);
    const auto& compiles = m_workspace->session()->compiles;
    QCOMPARE(again[0].data(CaptureModel::RightRole).toString(),
             QString::number(std::ranges::count_if(compiles, &session::Compile::isRecompile)));
    QCOMPARE(rows(model, CaptureModel::Kind::ArtifactType).size(), qsizetype(session.recordCounts.size()));
    bool sawChip = false;
    for (const QModelIndex& index : rows(model, CaptureModel::Kind::Compile))
        sawChip |= index.data(CaptureModel::ChipRole).toString() == "break :30";
    QVERIFY(sawChip);
}

void TestCaptureTree::runsStandAboveTheirFrames() {
    CaptureModel model(*m_workspace);
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    test::addCapture(*m_workspace, DYNASCOPE_TEST_DATA "/captures/reset.log.xz");
    QVERIFY(rows(model, CaptureModel::Kind::Rank).isEmpty());
    const QModelIndexList runs = rows(model, CaptureModel::Kind::Run);
    QCOMPARE(runs.size(), 2);
    QCOMPARE(runs[1].data(CaptureModel::StrongRole).toString(), QString("run 2"));
    QVERIFY(runs[1].data(CaptureModel::DetailRole).toString().startsWith("compile ids begin again in line "));
    QStringList ids;
    for (const QModelIndex& run : runs)
        for (const QModelIndex& compile : rows(model, CaptureModel::Kind::Compile, run))
            ids << compile.data(CaptureModel::StrongRole).toString();
    QCOMPARE(ids, QStringList({"0/0", "0/1", "0/0@2", "0/1@2"}));
}

void TestCaptureTree::aRecompileThatBrokeHasBothChips() {
    test::addSample(*m_workspace, "graph_breaks");
    CaptureModel model(*m_workspace);
    int both = 0;
    for (const QModelIndex& index : rows(model, CaptureModel::Kind::Compile)) {
        const session::Compile& compile =
            m_workspace->session()->compiles[std::size_t(index.data(CaptureModel::CompileRole).toInt())];
        const bool broke = compile.isRecompile && compile.status == session::Status::GraphBreak;
        both += broke ? 1 : 0;
        const QString chip = index.data(CaptureModel::BreakChipRole).toString();
        QCOMPARE(chip, broke ? breakChip(compile) : QString());
        if (!broke) continue;
        QCOMPARE(index.data(CaptureModel::ChipRole).toString(), QString("recompile"));
        QVERIFY(chip.startsWith("break"));
        QVERIFY(index.data().toString().contains(chip));
    }
    QVERIFY(both > 0);
}

void TestCaptureTree::cachesLeadToTheLookupThatMissed() {
    test::TraceText text;
    text.start().add("\"dynamo_output_graph\": {}", test::readableGraph());
    text.artifact("fx_graph_cache_hit", "{\"key\": \"f2\"}");
    text.artifact("fx_graph_cache_miss", "{\"key\": \"f1\"}");
    text.metrics();
    const auto opened = capture::openText(text.text());
    QVERIFY(opened);
    m_workspace->addCapture({*opened, session::summarizeBreaks(**opened)});
    m_workspace->selectCompile(0, 0);
    CapturePanel panel(*m_workspace, m_theme);
    panel.resize(320, 600);
    panel.show();
    QSignalSpy records(m_workspace.get(), &Workspace::recordRequested);
    for (const QModelIndex& index : rows(*panel.tree()->model(), CaptureModel::Kind::Facet)) {
        if (index.data(CaptureModel::DetailRole).toString() != "Caches") continue;
        panel.tree()->scrollTo(index);
        QTest::mouseClick(panel.tree()->viewport(), Qt::LeftButton, {},
                          panel.tree()->visualRect(index).center());
    }
    QCOMPARE(records.size(), 1);
    QCOMPARE(std::size_t(records.first().at(1).toInt()), (*opened)->compiles[0].caches[1].record);
}

void TestCaptureTree::cachesAreCountedAsTheInspectorCounts() {
    test::TraceText text;
    text.start().add("\"dynamo_output_graph\": {}", test::readableGraph());
    text.artifact("aotautograd_cache_bypass", "{\"cache_bypass_reason\": \"not supported\"}");
    text.artifact("fx_graph_cache_miss", "{\"key\": \"f1\"}");
    text.artifact("fx_graph_cache_hit", "{\"key\": \"f2\"}");
    text.artifact("fx_graph_cache_hit", "{\"key\": \"f3\"}");
    text.metrics();
    const auto opened = capture::openText(text.text());
    QVERIFY(opened);
    m_workspace->addCapture({*opened, session::summarizeBreaks(**opened)});
    m_workspace->selectCompile(0, 0);
    CaptureModel model(*m_workspace);
    QString facet;
    for (const QModelIndex& index : rows(model, CaptureModel::Kind::Facet))
        if (index.data(CaptureModel::DetailRole).toString() == "Caches")
            facet = index.data(CaptureModel::RightRole).toString();
    QCOMPARE(facet, QString("2 hits, 1 miss, 1 bypass"));
    const Facts facts = compileFacts(*m_workspace->capture(), 0);
    const auto caches = std::find_if(facts.sections.begin(), facts.sections.end(),
                                     [](const Section& section) { return section.title == "Caches"; });
    QVERIFY(caches != facts.sections.end());
    QCOMPARE(caches->chip, facet);
}

void TestCaptureTree::nestsResumedFramesUnderTheirBreak() {
    test::addSample(*m_workspace, "graph_breaks");
    const session::Session& session = *m_workspace->session();
    for (const session::Frame& frame : session.frames) {
        const auto order = CaptureModel::nested(session, frame);
        QCOMPARE(order.size(), frame.compiles.size());
        std::set<std::size_t> seen;
        for (std::size_t i = 0; i < order.size(); ++i) {
            QVERIFY(seen.insert(order[i].first).second);
            QVERIFY(order[i].second <= (i == 0 ? 0 : order[i - 1].second + 1));
        }
    }
}

void TestCaptureTree::facetsFollowTheShownCompile() {
    CaptureModel model(*m_workspace);
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    test::addSample(*m_workspace, "graph_breaks");
    for (const int compile : {0, 3, 0, 1}) {
        m_workspace->selectCompile(0, compile);
        const QModelIndexList facets = rows(model, CaptureModel::Kind::Facet);
        QCOMPARE(facets.size(), 7);
        for (const QModelIndex& facet : facets) {
            QCOMPARE(facet.parent(), model.compileIndex(0, compile));
            QCOMPARE(facet.data(CaptureModel::CompileRole).toInt(), compile);
        }
    }
}

void TestCaptureTree::survivesEveryChange() {
    CaptureModel model(*m_workspace);
    CaptureFilter proxy;
    proxy.setSourceModel(&model);
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    QAbstractItemModelTester proxyTester(&proxy, QAbstractItemModelTester::FailureReportingMode::QtTest);
    for (const char* name : {"view_mutation", "graph_breaks", "encoder_train"})
        test::addSample(*m_workspace, name);
    m_workspace->selectCompile(1, 4);
    proxy.setAccepted(CompileSet{{1, 4}, {1, 6}});
    QCOMPARE(rows(proxy, CaptureModel::Kind::Artifacts).size(), 0);
    m_workspace->close(0);
    m_workspace->selectCompile(0, 2);
    m_workspace->close(0);
    proxy.setAccepted(std::nullopt);
    QCOMPARE(proxy.rowCount(), 1);
    m_workspace->close(0);
    QCOMPARE(model.rowCount(), 0);
}

void TestCaptureTree::filtersCompiles() {
    test::addSample(*m_workspace, "graph_breaks");
    CapturePanel panel(*m_workspace, m_theme);
    const QAbstractItemModel& model = *panel.tree()->model();
    std::size_t breaks = 0;
    for (const session::Compile& compile : m_workspace->session()->compiles)
        breaks += compile.status == session::Status::GraphBreak;
    QVERIFY(breaks > 0);
    panel.filterEdit()->setText("status:break");
    // A resumed frame's parents stay, so more rows than matches may be shown, but no leaf that does not
    // match.
    QTRY_VERIFY(rows(model, CaptureModel::Kind::Artifacts).isEmpty());
    std::size_t matches = 0;
    for (const QModelIndex& index : rows(model, CaptureModel::Kind::Compile))
        matches += m_workspace->session()
                       ->compiles[std::size_t(index.data(CaptureModel::CompileRole).toInt())]
                       .status == session::Status::GraphBreak;
    QCOMPARE(matches, breaks);
    panel.clearFilter();
    QCOMPARE(rows(model, CaptureModel::Kind::Compile).size(),
             qsizetype(m_workspace->session()->compiles.size()));
}

void TestCaptureTree::filtersByNodes() {
    test::addSample(*m_workspace, "graph_breaks");
    CapturePanel panel(*m_workspace, m_theme);
    const QAbstractItemModel& model = *panel.tree()->model();
    panel.filterEdit()->setText("target:cos");
    QTRY_VERIFY(rows(model, CaptureModel::Kind::Artifacts).isEmpty());
    const auto filter = session::Filter::parse("target:cos");
    qsizetype expected = 0;
    for (const session::Compile& compile : m_workspace->session()->compiles)
        expected += filter->matchesCompile(*m_workspace->session(), compile);
    QVERIFY(expected > 0 && expected < qsizetype(m_workspace->session()->compiles.size()));
    QVERIFY(rows(model, CaptureModel::Kind::Compile).size() >= expected);
}

void TestCaptureTree::filtersByModules() {
    test::addSample(*m_workspace, "graph_breaks");
    test::addSample(*m_workspace, "encoder_train");
    CapturePanel panel(*m_workspace, m_theme);
    panel.show();
    QVERIFY(QTest::qWaitForWindowExposed(&panel));
    const QAbstractItemModel& model = *panel.tree()->model();
    panel.filterEdit()->setText("module:layers.0.self_attn");
    QTRY_COMPARE(rows(model, CaptureModel::Kind::Compile).size(), 1);
    panel.filterEdit()->setText("module:layers.77");
    QTRY_VERIFY(rows(model, CaptureModel::Kind::Compile).isEmpty());

    panel.clearFilter();
    m_workspace->selectCompile(1, 0);
    QTRY_VERIFY(m_workspace->stage(Side::B).graph);
    panel.activateWindow();
    panel.filterEdit()->setFocus();
    QTRY_VERIFY(panel.filterEdit()->hasFocus());
    QTest::keyClicks(panel.filterEdit(), "module:layers.0.self");
    const auto& entries = panel.filterEdit()->popup()->entries();
    QTRY_VERIFY(!entries.empty());
    QVERIFY(std::ranges::any_of(
        entries, [](const auto& entry) { return entry.text.contains(QLatin1String("layers.0.self_attn")); }));
}

void TestCaptureTree::offersCompletions() {
    test::addSample(*m_workspace, "view_mutation");
    CapturePanel panel(*m_workspace, m_theme);
    panel.show();
    QVERIFY(QTest::qWaitForWindowExposed(&panel));
    panel.activateWindow();
    panel.tree()->setFocus();
    QTest::keyClick(panel.tree(), Qt::Key_Slash);
    QTRY_VERIFY(panel.filterEdit()->hasFocus());
    QCOMPARE(panel.filterEdit()->text(), QString());
    QTest::keyClicks(panel.filterEdit(), "target:sel");
    const auto& entries = panel.filterEdit()->popup()->entries();
    QVERIFY(!entries.empty());
    QCOMPARE(entries.front().text, QString("aten.select.int"));
    QCOMPARE(entries.front().detail, QString("2 nodes"));
    QTest::keyClick(panel.filterEdit(), Qt::Key_Down);
    QTest::keyClick(panel.filterEdit(), Qt::Key_Return);
    QCOMPARE(panel.filterEdit()->text(), QString("target:aten.select.int "));
}

void TestCaptureTree::saysThatNothingMatches() {
    test::addSample(*m_workspace, "view_mutation");
    CapturePanel panel(*m_workspace, m_theme);
    panel.filterEdit()->setText("status:failed");
    QTRY_COMPARE(panel.tree()->model()->rowCount(), 0);
    panel.filterEdit()->setText("colour:red");
    const auto* error = test::part<QLabel>(panel, "capture.filterError");
    QTRY_VERIFY(error->text().contains("colour") && !error->isHidden());
    panel.clearFilter();
    QCOMPARE(panel.tree()->model()->rowCount(), 1);
    QVERIFY(error->text().isEmpty() && error->isHidden());
}

void TestCaptureTree::clicksGoThere() {
    test::addSample(*m_workspace, "graph_breaks");
    CapturePanel panel(*m_workspace, m_theme);
    panel.resize(300, 900);
    panel.show();
    QVERIFY(QTest::qWaitForWindowExposed(&panel));
    const auto click = [&panel](const QModelIndex& index) {
        panel.tree()->scrollTo(index);
        QTest::mouseClick(panel.tree()->viewport(), Qt::LeftButton, {},
                          panel.tree()->visualRect(index).center());
    };
    const QAbstractItemModel& model = *panel.tree()->model();
    click(rows(model, CaptureModel::Kind::Compile).at(3));
    QCOMPARE(m_workspace->place().compile,
             rows(model, CaptureModel::Kind::Compile).at(3).data(CaptureModel::CompileRole).toInt());
    QSignalSpy panels(m_workspace.get(), &Workspace::panelRequested);
    click(rows(model, CaptureModel::Kind::Facet).at(1));
    QCOMPARE(panels.size(), 1);
    QCOMPARE(panels.first().first().value<PanelId>(), PanelId::Guards);
    click(rows(model, CaptureModel::Kind::Recompiles).at(0));
    QCOMPARE(m_workspace->place().page, Page::Recompiles);
    click(rows(model, CaptureModel::Kind::Breaks).at(0));
    QCOMPARE(m_workspace->place().page, Page::Breaks);
}

QTEST_MAIN(TestCaptureTree)
#include "tst_capture_tree.moc"
