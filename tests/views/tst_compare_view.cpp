// SPDX-License-Identifier: BSD-3-Clause
//
// The two canvases as a user meets them: mouse, keys, linked panes.
#include "tests/support/captures.h"
#include "tests/support/patience.h"
#include "tests/support/programs.h"
#include "tests/views/shown_canvases.h"
#include "views/canvas/gutter.h"
#include "views/canvas/pane.h"
#include "views/canvas/pane_header.h"
#include "views/workspace/trace.h"

#include <QApplication>
#include <QClipboard>
#include <QGuiApplication>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QXmlStreamReader>
#include <set>

using namespace dynascope;
using namespace dynascope::views;
using canvas::GraphCanvas;
using canvas::ScenePtr;

class TestCompareView : public QObject, private test::ShownCanvases {
    Q_OBJECT
private slots:
    void init() { enter({1100, 600}); }
    void cleanup() { leave(); }
    void clickSelectsAndShowsWhatItBecame();
    void askedLinesLightUpEverywhere();
    void menuGoesOn();
    void clickOnTheBackgroundClears();
    void panesScrollTogether();
    void panesZoomTogether();
    void unlinkedPanesStayApart();
    void selectionStaysInSightOfBothPanes_data();
    void selectionStaysInSightOfBothPanes();
    void selectionStaysInSightOfOnePane();
    void heldAnchorsGoBothWays();
    void arrowsWalkAlongEdges();
    void tabWalksAndLeaves();
    void keysOfTheCanvas();
    void nextDifferenceVisitsAll();
    void nextDifferenceGoesOnFromAnyNode();
    void spaceFoldsAndOpens();
    void openingABlockKeepsItInPlace();
    void whatIsSoughtIsOpenedAndReadable();
    void openAllKeepsTheMiddle();
    void minimapLiesBesideTheGraph();
    void mergedMode();
    void narrowWindowShowsOne();
    void oneStageShowsOneCanvas();
    void aPassingSizeKeepsThePlace();
    void aPictureNobodyTouchedFitsItsNewRoom();
    void aCanvasAloneHasNoGaps();
    void whatWasOpenedUnseenFitsItsRoom();
    void bothPanesOpenAtTheirTop();
    void kernelsAreBlocks();
    void labelsOfEdgesLieApart();
    void steppingKeepsThePlace();
    void cardsSlideWhenAllowed();
    void codeStageSaysSo();
    void nothingOpenSaysSo();
    void childThatFailsLeavesThePicture();
    void cancelSettles();
    void exportsPictures();

private:
    void click(GraphCanvas& canvas, const QString& item) const;
    /// The selected node whole in its pane, and something that it became or came from whole in the other.
    void checkInSight(const QByteArray& when) const;
    [[nodiscard]] static int itemNamed(const GraphCanvas& canvas, const QString& name);
};

int TestCompareView::itemNamed(const GraphCanvas& canvas, const QString& name) {
    const auto& items = canvas.scene()->items;
    for (std::size_t i = 0; i < items.size(); ++i)
        if (items[i].name == name) return static_cast<int>(i);
    return canvas::noItem;
}

void TestCompareView::click(GraphCanvas& canvas, const QString& item) const {
    const int index = itemNamed(canvas, item);
    QVERIFY2(index != canvas::noItem, qPrintable(item));
    canvas.reveal(canvas.scene()->items[static_cast<std::size_t>(index)].rect);
    QTest::mouseClick(canvas.viewport(), Qt::LeftButton, {}, canvas.viewRectOf(index).center().toPoint());
}

void TestCompareView::clickSelectsAndShowsWhatItBecame() {
    open("view_mutation");
    click(a(), "setitem");
    QVERIFY(m_workspace->selectedNode() != nullptr);
    QCOMPARE(m_workspace->place().node.side, Side::A);
    QCOMPARE(QString::fromStdString(m_workspace->selectedNode()->name), QString("setitem"));
    QCOMPARE(a().selected(), itemNamed(a(), "setitem"));
    const auto& band = m_view->findChild<canvas::Gutter*>()->selection();
    QVERIFY(band.has_value());
    QCOMPARE(band->label, QString("1 → 3"));
    for (const char* name : {"select_1", "copy", "select_scatter"}) {
        const QRectF place = b().scene()->items[static_cast<std::size_t>(itemNamed(b(), name))].rect;
        QVERIFY2(band->topB <= place.top() && place.bottom() <= band->bottomB, name);
    }
    QVERIFY(a().accessibleDescription().contains("setitem"));
    // The other way round: one of the three goes back to the one.
    click(b(), "copy");
    QCOMPARE(m_workspace->place().node.side, Side::B);
    QCOMPARE(a().selected(), canvas::noItem);
}

/// A line of the program or of generated code has no node of its own: all that it is light up in both panes.
void TestCompareView::askedLinesLightUpEverywhere() {
    open("view_mutation");
    const auto traced = [this] { return !m_workspace->trace().isLoading(); };
    m_workspace->selectLine("/home/user/models/cap.py", 43);
    QTRY_VERIFY(traced());
    QCOMPARE(a().selected(), canvas::noItem);
    const auto names = [](const GraphCanvas& canvas) {
        QStringList out;
        for (const int item : canvas.related())
            out << canvas.scene()->items[static_cast<std::size_t>(item)].name;
        out.sort();
        return out;
    };
    QCOMPARE(names(a()), QStringList({"getitem", "setitem", "y"}));
    QCOMPARE(names(b()), QStringList({"add", "copy", "select", "select_1", "select_scatter"}));
    const canvas::Gutter* gutter = m_view->findChild<canvas::Gutter*>();
    QVERIFY(gutter->selection().has_value());
    QCOMPARE(gutter->selection()->label, QString("3 → 5"));
    // A node of the line is selected among the others.
    m_workspace->selectLine("/home/user/models/cap.py", 43,
                            {Side::A, m_workspace->stage(Side::A).graph->find("y")});
    QTRY_VERIFY(traced());
    QVERIFY(a().selected() != canvas::noItem);
    QCOMPARE(names(a()), QStringList({"getitem", "setitem"}));
    m_view->setMode(CompareView::Mode::Merged);
    settle();
    QVERIFY(names(merged()).contains("select_scatter"));
    m_view->setMode(CompareView::Mode::SideBySide);
    settle();
    m_workspace->clearSelection();
    QVERIFY(a().related().empty() && b().related().empty());
    QVERIFY(!gutter->selection().has_value());
}

void TestCompareView::menuGoesOn() {
    open("view_mutation");
    click(a(), "y");
    QSignalSpy raised(m_workspace.get(), &Workspace::panelRequested);
    emit a().provenanceRequested();
    QCOMPARE(raised.size(), 1);
    QCOMPARE(raised[0][0].value<PanelId>(), PanelId::Provenance);
    emit a().writeRequested(1);
    QCOMPARE(m_workspace->selectedNode()->name, std::string("setitem"));
    emit a().writeRequested(-1);
    QCOMPARE(m_workspace->selectedNode()->name, std::string("y"));
}

void TestCompareView::clickOnTheBackgroundClears() {
    open("view_mutation");
    click(a(), "y");
    QVERIFY(!m_workspace->place().node.isEmpty());
    QTest::mouseClick(a().viewport(), Qt::LeftButton, {}, QPoint(2, 2));
    QVERIFY(m_workspace->place().node.isEmpty());
    QCOMPARE(a().selected(), canvas::noItem);
}

void TestCompareView::panesScrollTogether() {
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

void TestCompareView::panesZoomTogether() {
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

void TestCompareView::unlinkedPanesStayApart() {
    open("view_mutation");
    m_view->setLinked(false);
    a().zoomTo(2);
    QCOMPARE(b().zoom(), 1.0);
    m_view->setLinked(true);
    QCOMPARE(a().zoom(), b().zoom());
}

void TestCompareView::checkInSight(const QByteArray& when) const {
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

void TestCompareView::selectionStaysInSightOfBothPanes_data() {
    QTest::addColumn<QByteArray>("from");
    QTest::addColumn<QByteArray>("to");
    QTest::newRow("Dynamo, joint") << QByteArray("dynamo_output_graph") << QByteArray("aot_joint_graph");
    QTest::newRow("joint, backward") << QByteArray("aot_joint_graph") << QByteArray("aot_backward_graph");
}

/// gpt2's layers are far apart in the joint graph, and what a forward node became may stand in backward.
void TestCompareView::selectionStaysInSightOfBothPanes() {
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

void TestCompareView::selectionStaysInSightOfOnePane() {
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

void TestCompareView::heldAnchorsGoBothWays() {
    const canvas::Anchors plain{{0, 0}, {100, 100}, {500, 600}, {2000, 2100}, {5000, 5100}, {9000, 9000}};
    for (const double there : {200.0, 2500.0, 8000.0}) {
        const canvas::Anchors held = canvas::heldAt(plain, 2500, there, 300);
        QCOMPARE(canvas::follow(held, 2500, true), there);
        QCOMPARE(canvas::follow(held, 2500 + 250, true), there + 250);
        QCOMPARE(canvas::follow(held, 2500 - 250, true), there - 250);
        double before = -1e9;
        for (double y = -500; y < 9500; y += 50) {
            const double other = canvas::follow(held, y, true);
            QVERIFY(other > before);
            // Nowhere does one pane race while the other creeps.
            QVERIFY2(before < -1e8 || other - before < 50 * 2.5, qPrintable(QString::number(y)));
            QVERIFY(std::abs(canvas::follow(held, other, false) - y) < 0.01);
            before = other;
        }
    }
    // Far off, the panes are where they would have been.
    const canvas::Anchors held = canvas::heldAt(plain, 600, 700, 100);
    QCOMPARE(canvas::follow(held, 7000, true), canvas::follow(plain, 7000, true));
}

void TestCompareView::arrowsWalkAlongEdges() {
    open("view_mutation");
    click(b(), "arg0_1");
    b().setFocus();
    QTest::keyClick(&b(), Qt::Key_Down);
    QCOMPARE(b().selected(), itemNamed(b(), "add"));
    QTest::keyClick(&b(), Qt::Key_Right);
    QCOMPARE(b().selected(), itemNamed(b(), "select"));
    QTest::keyClick(&b(), Qt::Key_Up);
    QCOMPARE(b().selected(), itemNamed(b(), "arg1_1"));
    QTest::keyClick(&b(), Qt::Key_Up);
    QCOMPARE(b().selected(), itemNamed(b(), "arg1_1")); // nothing above
}

void TestCompareView::tabWalksAndLeaves() {
    open("view_mutation");
    click(a(), "l_y_");
    a().setFocus();
    const int count = static_cast<int>(a().scene()->items.size());
    for (int i = a().selected(); i + 1 < count; ++i) {
        QTest::keyClick(&a(), Qt::Key_Tab);
        QCOMPARE(a().selected(), i + 1);
    }
    QTest::keyClick(&a(), Qt::Key_Tab);
    QCOMPARE(a().selected(), count - 1);
    QVERIFY(!a().hasFocus());
}

void TestCompareView::keysOfTheCanvas() {
    open("view_mutation");
    a().setFocus();
    QTest::keyClick(&a(), Qt::Key_Plus);
    QVERIFY(a().zoom() > 1.2);
    QTest::keyClick(&a(), Qt::Key_0);
    QCOMPARE(a().zoom(), 1.0);
    QTest::keyClick(&a(), Qt::Key_Minus);
    QVERIFY(a().zoom() < 0.9);
    QTest::keyClick(&a(), Qt::Key_E);
    QVERIFY(m_view->hasEdgeLabels());
    QTest::keyClick(&a(), Qt::Key_M);
    QVERIFY(m_view->hasMinimap());
    click(a(), "setitem");
    QTest::keyClick(&a(), Qt::Key_C, Qt::ControlModifier);
    QVERIFY2(QGuiApplication::clipboard()->text().contains("setitem"),
             qPrintable(QGuiApplication::clipboard()->text()));
    QTest::keyClick(&a(), Qt::Key_Return);
    QCOMPARE(m_workspace->place().node.side, Side::B);
    QTest::keyClick(&a(), Qt::Key_Escape);
    QVERIFY(m_workspace->place().node.isEmpty());
    QTest::keyClick(&a(), Qt::Key_X);
    QCOMPARE(m_workspace->place().stageA, 3);
}

void TestCompareView::nextDifferenceVisitsAll() {
    open("view_mutation");
    QStringList seen;
    for (int i = 0; i < 5; ++i) {
        m_view->nextDifference(1);
        QVERIFY(m_workspace->selectedNode() != nullptr);
        seen << QString::fromStdString(m_workspace->selectedNode()->name);
    }
    QCOMPARE(QSet<QString>(seen.begin(), seen.end()),
             (QSet<QString>{"setitem", "select_1", "copy", "select_scatter", "output"}));
    m_view->nextDifference(1);
    QCOMPARE(QString::fromStdString(m_workspace->selectedNode()->name), seen.first()); // round again
    m_view->nextDifference(-1);
    QCOMPARE(QString::fromStdString(m_workspace->selectedNode()->name), seen.last());
}

void TestCompareView::nextDifferenceGoesOnFromAnyNode() {
    open("encoder_train");
    m_view->openAll();
    settle();
    const auto go = [this](int direction) {
        click(a(), "relu_1"); // itself no difference
        m_view->nextDifference(direction);
        return QString::fromStdString(m_workspace->selectedNode()->name);
    };
    QCOMPARE(go(1), QString("detach_3")); // what backward keeps of it
    QCOMPARE(go(-1), QString("view_23")); // between the product and relu, in B
}

void TestCompareView::spaceFoldsAndOpens() {
    open("encoder_train");
    const std::size_t before = b().scene()->items.size();
    QVERIFY(!b().scene()->frames.empty());
    // A node directly in a frame.
    const auto& items = b().scene()->items;
    const auto inside = std::find_if(items.begin(), items.end(),
                                     [](const canvas::SceneItem& i) { return i.isNode() && i.frame >= 0; });
    QVERIFY(inside != items.end());
    const QString frame = b().scene()->frames[static_cast<std::size_t>(inside->frame)].key;
    click(b(), inside->name);
    b().setFocus();
    QTest::keyClick(&b(), Qt::Key_Space);
    settle();
    QVERIFY(b().scene()->items.size() < before);
    const int block = b().scene()->byKey.value(frame, canvas::noItem);
    QVERIFY(block != canvas::noItem);
    QVERIFY(!b().scene()->items[static_cast<std::size_t>(block)].isNode());
    // The selected node is shown by the block that holds it now.
    QCOMPARE(b().selected(), block);
    m_view->openAll();
    settle();
    QCOMPARE(b().scene()->items.size(), b().scene()->graph->size());
    m_view->closeAll();
    settle();
    QVERIFY(b().scene()->frames.empty());
}

void TestCompareView::openingABlockKeepsItInPlace() {
    open("encoder_train");
    m_view->closeAll();
    settle();
    const auto& items = b().scene()->items;
    const auto block =
        std::find_if(items.begin(), items.end(), [](const canvas::SceneItem& i) { return !i.isNode(); });
    QVERIFY(block != items.end());
    const int index = static_cast<int>(block - items.begin());
    const QString key = block->key;
    m_view->setLinked(false);
    b().reveal(block->rect);
    const QRectF before = b().viewRectOf(index);
    QTest::mouseDClick(b().viewport(), Qt::LeftButton, {}, before.center().toPoint());
    settle();
    const auto& frames = b().scene()->frames;
    const auto frame = std::find_if(frames.begin(), frames.end(),
                                    [&key](const canvas::SceneFrame& f) { return f.key == key; });
    QVERIFY(frame != frames.end());
    const QPointF now = (frame->rect.topLeft() - b().offset()) * b().zoom();
    // As far as the edge of the canvas lets it.
    QVERIFY2(std::abs(now.y() - before.top()) < 40, qPrintable(QString::number(now.y() - before.top())));
}

/// Who searched for a node finds it on a card, in both panes, large enough to be read.
void TestCompareView::whatIsSoughtIsOpenedAndReadable() {
    open("encoder_train");
    m_view->closeAll();
    settle();
    ir::NodeIndex hidden = ir::npos;
    for (ir::NodeIndex n = 0; n < a().scene()->graph->size() && hidden == ir::npos; ++n) {
        const canvas::SceneItem& item = a().scene()->items[std::size_t(a().scene()->itemOf(n))];
        if (!item.isNode() && a().scene()->graph->node(n).op != ir::Op::Placeholder) hidden = n;
    }
    QVERIFY(hidden != ir::npos);
    a().zoomTo(0.1);
    m_workspace->selectNode({Side::A, hidden});
    settle();
    QVERIFY(
        !a().scene()->items[std::size_t(a().scene()->itemOf(hidden))].isNode()); // selecting opens nothing
    m_workspace->seekNode();
    QTRY_VERIFY_WITH_TIMEOUT(a().scene()->items[std::size_t(a().scene()->itemOf(hidden))].isNode(),
                             test::patience);
    settle();
    QVERIFY2(a().zoom() >= canvas::legibleZoom, qPrintable(QString::number(a().zoom())));
    const int item = a().scene()->itemOf(hidden);
    QCOMPARE(a().selected(), item);
    QTRY_VERIFY(QRectF(a().viewport()->rect()).contains(a().viewRectOf(item).center()));
    for (const ir::NodeIndex partner : m_workspace->relatedOn(Side::B)) {
        QVERIFY(b().scene()->items[std::size_t(b().scene()->itemOf(partner))].isNode());
        break;
    }
}

void TestCompareView::openAllKeepsTheMiddle() {
    open("encoder_train");
    m_view->setLinked(false);
    b().zoomTo(1);
    b().reveal(b().scene()->items[b().scene()->items.size() * 2 / 3].rect);
    settle();
    b().setFocus();
    click(b(), b().scene()->items[b().scene()->items.size() * 2 / 3].name);
    settle();
    const QString key = b().middleKey();
    QVERIFY(!key.isEmpty());
    m_view->openAll();
    settle();
    QRectF now;
    if (const int item = b().scene()->byKey.value(key, canvas::noItem); item != canvas::noItem)
        now = b().scene()->items[std::size_t(item)].rect;
    for (const canvas::SceneFrame& frame : b().scene()->frames)
        if (frame.key == key) now = frame.rect;
    QVERIFY(now.isValid());
    QVERIFY(QRectF(b().offset(), QSizeF(b().viewport()->size()) / b().zoom()).intersects(now));
}

/// It takes its own strip, so it covers no node, and a press there moves the graph.
void TestCompareView::minimapLiesBesideTheGraph() {
    open("encoder_train");
    m_view->openAll();
    settle();
    auto* map = b().findChild<canvas::Minimap*>("minimap");
    QVERIFY(map != nullptr);
    QVERIFY(!map->isVisible());
    m_view->setMinimap(true);
    QVERIFY(map->isVisible());
    QTRY_COMPARE(map->geometry().left(), b().viewport()->geometry().right() + 1);
    QVERIFY(!map->geometry().intersects(b().viewport()->geometry()));
    QCOMPARE(map->height(), b().viewport()->height());
    b().zoomTo(1);
    QTest::mouseClick(map, Qt::LeftButton, {}, QPoint(map->width() / 2, map->height() - 12));
    const double low = b().offset().y();
    QTest::mouseClick(map, Qt::LeftButton, {}, QPoint(map->width() / 2, 12));
    QVERIFY(b().offset().y() < low - 100);
    m_view->setMinimap(false);
    QVERIFY(!map->isVisible());
}

void TestCompareView::mergedMode() {
    open("view_mutation");
    m_view->setMode(CompareView::Mode::Merged);
    settle();
    QVERIFY(merged().isVisible() && !a().isVisible());
    QCOMPARE(merged().scene()->items.size(), std::size_t(9));
    click(merged(), "setitem");
    QCOMPARE(m_workspace->place().node.side, Side::A);
    QCOMPARE(QString::fromStdString(m_workspace->selectedNode()->name), QString("setitem"));
    click(merged(), "copy");
    QCOMPARE(m_workspace->place().node.side, Side::B);
    m_view->nextDifference(1);
    QVERIFY(merged().selected() != canvas::noItem);
    m_view->setMode(CompareView::Mode::SideBySide);
    settle();
    QVERIFY(a().isVisible() && b().isVisible() && !merged().isVisible());
    QVERIFY(a().scene() && b().scene());
}

void TestCompareView::narrowWindowShowsOne() {
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
void TestCompareView::oneStageShowsOneCanvas() {
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

void TestCompareView::aPassingSizeKeepsThePlace() {
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
void TestCompareView::aPictureNobodyTouchedFitsItsNewRoom() {
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
void TestCompareView::whatWasOpenedUnseenFitsItsRoom() {
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
void TestCompareView::aCanvasAloneHasNoGaps() {
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
void TestCompareView::bothPanesOpenAtTheirTop() {
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

/// Those that compute several nodes, by name, wherever they stand among the modules; modules come back.
void TestCompareView::kernelsAreBlocks() {
    test::addCapture(*m_workspace, test::capture("trace_inductor/view_mutation"));
    const session::Compile& compile = *m_workspace->compile();
    const session::Provenance provenance(m_workspace->capture()->session,
                                         std::size_t(m_workspace->place().compile));
    int stage = -1;
    std::vector<session::KernelNodes> kernels;
    for (std::size_t i = 0; i < compile.stages.size() && kernels.empty(); ++i) {
        kernels = provenance.kernelsMadeOf(i);
        stage = int(i);
    }
    QCOMPARE(kernels.size(), std::size_t(1));
    m_workspace->selectStages(stage, stage);
    settle();
    const auto blocks = [this] {
        QStringList out;
        for (const auto& item : b().scene()->items)
            if (!item.isNode() && item.name.startsWith("cpp_fused")) out << item.name;
        for (const auto& frame : b().scene()->frames)
            if (frame.name.startsWith("cpp_fused")) out << frame.name;
        return out;
    };
    QVERIFY(blocks().isEmpty());
    m_view->setKernelBlocks(true);
    settle();
    m_view->openAll();
    settle();
    QVERIFY(!blocks().isEmpty());
    std::set<std::string> names;
    for (const session::KernelNodes& kernel : kernels)
        names.insert(kernel.name);
    for (const QString& block : blocks())
        QVERIFY2(names.contains(block.section(' ', 0, 0).toStdString()), qPrintable(block));
    m_view->setKernelBlocks(false);
    settle();
    QVERIFY(blocks().isEmpty());
}

/// No label of an edge over another, over a card or under the title of a block.
void TestCompareView::labelsOfEdgesLieApart() {
    open("encoder_train");
    m_view->openAll();
    m_view->setEdgeLabels(true);
    settle();
    std::size_t labels = 0, edges = 0;
    for (double y = 0; y < b().scene()->size.height(); y += 400) {
        b().setPlace(1, {0, y});
        b().viewport()->repaint();
        const std::vector<QRectF> places = b().painted().labels;
        labels += places.size();
        edges += b().painted().edges;
        for (std::size_t i = 0; i < places.size(); ++i) {
            for (std::size_t k = 0; k < i; ++k)
                QVERIFY(!places[i].intersects(places[k]));
            for (std::size_t item = 0; item < b().scene()->items.size(); ++item)
                QVERIFY(!places[i].intersects(b().viewRectOf(static_cast<int>(item))));
        }
    }
    qInfo("%zu labels at %zu edges", labels, edges);
    QVERIFY(edges > 50 && labels * 3 > edges * 2);
}

void TestCompareView::steppingKeepsThePlace() {
    open("view_mutation");
    b().zoomTo(1.5);
    m_workspace->selectStages(0, 5);
    settle();
    QCOMPARE(b().zoom(), 1.5);
    QCOMPARE(a().zoom(), 1.5);
    QCOMPARE(b().scene()->items.size(), m_workspace->stage(Side::B).graph->size());
}

void TestCompareView::cardsSlideWhenAllowed() {
    open("view_mutation");
    m_view->setMotion(true);
    m_workspace->selectStages(0, 5); // select_scatter moves up, copy goes
    settle();
    QVERIFY(b().isMoving());
    QTRY_VERIFY(!b().isMoving());
    m_view->setMotion(false);
    m_workspace->selectStages(0, 3);
    settle();
    QVERIFY(!b().isMoving());
    // A scene that is replaced while its cards still slide.
    m_view->setMotion(true);
    for (const int stage : {5, 3, 5, 4})
        m_workspace->selectStages(0, stage);
    settle();
    QTRY_VERIFY(!b().isMoving());
    QCOMPARE(b().scene()->items.size(), m_workspace->stage(Side::B).graph->size());
}

void TestCompareView::codeStageSaysSo() {
    open("view_mutation");
    const int last = static_cast<int>(m_workspace->compile()->stages.size()) - 1;
    QCOMPARE(m_workspace->compile()->stages.back()->content, session::Stage::Content::Code);
    m_workspace->selectStages(0, last);
    settle();
    QVERIFY(!b().scene());
    QVERIFY2(b().message().contains("is code, not a graph"), qPrintable(b().message()));
    QVERIFY(a().scene());
    m_workspace->selectStages(0, 3);
    settle();
    QVERIFY(b().scene());
}

void TestCompareView::nothingOpenSaysSo() {
    settle();
    QVERIFY(!a().scene());
    QCOMPARE(a().message(), QString("Nothing is open"));
    m_view->fitAll();
    m_view->nextDifference(1);
    m_view->toggleFold();
    m_view->openAll();
    QTest::keyClick(&a(), Qt::Key_Down);
    QTest::mouseClick(a().viewport(), Qt::LeftButton);
    QVERIFY(m_view->picture().isEmpty());
    QVERIFY(!writePicture(m_view->picture(), QDir::tempPath() + "/nothing.svg").problem.isEmpty());
    settle();
}

void TestCompareView::childThatFailsLeavesThePicture() {
    m_view->setLayoutProgram("/bin/false");
    open("view_mutation");
    QCOMPARE(QString::fromStdString(a().scene()->engine), QString("layered"));
    m_view->setLayoutProgram("/no/such/program");
    m_workspace->selectStages(0, 4);
    settle();
    QVERIFY(b().scene());
}

void TestCompareView::cancelSettles() {
    QTemporaryDir folder;
    const QString slow = folder.filePath("slow");
    QFile script(slow);
    QVERIFY(script.open(QIODevice::WriteOnly));
    script.write("#!/bin/sh\nexec sleep 30\n");
    script.close();
    script.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    m_view->setLayoutProgram(slow);
    test::addSample(*m_workspace, "view_mutation");
    QTRY_VERIFY(b().scene());
    QVERIFY(!m_view->isSettled());
    auto* header = m_view->findChildren<canvas::PaneHeader*>()[1];
    QTRY_VERIFY2(header->progress().startsWith("Laying out"), qPrintable(header->progress()));
    const QSignalSpy spy(m_view.get(), &CompareView::settled);
    m_view->cancelLayout();
    QVERIFY(m_view->isSettled());
    QCOMPARE(spy.count(), 1);
    QVERIFY(b().scene());
    QVERIFY(header->progress().isEmpty());
}

void TestCompareView::exportsPictures() {
    open("view_mutation");
    QTemporaryDir folder;
    const auto write = [&](const char* name) {
        const WrittenPicture written = writePicture(m_view->picture(), folder.filePath(name));
        return written.problem + written.note;
    };
    QCOMPARE(write("graph.svg"), QString());
    QFile file(folder.filePath("graph.svg"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QXmlStreamReader reader(&file);
    QString texts;
    while (!reader.atEnd()) {
        reader.readNext();
        if (reader.isCharacters()) texts += reader.text();
    }
    QVERIFY2(!reader.hasError(), qPrintable(reader.errorString()));
    for (const char* name : {"setitem", "select_scatter", "aten.copy.default"})
        QVERIFY2(texts.contains(name), name);
    QCOMPARE(write("graph.png"), QString());
    const QImage image(folder.filePath("graph.png"));
    QCOMPARE(image.size(), (m_view->picture().size * 2).toSize());
    QCOMPARE(write("graph.pdf"), QString());
    QFile pdf(folder.filePath("graph.pdf"));
    QVERIFY(pdf.open(QIODevice::ReadOnly) && pdf.read(5) == "%PDF-");
    copyPicture(m_view->picture());
    QCOMPARE(QApplication::clipboard()->image().size(), image.size());

    QVERIFY(write("graph.jpeg").contains(".svg, .pdf or .png"));
    QVERIFY(!QFile::exists(folder.filePath("graph.jpeg")));
    QVERIFY(!writePicture(m_view->picture(), "/no/such/folder/graph.svg").problem.isEmpty());
    // What is too large for pixels is scaled, and the reader told.
    Drawing huge{"<b>&", QSizeF(40'000, 40'000),
                 [](QPainter& painter) { painter.drawLine(0, 0, 40'000, 40'000); }};
    const WrittenPicture scaled = writePicture(huge, folder.filePath("huge.png"));
    QVERIFY2(scaled.problem.isEmpty() && scaled.note.contains("14 %"),
             qPrintable(scaled.problem + scaled.note));
    QCOMPARE(QImage(folder.filePath("huge.png")).width(), 5'657);
    QCOMPARE(writePicture(huge, folder.filePath("huge.svg")).problem, QString());
    QFile escaped(folder.filePath("huge.svg"));
    QVERIFY(escaped.open(QIODevice::ReadOnly));
    QVERIFY(escaped.readAll().contains("<title>&lt;b&gt;&amp;</title>"));
    QCOMPARE(writePicture(huge, folder.filePath("huge.pdf")).problem, QString());
}

QTEST_MAIN(TestCompareView)
#include "tst_compare_view.moc"
