// SPDX-License-Identifier: BSD-3-Clause
#include "core/session/stage_order.h"
#include "tests/support/open_captures.h"
#include "tests/support/patience.h"
#include "views/workspace/break_place.h"
#include "views/workspace/labels.h"

#include <QSignalSpy>

using namespace dynascope;
using namespace dynascope::views;

namespace {

/// As a page has it: which of its ten parts is shown.
struct PartOfPage {
    static constexpr Page page = Page::Memory;
    int part = -1;
    void complete(const Place&, const OpenCapture&) {
        if (part >= 10) part = -1;
    }
    friend bool operator==(const PartOfPage&, const PartOfPage&) = default;
};
struct OtherPart {
    static constexpr Page page = Page::Memory;
    int part = -1;
    void complete(const Place&, const OpenCapture&) {}
    friend bool operator==(const OtherPart&, const OtherPart&) = default;
};

} // namespace

class TestWorkspace : public QObject {
    Q_OBJECT
private slots:
    void init();
    void cleanup();
    void showsTheTellingPairFirst();
    void stepsThroughEveryStage();
    void keepsTheNodeOnItsStage();
    void relatesNodesAcrossTheDiff();
    void backAndForwardRestoreEverything();
    void ignoresWhatIsOutOfRange();
    void keepsThePlacesOfPages();
    void keepsTheStagesFromCompileToCompile();
    void closesFromTheMiddle();
    void opensInARow();
    void failsWithOneLine();
    void cancelForgetsTheQueue();
    void readsPastedText();
    void countsHavePlurals();

private:
    std::unique_ptr<TaskRunner> m_tasks;
    std::unique_ptr<Workspace> m_workspace;
};

void TestWorkspace::init() {
    m_tasks = std::make_unique<TaskRunner>();
    m_workspace = std::make_unique<Workspace>(*m_tasks);
}

void TestWorkspace::cleanup() {
    m_workspace.reset();
    m_tasks.reset();
}

void TestWorkspace::countsHavePlurals() {
    const auto nodes = [](qulonglong count) { return countText(count, "node", "nodes"); };
    QCOMPARE(nodes(0), QString("0 nodes"));
    QCOMPARE(nodes(1), QString("1 node"));
    QCOMPARE(nodes(2), QString("2 nodes"));
    QCOMPARE(nodes(10'002), QString("10,002 nodes"));
}

void TestWorkspace::showsTheTellingPairFirst() {
    test::addSample(*m_workspace, "view_mutation");
    QCOMPARE(m_workspace->place().page, Page::Stages);
    QCOMPARE(m_workspace->stage(Side::A).stage->name, std::string("dynamo_output_graph"));
    QCOMPARE(m_workspace->stage(Side::B).stage->name, std::string("aot_inference_graph"));
    QVERIFY(m_workspace->stage(Side::A).graph);
    QVERIFY(m_workspace->stage(Side::B).graph);
    QVERIFY(m_workspace->diff());
    QVERIFY(!m_workspace->canGoBack());
}

void TestWorkspace::stepsThroughEveryStage() {
    test::addSample(*m_workspace, "encoder_train");
    const session::Compile& compile = *m_workspace->compile();
    const int count = int(compile.stages.size());
    QVERIFY(count >= 4);
    m_workspace->firstStage();
    QCOMPARE(m_workspace->place().stageA, 0);
    QCOMPARE(m_workspace->place().stageB, 1);
    for (int b = 2; b < count; ++b) {
        m_workspace->stepStage(1);
        QCOMPARE(m_workspace->place().stageB, b);
        QCOMPARE(m_workspace->place().stageA, predecessor(compile, b));
        for (const Side side : {Side::A, Side::B}) {
            QTRY_VERIFY(!m_workspace->stage(side).loading);
            const bool code = m_workspace->stage(side).stage->content == session::Stage::Content::Code;
            QVERIFY2(code || m_workspace->stage(side).graph, qPrintable(m_workspace->stage(side).error));
        }
    }
    const Place last = m_workspace->place();
    m_workspace->stepStage(1);
    QCOMPARE(m_workspace->place(), last);
    m_workspace->stepStage(-1);
    QCOMPARE(m_workspace->place().stageB, count - 2);
    m_workspace->swapSides();
    QCOMPARE(m_workspace->place().stageA, count - 2);
}

void TestWorkspace::keepsTheNodeOnItsStage() {
    test::addSample(*m_workspace, "view_mutation");
    m_workspace->selectNode({Side::B, 2});
    const std::string name = m_workspace->selectedNode()->name;
    m_workspace->swapSides();
    QCOMPARE(m_workspace->place().node.side, Side::A);
    QCOMPARE(m_workspace->selectedNode()->name, name);
    m_workspace->selectStages(0, 1); // neither is the node's stage
    QVERIFY(m_workspace->place().node.isEmpty());
    m_workspace->selectNode({Side::A, 100000}); // there is no such node
    QVERIFY(m_workspace->place().node.isEmpty());
}

void TestWorkspace::relatesNodesAcrossTheDiff() {
    test::addSample(*m_workspace, "view_mutation");
    const ir::NodeIndex setitem = m_workspace->stage(Side::A).graph->find("setitem");
    QVERIFY(setitem != ir::npos);
    QSignalSpy selected(m_workspace.get(), &Workspace::nodeSelected);
    m_workspace->selectNode({Side::A, setitem});
    QCOMPARE(selected.size(), 1);
    // The write in place became several nodes.
    QVERIFY(m_workspace->related().size() >= 2);
    m_workspace->clearSelection();
    QVERIFY(m_workspace->related().empty());
}

void TestWorkspace::backAndForwardRestoreEverything() {
    test::addSample(*m_workspace, "graph_breaks");
    const Place first = m_workspace->place();
    m_workspace->selectNode({Side::A, 1});
    const Place second = m_workspace->place();
    m_workspace->showBreak(2);
    QCOMPARE(breakGroup(m_workspace->place()), 2);
    m_workspace->selectCompile(0, 3);
    const Place last = m_workspace->place();
    m_workspace->goBack();
    QCOMPARE(m_workspace->place().page, Page::Breaks);
    m_workspace->goBack();
    QCOMPARE(m_workspace->place(), second);
    m_workspace->goBack();
    QCOMPARE(m_workspace->place(), first);
    QVERIFY(!m_workspace->canGoBack());
    for (int i = 0; i < 3; ++i)
        m_workspace->goForward();
    QCOMPARE(m_workspace->place(), last);
    QVERIFY(!m_workspace->canGoForward());
}

void TestWorkspace::keepsThePlacesOfPages() {
    test::addSample(*m_workspace, "graph_breaks");
    Place place = m_workspace->place();
    QVERIFY(place.own.isEmpty());
    place.own.set(PartOfPage{3});
    m_workspace->go(place);
    QCOMPARE(m_workspace->place().own.of<PartOfPage>().part, 3);
    QCOMPARE(m_workspace->place().own.of<OtherPart>().part, -1); // of the same page, and not what is held
    // The same place again is no step back.
    m_workspace->goBack();
    QVERIFY(m_workspace->place().own.isEmpty());
    QVERIFY(!m_workspace->canGoBack());
    place.own.set(PartOfPage{99}); // there is no such part, which leaves nothing to tell the places apart
    m_workspace->go(place);
    QVERIFY(!m_workspace->canGoBack());
    m_workspace->goForward();
    QCOMPARE(m_workspace->place().own.of<PartOfPage>().part, 3);
    m_workspace->showBreak(1);
    QCOMPARE(m_workspace->place().own.of<PartOfPage>().part, 3); // lasts while another page is shown
    PagePlaces starts;
    starts.set(PartOfPage{5});
    m_workspace->setStarts(starts);
    place = m_workspace->place();
    place.own = {};
    place.page = Page::Memory;
    m_workspace->go(place);
    QCOMPARE(m_workspace->place().own.of<PartOfPage>().part, 5);
}

void TestWorkspace::ignoresWhatIsOutOfRange() {
    m_workspace->stepStage(1);
    m_workspace->swapSides();
    m_workspace->close(0);
    m_workspace->goBack();
    QCOMPARE(m_workspace->place(), Place{});
    test::addSample(*m_workspace, "view_mutation");
    Place wild;
    wild.capture = 0;
    wild.compile = 99;
    wild.stageA = -7;
    wild.stageB = 1000;
    setBreak(wild, 12);
    m_workspace->go(wild);
    QCOMPARE(m_workspace->place().compile, 0);
    QVERIFY(m_workspace->place().stageA >= 0);
    QCOMPARE(breakGroup(m_workspace->place()), -1); // nothing broke here
    wild.capture = 5;
    m_workspace->go(wild);
    QCOMPARE(m_workspace->place(), Place{});
}

void TestWorkspace::keepsTheStagesFromCompileToCompile() {
    test::addSample(*m_workspace, "graph_breaks");
    m_workspace->firstStage();
    const std::string a = m_workspace->stage(Side::A).stage->name,
                      b = m_workspace->stage(Side::B).stage->name;
    for (std::size_t i = 0; i < m_workspace->session()->compiles.size(); ++i) {
        const session::Compile& compile = m_workspace->session()->compiles[i];
        if (!compile.findStage(a) || !compile.findStage(b)) continue;
        m_workspace->selectCompile(0, int(i));
        QCOMPARE(m_workspace->stage(Side::A).stage->name, a);
        QCOMPARE(m_workspace->stage(Side::B).stage->name, b);
    }
}

void TestWorkspace::closesFromTheMiddle() {
    for (const char* name : {"view_mutation", "graph_breaks", "encoder_train"})
        test::addSample(*m_workspace, name);
    QCOMPARE(m_workspace->place().capture, 0); // the first of a row is shown
    m_workspace->selectCompile(1, 2);
    m_workspace->selectCompile(2, 0);
    const std::string path = m_workspace->session()->path;
    QSignalSpy closed(m_workspace.get(), &Workspace::captureClosed);
    m_workspace->close(1);
    QCOMPARE(closed.size(), 1);
    QCOMPARE(m_workspace->place().capture, 1);
    QCOMPARE(m_workspace->session()->path, path);
    m_workspace->goBack(); // the place in the closed capture is gone
    QCOMPARE(m_workspace->place().capture, 0);
    m_workspace->close(0);
    QCOMPARE(m_workspace->session()->path, path);
    QTRY_VERIFY(m_workspace->stage(Side::B).graph);
    m_workspace->close(0);
    QCOMPARE(m_workspace->place(), Place{});
    QVERIFY(!m_workspace->session());
    QVERIFY(!m_workspace->stage(Side::A).stage);
    QVERIFY(!m_workspace->canGoBack());
}

void TestWorkspace::opensInARow() {
    QSignalSpy opened(m_workspace.get(), &Workspace::captureOpened);
    m_workspace->open(test::samplePath("view_mutation"));
    m_workspace->open(test::samplePath("graph_breaks"));
    QVERIFY(m_workspace->isOpening());
    QTRY_COMPARE_WITH_TIMEOUT(opened.size(), 2, test::patience);
    QVERIFY(!m_workspace->isOpening());
    QCOMPARE(m_workspace->captures()[0].session->title, std::string("view_mutation"));
    QCOMPARE(m_workspace->place().capture, 0);
    // A file opened later is shown.
    m_workspace->open(test::samplePath("encoder_train"));
    QTRY_COMPARE_WITH_TIMEOUT(opened.size(), 3, test::patience);
    QCOMPARE(m_workspace->place().capture, 2);
}

void TestWorkspace::failsWithOneLine() {
    QSignalSpy failed(m_workspace.get(), &Workspace::openFailed);
    m_workspace->open("/nowhere/at/all.log");
    QTRY_COMPARE(failed.size(), 1);
    const QString message = failed.first().first().toString();
    QVERIFY2(message.contains("/nowhere/at/all.log"), qPrintable(message));
    QVERIFY(!message.contains('\n'));
    QVERIFY(m_workspace->captures().empty());
}

void TestWorkspace::cancelForgetsTheQueue() {
    QSignalSpy opened(m_workspace.get(), &Workspace::captureOpened);
    for (int i = 0; i < 5; ++i)
        m_workspace->open(test::samplePath("encoder_train"));
    m_workspace->cancelOpen();
    QVERIFY(!m_workspace->isOpening());
    QTest::qWait(50);
    QCOMPARE(opened.size(), 0);
    m_workspace->open(test::samplePath("view_mutation"));
    QTRY_COMPARE_WITH_TIMEOUT(opened.size(), 1, test::patience);
}

void TestWorkspace::readsPastedText() {
    QSignalSpy opened(m_workspace.get(), &Workspace::captureOpened);
    m_workspace->openText(
        "graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
        "    %add : [num_users=1] = call_function[target=operator.add](args = (%x, 1), kwargs = {})\n"
        "    return add",
        "pasted text");
    QTRY_COMPARE(opened.size(), 1);
    QTRY_VERIFY(m_workspace->stage(Side::A).graph);
    QVERIFY(m_workspace->stage(Side::A).graph->find("add") != ir::npos);
}

QTEST_GUILESS_MAIN(TestWorkspace)
#include "tst_workspace.moc"
