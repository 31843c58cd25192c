// SPDX-License-Identifier: BSD-3-Clause
#include "core/inductor/compile_passes.h"
#include "core/session/byte_source.h"
#include "core/session/stage_order.h"
#include "tests/support/open_captures.h"
#include "tests/support/pass_recordings.h"
#include "tests/support/patience.h"
#include "views/timeline/stage_help.h"
#include "views/timeline/timeline_view.h"

#include <QScrollBar>
#include <QSignalSpy>
#include <memory>

using namespace dynascope;
using namespace dynascope::views;

class TestTimeline : public QObject {
    Q_OBJECT
private slots:
    void init();
    void choosesStagesByMouse();
    void dragsADisc();
    void choosesStagesByKey();
    void countsChanges();
    void scrollsToWhatIsShown();
    void explainsEveryStage();
    void namesStayInSight();
    void namesKeepTheirPlaceWhenScrolled();
    void aNameGoesBeforeItsSize();
    void stagesUnfoldIntoTheirPasses();
    void drawsNothingOpen();

private:
    std::unique_ptr<TaskRunner> m_tasks;
    std::unique_ptr<Workspace> m_workspace;
    std::unique_ptr<TimelineView> m_view;
    Theme m_theme;
};

void TestTimeline::init() {
    m_view.reset();
    m_workspace.reset();
    m_tasks = std::make_unique<TaskRunner>();
    m_workspace = std::make_unique<Workspace>(*m_tasks);
    m_view = std::make_unique<TimelineView>(*m_workspace, m_theme);
    m_view->resize(1000, 104);
    m_view->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_view.get()));
}

void TestTimeline::choosesStagesByMouse() {
    test::addSample(*m_workspace, "view_mutation");
    const int last = int(m_workspace->compile()->stages.size()) - 1;
    QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {}, m_view->stagePoint(last));
    QCOMPARE(m_workspace->place().stageB, last);
    QTest::mouseClick(m_view->viewport(), Qt::LeftButton, Qt::ShiftModifier, m_view->stagePoint(1));
    QCOMPARE(m_workspace->place().stageA, 1);
    QCOMPARE(m_workspace->place().stageB, last);
    QCOMPARE(m_view->stageAt(QPoint(5, 50)), -1); // the label
}

void TestTimeline::dragsADisc() {
    test::addSample(*m_workspace, "view_mutation");
    m_workspace->selectStages(0, 2);
    QTest::mousePress(m_view->viewport(), Qt::LeftButton, {}, m_view->stagePoint(0));
    QTest::mouseMove(m_view->viewport(), m_view->stagePoint(1));
    QCOMPARE(m_workspace->place().stageA, 0); // only when it is let go
    QTest::mouseRelease(m_view->viewport(), Qt::LeftButton, {}, m_view->stagePoint(1));
    QCOMPARE(m_workspace->place().stageA, 1);
    QCOMPARE(m_workspace->place().stageB, 2);
}

void TestTimeline::choosesStagesByKey() {
    test::addSample(*m_workspace, "view_mutation");
    m_workspace->selectStages(0, 1);
    const int last = int(m_workspace->compile()->stages.size()) - 1;
    QTest::keyClick(m_view.get(), Qt::Key_Right);
    QCOMPARE(m_workspace->place().stageB, 2);
    QTest::keyClick(m_view.get(), Qt::Key_Right, Qt::ShiftModifier);
    QCOMPARE(m_workspace->place().stageA, 1);
    QTest::keyClick(m_view.get(), Qt::Key_End);
    QCOMPARE(m_workspace->place().stageB, last);
    QTest::keyClick(m_view.get(), Qt::Key_Right); // there is none beyond
    QCOMPARE(m_workspace->place().stageB, last);
    QTest::keyClick(m_view.get(), Qt::Key_Home, Qt::ShiftModifier);
    QCOMPARE(m_workspace->place().stageA, 0);
}

void TestTimeline::countsChanges() {
    test::addSample(*m_workspace, "view_mutation");
    QTRY_VERIFY(m_view->isSettled());
    const session::Compile& compile = *m_workspace->compile();
    QCOMPARE(m_view->changeText(0), QString()); // made from nothing that was captured
    for (int i = 1; i < int(compile.stages.size()); ++i) {
        const auto before = compile.stages[std::size_t(predecessor(compile, i))]->graph();
        const auto after = compile.stages[std::size_t(i)]->graph();
        if (!before || !after) {
            QCOMPARE(m_view->changeText(i), QString());
            continue;
        }
        const diff::GraphDiff diff = diff::diffGraphs(**before, **after);
        QCOMPARE(m_view->changeText(i).contains('+'), diff.added > 0);
        QCOMPARE(m_view->changeText(i).contains(QChar(0x2212)), diff.removed > 0);
    }
}

void TestTimeline::scrollsToWhatIsShown() {
    test::addSample(*m_workspace, "view_mutation");
    m_view->resize(320, 104);
    m_workspace->lastStage();
    const int last = m_workspace->place().stageB;
    QVERIFY(m_view->horizontalScrollBar()->maximum() > 0);
    QVERIFY(m_view->viewport()->rect().contains(m_view->stagePoint(last)));
    m_workspace->firstStage();
    QVERIFY(m_view->viewport()->rect().contains(m_view->stagePoint(m_workspace->place().stageB)));
}

void TestTimeline::explainsEveryStage() {
    for (const char* sample : {"view_mutation", "encoder_train", "graph_breaks"}) {
        test::addSample(*m_workspace, sample);
        for (const session::Compile& compile : m_workspace->captures().back().session->compiles)
            for (const session::StagePtr& stage : compile.stages) {
                const StageHelp help = stageHelp(stage->name, stage->phase);
                QVERIFY(!help.what.isEmpty());
                QVERIFY(help.printedBy.startsWith("torch/"));
            }
    }
    session::Stage odd;
    odd.name = "<b>odd</b>";
    QVERIFY(stageToolTip(odd, "1 node", {}).contains("&lt;b&gt;odd"));
}

void TestTimeline::namesStayInSight() {
    test::addSample(*m_workspace, "view_mutation");
    const int count = int(m_workspace->compile()->stages.size());
    for (const bool compact : {false, true}) {
        m_view->setCompact(compact);
        m_view->resize(compact ? 640 : 1000, m_view->sizeHint().height());
        for (int b = 1; b < count; ++b) {
            m_workspace->selectStages(b - 1, b);
            const QRect a = m_view->nameRect(b - 1), beside = m_view->nameRect(b);
            for (const QRect& rect : {a, beside}) {
                QVERIFY(rect.left() >= 88); // right of the track's label
                QVERIFY2(rect.right() < m_view->viewport()->width(), qPrintable(QString::number(b)));
            }
            QVERIFY2(!a.intersects(beside), qPrintable(QString::number(b)));
            QTRY_VERIFY(m_view->isSettled());
            for (const int i : {b - 1, b})
                QVERIFY2(m_view->sizeRect(i).left() >= 88 &&
                             m_view->sizeRect(i).right() < m_view->viewport()->width(),
                         qPrintable(m_view->shownSize(i)));
            QVERIFY2(!m_view->sizeRect(b - 1).intersects(m_view->sizeRect(b)),
                     qPrintable(m_view->shownSize(b)));
        }
        QCOMPARE(m_view->nameRect(0).isEmpty(), compact); // only A and B are named there
    }
}

/// A name that comes into sight at an edge does not move over its neighbour's.
void TestTimeline::namesKeepTheirPlaceWhenScrolled() {
    test::addSample(*m_workspace, "view_mutation");
    m_view->resize(420, m_view->sizeHint().height());
    const int count = int(m_workspace->compile()->stages.size()),
              end = m_view->horizontalScrollBar()->maximum();
    QVERIFY(count > 3 && end > 0);
    for (int at = 0; at <= end; at += 7) {
        m_view->horizontalScrollBar()->setValue(at);
        for (int stage = 1; stage < count; ++stage)
            QVERIFY2(
                !m_view->nameRect(stage - 1).intersects(m_view->nameRect(stage)),
                qPrintable(QStringLiteral("%1 and %2, scrolled by %3").arg(stage - 1).arg(stage).arg(at)));
    }
}

/// "functi… nodes" is neither a name nor a size.
void TestTimeline::aNameGoesBeforeItsSize() {
    test::addSample(*m_workspace, "view_mutation");
    auto made = std::make_shared<session::Stage>();
    made->name = "functionalize";
    made->phase = session::Phase::Computed;
    made->setGraph(*m_workspace->compile()->stages.front()->graph());
    const int stage = m_workspace->addComputed(std::move(made), 0, {});
    QVERIFY(stage > 0);
    m_view->resize(4000, m_view->sizeHint().height());
    QTRY_VERIFY(m_view->caption(stage).endsWith(QStringLiteral("nodes")));
    for (int width = 4000; width >= 300; width -= 50) {
        m_view->resize(width, m_view->height());
        const QString caption = m_view->caption(stage);
        const qsizetype cut = caption.indexOf(u'\u2026');
        QVERIFY2(cut < 0 || !caption.contains(QStringLiteral("nodes")), qPrintable(caption));
    }
    m_view->resize(300, m_view->height());
    QVERIFY(!m_view->caption(stage).contains(QStringLiteral("nodes")));
}

void TestTimeline::stagesUnfoldIntoTheirPasses() {
    const auto recording = inductor::PassRecording::read(
        session::makeByteSource(test::smallPasses({.wrong = true})), nullptr, {});
    QVERIFY(recording.has_value());
    auto session = std::make_shared<session::Session>();
    session->compiles = inductor::compilesIn(**recording);
    session->passRecordings.push_back(*recording);
    for (const session::Phase phase : {session::Phase::Forward, session::Phase::PostGradForward}) {
        auto stage = std::make_shared<session::Stage>();
        stage->name = phase == session::Phase::Forward ? "aot_forward_graph" : "inductor_post_grad_graph";
        stage->phase = phase;
        stage->content = session::Stage::Content::Graph;
        session->compiles.front().stages.push_back(stage);
    }
    m_workspace->addCapture({session, {}}, true);
    QTRY_VERIFY_WITH_TIMEOUT(!m_view->passesRect(1).isEmpty(), test::patience);
    QVERIFY(m_view->passesRect(0).isEmpty());
    QVERIFY(m_view->passRows().empty());
    const int folded = m_view->sizeHint().height();
    QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {}, m_view->passesRect(1).center());
    QCOMPARE(m_view->passRows().size(), std::size_t(3));
    QVERIFY(m_view->sizeHint().height() > folded);
    m_view->resize(1000, m_view->sizeHint().height());
    QSignalSpy asked(m_view.get(), &TimelineView::passRequested);
    QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {}, m_view->passPoint(1));
    QCOMPARE(asked.size(), 1);
    QCOMPARE(asked.front().front().toInt(), m_view->passRows()[1]);
    QTest::keyClick(m_view.get(), Qt::Key_Up);
    QVERIFY(m_view->passRows().empty());
    m_workspace->selectStages(0, 1);
    QTest::keyClick(m_view.get(), Qt::Key_Down);
    QCOMPARE(m_view->passRows().size(), std::size_t(3));
    // A stage without passes does not unfold.
    m_view->unfold(0);
    QVERIFY(m_view->passRows().empty());
}

void TestTimeline::drawsNothingOpen() {
    const QImage empty = m_view->grab().toImage();
    test::addSample(*m_workspace, "view_mutation");
    QTRY_VERIFY(m_view->isSettled());
    QVERIFY(m_view->grab().toImage() != empty);
    m_workspace->close(0);
    QCOMPARE(m_view->grab().toImage(), empty);
}

QTEST_MAIN(TestTimeline)
#include "tst_timeline.moc"
