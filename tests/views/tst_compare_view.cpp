// SPDX-License-Identifier: BSD-3-Clause
//
// The two canvases as a user meets them: mouse and keys.
#include "tests/support/patience.h"
#include "tests/views/shown_canvases.h"
#include "views/canvas/gutter.h"
#include "views/canvas/pane_header.h"
#include "views/workspace/trace.h"

#include <QApplication>
#include <QClipboard>
#include <QGuiApplication>
#include <QSignalSpy>

using namespace dynascope;
using namespace dynascope::views;
using canvas::GraphCanvas;

class TestCompareView : public QObject, private test::ShownCanvases {
    Q_OBJECT
private slots:
    void init() { enter({1100, 600}); }
    void cleanup() { leave(); }
    void clickSelectsAndShowsWhatItBecame();
    void askedLinesLightUpEverywhere();
    void menuGoesOn();
    void clickOnTheBackgroundClears();
    void arrowsWalkAlongEdges();
    void tabWalksAndLeaves();
    void keysOfTheCanvas();
    void nextDifferenceVisitsAll();
    void nextDifferenceGoesOnFromAnyNode();
    void minimapLiesBesideTheGraph();
    void mergedMode();
    void nothingOpenSaysSo();
};

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

QTEST_MAIN(TestCompareView)
#include "tst_compare_view.moc"
