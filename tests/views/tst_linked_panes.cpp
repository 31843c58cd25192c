// SPDX-License-Identifier: BSD-3-Clause
//
// What two canvases show together: how they move, what is in sight in both, and how they share their room.
#include "tests/support/captures.h"
#include "tests/support/patience.h"
#include "tests/support/programs.h"
#include "tests/views/shown_canvases.h"
#include "views/canvas/pane_header.h"

#include <QSignalSpy>
#include <QWheelEvent>

using namespace dynascope;
using namespace dynascope::views;
using canvas::GraphCanvas;
using canvas::ScenePtr;

class TestLinkedPanes : public QObject, private test::ShownCanvases {
    Q_OBJECT
private slots:
    void init() { enter({1100, 600}); }
    void cleanup() { leave(); }
    void panesScrollTogether();
    void panesZoomTogether();
    void unlinkedPanesStayApart();
    void selectionStaysInSightOfBothPanes_data();
    void selectionStaysInSightOfBothPanes();
    void selectionStaysInSightOfOnePane();
    void narrowWindowShowsOne();
    void oneStageShowsOneCanvas();
    void aPassingSizeKeepsThePlace();
    void aPictureNobodyTouchedFitsItsNewRoom();
    void whatWasOpenedUnseenFitsItsRoom();
    void aCanvasAloneHasNoGaps();
    void bothPanesOpenAtTheirTop();
    void steppingKeepsThePlace();

private:
    /// The selected node whole in its pane, and something that it became or came from whole in the other.
    void checkInSight(const QByteArray& when) const;
};

void TestLinkedPanes::panesScrollTogether() {
    open("view_mutation");
    m_view->zoomIn();
    m_view->zoomIn();
    m_view->zoomIn();
    const double before = b().offset().y();
    const QPoint middle = a().viewport()->rect().center();
    QTest::mousePress(a().viewport(), Qt::LeftButton, {}, QPoint(3, middle.y()));
    QTest::mouseMove(a().viewport(), QPoint(3, middle.y() - 60));
    QTest::mouseMove(a().viewport(), QPoint(3, middle.y() - 120));
    QTest::mouseRelease(a().viewport(), Qt::LeftButton, {}, QPoint(3, middle.y() - 120));
    QVERIFY(b().offset().y() > before);
    QVERIFY(std::abs(a().offset().y() - b().offset().y()) < 2);
    QVERIFY(m_workspace->place().node.isEmpty()); // a drag selects nothing
}

void TestLinkedPanes::panesZoomTogether() {
    open("view_mutation");
    const QSignalSpy spy(m_view.get(), &CompareView::zoomChanged);
    m_view->zoomIn();
    QVERIFY(spy.count() > 0);
    QVERIFY(a().zoom() > 1.2);
    QCOMPARE(a().zoom(), b().zoom());
    m_view->zoomReset();
    QCOMPARE(a().zoom(), 1.0);
    // The scene point under the cursor stays there.
    const QPointF cursor(100, 200);
    const QPointF under = cursor / b().zoom() + b().offset();
    b().zoomBy(2, cursor);
    const QPointF now = cursor / b().zoom() + b().offset();
    QVERIFY((under - now).manhattanLength() < 1);
    b().zoomTo(99);
    QCOMPARE(b().zoom(), GraphCanvas::largestZoom);
    b().zoomTo(0.0001);
    QCOMPARE(b().zoom(), GraphCanvas::smallestZoom);
    QCOMPARE(a().zoom(), b().zoom());
}

void TestLinkedPanes::unlinkedPanesStayApart() {
    open("view_mutation");
    m_view->setLinked(false);
    a().zoomTo(2);
    QCOMPARE(b().zoom(), 1.0);
    m_view->setLinked(true);
    QCOMPARE(a().zoom(), b().zoom());
}

void TestLinkedPanes::checkInSight(const QByteArray& when) const {
    const bool isA = m_workspace->place().node.side == Side::A;
    const GraphCanvas& own = isA ? a() : b();
    const GraphCanvas& other = isA ? b() : a();
    const QByteArray text = when + ", " + QByteArray::fromStdString(m_workspace->selectedNode()->name);
    QVERIFY2(own.selected() != canvas::noItem, text);
    QVERIFY2(QRectF(own.viewport()->rect()).contains(own.viewRectOf(own.selected())), text);
    const std::vector<ir::NodeIndex> images = m_workspace->related();
    const bool any = images.empty() || std::any_of(images.begin(), images.end(), [&other](ir::NodeIndex n) {
                         const QRectF place = other.viewRectOf(other.scene()->itemOf(n));
                         return QRectF(other.viewport()->rect()).contains(place);
                     });
    QVERIFY2(any, text);
}

void TestLinkedPanes::selectionStaysInSightOfBothPanes_data() {
    QTest::addColumn<QByteArray>("from");
    QTest::addColumn<QByteArray>("to");
    QTest::newRow("Dynamo, joint") << QByteArray("dynamo_output_graph") << QByteArray("aot_joint_graph");
    QTest::newRow("joint, backward") << QByteArray("aot_joint_graph") << QByteArray("aot_backward_graph");
}

/// gpt2's layers are far apart in the joint graph, and what a forward node became may stand in backward.
void TestLinkedPanes::selectionStaysInSightOfBothPanes() {
    QFETCH(QByteArray, from);
    QFETCH(QByteArray, to);
    test::addCapture(*m_workspace, test::capture("trace_aot_eager/gpt2_train"));
    settle();
    const auto& stages = m_workspace->compile()->stages;
    const auto indexOf = [&stages](const QByteArray& name) {
        const auto at = std::find_if(stages.begin(), stages.end(),
                                     [&name](const auto& s) { return name == s->name.c_str(); });
        return at == stages.end() ? -1 : static_cast<int>(at - stages.begin());
    };
    QVERIFY(indexOf(from) >= 0 && indexOf(to) >= 0);
    m_workspace->selectStages(indexOf(from), indexOf(to));
    settle();
    m_view->openAll();
    settle();
    for (const Side side : {Side::A, Side::B}) {
        const std::size_t size = m_workspace->stage(side).graph->size();
        // Far jumps in both directions.
        for (std::size_t i = 0; i < size; i += 5) {
            const std::size_t n = (i * 37) % size;
            m_workspace->selectNode({side, static_cast<ir::NodeIndex>(n)});
            checkInSight("selected");
            if (QTest::currentTestFailed()) return;
        }
    }
    const ir::GraphPtr graph = m_workspace->stage(Side::A).graph;
    const NodeSelection far{Side::A, static_cast<ir::NodeIndex>(graph->size() - 3)};
    // While both panes glide to their places.
    m_view->setMotion(true);
    m_workspace->selectNode({Side::B, 1});
    m_workspace->selectNode(far);
    QTRY_VERIFY(!a().isMoving() && !b().isMoving());
    checkInSight("after gliding");
    m_view->setMotion(false);
    // The user moves on a little, about the node.
    a().zoomBy(1.25, a().viewRectOf(a().selected()).center());
    checkInSight("zoomed");
    const auto scroll = [](GraphCanvas& canvas, int pixels) {
        QWheelEvent wheel({50, 50}, canvas.viewport()->mapToGlobal(QPointF(50, 50)), {0, pixels}, {}, {}, {},
                          Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(canvas.viewport(), &wheel);
    };
    const double apart = a().offset().y() - b().offset().y();
    scroll(a(), a().viewRectOf(a().selected()).center().y() > a().viewport()->height() / 2.0 ? -40 : 40);
    checkInSight("scrolled");
    QVERIFY(std::abs(a().offset().y() - b().offset().y() - apart) < 2 || m_workspace->related().empty());
    // A picture that is made anew keeps both in sight.
    m_workspace->swapSides();
    settle();
    checkInSight("swapped");
}

void TestLinkedPanes::selectionStaysInSightOfOnePane() {
    m_view->resize(770, 340);
    m_view->setLayoutProgram(test::program("dynascope-cli"));
    test::addCapture(*m_workspace, test::capture("trace_aot_eager/resnet"));
    QTRY_VERIFY(b().scene() && m_workspace->diff());
    const auto inSight = [](const GraphCanvas& canvas) {
        return canvas.isVisible() && canvas.selected() != canvas::noItem &&
               QRectF(canvas.viewport()->rect()).contains(canvas.viewRectOf(canvas.selected()));
    };
    // Before dot's layout has come, and after.
    m_workspace->selectNode({Side::A, m_workspace->stage(Side::A).graph->find("input_2")});
    QVERIFY(inSight(a()));
    settle();
    QVERIFY(inSight(a()));
    m_workspace->selectNode({Side::B, m_workspace->stage(Side::B).graph->find("relu_2")});
    QVERIFY(inSight(b()));
    m_workspace->selectNode({Side::A, m_workspace->stage(Side::A).graph->find("input_2")});
    QVERIFY(inSight(a()));
}

void TestLinkedPanes::narrowWindowShowsOne() {
    open("view_mutation");
    m_view->resize(600, 500);
    QCoreApplication::processEvents();
    QVERIFY(!a().isVisible() && b().isVisible());
    auto* header = m_view->findChildren<canvas::PaneHeader*>()[1];
    const auto discs = header->findChildren<canvas::SideDisc*>();
    QVERIFY(discs[0]->isVisible() && discs[1]->isVisible());
    QTest::mouseClick(discs[0], Qt::LeftButton);
    QVERIFY(a().isVisible() && !b().isVisible());
    // Selecting a node of the other stage turns to it, in full size.
    m_workspace->selectNode({Side::B, m_workspace->stage(Side::B).graph->find("select_scatter")});
    QVERIFY(!a().isVisible() && b().isVisible());
    QVERIFY(QRectF(b().viewport()->rect()).contains(b().viewRectOf(itemNamed(b(), "select_scatter"))));
    QCOMPARE(b().zoom(), 1.0);
    m_view->resize(1100, 500);
    QCoreApplication::processEvents();
    QVERIFY(a().isVisible() && b().isVisible());
}

/// The same graph on both sides would say nothing twice.
void TestLinkedPanes::oneStageShowsOneCanvas() {
    open("view_mutation");
    QVERIFY(a().isVisible() && b().isVisible());
    const int shown = m_workspace->place().stageB;
    m_workspace->selectStages(shown, shown);
    settle();
    QVERIFY(!a().isVisible() && b().isVisible());
    QVERIFY(b().width() > m_view->width() * 9 / 10);
    auto* header = m_view->findChildren<canvas::PaneHeader*>()[1];
    const auto discs = header->findChildren<canvas::SideDisc*>();
    QVERIFY(!discs[0]->isVisible() && discs[1]->isVisible()); // nothing to choose between
    QVERIFY(m_view->mode() == CompareView::Mode::SideBySide); // comes back with two stages
    m_workspace->selectStages(0, shown);
    settle();
    QVERIFY(a().isVisible() && b().isVisible());
}

void TestLinkedPanes::aPassingSizeKeepsThePlace() {
    m_view->resize(600, 340);
    open("encoder_train");
    QVERIFY(b().isVisible() && !a().isVisible());
    const auto place = [this] {
        return QPointF(b().offset().x() + b().viewport()->width() / b().zoom() / 2, b().offset().y());
    };
    const QPointF before = place();
    // As wide as the window while panels are gone, and back.
    for (const int width : {2400, 600}) {
        m_view->resize(width, 340);
        QCoreApplication::processEvents();
    }
    QVERIFY2((place() - before).manhattanLength() < 1, qPrintable(QString::number(place().x() - before.x())));
}

/// The window grows before anybody has looked around: the picture opens anew. Once it was moved it stays.
void TestLinkedPanes::aPictureNobodyTouchedFitsItsNewRoom() {
    m_view->resize(900, 300);
    open("encoder_train");
    const double small = b().zoom();
    const auto drawn = b().scene()->items.size();
    m_view->resize(2400, 1300);
    settle();
    QVERIFY(b().zoom() > small || b().scene()->items.size() > drawn);
    m_view->zoomIn();
    const double own = b().zoom();
    const ScenePtr scene = b().scene();
    m_view->resize(1100, 600);
    settle();
    QCOMPARE(b().zoom(), own);
    QCOMPARE(b().scene(), scene);
}

/// A capture opens on another page: once this one is shown, the picture is the one that it would have been.
void TestLinkedPanes::whatWasOpenedUnseenFitsItsRoom() {
    m_view->hide();
    m_view->resize(1500, 500);
    open("encoder_train");
    m_view->show();
    settle();
    const double zoom = b().zoom();
    const auto drawn = b().scene()->items.size();
    const double wide = a().width() - b().width();
    leave();
    init();
    m_view->resize(1500, 500);
    open("encoder_train");
    QCOMPARE(b().zoom(), zoom);
    QCOMPARE(b().scene()->items.size(), drawn);
    QVERIFY2(std::abs(wide) <= 1, qPrintable(QString::number(wide))); // whatever their headers say
}

/// Gaps that put partners at one height would be blank where their partners are not shown.
void TestLinkedPanes::aCanvasAloneHasNoGaps() {
    m_view->resize(700, 600);
    open("encoder_train");
    const double alone = b().scene()->size.height();
    m_view->zoomIn(); // looked at, so that the blocks that are open stay so
    m_view->resize(1600, 600);
    settle();
    QVERIFY(a().isVisible() && b().isVisible());
    const double beside = b().scene()->size.height();
    QVERIFY2(alone < beside, qPrintable(QStringLiteral("%1 %2").arg(alone).arg(beside)));
    m_view->resize(700, 600);
    settle();
    QCOMPARE(b().scene()->size.height(), alone);
}

/// The inputs of both are in sight at first, and the panes move together from there.
void TestLinkedPanes::bothPanesOpenAtTheirTop() {
    m_view->resize(1400, 500);
    open("encoder_train");
    for (GraphCanvas* pane : {&a(), &b()}) {
        double top = pane->scene()->size.height();
        for (const auto& item : pane->scene()->items)
            top = std::min(top, item.rect.top());
        const double above = (top - pane->offset().y()) * pane->zoom();
        QVERIFY2(above >= 0 && above < pane->viewport()->height() / 2, qPrintable(QString::number(above)));
    }
    const double before = b().offset().y();
    QWheelEvent down(QPointF(50, 50), a().viewport()->mapToGlobal(QPointF(50, 50)), {}, QPoint(0, -240),
                     Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(a().viewport(), &down);
    QVERIFY(b().offset().y() > before);
}

void TestLinkedPanes::steppingKeepsThePlace() {
    open("view_mutation");
    b().zoomTo(1.5);
    m_workspace->selectStages(0, 5);
    settle();
    QCOMPARE(b().zoom(), 1.5);
    QCOMPARE(a().zoom(), 1.5);
    QCOMPARE(b().scene()->items.size(), m_workspace->stage(Side::B).graph->size());
}

QTEST_MAIN(TestLinkedPanes)
#include "tst_linked_panes.moc"
